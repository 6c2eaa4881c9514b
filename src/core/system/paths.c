#include "paths.h"

#include "../object/error.h"
#include "file-ops.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

char *
reel_path_without_end_slashes (const char *path)
{
  gsize length = strlen (path);

  while (length > 1 && path[length - 1] == '/')
    length--;
  return g_strndup (path, length);
}

gboolean
reel_path_cut_name (const char *path, char **parent, char **name, GError **error)
{
  g_autofree char *clean = reel_path_without_end_slashes (path);

  *name = g_path_get_basename (clean);
  *parent = g_path_get_dirname (clean);
  if (*clean && !g_str_equal (*name, ".") && !g_str_equal (*name, "..")
      && !g_str_equal (*name, "/"))
    return TRUE;
  g_clear_pointer (name, g_free);
  g_clear_pointer (parent, g_free);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "'%s': does not end in a name", path);
  return FALSE;
}

char *
reel_path_beside (const char *path, const char *suffix, GError **error)
{
  static atomic_uint counter;
  g_autofree char *parent = NULL, *name = NULL, *beside = NULL;

  if (!reel_path_cut_name (path, &parent, &name, error))
    return NULL;
  beside = g_strdup_printf (".%s.%d-%u%s", name, (int) getpid (),
                            atomic_fetch_add_explicit (&counter, 1, memory_order_relaxed), suffix);
  return g_build_filename (parent, beside, NULL);
}

char *
reel_path_temporary (const char *path, GError **error)
{
  return reel_path_beside (path, REEL_TEMPORARY_SUFFIX, error);
}

/* ---- contents ---- */

gboolean
reel_path_query (const char *path, ReelPathKind *kind, gint64 *size, GError **error)
{
  struct stat status;
  int result = TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, path, &status, 0));

  *kind = REEL_PATH_MISSING;
  if (size)
    *size = 0;
  if (result != 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
    {
      /* A link that leads nowhere occupies its name. */
      result = TEMP_FAILURE_RETRY (
          reel_file_ops ()->fstatat (AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW));
      if (result != 0 && (errno == ENOENT || errno == ENOTDIR))
        return TRUE;
    }
  if (result != 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be examined", path);
      return FALSE;
    }
  *kind = S_ISREG (status.st_mode)   ? REEL_PATH_FILE
          : S_ISDIR (status.st_mode) ? REEL_PATH_DIRECTORY
                                     : REEL_PATH_OTHER;
  if (size && S_ISREG (status.st_mode))
    *size = status.st_size;
  return TRUE;
}

gboolean
reel_path_check_exists (const char *path, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_MISSING)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: there is no such file or directory", path);
  return FALSE;
}

gboolean
reel_path_kind_error (const char *where, const char *expected, ReelPathKind found, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: expected %s, found %s", where, expected,
               found == REEL_PATH_MISSING ? "nothing" : "something else");
  return FALSE;
}
