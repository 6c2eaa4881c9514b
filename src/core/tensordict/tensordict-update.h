/* Entries of one tensordict set from another, and elements written in place. */
#pragma once

#include "../tensor/index.h"
#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_tensordict_update:
 * @td: a tensordict
 * @other: where the entries come from; its batch size begins with @td's, or @td's with its
 * @keys_to_update: (array zero-terminated=1) (nullable): paths of @other to take, with what is
 *   below them; those that it does not have are ignored. %NULL for all
 * @clone: whether to copy the leaves, else they are shared
 * @error: RUNTIME when batch sizes or leaves do not fit, or @td is locked; KEY for a record without
 *   such a field; NO_SPACE
 *
 * Sets every entry of @other, level by level, into the nested tensordicts that @td has already;
 * others are set as shallow copies. Other keys stay. A tensor takes the place of a nested
 * tensordict, and the other way round.
 *
 * Returns: whether it was done; on failure nothing is changed
 */
REEL_API
gboolean reel_tensordict_update (ReelTensordict *td, const ReelTensordict *other,
                                 const char *const *keys_to_update, gboolean clone, GError **error);

/**
 * reel_tensordict_update_in_place:
 * @td: a tensordict, which may be locked
 * @other: what to write; shapes are broadcast to those of @td's leaves
 * @keys_to_update: (array zero-terminated=1) (nullable): as in reel_tensordict_update()
 * @error: KEY when @td lacks one of the keys, TYPE when dtypes or kinds differ, RUNTIME when shapes
 *   do not fit, memory may only be read, or a value that is no tensor differs and @td is locked
 *
 * Python's `update_()`: writes the elements of @other to the memory of @td's leaves. The two may
 * not overlap.
 *
 * Returns: whether it was done; on failure nothing is written
 */
REEL_API
gboolean reel_tensordict_update_in_place (ReelTensordict *td, const ReelTensordict *other,
                                          const char *const *keys_to_update, GError **error);

/**
 * reel_tensordict_set_in_place:
 * @td: a tensordict, which may be locked
 * @path: a tensor that is there
 * @tensor: what to write; its shape begins with the batch size, and the rest is broadcast
 * @error: KEY when there is none; TYPE when it is no tensor or the dtypes differ; RUNTIME when the
 *   batch sizes differ or the memory may only be read; VALUE when the rest does not fit
 *
 * Python's `set_()`: writes the elements of @tensor to the memory that @td holds. For a nested
 * tensordict see reel_tensordict_update_in_place().
 *
 * Returns: whether it was done; on failure nothing is written
 */
REEL_API
gboolean reel_tensordict_set_in_place (ReelTensordict *td, const char *path,
                                       const ReelTensor *tensor, GError **error);

/**
 * reel_tensordict_set_at_in_place:
 * @td: a tensordict, which may be locked
 * @path: a tensor that is there
 * @index: which of its elements, in all its dimensions
 * @tensor: what to write, broadcast to the shape that @index gives
 * @error: KEY when there is none; TYPE, also where it lies in a lazy stack, INDEX, RUNTIME as
 *   reel_tensor_assign()
 *
 * Python's `set_at_()`.
 *
 * Returns: whether it was done; on failure nothing is written
 */
REEL_API
gboolean reel_tensordict_set_at_in_place (ReelTensordict *td, const char *path,
                                          const ReelIndex *index, const ReelTensor *tensor,
                                          GError **error);

G_END_DECLS
