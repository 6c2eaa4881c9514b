/* A copy from or to ring memory that another thread may be writing. Whoever reads asks the ring
 * afterwards which rows were whole, so torn bytes do no harm; ThreadSanitizer cannot see that and
 * gets relaxed atomic words instead. Private. */
#pragma once

#include <glib.h>
#include <string.h>

static inline void
racy_copy (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
#ifdef __SANITIZE_THREAD__
  gsize i = 0;

  if (((gsize) to | (gsize) from) % 8 == 0)
    for (; i + 8 <= n; i += 8)
      __atomic_store_n ((guint64 *) (to + i),
                        __atomic_load_n ((const guint64 *) (from + i), __ATOMIC_RELAXED),
                        __ATOMIC_RELAXED);
  for (; i < n; i++)
    __atomic_store_n (to + i, __atomic_load_n (from + i, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
#else
  memcpy (to, from, n);
#endif
}
