/* Tensors whose elements change one by one. Private. */
#pragma once

#include "transform-private.h"

#include "../core/math/isa.h"
#include "pointwise-kernel.h"

G_BEGIN_DECLS

/**
 * ReelPointwiseFunc:
 * @in: in order, of dtype float32 or float64
 * @out: in order, of the same dtype and shape
 * @user_data: as given to reel_pointwise()
 *
 * Writes the elements of @out.
 */
typedef void (*ReelPointwiseFunc) (const ReelTensor *in, ReelTensor *out, gconstpointer user_data);

/**
 * reel_pointwise:
 * @value: a tensor
 * @function: (scope call): what makes the elements
 * @user_data: for @function
 * @error: TYPE for a complex dtype
 *
 * Integers become float32 first, as where torch combines them with a number that has a fraction.
 * Shorter floats are computed in float32 and rounded once.
 *
 * Returns: (transfer full): a tensor of reel_pointwise_dtype()
 */
ReelTensor *reel_pointwise (ReelTensor *value, ReelPointwiseFunc function, gconstpointer user_data,
                            GError **error);

/**
 * reel_pointwise_dtype:
 * @dtype: of a value
 *
 * Returns: the dtype of the result: @dtype itself if it is floating, else float32
 */
ReelDtype reel_pointwise_dtype (ReelDtype dtype);

/**
 * reel_check_real:
 * @value: a tensor
 * @error: TYPE
 *
 * Returns: whether its elements are not complex
 */
gboolean reel_check_real (const ReelTensor *value, GError **error);

/**
 * reel_spec_within:
 * @spec: the spec of a leaf
 * @dtype: of the result
 * @low: smallest value
 * @high: largest value
 * @error: VALUE
 *
 * Returns: (transfer full): a bounded spec of @spec's shape
 */
ReelSpec *reel_spec_within (const ReelSpec *spec, ReelDtype dtype, double low, double high,
                            GError **error);

/**
 * reel_spec_check_unbounded:
 * @self: a transform, for the message
 * @spec: the spec of a leaf
 * @error: NOT_IMPLEMENTED
 *
 * Returns: whether it is an unbounded one
 */
gboolean reel_spec_check_unbounded (ReelTransform *self, const ReelSpec *spec, GError **error);

/**
 * reel_spec_between:
 * @a: bounds of every element
 * @b: the other bounds
 * @ndim: dimensions of the spec
 * @shape: (array length=ndim): its extents, −1 where any will do
 * @error: as reel_bounded_spec_new_from_tensors()
 *
 * Returns: (transfer full): a bounded spec from the lesser to the greater of each element; without
 *   bounds where one is NaN, as 0 times an infinite bound is
 */
ReelSpec *reel_spec_between (ReelTensor *a, ReelTensor *b, gint ndim, const gint64 *shape,
                             GError **error);

/**
 * reel_clip:
 * @value: a tensor
 * @low: smallest value
 * @high: largest value
 * @isa: which kernels to use
 * @error: as reel_pointwise()
 *
 * Returns: (transfer full): @value with elements beyond a bound put on it; NaN stays
 */
ReelTensor *reel_clip (ReelTensor *value, double low, double high, ReelIsa isa, GError **error);

G_END_DECLS
