/* Rows of two arrays, chosen by a mask. */
#include "select-kernel.h"

#include <string.h>

/* Neighbours that come from the same array are copied together. */
static void
select_runs (const guint8 *mask, gint64 n, gsize size, const guint8 *a, const guint8 *b,
             guint8 *result)
{
  for (gint64 begin = 0, end; begin < n; begin = end)
    {
      for (end = begin + 1; end < n && !mask[end] == !mask[begin];)
        end++;
      gsize offset = begin * size;
      memcpy (result + offset, (mask[begin] ? a : b) + offset, (end - begin) * size);
    }
}

void
reel_select_rows (ReelIsa isa, const guint8 *mask, gint64 n, gsize size, const guint8 *a,
                  const guint8 *b, guint8 *result)
{
  gint width = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;

  if (width < 0)
    select_runs (mask, n, size, a, b, result);
  else
    REEL_KERNEL_PICK (reel_select_kernel, isa)->rows[width](mask, n, a, b, result);
}
