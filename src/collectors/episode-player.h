/* Plays stored episodes again, step by step. Private. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"
#include "../buffers/samplers/trajectory-index.h"
#include "../envs/env.h"

G_BEGIN_DECLS

/**
 * ReelEpisodePlayer:
 *
 * An env of one lane, and a run of which it repeats episodes. One thread at a time.
 */
typedef struct _ReelEpisodePlayer ReelEpisodePlayer;

/**
 * reel_episode_player_new:
 * @buffer: as for reel_recorded_states_new()
 * @env: likewise
 * @error: KEY where the run's seed is not stored; NOT_IMPLEMENTED for an env without states; VALUE
 *   for one of several lanes
 *
 * Returns: (transfer full): a player
 */
ReelEpisodePlayer *reel_episode_player_new (ReelReplayBuffer *buffer, ReelEnv *env, GError **error);

/**
 * reel_episode_player_free:
 * @self: (transfer full) (nullable): a player
 */
void reel_episode_player_free (ReelEpisodePlayer *self);

/**
 * reel_episode_player_play:
 * @self: a player
 * @trajectory: as for reel_recorded_states_new()
 * @states: (nullable): to which the states of the env are appended: before the first step and after
 *   every one
 * @reward_sum: (out): the rewards that count, see #ReelEnvIO, summed in order
 * @error: as reel_recorded_states_new()
 *
 * Leaves the env as it was after the last step.
 *
 * Returns: whether everything came out as it is stored
 */
gboolean reel_episode_player_play (ReelEpisodePlayer *self, const ReelTrajectory *trajectory,
                                   GByteArray *states, double *reward_sum, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelEpisodePlayer, reel_episode_player_free)

G_END_DECLS
