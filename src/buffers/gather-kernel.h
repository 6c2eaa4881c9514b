/* Rows picked from a column, one table per instruction set. Private. */
#pragma once

#include "../core/isa.h"

/**
 * ReelRun:
 * @slot: of the first row
 * @n: rows one after another
 */
typedef struct
{
  gint64 slot;
  gint64 n;
} ReelRun;

/**
 * ReelGatherKernels:
 * @gather: copies the row in each of @slots (array length=@n) of the column at @from, rows of
 * @row_bytes one after another, to @to. @next (nullable) is the column that will be gathered next,
 * of
 *   @next_bytes a row: its first rows are fetched ahead
 * @runs: the same for the rows of @runs (array length=@n_runs), each of which is one piece
 *
 * The column may be written meanwhile, see racy-copy.h.
 */
typedef struct
{
  void (*gather) (guint8 *restrict to, const guint8 *restrict from, gsize row_bytes,
                  const gint64 *restrict slots, gint64 n, const guint8 *next, gsize next_bytes);
  void (*runs) (guint8 *restrict to, const guint8 *restrict from, gsize row_bytes,
                const ReelRun *runs, gint64 n_runs);
} ReelGatherKernels;

REEL_KERNEL_DECLARE (ReelGatherKernels, reel_gather_kernels);
