/* Copies into rings, one table per instruction set. Private. */
#pragma once

#include "../../core/math/isa.h"

/**
 * ReelCopyKernels:
 * @copy: @n bytes through the cache
 * @stream: @n bytes past the cache, for rings that do not fit it; the caller fences
 * @strided: @n rows of @row_bytes, each @from_stride bytes after the last, to places @to_stride
 *   bytes apart
 *
 * Nothing overlaps. Readers may look on: they ask the ring afterwards whether
 * what they saw is whole.
 */
typedef struct
{
  void (*copy) (guint8 *restrict to, const guint8 *restrict from, gsize n);
  void (*stream) (guint8 *restrict to, const guint8 *restrict from, gsize n);
  void (*strided) (guint8 *restrict to, gint64 to_stride, const guint8 *restrict from,
                   gint64 from_stride, gsize row_bytes, gint64 n);
} ReelCopyKernels;

REEL_KERNEL_DECLARE (ReelCopyKernels, reel_copy_kernels);
