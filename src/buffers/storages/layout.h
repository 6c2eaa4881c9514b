/* Walking the structure of a tensordict to make another of the same. Private. */
#pragma once

#include "../../core/tensordict/tree-private.h"

/**
 * ReelLeafFunc:
 * @leaf: a tensor of the source
 * @path: its path from the root
 * @user_data: as given
 * @error: what it likes
 *
 * Returns: (transfer full): what stands in its place, or %NULL to give up
 */
typedef ReelTensor *(*ReelLeafFunc) (ReelTensor *leaf, const char *path, gpointer user_data,
                                     GError **error);

/**
 * reel_layout_check:
 * @td: what a storage is to hold
 * @error: TYPE naming the first entry that is no tensor, or the first lazy stack, or a tree within
 *   a tensordict
 *
 * Returns: whether it is a tensordict or a tree of tensors alone
 */
gboolean reel_layout_check (const ReelTensordict *td, GError **error);

/**
 * reel_layout_new_level:
 * @like: a tensordict or a node of a tree
 * @ndim: batch dimensions
 * @batch_size: (array length=ndim): their extents
 *
 * Returns: (transfer full): an empty tensordict of the class of @like, or an empty node of its kind
 */
ReelTensordict *reel_layout_new_level (const ReelTensordict *like, gint ndim,
                                       const gint64 *batch_size);

/**
 * reel_layout_add:
 * @level: what reel_layout_new_level() gave
 * @like: an entry of what it is like, whose key it does not have yet
 * @leaf: (nullable): what stands there; either this
 * @child: (nullable): or this
 * @error: as reel_tensordict_set_tensor()
 *
 * Returns: whether it was added
 */
gboolean reel_layout_add (ReelTensordict *level, const ReelTensordictEntry *like, ReelTensor *leaf,
                          ReelTensordict *child, GError **error);

/**
 * reel_layout_map:
 * @td: a tensordict or a tree
 * @n_slots: extent of a dimension put before its batch dimensions, or −1 for none
 * @func: makes each leaf, with that dimension
 * @user_data: for @func
 * @error: as @func
 *
 * Returns: (transfer full): a tensordict with the keys of @td in their order, with its names behind
 *   that of the new dimension, which has none
 */
ReelTensordict *reel_layout_map (const ReelTensordict *td, gint64 n_slots, ReelLeafFunc func,
                                 gpointer user_data, GError **error);
