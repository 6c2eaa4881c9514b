/* A function applied to every leaf. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * ReelTensordictFunc:
 * @path: path of the leaf
 * @tensors: (array length=n): the leaf of each input there
 * @n: how many inputs, at least 1
 * @result: (out) (transfer full) (nullable): the leaf of the result, which begins with its batch
 *   size; %NULL to leave it out
 * @user_data: as given to reel_tensordict_apply()
 * @error: why it failed
 *
 * The function applied to a leaf.
 *
 * Returns: whether it succeeded
 */
typedef gboolean (*ReelTensordictFunc) (const char *path, ReelTensor *const *tensors, gsize n,
                                        ReelTensor **result, gpointer user_data, GError **error);

/**
 * reel_tensordict_apply:
 * @tds: (array length=n): a tensordict, and any number of others that have all its keys
 * @n: how many, at least 1
 * @ndim: batch dimensions of the result and its levels; −1 to keep those of the first input, with
 *   their names
 * @batch_size: (array length=ndim) (nullable): their extents
 * @filter_empty: whether to leave out nested tensordicts without leaves
 * @func: (scope call): what to make of a leaf; called in insertion order, depth first
 * @user_data: for @func
 * @error: KEY when an input lacks a key; TYPE when it is no tensor there; RUNTIME when what @func
 *   gives does not fit the batch size; or as @func sets it
 *
 * Values other than tensors are taken from the first input as they are. Where that is a lazy stack,
 * @func gets each element's leaf, and the result is one, whose batch size cannot be set.
 *
 * Returns: (transfer full): an unlocked tensordict of the first input's class and device
 */
REEL_API
ReelTensordict *reel_tensordict_apply (ReelTensordict *const *tds, gsize n, gint ndim,
                                       const gint64 *batch_size, gboolean filter_empty,
                                       ReelTensordictFunc func, gpointer user_data, GError **error);

G_END_DECLS
