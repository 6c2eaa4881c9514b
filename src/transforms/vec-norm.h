/* Statistics that vec-norm and vec-norm-v2 normalise by. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_vec_norm_dup_stats:
 * @self: a transform of id `vec-norm` or `vec-norm-v2`
 * @error: TYPE for a transform of another class; NO_SPACE
 *
 * The numbers so far, float64 but for counts of `vec-norm-v2`, which are int64. For each key of
 * `vec-norm`, with the names of TorchRL's `VecNorm`: `KEY_sum` and `KEY_ssq` of a value's shape,
 * the sums of values and of their squares, and `KEY_count` `[1]`, the rows that they are of; all
 * three decay. For each key of `vec-norm-v2`: `loc/KEY` and `var/KEY`, averages of values and of
 * their squares, and `count/KEY` `[]`, how many updates or rows they are of; where each lane has
 * its own statistics all three begin with the number of lanes, unless it is 1. There is nothing of
 * keys that no env has been seen at. It is called between steps, by the thread that steps the env.
 *
 * Returns: (transfer full): a tensordict without batch dimensions
 */
REEL_API
ReelTensordict *reel_vec_norm_dup_stats (ReelTransform *self, GError **error);

/**
 * reel_vec_norm_set_stats:
 * @self: a transform of id `vec-norm` or `vec-norm-v2`
 * @stats: numbers of any real element type, with the keys of reel_vec_norm_dup_stats(); TorchRL's
 *   serve as well
 * @error: TYPE for a transform of another class; KEY for a number that is missing; VALUE for
 * numbers of another shape than the env's values, and for counts that are negative
 *
 * Goes on from @stats. Keys that have none there keep what they had. A transform may be told before
 * it serves an env; numbers that do not fit this env's values are an error of its making. It
 * is called between steps, by the thread that steps the env.
 *
 * Returns: whether it does; after an error nothing is changed
 */
REEL_API
gboolean reel_vec_norm_set_stats (ReelTransform *self, const ReelTensordict *stats, GError **error);

/**
 * reel_vec_norm_freeze:
 * @self: a transform of id `vec-norm` or `vec-norm-v2`
 * @frozen: whether its statistics stay as they are from now on
 * @error: TYPE for a transform of another class; RUNTIME where there are no statistics to normalise
 *   by, naming the key
 *
 * Statistics that are frozen normalise values and do not learn from them, as an agent that is
 * evaluated needs it. It is called between steps, by the thread that steps the env.
 *
 * Returns: whether they are as asked
 */
REEL_API
gboolean reel_vec_norm_freeze (ReelTransform *self, gboolean frozen, GError **error);

/**
 * reel_vec_norm_is_frozen:
 * @self: a transform
 *
 * Returns: whether its statistics are frozen
 */
REEL_API
gboolean reel_vec_norm_is_frozen (ReelTransform *self);

G_END_DECLS
