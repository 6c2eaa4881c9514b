/* Tensordicts of different shapes or keys, stacked without being made one. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_lazy_stack_new:
 * @tds: (array length=n): tensordicts with the same number of batch dimensions; references are
 *   taken
 * @n: how many
 * @dim: where the new dimension goes; negative counts from the end of the result
 * @error: RUNTIME when there is none, they differ in batch dimensions or device; INDEX for @dim
 *
 * TensorDict's LazyStackedTensorDict: a tensordict with one more dimension that holds the others as
 * they are. Its keys are those that all have, sorted. Values from reel_tensordict_ref_tensor()
 * and its like are stacked at once; values that are set are cut along the stack and set in each;
 * entries that only some have are reached through reel_tensordict_select_index() or
 * reel_lazy_stack_get_elements(), which give the very tensordicts that were stacked. Batch extents
 * in which these differ are −1. A stack of records of one class is one of that class. Functions
 * that change the shape change each and move the stack's dimension along; those for which this
 * makes no sense copy what is stacked to one tensor first.
 *
 * Returns: (transfer full): the stack
 */
REEL_API
ReelTensordict *reel_lazy_stack_new (ReelTensordict *const *tds, gsize n, gint dim, GError **error);

/**
 * reel_lazy_stack_get_dim:
 * @td: a tensordict
 *
 * Returns: the dimension that it stacks along, or −1 when it is no lazy stack
 */
REEL_API
gint reel_lazy_stack_get_dim (const ReelTensordict *td);

/**
 * reel_lazy_stack_get_elements:
 * @td: a tensordict
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n) (nullable): what it stacks, valid while @td lives, or
 *   %NULL when it is no lazy stack
 */
REEL_API
ReelTensordict *const *reel_lazy_stack_get_elements (const ReelTensordict *td, gsize *n);

/**
 * reel_tensordict_maybe_dense_stack:
 * @tds: (array length=n): tensordicts with the same number of batch dimensions
 * @n: how many
 * @dim: where the new dimension goes; negative counts from the end of the result
 * @error: as reel_tensordict_stack() and reel_lazy_stack_new()
 *
 * Stacks level by level: a level becomes a lazy stack where batch sizes, keys or the shapes of its
 * tensors differ, otherwise one tensordict.
 *
 * Returns: (transfer full): the stack
 */
REEL_API
ReelTensordict *reel_tensordict_maybe_dense_stack (ReelTensordict *const *tds, gsize n, gint dim,
                                                   GError **error);

/**
 * reel_tensordict_contiguous:
 * @td: a tensordict
 * @error: RUNTIME naming the key whose shapes differ in a lazy stack; NO_SPACE
 *
 * Makes one tensordict of a lazy stack, without the keys that only some elements have, and every
 * tensor contiguous: those that are are shared, others copied.
 *
 * Returns: (transfer full): a tensordict without lazy stacks
 */
REEL_API
ReelTensordict *reel_tensordict_contiguous (ReelTensordict *td, GError **error);

G_END_DECLS
