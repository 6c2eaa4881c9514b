/* Means and deviations of observations, for transforms that normalise them. */
#pragma once

#include "../transforms/transform.h"
#include "env.h"

G_BEGIN_DECLS

/**
 * ReelStatsOptions:
 * @num_iter: frames, at least 1: rows of all lanes
 * @reduce_dims: (array length=n_reduce_dims) (nullable): dimensions of `[lanes, time, …]`, or
 *   `[time, …]` of a single lane, over which the numbers are taken; negative ones count from the
 *   end; %NULL for the first
 * @n_reduce_dims: how many
 * @cat_dim: (nullable): the one of them along which rollouts follow one another; %NULL for that
 *   of a single one
 * @key: (nullable): the observation; %NULL for the in-key of a transform with one
 * @keep_dims: (array length=n_keep_dims) (nullable): those of @reduce_dims that stay, with extent 1
 * @n_keep_dims: how many
 *
 * Arguments of TorchRL's `ObservationNorm.init_stats`.
 */
typedef struct
{
  gint64 num_iter;
  const gint *reduce_dims;
  gsize n_reduce_dims;
  const gint *cat_dim;
  const char *key;
  const gint *keep_dims;
  gsize n_keep_dims;
} ReelStatsOptions;

/**
 * reel_observation_norm_init_stats:
 * @norm: an `observation-norm` without `loc` and `scale`
 * @env: the env behind it, seen through the transforms that come before it
 * @options: how much, and over what
 * @error: TYPE for another transform, and for a complex key; RUNTIME where @norm has its numbers,
 *   has several in-keys and no key is given, where an element never changes, and where numbers
 *   would change the shape of an observation; VALUE for no frames, and for dimensions that are not
 *   among those that are reduced; KEY for a key that @env lacks; as reel_env_rollout()
 *
 * Plays rollouts with random actions, each from a reset to its first done or to @num_iter steps,
 * until they have at least @num_iter frames, of which all count. The numbers are the mean and the
 * standard deviation (with n − 1) of the observations at the root, in float64: `loc` and `scale`
 * are both where @norm is `standard-normal`, else `scale` is 1 / deviation and `loc` −mean /
 * deviation. Those of an observation that is not float64 are rounded to float32. @env goes on
 * where the rollouts ended; an env that is transformed by @norm is made afterwards, and begins at
 * its seed.
 *
 * Source: TorchRL's `ObservationNorm.init_stats`. One thread.
 *
 * Returns: whether @norm has its numbers
 */
REEL_API
gboolean reel_observation_norm_init_stats (ReelTransform *norm, ReelEnv *env,
                                           const ReelStatsOptions *options, GError **error);

G_END_DECLS
