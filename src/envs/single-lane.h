/* An env of one lane, with the memory that a step of it needs. */
#pragma once

#include "../core/tensordict/tensordict.h"
#include "../policies/policy.h"
#include "env.h"

G_BEGIN_DECLS

/**
 * ReelSingleLane:
 * @env: the env
 * @observation: what the last reset or step showed, by the leaves of the observation spec
 * @action: what the next step does, to be filled in
 * @observation_paths: (array zero-terminated=1): in reel_spec_list_leaves() order
 * @action_paths: (array zero-terminated=1): likewise
 * @observation_data: (array): a pointer for each of @observation_paths, into @observation
 * @action_data: (array): likewise
 * @reward: of the last step; 0 after a reset
 * @terminated: likewise
 * @truncated: likewise
 * @done: likewise
 * @groups: (array) (nullable): likewise of each group of agents of @env; %NULL where it has none
 * @results: (array): likewise of the rewards and flags of its own, see reel_env_take_results()
 * @env_state: (array): observations before the step that it reads, see reel_env_take_state()
 * @policy: (nullable): what acts, of reel_single_lane_take_policy()
 * @output: (nullable): what it wrote beside the last action
 * @state: (nullable): its state before the next step
 * @next_state: (nullable): memory for what follows
 * @output_data: (array) (nullable): a pointer for each leaf, into @output
 * @state_data: (array) (nullable): likewise
 * @next_state_data: (array) (nullable): likewise
 *
 * For who plays one episode at a time and looks at each step. One thread at a time.
 */
typedef struct
{
  ReelEnv *env;
  ReelTensordict *observation, *action;
  char **observation_paths, **action_paths;
  guint8 **observation_data, **action_data;
  float reward;
  guint8 terminated, truncated, done;
  ReelEnvGroupStep *groups;
  guint8 **results;
  guint8 **env_state;
  ReelPolicy *policy;
  ReelTensordict *output, *state, *next_state;
  guint8 **output_data, **state_data, **next_state_data;
} ReelSingleLane;

/**
 * reel_single_lane_new:
 * @env: an env of one lane
 * @error: VALUE where it has more; NO_SPACE
 *
 * Returns: (transfer full): what steps it, not reset yet
 */
REEL_API
ReelSingleLane *reel_single_lane_new (ReelEnv *env, GError **error);

/**
 * reel_single_lane_dup_text:
 * @env: an env
 * @lane: one of its lanes
 *
 * Returns: (transfer full): the text of an env whose lanes are of the kind of @lane: that of @env,
 *   but where it shows several envs side by side, that of the one that simulates @lane
 */
REEL_API
char *reel_single_lane_dup_text (ReelEnv *env, gint64 lane);

/**
 * reel_single_lane_free:
 * @self: (transfer full) (nullable): what reel_single_lane_new() gave
 *
 * Frees a lane and drops its env.
 */
REEL_API
void reel_single_lane_free (ReelSingleLane *self);

/**
 * reel_single_lane_reset:
 * @self: an env of one lane
 * @error: RUNTIME as reel_env_check_faults()
 *
 * Begins an episode, for the policy too.
 *
 * Returns: whether it could be simulated
 */
REEL_API
gboolean reel_single_lane_reset (ReelSingleLane *self, GError **error);

/**
 * reel_single_lane_step:
 * @self: an env of one lane, reset
 * @error: RUNTIME as reel_env_check_faults()
 *
 * Takes a step by @self's action.
 *
 * Returns: whether it could be simulated
 */
REEL_API
gboolean reel_single_lane_step (ReelSingleLane *self, GError **error);

/**
 * reel_single_lane_take_policy:
 * @self: an env of one lane
 * @policy: what acts from now on; a reference is taken
 * @error: as reel_policy_bind(); NO_SPACE
 *
 * Binds a policy to the lane, with the memory that it needs.
 *
 * Returns: whether it can act
 */
REEL_API
gboolean reel_single_lane_take_policy (ReelSingleLane *self, ReelPolicy *policy, GError **error);

/**
 * reel_single_lane_act:
 * @self: an env of one lane, reset, with a policy
 * @step: as in reel_policy_act()
 * @error: as reel_policy_act()
 *
 * Has the policy fill in @self's action.
 *
 * Returns: whether it did
 */
REEL_API
gboolean reel_single_lane_act (ReelSingleLane *self, gint64 step, GError **error);

/**
 * reel_single_lane_begin_policy:
 * @self: an env of one lane
 *
 * Zeroes the state of the policy: an episode begins that reel_single_lane_reset() did not begin.
 */
REEL_API
void reel_single_lane_begin_policy (ReelSingleLane *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelSingleLane, reel_single_lane_free)

G_END_DECLS
