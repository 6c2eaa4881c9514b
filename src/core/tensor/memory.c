#include "../system/pages.h"
#include "tensor-private.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64
#define PAGE 4096
#define MAPPED ((gsize) 128 << 10) /* what glibc maps at first */

/* Bytes below which data share a block with what describes them; sanitizers see the ends of blocks
 * alone. */
#ifdef __SANITIZE_ADDRESS__
#define SMALL 0
#else
#define SMALL 1024
#endif

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

/* A page begins at @data, by hand: glibc does not see that blocks of posix_memalign() come and go,
 * and the kernel would clear the pages of each. */
static gpointer
allocate_at_page (gsize size, void **data)
{
  gpointer block = malloc (size + PAGE);

  *data = (gpointer) (((gsize) block + PAGE - 1) & ~(gsize) (PAGE - 1));
  return block;
}

/* Threads that write side by side keep to pages of their own where rows allow it. */
static gpointer
allocate (gsize size, void **data)
{
  if (size >= MAPPED)
    return allocate_at_page (size, data);
  if (posix_memalign (data, size < PAGE ? LINE : PAGE, MAX (size, 1)) != 0)
    return NULL;
  return *data;
}

/* posix_memalign() bypasses the blocks that malloc() keeps at hand for the next of their size. */
static ReelMemory *
new_small (gsize size)
{
  ReelMemory *memory = malloc (sizeof *memory + LINE - 1 + size);
  gpointer data;

  if (!memory)
    return NULL;
  data = (gpointer) (((gsize) (memory + 1) + LINE - 1) & ~(gsize) (LINE - 1));
  *memory = (ReelMemory){ 1, REEL_MEMORY_HEAP, FALSE, data, size, NULL, NULL };
  return memory;
}

static ReelMemory *
new_large (gsize size)
{
  void *data;
  gpointer block = allocate (size, &data);

  return block ? reel_memory_new_wrapped (REEL_MEMORY_HEAP, data, size, free, block) : NULL;
}

/* Of pages that are zero at first where that is asked for. */
static ReelMemory *
new_huge (gsize size, gboolean zeroed)
{
  ReelPages *pages = reel_pages_new (size, zeroed);

  return pages ? reel_memory_new_wrapped (REEL_MEMORY_HEAP, pages->data, size,
                                          (GDestroyNotify) reel_pages_free, pages)
               : NULL;
}

static ReelMemory *
new_memory (gsize size, gboolean zeroed, GError **error)
{
  gboolean huge = size >= REEL_HUGE_PAGE;
  ReelMemory *memory = huge           ? new_huge (size, zeroed)
                       : size < SMALL ? new_small (size)
                                      : new_large (size);

  if (!memory)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                 "cannot allocate %" G_GSIZE_FORMAT " bytes of memory", size);
  else if (zeroed && !huge)
    memset (memory->data, 0, size);
  return memory;
}

ReelMemory *
reel_memory_new (gsize size, GError **error)
{
  return new_memory (size, TRUE, error);
}

ReelMemory *
reel_memory_new_unfilled (gsize size, GError **error)
{
  return new_memory (size, FALSE, error);
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
reel_memory_find_owner (ReelMemory *memory, GDestroyNotify destroy)
{
  return memory->destroy == destroy ? memory->user_data : NULL;
}

gboolean
reel_memory_is_shared (ReelMemory *memory)
{
  /* A thread that dropped its reference has read the memory before. */
  return atomic_load_explicit (&memory->ref_count, memory_order_acquire) > 1;
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
