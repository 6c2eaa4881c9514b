#include "source-cache.h"

#include "../core/system/directories.h"
#include "../core/system/files.h"

#define COMPLETE ".reel-complete" /* in a directory that was fetched as a whole */

gboolean
reel_cache_is_whole (const char *path, gboolean *is_there, GError **error)
{
  g_autofree char *complete = g_build_filename (path, COMPLETE, NULL);
  ReelPathKind kind, marked = REEL_PATH_MISSING;

  if (!reel_path_query (path, &kind, NULL, error)
      || (kind == REEL_PATH_DIRECTORY && !reel_path_query (complete, &marked, NULL, error)))
    return FALSE;
  *is_there = kind == REEL_PATH_FILE || marked == REEL_PATH_FILE;
  return TRUE;
}

gboolean
reel_cache_mark_whole (const char *path, GError **error)
{
  g_autofree char *complete = g_build_filename (path, COMPLETE, NULL);

  return reel_directory_make (path, error)
         && reel_file_write_atomic (complete, "", 0, FALSE, error);
}
