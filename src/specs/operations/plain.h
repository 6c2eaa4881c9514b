/* Numbers in lists in lists, as from JSON, and tensors of them. Private. */
#pragma once

#include "../../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * reel_plain_to_tensor:
 * @plain: a number, a bool, or lists of them in lists
 * @error: TYPE for what is no number; RUNTIME when the lists are ragged or too deep
 *
 * Returns: (transfer full): a tensor of bool, of int64 (uint64 where one is beyond it), or of
 *   float64 where one is no integer
 */
ReelTensor *reel_plain_to_tensor (GVariant *plain, GError **error);

/**
 * reel_plain_from_tensor:
 * @tensor: a tensor
 * @error: TYPE for complex numbers
 *
 * Returns: (transfer full): its elements in lists (`av`), a single one where it has no dimensions
 */
GVariant *reel_plain_from_tensor (const ReelTensor *tensor, GError **error);

G_END_DECLS
