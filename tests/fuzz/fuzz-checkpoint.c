/* The reader of checkpoints, given any bytes in the place of one of its small files. The first
 * byte says which: a to f in what TorchRL wrote, g to l in a run that was killed, m to r in one
 * that was closed; in the order of `files`. Where nothing follows it, the file is missing. */
#include "../../src/core/directories.h"
#include "../../src/core/files.h"
#include "../../src/reel.h"
#include "../counted-rows.h"
#include "../golden-buffer.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define LANES 2
#define STEPS 4
#define WRITTEN 7

enum
{
  PEER,
  KILLED,
  CLOSED,
  N_RUNS
};

static const char *const runs[N_RUNS] = { "peer", "killed", "closed" };
static const char *const files[] = { "storage/storage_metadata.json",
                                     "writer/metadata.json",
                                     "buffer_metadata.json",
                                     "storage/meta.json",
                                     "reel.json",
                                     "reel.ring" };

static char *directory;

static void
clean_up (void)
{
  reel_directory_remove (directory, NULL);
}

static char *
find (const char *run, const char *file)
{
  return g_build_filename (directory, run, file, NULL);
}

static void
write_steps (ReelReplayBuffer *buffer)
{
  for (gint64 n = WRITTEN; n > 0;)
    {
      ReelBlock block;

      if (!reel_replay_buffer_reserve (buffer, n, &block, NULL))
        abort ();
      counted_fill_block (reel_replay_buffer_get_storage (buffer), &block, 0, LANES);
      n -= block.n_steps;
      reel_replay_buffer_commit (buffer, &block, block.n_steps);
    }
}

static void
set_up (void)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);
  g_autofree char *killed = NULL, *closed = NULL, *peer = NULL;

  reel_init ();
  directory = g_dir_make_tmp ("reel-fuzz-XXXXXX", NULL);
  if (!directory)
    abort ();
  atexit (clean_up);
  killed = find (runs[KILLED], "");
  closed = find (runs[CLOSED], "");
  peer = find (runs[PEER], "");
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_create_live (closed, STEPS * LANES, step, 0, NULL);
  if (!buffer)
    abort ();
  write_steps (buffer);
  tree_copy (closed, killed); /* with a lock that nobody holds */
  if (!reel_replay_buffer_close (buffer, NULL))
    abort ();
  tree_copy (closed, peer);
  for (gsize i = 4; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *ours = find (runs[PEER], files[i]);
      if (!reel_file_remove (ours, NULL))
        abort ();
    }
}

static void
use_rows (ReelReplayBuffer *buffer)
{
  gint64 length = reel_replay_buffer_get_length (buffer);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) rows = NULL, batch = NULL;

  rows = reel_replay_buffer_get_rows (buffer, 0, MIN (length, 16), &error);
  if (!rows != (error != NULL) || !rows)
    abort ();
  if (!reel_tensordict_equal (rows, rows))
    abort ();
  if (reel_replay_buffer_sample (buffer, 3, &batch, NULL) != (length > 0))
    abort ();
}

/* Whatever was read makes sense. */
static void
use (ReelReplayBuffer *buffer)
{
  gint64 length = reel_replay_buffer_get_length (buffer);
  g_autofree char *text = reel_replay_buffer_to_string (buffer);
  g_auto (GStrv) info = reel_replay_buffer_list_info (buffer);
  g_auto (GStrv) warnings = reel_replay_buffer_get_warnings (buffer);
  ReelRingInfo ring;

  if (!reel_replay_buffer_get_ring (buffer, &ring, NULL) || ring.begin < 0 || ring.begin > ring.end
      || ring.end - ring.begin > ring.capacity || ring.torn_first < 0
      || ring.torn_first >= ring.capacity || ring.torn_n < 0 || ring.torn_n > ring.capacity
      || length < 0 || length > reel_replay_buffer_get_capacity (buffer)
      || length < ring.end - ring.begin || reel_replay_buffer_get_cursor (buffer) < 0
      || reel_replay_buffer_get_cursor (buffer) >= ring.capacity
      || reel_replay_buffer_get_write_count (buffer) < 0)
    abort ();
  for (gsize i = 0; info[i]; i++)
    g_free (reel_replay_buffer_get_info (buffer, info[i]));
  use_rows (buffer);
}

static void
open_run (const char *run)
{
  g_autofree char *path = find (run, "");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);

  if (!buffer != (error != NULL))
    abort ();
  if (buffer)
    use (buffer);
}

/* @bytes NULL for none. */
static void
put (const char *path, const char *bytes, gsize length)
{
  if (bytes ? !g_file_set_contents (path, bytes, (gssize) length, NULL)
            : !reel_file_remove (path, NULL))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *good = NULL, *path = NULL;
  const char *run;
  gsize choice, length;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  choice = (guint8) (data[0] - 'a') % (N_RUNS * G_N_ELEMENTS (files));
  run = runs[choice / G_N_ELEMENTS (files)];
  path = find (run, files[choice % G_N_ELEMENTS (files)]);
  g_file_get_contents (path, &good, &length, NULL);
  put (path, size > 1 ? (const char *) data + 1 : NULL, size - 1);
  open_run (run);
  put (path, good, length);
  return 0;
}
