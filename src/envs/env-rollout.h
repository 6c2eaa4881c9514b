/* Whole episodes of an env as one tensordict: TorchRL's `rollout`. */
#pragma once

#include "../policies/policy.h"
#include "env-step.h"

G_BEGIN_DECLS

/**
 * ReelRolloutEnd:
 * @REEL_ROLLOUT_ANY_DONE: after the first step in which any lane is done
 * @REEL_ROLLOUT_ALL_DONE: when every lane was done once. Lanes that are stand still; their last
 *   step is repeated
 * @REEL_ROLLOUT_MAX_STEPS: after the last step alone. Lanes that are done are reset before their
 *   next step, but for the last one
 *
 * When a rollout ends before its last step: TorchRL's `break_when_any_done`, its default, and
 * `break_when_all_done`, or neither.
 */
typedef enum
{
  REEL_ROLLOUT_ANY_DONE,
  REEL_ROLLOUT_ALL_DONE,
  REEL_ROLLOUT_MAX_STEPS,
} ReelRolloutEnd;

/**
 * ReelRolloutPolicy:
 * @td: what is known before a step; entries may be set in it, below `next` too
 * @user_data: as given
 * @error: why it failed
 *
 * A policy that acts by tensordicts. It needs to set the actions; whatever else it sets is recorded
 * with the step, and what it sets below `next` comes to the root of the next one, such as the state
 * of a recurrent network. Once a lane was reset that is zero.
 *
 * Returns: (transfer full): @td, or a tensordict whose entries are set in it; %NULL on failure
 */
typedef ReelTensordict *(*ReelRolloutPolicy) (ReelTensordict *td, gpointer user_data,
                                              GError **error);

/**
 * ReelRolloutFunc:
 * @env: the env
 * @td: what the next step begins with; with %REEL_ROLLOUT_MAX_STEPS the step that was done
 * @user_data: as given
 *
 * Called after each step but the last.
 */
typedef void (*ReelRolloutFunc) (ReelEnv *env, ReelTensordict *td, gpointer user_data);

/**
 * ReelRolloutOptions:
 * @end: when it ends
 * @policy: (nullable): what acts, as reel_env_act()
 * @act: (nullable): what acts instead
 * @act_data: for @act
 * @actions: (nullable): or the actions of each step, `[num-envs, T]`, `[T]` for a single lane; T
 *   bounds the steps
 * @callback: (nullable): called after each step but the last
 * @callback_data: for @callback
 * @tensordict: (nullable): what is known: given to reel_env_reset() or, with @no_reset, gone on
 *   with. It changes
 * @no_reset: go on from @tensordict; only lanes that are done there are reset. TorchRL's
 *   `auto_reset=False`
 * @set_truncated: whether every lane, and every agent, is truncated in the last step
 * @lazy: give a lazy stack of the steps instead of a copy: `return_contiguous=False`
 * @out: (nullable): what is filled with the steps: of the same keys, and as many steps
 *
 * How to roll out; zeroed for TorchRL's defaults. Without a policy actions are random.
 */
typedef struct
{
  ReelRolloutEnd end;
  ReelPolicy *policy;
  ReelRolloutPolicy act;
  gpointer act_data;
  ReelTensordict *actions;
  ReelRolloutFunc callback;
  gpointer callback_data;
  ReelTensordict *tensordict;
  gboolean no_reset;
  gboolean set_truncated;
  gboolean lazy;
  ReelTensordict *out;
} ReelRolloutOptions;

/**
 * reel_env_rollout:
 * @self: an env
 * @max_steps: at least 1
 * @options: (nullable): how; %NULL for TorchRL's defaults
 * @error: VALUE for more than one that acts, or no steps; RUNTIME for @no_reset without a
 *   tensordict, and for an @out that does not fit; as reel_env_reset(), reel_env_step() and
 *   whatever acts
 *
 * Steps the env and stacks the steps: at the root what was known before each, below `next` what
 * came of it. reel_env_step_mdp() of the last step is the @tensordict of a rollout that goes on.
 *
 * Returns: (transfer full): `[num-envs, T]`, or `[T]` for a single lane; the last dimension has the
 *   name `time`, and is the slow one in memory
 */
REEL_API
ReelTensordict *reel_env_rollout (ReelEnv *self, gint64 max_steps,
                                  const ReelRolloutOptions *options, GError **error);

G_END_DECLS
