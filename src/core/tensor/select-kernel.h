/* Rows of two arrays, chosen by a mask. Private to the library. */
#pragma once

#include "../math/isa.h"

G_BEGIN_DECLS

/**
 * ReelSelectFunc:
 * @mask: (array length=n): 0 or 1
 * @n: how many rows
 * @a: (array length=n): rows where @mask is 1
 * @b: (array length=n): rows where it is 0
 * @result: (array length=n): where to; overlaps none of them
 */
typedef void (*ReelSelectFunc) (const guint8 *mask, gint64 n, const guint8 *a, const guint8 *b,
                                guint8 *result);

/**
 * ReelSelectKernel:
 * @rows: for rows of 1, 2, 4 and 8 bytes
 */
typedef struct
{
  ReelSelectFunc rows[4];
} ReelSelectKernel;

REEL_KERNEL_DECLARE (ReelSelectKernel, reel_select_kernel);

/**
 * reel_select_rows:
 * @isa: which kernels to use
 * @mask: (array length=n): 0 or 1
 * @n: how many rows
 * @size: bytes of a row
 * @a: rows where @mask is 1
 * @b: rows where it is 0
 * @result: where to; overlaps none of them
 */
void reel_select_rows (ReelIsa isa, const guint8 *mask, gint64 n, gsize size, const guint8 *a,
                       const guint8 *b, guint8 *result);

G_END_DECLS
