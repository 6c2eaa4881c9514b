#include "memory-limits.h"

#include <string.h>

#define LINE 64
#define AHEAD 256       /* rows */
#define AHEAD_RECORD 24 /* records, each of a line or two */

/* ---- row numbers ---- */

static void
draw (uint64_t *random, int64_t below, int64_t *rows, int64_t n)
{
  uint64_t start = *random;

  for (int64_t i = 0; i < n; i++)
    {
      uint64_t z = start + (uint64_t) (i + 1) * 0x9e3779b97f4a7c15;

      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
      z = (z ^ z >> 27) * 0x94d049bb133111eb;
      rows[i] = (int64_t) (((z ^ z >> 31) >> 32) * (uint64_t) below >> 32);
    }
  *random = start + (uint64_t) n * 0x9e3779b97f4a7c15;
}

/* ---- columns ---- */

/* One loop a size, so that a row's copy is a few moves. Rows far ahead are fetched, at the end of a
 * column those that the next one begins with. */
static inline __attribute__ ((always_inline)) void
gather_sized (uint8_t *restrict to, const uint8_t *restrict from, int64_t bytes,
              const uint8_t *next, int64_t next_bytes, const int64_t *restrict rows, int64_t n)
{
  int64_t ahead = n < AHEAD ? n : AHEAD, i = 0;

  for (; i < n - ahead; i++)
    {
      __builtin_prefetch (from + rows[i + ahead] * bytes, 0, 2);
      memcpy (to + i * bytes, from + rows[i] * bytes, (size_t) bytes);
    }
  for (int64_t k = 0; i < n; i++, k++)
    {
      __builtin_prefetch (next + rows[k] * next_bytes, 0, 2);
      memcpy (to + i * bytes, from + rows[i] * bytes, (size_t) bytes);
    }
}

static void
gather_columns (const LimitColumn *columns, int n_columns, const int64_t *rows, int64_t n)
{
  for (int64_t i = 0; i < n && i < AHEAD; i++)
    __builtin_prefetch (columns->data + rows[i] * (int64_t) columns->row_bytes, 0, 2);
  for (int c = 0; c < n_columns; c++)
    {
      const LimitColumn *own = &columns[c], *next = &columns[c + 1 < n_columns ? c + 1 : c];

#define GATHER(size)                                                                               \
  gather_sized (own->block, own->data, size, next->data, (int64_t) next->row_bytes, rows, n)
      switch (own->row_bytes)
        {
        case 1: GATHER (1); break;
        case 4: GATHER (4); break;
        case 8: GATHER (8); break;
        case 16: GATHER (16); break;
        default: GATHER ((int64_t) own->row_bytes);
        }
    }
}

/* ---- records ---- */

static inline __attribute__ ((always_inline)) void
gather_records_sized (uint8_t *restrict to, const uint8_t *restrict from, int64_t bytes,
                      const int64_t *restrict rows, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    {
      const uint8_t *next = from + rows[i + AHEAD_RECORD < n ? i + AHEAD_RECORD : n - 1] * bytes;

      __builtin_prefetch (next);
      __builtin_prefetch (next + bytes - 1);
      memcpy (to + i * bytes, from + rows[i] * bytes, (size_t) bytes);
    }
}

static void
gather_records (uint8_t *restrict to, const uint8_t *restrict from, int64_t bytes,
                const int64_t *rows, int64_t n)
{
#define GATHER_RECORDS(size) gather_records_sized (to, from, size, rows, n)
  switch (bytes)
    {
    case 58: GATHER_RECORDS (58); break;
    case 64: GATHER_RECORDS (64); break;
    case 66: GATHER_RECORDS (66); break;
    default: GATHER_RECORDS (bytes);
    }
}

/* ---- runs ---- */

static void
gather_runs (uint8_t *restrict to, const uint8_t *restrict from, size_t row_bytes,
             const int64_t *rows, int64_t n, int64_t length)
{
  size_t bytes = (size_t) length * row_bytes;

  for (int64_t i = 0; i < n; i++)
    memcpy (to + (size_t) i * bytes, from + (size_t) rows[i] * row_bytes, bytes);
}

const LimitGathers LIMIT_NAME (limit_gathers) = { draw, gather_columns, gather_records,
                                                  gather_runs };
