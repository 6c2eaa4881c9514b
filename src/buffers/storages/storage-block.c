/* Lending blocks of a ring to those who fill them, and announcing what was filled. */

#include "storage-state.h"
#include "item-storage.h"

#include <unistd.h>

#define LINE 64

static gsize
align (gsize bytes)
{
  return (bytes + LINE - 1) / LINE * LINE;
}

static gsize
cache_size (void)
{
  long size = sysconf (_SC_LEVEL2_CACHE_SIZE);

  return size > 0 ? (gsize) size : 1 << 20;
}

/* Blocks of columns lie side by side, each from a line's begin on. */
static gboolean
make_staging (ReelStoragePrivate *state, gint64 n_steps, GError **error)
{
  gsize size = 0;

  for (guint i = 0; i < state->columns.n; i++)
    size += align (state->columns.at[i].step_bytes * (gsize) n_steps);
  state->staging = reel_memory_new (size, error);
  if (!state->staging)
    return FALSE;
  guint8 *at = reel_memory_get_data (state->staging, NULL);
  for (guint i = 0; i < state->columns.n; i++)
    {
      state->block[i] = at;
      at += align (state->columns.at[i].step_bytes * (gsize) n_steps);
    }
  return TRUE;
}

static gboolean
prepare (ReelStoragePrivate *state, GError **error)
{
  gsize step_bytes = 1, cache = cache_size () / 2;
  gint64 most_lent;

  for (guint i = 0; i < state->columns.n; i++)
    step_bytes += state->columns.at[i].step_bytes;
  /* Half of the second-level cache does not hold the ring. */
  state->past_cache = step_bytes > cache / (gsize) state->n_slots;
  /* Steps of a block that is out cannot be read: an eighth of a full
   * ring is missing at most, or one step. */
  most_lent = MAX (1, state->n_slots / 8);
  if (state->columns.are_records)
    most_lent = MIN (most_lent, MAX (1, (gint64) (cache / step_bytes)));
  if (!state->block)
    state->block = g_new0 (guint8 *, state->columns.n);
  if (state->columns.are_records && !make_staging (state, most_lent, error))
    return FALSE;
  state->most_lent = most_lent;
  return TRUE;
}

void
reel_storage_set_gate (ReelStorage *self, ReelWriteGate gate, gpointer user_data)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  state->gate = gate;
  state->gate_data = user_data;
}

static gboolean
pass_gate (ReelStoragePrivate *state, GError **error)
{
  if (state->gate && !state->gate (state->gate_data, error))
    return FALSE;
  state->gate = NULL;
  return TRUE;
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
  if (state->n_lent + state->n_ahead > 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "a block of %" G_GINT64_FORMAT " steps is still out: commit it first",
                   state->n_lent + state->n_ahead);
      return FALSE;
    }
  return (state->most_lent > 0 || prepare (state, error)) && pass_gate (state, error);
}

void
reel_storage_set_guard (ReelStorage *self, ReelOverwriteGuard guard, gpointer user_data)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  state->guard = guard;
  state->guard_data = user_data;
}

static gboolean
ask_guard (ReelStoragePrivate *state, gint64 end, GError **error)
{
  return !state->guard || state->guard (end, state->guard_data, error);
}

gboolean
reel_storage_begin_steps (ReelStorage *self, gint64 end, GError **error)
{
  return ask_guard (reel_storage_state (self), end, error)
         && reel_ring_announce (reel_storage_get_ring (self), end, error);
}

gboolean
reel_storage_begin_replace (ReelStorage *self, GError **error)
{
  return reel_storage_begin_write (self, error)
         && ask_guard (reel_storage_state (self), G_MAXINT64, error);
}

gboolean
reel_storage_check_free (ReelStorage *self, GError **error)
{
  const GArray *observers = reel_storage_state (self)->observers;

  if (!reel_storage_is_allocated (self))
    return TRUE;
  if (!observers || observers->len == 0)
    return reel_storage_begin_write (self, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "cannot load into the storage of a live buffer, whose directory others "
                       "follow; use another storage");
  return FALSE;
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
reel_storage_reserve (ReelStorage *self, gint64 n_steps, ReelReservation *block, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);
  ReelRing *ring = reel_storage_get_ring (self);
  gint64 end, slot;

  g_return_val_if_fail (n_steps > 0, FALSE);
  if (!reel_item_storage_check_columns (self, "the one that fills blocks in place", error)
      || !reel_storage_begin_write (self, error))
    return FALSE;
  end = reel_ring_get_end (ring);
  slot = end % state->n_slots;
  /* A block ends at the last slot, since a column is lent as one contiguous piece. */
  n_steps = MIN (MIN (n_steps, state->most_lent), state->n_slots - slot);
  /* All that can fail comes before the claim, which is not taken back.
   * Pages need preparing in the first pass alone. */
  if ((klass->prepare && end < state->n_slots && !klass->prepare (self, slot, n_steps, error))
      || !reel_storage_begin_steps (self, end + n_steps, error))
    return FALSE;
  reel_ring_claim (ring, end + n_steps);
  reel_storage_count_writes (self, slot, n_steps);
  for (guint i = 0; !state->staging && i < state->columns.n; i++)
    state->block[i] = state->columns.at[i].data + (gsize) slot * state->columns.at[i].step_bytes;
  state->n_lent = n_steps;
  *block = (ReelReservation){ .first_step = end, .n_steps = n_steps, .columns = state->block };
  return TRUE;
}

void
reel_storage_commit (ReelStorage *self, ReelReservation *block, gint64 n_steps)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  g_return_if_fail (state->n_lent > 0 && block->n_steps == state->n_lent);
  g_return_if_fail (n_steps >= 0 && n_steps <= block->n_steps);
  state->n_lent = 0;
  block->n_steps = 0;
  /* The claim stays: readers never get back the old steps of a block that may be half written. */
  if (n_steps == 0)
    return;
  if (state->staging)
    reel_columns_put (&state->columns, state->kernels, (const guint8 *const *) block->columns,
                      block->first_step % state->n_slots * state->lanes, n_steps * state->lanes);
  reel_ring_publish (reel_storage_get_ring (self), block->first_step + n_steps);
  reel_storage_announce (self, block->first_step, n_steps);
}

void
reel_storage_empty (ReelStorage *self)
{
  ReelRing *ring = reel_storage_get_ring (self);

  g_return_if_fail (reel_storage_state (self)->n_lent == 0 && !reel_storage_state (self)->sealed);
  g_return_if_fail (reel_storage_state (self)->n_ahead == 0);
  if (!ring)
    return;
  pass_gate (reel_storage_state (self), NULL); /* the next write asks again where this fails */
  reel_ring_empty (ring);
  reel_storage_outdate_generations (self);
  reel_storage_state (self)->origin = reel_ring_get_end (ring);
  if (REEL_STORAGE_GET_CLASS (self)->forget)
    REEL_STORAGE_GET_CLASS (self)->forget (self);
  reel_storage_announce (self, reel_ring_get_end (ring), 0);
}

/* ---- those who follow ---- */

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
