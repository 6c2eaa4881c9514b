/* The reader of compressed lists, given any bytes in the place of one of its files; the first byte
 * says which, a to g in the order of `files`. Where nothing follows it, the file is missing. What
 * opens is printed, and every row is read. */
#include "../../src/core/directories.h"
#include "../../src/core/files.h"
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>

static const char *const files[] = { "storage/metadata.json",
                                     "storage/data_indices.json",
                                     "storage/compressed_data/1/a.memmap",
                                     "storage/compressed_data/1/meta.json",
                                     "storage/compressed_data/meta.json",
                                     "writer/metadata.json",
                                     "reel.json" };

static char *directory;

static void
clean_up (void)
{
  reel_directory_remove (directory, NULL);
}

static void
add (ReelReplayBuffer *buffer, ReelTensordict *row)
{
  if (!row || !reel_replay_buffer_add (buffer, row, NULL, NULL))
    abort ();
  reel_tensordict_unref (row);
}

static ReelTensordict *
new_row (ReelTensor *tensor)
{
  ReelTensordict *row = reel_tensordict_new (0, NULL);

  if (!reel_tensordict_set_tensor (row, "a", tensor, NULL)
      || !reel_tensordict_set_value (row, "text", g_variant_new_string ("hello"), NULL))
    abort ();
  return row;
}

static void
set_up (void)
{
  const gint64 shape[] = { 2, 3 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autofree char *place = NULL;
  g_autoptr (ReelStorage) storage = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  reel_init ();
  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, "compressed-list:capacity=4", NULL, NULL);
  buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  place = g_dir_make_tmp ("reel-fuzz-XXXXXX", NULL);
  if (!place || !buffer)
    abort ();
  directory = g_steal_pointer (&place);
  atexit (clean_up);
  for (gint i = 0; i < 3; i++)
    add (buffer, new_row (tensor));
  add (buffer, reel_tree_new_single (tensor));
  add (buffer, reel_tree_new_single_value (g_variant_new_string ("a string!"), NULL));
  if (!reel_replay_buffer_dumps (buffer, directory, REEL_CHECKPOINT_FORCE, NULL))
    abort ();
}

static void
use (ReelReplayBuffer *buffer)
{
  gint64 length = reel_replay_buffer_get_length (buffer);
  g_autofree char *text = reel_replay_buffer_to_string (buffer);

  if (length < 0 || length > reel_replay_buffer_get_capacity (buffer))
    abort ();
  for (gint64 i = 0; i < MIN (length, 16); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, &error);

      if (!row != (error != NULL) || (row && !reel_tensordict_equal (row, row)))
        abort ();
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *good = NULL, *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  gsize length;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  path = g_build_filename (directory, files[(guint8) (data[0] - 'a') % G_N_ELEMENTS (files)], NULL);
  if (!g_file_get_contents (path, &good, &length, NULL)
      || (size > 1 ? !g_file_set_contents (path, (const char *) data + 1, (gssize) (size - 1), NULL)
                   : !reel_file_remove (path, NULL)))
    abort ();
  buffer = reel_replay_buffer_open (directory, REEL_OPEN_READ_ONLY, &error);
  if (!buffer != (error != NULL))
    abort ();
  if (buffer)
    use (buffer);
  if (!g_file_set_contents (path, good, (gssize) length, NULL))
    abort ();
  return 0;
}
