#include "directories.h"
#include "../object/error.h"
#include "file-ops.h"
#include "files.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int
make (const char *path)
{
  return TEMP_FAILURE_RETRY (reel_file_ops ()->mkdirat (AT_FDCWD, path, 0777));
}

gboolean
reel_directory_make (const char *path, GError **error)
{
  g_autofree char *clean = reel_path_without_end_slashes (path);
  ReelPathKind kind;
  int saved_errno;

  if (make (clean) == 0)
    return TRUE;
  saved_errno = errno;
  if (saved_errno == ENOENT && *clean)
    {
      g_autofree char *parent = g_path_get_dirname (clean);

      if (!g_str_equal (parent, clean) && !reel_directory_make (parent, error))
        return FALSE;
      if (make (clean) == 0)
        return TRUE;
      saved_errno = errno;
    }
  if (saved_errno == EEXIST && reel_path_query (clean, &kind, NULL, NULL)
      && kind == REEL_PATH_DIRECTORY)
    return TRUE;
  reel_set_error_errno (error, saved_errno, "%s: could not make the directory", path);
  return FALSE;
}

gboolean
reel_directory_make_durable (const char *path, GError **error)
{
  g_autofree char *parent = NULL;
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_MISSING)
    return reel_directory_make (path, error);
  parent = g_path_get_dirname (path);
  return reel_directory_make_durable (parent, error) && reel_directory_make (path, error)
         && reel_directory_sync (parent, error);
}

gboolean
reel_directory_make_unlinked (const char *path, GError **error)
{
  struct stat status;
  int saved_errno;

  if (make (path) == 0)
    return TRUE;
  saved_errno = errno;
  if (saved_errno == EEXIST
      && TEMP_FAILURE_RETRY (
             reel_file_ops ()->fstatat (AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
             == 0)
    {
      if (S_ISDIR (status.st_mode))
        return TRUE;
      saved_errno = S_ISLNK (status.st_mode) ? ELOOP : EEXIST;
    }
  reel_set_error_errno (error, saved_errno, "%s: could not make the directory", path);
  return FALSE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The names in an open directory, which is closed in any case. NULL with errno set where they could
 * not be read. */
static char **
list_names (int fd)
{
  DIR *directory = reel_file_ops ()->fdopendir (fd);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  struct dirent *entry;
  int saved_errno;

  if (!directory)
    {
      saved_errno = errno;
      reel_file_ops ()->close (fd);
      errno = saved_errno;
      return NULL;
    }
  while (errno = 0, (entry = reel_file_ops ()->readdir (directory)) || errno == EINTR)
    if (entry && !g_str_equal (entry->d_name, ".") && !g_str_equal (entry->d_name, ".."))
      g_ptr_array_add (names, g_strdup (entry->d_name));
  saved_errno = errno;
  reel_file_ops ()->closedir (directory);
  errno = saved_errno;
  if (saved_errno != 0)
    return NULL;
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

static int
open_directory (int parent, const char *path, int flags)
{
  return TEMP_FAILURE_RETRY (
      reel_file_ops ()->openat (parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags, 0));
}

char **
reel_directory_list (const char *path, GError **error)
{
  int fd = open_directory (AT_FDCWD, path, 0);
  char **names = fd < 0 ? NULL : list_names (fd);

  if (!names)
    reel_set_error_errno (error, errno, "%s: could not list the directory", path);
  return names;
}

static gboolean remove_entry (int parent, const char *name, const char *path, GError **error);

static gboolean
remove_contents (int fd, const char *path, GError **error)
{
  /* list_names() closes its descriptor; this one is still needed to remove by. */
  int copy = open_directory (fd, ".", 0);
  g_auto (GStrv) names = copy < 0 ? NULL : list_names (copy);

  if (!names)
    {
      reel_set_error_errno (error, errno, "%s: could not list the directory", path);
      return FALSE;
    }
  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *below = g_build_filename (path, names[i], NULL);

      if (!remove_entry (fd, names[i], below, error))
        return FALSE;
    }
  return TRUE;
}

/* By descriptor of the parent, so that a link put in the place of a directory meanwhile leads
 * nowhere else. */
static gboolean
remove_entry (int parent, const char *name, const char *path, GError **error)
{
  int fd = open_directory (parent, name, O_NOFOLLOW);

  if (fd >= 0)
    {
      gboolean emptied = remove_contents (fd, path, error);

      reel_file_ops ()->close (fd);
      if (!emptied)
        return FALSE;
    }
  else if (errno == ENOENT)
    return TRUE;
  else if (errno != ENOTDIR && errno != ELOOP)
    {
      reel_set_error_errno (error, errno, "%s: could not be opened", path);
      return FALSE;
    }
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->unlinkat (parent, name, fd >= 0 ? AT_REMOVEDIR : 0))
          == 0
      || errno == ENOENT)
    return TRUE;
  reel_set_error_errno (error, errno, "%s: could not be removed", path);
  return FALSE;
}

gboolean
reel_directory_remove (const char *path, GError **error)
{
  g_autofree char *parent = NULL, *name = NULL, *clean = NULL;

  if (!reel_path_cut_name (path, &parent, &name, error))
    {
      g_prefix_error (error, "not removed: ");
      return FALSE;
    }
  clean = reel_path_without_end_slashes (path);
  return remove_entry (AT_FDCWD, clean, clean, error);
}

gboolean
reel_directory_sync (const char *path, GError **error)
{
  int fd = open_directory (AT_FDCWD, path, 0);
  int result, saved_errno;

  if (fd < 0)
    {
      reel_set_error_errno (error, errno, "%s: could not be opened", path);
      return FALSE;
    }
  result = TEMP_FAILURE_RETRY (reel_file_ops ()->fsync (fd));
  saved_errno = errno;
  reel_file_ops ()->close (fd);
  if (result == 0)
    return TRUE;
  reel_set_error_errno (error, saved_errno, "%s: the names in it could not be made durable", path);
  return FALSE;
}

/* Unlike g_format_size(), without a no-break space, which the C locale has no way to print. */
static char *
size_text (guint64 n)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  double value = (double) n;
  guint unit = 0;

  for (; value >= 1024 && unit + 1 < G_N_ELEMENTS (units); unit++)
    value /= 1024;
  return g_strdup_printf ("%.1f %s", value, units[unit]);
}

gboolean
reel_directory_check_space (const char *path, gint64 needed, GError **error)
{
  g_autofree char *existing = reel_path_without_end_slashes (path);
  struct statvfs status;
  guint64 available;

  while (TEMP_FAILURE_RETRY (reel_file_ops ()->statvfs (existing, &status)) != 0)
    {
      int saved_errno = errno;
      g_autofree char *missing = g_steal_pointer (&existing);

      existing = g_path_get_dirname (missing);
      if (saved_errno != ENOENT || g_str_equal (existing, missing))
        {
          reel_set_error_errno (error, saved_errno, "%s: could not find out the free space",
                                missing);
          return FALSE;
        }
    }
  available = (guint64) status.f_bavail * status.f_frsize;
  if (needed <= 0 || (guint64) needed <= available)
    return TRUE;
  {
    g_autofree char *want = size_text ((guint64) needed), *have = size_text (available);

    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                 "%s: %s (%" G_GINT64_FORMAT " bytes) needed, %s (%" G_GUINT64_FORMAT
                 ") available; free some or choose another place",
                 path, want, needed, have, available);
  }
  return FALSE;
}
