/* The leaves of a storage's memory as columns of rows that lie evenly apart. Private. */
#pragma once

#include "copy-kernel.h"
#include "gather-kernel.h"
#include "storage.h"

G_BEGIN_DECLS

/**
 * ReelColumns:
 * @at: (array length=n): the columns, in the order of the data
 * @n: how many
 * @are_records: whether each row of all columns is one piece, @records; else each column is by
 *   itself
 * @records: the record in slot 0, from the first byte that a column has to the last
 *
 * All of them, resolved once.
 */
typedef struct
{
  ReelColumn *at;
  guint n;
  gboolean are_records;
  ReelRows records;
} ReelColumns;

/**
 * reel_columns_resolve:
 * @self: (out caller-allocates): the columns; reel_columns_clear() ends them
 * @data: the allocation, which must outlive @self
 * @n_dims: how many of its dimensions are rows
 * @error: VALUE naming a leaf whose rows do not lie evenly apart, each in one piece
 *
 * Returns: whether @data can be a storage's memory
 */
gboolean reel_columns_resolve (ReelColumns *self, ReelTensordict *data, gint n_dims,
                               GError **error);

/**
 * reel_columns_clear:
 * @self: columns, or zeros
 */
void reel_columns_clear (ReelColumns *self);

/**
 * reel_columns_list_lines:
 * @self: columns
 * @most: how many lines
 * @lines: (out caller-allocates): the lines of a row; the first where they are more than @most, or
 *   than there is room for
 */
void reel_columns_list_lines (const ReelColumns *self, gint64 most, ReelRowLines *lines);

/**
 * reel_columns_part:
 * @self: columns
 *
 * A copy of columns into records runs over parts of them that stay in the first cache.
 *
 * Returns: rows of a part, at least 1; %G_MAXINT64 where the columns are no records
 */
gint64 reel_columns_part (const ReelColumns *self);

/**
 * reel_columns_put:
 * @self: columns
 * @kernels: for copies
 * @rows: (array): for each column @n rows, one after another
 * @slot: the first row slot to write
 * @n: how many
 */
void reel_columns_put (const ReelColumns *self, const ReelCopyKernels *kernels,
                       const guint8 *const *rows, gint64 slot, gint64 n);

/**
 * reel_column_rows:
 * @column: a column
 *
 * Returns: the same, for gather kernels
 */
static inline ReelRows
reel_column_rows (const ReelColumn *column)
{
  return (ReelRows){ column->data, column->row_bytes, column->row_stride };
}

/**
 * reel_column_is_dense:
 * @column: a column
 *
 * Returns: whether its rows lie one after another
 */
static inline gboolean
reel_column_is_dense (const ReelColumn *column)
{
  return column->row_stride == column->row_bytes;
}

G_END_DECLS
