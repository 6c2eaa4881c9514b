#include "memory-limits.h"

#include <string.h>

void
limit_copy_bytes (uint8_t *to, const uint8_t *from, size_t n)
{
  memcpy (to, from, n);
}

void
limit_write_bytes (uint8_t *to, uint8_t value, size_t n)
{
  memset (to, value, n);
}
