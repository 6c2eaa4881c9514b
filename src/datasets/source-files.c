#include "source-files.h"

#include "../core/object/error.h"
#include "../core/system/files.h"
#include "../core/tensor/mapped-memory.h"

/* NULL where it is no URL of a local file. */
static char *
find_path (const char *from, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *scheme = g_uri_parse_scheme (from);

  if (!scheme)
    return g_strdup (from);
  char *path = g_str_equal (scheme, "file") ? g_filename_from_uri (from, NULL, &failure) : NULL;
  if (!path)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "cannot read %s: %s; name a directory with the files, or its file:// URL", from,
                 failure ? failure->message : "only local files can be read");
  return path;
}

char *
reel_source_resolve (const char *from, GError **error)
{
  g_autofree char *path = find_path (from, error);
  ReelPathKind kind;

  if (!path || !reel_path_query (path, &kind, NULL, error))
    return NULL;
  if (kind == REEL_PATH_DIRECTORY)
    return g_steal_pointer (&path);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               kind == REEL_PATH_MISSING ? "there is no directory %s" : "%s is not a directory",
               path);
  return NULL;
}

char *
reel_source_find (const char *from, const char *const *names, GError **error)
{
  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *path = g_build_filename (from, names[i], NULL);
      ReelPathKind kind;

      if (!reel_path_query (path, &kind, NULL, error))
        return NULL;
      if (kind != REEL_PATH_MISSING)
        return g_steal_pointer (&path);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "there is no file %s in %s", names[0], from);
  return NULL;
}

ReelMemory *
reel_source_map (const char *path, GError **error)
{
  return reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, REEL_MAP_READ, -1, error);
}
