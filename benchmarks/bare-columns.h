/* Columns of the sizes of a storage's, and rows picked from them by a bare loop. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

#define BARE_COLUMNS_MOST 32

/**
 * BareColumns:
 * @rows: how many rows each has
 * @n: how many columns
 * @row_bytes: (array length=n): of one row
 * @from: (array length=n): the columns, on huge pages
 * @to: (array length=n): room for a batch of each
 *
 * What a batch takes of memory and nothing else: the limit of sampling.
 */
typedef struct
{
  gint64 rows;
  guint n;
  gsize row_bytes[BARE_COLUMNS_MOST];
  guint8 *from[BARE_COLUMNS_MOST];
  guint8 *to[BARE_COLUMNS_MOST];
} BareColumns;

/**
 * bare_columns_open:
 * @self: (out caller-allocates): columns; bare_columns_close() ends them
 * @storage: with memory
 * @row_bytes: 0 for columns as the storage's, else one column of rows of so many bytes
 * @batch: rows that are picked at most
 */
void bare_columns_open (BareColumns *self, ReelStorage *storage, gsize row_bytes, gint64 batch);

/**
 * bare_columns_close:
 * @self: columns
 */
void bare_columns_close (BareColumns *self);

/**
 * bare_columns_copy:
 * @self: columns
 * @rows: (array length=n): which
 * @n: how many
 *
 * Copies these rows, column by column.
 */
void bare_columns_copy (const BareColumns *self, const gint64 *rows, gint64 n);

G_END_DECLS
