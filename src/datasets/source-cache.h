/* Files and directories of the cache that were fetched as a whole. Private to source-remote.c and
 * source-hub.c. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_cache_is_whole:
 * @path: of a file or directory in the cache
 * @is_there: (out): whether it was fetched before, as a whole
 * @error: IO
 *
 * Returns: whether it went well
 */
gboolean reel_cache_is_whole (const char *path, gboolean *is_there, GError **error);

/**
 * reel_cache_mark_whole:
 * @path: a directory in the cache all whose files were fetched
 * @error: IO
 *
 * Returns: whether it went well
 */
gboolean reel_cache_mark_whole (const char *path, GError **error);

G_END_DECLS
