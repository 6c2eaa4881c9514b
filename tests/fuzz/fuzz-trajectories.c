/* The reader of checkpoints of trajectories, given any bytes in the place of one of their files.
 * The first byte says which: a to g in a flat one, h to n in a nested one, in the order of `files`.
 * Where nothing follows it, the file is missing. It is opened, and loaded by way of a hook, for
 * which all of it is unpacked. */
#include "../../src/core/system/files.h"
#include "../../src/reel.h"
#include "../ted-rows.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

static const char *const forms[] = { "flat", "nested" };
static const char *const files[] = { "storage_metadata.json",    "meta.json",
                                     "_storage_shape/meta.json", "shift/meta.json",
                                     "is_full/meta.json",        "done.memmap",
                                     "observation.shape.memmap" };

static const TedRows rows = { 2, 4, 3, 0x14, FALSE };

static const char *directory;

static void
set_up (void)
{
  reel_init ();
  directory = fuzz_make_directory ();
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

/* The contents make sense. */
static void
use (ReelReplayBuffer *buffer)
{
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 length = reel_replay_buffer_get_length (buffer);

  if (length < 0 || length > reel_replay_buffer_get_capacity (buffer)
      || reel_replay_buffer_sample (buffer, 3, &batch, NULL) != (length > 0))
    abort ();
}

static ReelTensordict *
keep (ReelTensordict *data, const ReelCheckpointState *state, gpointer user_data, GError **error)
{
  return reel_tensordict_ref (data);
}

static void
load (const char *path, const char *form)
{
  g_autoptr (ReelReplayBuffer) buffer = ted_rows_empty_buffer ("tensor", &rows);
  g_autoptr (ReelCheckpointer) checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, form, NULL, NULL);
  g_autoptr (GError) error = NULL;

  reel_checkpointer_add_load_hook (checkpointer, keep, NULL, NULL);
  reel_replay_buffer_set_checkpointer (buffer, checkpointer);
  if (reel_replay_buffer_loads (buffer, path, &error) != (error == NULL))
    abort ();
  if (error && reel_replay_buffer_loads (buffer, path, NULL))
    abort ();
  if (!error)
    use (buffer);
  else if (reel_replay_buffer_get_length (buffer) > 0)
    abort ();
}

static void
read_form (gpointer form)
{
  g_autofree char *path = g_build_filename (directory, form, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);

  if (!buffer != (error != NULL))
    abort ();
  if (!buffer && reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL))
    abort ();
  if (buffer)
    use (buffer);
  load (path, form);
  fuzz_verify (path);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *path = NULL;
  const char *form;
  gsize choice;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  choice = fuzz_choose (data[0], G_N_ELEMENTS (forms) * G_N_ELEMENTS (files));
  form = forms[choice / G_N_ELEMENTS (files)];
  path = g_build_filename (directory, form, "storage", files[choice % G_N_ELEMENTS (files)], NULL);
  fuzz_with_file (path, data, size, read_form, (gpointer) form);
  return 0;
}
