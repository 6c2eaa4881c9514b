#include "rollout-worker.h"

#include "../buffers/storages/copy-kernel.h"
#include "../buffers/storages/ring.h"
#include "../core/system/mapping.h"
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
  ReelExploration exploration;
  ReelTedColumns *columns;
  gsize *step_bytes;         /* of each column: the lanes of a step of a block */
  gint64 step_lanes;         /* how many those are */
  guint8 **carry;            /* by column of the root: its values before the next block */
  ReelMapping shared;        /* the memory of the carry, where processes step */
  ReelTedStep *cursors;      /* by worker: lane 0 of the step at work, in pages of its own */
  Outcome *outcomes;         /* by worker; NULL where there is but one */
  ReelEnvGroupStep **groups; /* by worker: where the step at work writes what agents come to */
  guint8 ***results;         /* by worker: likewise rewards and flags of the env's own */
  const guint8 ***states;    /* by worker: likewise where it reads observations */
  guint8 *unseen;            /* reward and flags that no column has */
  gint64 list_most;          /* lanes that are looked through at a time */
  gint64 **lists_of;         /* by worker: the list of them, in pages of its own */
  gint n_workers;
  ReelPolicy **shares; /* by worker: what acts for its lanes alone; NULL where @policy does */
  ReelPolicy **others; /* by worker: what acts in the place of both, or NULL */
  gboolean has_shares;
  GArray *cut_columns; /* of guint: flags that say that a lane is cut */
  ReelLaneEpisodes episodes;
  ReelFinishedEpisodes *finished; /* NULL unless somebody wants the list */
  gint *list_of;                  /* by worker: which of these lists it adds to */
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

static gsize
carry_bytes (const ReelTedColumns *columns, guint i)
{
  gsize bytes = columns->row_bytes[columns->root.first + i] * (gsize) columns->n_lanes;

  return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* make_carry: each in pages of its own. */
static gboolean
make_carry (ReelRolloutWorker *self, gboolean is_shared, GError **error)
{
  const ReelTedColumns *columns = self->columns;
  gsize bytes = 0;

  for (guint i = 0; i < columns->root.n; i++)
    bytes += carry_bytes (columns, i);
  self->carry = g_new0 (guint8 *, columns->root.n + 1);
  if (is_shared && !reel_mapping_new_shared (MAX (bytes, PAGE), &self->shared))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "cannot share %" G_GSIZE_FORMAT " bytes of observations with worker processes",
                   bytes);
      return FALSE;
    }
  bytes = 0;
  for (guint i = 0; i < columns->root.n; bytes += carry_bytes (columns, i++))
    self->carry[i] = is_shared ? self->shared.data + bytes
                               : g_aligned_alloc0 (carry_bytes (columns, i), 1, PAGE);
  return TRUE;
}

static void
free_carry (ReelRolloutWorker *self)
{
  for (guint i = 0; self->carry && self->shared.data == NULL && i < self->columns->root.n; i++)
    g_aligned_free (self->carry[i]);
  reel_mapping_unmap (&self->shared);
  g_free (self->carry);
}

ReelRolloutWorker *
reel_rollout_worker_new (ReelEnv *env, ReelPolicy *policy, ReelTedColumns *columns,
                         const ReelRolloutWorkerOptions *options, GError **error)
{
  g_autoptr (ReelRolloutWorker) self = g_new0 (ReelRolloutWorker, 1);
  gint n_workers = options->n_workers;
  ReelIsa isa;

  self->env = g_object_ref (env);
  self->policy = g_object_ref (policy);
  self->columns = columns;
  self->n_workers = n_workers;
  self->shares = g_new0 (ReelPolicy *, n_workers);
  self->others = g_new0 (ReelPolicy *, n_workers);
  list_cut_columns (self);
  self->list_of = g_new (gint, n_workers);
  for (gint worker = 0; worker < n_workers; worker++)
    self->list_of[worker] = worker;

  self->step_lanes = options->step_lanes;
  self->step_bytes = g_new (gsize, columns->n_columns);
  for (guint c = 0; c < columns->n_columns; c++)
    self->step_bytes[c] = columns->row_bytes[c] * (gsize) self->step_lanes;
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

  if (!reel_isa_choose (&isa, error) || !make_carry (self, options->is_shared, error)
      || !reel_lane_episodes_init (&self->episodes, columns->n_lanes, &options->numbers,
                                   options->is_shared, error))
    return NULL;
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
      g_clear_object (&self->shares[worker]);
    }
  free_carry (self);
  g_free (self->shares);
  g_free (self->others);
  g_free (self->list_of);
  g_free (self->groups);
  g_free (self->results);
  g_free (self->states);
  g_free (self->unseen);
  g_free (self->lists_of);
  g_free (self->outcomes);
  g_free (self->cursors);
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
reel_rollout_worker_choose_list (ReelRolloutWorker *self, gint worker, gint list)
{
  self->list_of[worker] = list;
}

void
reel_rollout_worker_take_share (ReelRolloutWorker *self, gint worker, ReelPolicy *policy)
{
  g_set_object (&self->shares[worker], policy);
  self->has_shares = TRUE;
}

/* acting: the policy, or the share of it that @worker has. */
static ReelPolicy *
acting (const ReelRolloutWorker *self, gint worker)
{
  return self->shares[worker] ? self->shares[worker] : self->policy;
}

gboolean
reel_rollout_worker_take_weights (ReelRolloutWorker *self, gint worker, GError **error)
{
  return reel_policy_take_weights (acting (self, worker), error);
}

void
reel_rollout_worker_use (ReelRolloutWorker *self, gint worker, ReelPolicy *other)
{
  for (gint i = 0; i < self->n_workers; i++)
    if (worker < 0 || i == worker)
      self->others[i] = other;
}

void
reel_rollout_worker_explore (ReelRolloutWorker *self, ReelExploration exploration)
{
  self->exploration = exploration;
}

void
reel_rollout_worker_reset (ReelRolloutWorker *self, gint64 begin, gint64 end)
{
  reel_env_reset_lanes (self->env, begin, end, NULL, self->carry);
}

/* Those that did no step were begun in vain: they are no episodes of anybody. */
static gint64
cut_episodes (ReelRolloutWorker *self, gint worker, gint64 n_steps, gint64 begin, gint64 end)
{
  gint64 n_empty = 0;

  for (gint64 lane = begin; lane < end; lane++)
    if (self->episodes.records[lane].begun == n_steps)
      {
        reel_lane_episodes_skip (&self->episodes, lane);
        n_empty++;
      }
    else
      {
        if (self->finished)
          reel_finished_episodes_add (self->finished, self->list_of[worker], &self->episodes, &lane,
                                      1, n_steps);
        reel_lane_episodes_finish (&self->episodes, &lane, 1, n_steps);
      }
  return n_empty;
}

gint64
reel_rollout_worker_restart (ReelRolloutWorker *self, gint worker, gint64 n_steps, gint64 begin,
                             gint64 end)
{
  const ReelTedColumns *columns = self->columns;
  gint64 n_empty = cut_episodes (self, worker, n_steps, begin, end);

  for (guint i = columns->n_observations; i < columns->root.n; i++)
    {
      gsize bytes = columns->row_bytes[columns->root.first + i];

      memset (self->carry[i] + begin * bytes, 0, (end - begin) * bytes);
    }
  reel_rollout_worker_reset (self, begin, end);
  return n_empty;
}

void
reel_rollout_worker_forget_episodes (ReelRolloutWorker *self, gint64 n)
{
  self->episodes.episodes_before += n;
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

      memcpy (self->carry[i], last->data, bytes * (gsize) columns->n_lanes);
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
reel_rollout_worker_get_state_size (const ReelRolloutWorker *self, gint64 n_lanes)
{
  const ReelTedColumns *columns = self->columns;
  gsize bytes = reel_env_get_state_size (self->env) + REEL_LANE_EPISODE_BYTES;

  for (guint i = 0; i < columns->root.n; i++)
    bytes += columns->row_bytes[columns->root.first + i];
  return bytes * (gsize) n_lanes;
}

guint8 *
reel_rollout_worker_get_env_state (const ReelRolloutWorker *self, gint64 begin, gint64 end,
                                   guint8 *state)
{
  gsize size = reel_env_get_state_size (self->env);

  for (gint64 lane = begin; lane < end; lane++, state += size)
    reel_env_get_state (self->env, lane, state);
  return state;
}

void
reel_rollout_worker_get_rest (const ReelRolloutWorker *self, gint64 begin, gint64 end,
                              guint8 *state)
{
  for (guint i = 0; i < self->columns->root.n; i++)
    {
      gsize bytes = self->columns->row_bytes[self->columns->root.first + i];

      memcpy (state, self->carry[i] + begin * bytes, (end - begin) * bytes);
      state += (end - begin) * bytes;
    }
  reel_lane_episodes_get_state (&self->episodes, begin, end, state);
}

void
reel_rollout_worker_get_state (const ReelRolloutWorker *self, guint8 *state)
{
  gint64 n_lanes = self->columns->n_lanes;

  state = reel_rollout_worker_get_env_state (self, 0, n_lanes, state);
  reel_rollout_worker_get_rest (self, 0, n_lanes, state);
}

void
reel_rollout_worker_set_state (ReelRolloutWorker *self, gint64 begin, gint64 end,
                               const guint8 *state)
{
  gsize size = reel_env_get_state_size (self->env);

  for (gint64 lane = begin; lane < end; lane++, state += size)
    reel_env_set_state (self->env, lane, state);
  for (guint i = 0; i < self->columns->root.n; i++)
    {
      gsize bytes = self->columns->row_bytes[self->columns->root.first + i];

      memcpy (self->carry[i] + begin * bytes, state, (end - begin) * bytes);
      state += (end - begin) * bytes;
    }
  reel_lane_episodes_set_state (&self->episodes, begin, end, state);
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
                           gint64 to, gint64 first)
{
  const ReelTedRange *flags = &self->columns->flags;

  for (guint i = 0; i < flags->n; i++)
    memset (block->columns[flags->first + i] + from * self->step_lanes + first, 0,
            (gsize) ((to - from) * self->step_lanes));
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

/* act: has what belongs to @worker act, or what acts in its place. */
static gboolean
act (ReelRolloutWorker *self, gint worker, const ReelTedStep *at, gint64 step, gint64 begin,
     gint64 end, GError **error)
{
  ReelPolicy *own = acting (self, worker);
  ReelPolicy *other = self->others[worker];
  const ReelPolicyIO io = {
    .observation = (const guint8 *const *) at->root,
    .state = (const guint8 *const *) at->state,
    .action = at->action,
    .output = at->output,
    .next_state = at->next_state,
    .exploration = self->exploration,
  };

  if (other)
    leave_out (self, at, begin, end);
  return reel_policy_act (other ? other : own, step, begin, end, &io, error);
}

/* acts_apart: whether @worker acts while it steps its lanes. */
static gboolean
acts_apart (const ReelRolloutWorker *self, gint worker)
{
  return self->has_shares
         || reel_policy_is_lanewise (self->others[worker] ? self->others[worker] : self->policy);
}

gboolean
reel_rollout_worker_act (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 step,
                         GError **error)
{
  return act (self, 0, seek (self, 0, block, step), block->first_step + step, 0,
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
        reel_finished_episodes_add (self->finished, self->list_of[worker], &self->episodes, lanes,
                                    n, n_steps);
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
  gint64 version = reel_policy_get_version (acting (self, worker));
  gboolean acts = acts_apart (self, worker);

  for (gint64 step = from; step < to; step++)
    {
      gint64 number = block->first_step + step;

      if (acts && !act (self, worker, at, number, begin, end, error))
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
reel_rollout_worker_cut (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 n_steps,
                         gint64 begin, gint64 end)
{
  const ReelTedColumns *columns = self->columns;

  for (guint i = 0; i < columns->root.n; i++)
    {
      guint c = columns->root.first + i;
      gsize bytes = columns->row_bytes[c];

      memcpy (self->carry[i] + begin * bytes,
              block->columns[c] + n_steps * self->step_bytes[c] + begin * bytes,
              (end - begin) * bytes);
    }
}

void
reel_rollout_worker_truncate (const ReelRolloutWorker *self, const ReelStepSpan *block, gint64 step,
                              gint64 begin, gint64 end)
{
  for (guint i = 0; i < self->cut_columns->len; i++)
    {
      guint c = g_array_index (self->cut_columns, guint, i);
      gsize bytes = self->columns->row_bytes[c];

      memset (block->columns[c] + step * self->step_bytes[c] + begin * bytes, TRUE,
              (end - begin) * bytes);
    }
}
