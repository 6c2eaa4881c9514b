/* Copies into rings: streaming stores of whole cache lines, ordinary ones at the ragged ends. */

#include "copy-kernel.h"
#include "stream-copy.h"
#include "strided-copy.h"

static void
copy (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
  racy_copy (to, from, n);
}

static void
stream (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
  stream_copy (to, from, n);
}

static void
strided (guint8 *restrict to, gint64 to_stride, const guint8 *restrict from, gint64 from_stride,
         gsize row_bytes, gint64 n)
{
  strided_copy (to, to_stride, from, from_stride, row_bytes, n);
}

const ReelCopyKernels REEL_KERNEL_NAME (reel_copy_kernels) = { copy, stream, strided };
