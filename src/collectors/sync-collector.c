/* Collects on the caller's thread and workers of its own: when a call returns, the batch is there,
 * and nothing goes on behind it. */
#include "../buffers/checkpoints/buffer-run-state.h"
#include "../core/system/cpus.h"
#include "../core/system/workers.h"
#include "collector-private.h"
#include "rollout-worker.h"

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
  ReelWorkers *workers;
  gint64 n_lanes;
  gint64 lane_multiple;
  gint64 n_steps; /* since the run began */
  gboolean lanewise;
  gboolean begun;

  /* Where steps go: the columns of the buffer's blocks, or a block of its own and views of it, by
   * which a buffer that lends no blocks is extended. */
  ReelReplayBuffer *buffer;
  ReelReplayBuffer *extended;
  ReelRunState *state; /* (not owned) of lanes whose episodes do not tell it; else NULL */
  guint *found;
  guint8 **own;
  ReelTensordict *whole;
  ReelTensordict *part;

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
  g_clear_pointer (&self->rollout, reel_rollout_worker_free);
  g_clear_pointer (&self->finished, reel_finished_episodes_free);
  g_clear_pointer (&self->whole, reel_tensordict_unref);
  g_clear_pointer (&self->part, reel_tensordict_unref);
  g_free (self->found);
  g_free (self->own);
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

/* make_own_block: room for a whole batch, time first; what is handed out is a view of it. */
static gboolean
make_own_block (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  const ReelTedColumns *columns = reel_rollout_worker_get_columns (self->rollout);
  gint64 rows = parts->frames_per_batch;
  gboolean batched = self->n_lanes > 1;
  const char *names[] = { NULL, "time" };

  if (parts->total_frames >= 0)
    rows = MIN (rows, parts->total_frames);
  gint64 size[] = { (rows + self->n_lanes - 1) / self->n_lanes, self->n_lanes };
  g_autoptr (ReelTensordict) steps = reel_tensordict_new (1 + batched, size);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (parts->layout);

  for (char **leaf = leaves; *leaf; leaf++)
    {
      const ReelTensor *step = reel_tensordict_get_tensor (parts->layout, *leaf, NULL);
      gint64 shape[REEL_MAX_NDIM] = { size[0] };
      for (gint i = 0; i < step->ndim; i++)
        shape[i + 1] = step->shape[i];
      g_autoptr (ReelTensor) tensor = reel_tensor_new (step->dtype, step->ndim + 1, shape, error);
      if (tensor == NULL || !reel_tensordict_set_tensor (steps, *leaf, tensor, error))
        return FALSE;
    }
  self->own = g_new (guint8 *, columns->n_columns);
  for (guint c = 0; c < columns->n_columns; c++)
    self->own[c] = reel_tensordict_get_tensor (steps, columns->paths[c], NULL)->data;

  self->whole = batched ? reel_tensordict_transpose (steps, 0, 1, error) : g_steal_pointer (&steps);
  return self->whole && reel_tensordict_set_names (self->whole, names + !batched, error);
}

/* resume_lanes: by playing the last episodes again. */
static gboolean
resume_lanes (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  g_autoptr (ReelResumedLanes) resumed = reel_resumed_lanes_new (self->buffer, parts->env, error);

  if (resumed == NULL)
    return FALSE;
  if (resumed->n_steps > 0)
    reel_rollout_worker_resume (self->rollout, resumed);
  self->n_steps = resumed->n_steps;
  self->begun = resumed->n_steps > 0;
  self->n_episodes = reel_rollout_worker_get_episodes (self->rollout)->episodes_before;
  return !self->begun || reel_env_check_faults (parts->env, error);
}

static gint64
count_steps (const ReelSyncCollector *self)
{
  ReelStorageView view;

  reel_storage_get_view (reel_replay_buffer_get_storage (self->buffer), &view);
  return view.end_row / self->n_lanes;
}

/* Rows do not tell what outlasts episodes. It is saved with each commit. */
static gboolean
resume_state (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  gint64 n_steps = count_steps (self);
  const guint8 *state;

  if (n_steps == 0)
    return TRUE;
  if (!reel_collector_check_run (self->buffer, parts->env, error))
    return FALSE;
  state = reel_run_state_find (self->state, n_steps, error);
  if (state == NULL)
    {
      g_prefix_error (error, "the run cannot be resumed: ");
      return FALSE;
    }
  reel_rollout_worker_set_state (self->rollout, state);
  self->n_steps = n_steps;
  self->begun = TRUE;
  self->n_episodes = reel_rollout_worker_get_episodes (self->rollout)->episodes_before;
  return reel_env_check_faults (parts->env, error);
}

static gboolean
open_state (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  if (!reel_env_has_state (parts->env))
    return TRUE;
  self->state = reel_replay_buffer_open_run_state (
      self->buffer, reel_rollout_worker_get_state_size (self->rollout),
      parts->resume && count_steps (self) > 0, error);
  if (self->state == NULL)
    g_prefix_error (error, parts->resume ? "the run cannot be resumed: " : "");
  return self->state != NULL;
}

/* begin_run: where the run that filled the buffer ended, if it ever began and is to go on. */
static gboolean
begin_run (ReelSyncCollector *self, const ReelCollectorParts *parts, GError **error)
{
  gboolean outlasts = reel_env_outlasts_episodes (parts->env);

  if (outlasts && !open_state (self, parts, error))
    return FALSE;
  if (!parts->resume)
    return TRUE;
  return self->state ? resume_state (self, parts, error) : resume_lanes (self, parts, error);
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
  ReelTedColumns *columns = reel_ted_columns_new (parts->env, parts->policy, parts->layout);

  self->n_lanes = columns->n_lanes;
  self->lane_multiple = reel_env_get_lane_multiple (parts->env);
  self->lanewise = reel_policy_is_lanewise (parts->policy);
  if (parts->buffer && reel_replay_buffer_can_reserve (parts->buffer))
    self->buffer = parts->buffer;
  else
    self->extended = parts->buffer;
  self->block.columns = g_new (guint8 *, columns->n_columns);
  if (!start_workers (self, parts, error))
    {
      reel_ted_columns_free (columns);
      return FALSE;
    }
  self->rollout = reel_rollout_worker_new (parts->env, parts->policy, columns,
                                           reel_workers_count (self->workers), error);
  if (self->rollout == NULL)
    return FALSE;
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
  reel_rollout_worker_clear (run->collector->rollout, run->block, from, to);
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

/* run_in_step: a policy that sees all lanes at once acts between the steps. Sets @done to the steps
 * that were complete before it or a lane failed, or the collector was asked to stop. */
static gboolean
run_in_step (ReelSyncCollector *self, gint64 *done, GError **error)
{
  gboolean acted = TRUE;

  run_steps (self, 0, 0, TRUE);
  for (*done = 0; *done < self->block.n_steps; (*done)++)
    {
      if (reel_collector_is_stopped (REEL_COLLECTOR (self)))
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
    reel_rollout_worker_cut (self->rollout, &self->block, *done);
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
      for (guint c = 0; c < columns->n_columns; c++)
        self->block.columns[c] = self->own[c] + n_collected * self->n_lanes * columns->row_bytes[c];
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
  gint64 n_steps = count_steps (self) + done;

  reel_rollout_worker_get_state (self->rollout, reel_run_state_begin (self->state));
  reel_run_state_end (self->state, n_steps);
}

static gboolean
collect_block (ReelSyncCollector *self, gint64 n_steps, gint64 *n_collected, GError **error)
{
  gint64 done;
  gboolean acted;

  if (!reserve_block (self, *n_collected, n_steps - *n_collected, error))
    return FALSE;
  acted = self->lanewise ? run_at_once (self, &done, error) : run_in_step (self, &done, error);
  if (self->state && acted && done > 0)
    save_state (self, done);
  if (self->buffer)
    reel_replay_buffer_commit (self->buffer, &self->lent, done);
  self->n_steps += done;
  *n_collected += done;
  return acted;
}

/* see_batch: a view of the first @n_steps of the own block. */
static ReelTensordict *
see_batch (ReelSyncCollector *self, gint64 n_steps, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (self->whole, &ndim);

  g_clear_pointer (&self->part, reel_tensordict_unref);
  if (n_steps == size[ndim - 1])
    return self->whole;
  self->part = reel_tensordict_slice (self->whole, -1, 0, n_steps, 1, error);
  return self->part;
}

/* hand_over: what was collected, to the buffer or to who asked. */
static gboolean
hand_over (ReelSyncCollector *self, gint64 n_collected, ReelTensordict **batch, GError **error)
{
  ReelTensordict *seen;

  if (self->buffer || n_collected == 0 || (!self->extended && batch == NULL))
    return TRUE;
  seen = see_batch (self, n_collected, error);
  if (seen == NULL)
    return FALSE;
  if (self->extended)
    return reel_replay_buffer_extend (self->extended, seen, NULL, error);
  *batch = seen;
  return TRUE;
}

static void
gather_episodes (ReelSyncCollector *self)
{
  if (self->finished == NULL)
    return;
  self->episodes = reel_finished_episodes_gather (self->finished, self->n_episodes, self->n_steps);
  self->n_episodes += self->episodes->len;
}

static gboolean
collect (ReelCollector *collector, gint64 n_steps, gint64 *n_collected, ReelTensordict **batch,
         GError **error)
{
  ReelSyncCollector *self = REEL_SYNC_COLLECTOR (collector);
  gboolean done = TRUE;

  if (self->failure)
    {
      gather_episodes (self); /* there are none */
      g_propagate_error (error, g_error_copy (self->failure));
      return FALSE;
    }
  if (!self->begun)
    reel_rollout_worker_reset (self->rollout);
  self->begun = TRUE;
  while (done && *n_collected < n_steps && !reel_collector_is_stopped (collector))
    done = collect_block (self, n_steps, n_collected, error);
  gather_episodes (self);
  if (done)
    return hand_over (self, *n_collected, batch, error);
  /* Steps that were complete before the failure are stored all the same. */
  if (self->extended)
    hand_over (self, *n_collected, NULL, NULL);
  return FALSE;
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
  collector_class->open = open_collector;
  collector_class->collect = collect;
  collector_class->tally = tally;
  collector_class->list_episodes = list_episodes;
}

static void
reel_sync_collector_init (ReelSyncCollector *self)
{
}
