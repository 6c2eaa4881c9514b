#include "memory-limits.h"

#include <string.h>

void
limit_gather_runs (uint8_t *to, const uint8_t *from, size_t row_bytes, const int64_t *rows,
                   int64_t n, int64_t length)
{
  size_t bytes = (size_t) length * row_bytes;

  for (int64_t i = 0; i < n; i++)
    memcpy (to + (size_t) i * bytes, from + (size_t) rows[i] * row_bytes, bytes);
}
