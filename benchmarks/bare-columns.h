/* Rows of a storage's sizes in memory of their own, written and picked by bare loops: the limit of
 * extending and of sampling. */
#pragma once

#include "../src/reel.h"
#include "limits/memory-limits.h"

G_BEGIN_DECLS

#define BARE_COLUMNS_MOST 32

/**
 * BareColumns:
 * @rows: how many there are
 * @record_bytes: from one record to the next; 0 where columns lie apart
 * @memory: the rows, on huge pages
 * @n: how many columns
 * @columns: (array length=n): their memory, unless they are records, and a batch of each
 * @paths: (array length=n): their keys, which @storage owns
 * @blocks: the batches by key, as in any map of strings
 * @storage: what they are like
 * @batch: rows of a batch at most
 * @drawn: (array length=batch): which rows were drawn last
 * @random: what they are drawn with
 * @cursor: the row that is written next
 *
 * The memory of batches and nothing else.
 */
typedef struct
{
  gint64 rows;
  gint64 record_bytes;
  guint8 *memory;
  guint n;
  LimitColumn columns[BARE_COLUMNS_MOST];
  const char *paths[BARE_COLUMNS_MOST];
  LimitHash *blocks;
  ReelStorage *storage;
  gint64 batch;
  gint64 *drawn;
  guint64 random;
  gint64 cursor;
} BareColumns;

/**
 * bare_columns_open:
 * @self: (out caller-allocates): rows; bare_columns_close() ends them
 * @storage: with memory, in columns or in records
 * @batch: rows of a batch at most
 */
void bare_columns_open (BareColumns *self, ReelStorage *storage, gint64 batch);

/**
 * bare_columns_close:
 * @self: rows
 */
void bare_columns_close (BareColumns *self);

/**
 * bare_columns_put:
 * @self: rows
 * @n: how many of the batch's
 *
 * Looks up the batches by their keys, and writes them to the next rows of a ring.
 */
void bare_columns_put (BareColumns *self, gint64 n);

/**
 * bare_columns_pick:
 * @self: rows
 * @rows: (array length=n): which
 * @n: how many, a batch at most
 *
 * Copies these rows, column by column; records as they are.
 */
void bare_columns_pick (BareColumns *self, const gint64 *rows, gint64 n);

/**
 * bare_columns_sample:
 * @self: rows
 * @n: how many, a batch at most
 *
 * Draws rows and copies them.
 */
void bare_columns_sample (BareColumns *self, gint64 n);

G_END_DECLS
