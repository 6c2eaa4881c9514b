#include "fuzz-files.h"

#include "../../src/core/system/directories.h"
#include "../../src/core/system/files.h"
#include "../../src/reel.h"

#include <stdio.h>
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

gsize
fuzz_choose (guint8 byte, gsize n)
{
  return (guint8) (((byte & 0x7f) | 0x20) - 'a') % n;
}

/* A file anew: who has the old one mapped keeps it. */
static FILE *
create (const char *path)
{
  g_autofree char *parent = NULL;
  FILE *file;

  if (!reel_file_remove (path, NULL))
    abort ();
  file = fopen (path, "wb");
  if (file)
    return file;
  parent = g_path_get_dirname (path);
  if (!reel_directory_make (parent, NULL))
    abort ();
  return fopen (path, "wb");
}

void
fuzz_put (const char *path, gconstpointer bytes, gsize length)
{
  FILE *file;

  if (!bytes)
    {
      if (!reel_file_remove (path, NULL))
        abort ();
      return;
    }
  file = create (path);
  if (!file || fwrite (bytes, 1, length, file) != length || fclose (file) != 0)
    abort ();
}

void
fuzz_with_file (const char *path, const guint8 *data, gsize size, void (*run) (gpointer),
                gpointer argument)
{
  g_autofree char *good = NULL;
  gsize length = 0;

  g_file_get_contents (path, &good, &length, NULL);
  fuzz_put (path, size > 1 ? data + 1 : NULL, size - 1);
  run (argument);
  fuzz_put (path, good, length);
}

void
fuzz_verify (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, &error);

  if (!report != (error != NULL))
    abort ();
  if (!report && reel_checkpoint_verify (path, NULL))
    abort ();
}
