#include "shared-memory.h"

#include "../object/error.h"
#include "../system/mapping.h"

static void
unmap (gpointer user_data)
{
  reel_mapping_unmap (user_data);
  g_free (user_data);
}

ReelMemory *
reel_memory_new_shared (gsize size, GError **error)
{
  ReelMapping *mapping = g_new0 (ReelMapping, 1);

  if (reel_mapping_new_shared (MAX (size, 1), mapping))
    return reel_memory_new_wrapped (REEL_MEMORY_SHARED, mapping->data, size, unmap, mapping);
  g_free (mapping);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "cannot share %" G_GSIZE_FORMAT " bytes of memory with worker processes", size);
  return NULL;
}
