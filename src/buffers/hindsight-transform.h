/* Hindsight relabelling of goals. */
#pragma once

#include "../transforms/transform.h"

G_BEGIN_DECLS

/**
 * ReelHindsightTransform:
 *
 * Hindsight experience replay (Andrychowicz et al., 2017), TorchRL's `HERReplayBuffer`, as a
 * transform of a buffer: of each batch that is sampled the first `ratio` of the rows get another
 * desired goal, one that was achieved later, and the reward that it would have brought. The rest is
 * as it was stored. Rows read by place stay as they are.
 *
 * Goals come from the trajectory of the row, as #ReelTrajectoryIndex has it: never from behind an
 * end, nor across the cursor of the ring. Rows that were overwritten since they were drawn, ahead
 * of their use, keep their goal. It is to be the first transform of its chain, of a buffer, not of
 * an ensemble.
 *
 * Id `hindsight`. Properties: `strategy` (`future`: any step from the row's own to the last of its
 * trajectory; `final`: the last; `episode`: any; `random`: any row of the storage, the one strategy
 * that leaves the trajectory), `ratio` (0.8), `goal-key` (`desired_goal`; what stands below `next`
 * under that name changes too), `achieved-goal-key` (`achieved_goal`), `reward-key`
 * (`next/reward`), `traj-key` and `end-key` (what tells trajectories apart: see
 * #ReelTrajectoryKeys; `terminated` beside the end key counts too), `reward`: `sparse`, 0 within
 * `threshold` (0.05) of the goal, −1 elsewhere; or `dense`, −distance: both of `next` and the
 * achieved goal's key where that is stored, else of that key; and `seed` (0).
 */
#define REEL_TYPE_HINDSIGHT_TRANSFORM (reel_hindsight_transform_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelHindsightTransform, reel_hindsight_transform, REEL, HINDSIGHT_TRANSFORM,
                      ReelTransform)

/**
 * ReelHindsightRewardFunc:
 * @rows: rows with their new goals, `[n]`; not to be changed
 * @user_data: what reel_hindsight_transform_set_reward() was given
 * @error: why it failed
 *
 * Called by any thread that reads.
 *
 * Returns: (transfer full): the reward of each, `[n]` or `[n, 1]`, of the dtype that is stored
 */
typedef ReelTensor *(*ReelHindsightRewardFunc) (ReelTensordict *rows, gpointer user_data,
                                                GError **error);

/**
 * reel_hindsight_transform_set_reward:
 * @self: a transform
 * @reward: (scope notified): reward of a reached goal, in the place of the property `reward`
 * @user_data: for @reward
 * @destroy: (nullable): called with @user_data when it is not needed any more
 *
 * Before the first batch. The transform cannot be cloned then.
 */
REEL_API
void reel_hindsight_transform_set_reward (ReelHindsightTransform *self,
                                          ReelHindsightRewardFunc reward, gpointer user_data,
                                          GDestroyNotify destroy);

G_END_DECLS
