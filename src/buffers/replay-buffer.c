#include "buffer-home.h"
#include "replay-buffer-private.h"
#include "samplers/consuming-sampler.h"
#include "samplers/sampler-private.h"
#include "../core/tensordict/component-print.h"
#include "storages/storage-private.h"
#include "writers/round-robin-writer.h"
#include "writers/writer-private.h"

struct _ReelReplayBuffer
{
  GObject parent_instance;

  ReelStorage *storage;
  ReelSampler *sampler;
  ReelWriter *writer;
  ReelCompose *transform;
  ReelBatchMaker maker;
  gint64 batch_size;
  char *priority_key;
  ReelBufferStream stream;
  const ReelBufferHome *home; /* NULL before it has to do with files */
};

G_DEFINE_FINAL_TYPE (ReelReplayBuffer, reel_replay_buffer, G_TYPE_OBJECT)

static void
finalize (GObject *object)
{
  ReelReplayBuffer *self = REEL_REPLAY_BUFFER (object);

  reel_buffer_stream_clear (&self->stream);
  reel_replay_buffer_set_collate (self, NULL, NULL, NULL);
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), NULL, NULL);
  g_object_unref (self->transform);
  g_object_unref (self->writer);
  g_object_unref (self->sampler);
  g_object_unref (self->storage);
  g_free (self->priority_key);
  G_OBJECT_CLASS (reel_replay_buffer_parent_class)->finalize (object);
}

static void
reel_replay_buffer_class_init (ReelReplayBufferClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_replay_buffer_init (ReelReplayBuffer *self)
{
  self->priority_key = g_strdup ("td_error");
  self->transform = reel_compose_new ();
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), G_OBJECT (self), NULL);
}

static gboolean
check_batch_size (ReelReplayBuffer *self, GError **error)
{
  if (self->batch_size > 0 || !reel_sampler_needs_batch_size (self->sampler))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "Samplers with drop_last=True must work with a predictable batch-size. "
                       "Please pass the batch-size to the ReplayBuffer constructor.");
  return FALSE;
}

gboolean
reel_buffer_check_parts (ReelSampler *sampler, ReelWriter *writer, GError **error)
{
  if (!reel_consuming_sampler_get_freed (sampler) || REEL_IS_ROUND_ROBIN_WRITER (writer))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "a consuming sampler frees slots, which a round-robin writer fills again, but not a "
               "%s",
               REEL_WRITER_GET_CLASS (writer)->peer_name);
  return FALSE;
}

static gboolean
bind_sampler (ReelReplayBuffer *self, ReelSampler *sampler, GError **error)
{
  reel_sampler_set_priority_key (sampler, self->priority_key);
  return reel_buffer_check_parts (sampler, self->writer, error)
         && reel_sampler_bind (sampler, self->storage, error);
}

ReelReplayBuffer *
reel_replay_buffer_new (ReelStorage *storage, ReelSampler *sampler, ReelWriter *writer,
                        gint64 batch_size, GError **error)
{
  g_autoptr (ReelReplayBuffer) self = NULL;

  g_return_val_if_fail (REEL_IS_STORAGE (storage), NULL);
  g_return_val_if_fail (batch_size >= 0, NULL);
  g_type_ensure (reel_random_sampler_get_type ());
  g_type_ensure (reel_round_robin_writer_get_type ());
  self = g_object_new (REEL_TYPE_REPLAY_BUFFER, NULL);
  self->storage = g_object_ref (storage);
  self->sampler = sampler ? g_object_ref (sampler)
                          : reel_object_new_from_text (REEL_TYPE_SAMPLER, "random", NULL, NULL);
  self->writer = writer ? g_object_ref (writer)
                        : reel_object_new_from_text (REEL_TYPE_WRITER, "round-robin", NULL, NULL);
  self->batch_size = batch_size;
  if (!reel_writer_bind (self->writer, storage, error) || !bind_sampler (self, self->sampler, error)
      || !check_batch_size (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

ReelReplayBuffer *
reel_replay_buffer_new_from_text (const char *storage, const char *sampler, gint64 batch_size,
                                  GError **error)
{
  g_autoptr (ReelStorage) the_storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage, error, NULL);
  g_autoptr (ReelSampler) the_sampler =
      the_storage
          ? reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler ? sampler : "random", error, NULL)
          : NULL;

  return the_sampler ? reel_replay_buffer_new (the_storage, the_sampler, NULL, batch_size, error)
                     : NULL;
}

ReelStorage *
reel_replay_buffer_get_storage (ReelReplayBuffer *self)
{
  return self->storage;
}

ReelSampler *
reel_replay_buffer_get_sampler (ReelReplayBuffer *self)
{
  return self->sampler;
}

ReelWriter *
reel_replay_buffer_get_writer (ReelReplayBuffer *self)
{
  return self->writer;
}

ReelCompose *
reel_replay_buffer_get_transform (ReelReplayBuffer *self)
{
  return self->transform;
}

void
reel_replay_buffer_set_collate (ReelReplayBuffer *self, ReelCollateFunc collate, gpointer user_data,
                                GDestroyNotify destroy)
{
  ReelBatchMaker before;

  g_return_if_fail (REEL_IS_REPLAY_BUFFER (self));
  before = self->maker;
  self->maker = (ReelBatchMaker){ collate, user_data, destroy };
  if (before.destroy)
    before.destroy (before.user_data);
}

const ReelBatchMaker *
reel_replay_buffer_get_maker (ReelReplayBuffer *self)
{
  return &self->maker;
}

ReelBufferStream *
reel_replay_buffer_get_stream (ReelReplayBuffer *self)
{
  return &self->stream;
}

gint64
reel_replay_buffer_get_batch_size (ReelReplayBuffer *self)
{
  return self->batch_size;
}

void
reel_replay_buffer_set_batch_size (ReelReplayBuffer *self, gint64 batch_size)
{
  g_return_if_fail (batch_size >= 0);
  self->batch_size = batch_size;
}

void
reel_replay_buffer_set_priority_key (ReelReplayBuffer *self, const char *key)
{
  char *copy = g_strdup (key);

  reel_buffer_flush (self);
  g_free (self->priority_key);
  self->priority_key = copy;
  reel_sampler_set_priority_key (self->sampler, copy);
}

const char *
reel_replay_buffer_get_priority_key (ReelReplayBuffer *self)
{
  return self->priority_key;
}

gint64
reel_replay_buffer_get_length (ReelReplayBuffer *self)
{
  return reel_sampler_count_rows (self->sampler, self->storage);
}

gint64
reel_replay_buffer_get_capacity (ReelReplayBuffer *self)
{
  return reel_storage_get_capacity (self->storage);
}

gint64
reel_replay_buffer_get_cursor (ReelReplayBuffer *self)
{
  return reel_storage_get_cursor (self->storage);
}

gint64
reel_replay_buffer_get_write_count (ReelReplayBuffer *self)
{
  return reel_writer_get_write_count (self->writer, self->storage);
}

void
reel_replay_buffer_get_stats (ReelReplayBuffer *self, ReelReplayBufferStats *stats)
{
  ReelPrefetch *prefetch = self->stream.prefetch;

  *stats = (ReelReplayBufferStats){
    .size = reel_replay_buffer_get_length (self),
    .capacity = reel_replay_buffer_get_capacity (self),
    .write_count = reel_replay_buffer_get_write_count (self),
    .n_prefetched = prefetch ? reel_prefetch_count (prefetch) : 0,
    .initialized = reel_storage_is_allocated (self->storage),
  };
  stats->utilization = (double) stats->size / (double) stats->capacity;
}

void
reel_buffer_flush (ReelReplayBuffer *self)
{
  reel_buffer_stream_flush (&self->stream);
}

/* ---- other parts ---- */

void
reel_replay_buffer_set_home (ReelReplayBuffer *self, const ReelBufferHome *home)
{
  self->home = home;
}

/* Puts a part in the place of another, which is given back where that is wanted. */
static void
swap_part (ReelReplayBuffer *self, gpointer *part, gpointer other, gpointer *previous)
{
  gpointer old = *part;

  *part = g_object_ref (other);
  if (self->home)
    self->home->take_parts (self);
  if (previous)
    *previous = old;
  else
    g_object_unref (old);
}

gboolean
reel_replay_buffer_set_sampler (ReelReplayBuffer *self, ReelSampler *sampler,
                                ReelSampler **previous, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && REEL_IS_SAMPLER (sampler), FALSE);

  if ((self->stream.prefetch || self->stream.others)
      && !reel_buffer_may_draw_ahead (sampler, error))
    return FALSE;
  reel_buffer_flush (self);
  if (!bind_sampler (self, sampler, error))
    return FALSE;
  reel_sampling_of (sampler)->giver = NULL;
  swap_part (self, (gpointer *) &self->sampler, sampler, (gpointer *) previous);
  self->stream.drawn_end = FALSE;
  return TRUE;
}

gboolean
reel_replay_buffer_set_storage (ReelReplayBuffer *self, ReelStorage *storage,
                                ReelStorage **previous, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && REEL_IS_STORAGE (storage), FALSE);

  const char *path = self->home ? self->home->get_path (self) : NULL;
  gint64 count = reel_replay_buffer_get_write_count (self);

  if (path)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "the storage of a buffer that is live or was opened cannot be changed: "
                           "make another buffer");
      return FALSE;
    }
  reel_buffer_flush (self);
  if (!reel_writer_bind (self->writer, storage, error)
      || !reel_sampler_bind (self->sampler, storage, error))
    return FALSE;
  swap_part (self, (gpointer *) &self->storage, storage, (gpointer *) previous);
  reel_writer_set_write_count (self->writer, storage, count);
  return TRUE;
}

gboolean
reel_replay_buffer_set_writer (ReelReplayBuffer *self, ReelWriter *writer, ReelWriter **previous,
                               GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && REEL_IS_WRITER (writer), FALSE);

  gint64 count = reel_replay_buffer_get_write_count (self);

  if (!reel_writer_check (writer, self->storage, error)
      || !reel_buffer_check_parts (self->sampler, writer, error)
      || !reel_writer_bind (writer, self->storage, error))
    return FALSE;
  swap_part (self, (gpointer *) &self->writer, writer, (gpointer *) previous);
  reel_writer_set_write_count (writer, self->storage, count);
  return TRUE;
}

/* ---- emptying ---- */

gboolean
reel_replay_buffer_empty (ReelReplayBuffer *self, gboolean empty_write_count, GError **error)
{
  gint64 count = empty_write_count ? 0 : reel_replay_buffer_get_write_count (self);

  if (!reel_writer_may_write (self->writer, error))
    return FALSE;
  reel_buffer_flush (self);
  reel_storage_empty (self->storage);
  reel_writer_set_write_count (self->writer, self->storage, count);
  reel_sampler_empty (self->sampler);
  reel_transform_empty (REEL_TRANSFORM (self->transform));
  return TRUE;
}

/* ---- printing ---- */

/* TorchRL does not indent the transforms. */
static char *
insert_transform (ReelReplayBuffer *self, char *text)
{
  g_autofree char *without = text, *chain = NULL;
  const char *at = g_strrstr (text, "    batch_size=");

  if (reel_compose_get_length (self->transform) == 0)
    return g_steal_pointer (&without);
  chain = reel_transform_to_string (REEL_TRANSFORM (self->transform));
  return g_strdup_printf ("%.*s%s, \n%s", (int) (at - text), text, chain, at);
}

char *
reel_replay_buffer_to_string (ReelReplayBuffer *self)
{
  g_autofree char *storage = reel_storage_to_string (self->storage);
  g_autofree char *sampler = reel_sampler_to_string (self->sampler);
  g_autofree char *writer = reel_writer_to_string (self->writer, self->storage);
  g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, self->batch_size);
  g_autofree char *text =
      g_strdup_printf ("storage=%s, \nsampler=%s, \nwriter=%s, \nbatch_size=%s", storage, sampler,
                       writer, self->batch_size > 0 ? size : "None");

  return insert_transform (self, reel_print_call ("ReplayBuffer", text));
}
