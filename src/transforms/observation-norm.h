/* Observation norms that learn their numbers. Private. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_observation_norm_check:
 * @self: a transform
 * @error: TYPE for one of another class; RUNTIME for one that has its numbers
 *
 * Returns: whether it waits for its numbers
 */
gboolean reel_observation_norm_check (ReelTransform *self, GError **error);

/**
 * reel_observation_norm_is_standard_normal:
 * @self: an observation norm
 *
 * Returns: whether it subtracts, then divides
 */
gboolean reel_observation_norm_is_standard_normal (ReelTransform *self);

/**
 * reel_observation_norm_take:
 * @self: an observation norm without numbers
 * @loc: (transfer full) (element-type double): what to add or to subtract
 * @scale: (transfer full) (element-type double): factors or divisors, as many
 * @shape: (transfer full) (nullable) (element-type double): the last dimensions of values; %NULL
 *   for the last one, and for a single number
 * @error: VALUE for numbers that do not fit
 *
 * Gives it its numbers, which its text contains from now on.
 *
 * Returns: whether it took them
 */
gboolean reel_observation_norm_take (ReelTransform *self, GArray *loc, GArray *scale, GArray *shape,
                                     GError **error);

/**
 * reel_observation_norm_get_init_frames:
 * @self: a transform
 *
 * Returns: frames of random steps from which it is to learn its numbers when it meets an env; 0
 *   for a transform that is not to
 */
gint64 reel_observation_norm_get_init_frames (ReelTransform *self);

G_END_DECLS
