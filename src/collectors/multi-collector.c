#include "multi-collector.h"

#include "../buffers/storages/storage-private.h"
#include "../envs/env-private.h"
#include "../policies/policy-share.h"

#include <math.h>
#include <string.h>

/* Lanes that a worker takes through some steps before it takes the next, as the sync collector. */
#define RANGE_LANES 1024

/* Rows, and µs, between two looks at whether to go on. */
#define MOST_ROWS 32768
#define LOOK 1000

#define FRAMES_PER_BATCH 1000 /* the default */

typedef struct
{
  ReelMulti parts;
} ReelMultiCollectorPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelMultiCollector, reel_multi_collector, REEL_TYPE_COLLECTOR)

ReelMulti *
reel_multi_collector_get (ReelMultiCollector *self)
{
  return &((ReelMultiCollectorPrivate *) reel_multi_collector_get_instance_private (self))->parts;
}

/* ---- frames: one number, or one for each worker ---- */

static gboolean
check_frames (const GArray *list, GError **error)
{
  for (guint i = 0; i < list->len; i++)
    {
      double frames = g_array_index (list, double, i);

      if (frames >= 1 && frames <= G_MAXINT32 && frames == floor (frames))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "frames-per-batch=%g: must be a whole number from 1 to %d", frames, G_MAXINT32);
      return FALSE;
    }
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelMulti *self = reel_multi_collector_get (REEL_MULTI_COLLECTOR (object));
  const GArray *list = self->frames_list;
  double sum = list ? 0 : FRAMES_PER_BATCH;

  if (list && !check_frames (list, error))
    return FALSE;
  for (guint i = 0; list && i < list->len; i++)
    sum += g_array_index (list, double, i);
  self->kind = (ReelCrewKind) self->kind_word;
  reel_collector_set_frames_per_batch (REEL_COLLECTOR (object), (gint64) sum);
  return REEL_OBJECT_CLASS (reel_multi_collector_parent_class)->build (object, error);
}

static gboolean
take_frames (ReelMulti *self, GError **error)
{
  const GArray *list = self->frames_list;

  if (list == NULL || list->len == 1)
    return TRUE;
  if ((gint) list->len != self->n_workers)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "frames-per-batch has %u numbers for %d workers: give one, or one for each "
                   "worker",
                   list->len, self->n_workers);
      return FALSE;
    }
  self->frames = g_new (gint64, list->len);
  for (guint i = 0; i < list->len; i++)
    self->frames[i] = (gint64) g_array_index (list, double, i);
  return TRUE;
}

/* ---- lanes ---- */

/* count_workers: each has one thread, so that either property says how many. */
static gboolean
count_workers (ReelMulti *self, ReelEnv *env, gint64 threads, GError **error)
{
  if (self->n_wanted > 0 && threads > 0 && threads != self->n_wanted)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "threads=%" G_GINT64_FORMAT " for workers=%" G_GINT64_FORMAT
                   ": each worker has one thread, so set workers alone",
                   threads, self->n_wanted);
      return FALSE;
    }
  self->n_workers =
      (gint) (self->n_wanted > 0 ? self->n_wanted : MIN (threads, reel_lane_shares_most (env)));
  return TRUE;
}

gboolean
reel_multi_collector_deal_out (ReelMultiCollector *collector, ReelEnv *env, GError **error)
{
  ReelMulti *self = reel_multi_collector_get (collector);
  const ReelCollectorParts *parts = reel_collector_get_parts (REEL_COLLECTOR (collector));

  if (!count_workers (self, env, parts->threads, error))
    return FALSE;
  self->shares = reel_lane_shares_new (env, &self->n_workers, error);
  self->enough = self->n_workers;
  return self->shares && take_frames (self, error);
}

gint64
reel_multi_collector_lanes_of_each (ReelMultiCollector *collector)
{
  const ReelMulti *self = reel_multi_collector_get (collector);

  return reel_lane_shares_are_equal (self->shares, self->n_workers)
             ? self->shares->end - self->shares->begin
             : 0;
}

gboolean
reel_multi_collector_check_lanes (ReelMultiCollector *collector, const char *what,
                                  const char *way_out, GError **error)
{
  const ReelMulti *self = reel_multi_collector_get (collector);

  if (reel_multi_collector_lanes_of_each (collector) > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s needs as many lanes for each worker, but %" G_GINT64_FORMAT
               " lanes are dealt out to %d workers; %s",
               what, self->shares[self->n_workers - 1].end, self->n_workers, way_out);
  return FALSE;
}

static char *
describe (gpointer data, gint worker)
{
  const ReelLaneShare *share = &reel_multi_collector_get (data)->shares[worker];

  if (share->end - share->begin == 1)
    return g_strdup_printf ("worker %d (lane %" G_GINT64_FORMAT ")", worker, share->begin);
  return g_strdup_printf ("worker %d (lanes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ")", worker,
                          share->begin, share->end - 1);
}

/* ---- a worker ---- */

/* step_ranges: these steps of the block, of the lanes of @worker. */
static gboolean
step_ranges (const ReelMulti *self, ReelEnv *env, gint worker, const ReelStepSpan *block,
             gint64 from, gint64 to, GError **error)
{
  const ReelLaneShare *share = &self->shares[worker];
  gint64 n = share->end - share->begin;
  gboolean together = reel_env_joins_lanes (env) || !self->acts_by_lane;
  gint64 n_ranges = together ? 1 : (n + RANGE_LANES - 1) / RANGE_LANES;
  gint64 range = (n + n_ranges - 1) / n_ranges;

  for (gint64 first = share->begin; first < share->end; first += range)
    if (!reel_rollout_worker_run (self->rollout, worker, block, from, to, first,
                                  MIN (first + range, share->end), error))
      return FALSE;
  return TRUE;
}

/* run_block: as many steps at a time as take a millisecond. Returns how many were done. */
static gint64
run_block (const ReelMulti *self, ReelEnv *env, gint worker, const ReelStepSpan *block,
           GError **error)
{
  gint64 lanes = self->shares[worker].end - self->shares[worker].begin;
  gint64 most = MAX (MOST_ROWS / lanes, 1), chunk = 1, from = 0;

  while (from < block->n_steps)
    {
      gint64 to = MIN (from + chunk, block->n_steps), begun = g_get_monotonic_time ();

      if (!step_ranges (self, env, worker, block, from, to, error))
        return from;
      reel_worker_crew_beat (self->crew, worker);
      chunk = g_get_monotonic_time () - begun < LOOK ? MIN (2 * chunk, most) : MAX (chunk / 2, 1);
      from = to;
      if (self->enough == 0 || reel_worker_crew_is_stopped (self->crew))
        break;
    }
  return from;
}

/* run_part: a block that is in one place. Returns how many of its steps were done. */
static gint64
run_part (const ReelMulti *self, ReelEnv *env, gint worker, const ReelStepSpan *block,
          GError **error)
{
  const ReelLaneShare *share = &self->shares[worker];
  gint64 done;

  if (block->n_steps == 0)
    return 0;
  reel_rollout_worker_begin (self->rollout, block, share->begin, share->end);
  done = run_block (self, env, worker, block, error);
  if (done < block->n_steps)
    reel_rollout_worker_cut (self->rollout, block, done, share->begin, share->end);
  return done;
}

/* load: the states that the order has. */
static void
load (const ReelMulti *self, ReelEnv *env, gint worker, const guint8 *states)
{
  const ReelLaneShare *share = &self->shares[worker];
  gsize size = reel_env_get_state_size (env);

  for (gint64 lane = share->begin; lane < share->end; lane++)
    reel_env_set_state (env, lane, states + (gsize) lane * size);
}

/* begin_order: who acts, with which weights, and in which episodes. */
static gboolean
begin_order (const ReelMulti *self, ReelPolicy *random, gint worker, ReelMultiOrder *order,
             GError **error)
{
  const ReelLaneShare *share = &self->shares[worker];

  if (!order->continues && !reel_rollout_worker_take_weights (self->rollout, worker, error))
    return FALSE;
  if (self->finished)
    reel_rollout_worker_choose_list (self->rollout, worker, order->list);
  reel_rollout_worker_use (self->rollout, worker, order->is_random ? random : NULL);
  order->n_empty = 0;
  if (order->is_first)
    reel_rollout_worker_reset (self->rollout, share->begin, share->end);
  else if (order->restarts)
    order->n_empty = reel_rollout_worker_restart (self->rollout, worker, order->first_step,
                                                  share->begin, share->end);
  return TRUE;
}

static void
run_order (const ReelMulti *self, ReelEnv *env, gint worker, ReelMultiOrder *order, GError **error)
{
  const ReelStepSpan first = { order->columns, order->n_first, order->first_step };
  const ReelStepSpan rest = { order->columns + self->columns->n_columns,
                              order->n_steps - order->n_first, order->first_step + order->n_first };

  reel_rollout_worker_clear (self->rollout, &first, order->clears_from,
                             MIN (order->clears_to, order->n_first), order->clears_first);
  order->done = run_part (self, env, worker, &first, error);
  if (order->done < order->n_first || rest.n_steps == 0)
    return;
  reel_rollout_worker_clear (self->rollout, &rest, 0, rest.n_steps, order->clears_first);
  order->done += run_part (self, env, worker, &rest, error);
}

/* truncate: the last step of the order. */
static void
truncate_last (const ReelMulti *self, gint worker, ReelMultiOrder *order)
{
  const ReelLaneShare *share = &self->shares[worker];
  gint64 last = order->done - 1;
  gboolean in_first = last < order->n_first;
  const ReelStepSpan span = { .columns =
                                  order->columns + (in_first ? 0 : self->columns->n_columns) };

  reel_rollout_worker_truncate (self->rollout, &span, in_first ? last : last - order->n_first,
                                share->begin, share->end);
}

static void
answer (const ReelMulti *self, gint worker, ReelMultiOrder *order)
{
  const ReelLaneShare *share = &self->shares[worker];

  order->tally = (ReelCollectorStats){ .return_min = INFINITY, .return_max = -INFINITY };
  reel_lane_episodes_tally_lanes (reel_rollout_worker_get_episodes (self->rollout), share->begin,
                                  share->end, &order->tally);
  if (order->env_state == NULL)
    return;

  guint8 *rest =
      reel_rollout_worker_get_env_state (self->rollout, share->begin, share->end, order->env_state);

  if (order->is_whole)
    reel_rollout_worker_get_rest (self->rollout, share->begin, share->end, rest);
}

static void
work (gpointer data, gint worker)
{
  const ReelMulti *self = reel_multi_collector_get (data);
  ReelEnv *env = reel_collector_get_parts (data)->env;
  ReelMultiOrder *order = reel_worker_crew_get_desk (self->crew, worker);
  g_autoptr (GError) error = NULL;

  if (order->loads)
    load (self, env, worker, order->loads);
  if (begin_order (self, reel_collector_get_parts (data)->random, worker, order, &error))
    run_order (self, env, worker, order, &error);
  if (error || !reel_env_check_faults (env, &error))
    {
      reel_worker_crew_fail (self->crew, worker, error);
      return;
    }
  if (order->truncates && order->done > 0)
    truncate_last (self, worker, order);
  if (order->done == order->n_steps && self->enough < self->n_workers)
    reel_worker_crew_finish (self->crew, self->enough);
  answer (self, worker, order);
}

/* ---- opening ---- */

static gboolean
check_processes (const ReelMulti *self, const ReelCollectorParts *parts, GError **error)
{
  const char *obstacle = reel_env_find_fork_obstacle (parts->env, FALSE);

  if (obstacle)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "worker processes cannot step %s: %s; use kind=threads",
                   reel_object_get_id (REEL_OBJECT (parts->env)), obstacle);
      return FALSE;
    }
  if (self->buffer == NULL
      || reel_storage_shares_rows (reel_replay_buffer_get_storage (self->buffer)))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "worker processes cannot write to the buffer, whose memory is this "
                       "process's own: give its storage shared=true, make the buffer live, or use "
                       "kind=threads");
  return FALSE;
}

/* share_policy: a policy that is not lanewise acts for the lanes of one worker at a time. Threads
 * that begin batches at unlike times take new weights at unlike times. */
static gboolean
share_policy (ReelMulti *self, const ReelCollectorParts *parts, GError **error)
{
  gboolean lanewise = reel_policy_is_lanewise (parts->policy);
  gboolean has_weights = REEL_POLICY_GET_CLASS (parts->policy)->take_weights != NULL;

  self->acts_by_lane = lanewise;

  if (lanewise && (!has_weights || self->kind == REEL_CREW_PROCESSES))
    return TRUE;
  if (!lanewise && self->n_workers == 1)
    {
      reel_rollout_worker_take_share (self->rollout, 0, parts->policy);
      return TRUE;
    }
  for (gint worker = 0; worker < self->n_workers; worker++)
    {
      const ReelLaneShare *lanes = &self->shares[worker];
      g_autoptr (ReelPolicy) share = reel_policy_new_share (
          parts->policy, reel_env_get_observation_spec (parts->env),
          reel_env_get_action_spec (parts->env), lanes->begin, lanes->end - lanes->begin, error);

      if (share == NULL)
        return FALSE;
      reel_rollout_worker_take_share (self->rollout, worker, share);
    }
  return TRUE;
}

static gboolean
list_episodes (ReelMulti *self, gint n_lists, gint64 most, GError **error)
{
  if (self->kind == REEL_CREW_THREADS)
    self->finished = reel_finished_episodes_new (n_lists);
  else
    self->finished = reel_finished_episodes_new_shared (n_lists, most, error);
  if (self->finished)
    reel_rollout_worker_list_episodes (self->rollout, self->finished);
  return self->finished != NULL;
}

static gboolean
make_rollout (ReelMulti *self, const ReelCollectorParts *parts, GError **error)
{
  const ReelRolloutWorkerOptions options = { .n_workers = self->n_workers,
                                             .step_lanes = parts->step_lanes,
                                             .numbers = parts->numbers,
                                             .is_shared = self->kind == REEL_CREW_PROCESSES };

  self->rollout = reel_rollout_worker_new (
      parts->env, parts->policy, reel_ted_columns_new (parts->env, parts->policy, parts->layout),
      &options, error);
  if (self->rollout == NULL)
    return FALSE;
  self->columns = reel_rollout_worker_get_columns (self->rollout);
  reel_rollout_worker_explore (self->rollout, (ReelExploration) parts->exploration);
  return TRUE;
}

static gboolean
make_crew (ReelMultiCollector *collector, ReelMulti *self, GError **error)
{
  const ReelCrewOptions options = {
    .n_workers = self->n_workers,
    .kind = self->kind,
    .seconds = self->timeout,
    .desk_bytes = sizeof (ReelMultiOrder) + 2 * self->columns->n_columns * sizeof (guint8 *),
    .work = work,
    .describe = describe,
    .data = collector,
  };

  self->crew = reel_worker_crew_new (&options, error);
  return self->crew != NULL;
}

/* find_columns: those of the storage, laid out as @parts->step. */
static gboolean
find_columns (ReelMulti *self, const ReelCollectorParts *parts, GError **error)
{
  if (self->buffer == NULL)
    return TRUE;
  self->found = reel_ted_columns_find (self->columns, parts->step,
                                       reel_replay_buffer_get_storage (self->buffer), error);
  return self->found != NULL;
}

/* share_states: pages that nobody writes to are never there. */
static gboolean
share_states (ReelMulti *self, ReelEnv *env, GError **error)
{
  gsize bytes = reel_env_get_state_size (env) * (gsize) reel_env_get_num_envs (env);

  if (!reel_env_has_state (env) || reel_mapping_new_shared (MAX (bytes, 1), &self->env_states))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "cannot share %" G_GSIZE_FORMAT " bytes of states with workers", bytes);
  return FALSE;
}

gboolean
reel_multi_collector_open (ReelMultiCollector *collector, gint n_lists, gint64 most, GError **error)
{
  ReelMulti *self = reel_multi_collector_get (collector);
  const ReelCollectorParts *parts = reel_collector_get_parts (REEL_COLLECTOR (collector));

  if (reel_collector_writes_in_place (parts))
    self->buffer = parts->buffer;
  self->steps = g_new0 (gint64, self->n_workers);
  self->begun = g_new0 (gboolean, self->n_workers);
  return (self->kind == REEL_CREW_THREADS || check_processes (self, parts, error))
         && make_rollout (self, parts, error) && share_policy (self, parts, error)
         && find_columns (self, parts, error) && share_states (self, parts->env, error)
         && make_crew (collector, self, error)
         && (!parts->list_episodes || list_episodes (self, n_lists, most, error));
}

/* ---- orders ---- */

ReelMultiOrder *
reel_multi_collector_order (ReelMultiCollector *collector, gint worker,
                            const ReelCollectorTask *task, gint64 n_steps)
{
  const ReelMulti *self = reel_multi_collector_get (collector);
  ReelMultiOrder *order = reel_worker_crew_get_desk (self->crew, worker);

  order->is_first = !self->begun[worker];
  order->continues = FALSE;
  order->restarts = task->restarts;
  order->is_random = task->is_random;
  order->truncates = FALSE;
  order->list = worker;
  order->n_steps = order->n_first = n_steps;
  order->first_step = self->steps[worker];
  order->clears_from = 0;
  order->clears_to = n_steps;
  order->clears_first = self->shares[worker].begin;
  order->loads = NULL;
  order->env_state = NULL;
  order->is_whole = FALSE;
  return order;
}

const ReelMultiOrder *
reel_multi_collector_take_answer (ReelMultiCollector *collector, gint worker)
{
  ReelMulti *self = reel_multi_collector_get (collector);
  const ReelMultiOrder *order = reel_worker_crew_get_desk (self->crew, worker);

  self->begun[worker] = TRUE;
  self->steps[worker] += order->done;
  return order;
}

/* ---- states ---- */

/* order_nothing: that leaves the lanes of @worker where they are. */
static ReelMultiOrder *
order_nothing (ReelMultiCollector *collector, gint worker)
{
  const ReelCollectorTask task = { 0 };
  ReelMultiOrder *order = reel_multi_collector_order (collector, worker, &task, 0);

  order->is_first = FALSE;
  order->continues = TRUE; /* with the weights of now */
  return order;
}

/* ask_states: those of the env, which processes have, into the memory that they share. */
static gboolean
ask_states (ReelMultiCollector *collector, GError **error)
{
  const ReelMulti *self = reel_multi_collector_get (collector);
  gsize size = reel_env_get_state_size (reel_collector_get_parts (REEL_COLLECTOR (collector))->env);

  for (gint worker = 0; worker < self->n_workers; worker++)
    order_nothing (collector, worker)->env_state =
        self->env_states.data + (gsize) self->shares[worker].begin * size;
  return reel_worker_crew_run (self->crew, error);
}

gboolean
reel_multi_collector_get_state (ReelMultiCollector *collector, guint8 *state, GError **error)
{
  const ReelMulti *self = reel_multi_collector_get (collector);
  ReelEnv *env = reel_collector_get_parts (REEL_COLLECTOR (collector))->env;
  gsize bytes = reel_env_get_state_size (env) * (gsize) reel_env_get_num_envs (env);

  if (!reel_worker_crew_is_started (self->crew))
    {
      reel_rollout_worker_get_state (self->rollout, state);
      return TRUE;
    }
  if (!ask_states (collector, error))
    return FALSE;
  memcpy (state, self->env_states.data, bytes);
  reel_rollout_worker_get_rest (self->rollout, 0, reel_env_get_num_envs (env), state + bytes);
  return TRUE;
}

gboolean
reel_multi_collector_hand_over (ReelMultiCollector *collector, GError **error)
{
  const ReelMulti *self = reel_multi_collector_get (collector);
  ReelEnv *env = reel_collector_get_parts (REEL_COLLECTOR (collector))->env;

  if (self->kind == REEL_CREW_THREADS || !reel_worker_crew_is_started (self->crew))
    return TRUE;
  reel_rollout_worker_get_env_state (self->rollout, 0, reel_env_get_num_envs (env),
                                     self->env_states.data);
  for (gint worker = 0; worker < self->n_workers; worker++)
    order_nothing (collector, worker)->loads = self->env_states.data;
  return reel_worker_crew_run (self->crew, error);
}

/* keeps_lanes: from their first batch on. */
static gboolean
keeps_lanes (ReelCollector *collector)
{
  return reel_worker_crew_is_started (
      reel_multi_collector_get (REEL_MULTI_COLLECTOR (collector))->crew);
}

/* ---- the object ---- */

/* Workers see the crew until they end. */
void
reel_multi_collector_end (ReelMultiCollector *collector)
{
  ReelMulti *self = reel_multi_collector_get (collector);

  reel_worker_crew_free (self->crew);
  self->crew = NULL;
}

static void
finalize (GObject *object)
{
  ReelMulti *self = reel_multi_collector_get (REEL_MULTI_COLLECTOR (object));

  reel_multi_collector_end (REEL_MULTI_COLLECTOR (object));
  g_clear_pointer (&self->rollout, reel_rollout_worker_free);
  g_clear_pointer (&self->finished, reel_finished_episodes_free);
  reel_mapping_unmap (&self->env_states);
  g_free (self->shares);
  g_free (self->steps);
  g_free (self->begun);
  g_free (self->frames);
  g_free (self->found);
  G_OBJECT_CLASS (reel_multi_collector_parent_class)->finalize (object);
}

static void
reel_multi_collector_class_init (ReelMultiCollectorClass *klass)
{
  static const char *const kinds[] = { "threads", "processes", NULL };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->build = build;
  REEL_COLLECTOR_CLASS (klass)->keeps_lanes = keeps_lanes;
  reel_object_class_add_int64 (
      object_class, "workers", G_PRIVATE_OFFSET (ReelMultiCollector, parts.n_wanted), 0, 1024, 0,
      NULL, "number of workers; 0: as many as threads, as environments side by side, or as CPUs",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      object_class, "kind", G_PRIVATE_OFFSET (ReelMultiCollector, parts.kind_word), kinds,
      REEL_CREW_THREADS, "threads, or processes: these may crash, and need rows in shared memory",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "timeout", G_PRIVATE_OFFSET (ReelMultiCollector, parts.timeout), 1, 86400, 60,
      "seconds", "the longest step of a worker process", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_list (
      object_class, "frames-per-batch", G_PRIVATE_OFFSET (ReelMultiCollector, parts.frames_list),
      "rows of a batch, rounded up to whole steps, default 1000; or a list of those of each worker",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_multi_collector_init (ReelMultiCollector *self)
{
}
