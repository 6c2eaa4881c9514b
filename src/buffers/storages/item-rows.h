/* Rows that differ in shape, on their way to a storage: a list tree without batch dimensions, an
 * item a row. Private. */
#pragma once

#include "../../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_rows_are_listed:
 * @data: what is to be written
 *
 * Returns: whether its rows are the items of a list, rather than its first batch dimension
 */
gboolean reel_rows_are_listed (const ReelTensordict *data);

/**
 * reel_rows_count:
 * @data: rows, listed or with a batch dimension
 *
 * Returns: how many
 */
gint64 reel_rows_count (const ReelTensordict *data);

/**
 * reel_rows_list:
 * @data: a list of any items; what has a batch dimension; or a tree that is one tensor of some
 * @error: TYPE where there are no rows in it: one value, a tuple or a dict, a scalar
 *
 * Returns: (transfer full): the rows, listed: tensordicts and trees. They share the elements of
 *   @data
 */
ReelTensordict *reel_rows_list (ReelTensordict *data, GError **error);

/**
 * reel_rows_get:
 * @rows: listed rows
 * @i: which, from 0 on
 *
 * Returns: (transfer none): the row
 */
ReelTensordict *reel_rows_get (const ReelTensordict *rows, gint64 i);

/**
 * reel_rows_ref_leaf:
 * @data: one row or more, listed or with a batch dimension
 * @path: a leaf that all have
 * @error: KEY, TYPE; RUNTIME where they differ in shape
 *
 * Returns: (transfer full): the tensor `[n, …]`
 */
ReelTensor *reel_rows_ref_leaf (const ReelTensordict *data, const char *path, GError **error);

/**
 * reel_row_takes_keys:
 * @row: a row
 *
 * Returns: whether a key can be added: to a tensordict that is no typed record, and not to a tree
 */
gboolean reel_row_takes_keys (const ReelTensordict *row);

/**
 * reel_row_set_for_all:
 * @row: a tensordict that nobody else has
 * @path: a key
 * @element: what every element of its batch is to have there: `[]`, or `[n]` for a dimension behind
 *   those of the batch
 * @error: as reel_tensordict_set_tensor()
 *
 * Returns: whether it was set
 */
gboolean reel_row_set_for_all (ReelTensordict *row, const char *path, ReelTensor *element,
                               GError **error);

/**
 * reel_rows_widen_tree:
 * @td: anything
 * @ndim: storage dimensions
 * @error: INDEX naming a leaf of fewer dimensions
 *
 * Returns: (transfer full): @td, or a tree with the batch dimensions that a storage needs: the
 *   first of its leaves
 */
ReelTensordict *reel_rows_widen_tree (ReelTensordict *td, gint ndim, GError **error);

/**
 * reel_rows_stack:
 * @list: listed items, each with @dim batch dimensions or a tree whose leaves have as many
 * @dim: where the dimension of the list goes
 * @error: RUNTIME "Expected at least one element in extend."; "Stacking the elements of the list
 *   resulted in an error: …"
 *
 * Returns: (transfer full): what the columns of a storage take: the items, stacked
 */
ReelTensordict *reel_rows_stack (ReelTensordict *list, gint dim, GError **error);

G_END_DECLS
