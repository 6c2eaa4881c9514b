/* The states of the workers of multi-async: each is where it was after its last batch that was
 * committed or handed out, with its number of steps. */
#include "multi-async-private.h"

#include <string.h>

/* The number of steps that a worker did, before its state; -1 before its first batch. */
#define HEAD_BYTES sizeof (gint64)

/* Counts of a state. Behind them are, by worker, the steps that it did, -1 before its first batch,
 * and whether its next batch begins new episodes; then a pair for each batch that was begun and not
 * handed out: its worker, and 1 for random actions plus 2 for new episodes. */
enum
{
  SAVED_EPISODES,
  SAVED_BATCHES,
  N_SAVED,
};

static ReelMulti *
get (ReelMultiAsyncCollector *self)
{
  return reel_multi_collector_get (REEL_MULTI_COLLECTOR (self));
}

static const ReelCollectorParts *
get_parts (ReelMultiAsyncCollector *self)
{
  return reel_collector_get_parts (REEL_COLLECTOR (self));
}

static guint8 *
find_committed (ReelMultiAsyncCollector *self, gint worker)
{
  return self->committed + (gsize) worker * self->state_bytes;
}

static void
set_head (guint8 *state, gint64 n_steps)
{
  memcpy (state, &n_steps, HEAD_BYTES);
}

static gint64
get_head (const guint8 *state)
{
  gint64 n_steps;

  memcpy (&n_steps, state, HEAD_BYTES);
  return n_steps;
}

gboolean
reel_multi_async_make_states (ReelMultiAsyncCollector *self, GError **error)
{
  const ReelMulti *multi = get (self);
  const ReelCollectorParts *parts = get_parts (self);

  if (!reel_env_has_state (parts->env))
    return TRUE;
  self->state_bytes =
      HEAD_BYTES + reel_rollout_worker_get_state_size (multi->rollout, parts->step_lanes);
  self->committed = g_malloc0 ((gsize) multi->n_workers * self->state_bytes);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    set_head (find_committed (self, worker), -1);
  if (reel_mapping_new_shared ((gsize) self->n_slots * self->state_bytes, &self->states))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "cannot share %d states of workers with them", self->n_slots);
  return FALSE;
}

static gboolean
open_state (ReelMultiAsyncCollector *self, GError **error)
{
  const ReelMulti *multi = get (self);
  const ReelCollectorParts *parts = get_parts (self);
  gboolean goes_on = parts->resume && reel_run_start_count_steps (multi->buffer) > 0;

  if (!reel_env_has_state (parts->env))
    {
      if (parts->resume)
        g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                     "a run of multi-async cannot be resumed where the state of lanes cannot be "
                     "saved, as of %s",
                     reel_object_get_id (REEL_OBJECT (parts->env)));
      return !parts->resume;
    }
  self->state = reel_replay_buffer_open_run_state (
      multi->buffer, (gsize) multi->n_workers * self->state_bytes, goes_on, error);
  if (self->state == NULL)
    g_prefix_error (error, parts->resume ? "the run cannot be resumed: " : "");
  return self->state != NULL;
}

/* put_worker: where its part of the state is. */
static void
put_worker (ReelMultiAsyncCollector *self, gint worker)
{
  ReelMulti *multi = get (self);
  const guint8 *state = find_committed (self, worker);
  gint64 n_steps = get_head (state);

  reel_rollout_worker_set_state (multi->rollout, multi->shares[worker].begin,
                                 multi->shares[worker].end, state + HEAD_BYTES);
  multi->steps[worker] = MAX (n_steps, 0);
  multi->begun[worker] = n_steps >= 0;
}

static gboolean
go_on (ReelMultiAsyncCollector *self, GError **error)
{
  ReelMulti *multi = get (self);
  ReelEnv *env = get_parts (self)->env;
  gint64 n_steps = reel_run_start_count_steps (multi->buffer);
  const guint8 *state;

  if (!get_parts (self)->resume || n_steps == 0)
    return TRUE;
  if (!reel_collector_check_run (multi->buffer, env, error))
    return FALSE;
  state = reel_run_state_find (self->state, n_steps, error);
  if (state == NULL)
    {
      g_prefix_error (error, "the run cannot be resumed: ");
      return FALSE;
    }
  memcpy (self->committed, state, (gsize) multi->n_workers * self->state_bytes);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    if (get_head (find_committed (self, worker)) >= 0)
      put_worker (self, worker);
  multi->n_episodes = reel_rollout_worker_get_episodes (multi->rollout)->episodes_before;
  return reel_env_check_faults (env, error);
}

gboolean
reel_multi_async_resume (ReelMultiAsyncCollector *self, GError **error)
{
  return open_state (self, error) && go_on (self, error);
}

/* ---- while it collects ---- */

void
reel_multi_async_note_first_state (ReelMultiAsyncCollector *self, gint worker)
{
  const ReelMulti *multi = get (self);
  const ReelLaneShare *share = &multi->shares[worker];
  guint8 *state = find_committed (self, worker);

  set_head (state, -1);
  state = reel_rollout_worker_get_env_state (multi->rollout, share->begin, share->end,
                                             state + HEAD_BYTES);
  reel_rollout_worker_get_rest (multi->rollout, share->begin, share->end, state);
}

void
reel_multi_async_order_state (ReelMultiAsyncCollector *self, gint slot, ReelMultiOrder *order)
{
  guint8 *state = self->states.data + (gsize) slot * self->state_bytes;

  if (self->committed == NULL)
    return;
  set_head (state, order->first_step + order->n_steps);
  order->env_state = state + HEAD_BYTES;
  order->is_whole = TRUE;
}

void
reel_multi_async_keep_state (ReelMultiAsyncCollector *self, gint slot)
{
  if (self->committed)
    memcpy (find_committed (self, self->slots[slot].worker),
            self->states.data + (gsize) slot * self->state_bytes, self->state_bytes);
}

void
reel_multi_async_save_states (ReelMultiAsyncCollector *self, gint64 n_steps)
{
  if (self->state == NULL)
    return;
  memcpy (reel_run_state_begin (self->state), self->committed,
          (gsize) get (self)->n_workers * self->state_bytes);
  reel_run_state_end (self->state, n_steps);
}

/* ---- the state of the collector: where each worker was after its last batch that was committed or
 * handed out ---- */

static int
compare_slots (gconstpointer one, gconstpointer other)
{
  const ReelAsyncSlot *a = *(const ReelAsyncSlot *const *) one,
                      *b = *(const ReelAsyncSlot *const *) other;

  return a->number < b->number ? -1 : a->number > b->number;
}

/* list_begun: (transfer full): the slots of batches that are not handed out, in the order in which
 * they were begun. */
static GPtrArray *
list_begun (ReelMultiAsyncCollector *self)
{
  GPtrArray *list = g_ptr_array_new ();

  for (gint slot = 0; slot < self->n_slots; slot++)
    if (self->slots[slot].worker >= 0 && slot != self->handed)
      g_ptr_array_add (list, &self->slots[slot]);
  g_ptr_array_sort (list, compare_slots);
  return list;
}

static void
append_beginning (GArray *counts, const ReelAsyncBeginning *beginning)
{
  const gint64 pair[] = { beginning->worker, 2 * beginning->restarts + beginning->is_random };

  g_array_append_vals (counts, pair, G_N_ELEMENTS (pair));
}

/* list_counts: (transfer full): those of a state. */
static GArray *
list_counts (ReelMultiAsyncCollector *self)
{
  const ReelMulti *multi = get (self);
  GArray *counts = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) begun = list_begun (self);
  const gint64 own[N_SAVED] = { multi->n_episodes, self->n_stored };

  g_array_append_vals (counts, own, N_SAVED);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    g_array_append_vals (counts, find_committed (self, worker), 1);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      gint64 restarts = self->restarts[worker];

      g_array_append_val (counts, restarts);
    }
  for (guint i = 0; i < begun->len; i++)
    append_beginning (counts, &((const ReelAsyncSlot *) begun->pdata[i])->beginning);
  for (guint i = 0; i < self->again->len; i++)
    append_beginning (counts, &g_array_index (self->again, ReelAsyncBeginning, i));
  return counts;
}

gboolean
reel_multi_async_dup_state (ReelMultiAsyncCollector *self, ReelTensordict *state, GError **error)
{
  const ReelMulti *multi = get (self);
  gsize size = (gsize) multi->n_workers * self->state_bytes;

  if (!reel_worker_crew_check (multi->crew, error))
    return FALSE;
  for (gint worker = 0; worker < multi->n_workers; worker++)
    if (!multi->begun[worker] && self->slot_of[worker] < 0)
      reel_multi_async_note_first_state (self, worker);

  g_autoptr (GArray) counts = list_counts (self);
  const ReelSavedLanes saved = { (const gint64 *) (gconstpointer) counts->data, counts->len,
                                 self->committed, size };

  return reel_saved_lanes_write (&saved, state, error);
}

/* check_counts: that they are of as many workers. */
static gboolean
check_counts (ReelMultiAsyncCollector *self, const ReelSavedLanes *saved, GError **error)
{
  gint n_workers = get (self)->n_workers;
  gint64 first = N_SAVED + 2 * n_workers;
  gboolean valid = saved->n_counts >= first && (saved->n_counts - first) % 2 == 0;

  for (gint64 i = first; valid && i < saved->n_counts; i += 2)
    valid = saved->counts[i] >= 0 && saved->counts[i] < n_workers;
  if (!valid)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the state is not of multi-async with %d workers: make the collector as that of "
                 "the state",
                 n_workers);
  return valid;
}

static void
take_counts (ReelMultiAsyncCollector *self, const ReelSavedLanes *saved)
{
  ReelMulti *multi = get (self);
  const gint64 *restarts = saved->counts + N_SAVED + multi->n_workers;
  const gint64 *pairs = restarts + multi->n_workers;

  multi->n_episodes = saved->counts[SAVED_EPISODES];
  self->n_begun = self->n_stored = saved->counts[SAVED_BATCHES];
  g_array_set_size (self->again, 0);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    self->restarts[worker] = restarts[worker] != 0;
  for (; pairs < saved->counts + saved->n_counts; pairs += 2)
    {
      const ReelAsyncBeginning beginning = { (gint) pairs[0], (pairs[1] & 2) != 0,
                                             (pairs[1] & 1) != 0 };

      g_array_append_val (self->again, beginning);
    }
}

gboolean
reel_multi_async_read_state (ReelMultiAsyncCollector *self, const ReelTensordict *state,
                             ReelSavedLanes *saved, GError **error)
{
  gsize size = (gsize) get (self)->n_workers * self->state_bytes;

  return reel_saved_lanes_read (saved, state, size, error) && check_counts (self, saved, error);
}

void
reel_multi_async_take_state (ReelMultiAsyncCollector *self, const ReelSavedLanes *saved)
{
  gint n_workers = get (self)->n_workers;

  take_counts (self, saved);
  memcpy (self->committed, saved->lanes, (gsize) n_workers * self->state_bytes);
  for (gint worker = 0; worker < n_workers; worker++)
    put_worker (self, worker);
}
