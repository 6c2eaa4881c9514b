/* Rows picked from a column. A row is a cache miss: the copy is specialised by size, so that many
 * misses are under way at once, and rows some way ahead are fetched. */

#include "gather-kernel.h"
#include "racy-copy.h"

#define LINE 64
#define AHEAD_SMALL 24 /* rows of at most a line */
#define AHEAD_LARGE 2
#define AHEAD_RUNS 8
#define FETCH_RUN 256   /* of a run that comes later */
#define FETCH_MOST 8192 /* larger rows stream by themselves */

static inline void
fetch (const guint8 *row, gsize bytes)
{
  for (gsize i = 0; i < bytes; i += LINE)
    __builtin_prefetch (row + i);
  __builtin_prefetch (row + bytes - 1);
}

/* Always inlined with a constant size. */
static inline __attribute__ ((always_inline)) void
gather_sized (guint8 *restrict to, const guint8 *restrict from, gsize bytes,
              const gint64 *restrict slots, gint64 n)
{
  gint64 i = 0;

  for (; i < n - AHEAD_SMALL; i++)
    {
      __builtin_prefetch (from + (gsize) slots[i + AHEAD_SMALL] * bytes);
      racy_copy (to + (gsize) i * bytes, from + (gsize) slots[i] * bytes, bytes);
    }
  for (; i < n; i++)
    racy_copy (to + (gsize) i * bytes, from + (gsize) slots[i] * bytes, bytes);
}

static void
gather_any (guint8 *restrict to, const guint8 *restrict from, gsize bytes,
            const gint64 *restrict slots, gint64 n)
{
  gint64 ahead = bytes <= LINE ? AHEAD_SMALL : AHEAD_LARGE;

  for (gint64 i = 0; i < n; i++)
    {
      if (bytes <= FETCH_MOST && i + ahead < n)
        fetch (from + (gsize) slots[i + ahead] * bytes, bytes);
      racy_copy (to + (gsize) i * bytes, from + (gsize) slots[i] * bytes, bytes);
    }
}

static void
gather (guint8 *restrict to, const guint8 *restrict from, gsize row_bytes,
        const gint64 *restrict slots, gint64 n, const guint8 *next, gsize next_bytes)
{
  switch (row_bytes)
    {
    case 1: gather_sized (to, from, 1, slots, n); break;
    case 2: gather_sized (to, from, 2, slots, n); break;
    case 4: gather_sized (to, from, 4, slots, n); break;
    case 8: gather_sized (to, from, 8, slots, n); break;
    case 16: gather_sized (to, from, 16, slots, n); break;
    case 32: gather_sized (to, from, 32, slots, n); break;
    case 64: gather_sized (to, from, 64, slots, n); break;
    default: gather_any (to, from, row_bytes, slots, n);
    }
  if (next && next_bytes <= FETCH_MOST)
    for (gint64 i = 0; i < MIN (n, AHEAD_SMALL); i++)
      __builtin_prefetch (next + (gsize) slots[i] * next_bytes);
}

/* The CPU goes on by itself within a run, but does not see the next one. */
static void
gather_runs (guint8 *restrict to, const guint8 *restrict from, gsize row_bytes, const ReelRun *runs,
             gint64 n_runs)
{
  for (gint64 i = 0; i < n_runs; i++)
    {
      gsize bytes = (gsize) runs[i].n * row_bytes;

      if (i + AHEAD_RUNS < n_runs)
        {
          const ReelRun *later = &runs[i + AHEAD_RUNS];
          fetch (from + (gsize) later->slot * row_bytes,
                 MIN ((gsize) later->n * row_bytes, FETCH_RUN));
        }
      racy_copy (to, from + (gsize) runs[i].slot * row_bytes, bytes);
      to += bytes;
    }
}

const ReelGatherKernels REEL_KERNEL_NAME (reel_gather_kernels) = { gather, gather_runs };
