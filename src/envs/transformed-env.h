/* Environments seen through transforms. */
#pragma once

#include "../transforms/compose.h"
#include "env.h"

G_BEGIN_DECLS

/**
 * ReelTransformedEnv:
 *
 * An env seen through a chain of transforms, as by TorchRL's `TransformedEnv`: specs, resets and
 * steps, and so rollouts and collectors, show the transformed data; actions pass the inverse of the
 * chain. In text it is `ENV|TRANSFORM|…`, such as `CartPole:num-envs=8|step-counter|reward-sum`;
 * properties of the whole, such as `seed`, are those of the env.
 *
 * Lanes stay independent: a transform keeps what it needs of the steps before for each lane, and it
 * is part of the lane's state. Rewards stay float32 `[1]`, and the keys of rewards and done flags
 * are those of the env.
 */
#define REEL_TYPE_TRANSFORMED_ENV (reel_transformed_env_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelTransformedEnv, reel_transformed_env, REEL, TRANSFORMED_ENV, ReelEnv)

/**
 * reel_transformed_env_new:
 * @env: an env, which is stepped through the result alone from now on. That of a transformed one is
 *   taken, and its chain is cloned and comes first
 * @transform: (transfer none): a transform without a parent
 * @error: RUNTIME where @transform has a parent; KEY for a key that the env lacks; NOT_IMPLEMENTED
 *   for a transform that serves stored data alone, or makes rewards of another type or flags under
 *   other keys; what the transform says
 *
 * Returns: (transfer full): the env seen through @transform, not reset yet
 */
REEL_API
ReelEnv *reel_transformed_env_new (ReelEnv *env, ReelTransform *transform, GError **error);

/**
 * reel_transformed_env_get_base:
 * @self: a transformed env
 *
 * Returns: (transfer none): the env behind the chain
 */
REEL_API
ReelEnv *reel_transformed_env_get_base (ReelTransformedEnv *self);

/**
 * reel_transformed_env_get_transform:
 * @self: a transformed env
 *
 * Returns: (transfer none): its chain, which must not change
 */
REEL_API
ReelCompose *reel_transformed_env_get_transform (ReelTransformedEnv *self);

G_END_DECLS
