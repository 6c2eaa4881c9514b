/* Trees of tensors that are no tensordict: lists, tuples, plain dicts and single tensors. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * REEL_TREE_SINGLE_KEY:
 *
 * The path of the tensor in a tree that is one tensor; TorchRL's files are named after it.
 */
#define REEL_TREE_SINGLE_KEY "_-single-tensor-_"

/**
 * reel_tree_new:
 * @kind: %REEL_TENSORDICT_LIST, %REEL_TENSORDICT_TUPLE or %REEL_TENSORDICT_MAP
 *
 * Makes a node of what PyTorch calls a pytree. It is a tensordict of another kind: leaves are got
 * and listed by path, where the items of a list or tuple are `0`, `1`, …, so `obs/0`; views,
 * copies, stacks and equality are those of tensordicts and keep the kind. Its batch size is empty:
 * leaves may have any shape. A user that needs a common leading dimension, as a storage does, asks
 * for it by reel_tensordict_set_batch_size(), and may then take rows.
 *
 * Returns: (transfer full): an empty tree
 */
REEL_API
ReelTensordict *reel_tree_new (ReelTensordictKind kind);

/**
 * reel_tree_new_single:
 * @tensor: a tensor; a reference is taken
 *
 * Returns: (transfer full): a tree that is this tensor, at %REEL_TREE_SINGLE_KEY
 */
REEL_API
ReelTensordict *reel_tree_new_single (ReelTensor *tensor);

/**
 * reel_tree_new_single_value:
 * @value: (nullable): a string, a number or another value as reel_non_tensor_new() takes it; a
 *   floating reference is sunk; %NULL for None
 * @error: as reel_non_tensor_new()
 *
 * Returns: (transfer full): a tree that is this value, at %REEL_TREE_SINGLE_KEY:
 *   reel_tensordict_dup_value() gives it back
 */
REEL_API
ReelTensordict *reel_tree_new_single_value (GVariant *value, GError **error);

/**
 * reel_tree_append_tensor:
 * @tree: a list or tuple
 * @tensor: its next item; a reference is taken
 * @error: TYPE for another kind; as reel_tensordict_set_tensor()
 *
 * Returns: whether it was added
 */
REEL_API
gboolean reel_tree_append_tensor (ReelTensordict *tree, ReelTensor *tensor, GError **error);

/**
 * reel_tree_append_value:
 * @tree: a list or tuple
 * @value: (nullable): its next item, as for reel_tree_new_single_value()
 * @error: TYPE for another kind; as reel_tensordict_set_value()
 *
 * Returns: whether it was added
 */
REEL_API
gboolean reel_tree_append_value (ReelTensordict *tree, GVariant *value, GError **error);

/**
 * reel_tree_append:
 * @tree: a list or tuple
 * @item: its next item, a tree or a tensordict; a reference is taken
 * @error: TYPE for another kind; as reel_tensordict_set_tensordict()
 *
 * Returns: whether it was added
 */
REEL_API
gboolean reel_tree_append (ReelTensordict *tree, ReelTensordict *item, GError **error);

/**
 * reel_tree_set_tensor:
 * @tree: a plain dict
 * @key: a key that is a number; those that are strings are set by reel_tensordict_set_tensor()
 * @tensor: what; a reference is taken
 * @error: TYPE for another kind; KEY when a string of the same digits is a key; as
 *   reel_tensordict_set_tensor()
 *
 * Returns: whether it was set; its path is the number in decimal
 */
REEL_API
gboolean reel_tree_set_tensor (ReelTensordict *tree, gint64 key, ReelTensor *tensor,
                               GError **error);

/**
 * reel_tree_set:
 * @tree: a plain dict
 * @key: a key that is a number
 * @item: a tree or a tensordict; a reference is taken
 * @error: as reel_tree_set_tensor()
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tree_set (ReelTensordict *tree, gint64 key, ReelTensordict *item, GError **error);

G_END_DECLS
