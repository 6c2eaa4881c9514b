/* Ragged tensors, torch's nested ones of strided layout: one leaf of components of one rank and
 * different extents. In a tensordict they are a lazy stack, along its first dimension, of
 * tensordicts that each hold a bare tensor, under the name that TorchRL has for such. Private to
 * the library. */
#pragma once

#include "tensordict-private.h"

G_BEGIN_DECLS

/**
 * REEL_BARE_TENSOR:
 *
 * The key of a tensor that is a tensordict by itself.
 */
#define REEL_BARE_TENSOR "_-single-tensor-_"

/**
 * reel_ragged_count:
 * @sizes: int64 `[n, k]`: the shape of each of n components
 * @item_size: bytes of an element
 * @error: VALUE when extents are negative or their products beyond 2^63 − 1
 *
 * Returns: how many elements all components have, or −1
 */
gint64 reel_ragged_count (const ReelTensor *sizes, gsize item_size, GError **error);

/**
 * reel_ragged_new:
 * @values: one dimension: the elements of all components, one after the other
 * @sizes: int64 `[n, k]` that reel_ragged_count() accepted, n at least 1
 * @ndim: batch dimensions of a component
 * @batch_size: (array length=ndim): with which the shape of each must begin
 * @error: RUNTIME when one does not
 *
 * Returns: (transfer full): a lazy stack of views of @values
 */
ReelTensordict *reel_ragged_new (ReelTensor *values, const ReelTensor *sizes, gint ndim,
                                 const gint64 *batch_size, GError **error);

/**
 * reel_ragged_is:
 * @td: (nullable): a tensordict
 *
 * Returns: whether it is what reel_ragged_new() makes
 */
gboolean reel_ragged_is (const ReelTensordict *td);

/**
 * reel_ragged_dup_sizes:
 * @td: a ragged tensor
 *
 * Returns: (transfer full): int64 `[n, k]`
 */
ReelTensor *reel_ragged_dup_sizes (const ReelTensordict *td);

/**
 * reel_ragged_get_dtype:
 * @td: a ragged tensor
 *
 * Returns: the type of its elements
 */
ReelDtype reel_ragged_get_dtype (const ReelTensordict *td);

/**
 * reel_ragged_dup_values:
 * @td: a ragged tensor
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a copy of the elements of all components, one after the other
 */
ReelTensor *reel_ragged_dup_values (const ReelTensordict *td, GError **error);

G_END_DECLS
