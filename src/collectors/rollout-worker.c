#include "rollout-worker.h"

#include "../buffers/storages/copy-kernel.h"
#include "../buffers/storages/ring.h"
#include "../envs/env-lanes.h"
#include "../envs/env-private.h"
#include "../envs/lane-kernel.h"
#include "ted-kernel.h"

#include <string.h>

/* Threads write to different pages. */
#define PAGE 4096

/* The results of a step of one worker's lanes. Threads that fill their parts of the same small
 * columns side by side have their prefetchers take each other's lines away, which triples the time
 * of a step: it is kept in pages of their own, and copied to the columns past the cache, where
 * nothing is fetched ahead. */
typedef struct
{
  guint8 *memory;
  float *reward;
  guint8 *terminated;
  guint8 *truncated;
  guint8 *done;
} Outcome;

struct _ReelRolloutWorker
{
  ReelEnv *env;
  ReelPolicy *policy;
  ReelPolicy *acting; /* that, or another in its place */
  ReelExploration exploration;
  ReelTedColumns *columns;
  gsize *step_bytes;         /* of each column: all lanes */
  guint8 **carry;            /* by column of the root: its values before the next block */
  ReelTedStep *cursors;      /* by worker: lane 0 of the step at work, in pages of its own */
  Outcome *outcomes;         /* by worker; NULL where there is but one */
  ReelEnvGroupStep **groups; /* by worker: where the step at work writes what agents come to */
  guint8 ***results;         /* by worker: likewise rewards and flags of the env's own */
  const guint8 ***states;    /* by worker: likewise where it reads observations */
  guint8 *unseen;            /* reward and flags that no column has */
  gint64 list_most;          /* lanes that are looked through at a time */
  gint64 **lists_of;         /* by worker: the list of them, in pages of its own */
  gint n_workers;
  gboolean lanewise;   /* of the one that acts */
  GArray *cut_columns; /* of guint: flags that say that a lane is cut */
  ReelLaneEpisodes episodes;
  ReelFinishedEpisodes *finished; /* NULL unless somebody wants the list */
  const ReelTedKernels *kernels;
  const ReelLaneKernels *lists;
  const ReelCopyKernels *copies;
};

static Outcome *
make_outcomes (gint n_workers, gint64 n_lanes)
{
  Outcome *outcomes = g_new (Outcome, n_workers);

  for (gint worker = 0; worker < n_workers; worker++)
    {
      guint8 *memory = g_aligned_alloc ((gsize) n_lanes, sizeof (float) + 3, PAGE);
      guint8 *flags = memory + (gsize) n_lanes * sizeof (float);
      outcomes[worker] =
          (Outcome){ memory, (float *) memory, flags, flags + n_lanes, flags + 2 * n_lanes };
    }
  return outcomes;
}

static void
make_states (ReelRolloutWorker *self)
{
  gsize n = reel_env_get_private (self->env)->states.n;

  self->states = g_new (const guint8 **, self->n_workers);
  for (gint worker = 0; worker < self->n_workers; worker++)
    self->states[worker] = g_new (const guint8 *, n + 1);
}

/* point_unseen: the places of what no data have, for good. */
static void
point_unseen (ReelRolloutWorker *self)
{
  const ReelTedColumns *columns = self->columns;
  gsize bytes = (gsize) columns->n_lanes * sizeof (gint64);

  self->unseen = columns->n_unseen > 0 ? g_malloc (columns->n_unseen * bytes) : NULL;
  for (gint worker = 0; worker < self->n_workers; worker++)
    for (guint i = 0; i < columns->n_unseen; i++)
      self->cursors[worker].all[columns->n_columns + i] = self->unseen + i * bytes;
}

static void
list_cut_columns (ReelRolloutWorker *self)
{
  g_auto (GStrv) flags = reel_spec_list_leaves (reel_env_get_done_spec (self->env));

  self->cut_columns = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint c = 0; c < self->columns->n_columns; c++)
    {
      const char *path = self->columns->paths[c];

      if (g_str_has_prefix (path, "next/") && reel_env_flag_is_of_cuts (path + strlen ("next/"))
          && g_strv_contains ((const char *const *) flags, path + strlen ("next/")))
        g_array_append_val (self->cut_columns, c);
    }
}

ReelRolloutWorker *
reel_rollout_worker_new (ReelEnv *env, ReelPolicy *policy, ReelTedColumns *columns, gint n_workers,
                         GError **error)
{
  g_autoptr (ReelRolloutWorker) self = g_new0 (ReelRolloutWorker, 1);
  ReelIsa isa;

  self->env = g_object_ref (env);
  self->policy = g_object_ref (policy);
  self->columns = columns;
  self->n_workers = n_workers;
  reel_rollout_worker_use (self, NULL);
  list_cut_columns (self);

  self->step_bytes = g_new (gsize, columns->n_columns);
  for (guint c = 0; c < columns->n_columns; c++)
    self->step_bytes[c] = columns->row_bytes[c] * columns->n_lanes;
  self->carry = g_new (guint8 *, columns->root.n);
  for (guint i = 0; i < columns->root.n; i++)
    self->carry[i] = g_aligned_alloc0 (self->step_bytes[columns->root.first + i], 1, PAGE);
  self->cursors = g_new (ReelTedStep, n_workers);
  for (gint worker = 0; worker < n_workers; worker++)
    self->cursors[worker] = reel_ted_columns_name (
        columns, g_aligned_alloc (columns->n_columns + columns->n_unseen, sizeof (guint8 *), PAGE));
  self->groups = g_new (ReelEnvGroupStep *, n_workers);
  for (gint worker = 0; worker < n_workers; worker++)
    self->groups[worker] = g_new (ReelEnvGroupStep, columns->group_rewards.n);
  self->results = g_new (guint8 **, n_workers);
  for (gint worker = 0; worker < n_workers; worker++)
    self->results[worker] = g_new (guint8 *, columns->own_rewards.n + columns->root.n + 1);
  make_states (self);
  point_unseen (self);
  self->list_most = MIN (reel_env_get_reset_most (env), columns->n_lanes);
  self->lists_of = g_new (gint64 *, n_workers);
  for (gint worker = 0; worker < n_workers; worker++)
    self->lists_of[worker] =
        g_aligned_alloc ((gsize) self->list_most + REEL_LANE_LIST_SLACK, sizeof (gint64), PAGE);
  if (n_workers > 1)
    self->outcomes = make_outcomes (n_workers, columns->n_lanes);

  if (!reel_isa_choose (&isa, error))
    return NULL;
  reel_lane_episodes_init (&self->episodes, columns->n_lanes);
  self->kernels = REEL_KERNEL_PICK (reel_ted_kernels, isa);
  self->lists = REEL_KERNEL_PICK (reel_lane_kernels, isa);
  self->copies = REEL_KERNEL_PICK (reel_copy_kernels, isa);
  return g_steal_pointer (&self);
}

void
reel_rollout_worker_free (ReelRolloutWorker *self)
{
  if (self == NULL)
    return;
  for (gint worker = 0; worker < self->n_workers; worker++)
    {
      g_aligned_free (self->cursors[worker].all);
      g_free (self->groups[worker]);
      g_free (self->results[worker]);
      g_free (self->states[worker]);
      g_aligned_free (self->lists_of[worker]);
      if (self->outcomes)
        g_aligned_free (self->outcomes[worker].memory);
    }
  for (guint i = 0; i < self->columns->root.n; i++)
    g_aligned_free (self->carry[i]);
  g_free (self->groups);
  g_free (self->results);
  g_free (self->states);
  g_free (self->unseen);
  g_free (self->lists_of);
  g_free (self->outcomes);
  g_free (self->cursors);
  g_free (self->carry);
  g_free (self->step_bytes);
  g_clear_pointer (&self->cut_columns, g_array_unref);
  reel_lane_episodes_clear (&self->episodes);
  reel_ted_columns_free (self->columns);
  g_object_unref (self->policy);
  g_object_unref (self->env);
  g_free (self);
}

const ReelTedColumns *
reel_rollout_worker_get_columns (const ReelRolloutWorker *self)
{
  return self->columns;
}

const ReelLaneEpisodes *
reel_rollout_worker_get_episodes (const ReelRolloutWorker *self)
{
  return &self->episodes;
}

void
reel_rollout_worker_list_episodes (ReelRolloutWorker *self, ReelFinishedEpisodes *finished)
{
  self->finished = finished;
}

void
reel_rollout_worker_use (ReelRolloutWorker *self, ReelPolicy *other)
{
  self->acting = other ? other : self->policy;
  self->lanewise = reel_policy_is_lanewise (self->acting);
}

void
reel_rollout_worker_explore (ReelRolloutWorker *self, ReelExploration exploration)
{
  self->exploration = exploration;
}

void
reel_rollout_worker_reset (ReelRolloutWorker *self)
{
  reel_env_reset_lanes (self->env, 0, self->columns->n_lanes, NULL, self->carry);
}

/* Those that did no step were begun in vain: they are no episodes of anybody. */
static gint64
cut_episodes (ReelRolloutWorker *self, gint64 n_steps)
{
  gint64 n_lanes = self->columns->n_lanes, n_empty = 0;

  for (gint64 lane = 0; lane < n_lanes; lane++)
    if (self->episodes.records[lane].begun == n_steps)
      {
        reel_lane_episodes_skip (&self->episodes, lane);
        n_empty++;
      }
    else
      {
        if (self->finished)
          reel_finished_episodes_add (self->finished, 0, &self->episodes, &lane, 1, n_steps);
        reel_lane_episodes_finish (&self->episodes, &lane, 1, n_steps);
      }
  return n_empty;
}

gint64
reel_rollout_worker_restart (ReelRolloutWorker *self, gint64 n_steps)
{
  const ReelTedColumns *columns = self->columns;
  gint64 n_empty = cut_episodes (self, n_steps);

  for (guint i = columns->n_observations; i < columns->root.n; i++)
    memset (self->carry[i], 0, self->step_bytes[columns->root.first + i]);
  reel_rollout_worker_reset (self);
  return n_empty;
}

/* take_last: what followed the last rows, but neither the policy's state nor the flags of agents
 * where all begins anew. */
static void
take_last (ReelRolloutWorker *self, const ReelResumedLanes *resumed)
{
  const ReelTedColumns *columns = self->columns;

  for (guint i = 0; i < columns->next.n; i++)
    {
      guint next = columns->next.first + i;
      const ReelTensor *last =
          reel_tensordict_get_tensor (resumed->last, columns->paths[next], NULL);
      gsize bytes = columns->row_bytes[next];

      memcpy (self->carry[i], last->data, self->step_bytes[next]);
      for (gint64 lane = 0; lane < columns->n_lanes && i >= columns->n_observations; lane++)
        if (resumed->lanes[lane].done)
          memset (self->carry[i] + (gsize) lane * bytes, 0, bytes);
    }
}

void
reel_rollout_worker_resume (ReelRolloutWorker *self, const ReelResumedLanes *resumed)
{
  gint64 n_lanes = self->columns->n_lanes;
  g_autofree guint8 *done = g_new (guint8, n_lanes);

  for (gint64 lane = 0; lane < n_lanes; lane++)
    done[lane] = resumed->lanes[lane].done;
  take_last (self, resumed);
  reel_lane_episodes_resume (&self->episodes, resumed);
  reel_env_reset_lanes (self->env, 0, n_lanes, done, self->carry);
}

/* ---- the state: of the env, of the root of the next step, of the episodes ---- */

gsize
reel_rollout_worker_get_state_size (const ReelRolloutWorker *self)
{
  gsize n_lanes = (gsize) self->columns->n_lanes;
  gsize bytes = n_lanes * (reel_env_get_state_size (self->env) + REEL_LANE_EPISODE_BYTES);

  for (guint i = 0; i < self->columns->root.n; i++)
    bytes += self->step_bytes[self->columns->root.first + i];
  return bytes;
}

void
reel_rollout_worker_get_state (const ReelRolloutWorker *self, guint8 *state)
{
  gsize size = reel_env_get_state_size (self->env);

  for (gint64 lane = 0; lane < self->columns->n_lanes; lane++, state += size)
    reel_env_get_state (self->env, lane, state);
  for (guint i = 0; i < self->columns->root.n; i++)
    {
      gsize bytes = self->step_bytes[self->columns->root.first + i];

      memcpy (state, self->carry[i], bytes);
      state += bytes;
    }
  reel_lane_episodes_get_state (&self->episodes, state);
}

void
reel_rollout_worker_set_state (ReelRolloutWorker *self, const guint8 *state)
{
  gsize size = reel_env_get_state_size (self->env);

  for (gint64 lane = 0; lane < self->columns->n_lanes; lane++, state += size)
    reel_env_set_state (self->env, lane, state);
  for (guint i = 0; i < self->columns->root.n; i++)
    {
      gsize bytes = self->step_bytes[self->columns->root.first + i];

      memcpy (self->carry[i], state, bytes);
      state += bytes;
    }
  reel_lane_episodes_set_state (&self->episodes, state);
}

void
reel_rollout_worker_begin (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 begin,
                           gint64 end)
{
  const ReelTedColumns *columns = self->columns;

  for (guint i = 0; i < columns->root.n; i++)
    {
      guint c = columns->root.first + i;
      gsize bytes = columns->row_bytes[c];
      memcpy (block->columns[c] + begin * bytes, self->carry[i] + begin * bytes,
              (end - begin) * bytes);
    }
}

void
reel_rollout_worker_clear (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 from,
                           gint64 to)
{
  const ReelTedRange *flags = &self->columns->flags;
  gsize n_lanes = (gsize) self->columns->n_lanes;

  for (guint i = 0; i < flags->n; i++)
    memset (block->columns[flags->first + i] + (gsize) from * n_lanes, 0,
            (gsize) (to - from) * n_lanes);
}

/* seek: the columns of a step, in the cursor of @worker. */
static const ReelTedStep *
seek (const ReelRolloutWorker *self, gint worker, const ReelStepSpan *block, gint64 step)
{
  const ReelTedStep *at = &self->cursors[worker];

  for (guint c = 0; c < self->columns->n_columns; c++)
    at->all[c] = block->columns[c] + step * self->step_bytes[c];
  return at;
}

/* leave_out: zeros of what the policy would write beside its actions, where another acts. */
static void
leave_out (const ReelRolloutWorker *self, const ReelTedStep *at, gint64 begin, gint64 end)
{
  const ReelTedColumns *columns = self->columns;
  const gsize *bytes = columns->row_bytes + columns->outputs.first;

  for (guint i = 0; i < columns->outputs.n; i++)
    memset (at->output[i] + begin * bytes[i], 0, (end - begin) * bytes[i]);
  bytes = columns->row_bytes + columns->next.first + columns->n_observations;
  for (guint i = 0; i < columns->n_states; i++)
    memset (at->next_state[i] + begin * bytes[i], 0, (end - begin) * bytes[i]);
}

static gboolean
act (ReelRolloutWorker *self, const ReelTedStep *at, gint64 step, gint64 begin, gint64 end,
     GError **error)
{
  const ReelPolicyIO io = {
    .observation = (const guint8 *const *) at->root,
    .state = (const guint8 *const *) at->state,
    .action = at->action,
    .output = at->output,
    .next_state = at->next_state,
    .exploration = self->exploration,
  };

  if (self->acting != self->policy)
    leave_out (self, at, begin, end);
  return reel_policy_act (self->acting, step, begin, end, &io, error);
}

gboolean
reel_rollout_worker_act (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 step,
                         GError **error)
{
  return act (self, seek (self, 0, block, step), block->first_step + step, 0,
              self->columns->n_lanes, error);
}

/* flush: copies what was kept apart to the columns of the step at @at. */
static void
flush (const ReelRolloutWorker *self, const ReelTedStep *at, const ReelEnvIO *io, gint64 begin,
       gint64 end)
{
  gsize n = (gsize) (end - begin);

  self->copies->stream (*at->reward + begin * sizeof (float), (const guint8 *) (io->reward + begin),
                        n * sizeof (float));
  self->copies->stream (*at->terminated + begin, io->terminated + begin, n);
  self->copies->stream (*at->truncated + begin, io->truncated + begin, n);
  self->copies->stream (*at->done + begin, io->done + begin, n);
}

/* point_groups: to what agents come to in the step at @at. */
static const ReelEnvGroupStep *
point_groups (ReelRolloutWorker *self, gint worker, const ReelTedStep *at)
{
  guint8 *const *flags = at->next_group_flags;

  for (guint g = 0; g < self->columns->group_rewards.n; g++, flags += REEL_TED_N_FLAGS)
    self->groups[worker][g] = (ReelEnvGroupStep){
      .reward = (float *) at->group_reward[g],
      .done = flags[0],
      .terminated = flags[1],
      .truncated = flags[2],
    };
  return self->groups[worker];
}

/* point_results: to rewards of the env's own, then its flags. */
static guint8 *const *
point_results (ReelRolloutWorker *self, gint worker, const ReelTedStep *at)
{
  const ReelTedColumns *columns = self->columns;
  guint own =
      columns->n_observations + columns->n_states + REEL_TED_N_FLAGS * columns->group_rewards.n;
  guint8 **results = self->results[worker];

  memcpy (results, at->own_reward, columns->own_rewards.n * sizeof *results);
  memcpy (results + columns->own_rewards.n, at->next + own,
          (columns->root.n - own) * sizeof *results);
  return results;
}

/* carry_rest: the policy's state, and the flags of agents and of the env's own, to the root of the
 * step after the one at @at; where the lane is @done they begin anew. */
static void
carry_rest (const ReelRolloutWorker *self, const ReelTedStep *at, const guint8 *done, gint64 begin,
            gint64 end)
{
  const ReelTedColumns *columns = self->columns;

  for (guint i = columns->n_observations; i < columns->root.n; i++)
    {
      gsize bytes = columns->row_bytes[columns->root.first + i];

      for (gint64 lane = begin; lane < end; lane++)
        if (done[lane])
          memset (at->root[i] + lane * bytes, 0, bytes);
        else
          memcpy (at->root[i] + lane * bytes, at->next[i] + lane * bytes, bytes);
    }
}

/* reset_done: ends the episodes of the lanes that are done and begins their next. They are listed
 * first: which they are is nothing that a branch could be predicted by. */
static void
reset_done (ReelRolloutWorker *self, gint worker, const guint8 *done, guint8 *const *root,
            gint64 n_steps, gint64 begin, gint64 end)
{
  gint64 *lanes = self->lists_of[worker];

  for (gint64 chunk = begin; chunk < end; chunk += self->list_most)
    {
      gsize n = self->lists->list (chunk, MIN (chunk + self->list_most, end), done, lanes);

      if (self->finished)
        reel_finished_episodes_add (self->finished, worker, &self->episodes, lanes, n, n_steps);
      reel_lane_episodes_finish (&self->episodes, lanes, n, n_steps);
      reel_env_reset_listed (self->env, lanes, n, root);
    }
}

/* step_lanes: the step at @at, whose root is that of the step after it already; @n_steps were done
 * once it is. */
static void
step_lanes (ReelRolloutWorker *self, gint worker, const ReelTedStep *at, gint64 n_steps,
            gint64 begin, gint64 end)
{
  const Outcome *apart = self->outcomes ? &self->outcomes[worker] : NULL;
  const ReelEnvIO io = {
    .action = (const guint8 *const *) at->action,
    .observation = at->next,
    .carry = at->root,
    .reward = apart ? apart->reward : (float *) *at->reward,
    .terminated = apart ? apart->terminated : *at->terminated,
    .truncated = apart ? apart->truncated : *at->truncated,
    .done = apart ? apart->done : *at->done,
    .groups = point_groups (self, worker, at),
    .results = point_results (self, worker, at),
    .state = self->states[worker],
  };
  gint64 n_done = reel_env_step_lanes (self->env, begin, end, &io);

  self->kernels->record (end - begin, self->episodes.ids + begin, (gint64 *) *at->traj_ids + begin,
                         io.reward + begin, self->episodes.returns + begin);
  if (apart)
    flush (self, at, &io, begin, end);
  if (self->columns->root.n > self->columns->n_observations)
    carry_rest (self, at, io.done, begin, end);
  if (n_done > 0)
    reset_done (self, worker, io.done, at->root, n_steps, begin, end);
}

/* write_version: that of the policy which acted in the step at @at, for both sides of it. */
static void
write_version (const ReelRolloutWorker *self, const ReelTedStep *at, gint64 version, gint64 begin,
               gint64 end)
{
  for (guint i = 0; i < self->columns->versions.n; i++)
    for (gint64 lane = begin; lane < end; lane++)
      ((gint64 *) (gpointer) at->version[i])[lane] = version;
}

/* advance_root: to the root of the next step, or behind the last one of a block to the carry. */
static void
advance_root (const ReelRolloutWorker *self, const ReelTedStep *at, gboolean last)
{
  const ReelTedRange *root = &self->columns->root;

  for (guint i = 0; i < root->n; i++)
    at->root[i] = last ? self->carry[i] : at->root[i] + self->step_bytes[root->first + i];
}

/* advance_rest: the columns that a step writes to those of the next step. The root is there, and
 * the flags at the root are written elsewhere. */
static void
advance_rest (const ReelRolloutWorker *self, const ReelTedStep *at)
{
  const ReelTedColumns *columns = self->columns;

  for (guint c = columns->actions.first; c < columns->root.first; c++)
    at->all[c] += self->step_bytes[c];
  for (guint c = columns->next.first; c < columns->flags.first; c++)
    at->all[c] += self->step_bytes[c];
}

gboolean
reel_rollout_worker_run (ReelRolloutWorker *self, gint worker, const ReelStepSpan *block,
                         gint64 from, gint64 to, gint64 begin, gint64 end, GError **error)
{
  const ReelTedStep *at = seek (self, worker, block, from);
  gint64 version = reel_policy_get_version (self->policy);

  for (gint64 step = from; step < to; step++)
    {
      gint64 number = block->first_step + step;

      if (self->lanewise && !act (self, at, number, begin, end, error))
        return FALSE;
      reel_env_states_point (&reel_env_get_private (self->env)->states, at->root,
                             self->states[worker]);
      advance_root (self, at, step + 1 == block->n_steps);
      step_lanes (self, worker, at, number + 1, begin, end);
      write_version (self, at, version, begin, end);
      advance_rest (self, at);
    }
  if (self->outcomes)
    reel_ring_fence_writes ();
  return TRUE;
}

void
reel_rollout_worker_cut (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 n_steps)
{
  const ReelTedRange *root = &self->columns->root;

  for (guint i = 0; i < root->n; i++)
    {
      gsize bytes = self->step_bytes[root->first + i];
      memcpy (self->carry[i], block->columns[root->first + i] + n_steps * bytes, bytes);
    }
}

void
reel_rollout_worker_truncate (const ReelRolloutWorker *self, const ReelStepSpan *block, gint64 step)
{
  for (guint i = 0; i < self->cut_columns->len; i++)
    {
      guint c = g_array_index (self->cut_columns, guint, i);

      memset (block->columns[c] + step * self->step_bytes[c], TRUE, self->step_bytes[c]);
    }
}
