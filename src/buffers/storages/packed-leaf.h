/* Tensors as the bytes that zlib makes of them, as TorchRL's compressed storage keeps them.
 * Private.
 */
#pragma once

#include "../../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * reel_packed_leaf_new_placeholder:
 * @dtype: of its elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE when no tensor can be of that shape
 *
 * Returns: (transfer full): a tensor that says what another was: all of its elements are one
 */
ReelTensor *reel_packed_leaf_new_placeholder (ReelDtype dtype, gint ndim, const gint64 *shape,
                                              GError **error);

/**
 * reel_packed_leaf_deflate:
 * @tensor: any tensor
 * @level: 0, stored as it is, to 9, smallest
 * @error: NO_SPACE
 *
 * Returns: (transfer full): its elements in row-major order, a zlib stream: uint8 `[bytes]`
 */
ReelTensor *reel_packed_leaf_deflate (ReelTensor *tensor, gint level, GError **error);

/**
 * reel_packed_leaf_check:
 * @packed: uint8 `[bytes]`
 * @like: a tensor of the type and shape that it was
 * @error: DAMAGED when it cannot hold that much; NOT_IMPLEMENTED for a Zstandard stream, which
 *   TorchRL writes under Python 3.14 and later
 *
 * Looks at its first bytes and its length alone.
 *
 * Returns: whether reel_packed_leaf_inflate() may be tried
 */
gboolean reel_packed_leaf_check (const ReelTensor *packed, const ReelTensor *like, GError **error);

/**
 * reel_packed_leaf_inflate:
 * @packed: what reel_packed_leaf_deflate() made
 * @like: a tensor of the type and shape that it was
 * @error: as reel_packed_leaf_check(); DAMAGED when it is not whole, or of another length; NO_SPACE
 *
 * Returns: (transfer full): the tensor
 */
ReelTensor *reel_packed_leaf_inflate (ReelTensor *packed, const ReelTensor *like, GError **error);

G_END_DECLS
