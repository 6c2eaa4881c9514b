#include "mapped-memory.h"

#include "../system/file-ops.h"

#include <sys/mman.h>
#include <unistd.h>

static void
unmap (gpointer data)
{
  ReelMapping *mapping = data;

  reel_mapping_unmap (mapping);
  g_free (mapping);
}

ReelMemory *
reel_memory_new_mapped (ReelMemoryKind kind, const char *path, int fd, ReelMapMode mode,
                        gint64 size, GError **error)
{
  g_autofree ReelMapping *mapping = g_new0 (ReelMapping, 1);

  if (!reel_file_map (path, fd, mode, size, mapping, error))
    return NULL;
  guint8 *data = mapping->data;
  gsize length = mapping->length;
  ReelMemory *memory =
      reel_memory_new_wrapped (kind, data, length, unmap, g_steal_pointer (&mapping));
  if (mode == REEL_MAP_READ)
    reel_memory_set_read_only (memory);
  return memory;
}

void
reel_memory_let_go (ReelMemory *memory, const guint8 *begin, gsize n)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE), size;
  const guint8 *data = reel_memory_get_data (memory, &size);
  gsize low = (gsize) (begin - data), high = MIN (low + n, size);

  /* A mapping begins with a page, and its last one is its own to the end. */
  low -= ((gsize) data + low) % page;
  if (high > low && (gsize) data % page == 0 && reel_memory_get_kind (memory) != REEL_MEMORY_HEAP)
    reel_file_ops ()->madvise ((void *) (data + low), high - low, MADV_DONTNEED);
}

void
reel_memory_forget (ReelMemory *memory, const guint8 *begin, gsize n)
{
  if (reel_memory_is_read_only (memory))
    reel_memory_let_go (memory, begin, n);
}

/* The whole of a mapped file; nothing of other memory. */
static ReelMapping
find_mapping (ReelMemory *memory)
{
  gsize size;
  guint8 *data = reel_memory_get_data (memory, &size);
  gboolean is_file = reel_memory_get_kind (memory) == REEL_MEMORY_FILE && size > 0
                     && (gsize) data % (gsize) sysconf (_SC_PAGESIZE) == 0;

  return is_file ? (ReelMapping){ data, size } : (ReelMapping){ NULL, 0 };
}

void
reel_memory_want_huge_pages (ReelMemory *memory)
{
  const ReelMapping mapping = find_mapping (memory);

  reel_mapping_want_huge_pages (&mapping);
}

void
reel_memory_read_at_random (ReelMemory *memory, gboolean at_random)
{
  const ReelMapping mapping = find_mapping (memory);

  if (mapping.data)
    reel_file_ops ()->madvise (mapping.data, mapping.length, at_random ? MADV_RANDOM : MADV_NORMAL);
}
