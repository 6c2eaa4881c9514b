/* Large blocks of memory on huge pages. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_HUGE_PAGE:
 *
 * Bytes of a huge page: the least that is worth a block of its own.
 */
#define REEL_HUGE_PAGE ((gsize) 2 << 20)

/* A block; its bytes begin at a multiple of a huge page. */
typedef struct
{
  gpointer data;
  /*< private >*/
  gpointer start;
  gsize mapped;
} ReelPages;

/**
 * reel_pages_new:
 * @size: bytes
 * @zeroed: whether they must be 0; otherwise they are whatever they are
 *
 * Released pages are kept for the next caller that asks for as many and overwrites them: the kernel
 * clears every page that it gives, which takes longer than filling it. At most 16 blocks of at most
 * 128 MiB together are kept, in the whole process, until there is no other memory. Any thread.
 *
 * Returns: (transfer full) (nullable): a block, or %NULL when there is no such memory
 */
ReelPages *reel_pages_new (gsize size, gboolean zeroed);

/**
 * reel_pages_free:
 * @pages: (transfer full): a block
 */
void reel_pages_free (ReelPages *pages);

G_END_DECLS
