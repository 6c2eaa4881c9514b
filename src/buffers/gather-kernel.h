/* Rows picked from a column, one table per instruction set. Private. */
#pragma once

#include "../core/isa.h"

/**
 * ReelGatherKernels:
 * @gather: copies the row in each of @slots (array length=@n) of the column at @from, rows of
 * @row_bytes one after another, to @to. @next (nullable) is the column that will be gathered next,
 * of
 *   @next_bytes a row: its first rows are fetched ahead
 *
 * The column may be written meanwhile, see racy-copy.h.
 */
typedef struct
{
  void (*gather) (guint8 *restrict to, const guint8 *restrict from, gsize row_bytes,
                  const gint64 *restrict slots, gint64 n, const guint8 *next, gsize next_bytes);
} ReelGatherKernels;

REEL_KERNEL_DECLARE (ReelGatherKernels, reel_gather_kernels);
