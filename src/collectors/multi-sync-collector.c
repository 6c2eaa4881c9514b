/* Collects with several workers, each of which steps its own lanes: a batch is complete when all
 * are done, and has the bytes that one worker would have written. */
#include "collector-checks.h"
#include "multi-sync-private.h"
#include "saved-lanes.h"

#include <math.h>
#include <string.h>

/* Rows, at first, between two looks at whether to stop, and between two commits. Blocks become
 * longer where they take less than LEAST µs, and shorter where they take more than MOST. */
#define BLOCK_ROWS 32768
#define LEAST 5000
#define MOST 50000

G_DEFINE_FINAL_TYPE (ReelMultiSyncCollector, reel_multi_sync_collector, REEL_TYPE_MULTI_COLLECTOR)

static void
finalize (GObject *object)
{
  ReelMultiSyncCollector *self = REEL_MULTI_SYNC_COLLECTOR (object);

  reel_multi_collector_end (REEL_MULTI_COLLECTOR (self));
  g_clear_pointer (&self->own, reel_step_block_free);
  g_clear_pointer (&self->handed, reel_tensordict_unref);
  g_free (self->own_columns);
  g_free (self->worker_steps);
  g_free (self->done);
  G_OBJECT_CLASS (reel_multi_sync_collector_parent_class)->finalize (object);
}

/* ---- the shape of a batch ---- */

/* plan_long: how many steps each worker adds. */
static void
plan_long (ReelMultiSyncCollector *self, gint64 lanes)
{
  const ReelMulti *multi = reel_multi_sync_get (self);
  gint64 rows = reel_collector_steps_of (reel_multi_sync_get_parts (self)->frames_per_batch,
                                         multi->n_workers),
         sum = 0;

  self->worker_steps = g_new (gint64, multi->n_workers);
  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      self->worker_steps[worker] =
          reel_collector_steps_of (multi->frames ? multi->frames[worker] : rows, lanes);
      sum += self->worker_steps[worker];
    }
  reel_collector_set_frames_per_batch (REEL_COLLECTOR (self), sum * lanes);
}

/* check_even: side by side, workers do as many steps. */
static gboolean
check_even (ReelMultiSyncCollector *self, GError **error)
{
  const ReelMulti *multi = reel_multi_sync_get (self);

  for (gint worker = 1; multi->frames && worker < multi->n_workers; worker++)
    {
      gint64 lanes = multi->shares[worker].end - multi->shares[worker].begin;
      gint64 first = multi->shares[0].end - multi->shares[0].begin;

      if (reel_collector_steps_of (multi->frames[worker], lanes)
          == reel_collector_steps_of (multi->frames[0], first))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "frames-per-batch: worker 0 does %" G_GINT64_FORMAT
                   " steps in a batch and worker %d %" G_GINT64_FORMAT
                   ": side by side they do as many; set cat-results=-1",
                   reel_collector_steps_of (multi->frames[0], first), worker,
                   reel_collector_steps_of (multi->frames[worker], lanes));
      return FALSE;
    }
  return TRUE;
}

static gint64
count_step_lanes (ReelCollector *collector, ReelEnv *env, GError **error)
{
  ReelMultiSyncCollector *self = REEL_MULTI_SYNC_COLLECTOR (collector);
  ReelMultiCollector *multi = REEL_MULTI_COLLECTOR (self);

  if (!reel_multi_collector_deal_out (multi, env, error))
    return 0;

  gint64 lanes = reel_multi_collector_lanes_of_each (multi);

  self->is_long = self->cat == REEL_CAT_LAST || (self->cat == REEL_CAT_0 && lanes == 1);
  if (!self->is_long)
    return check_even (self, error) ? reel_env_get_num_envs (env) : 0;
  if (!reel_multi_collector_check_lanes (multi, "cat-results=-1", "set cat-results=0", error))
    return 0;
  plan_long (self, lanes);
  return lanes;
}

/* ---- opening ---- */

static gboolean
check_preemption (ReelMultiSyncCollector *self, GError **error)
{
  const ReelCollectorParts *parts = reel_multi_sync_get_parts (self);

  if (self->threshold == 1)
    return TRUE;
  reel_multi_sync_get (self)->enough =
      (gint) floor (self->threshold * reel_multi_sync_get (self)->n_workers);
  if (parts->buffer == NULL && parts->track_traj_ids && parts->trajs_per_batch == 0
      && (self->is_long || !parts->split_trajs))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "preemptive-threshold below 1 makes rows without data, %s: set it to 1",
               parts->buffer            ? "and a buffer would store them"
               : !parts->track_traj_ids ? "and they need track-traj-ids"
               : parts->split_trajs     ? "and split-trajs would take them for a trajectory"
                                        : "and trajs-per-batch would take them for a trajectory");
  return FALSE;
}

/* check_episodes: those of a step end together where all lanes do it together. */
static gboolean
check_episodes (ReelMultiSyncCollector *self, GError **error)
{
  if (self->total_episodes > 0 && (self->is_long || self->threshold < 1))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "total-episodes ends after a step of all lanes, and with %s workers are at "
                   "unlike steps: leave one of them out",
                   self->is_long ? "cat-results=-1" : "preemptive-threshold");
      return FALSE;
    }
  return reel_collector_check_episodes (reel_multi_sync_get_parts (self), self->total_episodes,
                                        error);
}

static gboolean
check_shape (ReelMultiSyncCollector *self, GError **error)
{
  ReelMultiCollector *multi = REEL_MULTI_COLLECTOR (self);

  if (self->is_long && reel_collector_writes_in_place (reel_multi_sync_get_parts (self)))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cat-results has the steps of one worker after those of another, and a "
                           "buffer takes steps of all lanes: set cat-results=stack");
      return FALSE;
    }
  return !reel_multi_sync_stacks (self)
         || reel_multi_collector_check_lanes (multi, "cat-results=stack", "set cat-results=0",
                                              error);
}

static gint64
count_batch_steps (ReelMultiSyncCollector *self)
{
  const ReelCollectorParts *parts = reel_multi_sync_get_parts (self);
  gint64 rows = parts->frames_per_batch;

  if (parts->total_frames >= 0)
    rows = MIN (rows, parts->total_frames);
  return reel_collector_steps_of (rows, parts->step_lanes);
}

static gboolean
make_own_block (ReelMultiSyncCollector *self, GError **error)
{
  self->own = reel_step_block_new (reel_multi_sync_get_parts (self)->step,
                                   reel_multi_sync_get (self)->columns, count_batch_steps (self),
                                   reel_multi_sync_get (self)->kind == REEL_CREW_PROCESSES, error);
  self->own_columns = g_new (guint8 *, reel_multi_sync_get (self)->columns->n_columns);
  return self->own != NULL;
}

static gboolean
begin_run (ReelMultiSyncCollector *self, GError **error)
{
  ReelMulti *multi = reel_multi_sync_get (self);
  ReelRunStart start;

  if (!reel_run_start_open (&start, reel_multi_sync_get_parts (self), multi->rollout, error))
    return FALSE;
  self->n_steps = start.n_steps;
  self->state = start.state;
  multi->n_episodes = start.n_episodes;
  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      multi->steps[worker] = start.n_steps;
      multi->begun[worker] = start.begun;
    }
  return TRUE;
}

static gboolean
open_collector (ReelCollector *collector, GError **error)
{
  ReelMultiSyncCollector *self = REEL_MULTI_SYNC_COLLECTOR (collector);
  /* Those that end, and those that a restart cuts. */
  gint64 most = reel_multi_sync_get_parts (self)->frames_per_batch
                + 2 * reel_multi_sync_get_parts (self)->step_lanes;

  if (!check_preemption (self, error) || !check_shape (self, error) || !check_episodes (self, error)
      || !reel_multi_collector_open (REEL_MULTI_COLLECTOR (self),
                                     reel_multi_sync_get (self)->n_workers, most, error))
    return FALSE;
  self->done = g_new0 (gint64, reel_multi_sync_get (self)->n_workers);
  self->block_steps = MAX (BLOCK_ROWS / reel_multi_sync_get_parts (self)->step_lanes, 1);
  if (reel_multi_sync_get (self)->finished)
    self->episodes = reel_finished_episodes_gather_none (reel_multi_sync_get (self)->finished);
  return reel_multi_sync_get (self)->buffer ? begin_run (self, error)
                                            : make_own_block (self, error);
}

/* ---- orders ---- */

/* point: each column to @columns and @steps of a block further, less the place of @lane. */
static void
point (ReelMultiSyncCollector *self, ReelMultiOrder *order, guint8 *const *columns, gint64 steps,
       gint64 lane)
{
  const ReelTedColumns *ted = reel_multi_sync_get (self)->columns;
  gint64 rows = steps * reel_multi_sync_get_parts (self)->step_lanes - lane;

  for (guint c = 0; c < ted->n_columns; c++)
    order->columns[c] = columns[c] + rows * (gint64) ted->row_bytes[c];
}

static gboolean
run (ReelMultiSyncCollector *self, GError **error)
{
  ReelMulti *multi = reel_multi_sync_get (self);
  gboolean ran = reel_worker_crew_run (multi->crew, error);

  for (gint worker = 0; ran && worker < multi->n_workers; worker++)
    {
      const ReelMultiOrder *order =
          reel_multi_collector_take_answer (REEL_MULTI_COLLECTOR (self), worker);

      self->done[worker] = order->done;
      reel_rollout_worker_forget_episodes (multi->rollout, order->n_empty);
      multi->n_episodes += order->n_empty;
    }
  return ran;
}

/* A part of a task. */
typedef struct
{
  const ReelCollectorTask *task;
  gint64 n_before; /* steps of it that are done */
} Work;

/* run_side_by_side: @n_steps steps of all lanes into @columns. */
static gboolean
run_side_by_side (ReelMultiSyncCollector *self, const Work *work, guint8 *const *columns,
                  gint64 from, gint64 n_steps, GError **error)
{
  ReelMulti *multi = reel_multi_sync_get (self);
  gsize state_bytes = reel_env_get_state_size (reel_multi_sync_get_parts (self)->env);

  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      ReelMultiOrder *order =
          reel_multi_collector_order (REEL_MULTI_COLLECTOR (self), worker, work->task, n_steps);

      order->continues = work->n_before > 0;
      order->restarts &= !order->continues;
      order->truncates = work->task->truncates && work->n_before + n_steps == work->task->n_steps;
      order->clears_first = 0;
      order->clears_from = n_steps * worker / multi->n_workers;
      order->clears_to = n_steps * (worker + 1) / multi->n_workers;
      if (self->state)
        order->env_state =
            multi->env_states.data + (gsize) multi->shares[worker].begin * state_bytes;
      point (self, order, columns, from, 0);
    }
  return run (self, error);
}

/* run_long: @n_steps steps of one worker after another. */
static gboolean
run_long (ReelMultiSyncCollector *self, const ReelCollectorTask *task, GError **error)
{
  const ReelMulti *multi = reel_multi_sync_get (self);
  gint64 n_steps = task->n_steps;

  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      gint64 from = reel_multi_sync_find_long (self, worker, n_steps);
      gint64 to = reel_multi_sync_find_long (self, worker + 1, n_steps);
      ReelMultiOrder *order =
          reel_multi_collector_order (REEL_MULTI_COLLECTOR (self), worker, task, to - from);

      order->truncates = task->truncates;
      point (self, order, self->own_columns, from, multi->shares[worker].begin);
    }
  return run (self, error);
}

/* ---- batches ---- */

/* run_whole: a batch whose workers are never together before its end. Rows of those that are late
 * count. */
static gboolean
run_whole (ReelMultiSyncCollector *self, const ReelCollectorTask *task, gint64 *n_collected,
           GError **error)
{
  const Work work = { .task = task };
  gboolean ran = self->is_long
                     ? run_long (self, task, error)
                     : run_side_by_side (self, &work, self->own_columns, 0, task->n_steps, error);

  if (!ran)
    return FALSE;
  if (!self->is_long)
    reel_multi_sync_pad (self, task->n_steps);
  *n_collected = task->n_steps;
  return TRUE;
}

/* ---- blocks, in the buffer or of the batch ---- */

static void
save_state (ReelMultiSyncCollector *self, gint64 n_steps)
{
  ReelEnv *env = reel_multi_sync_get_parts (self)->env;
  gsize bytes = reel_env_get_state_size (env) * (gsize) reel_env_get_num_envs (env);
  guint8 *state = reel_run_state_begin (self->state);

  memcpy (state, reel_multi_sync_get (self)->env_states.data, bytes);
  reel_rollout_worker_get_rest (reel_multi_sync_get (self)->rollout, 0, reel_env_get_num_envs (env),
                                state + bytes);
  reel_run_state_end (self->state, n_steps);
}

/* run_lent: a block of the buffer. */
static gboolean
run_lent (ReelMultiSyncCollector *self, const Work *work, gint64 n_steps, gint64 *done,
          GError **error)
{
  const ReelMulti *multi = reel_multi_sync_get (self);
  g_autofree guint8 **columns = g_new (guint8 *, multi->columns->n_columns);
  ReelReservation lent;
  gboolean ran;

  if (!reel_replay_buffer_reserve (multi->buffer, n_steps, &lent, error))
    return FALSE;
  for (guint c = 0; c < multi->columns->n_columns; c++)
    columns[c] = lent.columns[multi->found[c]];
  ran = run_side_by_side (self, work, columns, 0, lent.n_steps, error);
  *done = ran ? lent.n_steps : 0;
  if (ran && self->state)
    save_state (self, reel_run_start_count_steps (multi->buffer) + *done);
  reel_replay_buffer_commit (multi->buffer, &lent, *done);
  return ran;
}

static gboolean
run_own (ReelMultiSyncCollector *self, const Work *work, gint64 n_steps, gint64 *done,
         GError **error)
{
  gboolean ran = run_side_by_side (self, work, self->own_columns, work->n_before, n_steps, error);

  *done = ran ? n_steps : 0;
  return ran;
}

static void
choose_length (ReelMultiSyncCollector *self, gint64 n_steps, gint64 microseconds)
{
  if (n_steps == self->block_steps && microseconds < LEAST)
    self->block_steps *= 2;
  else if (microseconds > MOST)
    self->block_steps = MAX (n_steps / 2, 1);
}

static gboolean
collect_block (ReelMultiSyncCollector *self, const ReelCollectorTask *task, gint64 most,
               gint64 *n_collected, GError **error)
{
  const Work work = { task, *n_collected };
  gint64 done = 0;
  gint64 begun = g_get_monotonic_time ();
  gboolean ran = reel_multi_sync_get (self)->buffer ? run_lent (self, &work, most, &done, error)
                                                    : run_own (self, &work, most, &done, error);

  choose_length (self, done, g_get_monotonic_time () - begun);
  self->n_steps += done;
  *n_collected += done;
  return ran;
}

static gboolean
run_blocks (ReelMultiSyncCollector *self, const ReelCollectorTask *task, gint64 *n_collected,
            GError **error)
{
  const ReelLaneEpisodes *episodes =
      reel_rollout_worker_get_episodes (reel_multi_sync_get (self)->rollout);

  while (!reel_collector_ends_batch (REEL_COLLECTOR (self), *n_collected))
    {
      gint64 most = reel_lane_episodes_limit_steps (
          episodes, self->total_episodes, MIN (task->n_steps - *n_collected, self->block_steps));

      if (most == 0)
        break;
      if (!collect_block (self, task, most, n_collected, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the class ---- */

static void
gather_episodes (ReelMultiSyncCollector *self, gboolean ran)
{
  ReelMulti *multi = reel_multi_sync_get (self);
  gboolean blockwise = !self->is_long && self->threshold == 1;

  if (multi->finished == NULL)
    return;
  self->episodes = reel_finished_episodes_gather (multi->finished, multi->n_episodes,
                                                  blockwise ? self->n_steps
                                                  : ran     ? G_MAXINT64
                                                            : 0);
  multi->n_episodes += self->episodes->len;
}

/* renew: the own block, unless processes write to it. */
static gboolean
renew (ReelMultiSyncCollector *self, GError **error)
{
  g_clear_pointer (&self->handed, reel_tensordict_unref);
  if (self->own == NULL)
    return TRUE;
  if (!reel_step_block_renew (self->own, error))
    return FALSE;
  reel_step_block_point (self->own, 0, self->own_columns);
  return TRUE;
}

static gboolean
collect (ReelCollector *collector, const ReelCollectorTask *task, gint64 *n_collected,
         ReelTensordict **steps, GError **error)
{
  ReelMultiSyncCollector *self = REEL_MULTI_SYNC_COLLECTOR (collector);
  gboolean whole = self->is_long || self->threshold < 1;
  gboolean ran = renew (self, error)
                 && (whole ? run_whole (self, task, n_collected, error)
                           : run_blocks (self, task, n_collected, error));

  gather_episodes (self, ran);
  if (self->own == NULL || *n_collected == 0)
    return ran;
  *steps = self->handed = reel_multi_sync_assemble (self, *n_collected, ran ? error : NULL);
  return ran && *steps;
}

/* ---- state: as of sync, and the steps of each worker where they differ ---- */

/* count_apart: workers whose steps are counted apart. */
static gint
count_apart (ReelMultiSyncCollector *self)
{
  return self->is_long || self->threshold < 1 ? reel_multi_sync_get (self)->n_workers : 0;
}

static gboolean
dup_state (ReelCollector *collector, ReelTensordict *state, GError **error)
{
  ReelMultiSyncCollector *self = REEL_MULTI_SYNC_COLLECTOR (collector);
  const ReelMulti *multi = reel_multi_sync_get (self);
  gint64 n_lanes = reel_env_get_num_envs (reel_multi_sync_get_parts (self)->env);
  gsize size = reel_rollout_worker_get_state_size (multi->rollout, n_lanes);
  gint n_apart = count_apart (self);
  g_autofree gint64 *counts = g_new (gint64, REEL_N_SAVED + n_apart);
  g_autofree guint8 *lanes = g_malloc0 (size);
  const ReelSavedLanes saved = { counts, REEL_N_SAVED + n_apart, lanes, size };

  counts[REEL_SAVED_STEPS] = self->n_steps;
  counts[REEL_SAVED_EPISODES] = multi->n_episodes;
  counts[REEL_SAVED_BEGUN] = multi->begun[0];
  for (gint worker = 0; worker < n_apart; worker++)
    counts[REEL_N_SAVED + worker] = multi->steps[worker];
  return reel_multi_collector_get_state (REEL_MULTI_COLLECTOR (self), lanes, error)
         && reel_saved_lanes_write (&saved, state, error);
}

static gboolean
set_state (ReelCollector *collector, const ReelTensordict *state, GError **error)
{
  ReelMultiSyncCollector *self = REEL_MULTI_SYNC_COLLECTOR (collector);
  ReelMulti *multi = reel_multi_sync_get (self);
  gint64 n_lanes = reel_env_get_num_envs (reel_multi_sync_get_parts (self)->env);
  gsize size = reel_rollout_worker_get_state_size (multi->rollout, n_lanes);
  gint n_apart = count_apart (self);
  ReelSavedLanes saved;

  if (!reel_saved_lanes_read (&saved, state, size, error)
      || !reel_saved_lanes_check_steps (&saved, n_apart, error)
      || !reel_worker_crew_check (multi->crew, error))
    return FALSE;
  reel_rollout_worker_set_state (multi->rollout, 0, n_lanes, saved.lanes);
  self->n_steps = saved.counts[REEL_SAVED_STEPS];
  multi->n_episodes = saved.counts[REEL_SAVED_EPISODES];
  for (gint worker = 0; worker < multi->n_workers; worker++)
    {
      multi->begun[worker] = saved.counts[REEL_SAVED_BEGUN] != 0;
      multi->steps[worker] = n_apart > 0 ? saved.counts[REEL_N_SAVED + worker] : self->n_steps;
    }
  return reel_multi_collector_hand_over (REEL_MULTI_COLLECTOR (self), error);
}

static void
tally (ReelCollector *collector, ReelCollectorStats *stats)
{
  const ReelMulti *multi = reel_multi_sync_get (REEL_MULTI_SYNC_COLLECTOR (collector));

  reel_lane_episodes_tally (reel_rollout_worker_get_episodes (multi->rollout), stats);
}

static const GArray *
list_episodes (ReelCollector *collector)
{
  return REEL_MULTI_SYNC_COLLECTOR (collector)->episodes;
}

static void
add_properties (ReelObjectClass *klass)
{
  static const char *const cats[] = { "stack", "0", "-1", "lanes", NULL };

  reel_object_class_add_enum (klass, "cat-results", G_STRUCT_OFFSET (ReelMultiSyncCollector, cat),
                              cats, REEL_CAT_STACK,
                              "the workers in a first dimension, or joined in the first or last "
                              "one; or all lanes in the first, as of sync",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "total-episodes", G_STRUCT_OFFSET (ReelMultiSyncCollector, total_episodes), 0,
      G_MAXINT64 / 2, 0, NULL, "episodes that end before the collector does; 0 for any number",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_double (klass, "preemptive-threshold",
                                G_STRUCT_OFFSET (ReelMultiSyncCollector, threshold), 0, 1, 1, NULL,
                                "part of the workers that a batch waits for; rows that the rest "
                                "lacks have traj_ids of -1",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_multi_sync_collector_class_init (ReelMultiSyncCollectorClass *klass)
{
  static const ReelId ids[] = {
    { "multi-sync", NULL, "several workers, which all add to each batch" },
    { "MultiSyncCollector", NULL, "TorchRL's name of multi-sync" },
    { "MultiSyncDataCollector", NULL, "TorchRL's older name of multi-sync" },
    { NULL, NULL, NULL },
  };
  ReelCollectorClass *collector_class = REEL_COLLECTOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  add_properties (REEL_OBJECT_CLASS (klass));
  collector_class->count_step_lanes = count_step_lanes;
  collector_class->open = open_collector;
  collector_class->collect = collect;
  collector_class->tally = tally;
  collector_class->list_episodes = list_episodes;
  collector_class->dup_state = dup_state;
  collector_class->set_state = set_state;
}

static void
reel_multi_sync_collector_init (ReelMultiSyncCollector *self)
{
}
