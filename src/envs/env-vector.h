/* Steps of all lanes as Gymnasium's vector environments give them, for who learns from these. */
#pragma once

#include "env-step.h"

G_BEGIN_DECLS

/**
 * reel_env_vector_step:
 * @self: an env that was reset
 * @mode: how lanes go on whose episode ended, whichever the reader likes
 * @td: what reel_env_reset() or the last call gave, with an action
 * @error: RUNTIME naming the lane that was done before with %REEL_AUTORESET_DISABLED, for which
 *   reel_env_reset() with `_reset` comes first; else as reel_env_step() and reel_env_reset()
 *
 * The result of `VectorEnv.step()`, as one tensordict: the observation, `reward` and the
 * flags at the root. Where lanes are done,
 *
 * - %REEL_AUTORESET_NEXT_STEP: the next call ignores their action, resets them, and gives the first
 *   observation, reward 0 and no flag;
 * - %REEL_AUTORESET_SAME_STEP: this call resets them, and gives the first observation with the
 *   reward and the flags of the last step; the observation that the step came to is below `final`,
 *   of all lanes (Gymnasium's `final_obs`, which has those of the lanes that are done);
 * - %REEL_AUTORESET_DISABLED: who reads it resets them.
 *
 * Collectors and rollouts record steps that were taken, whatever the mode; what is read here is for
 * loops that were written for one. @td stays as it is. The thread of the env.
 *
 * Source: Gymnasium, `gymnasium/vector/sync_vector_env.py`.
 *
 * Returns: (transfer full): what the next call begins with, but for its action
 */
REEL_API
ReelTensordict *reel_env_vector_step (ReelEnv *self, ReelAutoreset mode, const ReelTensordict *td,
                                      GError **error);

G_END_DECLS
