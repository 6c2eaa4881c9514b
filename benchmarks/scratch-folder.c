#include "scratch-folder.h"

#include "bench.h"

#include <glib/gstdio.h>

char *
scratch_folder_make (void)
{
  g_autofree char *here = g_get_current_dir ();
  char *path = g_build_filename (here, "bench-scratch-XXXXXX", NULL);

  bench_demand (g_mkdtemp (path) != NULL, NULL);
  return path;
}

void
scratch_folder_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      scratch_folder_remove (child);
    }
  g_remove (path);
}
