/* Tensordicts compared leaf by leaf. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_tensordict_eq:
 * @a: a tensordict
 * @b: a tensordict of the same batch size and keys, in any order
 * @error: KEY naming the keys that one of them lacks; TYPE where their kinds differ; RUNTIME when
 *   batch sizes differ or shapes cannot be broadcast together; NO_SPACE
 *
 * Python's `a == b`. Elements are equal whose values are, of whatever dtypes: NaN differs from
 * itself, −0 equals 0. See reel_tensordict_equal() for bits.
 *
 * Returns: (transfer full): bool tensors, with @a's keys, device and class and without names; one
 *   of the batch size for an entry that is no tensor
 */
REEL_API
ReelTensordict *reel_tensordict_eq (const ReelTensordict *a, const ReelTensordict *b,
                                    GError **error);

/**
 * reel_tensordict_ne:
 * @a: a tensordict
 * @b: a tensordict of the same batch size and keys, in any order
 * @error: as reel_tensordict_eq()
 *
 * Python's `a != b`.
 *
 * Returns: (transfer full): the contrary of reel_tensordict_eq()
 */
REEL_API
ReelTensordict *reel_tensordict_ne (const ReelTensordict *a, const ReelTensordict *b,
                                    GError **error);

/**
 * reel_tensordict_all:
 * @td: a tensordict of any dtypes
 *
 * Returns: whether all elements of all tensors differ from 0, as in one without any
 */
REEL_API
gboolean reel_tensordict_all (const ReelTensordict *td);

/**
 * reel_tensordict_any:
 * @td: a tensordict of any dtypes
 *
 * Returns: whether an element of a tensor differs from 0
 */
REEL_API
gboolean reel_tensordict_any (const ReelTensordict *td);

/**
 * reel_tensordict_all_close:
 * @actual: a tensordict
 * @expected: a tensordict of the same keys, in any order
 * @rtol: of the expected magnitude; negative for PyTorch's default for each dtype: 1.3e-6 for
 *   float32, 1e-7 for float64, 1e-3 for float16, 1.6e-2 for bfloat16, 0 for integers
 * @atol: added to it; negative for the default: 1e-5, 1e-7 for float64, 0 for integers
 * @equal_nan: whether NaN is close to NaN, as TensorDict's `assert_close` has it by default
 * @error: KEY naming the keys that one of them lacks; ASSERTION naming the path whose dtype, shape
 *   or elements differ, and the first element; TYPE where kinds differ
 *
 * TensorDict's `assert_close`: |actual − expected| ≤ atol + rtol |expected| for all elements. Batch
 * sizes, and what is no tensor, are not looked at.
 *
 * Returns: whether all are close
 */
REEL_API
gboolean reel_tensordict_all_close (const ReelTensordict *actual, const ReelTensordict *expected,
                                    double rtol, double atol, gboolean equal_nan, GError **error);

G_END_DECLS
