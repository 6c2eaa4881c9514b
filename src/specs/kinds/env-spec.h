/* The specs of an environment as one composite, and those of the rows that it makes. */
#pragma once

#include "../spec.h"

G_BEGIN_DECLS

/**
 * reel_env_spec_new:
 * @observation: composite of the observation
 * @action: composite of the action
 * @reward: composite of the reward
 * @done: composite of the done flags, all four of one shape
 * @error: VALUE
 *
 * TorchRL's `env.specs`: `output_spec` holds `full_observation_spec`, `full_done_spec` and
 * `full_reward_spec`; `input_spec` holds `full_state_spec`, which is empty, and `full_action_spec`.
 *
 * Returns: (transfer full): all of them in one composite
 */
REEL_API
ReelSpec *reel_env_spec_new (const ReelSpec *observation, const ReelSpec *action,
                             const ReelSpec *reward, const ReelSpec *done, GError **error);

/**
 * reel_env_spec_set_state:
 * @spec: the result of reel_env_spec_new()
 * @state: composite of the leaves that a step reads beside the action
 * @error: VALUE
 *
 * Returns: (transfer full): @spec with @state as its `full_state_spec`
 */
REEL_API
ReelSpec *reel_env_spec_set_state (const ReelSpec *spec, const ReelSpec *state, GError **error);

/**
 * reel_env_spec_set_policy:
 * @spec: the result of reel_env_spec_new()
 * @output: composite of what a policy writes beside the action, see reel_policy_get_output_spec()
 * @state: composite of its state, see reel_policy_get_state_spec()
 * @error: VALUE
 *
 * Returns: (transfer full): @spec with @output and @state as `full_output_spec` and
 *   `full_state_spec` of its `policy_spec`; those that are empty are left out
 */
REEL_API
ReelSpec *reel_env_spec_set_policy (const ReelSpec *spec, const ReelSpec *output,
                                    const ReelSpec *state, GError **error);

/**
 * reel_env_spec_get_part:
 * @spec: what reel_env_spec_new() gave
 * @name: `observation`, `action`, `reward` or `done`; `policy_output` or `policy_state`
 *
 * Returns: (transfer none) (nullable): that composite, while @spec lives; %NULL where
 *   reel_env_spec_set_policy() did not set it
 */
REEL_API
const ReelSpec *reel_env_spec_get_part (const ReelSpec *spec, const char *name);

/**
 * reel_env_spec_to_rows:
 * @spec: what reel_env_spec_new() gave
 * @error: VALUE where two parts have the same key
 *
 * Returns: (transfer full): the spec of a row of TorchRL's episode data (TED): observation, action,
 *   done flags, outputs and state of the policy, and below `next` observation, reward, done flags
 *   and the state
 */
REEL_API
ReelSpec *reel_env_spec_to_rows (const ReelSpec *spec, GError **error);

G_END_DECLS
