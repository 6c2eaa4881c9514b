#include "memory-limits.h"

#if defined(__x86_64__)
#define EVERY_MACHINE                                                                              \
  __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EVERY_MACHINE
#endif

#define AT_ONCE 64

EVERY_MACHINE uint64_t
limit_read_bytes (const uint64_t *words, size_t n)
{
  uint64_t sums[AT_ONCE] = { 0 };
  uint64_t sum = 0;
  size_t i = 0;

  for (; i + AT_ONCE <= n; i += AT_ONCE)
    for (size_t k = 0; k < AT_ONCE; k++)
      sums[k] |= words[i + k];
  for (; i < n; i++)
    sum |= words[i];
  for (size_t k = 0; k < AT_ONCE; k++)
    sum |= sums[k];
  return sum;
}
