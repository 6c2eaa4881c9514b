/* Which lanes a tensordict asks for. Private. */
#pragma once

#include "env-leaves.h"

G_BEGIN_DECLS

/**
 * reel_env_lane_mask:
 * @env: an env
 * @td: a tensordict of its batch size
 * @key: what asks: `_reset`, `_step` or a flag
 * @mask: (out) (transfer full) (nullable): bool, one a lane; %NULL where nobody asks
 * @error: TYPE or RUNTIME for what is no mask of lanes
 *
 * Returns: whether @mask was set
 */
gboolean reel_env_lane_mask (ReelEnv *env, const ReelTensordict *td, const char *key,
                             ReelTensor **mask, GError **error);

/**
 * reel_env_done_mask:
 * @env: an env
 * @td: a tensordict of its batch size
 * @mask: (out) (transfer full) (nullable): the lanes that are done at the root of @td; %NULL where
 *   the env shows none, or @td has no flag
 * @error: as reel_env_lane_mask()
 *
 * Returns: whether @mask was set
 */
gboolean reel_env_done_mask (ReelEnv *env, const ReelTensordict *td, ReelTensor **mask,
                             GError **error);

/**
 * reel_env_lane_mask_any:
 * @mask: (nullable): the result of reel_env_lane_mask()
 *
 * Returns: whether it is true for any lane
 */
gboolean reel_env_lane_mask_any (const ReelTensor *mask);

G_END_DECLS
