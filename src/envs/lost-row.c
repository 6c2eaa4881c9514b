#include "lost-row.h"

#include <math.h>
#include <string.h>

static gboolean
is_signed (ReelDtype dtype)
{
  return dtype == REEL_DTYPE_INT8 || dtype == REEL_DTYPE_INT16 || dtype == REEL_DTYPE_INT32
         || dtype == REEL_DTYPE_INT64;
}

void
reel_write_lost_row (ReelDtype dtype, guint8 *row, gsize bytes)
{
  gsize size = reel_dtype_size (dtype);
  gboolean real = reel_dtype_is_float (dtype) || reel_dtype_is_complex (dtype);

  if (!real && !is_signed (dtype))
    {
      memset (row, 0, bytes);
      return;
    }
  for (gsize at = 0; at < bytes; at += size)
    reel_dtype_store_double (dtype, row + at, real ? NAN : -1);
}
