#include "mapped-memory.h"

#include "../system/file-ops.h"
#include "../system/files.h"
#include "tensor-private.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#define TAKEN ((gsize) 16 << 20) /* bytes of pages that are mapped at once */

/* A mapped file, and its descriptor where that is kept. */
typedef struct
{
  ReelMapping mapping;
  int fd;
} File;

static void
close_file (gpointer data)
{
  File *file = data;

  reel_mapping_unmap (&file->mapping);
  if (file->fd >= 0)
    reel_file_ops ()->close (file->fd); /* nothing was written through it */
  g_free (file);
}

ReelMemory *
reel_memory_new_mapped (ReelMemoryKind kind, const char *path, int fd, ReelMapMode mode,
                        gint64 size, GError **error)
{
  g_autofree File *file = g_new0 (File, 1);

  file->fd = -1;
  if (!reel_file_map (path, fd, mode, size, &file->mapping, error))
    return NULL;
  guint8 *data = file->mapping.data;
  gsize length = file->mapping.length;
  ReelMemory *memory =
      reel_memory_new_wrapped (kind, data, length, close_file, g_steal_pointer (&file));
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
reel_memory_take_huge_pages (ReelMemory *memory)
{
  const ReelMapping mapping = find_mapping (memory);

  reel_mapping_want_huge_pages (&mapping);
  for (gsize at = 0, n; at < mapping.length; at += n)
    {
      n = MIN (mapping.length - at, TAKEN);
      reel_file_ops ()->madvise (mapping.data + at, n, MADV_POPULATE_READ);
      reel_memory_let_go (memory, mapping.data + at, n);
    }
}

void
reel_memory_keep_file (ReelMemory *memory, const char *path)
{
  File *file = reel_memory_find_owner (memory, close_file);

  if (file && file->fd < 0)
    file->fd = reel_file_open (path, FALSE, NULL);
}

void
reel_memory_write_back (ReelMemory *memory, const guint8 *begin, gsize n)
{
  const File *file = reel_memory_find_owner (memory, close_file);

  if (file && file->fd >= 0)
    reel_file_write_back (file->fd, begin - file->mapping.data, (gint64) n);
}

void
reel_memory_read_at_random (ReelMemory *memory, gboolean at_random)
{
  const ReelMapping mapping = find_mapping (memory);

  if (mapping.data)
    reel_file_ops ()->madvise (mapping.data, mapping.length, at_random ? MADV_RANDOM : MADV_NORMAL);
}
