/* Values of other shapes, as views where there is one. Private. */
#pragma once

#include "lane-plan.h"
#include "transform-private.h"

G_BEGIN_DECLS

/**
 * reel_reshape_spec:
 * @self: a transform
 * @function: `apply` or `apply_inverse` of it, or what undoes one
 * @spec: the spec of a value
 * @error: what @function says of such values
 *
 * Returns: (transfer full): the spec of what @function makes of the value: a box whose bounds are
 *   what it makes of the bounds, or one without bounds
 */
ReelSpec *reel_reshape_spec (ReelTransform *self, ReelLaneApply function, const ReelSpec *spec,
                             GError **error);

/**
 * reel_reshape_check_dim:
 * @self: a transform, in its build
 * @name: the argument
 * @dim: a dimension
 * @error: VALUE where it is not negative
 *
 * Returns: whether it counts from the end, which is right for any batch
 */
gboolean reel_reshape_check_dim (ReelTransform *self, const char *name, gint64 dim, GError **error);

/**
 * reel_reshape_print:
 * @self: a transform with keys in both directions
 * @name: the name of its class in Python
 * @arguments: what stands before the keys
 *
 * Returns: (transfer full): what Python prints of it
 */
char *reel_reshape_print (ReelTransform *self, const char *name, const char *arguments);

/**
 * reel_reshape_unsqueeze:
 * @value: a value
 * @dim: negative: the place of the new dimension, −1 behind the last one
 * @error: INDEX where the value has too few dimensions
 *
 * Returns: (transfer full): a view with a dimension of extent 1
 */
ReelTensor *reel_reshape_unsqueeze (ReelTensor *value, gint64 dim, GError **error);

/**
 * reel_reshape_squeeze:
 * @value: a value
 * @dim: negative: a dimension
 * @error: INDEX where the value has too few dimensions
 *
 * Returns: (transfer full): a view without it, where its extent is 1, else @value
 */
ReelTensor *reel_reshape_squeeze (ReelTensor *value, gint64 dim, GError **error);

G_END_DECLS
