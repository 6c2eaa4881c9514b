/* The reader of compressed lists, given any bytes in the place of one of its files; the first byte
 * says which, a to g in the order of `files`. Where nothing follows it, the file is missing. What
 * opens is printed, and every row is read, once more where it was loaded into another buffer: of
 * its kind, of columns behind a capital letter, and where the highest bit is set too, of a list
 * that decompresses nothing. */
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

static const char *const files[] = { "storage/metadata.json",
                                     "storage/data_indices.json",
                                     "storage/compressed_data/1/a.memmap",
                                     "storage/compressed_data/1/meta.json",
                                     "storage/compressed_data/meta.json",
                                     "writer/metadata.json",
                                     "reel.json" };

static const char *directory;

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

static ReelReplayBuffer *
new_buffer (const char *kind)
{
  g_autofree char *text = g_strconcat (kind, ":capacity=4", NULL);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  if (!buffer)
    abort ();
  return buffer;
}

static void
set_up (void)
{
  const gint64 shape[] = { 2, 3 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  reel_init ();
  buffer = new_buffer ("compressed-list");
  directory = fuzz_make_directory ();
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
      if (!row && reel_replay_buffer_get_item (buffer, i, NULL))
        abort ();
    }
}

static void
open_and_load (gpointer kind)
{
  g_autoptr (GError) failure = NULL, error = NULL;
  g_autoptr (ReelReplayBuffer) opened =
      reel_replay_buffer_open (directory, REEL_OPEN_READ_ONLY, &failure);
  g_autoptr (ReelReplayBuffer) loaded = new_buffer (kind);

  if (!opened != (failure != NULL)
      || reel_replay_buffer_loads (loaded, directory, &error) != (error == NULL)
      || (error && reel_replay_buffer_get_length (loaded) > 0))
    abort ();
  if (opened)
    use (opened);
  use (loaded);
  fuzz_verify (directory);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *path = NULL;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  path = g_build_filename (directory, files[fuzz_choose (data[0], G_N_ELEMENTS (files))], NULL);
  fuzz_with_file (path, data, size, open_and_load,
                  data[0] & 0x20   ? "compressed-list"
                  : data[0] & 0x80 ? "list"
                                   : "tensor");
  return 0;
}
