#include "memory-limits.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LINE 64

static void
copy_bytes (uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
  memcpy (to, from, n);
}

static void
write_bytes (uint8_t *to, uint8_t value, size_t n)
{
  memset (to, value, n);
}

/* ---- past the cache ---- */

#if defined(__x86_64__)

static inline void
stream_line (uint8_t *to, const uint8_t *from)
{
#if defined(__AVX512F__)
  _mm512_stream_si512 ((__m512i *) to, _mm512_loadu_si512 (from));
#elif defined(__AVX2__)
  for (size_t i = 0; i < LINE; i += 32)
    _mm256_stream_si256 ((__m256i *) (to + i), _mm256_loadu_si256 ((const __m256i *) (from + i)));
#else
  for (size_t i = 0; i < LINE; i += 16)
    _mm_stream_si128 ((__m128i *) (to + i), _mm_loadu_si128 ((const __m128i *) (from + i)));
#endif
}

static inline void
end_streaming (void)
{
  _mm_sfence ();
}

#else

static inline void
stream_line (uint8_t *to, const uint8_t *from)
{
  memcpy (to, from, LINE);
}

static inline void
end_streaming (void)
{
}

#endif

/* Whole lines stream; the ragged ends are left to the cache. */
static inline void
stream (uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
  size_t head = -(size_t) to % LINE, i = head < n ? head : n;

  memcpy (to, from, i);
  for (; i + LINE <= n; i += LINE)
    stream_line (to + i, from + i);
  memcpy (to + i, from + i, n - i);
}

static void
stream_bytes (uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
  stream (to, from, n);
  end_streaming ();
}

/* ---- columns ---- */

/* One row: of most columns a move or two. */
static inline void
put_row (const LimitColumn *column, int64_t row)
{
  uint8_t *to = column->data + row * (int64_t) column->row_bytes;

  switch (column->row_bytes)
    {
    case 1: memcpy (to, column->block, 1); break;
    case 4: memcpy (to, column->block, 4); break;
    case 8: memcpy (to, column->block, 8); break;
    case 16: memcpy (to, column->block, 16); break;
    default: memcpy (to, column->block, column->row_bytes);
    }
}

static void
put_rows (const LimitColumn *columns, int n_columns, int64_t first, int64_t n)
{
  for (int c = 0; c < n_columns; c++)
    if (n == 1)
      put_row (&columns[c], first);
    else
      stream (columns[c].data + (size_t) first * columns[c].row_bytes, columns[c].block,
              (size_t) n * columns[c].row_bytes);
  if (n > 1)
    end_streaming ();
}

/* ---- records ---- */

#define TILE 64 /* records put together in the first-level cache */
#define MOST_RECORD 256

#define PUT(size)                                                                                  \
  for (int64_t i = 0; i < n; i++)                                                                  \
  memcpy (to + i * stride, from + i * (size), size)

static inline void
put_field (uint8_t *restrict to, int64_t stride, const uint8_t *restrict from, int64_t bytes,
           int64_t n)
{
  switch (bytes)
    {
    case 1: PUT (1); break;
    case 4: PUT (4); break;
    case 8: PUT (8); break;
    case 16: PUT (16); break;
    default: PUT (bytes);
    }
}

static void
put_record (uint8_t *record, const LimitColumn *columns, int n_columns)
{
  for (int c = 0; c < n_columns; record += columns[c++].row_bytes)
    put_field (record, 0, columns[c].block, (int64_t) columns[c].row_bytes, 1);
}

static void
put_records (uint8_t *records, int64_t stride, const LimitColumn *columns, int n_columns,
             int64_t first, int64_t n)
{
  _Alignas(LINE) uint8_t tile[TILE * MOST_RECORD];

  if (n == 1)
    {
      put_record (records + first * stride, columns, n_columns);
      return;
    }
  for (int64_t at = 0; at < n; at += TILE)
    {
      int64_t count = n - at < TILE ? n - at : TILE, offset = 0;

      for (int c = 0; c < n_columns; c++)
        {
          int64_t bytes = (int64_t) columns[c].row_bytes;

          put_field (tile + offset, stride, columns[c].block + at * bytes, bytes, count);
          offset += bytes;
        }
      stream (records + (first + at) * stride, tile, (size_t) (count * stride));
    }
  end_streaming ();
}

/* ---- random numbers ---- */

#define FLOATS 64 /* made in the first-level cache before they stream */

static void
draw_floats (uint64_t *random, float low, float high, float *restrict to, size_t n)
{
  const double start = low, step = ((double) high - low) * 0x1p-24;

  for (size_t at = 0; at + FLOATS <= n; at += FLOATS)
    {
      _Alignas(LINE) float block[FLOATS];
      uint64_t counter = *random;

      for (int i = 0; i < FLOATS; i++)
        {
          uint64_t z = counter + (uint64_t) i * 0x9e3779b97f4a7c15, bits;
          double number;

          z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
          z = (z ^ z >> 27) * 0x94d049bb133111eb;
          bits = z >> 40 | 0x4330000000000000;
          memcpy (&number, &bits, sizeof number);
          block[i] = (float) (start + (number - 0x1p52) * step);
          block[i] = block[i] < high ? block[i] : high;
        }
      *random = counter + FLOATS * 0x9e3779b97f4a7c15;
      for (size_t i = 0; i < sizeof block; i += LINE)
        stream_line ((uint8_t *) (to + at) + i, (const uint8_t *) block + i);
    }
  end_streaming ();
}

const LimitCopies LIMIT_NAME (limit_copies) = { copy_bytes, write_bytes, stream_bytes,
                                                put_rows,   put_records, draw_floats };
