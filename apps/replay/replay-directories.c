#include "replay-directories.h"

#include "../common/interrupt.h"
#include "../common/options.h"
#include "../common/saved-batches.h"

#include <stdlib.h>
#include <string.h>

/* ---- that are read ---- */

static void
say (char **warnings, guint from)
{
  for (char **warning = warnings + from; *warning; warning++)
    g_printerr ("replay: %s\n", *warning);
  g_strfreev (warnings);
}

void
replay_say_warnings (ReelReplayBuffer *buffer, guint from)
{
  say (reel_replay_buffer_dup_warnings (buffer), from);
}

ReelReplayBuffer *
replay_open (char **arguments, gboolean read_only, GError **error)
{
  if (!arguments[0] || !*arguments[0])
    {
      set_usage_error (error, "cannot read: the directory is missing");
      return NULL;
    }
  if (saved_batches_are_at (arguments[0]))
    return saved_batches_open (arguments[0], error);
  ReelReplayBuffer *buffer = reel_replay_buffer_open (
      arguments[0], read_only ? REEL_OPEN_READ_ONLY : REEL_OPEN_DEFAULT, error);
  if (buffer)
    replay_say_warnings (buffer, 0);
  return buffer;
}

GObject *
replay_open_any (const char *path, gboolean read_only, GError **error)
{
  if (!path || !reel_checkpoint_is_ensemble (path))
    return (GObject *) replay_open ((char *[]){ (char *) path, NULL }, read_only, error);
  ReelReplayBufferEnsemble *ensemble = reel_replay_buffer_ensemble_open (
      path, read_only ? REEL_OPEN_READ_ONLY : REEL_OPEN_DEFAULT, error);
  if (ensemble)
    say (reel_replay_buffer_ensemble_dup_warnings (ensemble), 0);
  return (GObject *) ensemble;
}

static gboolean
has_dimensions (gpointer member)
{
  gboolean found = FALSE;

  if (REEL_IS_REPLAY_BUFFER (member))
    return reel_storage_get_ndim (reel_replay_buffer_get_storage (member)) > 1;
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (member) && !found; i++)
    found = has_dimensions (reel_replay_buffer_ensemble_get (member, i, NULL));
  return found;
}

void
replay_say_unsampleable (ReelReplayBufferEnsemble *ensemble, const char *path)
{
  if (has_dimensions (ensemble))
    g_printerr ("replay: TorchRL loads %s, but cannot sample members of several storage "
                "dimensions: --ndim 1 makes members for it\n",
                path);
}

gboolean
replay_check_ended (ReelReplayBuffer *buffer, const char *path, GError **error)
{
  ReelRingInfo ring;

  if (!reel_replay_buffer_get_ring (buffer, &ring, error))
    return FALSE;
  if (!ring.written)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s is still being written; wait until its writer has ended", path);
  return FALSE;
}

/* ---- that are made ---- */

gboolean
replay_lies_in (const char *path, const char *directory)
{
  char *real_inner = realpath (path, NULL), *real_outer = realpath (directory, NULL);
  gsize length = real_outer ? strlen (real_outer) : 0;
  gboolean inside = real_inner && real_outer && strncmp (real_inner, real_outer, length) == 0
                    && (real_inner[length] == '/' || real_inner[length] == '\0');

  free (real_inner);
  free (real_outer);
  return inside;
}

int
replay_end_interrupted (const char *path, GError **error)
{
  if (!interrupt_came ())
    return EXIT_FAILED;
  g_clear_error (error);
  g_printerr ("replay: interrupted; %s is as it was\n", path);
  return interrupt_status ();
}

/* The kind of file that a suffix promises, and the command that makes it. */
static const struct
{
  const char *suffix;
  const char *way;
} formats[] = {
  { ".csv", "'replay export DIR OUT.csv' writes a table" },
  { ".tsv", "'replay rows DIR --json' prints rows as JSON" },
  { ".json", "'replay rows DIR --json' prints rows as JSON" },
  { ".jsonl", "'replay rows DIR --json' prints rows as JSON" },
  { ".ndjson", "'replay rows DIR --json' prints rows as JSON" },
  { ".h5", "'replay export DIR OUT.h5' writes HDF5" },
  { ".hdf5", "'replay export DIR OUT.hdf5' writes HDF5" },
  { ".npz", "'replay export DIR OUT.npz' writes arrays of NumPy" },
  { ".npy", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".pt", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".pkl", "Python writes it from the lines of 'replay info --python DIR'" },
  { ".parquet", "Python writes it from the lines of 'replay info --python DIR'" },
};

gboolean
replay_check_directory_name (const char *path, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  if (!*path)
    {
      set_usage_error (error, "cannot make a directory without a name: the path is empty");
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (lower, formats[i].suffix) && !g_file_test (path, G_FILE_TEST_IS_DIR))
      {
        set_usage_error (error, "cannot write %s: it would be a directory, not a %s file; %s", path,
                         formats[i].suffix, formats[i].way);
        return FALSE;
      }
  return TRUE;
}
