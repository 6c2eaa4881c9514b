/* Batches that were drawn ahead, in a tensordict: into memory, into files and back. */
#include "buffer-stream.h"
#include "state.h"

#include "../core/error.h"

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
reel_buffer_stream_get_state (ReelReplayBuffer *self, GError **error)
{
  const ReelBufferStream *stream = reel_replay_buffer_get_stream (self);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  const gint64 capacity = reel_prefetch_get_depth (stream->prefetch);

  reel_buffer_settle (self);
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

  reel_buffer_settle (self);
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

static gboolean
put_batch (ReelReplayBuffer *self, const ReelTensordict *state, gint64 i, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, i);
  const ReelTensordict *one = reel_tensordict_get_tensordict (state, key, error);
  const ReelTensordict *batch = one ? reel_tensordict_get_tensordict (one, "batch", error) : NULL;
  gboolean ended;

  return batch && get_bool (one, "ended", &ended, error)
         && reel_prefetch_put (reel_replay_buffer_get_stream (self)->prefetch,
                               reel_replay_buffer_get_storage (self),
                               reel_replay_buffer_get_sampler (self), batch, ended, error);
}

static void
forget (ReelBufferStream *stream)
{
  if (stream->prefetch)
    reel_prefetch_clear (stream->prefetch);
  g_clear_error (&stream->failed);
  stream->passing = stream->taken_end = stream->drawn_end = FALSE;
}

gboolean
reel_buffer_stream_set_state (ReelReplayBuffer *self, const ReelTensordict *state, GError **error)
{
  ReelBufferStream *stream = reel_replay_buffer_get_stream (self);

  forget (stream);
  for (gint64 i = 0; state && has_batch (state, i); i++)
    if (!put_batch (self, state, i, error))
      {
        forget (stream);
        return FALSE;
      }
  return !state
         || (get_bool (state, "passing", &stream->passing, error)
             && get_bool (state, "taken_end", &stream->taken_end, error)
             && get_bool (state, "drawn_end", &stream->drawn_end, error));
}
