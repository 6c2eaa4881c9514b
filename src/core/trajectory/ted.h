/* Data of episodes as TorchRL lays them out (TED): at the root what was known before a step, in
 * `next` what came of it, time one of the batch dimensions. */
#pragma once

#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_episode_bounds_from_flags:
 * @flags: bools, true where a step is the last of its episode, such as `next/done`; any number of
 *   dimensions, any strides
 * @time_dim: which of them is time; negative counts from the end. All others are lanes, numbered in
 *   row-major order: a trailing dimension of 1 adds none
 * @error: TYPE when @flags is not bool, INDEX for @time_dim, NO_SPACE
 *
 * Cuts lanes into episodes. Steps are numbered lane after lane, lane × T + t, whatever the order in
 * memory. An episode ends after a flag and at the end of its lane. Memory with time fastest or
 * slowest (`[B, T]` and `[T, B]`) is read as it is, once; any other order is copied first.
 *
 * Returns: (transfer full): int64 `[n + 1]`, ascending: episode k is the steps from element k up to
 *   and without element k + 1; the first is 0, the last the number of steps. `[1]` without steps
 */
REEL_API
ReelTensor *reel_episode_bounds_from_flags (ReelTensor *flags, gint time_dim, GError **error);

/**
 * reel_episode_bounds_from_ids:
 * @ids: integers that stay the same within an episode and differ from one to the next, such as
 *   `collector/traj_ids`; any number of dimensions, any strides
 * @time_dim: which of them is time, as in reel_episode_bounds_from_flags()
 * @error: TYPE when @ids is bool, float or complex, INDEX for @time_dim, NO_SPACE
 *
 * As reel_episode_bounds_from_flags(), where an episode is a run of one id in a lane. Ids that are
 * not int64 or uint64 are widened first.
 *
 * Returns: (transfer full): int64 `[n + 1]`
 */
REEL_API
ReelTensor *reel_episode_bounds_from_ids (ReelTensor *ids, gint time_dim, GError **error);

/**
 * reel_find_start_stop_traj:
 * @trajectory: (nullable): integers that tell trajectories apart, as for
 *   reel_episode_bounds_from_ids(), in the order of a storage: `[T]` or `[T, lanes…]`
 * @end: (nullable): or bools, true where a step is the last of its trajectory, of such a shape
 * @at_capacity: whether the T steps are a full ring, in which step 0 follows step T − 1
 * @cursor: the step of a full ring that was written last, whose successor is its oldest; −1 where
 *   that is not known, or the ring is not full
 * @start: (out) (optional) (transfer full): first step and lane of each, int64 `[n, ndim]`
 * @stop: (out) (optional) (transfer full): last step and lane of each, int64 `[n, ndim]`
 * @length: (out) (optional) (transfer full): its steps, int64 `[n]`
 * @error: TYPE unless one of @trajectory and @end is given, and for its dtype; RUNTIME without
 *   steps; INDEX for a @cursor beyond them; NO_SPACE
 *
 * The trajectories of a storage, sorted by lane, the last dimension slowest, then by the step where
 * they stop. One ends after a flag, before another id, at the cursor, and at the end of what is not
 * full; in a full ring one may go on at step 0, and then stops before it starts. A lane of a full
 * ring without any end is one trajectory that stops at T − 1.
 *
 * Source: torchrl.data.find_start_stop_traj.
 *
 * Returns: whether they were found
 */
REEL_API
gboolean reel_find_start_stop_traj (ReelTensor *trajectory, ReelTensor *end, gboolean at_capacity,
                                    gint64 cursor, ReelTensor **start, ReelTensor **stop,
                                    ReelTensor **length, GError **error);

/**
 * reel_reward_to_go:
 * @reward: rewards of a real floating dtype; any shape, any strides
 * @done: bools of the same shape, true where a step is the last of its episode
 * @gamma: what a reward one step later is worth, 1 for a plain sum
 * @time_dim: which dimension is time; negative counts from the end. TorchRL's own is −2
 * @error: VALUE when the shapes differ, TYPE for the dtypes, INDEX for @time_dim, NO_SPACE
 *
 * The return ahead of each step: its reward and @gamma times what the step after it has, up to the
 * end of its episode or of the data. Summed in double precision, rounded once a step.
 *
 * Source: torchrl.objectives.value.functional.reward2go.
 *
 * Returns: (transfer full): a contiguous tensor of @reward's dtype and shape
 */
REEL_API
ReelTensor *reel_reward_to_go (ReelTensor *reward, ReelTensor *done, double gamma, gint time_dim,
                               GError **error);

/**
 * ReelStepMdpFlags:
 * @REEL_STEP_MDP_DEFAULT: other keys are kept, flags moved, rewards and actions left behind
 * @REEL_STEP_MDP_DROP_OTHER: take nothing from the root but what another flag keeps; Python's
 *   `keep_other=False`
 * @REEL_STEP_MDP_KEEP_REWARD: `exclude_reward=False`
 * @REEL_STEP_MDP_DROP_DONE: `exclude_done=True`
 * @REEL_STEP_MDP_KEEP_ACTION: `exclude_action=False`
 *
 * Keys that reel_step_mdp() keeps.
 */
typedef enum
{
  REEL_STEP_MDP_DEFAULT = 0,
  REEL_STEP_MDP_DROP_OTHER = 1 << 0,
  REEL_STEP_MDP_KEEP_REWARD = 1 << 1,
  REEL_STEP_MDP_DROP_DONE = 1 << 2,
  REEL_STEP_MDP_KEEP_ACTION = 1 << 3,
} ReelStepMdpFlags;

/**
 * ReelStepMdpKeys:
 * @reward: (array zero-terminated=1) (nullable): paths of the rewards; %NULL for `reward`
 * @done: (array zero-terminated=1) (nullable): paths of the flags; %NULL for `done`
 * @action: (array zero-terminated=1) (nullable): paths of the actions; %NULL for `action`
 *
 * Which keys the flags speak of, the same at the root and in `next`. Each stands for itself and
 * what is below it alone: `reward` is not `agents/reward`.
 */
typedef struct
{
  const char *const *reward;
  const char *const *done;
  const char *const *action;
} ReelStepMdpKeys;

/**
 * reel_step_mdp:
 * @td: a step, with what came of it in `next`; may be locked
 * @keys: (nullable): which keys are rewards, flags and actions; %NULL for TorchRL's
 * @flags: what is taken along
 * @next_td: (nullable): where to set the result, as reel_tensordict_update() does; %NULL for a new
 *   tensordict
 * @error: KEY when there is no `next`; RUNTIME when @next_td is locked or does not fit
 *
 * The start of the next step: the keys of the root, then those of `next`, which take their
 * place. Leaves are shared; nested tensordicts are new, and left out where nothing of them remains.
 * Lazy stacks are stepped element by element, each with the keys that it has.
 *
 * Source: torchrl.envs.utils.step_mdp.
 *
 * Returns: (transfer full): a tensordict of @td's batch size, or @next_td; on failure @next_td is
 *   as it was
 */
REEL_API
ReelTensordict *reel_step_mdp (const ReelTensordict *td, const ReelStepMdpKeys *keys,
                               ReelStepMdpFlags flags, ReelTensordict *next_td, GError **error);

/**
 * ReelSplitKeys:
 * @prefix: (nullable): the tensordict that holds `traj_ids` and gets `mask`; %NULL for `collector`
 *   where there is one, else the root
 * @trajectory_key: (nullable): path of the ids, which wins over @prefix; `mask` goes beside it
 * @done_key: (nullable): path below `next` of the flags that ids are made of where there are none;
 *   %NULL for `done`
 *
 * Where reel_split_trajectories() looks. Each may be %NULL.
 */
typedef struct
{
  const char *prefix;
  const char *trajectory_key;
  const char *done_key;
} ReelSplitKeys;

/**
 * reel_split_trajectories:
 * @td: data `[*B, T]`, time the last batch dimension; may be locked, and is not changed
 * @keys: (nullable): where ids and flags are; %NULL for TorchRL's
 * @as_nested: whether trajectories stay where they are, as long as they are, instead of being
 *   padded
 * @error: KEY when there are neither ids nor flags; VALUE when they are not one for each step; TYPE
 *   for their dtypes; RUNTIME without batch dimensions; NO_SPACE
 *
 * One row for each trajectory: cuts every lane where its ids change, or after its flags where it
 * has no ids, which are then numbered from 0 and set. A trajectory ends with its lane. Rows are
 * padded with zeros, False and None, and a bool `mask` says what is not padding. Where every lane
 * is one trajectory nothing is moved: views, with a mask of True, of @td's batch size, or `[1, T]`
 * of `[T]`.
 *
 * Source: torchrl.collectors.utils.split_trajectories.
 *
 * Returns: (transfer full): a tensordict `[N, longest]` or, with @as_nested, a lazy stack `[N,
 *   −1]`; lane after lane, without names where padded
 */
REEL_API
ReelTensordict *reel_split_trajectories (ReelTensordict *td, const ReelSplitKeys *keys,
                                         gboolean as_nested, GError **error);

G_END_DECLS
