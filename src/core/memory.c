#include "memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE 64
#define PAGE 4096
#define HUGE_PAGE ((gsize) 2 << 20)

struct _ReelMemory
{
  atomic_int ref_count;
  ReelMemoryKind kind;
  gboolean read_only;
  gpointer data;
  gsize size;
  GDestroyNotify destroy;
  gpointer user_data;
};

typedef struct
{
  gpointer start;
  gsize size;
} Pages;

static void
unmap_pages (gpointer data)
{
  Pages *pages = data;

  munmap (pages->start, pages->size);
  g_free (pages);
}

static gboolean
set_no_memory_error (gsize size, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "cannot allocate %" G_GSIZE_FORMAT " bytes of memory", size);
  return FALSE;
}

/* Mapped with room to spare, because a huge page must begin at a multiple of its size. */
static ReelMemory *
new_on_huge_pages (gsize size, GError **error)
{
  if (size > G_MAXSSIZE - HUGE_PAGE)
    {
      set_no_memory_error (size, error);
      return NULL;
    }
  gsize mapped = size + HUGE_PAGE;
  void *start = mmap (NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    {
      set_no_memory_error (size, error);
      return NULL;
    }
  Pages *pages = g_new (Pages, 1);
  *pages = (Pages){ start, mapped };
  gpointer data = (gpointer) (((gsize) start + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
  madvise (data, size, MADV_HUGEPAGE);
  return reel_memory_new_wrapped (REEL_MEMORY_HEAP, data, size, unmap_pages, pages);
}

ReelMemory *
reel_memory_new (gsize size, GError **error)
{
  void *data = NULL;

  if (size >= HUGE_PAGE)
    return new_on_huge_pages (size, error);
  /* Threads that write side by side keep to pages of their own where rows allow it. */
  if (posix_memalign (&data, size < PAGE ? LINE : PAGE, MAX (size, 1)) != 0)
    {
      set_no_memory_error (size, error);
      return NULL;
    }
  memset (data, 0, size);
  return reel_memory_new_wrapped (REEL_MEMORY_HEAP, data, size, free, data);
}

ReelMemory *
reel_memory_new_wrapped (ReelMemoryKind kind, gpointer data, gsize size, GDestroyNotify destroy,
                         gpointer user_data)
{
  static guint8 nothing; /* C lets one add 0 to this, and not to NULL */
  ReelMemory *memory = g_new (ReelMemory, 1);

  *memory = (ReelMemory){ 1, kind, FALSE, data ? data : &nothing, size, destroy, user_data };
  return memory;
}

ReelMemory *
reel_memory_ref (ReelMemory *memory)
{
  atomic_fetch_add_explicit (&memory->ref_count, 1, memory_order_relaxed);
  return memory;
}

void
reel_memory_unref (ReelMemory *memory)
{
  if (atomic_fetch_sub_explicit (&memory->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  if (memory->destroy)
    memory->destroy (memory->user_data);
  g_free (memory);
}

gpointer
reel_memory_get_data (ReelMemory *memory, gsize *size)
{
  if (size)
    *size = memory->size;
  return memory->data;
}

ReelMemoryKind
reel_memory_get_kind (ReelMemory *memory)
{
  return memory->kind;
}

void
reel_memory_set_read_only (ReelMemory *memory)
{
  memory->read_only = TRUE;
}

gboolean
reel_memory_is_read_only (ReelMemory *memory)
{
  return memory->read_only;
}
