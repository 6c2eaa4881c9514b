/* Lending blocks of a ring to those who fill them, and announcing what was filled. */

#include "storage-state.h"

#include <unistd.h>

#define LINE 64

static gsize
cache_size (void)
{
  long size = sysconf (_SC_LEVEL2_CACHE_SIZE);

  return size > 0 ? (gsize) size : 1 << 20;
}

/* Rings beyond half of the second-level cache are written through a staging area of that size: the
 * env writes and reads there, and whole lines stream to memory without being read first. A step
 * that is itself larger gains nothing. */
static gboolean
make_staging (ReelStoragePrivate *state, gsize step_bytes, GError **error)
{
  gsize room = cache_size () / 2;
  gsize size = 0;
  guint8 *data;

  state->past_cache = step_bytes > room / (gsize) state->n_slots;
#ifdef __SANITIZE_THREAD__
  /* Envs write with plain stores: keep them apart from what readers copy word by word. */
  room = MAX (room, step_bytes);
#else
  if (!state->past_cache || step_bytes > room)
    return TRUE;
#endif
  state->block_max = CLAMP ((gint64) (room / MAX (step_bytes, 1)), 1, state->block_max);
  for (guint i = 0; i < state->n_columns; i++)
    size += (state->columns[i].step_bytes * (gsize) state->block_max + LINE - 1) / LINE * LINE;
  state->staging = reel_memory_new (size, error);
  if (!state->staging)
    return FALSE;
  data = reel_memory_get_data (state->staging, NULL);
  for (guint i = 0; i < state->n_columns; i++)
    {
      state->block[i] = data;
      data += (state->columns[i].step_bytes * (gsize) state->block_max + LINE - 1) / LINE * LINE;
    }
  return TRUE;
}

static gboolean
prepare (ReelStoragePrivate *state, GError **error)
{
  gsize step_bytes = 0;

  for (guint i = 0; i < state->n_columns; i++)
    step_bytes += state->columns[i].step_bytes;
  state->block = g_new0 (guint8 *, state->n_columns);
  state->block_max = MAX (1, state->n_slots / 8);
  if (make_staging (state, step_bytes, error))
    return TRUE;
  g_clear_pointer (&state->block, g_free);
  return FALSE;
}

gboolean
reel_storage_begin_write (ReelStorage *self, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  if (!reel_storage_is_allocated (self))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot get elements out of a non-initialized storage.");
      return FALSE;
    }
  if (state->sealed)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "nothing can be written: %s",
                   state->sealed);
      return FALSE;
    }
  if (state->n_lent > 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "a block of %" G_GINT64_FORMAT " steps is still out: commit it first",
                   state->n_lent);
      return FALSE;
    }
  return state->block || prepare (state, error);
}

void
reel_storage_finish_writing (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  g_clear_pointer (&state->block, g_free);
  g_clear_pointer (&state->staging, reel_memory_unref);
  g_clear_pointer (&state->observers, g_array_unref);
}

gboolean
reel_storage_reserve (ReelStorage *self, gint64 n_steps, ReelBlock *block, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);
  ReelRing *ring = reel_storage_get_ring (self);
  gint64 end, slot;

  g_return_val_if_fail (n_steps > 0, FALSE);
  if (!reel_storage_begin_write (self, error))
    return FALSE;
  end = reel_ring_get_end (ring);
  slot = end % state->n_slots;
  n_steps = MIN (MIN (n_steps, state->block_max), state->n_slots - slot);
  if (klass->prepare && end < state->n_slots && !klass->prepare (self, slot, n_steps, error))
    return FALSE;
  reel_ring_claim (ring, end + n_steps);
  if (!state->staging)
    for (guint i = 0; i < state->n_columns; i++)
      state->block[i] = state->columns[i].data + (gsize) slot * state->columns[i].step_bytes;
  state->n_lent = n_steps;
  *block = (ReelBlock){ .first_step = end, .n_steps = n_steps, .columns = state->block };
  return TRUE;
}

/* From the staging area to the ring. */
static void
stream_lanes (ReelStoragePrivate *state, gint64 slot, gint64 n_steps, gint64 lane_begin,
              gint64 lane_end)
{
  gboolean whole = lane_begin == 0 && lane_end == state->lanes;

  for (guint i = 0; i < state->n_columns; i++)
    {
      const ReelColumn *column = &state->columns[i];
      gsize step_bytes = column->step_bytes;
      gsize first = (gsize) lane_begin * column->row_bytes;
      gsize bytes = (gsize) (lane_end - lane_begin) * column->row_bytes;
      guint8 *to = column->data + (gsize) slot * step_bytes + first;
      const guint8 *from = state->block[i] + first;

      if (bytes == 0)
        continue;
      if (whole)
        state->kernels->stream (to, from, (gsize) n_steps * step_bytes);
      else
        for (gint64 t = 0; t < n_steps; t++)
          state->kernels->stream (to + (gsize) t * step_bytes, from + (gsize) t * step_bytes,
                                  bytes);
    }
}

void
reel_storage_flush (ReelStorage *self, const ReelBlock *block, gint64 n_steps, gint64 lane_begin,
                    gint64 lane_end)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  g_return_if_fail (n_steps >= 0 && n_steps <= block->n_steps);
  g_return_if_fail (lane_begin >= 0 && lane_begin <= lane_end && lane_end <= state->lanes);
  if (state->staging)
    stream_lanes (state, block->first_step % state->n_slots, n_steps, lane_begin, lane_end);
  reel_ring_fence_writes ();
}

void
reel_storage_commit (ReelStorage *self, ReelBlock *block, gint64 n_steps)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  g_return_if_fail (state->n_lent > 0 && block->n_steps == state->n_lent);
  g_return_if_fail (n_steps >= 0 && n_steps <= block->n_steps);
  state->n_lent = 0;
  block->n_steps = 0;
  if (n_steps == 0)
    return;
  reel_ring_publish (reel_storage_get_ring (self), block->first_step + n_steps);
  reel_storage_announce (self, block->first_step, n_steps);
}

void
reel_storage_empty (ReelStorage *self)
{
  ReelRing *ring = reel_storage_get_ring (self);

  g_return_if_fail (reel_storage_state (self)->n_lent == 0 && !reel_storage_state (self)->sealed);
  if (!ring)
    return;
  reel_ring_empty (ring);
  reel_storage_announce (self, reel_ring_get_end (ring), 0);
}

/* ---- those who follow
 * ---------------------------------------------------------------------------- */

void
reel_storage_announce (ReelStorage *self, gint64 first_step, gint64 n_steps)
{
  GArray *observers = reel_storage_state (self)->observers;

  for (guint i = 0; observers && i < observers->len; i++)
    {
      ReelObserver *observer = &g_array_index (observers, ReelObserver, i);

      observer->func (self, first_step, n_steps, observer->user_data);
    }
}

void
reel_storage_attach (ReelStorage *self, ReelCommitFunc func, gpointer user_data)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelObserver observer = { func, user_data };

  if (!state->observers)
    state->observers = g_array_new (FALSE, FALSE, sizeof observer);
  g_array_append_val (state->observers, observer);
}

void
reel_storage_detach (ReelStorage *self, ReelCommitFunc func, gpointer user_data)
{
  GArray *observers = reel_storage_state (self)->observers;

  for (guint i = 0; observers && i < observers->len; i++)
    {
      ReelObserver *observer = &g_array_index (observers, ReelObserver, i);

      if (observer->func == func && observer->user_data == user_data)
        {
          g_array_remove_index (observers, i);
          return;
        }
    }
}
