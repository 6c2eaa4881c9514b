/* Policies that act in an environment. */
#pragma once

#include "../policies/policy.h"
#include "env-step.h"

G_BEGIN_DECLS

/**
 * reel_env_bind_policy:
 * @self: an env
 * @policy: a policy
 * @error: as reel_policy_bind()
 *
 * Binds a policy to the specs and lanes of an env.
 *
 * Returns: whether the policy can act in it
 */
REEL_API
gboolean reel_env_bind_policy (ReelEnv *self, ReelPolicy *policy, GError **error);

/**
 * reel_env_act:
 * @self: an env
 * @policy: a policy that is bound to it
 * @step: as in reel_policy_act()
 * @td: what is known before a step, as in reel_env_step()
 * @error: KEY where an observation is missing; TYPE or RUNTIME for an observation or a state of
 *   another dtype or shape; as reel_policy_act(). @td is as it was then
 *
 * Acts in all lanes: the actions and outputs of the policy are set in @td, and below `next` its
 * state after the step, which reel_env_step_mdp() brings to the root. Where @td has no state an
 * episode begins, and it is zeros.
 *
 * Returns: whether they were set
 */
REEL_API
gboolean reel_env_act (ReelEnv *self, ReelPolicy *policy, gint64 step, ReelTensordict *td,
                       GError **error);

G_END_DECLS
