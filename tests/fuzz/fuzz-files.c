#include "fuzz-files.h"

#include "../../src/core/directories.h"
#include "../../src/core/files.h"
#include "../../src/reel.h"

#include <stdlib.h>

static char *directory;

static void
clean_up (void)
{
  reel_directory_remove (directory, NULL);
}

const char *
fuzz_make_directory (void)
{
  directory = g_dir_make_tmp ("reel-fuzz-XXXXXX", NULL);
  if (!directory)
    abort ();
  atexit (clean_up);
  return directory;
}

/* @bytes NULL for none. */
static void
put (const char *path, const char *bytes, gsize length)
{
  if (bytes ? !g_file_set_contents (path, bytes, (gssize) length, NULL)
            : g_file_test (path, G_FILE_TEST_EXISTS) && !reel_file_remove (path, NULL))
    abort ();
}

void
fuzz_with_file (const char *path, const guint8 *data, gsize size, void (*run) (gpointer),
                gpointer argument)
{
  g_autofree char *good = NULL;
  gsize length = 0;

  g_file_get_contents (path, &good, &length, NULL);
  put (path, size > 1 ? (const char *) data + 1 : NULL, size - 1);
  run (argument);
  put (path, good, length);
}

void
fuzz_verify (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, &error);

  if (!report != (error != NULL))
    abort ();
}
