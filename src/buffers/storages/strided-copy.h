/* Rows of one size copied from places and to places that lie evenly apart: a loop a size. Private.
 */
#pragma once

#include "racy-copy.h"

/* Always inlined with a constant size, but for the last resort. */
static inline __attribute__ ((always_inline)) void
strided_copy_sized (guint8 *restrict to, gint64 to_stride, const guint8 *restrict from,
                    gint64 from_stride, gsize bytes, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    racy_copy (to + i * to_stride, from + i * from_stride, bytes);
}

static inline void
strided_copy (guint8 *restrict to, gint64 to_stride, const guint8 *restrict from,
              gint64 from_stride, gsize row_bytes, gint64 n)
{
#define STRIDED_COPY(size) strided_copy_sized (to, to_stride, from, from_stride, size, n)
  switch (row_bytes)
    {
    case 1: STRIDED_COPY (1); break;
    case 2: STRIDED_COPY (2); break;
    case 4: STRIDED_COPY (4); break;
    case 8: STRIDED_COPY (8); break;
    case 16: STRIDED_COPY (16); break;
    case 32: STRIDED_COPY (32); break;
    default: STRIDED_COPY (row_bytes);
    }
#undef STRIDED_COPY
}
