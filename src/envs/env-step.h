/* Environments by tensordicts: TorchRL's `EnvBase`. A convenience on top of ranges of lanes
 * (env.h), which is what collectors use; it allocates what it returns. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/* Tensordicts of these functions have the batch size of the env: `[num-envs]`, or `[]` for a single
 * lane, as collectors write it. Leaves that they set are new: what was taken out of a tensordict
 * before stays as it is. Keys that begin with `_` ask for something and are taken away when it was
 * done: `_reset` and `_step`, bool of the batch size, a last dimension of 1 more or not.
 * They belong to one thread at a time, and step all lanes in it. */

/**
 * reel_env_make_specs:
 * @self: an env
 * @error: NO_SPACE
 *
 * Returns: (transfer full): TorchRL's `env.specs`, of all lanes: `output_spec` with
 *   `full_observation_spec`, `full_reward_spec` and `full_done_spec`, `input_spec` with
 *   `full_action_spec` and `full_state_spec`, which is empty. For a single lane see also
 *   reel_env_get_observation_spec() and its like
 */
REEL_API
ReelSpec *reel_env_make_specs (ReelEnv *self, GError **error);

/**
 * reel_env_make_fake:
 * @self: an env
 * @error: NO_SPACE
 *
 * Returns: (transfer full): zeros of every key of a step, TorchRL's `fake_tensordict()`: action,
 *   observation and flags, and below `next` observation, rewards and flags
 */
REEL_API
ReelTensordict *reel_env_make_fake (ReelEnv *self, GError **error);

/**
 * ReelSeeding:
 * @REEL_SEEDING_LANES: lane l has seed + l, as reel_env_seed() and Gymnasium's vector environments
 * @REEL_SEEDING_CHAIN: lane 0 has the seed, each lane the one that follows that of the lane before
 *   (reel_next_seed()), as the members of TorchRL's SerialEnv and ParallelEnv
 * @REEL_SEEDING_STATIC: all have the same, TorchRL's `static_seed=True`
 *
 * Which seed each lane has.
 */
typedef enum
{
  REEL_SEEDING_LANES,
  REEL_SEEDING_CHAIN,
  REEL_SEEDING_STATIC,
} ReelSeeding;

/**
 * reel_env_set_seed:
 * @self: an env
 * @seed: a seed, also of the actions that reel_env_rand_action() draws
 * @seeding: which seed each lane has
 *
 * Seeds the env, which must be reset before its next step.
 *
 * Returns: the seed for whoever comes next: what follows that of the last lane where they are
 *   chained, @seed itself where it is static, else what follows @seed
 */
REEL_API
guint64 reel_env_set_seed (ReelEnv *self, guint64 seed, ReelSeeding seeding);

/**
 * reel_env_reset:
 * @self: an env
 * @td: (nullable): what was known; %NULL for nothing
 * @error: RUNTIME for another batch size, a locked tensordict or a lane that cannot be simulated;
 *   TYPE or RUNTIME for a `_reset` that is no mask of lanes; KEY where lanes that are not reset
 *   have no observation or flags in @td. @td is as it was then
 *
 * Begins new episodes in the lanes whose `_reset` is true, in all where there is none. Their
 * observations are set, their flags false, and where there was a `_reset` the rows of all other
 * tensors at the root zeroed: they belong to an episode that is over. Other lanes keep what @td
 * has.
 *
 * Returns: (transfer full): @td, or a new tensordict
 */
REEL_API
ReelTensordict *reel_env_reset (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_step:
 * @self: an env that was reset
 * @td: what is known, and an action; `next` is set in it
 * @error: KEY where an action is missing; TYPE or RUNTIME for one of another dtype or shape;
 *   RUNTIME for another batch size, a lane that was not reset since it was seeded, or one that
 *   cannot be simulated
 *
 * Steps the lanes whose `_step` is true, all where there is none. The others stay: their `next`
 * has what the root has, and rewards of 0. Other keys below `next`, such
 * as the state of a recurrent policy, stay there.
 *
 * Returns: whether `next` was set
 */
REEL_API
gboolean reel_env_step (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_step_mdp:
 * @self: an env
 * @td: what reel_env_step() was given
 * @error: KEY when there is no `next`
 *
 * As reel_step_mdp() with the rewards, flags and actions of this env; actions are kept, as by
 * TorchRL's `EnvBase.step_mdp`, and all that policies wrote below `next` comes to the root.
 *
 * Returns: (transfer full): what the next step begins with; leaves are shared
 */
REEL_API
ReelTensordict *reel_env_step_mdp (ReelEnv *self, const ReelTensordict *td, GError **error);

/**
 * reel_env_maybe_reset:
 * @self: an env
 * @td: what the next step begins with
 * @error: as reel_env_reset()
 *
 * Resets the lanes whose `done` is true, if there are any.
 *
 * Returns: whether it could
 */
REEL_API
gboolean reel_env_maybe_reset (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_step_and_maybe_reset:
 * @self: an env that was reset
 * @td: as in reel_env_step()
 * @error: as reel_env_step() and reel_env_reset()
 *
 * The three after one another: @td gets what the step came to, with the true last observation of
 * lanes that are done; what is returned has the first observation of their next episode.
 *
 * Returns: (transfer full): what the next step begins with
 */
REEL_API
ReelTensordict *reel_env_step_and_maybe_reset (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_rand_action:
 * @self: an env
 * @td: (nullable): where to write the action; %NULL for a new tensordict
 * @error: RUNTIME for another batch size; RUNTIME where a mask allows nothing; NO_SPACE
 *
 * Every action of the spec with the same chance; where @td has a mask beside an action,
 * `action_mask` for `action`, those that it allows in each lane. Draws depend on the seed, the
 * lane and how often it was drawn since it was seeded.
 *
 * Returns: (transfer full): @td, or a new tensordict
 */
REEL_API
ReelTensordict *reel_env_rand_action (ReelEnv *self, ReelTensordict *td, GError **error);

/**
 * reel_env_rand_step:
 * @self: an env that was reset
 * @td: what is known
 * @error: as reel_env_rand_action() and reel_env_step()
 *
 * Returns: whether @td has got a random action, and what came of it
 */
REEL_API
gboolean reel_env_rand_step (ReelEnv *self, ReelTensordict *td, GError **error);

G_END_DECLS
