#include "mapped-memory.h"

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
