/* The base of samplers: binding to a storage, looking at new rows before each draw, and states that
 * continue a stream. */
#include "sampler-private.h"

#include "../../core/object/error.h"
#include "../../core/tensordict/state-values.h"
#include "../storages/storage-private.h"

typedef struct
{
  gint64 seed;
  guint64 identity; /* of the storage that it is bound to, 0 for none */
  GError *refusal;  /* why it cannot draw from that one: a key is missing */
  guint64 binding;
  char *priority_key;
  gboolean other_key; /* than it was bound with */
  ReelSamplerMemory memory;
} ReelSamplerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelSampler, reel_sampler, REEL_TYPE_OBJECT)

static ReelSamplerPrivate *
get_private (ReelSampler *self)
{
  return reel_sampler_get_instance_private (self);
}

static void
finalize (GObject *object)
{
  ReelSamplerPrivate *private = get_private (REEL_SAMPLER (object));

  if (private->memory.data)
  private->memory.free (private->memory.data);
  g_clear_error (&private->refusal);
  g_free (private->priority_key);
  G_OBJECT_CLASS (reel_sampler_parent_class)->finalize (object);
}

static void
reel_sampler_class_init (ReelSamplerClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "sampler";
  reel_object_class_add_int64 (object_class, "seed", (gsize) G_PRIVATE_OFFSET (ReelSampler, seed),
                               0, G_MAXINT64, 0, NULL, "seed of the draws",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_sampler_init (ReelSampler *self)
{
}

gint64
reel_sampler_get_seed (ReelSampler *self)
{
  return get_private (self)->seed;
}

ReelSampler *
reel_sampler_get_anchors (ReelSampler *self)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->get_anchors ? klass->get_anchors (self) : NULL;
}

/* Whose the priorities, the passes and the state are. */
static ReelSampler *
find_drawing (ReelSampler *self)
{
  ReelSampler *anchors = reel_sampler_get_anchors (self);

  return anchors ? anchors : self;
}

gsize
reel_info_row_bytes (const ReelInfoColumn *info)
{
  return reel_dtype_size (info->dtype) * (gsize) (info->ndim > 0 ? info->shape[0] : 1);
}

ReelSamplerMemory *
reel_sampler_get_memory (ReelSampler *self)
{
  return &get_private (self)->memory;
}

guint64
reel_sampler_get_binding (ReelSampler *self)
{
  return get_private (self)->binding;
}

/* Its knowledge of rows stays: only later rows tell priorities by another key. */
static gboolean
bind_key (ReelSampler *self, ReelStorage *storage, GError **error)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);
  ReelSamplerPrivate *private = get_private (self);

  if (private->other_key && klass->bind_key && !klass->bind_key (self, storage, error))
    return FALSE;
  private->other_key = FALSE;
  return TRUE;
}

gboolean
reel_sampler_bind (ReelSampler *self, ReelStorage *storage, GError **error)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);
  ReelSamplerPrivate *private = get_private (self);
  guint64 identity = reel_storage_get_identity (storage);
  g_autoptr (GError) failure = NULL;

  if (private->identity != identity)
    {
      private->identity = 0;
      private->binding++;
      g_clear_error (&private->refusal);
      /* A missing key becomes a refusal, which every draw repeats without binding again. */
      if (klass->bind && !klass->bind (self, storage, &failure)
          && !g_error_matches (failure, REEL_ERROR, REEL_ERROR_KEY))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      private->refusal = g_steal_pointer (&failure);
      private->identity = identity;
      private->other_key = FALSE;
    }
  if (private->refusal)
    g_propagate_error (error, g_error_copy (private->refusal));
  return private->refusal == NULL && bind_key (self, storage, error);
}

const ReelInfoColumn *
reel_sampler_list_info (ReelSampler *self, guint *n)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  *n = 0;
  return klass->list_info ? klass->list_info (self, n) : NULL;
}

/* ---- drawing ---- */

/* The preparation of each draw. */
static gboolean
prepare (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  if (!reel_sampler_bind (self, storage, error))
    return FALSE;
  if (view->first_row >= view->end_row)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot sample from an empty storage.");
      return FALSE;
    }
  return !klass->follow || klass->follow (self, storage, view, error);
}

gboolean
reel_sampler_sample (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                     ReelDraw *draw, GError **error)
{
  return prepare (self, storage, view, error)
         && REEL_SAMPLER_GET_CLASS (self)->sample (self, storage, view, draw, error);
}

gboolean
reel_sampler_redraw (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                     gint64 n_wanted, ReelDraw *draw, GError **error)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  if (!prepare (self, storage, view, error))
    return FALSE;
  if (klass->redraw)
    return klass->redraw (self, storage, view, draw, error);
  draw->n = n_wanted;
  return klass->sample (self, storage, view, draw, error);
}

void
reel_sampler_delivered (ReelSampler *self, const ReelDraw *draw)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  if (klass->delivered)
    klass->delivered (self, draw);
}

/* ---- priorities ---- */

static gboolean
catch_up (ReelSampler *self, ReelStorage *storage, GError **error)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);
  ReelStorageView view;

  /* The view first: what binds after it knows the memory in which its rows lie. */
  reel_storage_get_view (storage, &view);
  if (!reel_sampler_bind (self, storage, error))
    return FALSE;
  return !klass->follow || view.first_row >= view.end_row
         || klass->follow (self, storage, &view, error);
}

gint64
reel_sampler_count_rows (ReelSampler *self, ReelStorage *storage)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  if (!klass->count_rows || !catch_up (self, storage, NULL))
    return reel_storage_get_length (storage);
  return klass->count_rows (self);
}

gboolean
reel_sampler_count_sampleable (ReelSampler *self, ReelStorage *storage, gint64 n, gint64 *count,
                               GError **error)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);
  ReelStorageView view;

  *count = 0;
  if (reel_storage_get_length (storage) == 0)
    return TRUE;
  if (!klass->count_candidates)
    {
      *count = reel_sampler_count_rows (self, storage);
      return TRUE;
    }
  reel_storage_get_view (storage, &view);
  return reel_sampler_bind (self, storage, error)
         && klass->count_candidates (self, &view, n, count, error);
}

gboolean
reel_sampler_update_priority (ReelSampler *self, ReelStorage *storage, const gint64 *slots,
                              gint64 n, const double *priorities, GError **error)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return !klass->update_priority
         || (catch_up (self, storage, error)
             && klass->update_priority (self, storage, slots, n, priorities, error));
}

gboolean
reel_sampler_mark_update (ReelSampler *self, ReelStorage *storage, const gint64 *slots, gint64 n,
                          GError **error)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return !klass->mark_update
         || (catch_up (self, storage, error)
             && klass->mark_update (self, storage, slots, n, error));
}

gboolean
reel_sampler_has_priorities (ReelSampler *self)
{
  return REEL_SAMPLER_GET_CLASS (find_drawing (self))->update_priority != NULL;
}

double
reel_sampler_get_default_priority (ReelSampler *self)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->get_default_priority ? klass->get_default_priority (self) : 1;
}

const char *
reel_sampler_get_reduction (ReelSampler *self)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->get_reduction ? klass->get_reduction (self) : "max";
}

void
reel_sampler_set_priority_key (ReelSampler *self, const char *key)
{
  ReelSamplerPrivate *private = get_private (self);
  ReelSampler *anchors = reel_sampler_get_anchors (self);

  if (anchors)
    reel_sampler_set_priority_key (anchors, key);
  if (g_strcmp0 (private->priority_key, key) == 0)
    return;
  g_free (private->priority_key);
  private->priority_key = g_strdup (key);
  private->other_key = TRUE;
}

const char *
reel_sampler_get_priority_key (ReelSampler *self)
{
  return get_private (self)->priority_key;
}

/* ---- passes ---- */

gboolean
reel_sampler_get_ran_out (ReelSampler *self)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->get_ran_out && klass->get_ran_out (self);
}

gint64
reel_sampler_get_remaining (ReelSampler *self, gint64 n)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->get_remaining ? klass->get_remaining (self, n) : G_MAXINT64;
}

gboolean
reel_sampler_needs_batch_size (ReelSampler *self)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->needs_batch_size && klass->needs_batch_size (self);
}

/* ---- state ---- */

const char *
reel_sampler_get_state_form (ReelSampler *self)
{
  return REEL_SAMPLER_GET_CLASS (find_drawing (self))->state_form;
}

static gint64 *
find_stream (ReelSampler *self)
{
  gsize offset = REEL_SAMPLER_GET_CLASS (self)->stream;

  return offset > 0 ? (gint64 *) ((guint8 *) self + offset) : NULL;
}

/* Whether a sampler could not be bound because a key is missing in the data: it cannot draw, but
 * what it remembers can be kept. Else @error tells it. */
static gboolean
lacks_key (const GError *failure, GError **error)
{
  if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_KEY))
    return TRUE;
  g_propagate_error (error, g_error_copy (failure));
  return FALSE;
}

static gboolean
know_rows (ReelSampler *self, ReelStorage *storage, GError **error)
{
  g_autoptr (GError) failure = NULL;

  return catch_up (self, storage, &failure) || lacks_key (failure, error);
}

gint64
reel_sampler_get_stream (ReelSampler *self, ReelStorage *storage)
{
  self = find_drawing (self);
  const gint64 *stream = find_stream (self);

  /* A pass over another storage is another one. */
  reel_sampler_bind (self, storage, NULL);
  return stream ? *stream : -1;
}

ReelTensordict *
reel_sampler_dup_state (ReelSampler *self, ReelStorage *storage, GError **error)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);
  const gint64 *stream = find_stream (self);
  g_autoptr (ReelTensordict) state = NULL;

  /* A sampler without memory of rows need not be able to draw from them. */
  if (klass->dup_state && !know_rows (self, storage, error))
    return NULL;
  /* Before there is memory nothing is known of rows. */
  state = klass->dup_state && reel_storage_is_allocated (storage)
              ? klass->dup_state (self, storage, error)
              : reel_tensordict_new (0, NULL);
  if (state && stream
      && !reel_state_set (state, REEL_STREAM_KEY, REEL_DTYPE_INT64, 0, 1, stream, error))
    return NULL;
  return g_steal_pointer (&state);
}

/* Its class forgot what it knew before: it gets to know it anew, as if for the first time. */
static void
unbind (ReelSampler *self, ReelStorage *storage, guint64 identity, gint64 at)
{
  gint64 *stream = find_stream (self);

  get_private (self)->identity = 0;
  if (identity == reel_storage_get_identity (storage))
    reel_sampler_bind (self, storage, NULL);
  if (stream)
    *stream = at;
}

static gint64
get_stream (ReelSampler *self)
{
  const gint64 *stream = find_stream (self);

  return stream ? *stream : -1;
}

void
reel_sampler_state_clear (ReelSamplerState *self)
{
  ReelSampler *drawing;

  if (!self->sampler)
    return;
  drawing = find_drawing (self->sampler);
  if (self->storage)
    {
      unbind (self->sampler, self->storage, self->before[1].identity, self->before[1].stream);
      unbind (drawing, self->storage, self->before[0].identity, self->before[0].stream);
    }
  if (self->said)
    REEL_SAMPLER_GET_CLASS (drawing)->free_state (self->said);
  *self = (ReelSamplerState){ 0 };
}

gboolean
reel_sampler_read_state (ReelSampler *self, gint64 capacity, const ReelTensordict *state,
                         ReelSamplerState *read, GError **error)
{
  ReelSampler *drawing = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (drawing);
  const ReelTensor *value;

  *read = (ReelSamplerState){ .sampler = self, .stream = -1 };
  if (!state)
    return TRUE;
  if (find_stream (drawing) && reel_tensordict_contains (state, REEL_STREAM_KEY))
    {
      value = reel_state_get (state, REEL_STREAM_KEY, REEL_DTYPE_INT64, 0, error);
      if (!value)
        return FALSE;
      read->stream = *(const gint64 *) value->data;
    }
  if (klass->read_state)
    read->said = klass->read_state (drawing, capacity, state, error);
  return read->said || !klass->read_state;
}

gboolean
reel_sampler_state_bind (ReelSamplerState *self, ReelStorage *storage, GError **error)
{
  ReelSampler *drawing = find_drawing (self->sampler);
  g_autoptr (GError) failure = NULL;

  if (get_private (drawing)->identity == reel_storage_get_identity (storage))
    return TRUE;
  self->storage = storage;
  self->before[0].identity = get_private (drawing)->identity;
  self->before[0].stream = get_stream (drawing);
  self->before[1].identity = get_private (self->sampler)->identity;
  self->before[1].stream = get_stream (self->sampler);
  return !self->said || reel_sampler_bind (drawing, storage, &failure)
         || lacks_key (failure, error);
}

void
reel_sampler_state_take (ReelSamplerState *self, ReelStorage *storage)
{
  ReelSampler *drawing = find_drawing (self->sampler);

  self->storage = NULL;
  if (self->said)
    REEL_SAMPLER_GET_CLASS (drawing)->take_state (drawing, storage, self->said);
  if (self->stream >= 0)
    *find_stream (drawing) = self->stream;
}

gboolean
reel_sampler_set_state (ReelSampler *self, ReelStorage *storage, const ReelTensordict *state,
                        GError **error)
{
  g_auto (ReelSamplerState) read = { 0 };

  if (!reel_sampler_read_state (self, reel_storage_get_capacity (storage), state, &read, error)
      || !reel_sampler_state_bind (&read, storage, error))
    return FALSE;
  reel_sampler_state_take (&read, storage);
  return TRUE;
}

void
reel_sampler_empty (ReelSampler *self)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  if (klass->empty)
    klass->empty (self);
}

char *
reel_sampler_to_string (ReelSampler *self)
{
  self = find_drawing (self);
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  return klass->to_string ? klass->to_string (self) : g_strdup_printf ("%s()", klass->peer_name);
}
