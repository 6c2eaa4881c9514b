/* The reader of checkpoints, given any bytes in the place of one of its small files, or of the
 * whole. The first byte says which, in the order of `files`: of what TorchRL wrote, with a writer
 * or without one, a run that was killed, or one that was closed. A small letter opens it, a capital
 * one loads it into a buffer. Where nothing follows, the file is missing. */
#include "../../src/core/system/directories.h"
#include "../../src/core/system/files.h"
#include "../../src/reel.h"
#include "../counted-rows.h"
#include "../golden-buffer.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define LANES 2
#define STEPS 4
#define WRITTEN 7

#define PEER "peer"
#define KILLED "killed"
#define CLOSED "closed"
#define IMMUTABLE "immutable"
#define ALONE "alone"

typedef struct
{
  const char *run;
  const char *file;
} File;

static const File files[] = {
  { PEER, "storage/storage_metadata.json" },
  { PEER, "writer/metadata.json" },
  { PEER, "buffer_metadata.json" },
  { PEER, "storage/meta.json" },
  { PEER, "reel.json" },
  { PEER, "reel.ring" },
  { KILLED, "storage/storage_metadata.json" },
  { KILLED, "writer/metadata.json" },
  { KILLED, "buffer_metadata.json" },
  { KILLED, "storage/meta.json" },
  { KILLED, "reel.json" },
  { KILLED, "reel.ring" },
  { CLOSED, "storage/storage_metadata.json" },
  { CLOSED, "writer/metadata.json" },
  { CLOSED, "buffer_metadata.json" },
  { CLOSED, "storage/meta.json" },
  { CLOSED, "reel.json" },
  { CLOSED, "reel.ring" },
  { CLOSED, "storage/next/flag.memmap" },
  { PEER, "prefetch.pkl" },
  { PEER, "transform.t" },
  { PEER, "rng_state" },
  { IMMUTABLE, "storage/storage_metadata.json" },
  { ALONE, "" },
};

static const char *directory;

static char *
find (const char *run, const char *file)
{
  return g_build_filename (directory, run, file, NULL);
}

static void
remove_file (const char *run, const char *file)
{
  g_autofree char *path = find (run, file);

  if (!reel_file_remove (path, NULL))
    abort ();
}

static void
write_steps (ReelReplayBuffer *buffer)
{
  for (gint64 n = WRITTEN; n > 0;)
    {
      ReelReservation block;

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
  g_autofree char *killed = NULL, *closed = NULL, *peer = NULL, *immutable = NULL, *writer = NULL;

  reel_init ();
  directory = fuzz_make_directory ();
  killed = find (KILLED, "");
  closed = find (CLOSED, "");
  peer = find (PEER, "");
  immutable = find (IMMUTABLE, "");
  writer = find (IMMUTABLE, "writer");
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_create_live (closed, STEPS * LANES, step, 0, NULL);
  if (!buffer)
    abort ();
  write_steps (buffer);
  tree_copy (closed, killed); /* with a lock that nobody holds */
  if (!reel_replay_buffer_close (buffer, NULL))
    abort ();
  tree_copy (closed, peer);
  remove_file (PEER, "reel.json");
  remove_file (PEER, "reel.ring");
  tree_copy (peer, immutable);
  if (!reel_directory_remove (writer, NULL))
    abort ();
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

/* The contents make sense. */
static void
use (ReelReplayBuffer *buffer)
{
  gint64 length = reel_replay_buffer_get_length (buffer);
  g_autofree char *text = reel_replay_buffer_to_string (buffer);
  g_auto (GStrv) info = reel_replay_buffer_list_info (buffer);
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);
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
    g_free (reel_replay_buffer_dup_info (buffer, info[i]));
  use_rows (buffer);
}

static void
open_run (gpointer run)
{
  g_autofree char *path = find (run, "");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);

  if (!buffer != (error != NULL))
    abort ();
  if (!buffer && reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL))
    abort ();
  if (buffer)
    use (buffer);
  fuzz_verify (path);
}

static ReelTensordict *
get_rows (ReelReplayBuffer *buffer)
{
  gint64 length = reel_replay_buffer_get_length (buffer);
  ReelTensordict *rows = reel_replay_buffer_get_rows (buffer, 0, length, NULL);

  if (!rows)
    abort ();
  return rows;
}

/* A failed load leaves the buffer as it was. */
static void
load_run (gpointer run)
{
  g_autofree char *path = find (run, "");
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", STEPS * LANES, 2);
  g_autoptr (ReelTensordict) before = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, LANES, STEPS - 1, 100);
  before = get_rows (buffer);
  if (reel_replay_buffer_loads (buffer, path, &error) != (error == NULL))
    abort ();
  if (error && reel_replay_buffer_loads (buffer, path, NULL))
    abort ();
  if (!error)
    use_rows (buffer);
  after = error ? get_rows (buffer) : NULL;
  if (error && !reel_tensordict_equal (before, after))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *path = NULL;
  const File *chosen;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  chosen = &files[fuzz_choose (data[0], G_N_ELEMENTS (files))];
  path = find (chosen->run, chosen->file);
  fuzz_with_file (path, data, size, data[0] & 0x20 ? open_run : load_run, (gpointer) chosen->run);
  return 0;
}
