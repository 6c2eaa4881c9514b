/* Collects with several workers, each of which fills batches of its own: a batch is handed out when
 * its worker is done, who begins the next one at once. */
#include "../buffers/storages/storage-private.h"
#include "multi-async-private.h"

#include <math.h>
#include <string.h>

/* Batches of a buffer that may be at work or wait for older ones, for each worker: as many as let
 * workers of which one takes eight times as long as another go on. */
#define AHEAD 8

/* ms between two looks at whether to stop */
#define LOOK 100

G_DEFINE_FINAL_TYPE (ReelMultiAsyncCollector, reel_multi_async_collector, REEL_TYPE_MULTI_COLLECTOR)

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

static ReelStorage *
get_storage (ReelMultiAsyncCollector *self)
{
  return reel_replay_buffer_get_storage (get (self)->buffer);
}

/* ---- opening ---- */

static gint64
count_step_lanes (ReelCollector *collector, ReelEnv *env, GError **error)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (collector);
  ReelMultiCollector *multi = REEL_MULTI_COLLECTOR (self);

  if (!reel_multi_collector_deal_out (multi, env, error))
    return 0;
  if (get (self)->frames)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "frames-per-batch must be one number: each batch of multi-async is of "
                           "one worker, and all are of one size");
      return 0;
    }
  if (!reel_multi_collector_check_lanes (multi, "multi-async",
                                         "set num-envs to a multiple of "
                                         "workers",
                                         error))
    return 0;
  return reel_multi_collector_lanes_of_each (multi);
}

/* count_slots: two for each worker, one of which may be handed out; or as many batches as half of
 * the buffer holds. */
static gboolean
count_slots (ReelMultiAsyncCollector *self, GError **error)
{
  gint n_workers = get (self)->n_workers;
  gint64 most;

  self->n_slots = 2 * n_workers;
  if (get (self)->buffer == NULL)
    return TRUE;
  most = reel_storage_most_ahead (get_storage (self)) / self->batch_steps;
  self->n_slots = (gint) MIN (most, (gint64) AHEAD * n_workers);
  if (self->n_slots >= n_workers)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "half of the buffer has no room for a batch of %" G_GINT64_FORMAT
               " steps of each of %d workers: give it a greater capacity, or lower "
               "frames-per-batch",
               self->batch_steps, n_workers);
  return FALSE;
}

/* check_columns: rows that are records are packed by the writer alone. */
static gboolean
check_columns (ReelMultiAsyncCollector *self, GError **error)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (get_storage (self), &n);

  for (guint i = 0; i < n; i++)
    if (columns[i].row_bytes > 0 && columns[i].row_stride != columns[i].row_bytes)
      {
        g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                             "workers of multi-async cannot write to a storage of records: use one "
                             "with layout=columns");
        return FALSE;
      }
  return TRUE;
}

static gboolean
make_slots (ReelMultiAsyncCollector *self, GError **error)
{
  const ReelMulti *multi = get (self);

  self->slots = g_new0 (ReelAsyncSlot, self->n_slots);
  for (gint i = 0; i < self->n_slots; i++)
    {
      self->slots[i].worker = -1;
      if (multi->buffer)
        continue;
      self->slots[i].own =
          reel_step_block_new (get_parts (self)->step, multi->columns, self->batch_steps,
                               multi->kind == REEL_CREW_PROCESSES, error);
      if (self->slots[i].own == NULL)
        return FALSE;
    }
  self->columns = g_new (guint8 *, multi->columns->n_columns);
  self->restarts = g_new0 (gboolean, multi->n_workers);
  self->slot_of = g_new (gint, multi->n_workers);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    self->slot_of[worker] = -1;
  return TRUE;
}

/* tally_workers: what ended before. */
static void
tally_workers (ReelMultiAsyncCollector *self)
{
  const ReelMulti *multi = get (self);

  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      ReelCollectorStats *tally = &self->tallies[worker];

      *tally = (ReelCollectorStats){ .return_min = INFINITY, .return_max = -INFINITY };
      reel_lane_episodes_tally_lanes (reel_rollout_worker_get_episodes (multi->rollout),
                                      multi->shares[worker].begin, multi->shares[worker].end,
                                      tally);
    }
}

static gboolean
begin_run (ReelMultiAsyncCollector *self, GError **error)
{
  return get (self)->buffer == NULL
         || (check_columns (self, error) && reel_multi_async_resume (self, error));
}

static gboolean
open_collector (ReelCollector *collector, GError **error)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (collector);
  const ReelCollectorParts *parts = get_parts (self);
  gint64 rows = parts->frames_per_batch, lanes = parts->step_lanes;

  self->handed = self->unseen = -1;
  self->again = g_array_new (FALSE, FALSE, sizeof (ReelAsyncBeginning));
  self->batch_steps = reel_collector_steps_of (rows, lanes);
  if (!reel_multi_collector_open (REEL_MULTI_COLLECTOR (self), AHEAD * get (self)->n_workers,
                                  (self->batch_steps + 1) * lanes, error)
      || !count_slots (self, error) || !make_slots (self, error)
      || !reel_multi_async_make_states (self, error) || !begin_run (self, error))
    return FALSE;
  if (get (self)->finished)
    self->episodes = reel_finished_episodes_gather_none (get (self)->finished);
  self->tallies = g_new0 (ReelCollectorStats, get (self)->n_workers);
  tally_workers (self);
  self->is_open = TRUE;
  return TRUE;
}

/* ---- orders ---- */

/* find_free: a slot for the next batch, -1 where there is none. Those of a buffer follow one
 * another. */
static gint
find_free (ReelMultiAsyncCollector *self)
{
  gint next = (gint) (self->n_begun % self->n_slots);

  if (get (self)->buffer)
    return self->slots[next].worker < 0 ? next : -1;
  for (gint i = 0; i < self->n_slots; i++)
    if (self->slots[i].worker < 0)
      return i;
  return -1;
}

/* point_own: the columns of a block, less the place of @lane. */
static gboolean
point_own (ReelMultiAsyncCollector *self, const ReelAsyncSlot *slot, gint64 lane,
           ReelMultiOrder *order, GError **error)
{
  const ReelTedColumns *ted = get (self)->columns;

  if (!reel_step_block_renew (slot->own, error))
    return FALSE;
  reel_step_block_point (slot->own, 0, self->columns);
  for (guint c = 0; c < ted->n_columns; c++)
    order->columns[c] = self->columns[c] - lane * (gint64) ted->row_bytes[c];
  return TRUE;
}

/* point_lent: to the steps of the buffer from @step on, which may begin anew at its first slot. */
static void
point_lent (ReelMultiAsyncCollector *self, gint64 step, gint64 lane, ReelMultiOrder *order)
{
  const ReelMulti *multi = get (self);
  gint64 n_slots =
      reel_storage_get_capacity (get_storage (self)) / reel_storage_get_lanes (get_storage (self));
  gint64 slot = step % n_slots;
  guint n, n_columns = multi->columns->n_columns;
  const ReelColumn *columns = reel_storage_get_columns (get_storage (self), &n);

  order->n_first = MIN (order->n_steps, n_slots - slot);
  for (guint c = 0; c < n_columns; c++)
    {
      const ReelColumn *column = &columns[multi->found[c]];
      gint64 back = lane * (gint64) multi->columns->row_bytes[c];

      order->columns[c] = column->data + slot * (gint64) column->step_bytes - back;
      order->columns[n_columns + c] = column->data - back;
    }
}

/* is_wanted: whether another batch is. */
static gboolean
is_wanted (ReelMultiAsyncCollector *self)
{
  const ReelCollectorParts *parts = get_parts (self);
  gint64 rows = self->batch_steps * parts->step_lanes;

  if (self->ends || reel_collector_is_stopped (REEL_COLLECTOR (self)))
    return FALSE;
  return parts->total_frames < 0 || self->n_begun * rows < parts->total_frames;
}

/* lose: the batch of a worker that failed, after which none is begun. */
static void
lose (ReelMultiAsyncCollector *self, gint worker)
{
  self->slots[self->slot_of[worker]].is_lost = TRUE;
  self->ends = TRUE;
}

static void settle (gpointer data); /* below, with what it commits */

/* choose_beginning: that of the collector whose state this one has, for as long as that had begun
 * batches of @worker. */
static ReelAsyncBeginning
choose_beginning (ReelMultiAsyncCollector *self, gint worker)
{
  ReelAsyncBeginning beginning = { worker,
                                   self->restarts[worker] || get_parts (self)->reset_at_each_iter,
                                   self->task.is_random };

  for (guint i = 0; i < self->again->len; i++)
    if (g_array_index (self->again, ReelAsyncBeginning, i).worker == worker)
      {
        beginning = g_array_index (self->again, ReelAsyncBeginning, i);
        g_array_remove_index (self->again, i);
        return beginning;
      }
  self->restarts[worker] = FALSE;
  return beginning;
}

/* begin_batch: where there is room for it. */
static gboolean
begin_batch (ReelMultiAsyncCollector *self, gint worker, GError **error)
{
  const ReelMulti *multi = get (self);
  gint slot = is_wanted (self) ? find_free (self) : -1;
  gint64 step, lane = multi->shares[worker].begin;

  if (slot < 0)
    return TRUE;

  ReelMultiOrder *order = reel_multi_collector_order (REEL_MULTI_COLLECTOR (self), worker,
                                                      &self->task, self->batch_steps);

  if (order->is_first && self->committed)
    reel_multi_async_note_first_state (self, worker);
  order->list = slot;
  order->truncates = self->task.truncates;
  self->slots[slot].number = self->n_begun;
  self->slots[slot].beginning = choose_beginning (self, worker);
  order->restarts = self->slots[slot].beginning.restarts;
  order->is_random = self->slots[slot].beginning.is_random;
  if (multi->buffer == NULL)
    {
      if (!point_own (self, &self->slots[slot], lane, order, error))
        return FALSE;
    }
  else if (reel_storage_lend_ahead (get_storage (self), order->n_steps, &step, error))
    {
      reel_storage_watch_ahead (get_storage (self), settle, self);
      point_lent (self, step, lane, order);
    }
  else
    return FALSE;
  reel_multi_async_order_state (self, slot, order);
  self->slots[slot].worker = worker;
  self->slots[slot].is_done = FALSE;
  self->slot_of[worker] = slot;
  self->n_begun++;
  if (reel_worker_crew_send (multi->crew, worker, error))
    return TRUE;
  lose (self, worker);
  return FALSE;
}

static gboolean
begin_all (ReelMultiAsyncCollector *self, GError **error)
{
  for (gint worker = 0; worker < get (self)->n_workers; worker++)
    if (self->slot_of[worker] < 0 && !begin_batch (self, worker, error))
      return FALSE;
  return TRUE;
}

/* take: a batch that is done; sets @slot to it, -1 where none is within @milliseconds, also where
 * it fails. Its worker begins the next one. */
static gboolean
take (ReelMultiAsyncCollector *self, gint64 milliseconds, gint *slot, GError **error)
{
  const ReelMultiOrder *order;
  gint worker;
  gboolean is_sound = reel_worker_crew_take (get (self)->crew, milliseconds, &worker, error);

  *slot = -1;
  if (worker < 0)
    return is_sound;
  if (reel_worker_crew_has_failed (get (self)->crew, worker))
    {
      lose (self, worker);
      return FALSE;
    }
  *slot = self->slot_of[worker];
  self->slots[*slot].is_done = TRUE;
  order = reel_multi_collector_take_answer (REEL_MULTI_COLLECTOR (self), worker);
  self->slots[*slot].tally = order->tally;
  self->slots[*slot].n_empty = order->n_empty;
  self->slot_of[worker] = -1;
  return is_sound && begin_batch (self, worker, error);
}

/* take_all: those that are done, waiting for one at most. */
static gboolean
take_all (ReelMultiAsyncCollector *self, GError **error)
{
  gint slot;

  if (!take (self, LOOK, &slot, error))
    return FALSE;
  while (slot >= 0)
    if (!take (self, 0, &slot, error))
      return FALSE;
  return TRUE;
}

/* ---- batches ---- */

static void
count_batch (ReelMultiAsyncCollector *self, gint slot)
{
  ReelMulti *multi = get (self);

  self->tallies[self->slots[slot].worker] = self->slots[slot].tally;
  reel_rollout_worker_forget_episodes (multi->rollout, self->slots[slot].n_empty);
  multi->n_episodes += self->slots[slot].n_empty;
  if (multi->finished == NULL)
    return;
  self->episodes = reel_finished_episodes_gather_list (multi->finished, slot, multi->n_episodes);
  multi->n_episodes += self->episodes->len;
}

static void
commit (ReelMultiAsyncCollector *self, gint slot)
{
  reel_multi_async_keep_state (self, slot);
  self->n_stored++;
  reel_multi_async_save_states (self, reel_run_start_count_steps (get (self)->buffer)
                                          + self->batch_steps);
  reel_storage_commit_ahead (get_storage (self), self->batch_steps);
}

/* find_oldest: the slot of the batch that is committed next. */
static ReelAsyncSlot *
find_oldest (ReelMultiAsyncCollector *self)
{
  return &self->slots[self->n_stored % self->n_slots];
}

static void
store_oldest (ReelMultiAsyncCollector *self)
{
  ReelAsyncSlot *oldest = find_oldest (self);
  gint slot = (gint) (oldest - self->slots);

  commit (self, slot);
  count_batch (self, slot);
  oldest->worker = -1;
  oldest->is_done = FALSE;
}

/* is_at_work: whether any worker fills a batch. */
static gboolean
is_at_work (ReelMultiAsyncCollector *self)
{
  for (gint worker = 0; worker < get (self)->n_workers; worker++)
    if (self->slot_of[worker] >= 0 && !self->slots[self->slot_of[worker]].is_lost)
      return TRUE;
  return FALSE;
}

/* await_oldest: until it is done; FALSE where it never is, without an error after a stop. */
static gboolean
await_oldest (ReelMultiAsyncCollector *self, GError **error)
{
  const ReelAsyncSlot *oldest = find_oldest (self);
  g_autoptr (GError) failure = NULL;

  while (!oldest->is_done)
    {
      gboolean begun = begin_all (self, &failure);

      if (self->n_begun > self->n_stored)
        take_all (self, begun ? &failure : NULL);
      if (oldest->is_done || oldest->is_lost || !is_at_work (self))
        break;
      g_clear_error (&failure); /* older batches than the one that failed are still completed */
    }
  if (!oldest->is_done && failure)
    g_propagate_error (error, g_steal_pointer (&failure));
  return oldest->is_done;
}

/* collect_stored: the oldest batch of those that were begun, once it is done. One that was begun
 * before that of a worker that failed is stored: a later call fails. */
static gboolean
collect_stored (ReelMultiAsyncCollector *self, gint64 *n_collected, GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (await_oldest (self, &failure))
    {
      store_oldest (self);
      *n_collected = self->batch_steps;
      begin_all (self, NULL); /* where it fails, the next call does */
      return TRUE;
    }
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* settle: when the buffer is closed or the collector ends. Batches behind one that is lost are
 * given up with it. */
static void
settle (gpointer data)
{
  ReelMultiAsyncCollector *self = data;

  self->ends = TRUE;
  while (is_at_work (self))
    take_all (self, NULL);
  while (find_oldest (self)->is_done)
    store_oldest (self);
  self->ends = self->n_begun > self->n_stored; /* those that are lost */
}

/* see: a batch that was done; processes write to its memory again, which who has it need not see.
 */
static ReelTensordict *
see (ReelMultiAsyncCollector *self, gint slot, GError **error)
{
  ReelTensordict *steps = reel_step_block_see (self->slots[slot].own, self->batch_steps,
                                               get_parts (self)->return_same_td, error);

  if (steps == NULL)
    return NULL;
  if (get (self)->kind == REEL_CREW_THREADS || get_parts (self)->return_same_td
      || get_parts (self)->buffer)
    return reel_tensordict_ref (steps);
  return reel_tensordict_clone (steps, TRUE, error);
}

/* collect_own: the batch that is done first. */
static gboolean
collect_own (ReelMultiAsyncCollector *self, gint64 *n_collected, ReelTensordict **steps,
             GError **error)
{
  if (!begin_all (self, error))
    return FALSE;
  while (self->unseen < 0)
    {
      gboolean is_sound;

      if (reel_collector_is_stopped (REEL_COLLECTOR (self)))
        return TRUE;
      is_sound = take (self, LOOK, &self->unseen, error);
      if (self->unseen >= 0)
        count_batch (self, self->unseen);
      if (!is_sound)
        return FALSE;
    }
  *steps = self->batch = see (self, self->unseen, error);
  if (self->batch == NULL) /* the next call hands it out */
    return FALSE;
  reel_multi_async_keep_state (self, self->unseen);
  self->n_stored++;
  self->handed = self->unseen;
  self->unseen = -1;
  *n_collected = self->batch_steps;
  return TRUE;
}

/* ---- the class ---- */

/* take_task: @task holds for batches that are begun from now on. */
static void
take_task (ReelMultiAsyncCollector *self, const ReelCollectorTask *task)
{
  self->task = *task;
  for (gint worker = 0; worker < get (self)->n_workers; worker++)
    self->restarts[worker] |= task->restarts && !get_parts (self)->reset_at_each_iter;
}

static gboolean
collect (ReelCollector *collector, const ReelCollectorTask *task, gint64 *n_collected,
         ReelTensordict **steps, GError **error)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (collector);

  take_task (self, task);
  g_clear_pointer (&self->batch, reel_tensordict_unref);
  if (self->handed >= 0)
    self->slots[self->handed].worker = -1;
  self->handed = -1;
  if (get (self)->finished)
    self->episodes = reel_finished_episodes_gather_none (get (self)->finished);
  return get (self)->buffer ? collect_stored (self, n_collected, error)
                            : collect_own (self, n_collected, steps, error);
}

/* is_under_way: whether batches have places in the buffer and are not committed. */
static gboolean
is_under_way (ReelCollector *collector)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (collector);

  return get (self)->buffer && self->n_begun > self->n_stored;
}

static gboolean
dup_state (ReelCollector *collector, ReelTensordict *state, GError **error)
{
  return reel_multi_async_dup_state (REEL_MULTI_ASYNC_COLLECTOR (collector), state, error);
}

/* check_idle: a batch that has a place in the buffer cannot be taken back. */
static gboolean
check_idle (ReelMultiAsyncCollector *self, GError **error)
{
  if (get (self)->buffer == NULL || self->n_begun == self->n_stored)
    return TRUE;
  g_set_error_literal (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      "cannot set the state of multi-async while its workers fill batches of the "
      "buffer: set that of a new collector, or stop this one and collect its last batches");
  return FALSE;
}

/* drop_begun: batches that are not handed out, once their workers are done. */
static void
drop_begun (ReelMultiAsyncCollector *self)
{
  ReelMulti *multi = get (self);

  self->ends = TRUE;
  while (is_at_work (self))
    take_all (self, NULL);
  self->ends = FALSE;
  self->unseen = -1;
  for (gint slot = 0; slot < self->n_slots; slot++)
    {
      if (slot != self->handed)
        self->slots[slot].worker = -1;
      if (multi->finished)
        self->episodes = reel_finished_episodes_gather_list (multi->finished, slot, 0);
    }
  if (multi->finished)
    self->episodes = reel_finished_episodes_gather_none (multi->finished);
}

static gboolean
set_state (ReelCollector *collector, const ReelTensordict *state, GError **error)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (collector);
  ReelWorkerCrew *crew = get (self)->crew;
  ReelSavedLanes saved;

  if (!reel_multi_async_read_state (self, state, &saved, error)
      || !reel_worker_crew_check (crew, error) || !check_idle (self, error))
    return FALSE;
  drop_begun (self);
  if (!reel_worker_crew_check (crew, error)) /* one has failed meanwhile */
    return FALSE;
  reel_multi_async_take_state (self, &saved);
  tally_workers (self);
  return reel_multi_collector_hand_over (REEL_MULTI_COLLECTOR (self), error);
}

static void
tally (ReelCollector *collector, ReelCollectorStats *stats)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (collector);
  const ReelLaneEpisodes *episodes = reel_rollout_worker_get_episodes (get (self)->rollout);

  stats->episodes -= episodes->episodes_before;
  stats->length_sum -= episodes->steps_before;
  for (gint worker = 0; worker < get (self)->n_workers; worker++)
    {
      const ReelCollectorStats *own = &self->tallies[worker];

      stats->episodes += own->episodes;
      stats->length_sum += own->length_sum;
      stats->return_sum += own->return_sum;
      stats->return_min = MIN (stats->return_min, own->return_min);
      stats->return_max = MAX (stats->return_max, own->return_max);
    }
}

static const GArray *
list_episodes (ReelCollector *collector)
{
  return REEL_MULTI_ASYNC_COLLECTOR (collector)->episodes;
}

/* Batches that are under way are completed: their steps are in the place of older ones. */
static void
finalize (GObject *object)
{
  ReelMultiAsyncCollector *self = REEL_MULTI_ASYNC_COLLECTOR (object);

  if (self->is_open && is_under_way (REEL_COLLECTOR (self)))
    {
      settle (self);
      reel_storage_drop_ahead (get_storage (self));
    }
  reel_multi_collector_end (REEL_MULTI_COLLECTOR (self));
  for (gint i = 0; self->slots && i < self->n_slots; i++)
    reel_step_block_free (self->slots[i].own);
  reel_mapping_unmap (&self->states);
  g_clear_pointer (&self->batch, reel_tensordict_unref);
  g_free (self->columns);
  g_free (self->restarts);
  g_free (self->slots);
  g_free (self->slot_of);
  g_free (self->tallies);
  g_free (self->committed);
  if (self->again)
    g_array_unref (self->again);
  G_OBJECT_CLASS (reel_multi_async_collector_parent_class)->finalize (object);
}

static void
reel_multi_async_collector_class_init (ReelMultiAsyncCollectorClass *klass)
{
  static const ReelId ids[] = {
    { "multi-async", NULL, "several workers, each of which adds batches of its own" },
    { "MultiAsyncCollector", NULL, "TorchRL's name of multi-async" },
    { "MultiaSyncDataCollector", NULL, "TorchRL's older name of multi-async" },
    { "AsyncCollector", "workers=1", "multi-async of one worker, by TorchRL's name" },
    { NULL, NULL, NULL },
  };
  ReelCollectorClass *collector_class = REEL_COLLECTOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  collector_class->count_step_lanes = count_step_lanes;
  collector_class->open = open_collector;
  collector_class->collect = collect;
  collector_class->is_under_way = is_under_way;
  collector_class->tally = tally;
  collector_class->list_episodes = list_episodes;
  collector_class->dup_state = dup_state;
  collector_class->set_state = set_state;
}

static void
reel_multi_async_collector_init (ReelMultiAsyncCollector *self)
{
}
