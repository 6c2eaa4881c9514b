/* Steps ranges of lanes through a block: the loop that every row of a collector passes. Private. */
#pragma once

#include "../policies/policy.h"
#include "finished-episodes.h"
#include "lane-episodes.h"
#include "ted-columns.h"

G_BEGIN_DECLS

/**
 * ReelStepSpan:
 * @columns: (array): of each of the #ReelTedColumns, step 0 of lane 0
 * @n_steps: steps that it holds
 * @first_step: number of its step 0 since the collector began
 *
 * Where a block of steps is written, of all lanes or of some: then the place of lane 0 is computed,
 * and nothing is there.
 */
typedef struct
{
  guint8 **columns;
  gint64 n_steps;
  gint64 first_step;
} ReelStepSpan;

/**
 * ReelRolloutWorker:
 *
 * An env, a policy and what lies between two steps of theirs: the observation of the step to come,
 * and the episodes. Its rows depend on no cut of the steps into blocks and of the lanes into
 * ranges.
 */
typedef struct _ReelRolloutWorker ReelRolloutWorker;

/**
 * ReelRolloutWorkerOptions:
 * @n_workers: threads or processes that may step at once
 * @step_lanes: lanes of a step of a block: all, or fewer where blocks are of some
 * @numbers: which lanes of a run they are
 * @is_shared: whether processes that are forked later step: what lies between two steps is in
 *   memory that they share
 */
typedef struct
{
  gint n_workers;
  gint64 step_lanes;
  ReelLaneNumbers numbers;
  gboolean is_shared;
} ReelRolloutWorkerOptions;

/**
 * reel_rollout_worker_new:
 * @env: an env; a reference is taken
 * @policy: a policy that is bound to it; a reference is taken
 * @columns: (transfer full): the columns of its steps
 * @options: threads and memory
 * @error: VALUE for a `REEL_ISA` that cannot be; NO_SPACE
 *
 * Returns: (transfer full): a rollout worker at step 0
 */
ReelRolloutWorker *reel_rollout_worker_new (ReelEnv *env, ReelPolicy *policy,
                                            ReelTedColumns *columns,
                                            const ReelRolloutWorkerOptions *options,
                                            GError **error);

/**
 * reel_rollout_worker_free:
 * @self: (transfer full) (nullable): a rollout worker
 */
void reel_rollout_worker_free (ReelRolloutWorker *self);

/**
 * reel_rollout_worker_get_columns:
 * @self: a rollout worker
 *
 * Returns: (transfer none): its columns
 */
const ReelTedColumns *reel_rollout_worker_get_columns (const ReelRolloutWorker *self);

/**
 * reel_rollout_worker_get_episodes:
 * @self: a rollout worker
 *
 * Returns: (transfer none): its episodes
 */
const ReelLaneEpisodes *reel_rollout_worker_get_episodes (const ReelRolloutWorker *self);

/**
 * reel_rollout_worker_list_episodes:
 * @self: a rollout worker, before its first step
 * @finished: (nullable): gets each episode that ends
 *
 * @finished must outlive the rollout worker.
 */
void reel_rollout_worker_list_episodes (ReelRolloutWorker *self, ReelFinishedEpisodes *finished);

/**
 * reel_rollout_worker_choose_list:
 * @self: a rollout worker that lists episodes
 * @worker: a thread
 * @list: of @finished, where it adds episodes from now on: the one of its own number at first
 */
void reel_rollout_worker_choose_list (ReelRolloutWorker *self, gint worker, gint list);

/**
 * reel_rollout_worker_take_share:
 * @self: a rollout worker
 * @worker: a thread, or process
 * @policy: acts for the lanes of @worker alone, which it always gets all at once; a reference is
 *   taken
 *
 * For policies that are not lanewise or have weights, before the first step. All workers have one
 * then, and act in reel_rollout_worker_run().
 */
void reel_rollout_worker_take_share (ReelRolloutWorker *self, gint worker, ReelPolicy *policy);

/**
 * reel_rollout_worker_take_weights:
 * @self: a rollout worker
 * @worker: this thread, which has a share of the policy, or this fork
 * @error: as reel_policy_take_weights()
 *
 * Has what acts for @worker take the newest weights, between two batches of it.
 *
 * Returns: whether it acts with them
 */
gboolean reel_rollout_worker_take_weights (ReelRolloutWorker *self, gint worker, GError **error);

/**
 * reel_rollout_worker_use:
 * @self: a rollout worker, between two blocks
 * @worker: a thread, or process; -1 for all
 * @other: (nullable): what acts from now on in the place of its policy, bound to the same env,
 * which must outlive @self; %NULL for its policy. It declares nothing beside actions: what the
 * policy would write there is 0
 */
void reel_rollout_worker_use (ReelRolloutWorker *self, gint worker, ReelPolicy *other);

/**
 * reel_rollout_worker_explore:
 * @self: a rollout worker
 * @exploration: how the policy is to choose
 */
void reel_rollout_worker_explore (ReelRolloutWorker *self, ReelExploration exploration);

/**
 * reel_rollout_worker_reset:
 * @self: a rollout worker
 * @begin: first lane
 * @end: one past the last
 *
 * Begins the first episode of these lanes. Any thread, for disjoint lanes.
 */
void reel_rollout_worker_reset (ReelRolloutWorker *self, gint64 begin, gint64 end);

/**
 * reel_rollout_worker_restart:
 * @self: a rollout worker that was reset, between two blocks
 * @worker: the calling thread
 * @n_steps: steps of each of these lanes so far
 * @begin: first lane
 * @end: one past the last
 *
 * Cuts the episodes of these lanes and begins their next. An id counts the episodes of its lane
 * that were begun, be they without a step.
 *
 * Returns: how many were, for reel_rollout_worker_forget_episodes()
 */
gint64 reel_rollout_worker_restart (ReelRolloutWorker *self, gint worker, gint64 n_steps,
                                    gint64 begin, gint64 end);

/**
 * reel_rollout_worker_forget_episodes:
 * @self: a rollout worker
 * @n: episodes without a step
 *
 * Leaves them out of the counts. Its owner.
 */
void reel_rollout_worker_forget_episodes (ReelRolloutWorker *self, gint64 n);

/**
 * reel_rollout_worker_resume:
 * @self: a rollout worker, in the place of reel_rollout_worker_reset()
 * @resumed: where the lanes of a run stood, of at least one step, as those of the env do now
 *
 * Goes on there: what is observed before the step to come is what followed the last, or the
 * beginning of an episode.
 */
void reel_rollout_worker_resume (ReelRolloutWorker *self, const ReelResumedLanes *resumed);

/**
 * reel_rollout_worker_get_state_size:
 * @self: a rollout worker
 * @n_lanes: a number of lanes
 *
 * Returns: bytes of the state of so many lanes between two steps: that of the env, then the rest
 */
gsize reel_rollout_worker_get_state_size (const ReelRolloutWorker *self, gint64 n_lanes);

/**
 * reel_rollout_worker_get_env_state:
 * @self: a rollout worker, between two steps of these lanes
 * @begin: first lane
 * @end: one past the last
 * @state: memory for the states of the env, lane after lane
 *
 * Returns: the byte after them. Any thread, or process that steps these lanes
 */
guint8 *reel_rollout_worker_get_env_state (const ReelRolloutWorker *self, gint64 begin, gint64 end,
                                           guint8 *state);

/**
 * reel_rollout_worker_get_rest:
 * @self: a rollout worker, between two steps of these lanes
 * @begin: first lane
 * @end: one past the last
 * @state: memory for what is observed before the next step, and where the lanes are in their
 *   episodes
 */
void reel_rollout_worker_get_rest (const ReelRolloutWorker *self, gint64 begin, gint64 end,
                                   guint8 *state);

/**
 * reel_rollout_worker_get_state:
 * @self: a rollout worker, between two steps
 * @state: memory for the state of all lanes: that of the env, then the rest
 */
void reel_rollout_worker_get_state (const ReelRolloutWorker *self, guint8 *state);

/**
 * reel_rollout_worker_set_state:
 * @self: a rollout worker, in the place of reel_rollout_worker_reset()
 * @begin: first lane
 * @end: one past the last
 * @state: that of the env, then the rest
 *
 * Goes on there. Episodes that ended before do not count. Of several calls that of lane 0 comes
 * first.
 */
void reel_rollout_worker_set_state (ReelRolloutWorker *self, gint64 begin, gint64 end,
                                    const guint8 *state);

/**
 * reel_rollout_worker_begin:
 * @self: a rollout worker
 * @block: a block that follows the last one
 * @begin: first lane
 * @end: one past the last
 *
 * Writes what is observed before step 0 of @block. Any thread, for disjoint lanes.
 */
void reel_rollout_worker_begin (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 begin,
                                gint64 end);

/**
 * reel_rollout_worker_clear:
 * @self: a rollout worker
 * @block: a block that follows the last one
 * @from: a step of it
 * @to: one past the last
 * @first: the first lane that the block has
 *
 * Writes the flags that are known before these steps, of all lanes of the block: nothing is done,
 * whatever was has been reset. Any thread, for disjoint steps: threads that filled parts of the
 * same pages would take them from each other.
 */
void reel_rollout_worker_clear (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 from,
                                gint64 to, gint64 first);

/**
 * reel_rollout_worker_act:
 * @self: a rollout worker whose policy sees all lanes at once
 * @block: a block
 * @step: one of its steps
 * @error: whatever the policy says
 *
 * Has the policy act in one step. The thread that the policy belongs to.
 *
 * Returns: whether it did
 */
gboolean reel_rollout_worker_act (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 step,
                                  GError **error);

/**
 * reel_rollout_worker_run:
 * @self: a rollout worker
 * @worker: which thread this is, below `n_workers`
 * @block: a block that was begun for these lanes
 * @from: the first step of it to do
 * @to: one past the last
 * @begin: first lane
 * @end: one past the last
 * @error: whatever a policy says that acts lane by lane
 *
 * Does these steps. A policy that acts lane by lane acts in each; others have acted before. Any
 * thread, for disjoint lanes.
 *
 * Returns: whether all were done; if not, these lanes stand at another step than the rest, and
 *   nothing can follow
 */
gboolean reel_rollout_worker_run (ReelRolloutWorker *self, gint worker, const ReelStepSpan *block,
                                  gint64 from, gint64 to, gint64 begin, gint64 end, GError **error);

/**
 * reel_rollout_worker_cut:
 * @self: a rollout worker
 * @block: a block
 * @n_steps: the steps of it that were done by these lanes, fewer than it holds
 * @begin: first lane
 * @end: one past the last
 *
 * Goes on after these steps in the block that comes next, as if @block ended there. Any thread, for
 * disjoint lanes.
 */
void reel_rollout_worker_cut (ReelRolloutWorker *self, const ReelStepSpan *block, gint64 n_steps,
                              gint64 begin, gint64 end);

/**
 * reel_rollout_worker_truncate:
 * @self: a rollout worker
 * @block: a block
 * @step: a step of it that is complete
 * @begin: first lane
 * @end: one past the last
 *
 * Marks the step as truncated and done in these lanes, and their agents, in the data alone. Any
 * thread, for disjoint lanes.
 */
void reel_rollout_worker_truncate (const ReelRolloutWorker *self, const ReelStepSpan *block,
                                   gint64 step, gint64 begin, gint64 end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRolloutWorker, reel_rollout_worker_free)

G_END_DECLS
