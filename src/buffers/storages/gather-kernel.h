/* Rows picked from columns, one table per instruction set. Private. */
#pragma once

#include "../../core/math/isa.h"

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
 * ReelRows:
 * @data: the row in slot 0
 * @row_bytes: of one row
 * @stride: bytes from one row to the next
 *
 * A column.
 */
typedef struct
{
  const guint8 *data;
  gsize row_bytes;
  gsize stride;
} ReelRows;

/**
 * REEL_MAX_ROW_LINES:
 *
 * Of more lines a row the rest is better fetched while the first are copied.
 */
#define REEL_MAX_ROW_LINES 3

/**
 * ReelRowLines:
 * @first: (array length=n): a byte of the row in slot 0
 * @stride: (array length=n): bytes from one row to the next
 * @n: how many
 *
 * A byte in each of the first cache lines that a copy of a row is about to read: who finds a row
 * may have them brought into the cache at once.
 */
typedef struct _ReelRowLines
{
  const guint8 *first[REEL_MAX_ROW_LINES];
  gsize stride[REEL_MAX_ROW_LINES];
  guint n;
} ReelRowLines;

/**
 * ReelGatherField:
 * @to: where its rows go, one after another
 * @offset: of its bytes in a record
 * @row_bytes: of one row
 *
 * A key of records, and where it is wanted.
 */
typedef struct
{
  guint8 *to;
  gsize offset;
  gsize row_bytes;
} ReelGatherField;

/**
 * REEL_MAX_FIELDS:
 *
 * Keys of records that are gathered at once.
 */
#define REEL_MAX_FIELDS 32

/**
 * ReelGatherKernels:
 * @fetch: has the first rows of a column, or of records, brought into the cache, before @gather or
 *   @records
 * @gather: copies the row in each of @slots (array length=@n) of @from to @to. @next (nullable) is
 *   the column that will be gathered next: its first rows are fetched meanwhile
 * @runs: the same for the rows of @runs (array length=@n_runs), each of which is one piece
 * @records: the same as @gather for all of @fields (array length=@n_fields), at most
 *   %REEL_MAX_FIELDS, of @records, whose rows hold them
 * @record_runs: the same as @runs, likewise
 *
 * The columns may be written meanwhile, see racy-copy.h.
 */
typedef struct
{
  void (*fetch) (const ReelRows *rows, const gint64 *restrict slots, gint64 n);
  void (*gather) (guint8 *restrict to, const ReelRows *from, const gint64 *restrict slots, gint64 n,
                  const ReelRows *next);
  void (*runs) (guint8 *restrict to, const ReelRows *from, const ReelRun *runs, gint64 n_runs);
  void (*records) (const ReelGatherField *fields, guint n_fields, const ReelRows *records,
                   const gint64 *restrict slots, gint64 n);
  void (*record_runs) (const ReelGatherField *fields, guint n_fields, const ReelRows *records,
                       const ReelRun *runs, gint64 n_runs);
} ReelGatherKernels;

REEL_KERNEL_DECLARE (ReelGatherKernels, reel_gather_kernels);
