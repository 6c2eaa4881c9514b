/* Specs of values that are no tensors: strings, numbers and other values of JSON. */
#pragma once

#include "../../core/tensordict/non-tensor.h"
#include "../spec.h"

G_BEGIN_DECLS

/**
 * REEL_SPEC_ALL_DIMS:
 *
 * As `feature_dims`: all dimensions of the spec.
 */
#define REEL_SPEC_ALL_DIMS (-1)

/**
 * reel_non_tensor_spec_new:
 * @example: (nullable): what values made of the spec are; a floating reference is sunk; %NULL for
 *   None
 * @batched: whether each element of a batch has a value of its own
 * @feature_dims: how many of the last dimensions share a value, %REEL_SPEC_ALL_DIMS by default
 * @ndim: dimensions; TorchRL's default shape is `[1]`
 * @shape: (array length=ndim): extents
 * @error: VALUE, also when both @batched and @feature_dims are given; TYPE for an @example without
 *   counterpart in JSON
 *
 * Returns: (transfer full): the spec of any value that is no tensor
 */
REEL_API
ReelSpec *reel_non_tensor_spec_new (GVariant *example, gboolean batched, gint feature_dims,
                                    gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_is_non_tensor:
 * @spec: a spec
 *
 * Returns: whether its values are #ReelNonTensor: it is a non-tensor spec, or a choice of such
 *   values
 */
REEL_API
gboolean reel_spec_is_non_tensor (const ReelSpec *spec);

/**
 * reel_spec_get_example:
 * @spec: a non-tensor spec
 *
 * Returns: (transfer none): its example, an empty `mv` for None
 */
REEL_API
GVariant *reel_spec_get_example (const ReelSpec *spec);

/**
 * reel_spec_rand_non_tensor:
 * @spec: a spec for which reel_spec_is_non_tensor()
 * @seed: which stream
 * @step: which draw of the stream
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE, NO_SPACE
 *
 * Of a non-tensor spec the example: one value for all elements (NonTensorData), or, in the
 * dimensions that do not share one, a stack of them. Of a choice, for each row a member.
 *
 * Returns: (transfer full): the values
 */
REEL_API
ReelNonTensor *reel_spec_rand_non_tensor (const ReelSpec *spec, guint64 seed, gint64 step,
                                          gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_zero_non_tensor:
 * @spec: a spec for which reel_spec_is_non_tensor()
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE, NO_SPACE
 *
 * Returns: (transfer full): the example, or the first of a choice
 */
REEL_API
ReelNonTensor *reel_spec_zero_non_tensor (const ReelSpec *spec, gint ndim, const gint64 *shape,
                                          GError **error);

/**
 * reel_spec_one_non_tensor:
 * @spec: a spec for which reel_spec_is_non_tensor()
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE, NO_SPACE
 *
 * Returns: (transfer full): the example, or the second of a choice, the first if it has but one
 */
REEL_API
ReelNonTensor *reel_spec_one_non_tensor (const ReelSpec *spec, gint ndim, const gint64 *shape,
                                         GError **error);

/**
 * reel_spec_is_in_non_tensor:
 * @spec: a spec for which reel_spec_is_non_tensor()
 * @value: values; their batch size may have further dimensions in front
 * @error: (nullable): ASSERTION saying why not
 *
 * Returns: whether @value has the shape of the spec; for a choice also whether each row is one of
 *   its members
 */
REEL_API
gboolean reel_spec_is_in_non_tensor (const ReelSpec *spec, const ReelNonTensor *value,
                                     GError **error);

/**
 * reel_spec_encode_non_tensor:
 * @spec: a non-tensor spec
 * @raw: (nullable): any value; a floating reference is sunk; %NULL for None
 * @error: TYPE for one without counterpart in JSON; NO_SPACE
 *
 * Returns: (transfer full): @raw in the shape of the spec
 */
REEL_API
ReelNonTensor *reel_spec_encode_non_tensor (const ReelSpec *spec, GVariant *raw, GError **error);

G_END_DECLS
