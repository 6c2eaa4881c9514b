/* The states of an episode with the sum of its rewards. Private. */
#pragma once

#include "recorded-states.h"

G_BEGIN_DECLS

/**
 * reel_recorded_states_play:
 * @buffer: as for reel_recorded_states_new()
 * @trajectory: likewise
 * @env: likewise
 * @reward_sum: (out): the rewards that count, see #ReelEnvIO, summed in order
 * @error: likewise
 *
 * Returns: (transfer full): as reel_recorded_states_new()
 */
GBytes *reel_recorded_states_play (ReelReplayBuffer *buffer, const ReelTrajectory *trajectory,
                                   ReelEnv *env, double *reward_sum, GError **error);

G_END_DECLS
