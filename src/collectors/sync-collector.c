/* Collects on the caller's thread and workers of its own: when a call returns, the batch is there,
 * and nothing goes on behind it. */
#include "../core/system/cpus.h"
#include "../core/system/workers.h"
#include "collector-checks.h"
#include "lane-state.h"
#include "run-start.h"
#include "saved-lanes.h"
#include "step-block.h"

/* Lanes that a thread takes through all steps of a block before it takes the next: few enough that
 * what they hold stays in the second-level cache, many enough that calls cost nothing by lane. */
#define RANGE_LANES 1024

/* Rows between two looks at whether to stop, and between two commits at most. */
#define BLOCK_ROWS 32768

/* Rows of a vector kernel that are worth waking other threads: some 15 µs of work. */
#define SHARED_ROWS 4096

/* Pieces per thread where lanes may take unequal time: the last one is what others wait for. */
#define CHUNKS_PER_WORKER 32

struct _ReelSyncCollector
{
  ReelCollector parent_instance;

  ReelRolloutWorker *rollout;
  ReelFinishedEpisodes *finished;
  const GArray *episodes; /* that ended in the last batch */
  gint64 n_episodes;      /* that ended since the run began */
  gint64 total_episodes;  /* the property */
  ReelWorkers *workers;
  gint64 n_lanes;
  gint64 lane_multiple;
  gint64 n_steps; /* since the run began */
  gboolean lanewise;
  gboolean begun;

  /* Where steps go: the columns of the buffer's blocks, or a block of its own. */
  ReelReplayBuffer *buffer;
  ReelRunState *state; /* (not owned) of lanes whose episodes do not tell it; else NULL */
  guint *found;
  ReelStepBlock *own;

  ReelStepSpan block; /* at work */
  ReelReservation lent;
  GError **errors; /* by worker */
  GError *failure; /* the one after which nothing can follow */
};

G_DECLARE_FINAL_TYPE (ReelSyncCollector, reel_sync_collector, REEL, SYNC_COLLECTOR, ReelCollector)
G_DEFINE_FINAL_TYPE (ReelSyncCollector, reel_sync_collector, REEL_TYPE_COLLECTOR)

static void
finalize (GObject *object)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (object);

  g_clear_error (&self->failure);
  g_free (self->errors);
  g_clear_pointer (&self->workers, reel_workers_free);
  g_clear_pointer (&self->own, reel_step_block_free);
  g_clear_pointer (&self->rollout, reel_rollout_worker_free);
  g_clear_pointer (&self->finished, reel_finished_episodes_free);
  g_free (self->found);
  g_free (self->block.columns);
  G_OBJECT_CLASS (reel_sync_collector_parent_class)->finalize (object);
}

static gboolean
start_workers (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  gint64 most = MAX (self->n_lanes / self->lane_multiple, 1);
  gint64 wanted = parts->threads > 0 ? parts->threads : MIN (reel_cpu_count (), 1024);

  self->workers = reel_workers_new (MIN (wanted, most), error);
  if (self->workers == NULL)
    return FALSE;
  self->errors = g_new0 (GError *, reel_workers_count (self->workers));
  return TRUE;
}

/* make_own_block: room for a whole batch. */
static gboolean
make_own_block (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  gint64 rows = parts->frames_per_batch;

  if (parts->total_frames >= 0)
    rows = MIN (rows, parts->total_frames);
  self->own = reel_step_block_new (parts->layout, reel_rollout_worker_get_columns (self->rollout),
                                   (rows + self->n_lanes - 1) / self->n_lanes, FALSE, error);
  return self->own != NULL;
}

/* begin_run: where the run that filled the buffer ended, if it ever began and is to go on. */
static gboolean
begin_run (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  ReelRunStart start;

  if (!reel_run_start_open (&start, parts, self->rollout, error))
    return FALSE;
  self->n_steps = start.n_steps;
  self->n_episodes = start.n_episodes;
  self->begun = start.begun;
  self->state = start.state;
  return TRUE;
}

static void
list_from_now_on (ReelSyncCollector *self)
{
  self->finished = reel_finished_episodes_new (reel_workers_count (self->workers));
  self->episodes = reel_finished_episodes_gather (self->finished, 0, 0);
  reel_rollout_worker_list_episodes (self->rollout, self->finished);
}

static gboolean
open_collector (ReelCollector *collector, GError **error)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);
  const ReelCollectorParts *parts = reel_collector_get_parts (collector);

  if (!reel_collector_check_episodes (parts, self->total_episodes, error))
    return FALSE;

  ReelTedColumns *columns = reel_ted_columns_new (parts->env, parts->policy, parts->layout);

  self->n_lanes = columns->n_lanes;
  self->lane_multiple = reel_env_get_lane_multiple (parts->env);
  if (reel_collector_writes_in_place (parts))
    self->buffer = parts->buffer;
  self->block.columns = g_new (guint8 *, columns->n_columns);
  if (!start_workers (self, parts, error))
    {
      reel_ted_columns_free (columns);
      return FALSE;
    }

  const ReelRolloutWorkerOptions options = { .n_workers = reel_workers_count (self->workers),
                                             .step_lanes = self->n_lanes,
                                             .numbers = parts->numbers };

  self->rollout = reel_rollout_worker_new (parts->env, parts->policy, columns, &options, error);
  if (self->rollout == NULL)
    return FALSE;
  reel_rollout_worker_explore (self->rollout, (ReelExploration) parts->exploration);
  if (parts->list_episodes)
    list_from_now_on (self);
  if (self->buffer == NULL)
    return make_own_block (self, parts, error);
  self->found = reel_ted_columns_find (columns, parts->layout,
                                       reel_replay_buffer_get_storage (self->buffer), error);
  return self->found != NULL && begin_run (self, parts, error);
}

/* Steps [from, to) of a block, for its workers. The first run of a block begins it: it takes over
 * the last step of the block before. */
typedef struct
{
  ReelSyncCollector *collector;
  const ReelStepSpan *block;
  gint64 from, to;
  gboolean begins;
  ReelWorkersClaim claim;
} Run;

/* work_range: the steps of the run, of these lanes. */
static void
work_range (const Run *run, gint worker, gint64 begin, gint64 end)
{
  ReelSyncCollector *self = run->collector;
  gint64 n_ranges = (end - begin + RANGE_LANES - 1) / RANGE_LANES;
  gint64 step = (end - begin + n_ranges - 1) / n_ranges;

  step = (step + self->lane_multiple - 1) / self->lane_multiple * self->lane_multiple;
  for (gint64 first = begin; first < end; first += step)
    {
      gint64 after = MIN (first + step, end);
      if (run->begins)
        reel_rollout_worker_begin (self->rollout, run->block, first, after);
      if (!reel_rollout_worker_run (self->rollout, worker, run->block, run->from, run->to, first,
                                    after, &self->errors[worker]))
        return;
    }
}

/* clear: this worker's share of the steps. */
static void
clear (const Run *run, gint worker, gint n_workers)
{
  gint64 from, to;

  reel_workers_partition (run->block->n_steps, 1, worker, n_workers, &from, &to);
  reel_rollout_worker_clear (run->collector->rollout, run->block, from, to, 0);
}

static void
work (gpointer data, gint worker, gint n_workers)
{
  Run *run = data;
  const ReelSyncCollector *self = run->collector;
  gint64 begin, end;

  if (run->begins)
    clear (run, worker, n_workers);
  if (self->lane_multiple == 1)
    while (self->errors[worker] == NULL && reel_workers_claim (&run->claim, &begin, &end))
      work_range (run, worker, begin, end);
  else
    {
      reel_workers_partition (self->n_lanes, self->lane_multiple, worker, n_workers, &begin, &end);
      if (begin < end)
        work_range (run, worker, begin, end);
    }
}

/* is_shared: whether a run is worth waking other threads. */
static gboolean
is_shared (const Run *run)
{
  const ReelSyncCollector *self = run->collector;
  gint64 n_steps = run->begins ? run->block->n_steps : run->to - run->from;

  return self->lane_multiple == 1 || n_steps * self->n_lanes >= SHARED_ROWS;
}

static void
run_steps (ReelSyncCollector *self, gint64 from, gint64 to, gboolean begins)
{
  gint64 pieces = (gint64) reel_workers_count (self->workers) * CHUNKS_PER_WORKER;
  Run run = { .collector = self, .block = &self->block, .from = from, .to = to, .begins = begins };

  reel_workers_claim_init (&run.claim, self->n_lanes, MAX (self->n_lanes / pieces, 1));
  if (is_shared (&run))
    reel_workers_run (self->workers, work, &run);
  else
    work (&run, 0, 1);
}

/* keep_failure: the one of the workers or of the env that leaves lanes where nothing can follow. */
static gboolean
keep_failure (ReelSyncCollector *self, GError **error)
{
  ReelEnv *env = reel_collector_get_parts (REEL_COLLECTOR (self))->env;

  for (gint worker = 0; worker < reel_workers_count (self->workers); worker++)
    if (self->failure == NULL)
      self->failure = g_steal_pointer (&self->errors[worker]);
    else
      g_clear_error (&self->errors[worker]);
  reel_env_check_faults (env, self->failure ? NULL : &self->failure);
  if (self->failure)
    g_propagate_error (error, g_error_copy (self->failure));
  return self->failure != NULL;
}

/* run_in_step: a policy that sees all lanes at once acts between the steps, @n_before of the batch
 * are complete. Sets @done to the steps that were complete before it or a lane failed, or the
 * collector was asked to stop. */
static gboolean
run_in_step (ReelSyncCollector *self, gint64 n_before, gint64 *done, GError **error)
{
  gboolean acted = TRUE;

  run_steps (self, 0, 0, TRUE);
  for (*done = 0; *done < self->block.n_steps; (*done)++)
    {
      if (reel_collector_ends_batch (REEL_COLLECTOR (self), n_before + *done))
        break;
      acted = reel_rollout_worker_act (self->rollout, &self->block, *done, error);
      if (!acted)
        break;
      run_steps (self, *done, *done + 1, FALSE);
      acted = !keep_failure (self, error);
      if (!acted)
        break;
    }
  if (*done < self->block.n_steps)
    reel_rollout_worker_cut (self->rollout, &self->block, *done, 0, self->n_lanes);
  return acted;
}

/* reserve_block: sets the block at work to at most @n_steps, which follow @n_collected of the
 * batch. */
static gboolean
reserve_block (ReelSyncCollector *self, gint64 n_collected, gint64 n_steps, GError **error)
{
  const ReelTedColumns *columns = reel_rollout_worker_get_columns (self->rollout);

  self->block.first_step = self->n_steps;
  self->block.n_steps = MIN (n_steps, MAX (BLOCK_ROWS / self->n_lanes, 1));
  if (self->buffer == NULL)
    {
      reel_step_block_point (self->own, n_collected, self->block.columns);
      return TRUE;
    }
  if (!reel_replay_buffer_reserve (self->buffer, self->block.n_steps, &self->lent, error))
    return FALSE;
  self->block.n_steps = self->lent.n_steps;
  for (guint c = 0; c < columns->n_columns; c++)
    self->block.columns[c] = self->lent.columns[self->found[c]];
  return TRUE;
}

/* run_at_once: a policy that acts lane by lane acts in the workers. Where it or a lane fails there,
 * lanes stand at different steps: the block is given back, and nothing can follow. */
static gboolean
run_at_once (ReelSyncCollector *self, gint64 *done, GError **error)
{
  run_steps (self, 0, self->block.n_steps, TRUE);

  gboolean failed = keep_failure (self, error);

  *done = failed ? 0 : self->block.n_steps;
  return !failed;
}

/* save_state: that after @done steps of the block, before they are committed. */
static void
save_state (ReelSyncCollector *self, gint64 done)
{
  gint64 n_steps = reel_run_start_count_steps (self->buffer) + done;

  reel_rollout_worker_get_state (self->rollout, reel_run_state_begin (self->state));
  reel_run_state_end (self->state, n_steps);
}

static gboolean
collect_block (ReelSyncCollector *self, const ReelCollectorTask *task, gint64 most,
               gint64 *n_collected, GError **error)
{
  gint64 done;
  gboolean acted;

  if (!reserve_block (self, *n_collected, most, error))
    return FALSE;
  acted = self->lanewise ? run_at_once (self, &done, error)
                         : run_in_step (self, *n_collected, &done, error);
  if (task->truncates && *n_collected + done == task->n_steps)
    reel_rollout_worker_truncate (self->rollout, &self->block, done - 1, 0, self->n_lanes);
  if (self->state && acted && done > 0)
    save_state (self, done);
  if (self->buffer)
    reel_replay_buffer_commit (self->buffer, &self->lent, done);
  self->n_steps += done;
  *n_collected += done;
  return acted;
}

static void
gather_episodes (ReelSyncCollector *self)
{
  if (self->finished == NULL)
    return;
  self->episodes = reel_finished_episodes_gather (self->finished, self->n_episodes, self->n_steps);
  self->n_episodes += self->episodes->len;
}

/* begin_batch: who acts, and in which episodes. */
static void
begin_batch (ReelSyncCollector *self, const ReelCollectorTask *task)
{
  const ReelCollectorParts *parts = reel_collector_get_parts (REEL_COLLECTOR (self));
  ReelPolicy *random = task->is_random ? parts->random : NULL;

  reel_rollout_worker_use (self->rollout, -1, random);
  self->lanewise = reel_policy_is_lanewise (random ? random : parts->policy);
  if (!self->begun)
    reel_rollout_worker_reset (self->rollout, 0, self->n_lanes);
  else if (task->restarts)
    {
      gint64 n = reel_rollout_worker_restart (self->rollout, 0, self->n_steps, 0, self->n_lanes);

      reel_rollout_worker_forget_episodes (self->rollout, n);
      self->n_episodes += n;
    }
  self->begun = TRUE;
}

static gboolean
collect_blocks (ReelSyncCollector *self, const ReelCollectorTask *task, gint64 *n_collected,
                GError **error)
{
  if (self->failure)
    {
      g_propagate_error (error, g_error_copy (self->failure));
      return FALSE;
    }
  if (self->own && !reel_step_block_renew (self->own, error))
    return FALSE;
  begin_batch (self, task);
  while (!reel_collector_ends_batch (REEL_COLLECTOR (self), *n_collected))
    {
      gint64 most =
          reel_lane_episodes_limit_steps (reel_rollout_worker_get_episodes (self->rollout),
                                          self->total_episodes, task->n_steps - *n_collected);

      if (most == 0)
        break;
      if (!collect_block (self, task, most, n_collected, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
collect (ReelCollector *collector, const ReelCollectorTask *task, gint64 *n_collected,
         ReelTensordict **steps, GError **error)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);
  gboolean done = collect_blocks (self, task, n_collected, error);

  gather_episodes (self); /* none of a batch that could not begin */
  if (self->own == NULL || *n_collected == 0)
    return done;
  *steps = reel_step_block_see (self->own, *n_collected, task->returns_same, done ? error : NULL);
  return done && *steps;
}

/* ---- state ---- */

static gboolean
dup_state (ReelCollector *collector, ReelTensordict *state, GError **error)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);
  gsize size = reel_rollout_worker_get_state_size (self->rollout, self->n_lanes);
  const gint64 counts[] = { self->n_steps, self->n_episodes, self->begun };
  g_autofree guint8 *lanes = g_malloc0 (size);
  const ReelSavedLanes saved = { counts, G_N_ELEMENTS (counts), lanes, size };

  if (self->failure)
    {
      g_propagate_error (error, g_error_copy (self->failure));
      return FALSE;
    }
  reel_rollout_worker_get_state (self->rollout, lanes);
  return reel_saved_lanes_write (&saved, state, error);
}

static gboolean
set_state (ReelCollector *collector, const ReelTensordict *state, GError **error)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);
  gsize size = reel_rollout_worker_get_state_size (self->rollout, self->n_lanes);
  ReelSavedLanes saved;

  if (!reel_saved_lanes_read (&saved, state, size, error)
      || !reel_saved_lanes_check_steps (&saved, 0, error))
    return FALSE;
  self->n_steps = saved.counts[REEL_SAVED_STEPS];
  self->n_episodes = saved.counts[REEL_SAVED_EPISODES];
  self->begun = saved.counts[REEL_SAVED_BEGUN] != 0;
  reel_rollout_worker_set_state (self->rollout, 0, self->n_lanes, saved.lanes);
  g_clear_error (&self->failure);
  return TRUE;
}

static void
tally (ReelCollector *collector, ReelCollectorStats *stats)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);

  reel_lane_episodes_tally (reel_rollout_worker_get_episodes (self->rollout), stats);
}

static const GArray *
list_episodes (ReelCollector *collector)
{
  return REEL_SYNC_COLLECTOR (collector)->episodes;
}

/* ---- the state between two batches, for who moves lanes elsewhere ---- */

GArray *
reel_lane_state_list_widths (ReelCollector *collector)
{
  const ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);
  const ReelTedColumns *columns = reel_rollout_worker_get_columns (self->rollout);
  GArray *widths = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize state = reel_env_get_state_size (reel_collector_get_parts (collector)->env);
  gsize episode = REEL_LANE_EPISODE_BYTES;

  g_array_append_val (widths, state);
  g_array_append_vals (widths, columns->row_bytes + columns->root.first, columns->root.n);
  g_array_append_val (widths, episode);
  return widths;
}

void
reel_lane_state_get (ReelCollector *collector, guint8 *state)
{
  reel_rollout_worker_get_state (REEL_SYNC_COLLECTOR (collector)->rollout, state);
}

void
reel_lane_state_set (ReelCollector *collector, gint64 n_steps, const guint8 *state)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);

  reel_rollout_worker_set_state (self->rollout, 0, self->n_lanes, state);
  self->n_steps = n_steps;
  self->begun = TRUE;
  self->n_episodes = reel_rollout_worker_get_episodes (self->rollout)->episodes_before;
}

gint64
reel_lane_state_count_steps (ReelCollector *collector)
{
  return REEL_SYNC_COLLECTOR (collector)->n_steps;
}

gint64
reel_lane_state_count_episodes (ReelCollector *collector)
{
  return REEL_SYNC_COLLECTOR (collector)->n_episodes;
}

static const ReelId ids[] = {
  { "sync", NULL, "steps env and policy in turn, batch by batch" },
  { "Collector", NULL, "TorchRL's name of sync" },
  { "SyncDataCollector", NULL, "TorchRL's older name of sync" },
  { NULL, NULL, NULL },
};

static void
reel_sync_collector_class_init (ReelSyncCollectorClass *klass)
{
  ReelCollectorClass *collector_class = REEL_COLLECTOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "total-episodes",
                               G_STRUCT_OFFSET (ReelSyncCollector, total_episodes), 0,
                               G_MAXINT64 / 2, 0, NULL,
                               "episodes that end before the collector does; 0 for any number",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  collector_class->open = open_collector;
  collector_class->collect = collect;
  collector_class->tally = tally;
  collector_class->list_episodes = list_episodes;
  collector_class->dup_state = dup_state;
  collector_class->set_state = set_state;
}

static void
reel_sync_collector_init (ReelSyncCollector *self)
{
}
