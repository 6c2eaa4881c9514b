#include "memory-limits.h"

#include <string.h>

/* One loop a size, so that a row's copy is a few moves. */
#define GATHER(size)                                                                               \
  for (int64_t i = 0; i < n; i++)                                                                  \
  memcpy (to + i * (size), from + rows[i] * (size), size)

void
limit_gather (uint8_t *to, const uint8_t *from, size_t row_bytes, const int64_t *rows, int64_t n)
{
  switch (row_bytes)
    {
    case 1: GATHER (1); break;
    case 4: GATHER (4); break;
    case 8: GATHER (8); break;
    case 16: GATHER (16); break;
    default: GATHER (row_bytes); break;
    }
}
