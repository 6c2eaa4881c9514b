/* The reader of checkpoints of trajectories, given any bytes in the place of one of their files.
 * The first byte says which: a to g in a flat one, h to n in a nested one, in the order of `files`.
 * Where nothing follows it, the file is missing. */
#include "../../src/core/directories.h"
#include "../../src/core/files.h"
#include "../../src/reel.h"
#include "../ted-rows.h"
#include "fuzz.h"

#include <stdlib.h>

static const char *const forms[] = { "flat", "nested" };
static const char *const files[] = { "storage_metadata.json",    "meta.json",
                                     "_storage_shape/meta.json", "shift/meta.json",
                                     "is_full/meta.json",        "done.memmap",
                                     "observation.shape.memmap" };

static char *directory;

static void
clean_up (void)
{
  reel_directory_remove (directory, NULL);
}

static void
set_up (void)
{
  static const TedRows rows = { 2, 4, 3, 0x14, FALSE };

  reel_init ();
  directory = g_dir_make_tmp ("reel-fuzz-XXXXXX", NULL);
  if (!directory)
    abort ();
  atexit (clean_up);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = ted_rows_buffer ("tensor", &rows);
      g_autofree char *path = g_build_filename (directory, forms[i], NULL);
      g_autofree char *sidecar = g_build_filename (path, "reel.json", NULL);

      ted_rows_set_checkpointer (buffer, forms[i]);
      if (!reel_replay_buffer_dumps (buffer, path, 0, NULL) || !reel_file_remove (sidecar, NULL))
        abort ();
    }
}

/* Whatever was read makes sense. */
static void
open_form (const char *form)
{
  g_autofree char *path = g_build_filename (directory, form, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 length;

  if (!buffer != (error != NULL))
    abort ();
  if (!buffer)
    return;
  length = reel_replay_buffer_get_length (buffer);
  if (length < 0 || length > reel_replay_buffer_get_capacity (buffer)
      || reel_replay_buffer_sample (buffer, 3, &batch, NULL) != (length > 0))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *good = NULL, *path = NULL;
  const char *form;
  gsize choice, length = 0;
  gboolean there;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  choice = (guint8) (data[0] - 'a') % (G_N_ELEMENTS (forms) * G_N_ELEMENTS (files));
  form = forms[choice / G_N_ELEMENTS (files)];
  path = g_build_filename (directory, form, "storage", files[choice % G_N_ELEMENTS (files)], NULL);
  there = g_file_get_contents (path, &good, &length, NULL);
  if (size > 1 ? !g_file_set_contents (path, (const char *) data + 1, (gssize) size - 1, NULL)
               : there && !reel_file_remove (path, NULL))
    abort ();
  open_form (form);
  if (there ? !g_file_set_contents (path, good, (gssize) length, NULL)
            : size > 1 && !reel_file_remove (path, NULL))
    abort ();
  return 0;
}
