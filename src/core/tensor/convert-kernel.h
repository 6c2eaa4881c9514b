/* Elements of one type made of those of another. Private. */
#pragma once

#include "dtype.h"
#include "../math/isa.h"

G_BEGIN_DECLS

/**
 * ReelConvertKernels:
 * @convert: makes @n elements of @to_dtype of as many of @from_dtype, neither of which is complex
 *   or aligned in any way; see reel_tensor_convert()
 *
 * One table per instruction set, the same bits from each.
 */
typedef struct
{
  void (*convert) (ReelDtype from_dtype, const guint8 *from, ReelDtype to_dtype, guint8 *to,
                   gsize n);
} ReelConvertKernels;

REEL_KERNEL_DECLARE (ReelConvertKernels, reel_convert_kernels);

G_END_DECLS
