#include "collect-parents.h"

#include <errno.h>
#include <unistd.h>

static GPtrArray *missing; /* their paths, the deepest first */

void
parents_note (const char *run)
{
  g_autofree char *path = g_path_get_dirname (run);

  missing = g_ptr_array_new_with_free_func (g_free);
  while (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      char *above = g_path_get_dirname (path);

      g_ptr_array_add (missing, path);
      path = above;
    }
}

gboolean
parents_make (const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (g_mkdir_with_parents (parent, 0777) == 0)
    return TRUE;
  int saved = errno;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot make the directory %s: %s", parent,
               g_strerror (saved));
  return FALSE;
}

void
parents_remove_empty (void)
{
  for (guint i = 0; i < missing->len; i++)
    rmdir (missing->pdata[i]);
  g_clear_pointer (&missing, g_ptr_array_unref);
}
