/* Steps lent to several who fill them at once, each some, and who are ready in any order. */

#include "storage-state.h"

gint64
reel_storage_most_ahead (ReelStorage *self)
{
  return MAX (reel_storage_state (self)->n_slots / 2, 1);
}

/* prepare: pages that are written for the first time, which those of the first pass are. */
static gboolean
prepare (ReelStorage *self, gint64 from, gint64 to, GError **error)
{
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);
  gint64 end = MIN (to, reel_storage_state (self)->n_slots);

  return !klass->prepare || from >= end || klass->prepare (self, from, end - from, error);
}

gboolean
reel_storage_lend_ahead (ReelStorage *self, gint64 n_steps, gint64 *first_step, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelRing *ring = reel_storage_get_ring (self);

  g_return_val_if_fail (n_steps > 0, FALSE);
  if (state->n_ahead == 0 && !reel_storage_begin_write (self, error))
    return FALSE;
  g_return_val_if_fail (state->n_ahead + n_steps <= reel_storage_most_ahead (self), FALSE);

  gint64 from = reel_ring_get_end (ring) + state->n_ahead, to = from + n_steps;

  if (!prepare (self, from, to, error) || !reel_storage_begin_steps (self, to, error))
    return FALSE;
  reel_ring_claim (ring, to);
  reel_storage_count_writes (self, from % state->n_slots, n_steps);
  state->n_ahead += n_steps;
  *first_step = from;
  return TRUE;
}

void
reel_storage_watch_ahead (ReelStorage *self, ReelSettleFunc settle, gpointer data)
{
  reel_storage_state (self)->settle = settle;
  reel_storage_state (self)->settle_data = data;
}

void
reel_storage_commit_ahead (ReelStorage *self, gint64 n_steps)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  gint64 first = reel_ring_get_end (reel_storage_get_ring (self));
  gint64 here = MIN (n_steps, state->n_slots - first % state->n_slots);

  g_return_if_fail (n_steps > 0 && n_steps <= state->n_ahead);
  state->n_ahead -= n_steps;
  if (state->n_ahead == 0)
    reel_storage_watch_ahead (self, NULL, NULL);
  /* At once: what is saved beside the steps is of all of them. */
  reel_ring_publish (reel_storage_get_ring (self), first + n_steps);
  reel_storage_announce (self, first, here);
  if (here < n_steps)
    reel_storage_announce (self, first + here, n_steps - here);
}

void
reel_storage_settle_ahead (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  if (state->settle)
    state->settle (state->settle_data);
  reel_storage_drop_ahead (self);
}

void
reel_storage_drop_ahead (ReelStorage *self)
{
  reel_storage_watch_ahead (self, NULL, NULL);
  reel_storage_state (self)->n_ahead = 0;
}
