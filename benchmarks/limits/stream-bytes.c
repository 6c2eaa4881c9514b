#include "memory-limits.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

static __attribute__ ((target ("avx512f"))) void
stream_avx512 (uint8_t *to, const uint8_t *from, size_t n)
{
  for (size_t i = 0; i < n; i += 64)
    _mm512_stream_si512 ((__m512i *) (to + i), _mm512_loadu_si512 (from + i));
}

static void
stream_sse2 (uint8_t *to, const uint8_t *from, size_t n)
{
  for (size_t i = 0; i < n; i += 16)
    _mm_stream_si128 ((__m128i *) (to + i), _mm_loadu_si128 ((const __m128i *) (from + i)));
}

void
limit_stream_bytes (uint8_t *to, const uint8_t *from, size_t n)
{
  if (__builtin_cpu_supports ("avx512f"))
    stream_avx512 (to, from, n);
  else
    stream_sse2 (to, from, n);
  _mm_sfence ();
}

#else

void
limit_stream_bytes (uint8_t *to, const uint8_t *from, size_t n)
{
  memcpy (to, from, n);
}

#endif
