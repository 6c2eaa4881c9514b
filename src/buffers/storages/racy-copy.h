/* A copy from or to ring memory that another thread may be writing. A reader asks the ring
 * afterwards which rows were whole, so torn bytes do no harm; ThreadSanitizer cannot see that, and
 * is not to look. Private. */
#pragma once

#include <glib.h>
#include <string.h>

#ifdef __SANITIZE_THREAD__

/* Through volatile bytes, which no compiler makes a memcpy() that would be looked at. */
static __attribute__ ((no_sanitize ("thread"), noinline, unused)) void
racy_copy (guint8 *to, const guint8 *from, gsize n)
{
  volatile guint8 *bytes = to;

  for (gsize i = 0; i < n; i++)
    bytes[i] = from[i];
}

#else

static inline void
racy_copy (guint8 *restrict to, const guint8 *restrict from, gsize n)
{
  memcpy (to, from, n);
}

#endif
