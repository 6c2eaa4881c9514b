/* The columns of a table (CSV) whose elements become leaves: their names, and the types of their
 * cells. Private to the library. */
#pragma once

#include "../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * ReelCsvLeaf:
 * @key: its path
 * @ndim: dimensions of a row
 * @shape: extents of a row
 * @n_columns: how many columns are elements of it
 * @is_flag: whether it is a flag of a step, in which 0 and 1 are bools
 * @is_bools: whether all cells so far are bools
 * @is_integers: whether all cells so far are integers
 * @has_words: whether a cell is `true` or `false`
 *
 * A leaf, as far as the table is read.
 */
typedef struct
{
  char *key;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 n_columns;
  gboolean is_flag;
  gboolean is_bools;
  gboolean is_integers;
  gboolean has_words;
} ReelCsvLeaf;

/**
 * ReelCsvColumn:
 * @name: its name
 * @leaf: number of its leaf
 * @ndim: dimensions of its place
 * @place: its place in a row of the leaf
 * @element: the same as a number, in row-major order
 *
 * A column.
 */
typedef struct
{
  char *name;
  guint leaf;
  gint ndim;
  gint64 place[REEL_MAX_NDIM];
  gint64 element;
} ReelCsvColumn;

/**
 * ReelCsvColumns:
 * @columns: (element-type ReelCsvColumn): in the order of the table
 * @leaves: (element-type ReelCsvLeaf): in the order of their first columns
 * @reals: type of reals
 *
 * All of them.
 */
typedef struct
{
  GArray *columns;
  GArray *leaves;
  ReelDtype reals;
} ReelCsvColumns;

/**
 * reel_csv_columns_new:
 * @names: (array length=n) (element-type GString): the first row of a table
 * @n: how many
 * @reals: type of reals, float32 or float64
 * @error: DAMAGED naming the column: without a name, twice the same, a place that cannot be read,
 *   or a leaf of which a place is missing
 *
 * Returns: (transfer full): the columns
 */
ReelCsvColumns *reel_csv_columns_new (const GPtrArray *names, guint n, ReelDtype reals,
                                      GError **error);

/**
 * reel_csv_columns_free:
 * @self: (nullable) (transfer full): columns
 */
void reel_csv_columns_free (ReelCsvColumns *self);

/**
 * reel_csv_columns_look:
 * @self: columns
 * @column: number of one of them
 * @cell: its text in a row
 * @error: DAMAGED naming the column: a cell that is empty, or no number, bool or 64-bit integer, a
 *   real that its type would make infinite, or a bool among numbers
 *
 * Learns the type of a leaf from a cell.
 *
 * Returns: whether it can be read
 */
gboolean reel_csv_columns_look (ReelCsvColumns *self, guint column, const char *cell,
                                GError **error);

/**
 * reel_csv_columns_get_dtype:
 * @self: columns of which all cells were looked at
 * @leaf: number of a leaf
 *
 * Returns: bool or int64 where all cells of the leaf are that, else the type of reals
 */
ReelDtype reel_csv_columns_get_dtype (const ReelCsvColumns *self, guint leaf);

/**
 * reel_csv_put_cell:
 * @cell: a text that was looked at
 * @dtype: what reel_csv_columns_get_dtype() said
 * @to: the element
 */
void reel_csv_put_cell (const char *cell, ReelDtype dtype, guint8 *to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelCsvColumns, reel_csv_columns_free)

G_END_DECLS
