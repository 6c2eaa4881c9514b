/* Which tensors of data go into which columns. Private. */
#pragma once

#include "storage-private.h"

/**
 * reel_storage_match_leaves:
 * @self: an allocated storage
 * @data: a tensordict
 * @n_step_dims: 1 where its leaves begin with a dimension of steps, 0 where it is one step
 * @leaves: (out caller-allocates): its leaves in the order of the columns, valid while @data is
 *
 * The usual case: data laid out as the storage, keys in the same order. Looks nothing up.
 *
 * Returns: whether it is; else reel_storage_find_leaves() knows more
 */
gboolean reel_storage_match_leaves (ReelStorage *self, const ReelTensordict *data, gint n_step_dims,
                                    const ReelTensor **leaves);

/**
 * reel_storage_find_leaves:
 * @self: an allocated storage
 * @data: `[n, lanes…]`, keys in any order
 * @leaves: (out caller-allocates): as of reel_storage_match_leaves()
 * @error: KEY, TYPE or RUNTIME naming what does not fit
 *
 * Returns: whether every column has a leaf, and every leaf a column, of its dtype and shape
 */
gboolean reel_storage_find_leaves (ReelStorage *self, ReelTensordict *data,
                                   const ReelTensor **leaves, GError **error);
