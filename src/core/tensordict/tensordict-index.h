/* Parts of tensordicts, by index or mask. */
#pragma once

#include "../tensor/index.h"
#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_tensordict_index:
 * @td: a tensordict
 * @index: what of its batch dimensions
 * @error: as reel_tensor_index()
 *
 * Python's `td[index]`, keys aside. Names follow their dimensions, as #ReelIndex says.
 *
 * Returns: (transfer full): views of every leaf; where @index holds tensors, contiguous copies
 */
REEL_API
ReelTensordict *reel_tensordict_index (ReelTensordict *td, const ReelIndex *index, GError **error);

/**
 * reel_tensordict_assign:
 * @td: where to write
 * @index: which of its batch
 * @value: what to write. Its batch size is that which @index gives, or the last dimensions of it;
 *   it may not overlap @td
 * @error: as reel_tensor_index(); RUNTIME when the batch sizes or the shapes of a key differ, or a
 *   key is missing in @td, which is locked; TYPE when a key has another dtype or kind; NO_SPACE;
 *   NOT_IMPLEMENTED for lazy stacks, where @index holds several tensors or is not of their own
 *   dimensions
 *
 * Python's `td[index] = value`. Keys that @value lacks stay as they are. Those that @td lacks are
 * made, zero (None, for what is no tensor) outside of @index. @td may be locked otherwise.
 *
 * Returns: whether it was done; on failure nothing was written, unless memory ran out meanwhile
 */
REEL_API
gboolean reel_tensordict_assign (ReelTensordict *td, const ReelIndex *index,
                                 const ReelTensordict *value, GError **error);

/**
 * reel_tensordict_masked_select:
 * @td: a tensordict
 * @mask: bool or uint8, of the shape of the first batch dimensions
 * @error: TYPE when @mask is none; as reel_tensor_index()
 *
 * Returns: (transfer full): a copy of what is under the mask, in row-major order, in place of the
 *   dimensions of @mask
 */
REEL_API
ReelTensordict *reel_tensordict_masked_select (ReelTensordict *td, ReelTensor *mask,
                                               GError **error);

/**
 * reel_tensordict_masked_fill:
 * @td: a tensordict
 * @mask: bool or uint8; its dimensions are the first of the batch's, or 1
 * @value: what every element under the mask becomes, as reel_dtype_store_double() takes it; what is
 *   no tensor stays as it is
 * @error: RUNTIME when @mask does not fit; TYPE when it is none; NO_SPACE
 *
 * Returns: (transfer full): a copy
 */
REEL_API
ReelTensordict *reel_tensordict_masked_fill (ReelTensordict *td, ReelTensor *mask, double value,
                                             GError **error);

/**
 * reel_tensordict_masked_fill_in_place:
 * @td: a tensordict, which may be locked
 * @mask: as in reel_tensordict_masked_fill()
 * @value: as there
 * @error: as there
 *
 * Python's `masked_fill_`.
 *
 * Returns: whether it was done
 */
REEL_API
gboolean reel_tensordict_masked_fill_in_place (ReelTensordict *td, ReelTensor *mask, double value,
                                               GError **error);

G_END_DECLS
