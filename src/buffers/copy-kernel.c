/* Copies into rings: streaming stores of whole cache lines, ordinary ones at the ragged ends. */

#include "copy-kernel.h"
#include "racy-copy.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define LINE 64

static void
copy (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
  racy_copy (to, from, n);
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

static inline void
stream_line (guint8 *to, const guint8 *from)
{
#if defined(__AVX512F__)
  _mm512_stream_si512 ((__m512i *) to, _mm512_loadu_si512 (from));
#elif defined(__AVX__)
  for (gsize i = 0; i < LINE; i += 32)
    _mm256_stream_si256 ((__m256i *) (to + i), _mm256_loadu_si256 ((const __m256i *) (from + i)));
#else
  for (gsize i = 0; i < LINE; i += 16)
    _mm_stream_si128 ((__m128i *) (to + i), _mm_loadu_si128 ((const __m128i *) (from + i)));
#endif
}

static void
stream (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
  gsize head = MIN (-(gsize) to % LINE, n);
  gsize body = (n - head) / LINE * LINE;

  if (n == 0) /* a leaf without elements has no memory */
    return;
  memcpy (to, from, head);
  for (gsize i = head; i < head + body; i += LINE)
    stream_line (to + i, from + i);
  memcpy (to + head + body, from + head + body, n - head - body);
}

#else
#define stream copy
#endif

/* Always inlined with a constant size, but for the last resort. */
static inline __attribute__ ((always_inline)) void
strided_sized (guint8 *restrict to, const guint8 *restrict from, gsize bytes, gint64 stride,
               gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    racy_copy (to + (gsize) i * bytes, from + i * stride, bytes);
}

static void
strided (guint8 *restrict to, const guint8 *restrict from, gsize row_bytes, gint64 stride, gint64 n)
{
  switch (row_bytes)
    {
    case 1: strided_sized (to, from, 1, stride, n); break;
    case 2: strided_sized (to, from, 2, stride, n); break;
    case 4: strided_sized (to, from, 4, stride, n); break;
    case 8: strided_sized (to, from, 8, stride, n); break;
    case 16: strided_sized (to, from, 16, stride, n); break;
    case 32: strided_sized (to, from, 32, stride, n); break;
    default: strided_sized (to, from, row_bytes, stride, n);
    }
}

const ReelCopyKernels REEL_KERNEL_NAME (reel_copy_kernels) = { copy, stream, strided };
