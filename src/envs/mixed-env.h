/* Envs whose lanes have unlike specs: no column has the values of all, so that tensordicts are lazy
 * stacks of one element a lane, and each part takes those of its lanes. Private. */
#pragma once

#include "../core/system/workers.h"
#include "../policies/policy.h"
#include "env.h"

G_BEGIN_DECLS

/**
 * ReelMixed:
 * @difference: what of the specs differs, as a sentence without its full stop
 * @workers: (nullable): what resets and steps the parts side by side
 * @policy: (nullable): a policy that is bound
 * @policies: (nullable): of ReelPolicy: what acts in each part, made from the text of @policy
 * @n_acted: how many times policies acted since the env was seeded
 *
 * The data of an env of unlike lanes beside its parts.
 */
typedef struct _ReelMixed
{
  char *difference;
  ReelWorkers *workers;
  ReelPolicy *policy;
  GPtrArray *policies;
  gint64 n_acted;
} ReelMixed;

/**
 * reel_env_mix:
 * @self: an env that shows others, before the base builds it
 * @envs: (array length=n): (transfer none): what it shows, which it owns
 * @n: how many, at least 1
 * @difference: what differs, as in #ReelMixed
 * @workers: (transfer none) (nullable): as in #ReelMixed
 * @error: NO_SPACE
 *
 * Makes @self an env of unlike lanes, which are those of @envs; where one of these has unlike lanes
 * itself, its parts are parts of @self. Its specs are the stacked ones of
 * all lanes. Nothing but the parts is asked of them: @self needs no setup.
 *
 * Returns: whether the specs were stacked
 */
gboolean reel_env_mix (ReelEnv *self, ReelEnv *const *envs, guint n, const char *difference,
                       ReelWorkers *workers, GError **error);

/**
 * reel_mixed_free:
 * @mixed: (transfer full): what reel_env_mix() made
 */
void reel_mixed_free (ReelMixed *mixed);

/**
 * reel_env_mixed_set_seed:
 * @self: an env of unlike lanes
 * @seed: of random actions
 *
 * Has random actions and policies begin anew, other ones in each part.
 */
void reel_env_mixed_set_seed (ReelEnv *self, guint64 seed);

/**
 * reel_env_mixed_reset:
 * @self: an env of unlike lanes
 * @td: (nullable): as in reel_env_reset()
 * @error: as reel_env_reset()
 *
 * Returns: (transfer full): @td, or a new lazy stack
 */
ReelTensordict *reel_env_mixed_reset (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_mixed_step:
 * @self: an env of unlike lanes
 * @td: as in reel_env_step()
 * @error: as reel_env_step()
 *
 * Returns: whether `next` was set
 */
gboolean reel_env_mixed_step (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_mixed_step_mdp:
 * @self: an env of unlike lanes
 * @td: as in reel_env_step_mdp()
 * @error: as reel_env_step_mdp()
 *
 * Returns: (transfer full): what the next step begins with
 */
ReelTensordict *reel_env_mixed_step_mdp (ReelEnv *self, const ReelTensordict *td, GError **error);

/**
 * reel_env_mixed_rand_action:
 * @self: an env of unlike lanes
 * @td: (nullable): as in reel_env_rand_action()
 * @error: as reel_env_rand_action()
 *
 * Returns: (transfer full): @td, or a new lazy stack
 */
ReelTensordict *reel_env_mixed_rand_action (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_mixed_make_fake:
 * @self: an env of unlike lanes
 * @error: NO_SPACE
 *
 * Returns: (transfer full): as reel_env_make_fake(), a lazy stack
 */
ReelTensordict *reel_env_mixed_make_fake (ReelEnv *self, GError **error);

/**
 * reel_env_mixed_truncate:
 * @self: an env of unlike lanes
 * @last: the last step of a rollout
 * @error: RUNTIME where a part has no flag `truncated`
 *
 * Sets the flags that mark @last as cut off, in all lanes.
 *
 * Returns: whether they were set
 */
gboolean reel_env_mixed_truncate (ReelEnv *self, ReelTensordict *last, GError **error);

/**
 * reel_env_mixed_take_actions:
 * @self: an env of unlike lanes
 * @actions: a tensordict of all lanes with the actions of each
 * @td: a lazy stack of one element a lane
 * @error: KEY where an action is missing
 *
 * Sets the actions of each lane in @td.
 *
 * Returns: whether they were set
 */
gboolean reel_env_mixed_take_actions (ReelEnv *self, ReelTensordict *actions, ReelTensordict *td,
                                      GError **error);

/**
 * reel_env_mixed_done_mask:
 * @self: an env of unlike lanes
 * @td: as in reel_env_done_mask()
 * @mask: (out) (transfer full) (nullable): as there
 * @error: as reel_env_done_mask()
 *
 * Returns: whether @mask was set
 */
gboolean reel_env_mixed_done_mask (ReelEnv *self, const ReelTensordict *td, ReelTensor **mask,
                                   GError **error);

/**
 * reel_env_mixed_bind_policy:
 * @self: an env of unlike lanes
 * @policy: a policy
 * @error: as reel_policy_bind(), naming the part
 *
 * Has a copy of @policy, made from its text, act in each part.
 *
 * Returns: whether it can act in all
 */
gboolean reel_env_mixed_bind_policy (ReelEnv *self, ReelPolicy *policy, GError **error);

/**
 * reel_env_mixed_act:
 * @self: an env of unlike lanes
 * @policy: a policy that is bound to it
 * @step: as in reel_env_act()
 * @td: likewise
 * @error: as reel_env_act()
 *
 * Returns: whether actions were set
 */
gboolean reel_env_mixed_act (ReelEnv *self, ReelPolicy *policy, gint64 step, ReelTensordict *td,
                             GError **error);

G_END_DECLS
