#include "offline-to-online-buffer.h"

#include "../../core/tensordict/shape.h"

#include <math.h>

struct _ReelOfflineToOnlineBuffer
{
  ReelObject parent_instance;

  ReelReplayBuffer *buffers[2]; /* offline, online */
  double fraction;
  double first_fraction;
  gint64 batch_size;

  ReelTensordict *parts[2]; /* of the last batch, views of it */
  ReelTensordict *given;
};

G_DEFINE_FINAL_TYPE (ReelOfflineToOnlineBuffer, reel_offline_to_online_buffer, REEL_TYPE_OBJECT)

static void
forget_batch (ReelOfflineToOnlineBuffer *self)
{
  for (gint i = 0; i < 2; i++)
    g_clear_pointer (&self->parts[i], reel_tensordict_unref);
  g_clear_pointer (&self->given, reel_tensordict_unref);
}

static void
finalize (GObject *object)
{
  ReelOfflineToOnlineBuffer *self = REEL_OFFLINE_TO_ONLINE_BUFFER (object);

  forget_batch (self);
  for (gint i = 0; i < 2; i++)
    g_clear_object (&self->buffers[i]);
  G_OBJECT_CLASS (reel_offline_to_online_buffer_parent_class)->finalize (object);
}

static void
reel_offline_to_online_buffer_class_init (ReelOfflineToOnlineBufferClass *klass)
{
  static const ReelId ids[] = {
    { "offline-to-online", NULL, "batches of old data and new" },
    { "OfflineToOnlineReplayBuffer", NULL, "batches of old data and new, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  reel_object_class_add_double (
      object_class, "offline-fraction", G_STRUCT_OFFSET (ReelOfflineToOnlineBuffer, fraction), 0, 1,
      0.5, NULL, "the part of a batch that is of old data", REEL_PROPERTY_MUTABLE);
}

static void
reel_offline_to_online_buffer_init (ReelOfflineToOnlineBuffer *self)
{
}

ReelOfflineToOnlineBuffer *
reel_offline_to_online_buffer_new (ReelReplayBuffer *offline, ReelReplayBuffer *online,
                                   double offline_fraction, gint64 batch_size, GError **error)
{
  ReelOfflineToOnlineBuffer *self;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (offline) && REEL_IS_REPLAY_BUFFER (online), NULL);
  g_return_val_if_fail (batch_size >= 0, NULL);
  if (!(offline_fraction > 0 && offline_fraction < 1))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "offline_fraction must be in (0, 1), got %g.", offline_fraction);
      return NULL;
    }
  self = reel_object_new_from_text (REEL_TYPE_OFFLINE_TO_ONLINE_BUFFER, "offline-to-online", error,
                                    NULL);
  if (!self)
    return NULL;
  self->buffers[0] = g_object_ref (offline);
  self->buffers[1] = g_object_ref (online);
  self->fraction = self->first_fraction = offline_fraction;
  self->batch_size = batch_size;
  return self;
}

ReelReplayBuffer *
reel_offline_to_online_buffer_get_offline (ReelOfflineToOnlineBuffer *self)
{
  return self->buffers[0];
}

ReelReplayBuffer *
reel_offline_to_online_buffer_get_online (ReelOfflineToOnlineBuffer *self)
{
  return self->buffers[1];
}

gint64
reel_offline_to_online_buffer_get_length (ReelOfflineToOnlineBuffer *self)
{
  return reel_replay_buffer_get_length (self->buffers[0])
         + reel_replay_buffer_get_length (self->buffers[1]);
}

gint64
reel_offline_to_online_buffer_count_offline (ReelOfflineToOnlineBuffer *self, gint64 n)
{
  if (reel_replay_buffer_get_length (self->buffers[1]) == 0)
    return n;
  return MIN ((gint64) nearbyint (self->fraction * (double) n), n);
}

void
reel_offline_to_online_buffer_anneal (ReelOfflineToOnlineBuffer *self, gint64 step,
                                      gint64 total_steps)
{
  g_return_if_fail (step >= 0 && total_steps > 0);
  self->fraction = self->first_fraction * MAX (0, 1 - (double) step / (double) total_steps);
}

static gboolean
sample_part (ReelOfflineToOnlineBuffer *self, gint i, gint64 n, GError **error)
{
  ReelReplayBuffer *buffer = self->buffers[i];

  return reel_replay_buffer_sample_with (buffer, reel_replay_buffer_get_sampler (buffer), n,
                                         &self->parts[i], error);
}

/* Of one part: what its buffer gives. */
static gboolean
sample_one (ReelOfflineToOnlineBuffer *self, gint i, gint64 n, ReelTensordict **batch,
            GError **error)
{
  forget_batch (self);
  return reel_replay_buffer_sample_with (
      self->buffers[i], reel_replay_buffer_get_sampler (self->buffers[i]), n, batch, error);
}

/* Both in one; the parts become views of it, which are filled the next time. */
static ReelTensordict *
join (ReelOfflineToOnlineBuffer *self, GError **error)
{
  g_autoptr (ReelTensordict) whole = reel_tensordict_cat (self->parts, 2, 0, error);
  gint ndim;
  gint64 at = 0;

  for (gint i = 0; whole && i < 2; i++)
    {
      gint64 n = reel_tensordict_get_batch_size (self->parts[i], &ndim)[0];
      ReelTensordict *view = reel_tensordict_slice (whole, 0, at, at + n, 1, error);

      if (!view)
        return NULL;
      reel_tensordict_unref (self->parts[i]);
      self->parts[i] = view;
      at += n;
    }
  return g_steal_pointer (&whole);
}

static gboolean
sample_both (ReelOfflineToOnlineBuffer *self, gint64 n_offline, gint64 n, ReelTensordict **batch,
             GError **error)
{
  gboolean again = *batch && *batch == self->given;
  ReelTensordict *views[2], *whole;

  if (!again)
    forget_batch (self);
  for (gint i = 0; i < 2; i++)
    views[i] = self->parts[i];
  if (!sample_part (self, 0, n_offline, error) || !sample_part (self, 1, n - n_offline, error))
    return FALSE;
  if (again && self->parts[0] == views[0] && self->parts[1] == views[1])
    return TRUE;
  whole = join (self, error);
  if (!whole)
    {
      forget_batch (self);
      return FALSE;
    }
  g_clear_pointer (&self->given, reel_tensordict_unref);
  self->given = reel_tensordict_ref (whole);
  if (*batch)
    reel_tensordict_unref (*batch);
  *batch = whole;
  return TRUE;
}

gboolean
reel_offline_to_online_buffer_sample (ReelOfflineToOnlineBuffer *self, gint64 batch_size,
                                      ReelTensordict **batch, GError **error)
{
  gint64 n = batch_size > 0 ? batch_size : self->batch_size, n_offline;

  if (n <= 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "batch_size not specified. You can specify the batch_size when "
                           "constructing the replay buffer, or pass it to the sample method.");
      return FALSE;
    }
  n_offline = reel_offline_to_online_buffer_count_offline (self, n);
  if (n_offline == n || n_offline == 0)
    return sample_one (self, n_offline == 0, n, batch, error);
  return sample_both (self, n_offline, n, batch, error);
}
