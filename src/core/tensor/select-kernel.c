#include "select-kernel.h"

#include <string.h>

/* Without a branch, so that the compiler makes vectors of it; rows need no alignment. */
#define SELECT(name, Type)                                                                         \
  static void name (const guint8 *restrict mask, gint64 n, const guint8 *restrict a,               \
                    const guint8 *restrict b, guint8 *restrict result)                             \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        Type x, y;                                                                                 \
        memcpy (&x, a + i * sizeof x, sizeof x);                                                   \
        memcpy (&y, b + i * sizeof y, sizeof y);                                                   \
        x = mask[i] ? x : y;                                                                       \
        memcpy (result + i * sizeof x, &x, sizeof x);                                              \
      }                                                                                            \
  }

SELECT (select_1, guint8)
SELECT (select_2, guint16)
SELECT (select_4, guint32)
SELECT (select_8, guint64)

const ReelSelectKernel REEL_KERNEL_NAME (reel_select_kernel) = { { select_1, select_2, select_4,
                                                                   select_8 } };
