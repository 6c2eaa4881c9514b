#include "pages.h"

#include <stdatomic.h>
#include <sys/mman.h>

#define MAX_KEPT 16
#define MAX_KEPT_BYTES ((gsize) 8 << 20)

static _Atomic (ReelPages *) kept[MAX_KEPT];
static atomic_uint next_kept;

static void
unmap (ReelPages *pages)
{
  munmap (pages->start, pages->mapped);
  g_free (pages);
}

/* Mapped with room to spare, because a huge page must begin at a multiple of its size. */
static gsize
mapped_size (gsize size)
{
  return ((size + REEL_HUGE_PAGE - 1) & ~(REEL_HUGE_PAGE - 1)) + REEL_HUGE_PAGE;
}

static ReelPages *
take_kept (gsize mapped)
{
  for (guint i = 0; i < MAX_KEPT; i++)
    {
      ReelPages *none = NULL, *pages = atomic_exchange (&kept[i], NULL);
      if (!pages || pages->mapped == mapped)
        {
          if (pages)
            return pages;
        }
      else if (!atomic_compare_exchange_strong (&kept[i], &none, pages))
        unmap (pages); /* another thread was faster */
    }
  return NULL;
}

static ReelPages *
map (gsize size, gsize mapped)
{
  void *start = mmap (NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  ReelPages *pages = g_new (ReelPages, 1);
  gpointer data = (gpointer) (((gsize) start + REEL_HUGE_PAGE - 1) & ~(REEL_HUGE_PAGE - 1));
  *pages = (ReelPages){ data, start, mapped };
  madvise (data, size, MADV_HUGEPAGE);
  return pages;
}

ReelPages *
reel_pages_new (gsize size, gboolean zeroed)
{
  if (size > G_MAXSSIZE - 2 * REEL_HUGE_PAGE)
    return NULL;
  gsize mapped = mapped_size (size);
  ReelPages *pages = zeroed ? NULL : take_kept (mapped);
  return pages ? pages : map (mapped - REEL_HUGE_PAGE, mapped);
}

void
reel_pages_free (ReelPages *pages)
{
  if (pages->mapped <= MAX_KEPT_BYTES + REEL_HUGE_PAGE)
    pages = atomic_exchange (&kept[atomic_fetch_add (&next_kept, 1) % MAX_KEPT], pages);
  if (pages)
    unmap (pages);
}
