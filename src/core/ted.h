/* Data of episodes as TorchRL lays them out (TED): at the root what was known before a step, in
 * `next` what came of it, time one of the batch dimensions. */
#pragma once

#include "tensordict.h"

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
 * reel_reward_to_go:
 * @reward: rewards of a real floating dtype; any shape, any strides
 * @done: bools of the same shape, true where a step is the last of its episode
 * @gamma: what a reward one step later is worth, 1 for a plain sum
 * @time_dim: which dimension is time; negative counts from the end. TorchRL's own is −2
 * @error: VALUE when the shapes differ, TYPE for the dtypes, INDEX for @time_dim, NO_SPACE
 *
 * What each step has ahead of it: its reward and @gamma times what the step after it has, up to the
 * end of its episode or of the data. Summed in double precision, rounded once a step.
 *
 * Source: torchrl.objectives.value.functional.reward2go.
 *
 * Returns: (transfer full): a contiguous tensor of @reward's dtype and shape
 */
REEL_API
ReelTensor *reel_reward_to_go (ReelTensor *reward, ReelTensor *done, double gamma, gint time_dim,
                               GError **error);

G_END_DECLS
