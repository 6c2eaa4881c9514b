/* A copy past the cache, for memory that does not fit it: streaming stores of whole lines, ordinary
 * ones at the ragged ends. The caller fences. Private. */
#pragma once

#include "racy-copy.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define STREAM_LINE 64

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

static inline void
stream_line (guint8 *to, const guint8 *from)
{
#if defined(__AVX512F__)
  _mm512_stream_si512 ((__m512i *) to, _mm512_loadu_si512 (from));
#elif defined(__AVX__)
  for (gsize i = 0; i < STREAM_LINE; i += 32)
    _mm256_stream_si256 ((__m256i *) (to + i), _mm256_loadu_si256 ((const __m256i *) (from + i)));
#else
  for (gsize i = 0; i < STREAM_LINE; i += 16)
    _mm_stream_si128 ((__m128i *) (to + i), _mm_loadu_si128 ((const __m128i *) (from + i)));
#endif
}

#else

static inline void
stream_line (guint8 *to, const guint8 *from)
{
  racy_copy (to, from, STREAM_LINE);
}

#endif

static inline void
stream_copy (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
  gsize head = MIN (-(gsize) to % STREAM_LINE, n);
  gsize body = (n - head) / STREAM_LINE * STREAM_LINE;

  if (n == 0) /* a leaf without elements has no memory */
    return;
  racy_copy (to, from, head);
  for (gsize i = head; i < head + body; i += STREAM_LINE)
    stream_line (to + i, from + i);
  racy_copy (to + head + body, from + head + body, n - head - body);
}
