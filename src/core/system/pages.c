#include "pages.h"

#include <stdatomic.h>
#include <sys/mman.h>

#define MAX_KEPT 16
#define MAX_KEPT_BYTES ((gsize) 128 << 20)

static _Atomic (ReelPages *) kept[MAX_KEPT];
static atomic_uint next_kept;
static atomic_size_t kept_bytes; /* counted before they are kept, until they no longer are */

static void
unmap (ReelPages *pages)
{
  munmap (pages->start, pages->mapped);
  g_free (pages);
}

/* One that is no longer kept, if any. */
static void
forget (ReelPages *pages)
{
  if (!pages)
    return;
  atomic_fetch_sub (&kept_bytes, pages->mapped);
  unmap (pages);
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
            {
              atomic_fetch_sub (&kept_bytes, mapped);
              return pages;
            }
        }
      else if (!atomic_compare_exchange_strong (&kept[i], &none, pages))
        forget (pages); /* another thread was faster */
    }
  return NULL;
}

/* All but so many bytes, those first that are kept longest. */
static void
forget_beyond (gsize bytes)
{
  guint oldest = atomic_load (&next_kept);

  for (guint i = 0; i < MAX_KEPT && atomic_load (&kept_bytes) > bytes; i++)
    forget (atomic_exchange (&kept[(oldest + i) % MAX_KEPT], NULL));
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
  if (!pages)
    pages = map (mapped - REEL_HUGE_PAGE, mapped);
  if (pages)
    return pages;
  forget_beyond (0); /* what is kept must not be missing */
  return map (mapped - REEL_HUGE_PAGE, mapped);
}

void
reel_pages_free (ReelPages *pages)
{
  if (pages->mapped > MAX_KEPT_BYTES)
    {
      unmap (pages);
      return;
    }
  atomic_fetch_add (&kept_bytes, pages->mapped);
  forget (atomic_exchange (&kept[atomic_fetch_add (&next_kept, 1) % MAX_KEPT], pages));
  forget_beyond (MAX_KEPT_BYTES);
}
