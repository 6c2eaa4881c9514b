/* The states that an env was in while a run was recorded. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"
#include "../buffers/samplers/trajectory-index.h"
#include "../envs/env.h"

G_BEGIN_DECLS

/**
 * reel_recorded_states_new:
 * @buffer: one that a collector filled, opened or not, with what its sidecar says of the run's env
 * @trajectory: an episode of it, of which nothing is overwritten
 * @env: the env that the run was of, of one lane, without pixels; it is seeded anew
 * @error: KEY where the run's seed, the trajectory's id or an action is not stored; VALUE where the
 *   id is none that the rows leave room for; RUNTIME naming the step that came out otherwise than
 *   it is stored; INDEX where rows were overwritten; NOT_IMPLEMENTED where it has no state, see
 *   reel_env_has_state()
 *
 * Plays an episode again: a lane begins each episode by draws from its own stream, which depends on
 * the run's seed, the lane and the number of the episode alone; the stored actions do the rest.
 * The stored results of a step (observation, reward, termination) must come out the same
 * to the bit, so that what this returns is what was, or nothing. Values that depend on earlier
 * episodes, such as those that `vec-norm` normalised, are not compared, and what works of a chain
 * keep of them is that of this episode alone. Any thread that owns @env; the
 * buffer may be written to meanwhile.
 *
 * Returns: (transfer full): @trajectory's n_steps + 1 states of reel_env_get_state_size() bytes
 *   each, for reel_env_set_state(): before the first step and after every one
 */
REEL_API
GBytes *reel_recorded_states_new (ReelReplayBuffer *buffer, const ReelTrajectory *trajectory,
                                  ReelEnv *env, GError **error);

G_END_DECLS
