/* Batches that were drawn ahead, in a tensordict: into memory, into files and back. */
#include "buffer-stream-state.h"

#include "../buffer-sample.h"
#include "../../core/tensordict/state-values.h"

#include "../../core/object/error.h"

/* ---- into a state ---- */

static gboolean
set_bool (ReelTensordict *state, const char *key, gboolean value, GError **error)
{
  const guint8 byte = value ? 1 : 0;

  return reel_state_set (state, key, REEL_DTYPE_BOOL, 0, 1, &byte, error);
}

static gboolean
add_batch (ReelPrefetch *prefetch, gint64 i, ReelTensordict *state, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, i);
  g_autoptr (ReelTensordict) one = reel_tensordict_new (0, NULL), copy = NULL;
  gboolean ended;
  ReelTensordict *batch = reel_prefetch_peek (prefetch, i, &ended, error);

  copy = batch ? reel_tensordict_clone (batch, TRUE, error) : NULL;
  return copy && reel_tensordict_set_tensordict (one, "batch", copy, error)
         && set_bool (one, "ended", ended, error)
         && reel_tensordict_set_tensordict (state, key, one, error);
}

ReelTensordict *
reel_buffer_stream_dup_state (ReelReplayBuffer *self, GError **error)
{
  const ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  const gint64 capacity = reel_prefetch_get_depth (stream->prefetch);

  reel_buffer_flush (self);
  if (!reel_state_set (state, "capacity", REEL_DTYPE_INT64, 0, 1, &capacity, error)
      || !set_bool (state, "passing", stream->passing, error)
      || !set_bool (state, "taken_end", stream->taken_end, error)
      || !set_bool (state, "drawn_end", stream->drawn_end, error))
    return NULL;
  for (gint64 i = 0; i < reel_prefetch_count (stream->prefetch); i++)
    if (!add_batch (stream->prefetch, i, state, error))
      return NULL;
  return g_steal_pointer (&state);
}

/* ---- and from it ---- */

static gboolean
get_bool (const ReelTensordict *state, const char *key, gboolean *value, GError **error)
{
  const ReelTensor *tensor = reel_state_get (state, key, REEL_DTYPE_BOOL, 0, error);

  if (tensor)
    *value = *tensor->data != 0;
  return tensor != NULL;
}

static gboolean
has_batch (const ReelTensordict *state, gint64 i)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, i);

  return reel_tensordict_contains (state, key);
}

gboolean
reel_buffer_stream_check_state (ReelReplayBuffer *self, const ReelTensordict *state, GError **error)
{
  gint64 own = reel_replay_buffer_get_prefetch (self), capacity;
  const ReelTensor *tensor;
  gboolean flag;

  reel_buffer_flush (self);
  if (!state)
    return TRUE;
  tensor = reel_state_get (state, "capacity", REEL_DTYPE_INT64, 0, error);
  if (!tensor || !get_bool (state, "passing", &flag, error)
      || !get_bool (state, "taken_end", &flag, error)
      || !get_bool (state, "drawn_end", &flag, error))
    return FALSE;
  capacity = *(const gint64 *) tensor->data;
  if (capacity != own)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "Cannot restore a prefetch queue with capacity %" G_GINT64_FORMAT
                 " into a replay buffer with capacity %" G_GINT64_FORMAT
                 ": set that with reel_replay_buffer_set_prefetch() first",
                 capacity, own);
  else if (has_batch (state, capacity))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "a prefetch queue with capacity %" G_GINT64_FORMAT " holds more batches",
                 capacity);
  else
    return TRUE;
  return FALSE;
}

/* A batch on its way into the queue. */
typedef struct
{
  ReelSampling sampling;
  gboolean ended;
} Ready;

static void
clear_ready (gpointer ready)
{
  reel_sampling_clear (&((Ready *) ready)->sampling);
}

void
reel_stream_state_clear (ReelStreamState *self)
{
  g_clear_pointer (&self->batches, g_array_unref);
  *self = (ReelStreamState){ NULL };
}

static gboolean
read_batch (ReelReplayBuffer *self, const ReelTensordict *state, gint64 i, Ready *ready,
            GError **error)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, i);
  const ReelTensordict *one = reel_tensordict_get_tensordict (state, key, error);
  const ReelTensordict *batch = one ? reel_tensordict_get_tensordict (one, "batch", error) : NULL;

  return batch && get_bool (one, "ended", &ready->ended, error)
         && reel_sampling_put (&ready->sampling, reel_replay_buffer_get_storage (self),
                               reel_replay_buffer_get_sampler (self), batch, error);
}

gboolean
reel_buffer_stream_read_state (ReelReplayBuffer *self, const ReelTensordict *state,
                               ReelStreamState *read, GError **error)
{
  *read = (ReelStreamState){ NULL };
  if (!state)
    return TRUE;
  read->batches = g_array_new (FALSE, TRUE, sizeof (Ready));
  g_array_set_clear_func (read->batches, clear_ready);
  for (gint64 i = 0; has_batch (state, i); i++)
    {
      g_array_set_size (read->batches, (guint) i + 1);
      if (!read_batch (self, state, i, &g_array_index (read->batches, Ready, i), error))
        return FALSE;
    }
  return get_bool (state, "passing", &read->passing, error)
         && get_bool (state, "taken_end", &read->taken_end, error)
         && get_bool (state, "drawn_end", &read->drawn_end, error);
}

void
reel_buffer_stream_take_state (ReelReplayBuffer *self, ReelStreamState *read)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);

  reel_buffer_forget_batch (self);
  if (stream->prefetch)
    reel_prefetch_clear (stream->prefetch);
  g_clear_error (&stream->failed);
  stream->passing = read->passing;
  stream->taken_end = read->taken_end;
  stream->drawn_end = read->drawn_end;
  for (guint i = 0; read->batches && i < read->batches->len; i++)
    {
      Ready *ready = &g_array_index (read->batches, Ready, i);

      reel_prefetch_put (stream->prefetch, reel_replay_buffer_get_storage (self),
                         reel_replay_buffer_get_sampler (self), &ready->sampling, ready->ended);
    }
}
