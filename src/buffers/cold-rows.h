/* Rows in files that are mapped for reading, drawn at random. Of each row that is not in memory the
 * system would read megabytes around it. Private. */
#pragma once

#include "storages/storage.h"

G_BEGIN_DECLS

/**
 * ReelColdRows:
 * @files: (element-type ReelMemory) (nullable): the mapped files, none where rows are in memory
 * @data: the rows that they were found for
 * @rest: batches to copy before rows may be cold again
 * @faults: pages that this thread had waited for before a batch
 *
 * All zeros before the first batch.
 */
typedef struct
{
  GPtrArray *files;
  const ReelTensordict *data;
  gint rest;
  glong faults;
} ReelColdRows;

/**
 * reel_cold_rows_begin:
 * @self: cold rows
 * @storage: whose rows are copied next, at random
 *
 * Until reel_cold_rows_end() the system reads the pages that are touched alone. Nothing to do while
 * batches come from memory.
 */
void reel_cold_rows_begin (ReelColdRows *self, ReelStorage *storage);

/**
 * reel_cold_rows_end:
 * @self: cold rows
 *
 * The system reads ahead again, for those who go through rows in order.
 */
void reel_cold_rows_end (ReelColdRows *self);

/**
 * reel_cold_rows_clear:
 * @self: cold rows, all zeros afterwards
 */
void reel_cold_rows_clear (ReelColdRows *self);

G_END_DECLS
