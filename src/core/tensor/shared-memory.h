/* Memory that processes share which are forked later. Private to the library. */
#pragma once

#include "memory.h"

G_BEGIN_DECLS

/**
 * reel_memory_new_shared:
 * @size: bytes, 0 allowed
 * @error: NO_SPACE when the system has no such memory, with the size
 *
 * Zeros, from a page's begin on. This process and those that it forks later see the writes of each
 * other; no file is left where one ends.
 *
 * Returns: (transfer full): the memory
 */
ReelMemory *reel_memory_new_shared (gsize size, GError **error);

G_END_DECLS
