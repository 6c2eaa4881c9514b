/* Tensors compared by value; not installed. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/**
 * reel_tensor_compare:
 * @a: a tensor
 * @b: a tensor, of any dtype
 * @equal: what to write where the elements are equal; the other where they are not
 * @error: RUNTIME when the shapes cannot be broadcast together; NO_SPACE
 *
 * Elements are equal whose values are, of whatever types: NaN differs from itself, −0 equals 0.
 *
 * Returns: (transfer full): a bool tensor of the shape that both broadcast to
 */
ReelTensor *reel_tensor_compare (const ReelTensor *a, const ReelTensor *b, gboolean equal,
                                 GError **error);

/**
 * reel_tensor_find_truth:
 * @tensor: a tensor
 * @truth: what to look for
 *
 * Returns: whether there is an element that differs from 0, or, where @truth is %FALSE, one that
 *   does not; allocates nothing
 */
gboolean reel_tensor_find_truth (const ReelTensor *tensor, gboolean truth);

/**
 * ReelTolerance:
 * @rtol: of the expected magnitude; negative for PyTorch's default for the dtype
 * @atol: added to it; negative for PyTorch's default for the dtype
 * @equal_nan: whether NaN is close to NaN
 *
 * How far apart close elements may be.
 */
typedef struct
{
  double rtol;
  double atol;
  gboolean equal_nan;
} ReelTolerance;

/**
 * reel_tensor_check_close:
 * @actual: a tensor
 * @expected: a tensor
 * @tolerance: how far apart they may be
 * @error: ASSERTION saying which of dtype, shape and elements differ, and the first element that
 *   does; NO_SPACE
 *
 * As torch.testing.assert_close(): |actual − expected| ≤ atol + rtol |expected|, equal infinities
 * are close; a default tolerance is that of the dtype, 0 for integers.
 *
 * Returns: whether they are close
 */
gboolean reel_tensor_check_close (const ReelTensor *actual, const ReelTensor *expected,
                                  const ReelTolerance *tolerance, GError **error);

G_END_DECLS
