/* Stores into a ring. For the loops of limits. */
#pragma once

#include "limits.h"

#include <stddef.h>
#include <string.h>

#if defined(__AVX512F__)
#define LIMIT_VECTOR 64
#elif defined(__AVX2__)
#define LIMIT_VECTOR 32
#else
#define LIMIT_VECTOR 16
#endif

typedef uint64_t LimitWords __attribute__ ((vector_size (LIMIT_VECTOR)));

/* Rows of n lanes, a multiple of 64, made of the words at from again and again, of which there are
 * 256. */
static inline __attribute__ ((always_inline)) void
limit_store_rows (const LimitRing *ring, int64_t row, int64_t n, const double *from)
{
  LimitWords *to = (LimitWords *) (ring->data + row * ring->row_bytes);
  const LimitWords *words = (const LimitWords *) from;
  int64_t n_vectors = n * ring->row_bytes / LIMIT_VECTOR;

  for (int64_t i = 0; i < n_vectors; i++)
    to[i] = words[i % (2048 / LIMIT_VECTOR)];
}
