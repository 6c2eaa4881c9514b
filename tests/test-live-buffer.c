/* A live directory is a whole checkpoint at every moment, whatever happens to its writer. */
#include "../src/core/formats/crc32c.h"
#include "../src/core/system/directories.h"
#include "../src/core/system/drafts.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "power-loss.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANES 4

static ReelReplayBuffer *
create (const char *path, gint64 steps, ReelCheckpointFlags flags, GError **error)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);

  return reel_replay_buffer_create_live (path, steps * LANES, step, flags, error);
}

static ReelReplayBuffer *
create_live (const char *path, gint64 steps)
{
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = create (path, steps, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

/* Steps as a collector writes them: reserved, filled in place, committed. */
static gboolean
try_steps (ReelReplayBuffer *buffer, gint64 n, GError **error)
{
  while (n > 0)
    {
      ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
      ReelReservation block;

      if (!reel_replay_buffer_reserve (buffer, n, &block, error))
        return FALSE;
      counted_fill_block (storage, &block, 0, LANES);
      n -= block.n_steps;
      reel_replay_buffer_commit (buffer, &block, block.n_steps);
    }
  return TRUE;
}

static void
write_steps (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (GError) error = NULL;

  try_steps (buffer, n, &error);
  g_assert_no_error (error);
}

/* Every row that can be read is the one that belongs there. */
static void
assert_rows (ReelReplayBuffer *buffer)
{
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  ReelRingInfo info;

  g_assert_true (reel_replay_buffer_get_ring (buffer, &info, NULL));
  for (gint64 step = info.begin; step < info.end; step++)
    for (gint64 lane = 0; lane < LANES; lane++)
      {
        const gint64 place[] = { step % info.capacity, lane };

        counted_assert_row (data, place, step * LANES + lane);
      }
}

static json_t *
read_json (const char *path, const char *file)
{
  g_autofree char *full = g_build_filename (path, file, NULL);
  g_autoptr (GError) error = NULL;
  json_t *value = reel_json_load_file (full, &error);

  g_assert_no_error (error);
  return value;
}

static gint64
read_int (const char *path, const char *file, const char *key)
{
  g_autoptr (json_t) value = read_json (path, file);

  g_assert_true (json_is_integer (json_object_get (value, key)));
  return json_integer_value (json_object_get (value, key));
}

static void
assert_counts (const char *path, gint64 len, gint64 cursor, gint64 write_count)
{
  g_assert_cmpint (read_int (path, "storage/storage_metadata.json", "len"), ==, len);
  g_assert_cmpint (read_int (path, "writer/metadata.json", "cursor"), ==, cursor);
  g_assert_cmpint (read_int (path, "writer/metadata.json", "write_count"), ==, write_count);
}

static ReelReplayBuffer *
open_buffer (const char *path, ReelOpenFlags flags)
{
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_open (path, flags, &error);

  g_assert_no_error (error);
  return buffer;
}

/* ---- while it lives ---- */

static void
test_complete_before_the_first_row (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;
  ReelRingInfo info;

  scratch_assert_names (path, "buffer_metadata.json reel.json reel.ring storage writer");
  scratch_assert_names (scratch_directory, "run");
  assert_counts (path, 0, 0, 0);
  opened = open_buffer (path, REEL_OPEN_DEFAULT);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_capacity (opened), ==, 10 * LANES);
  g_assert_cmpstr (
      reel_tensordict_get_name (reel_storage_get_data (reel_replay_buffer_get_storage (opened)), 0),
      ==, "time");
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL));
  g_assert_true (info.live && info.written && !info.clean);
}

static void
test_json_follows (void)
{
  g_autofree char *path = scratch_path ("run");
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10);

  write_steps (buffer, 1);
  assert_counts (path, LANES, 1, 1);
  write_steps (buffer, 1);
  if (g_get_monotonic_time () - begin < G_USEC_PER_SEC) /* the machine may have been slower */
    assert_counts (path, LANES, 1, 1);
  g_usleep (1100000);
  write_steps (buffer, 1);
  assert_counts (path, 3 * LANES, 3, 3);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  write_steps (buffer, 2);
  assert_counts (path, LANES, 1, 1);
  g_assert_true (reel_replay_buffer_close (buffer, NULL));
  assert_counts (path, 2 * LANES, 2, 2);
}

/* A step that is added alone, laid out as the storage, is one of them. */
static void
test_json_follows_one_step (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10);
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelTensordict) step = reel_tensordict_select_index (data, 0, 5, NULL);

  g_assert_true (reel_replay_buffer_add (buffer, step, NULL, NULL));
  assert_counts (path, LANES, 1, 1);
}

/* Rows that are changed in their place are an update as steps are. */
static void
test_changes_in_place_are_followed (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autofree char *sidecar = g_build_filename (path, "reel.json", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10);
  g_auto (ReelIndex) all = REEL_INDEX_INIT;

  write_steps (buffer, 2);
  g_assert_true (reel_replay_buffer_set_info (buffer, "note", "\"in place\"", NULL));
  g_usleep (1100000);
  g_assert_true (g_file_get_contents (sidecar, &before, NULL, NULL));
  g_assert_null (strstr (before, "in place"));
  g_assert_true (reel_replay_buffer_fill_at (buffer, &all, 0, NULL));
  g_assert_true (g_file_get_contents (sidecar, &after, NULL, NULL));
  g_assert_nonnull (strstr (after, "in place"));
}

static void
test_followers_see_commits (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10);
  g_autoptr (ReelReplayBuffer) opened = open_buffer (path, REEL_OPEN_DEFAULT);

  for (gint i = 1; i <= 35; i++)
    {
      write_steps (buffer, 1);
      g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, MIN (i, 10) * LANES);
      g_assert_cmpint (reel_replay_buffer_get_cursor (opened), ==, i % 10);
      assert_rows (opened);
    }
}

static void
test_close_checks_and_seals (void)
{
  g_autofree char *path = scratch_path ("run"), *leaf = scratch_path ("run/storage/id.memmap");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;
  g_autoptr (json_t) sidecar = NULL;
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  const json_t *sums;
  ReelRingInfo info;
  ReelReservation block;

  g_assert_true (reel_replay_buffer_set_info (buffer, "seed", "7", NULL));
  write_steps (buffer, 7);
  g_assert_true (reel_replay_buffer_close (buffer, &error));
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_close (buffer, &error));
  g_assert_false (reel_replay_buffer_reserve (buffer, 1, &block, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  assert_rows (buffer);

  sidecar = read_json (path, "reel.json");
  g_assert_true (json_is_true (json_object_get (sidecar, "clean")));
  sums = json_object_get (sidecar, "checksums");
  g_assert_cmpint (json_integer_value (json_object_get (sums, "steps")), ==, 7);
  sums = json_object_get (json_object_get (sums, "leaves"), "id");
  g_assert_true (g_file_get_contents (leaf, &bytes, NULL, NULL));
  g_assert_cmpint (json_integer_value (json_array_get (sums, 0)), ==,
                   reel_crc32c (0, bytes, 7 * LANES * sizeof (gint64)));

  opened = open_buffer (path, REEL_OPEN_DEFAULT);
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL));
  g_assert_true (info.clean && !info.written);
  g_assert_cmpint (info.end, ==, 7);
  assert_rows (opened);
}

/* The same rows make the same file, however long they took. */
static void
test_ring_of_a_closed_run_announces_no_more (void)
{
  g_autofree char *path = scratch_path ("run"), *ring = scratch_path ("run/reel.ring");

  for (gint n = 7; n <= 35; n += 28)
    {
      g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10);
      g_autofree char *bytes = NULL;
      guint64 horizon;

      write_steps (buffer, n);
      g_assert_true (reel_replay_buffer_close (buffer, NULL));
      g_assert_true (g_file_get_contents (ring, &bytes, NULL, NULL));
      memcpy (&horizon, bytes + 48, sizeof horizon);
      g_assert_cmpuint (GUINT64_FROM_LE (horizon), ==, MAX (n, 10));
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

static void
test_dropped_is_closed (void)
{
  g_autofree char *path = scratch_path ("run");
  ReelReplayBuffer *buffer = create_live (path, 10);
  g_autoptr (ReelReplayBuffer) opened = NULL;

  write_steps (buffer, 25);
  g_object_unref (buffer);
  assert_counts (path, 10 * LANES, 5, 25);
  opened = open_buffer (path, REEL_OPEN_READ_ONLY);
  assert_rows (opened);
}

static void
test_dumps_of_a_live_buffer (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;

  write_steps (buffer, 3);
  write_steps (buffer, 3);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  assert_counts (path, 6 * LANES, 6, 6);
  g_assert_true (reel_replay_buffer_dumps (buffer, copy, 0, NULL));
  scratch_assert_names (copy, "buffer_metadata.json reel.json storage writer");
  opened = open_buffer (copy, REEL_OPEN_DEFAULT);
  assert_rows (opened);
}

/* ---- what can stand in the way ---- */

static void
test_paths_that_exist (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), second = NULL, third = NULL;
  g_autoptr (GError) error = NULL;

  write_steps (buffer, 3);
  second = create (path, 10, 0, &error);
  g_assert_null (second);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  second =
      create (path, 10, REEL_CHECKPOINT_FORCE, &error); /* its writer would spoil the new one */
  g_assert_null (second);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "being written"));
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_close (buffer, NULL));
  third = create (path, 20, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
  assert_counts (path, 0, 0, 0);
  assert_rows (buffer); /* its files have no names any more, but it has them */
  scratch_assert_names (scratch_directory, "run");
}

static void
test_buffers_that_cannot_live (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  static const char *const kinds[] = { "tensor", "memmap" };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, kinds[i], NULL, NULL);
      g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_storage_allocate (storage, step, NULL));
      g_assert_false (reel_replay_buffer_make_live (buffer, path, step, 0, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
    }
  scratch_assert_names (scratch_directory, "");
}

/* A failure leaves nothing behind, and a buffer that can be made live elsewhere. */
static void
test_make_live_fails_whole (void)
{
  g_autofree char *path = scratch_path ("run");
  static const int errors[] = { EIO, ENOSPC };

  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      gboolean struck = TRUE;

      for (gint64 n = 1; struck; n++)
        {
          g_autoptr (ReelReplayBuffer) old = create_live (path, 5), buffer = NULL;
          g_autoptr (GError) error = NULL;
          g_autofree char *before = NULL, *after = NULL;

          write_steps (old, 3);
          g_assert_true (reel_replay_buffer_close (old, NULL));
          before = tree_digest (path);
          file_faults_begin ();
          file_faults_fail (NULL, n, errors[i], FALSE);
          buffer = create (path, 10, REEL_CHECKPOINT_FORCE, &error);
          struck = file_faults_struck ();
          file_faults_end ();
          g_assert_true ((buffer == NULL) == (error != NULL));
          after = tree_digest (path);
          if (!buffer)
            g_assert_cmpstr (before, ==, after);
          else
            {
              write_steps (buffer, 12);
              assert_rows (buffer);
            }
          remove_leftovers (buffer != NULL);
          g_clear_object (&buffer);
          g_assert_true (reel_directory_remove (path, NULL));
        }
    }
}

/* Where a sync of rows failed, those after the last one that succeeded do not count. */
static gint64
count_kept (ReelReplayBuffer *buffer, gint64 n)
{
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);
  g_autofree char *all = g_strjoinv ("", warnings);

  return strstr (all, "may be lost") ? reel_replay_buffer_get_length (buffer) / LANES : n;
}

/* After any failure of a write or close, the JSON files are whole and the rows are there. */
static void
test_updates_and_close_survive_any_fault (void)
{
  g_autofree char *path = scratch_path ("run");
  gboolean struck = TRUE;
  gint64 n;

  for (n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) buffer = create (path, 10, REEL_CHECKPOINT_FORCE, NULL);
      g_autoptr (ReelReplayBuffer) opened = NULL;
      g_autoptr (GError) error = NULL;
      gboolean written, done;
      gint64 end;

      file_faults_begin ();
      file_faults_fail (NULL, n, n % 2 ? EIO : ENOSPC, FALSE);
      written = try_steps (buffer, 3, NULL);
      end = reel_replay_buffer_get_write_count (buffer);
      done = reel_replay_buffer_close (buffer, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (done == (error == NULL));
      g_assert_true (end == 3 || !written);
      opened = open_buffer (path, REEL_OPEN_DEFAULT);
      g_assert_true (!done || count_kept (opened, end) == end);
      end = MIN (end, count_kept (opened, end));
      g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, end * LANES);
      assert_rows (opened);
      assert_counts (path, end * LANES, end, end);
    }
  g_assert_cmpint (n, >, 30);
}

/* ---- kills and power losses ---- */

/* A child writes until it is killed. */
static void
collect_and_die (const char *path, gint64 steps, gint64 chunk, gint microseconds)
{
  pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      ReelReplayBuffer *buffer = create_live (path, steps);

      for (;;)
        write_steps (buffer, chunk);
    }
  g_usleep ((gulong) microseconds);
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

static void
check_killed (const char *path)
{
  g_autofree char *before = tree_digest (path), *between = NULL;
  g_autoptr (ReelReplayBuffer) untouched = NULL, opened = NULL, again = NULL;
  ReelRingInfo info, later;
  gint64 slots;

  untouched = open_buffer (path, REEL_OPEN_READ_ONLY);
  between = tree_digest (path);
  g_assert_cmpstr (before, ==, between);
  assert_rows (untouched);

  opened = open_buffer (path, REEL_OPEN_DEFAULT);
  assert_rows (opened);
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL));
  g_assert_false (info.written || info.clean);
  slots = info.begin % info.capacity == 0 ? info.end - info.begin : info.capacity;
  assert_counts (path, slots * LANES, info.end % info.capacity, info.end);
  g_assert_cmpint (info.torn_n, <=, MAX (1, info.capacity / 8));
  g_assert_cmpint (slots - (info.end - info.begin), ==, info.torn_n);

  again = open_buffer (path, REEL_OPEN_READ_ONLY);
  g_assert_true (reel_replay_buffer_get_ring (again, &later, NULL));
  g_assert_cmpmem (&info, sizeof info, &later, sizeof later);
}

static void
test_killed_at_any_moment (void)
{
  gint n_torn = 0;

  for (gint i = 0; i < 40; i++)
    {
      g_autofree char *folder = scratch_path ("folder"), *path = scratch_path ("folder/run");
      gint pause = g_test_rand_int_range (0, 40000);

      g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
      collect_and_die (path, i % 2 ? 50 : 100000, 1 + i % 7, pause);
      if (g_file_test (path, G_FILE_TEST_EXISTS))
        check_killed (path);
      else
        n_torn++;
      /* Now, not at the end: where memory holds the files, there may be little of it. */
      g_assert_true (reel_directory_remove (folder, NULL));
    }
  g_test_message ("%d were killed before anything stood there", n_torn);
}

/* A disk that is full for the JSON files alone, at the nth call and for all that follow. */
static void
test_json_that_was_late_is_written (void)
{
  static const char *const calls[] = { "pwrite", "renameat2" };

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autofree char *path = scratch_path ("run");
      g_autoptr (ReelReplayBuffer) buffer = create_live (path, 4);
      g_auto (GStrv) warnings = NULL;
      g_autoptr (GError) error = NULL;

      file_faults_begin ();
      file_faults_fail (calls[i], 1, ENOSPC, TRUE);
      write_steps (buffer, 2);
      g_assert_true (file_faults_struck ());
      file_faults_end ();
      warnings = reel_replay_buffer_dup_warnings (buffer);
      g_assert_cmpuint (g_strv_length (warnings), ==, 1);
      g_assert_nonnull (strstr (warnings[0], "cannot renew the JSON files"));
      g_assert_true (reel_replay_buffer_close (buffer, &error));
      g_assert_no_error (error);
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

static void
leave_a_draft (const char *path)
{
  pid_t child = fork ();
  ReelDraft draft;

  if (child == 0)
    _exit (reel_draft_begin (&draft, path, NULL) ? 0 : 1);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
}

/* Space that a draft of the same name had reserved is free again before it is asked for. */
static void
test_drafts_of_the_killed_are_removed (void)
{
  g_autofree char *path = scratch_path ("run"), *dump = scratch_path ("dump");
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  leave_a_draft (path);
  buffer = create_live (path, 4);
  scratch_assert_names (scratch_directory, "run");
  write_steps (buffer, 2);
  leave_a_draft (dump);
  leave_a_draft (dump);
  g_assert_true (reel_replay_buffer_dumps (buffer, dump, 0, &error));
  g_assert_no_error (error);
  scratch_assert_names (scratch_directory, "dump run");
}

/* A closed run of as many steps, to go on with. */
static ReelReplayBuffer *
resume (const char *path, gint64 steps)
{
  g_autofree char *directory = g_build_filename (path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:existsok=true,ndim=2,capacity=%d", (gint) steps * LANES);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, "scratch-dir", directory, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);

  reel_replay_buffer_loads (buffer, path, &error);
  g_assert_no_error (error);
  return buffer;
}

static const char *const temporaries[] = { ".a.1-0.tmp", "storage/.b.1-0.tmp",
                                           "writer/.c.1-0.tmp" };

static void
put_temporaries (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (temporaries); i++)
    {
      g_autofree char *file = g_build_filename (path, temporaries[i], NULL);

      scratch_put (file, "{");
    }
}

static void
assert_no_temporaries (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (temporaries); i++)
    {
      g_autofree char *file = g_build_filename (path, temporaries[i], NULL);

      g_assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
    }
}

/* Opening and resuming a run both remove the temporary files of a killed writer. */
static void
test_temporaries_of_the_killed_are_removed (void)
{
  g_autofree char *path = scratch_path ("run"), *killed = scratch_path ("killed");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 4), opened = NULL, resumed = NULL;

  write_steps (buffer, 2);
  tree_copy_killed (path, killed);
  put_temporaries (killed);
  opened = open_buffer (killed, REEL_OPEN_DEFAULT);
  assert_no_temporaries (killed);
  assert_rows (opened);
  g_assert_true (reel_replay_buffer_close (buffer, NULL));
  resumed = resume (path, 4);
  put_temporaries (path);
  write_steps (resumed, 1);
  assert_no_temporaries (path);
}

/* The power goes at any call: what stands after it opens, and holds what the last update said. */
static void
check_power_loss (gint64 n, PowerLossNames names, gboolean *struck)
{
  g_autofree char *root = scratch_path ("disk"), *target = scratch_path ("after");
  g_autofree char *path = g_build_filename (root, "run", NULL);
  g_autofree char *left = g_build_filename (target, "run", NULL);
  g_autoptr (ReelReplayBuffer) buffer = NULL, opened = NULL;
  PowerLoss *loss;
  gboolean closed;

  g_assert_cmpint (g_mkdir (root, 0777), ==, 0);
  file_faults_begin ();
  loss = power_loss_begin (root);
  file_faults_fail (NULL, n, EIO, TRUE);
  buffer = create (path, 10, 0, NULL);
  closed = buffer && try_steps (buffer, 3, NULL) && reel_replay_buffer_close (buffer, NULL);
  *struck = file_faults_struck ();
  power_loss_rebuild (loss, names, target);
  power_loss_reboot (left);
  power_loss_end (loss);
  file_faults_end ();
  if (g_file_test (left, G_FILE_TEST_EXISTS))
    {
      opened = open_buffer (left, REEL_OPEN_READ_ONLY);
      if (reel_replay_buffer_get_length (opened) > 0)
        assert_rows (opened);
      g_assert_true (!closed || reel_replay_buffer_get_length (opened) == 3 * LANES);
    }
  else
    g_assert_false (closed);
  g_clear_object (&buffer);
  g_clear_object (&opened);
  g_assert_true (reel_directory_remove (root, NULL) && reel_directory_remove (target, NULL));
}

static void
test_power_lost_at_any_call (void)
{
  for (PowerLossNames names = 0; names <= POWER_LOSS_TORN; names++)
    {
      gboolean struck = TRUE;

      for (gint64 n = 1; struck; n++)
        check_power_loss (n, names, &struck);
    }
}

/* Another start of the machine: the ring may count rows that never reached the disk. */
static void
test_other_boot_believes_the_json (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  g_autofree char *sidecar = g_build_filename (copy, "reel.json", NULL), *all = NULL;
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;
  g_autofree char *boot_id = NULL;
  g_autoptr (json_t) root = NULL;
  g_auto (GStrv) warnings = NULL;

  write_steps (buffer, 1);
  write_steps (buffer, 4); /* within the second: the JSON files do not know */
  tree_copy_killed (path, copy);
  opened = open_buffer (copy, REEL_OPEN_READ_ONLY);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 5 * LANES);
  g_clear_object (&opened);
  root = read_json (copy, "reel.json");
  boot_id = g_strdup (json_string_value (json_object_get (root, "boot_id")));
  replace_text (sidecar, boot_id, "another");
  opened = open_buffer (copy, REEL_OPEN_DEFAULT);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, LANES);
  warnings = reel_replay_buffer_dup_warnings (opened);
  all = g_strjoinv ("", warnings);
  g_assert_nonnull (strstr (all, "machine"));
}

/* A copy may lack rows that its ring counts: its JSON files are believed, until it is opened where
 * it was written, which brings them up to the ring. */
static void
test_copy_believes_the_json (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  g_autofree char *moved = scratch_path ("moved"), *later = scratch_path ("later");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;
  g_autofree char *all = NULL;
  g_auto (GStrv) warnings = NULL;
  ReelRingInfo info;

  write_steps (buffer, 1);
  write_steps (buffer, 4); /* within the second */
  tree_copy (path, copy);
  opened = open_buffer (copy, REEL_OPEN_DEFAULT);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, LANES);
  assert_rows (opened);
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL) && info.incomplete);
  warnings = reel_replay_buffer_dup_warnings (opened);
  all = g_strjoinv ("", warnings);
  g_assert_nonnull (strstr (all, "copied"));
  g_clear_object (&opened);
  tree_copy_killed (path, moved);
  opened = open_buffer (moved, REEL_OPEN_DEFAULT);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 5 * LANES);
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL) && !info.incomplete);
  g_clear_object (&opened);
  tree_copy (moved, later);
  opened = open_buffer (later, REEL_OPEN_READ_ONLY);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 5 * LANES);
  assert_rows (opened);
}

/* The writer may have begun steps ahead of the JSON files: a copy of what they announce has none of
 * the steps there; once its run was opened, all but those that the writer had begun. */
static void
test_copy_of_a_full_ring (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  g_autofree char *killed = scratch_path ("killed"), *later = scratch_path ("later");
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;
  ReelRingInfo info;

  for (gint i = 0; i < 23; i++)
    write_steps (buffer, 1);
  tree_copy (path, copy);
  opened = open_buffer (copy, REEL_OPEN_READ_ONLY);
  assert_rows (opened);
  g_clear_object (&opened);
  tree_copy_killed (path, killed);
  opened = open_buffer (killed, REEL_OPEN_DEFAULT);
  g_clear_object (&opened);
  tree_copy (killed, later);
  opened = open_buffer (later, REEL_OPEN_READ_ONLY);
  assert_rows (opened);
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL));
  g_assert_cmpint (info.begin, ==, 13);
  g_assert_cmpint (info.end, ==, 23);
}

/* No run is so far ahead of its JSON files as a bit of a count makes it; without the ring they say
 * what there was. */
static void
test_wild_counts_are_damage (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy"), *bytes = NULL;
  g_autofree char *ring = g_build_filename (copy, "reel.ring", NULL);
  g_autoptr (ReelReplayBuffer) buffer = create_live (path, 10), opened = NULL;
  gsize length;

  write_steps (buffer, 1);
  write_steps (buffer, 4); /* within the second */
  tree_copy_killed (path, copy);
  g_assert_true (g_file_get_contents (ring, &bytes, &length, NULL));
  for (gint bit = 36; bit < 62; bit++)
    {
      g_autoptr (GError) error = NULL;
      guint64 end = 5 | G_GUINT64_CONSTANT (1) << bit;

      memcpy (bytes + 24, &end, sizeof end);
      g_assert_true (g_file_set_contents (ring, bytes, (gssize) length, NULL));
      ring_take_place (copy);
      g_assert_null (reel_replay_buffer_open (copy, REEL_OPEN_DEFAULT, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_true (g_str_has_prefix (error->message, ring));
    }
  g_assert_cmpint (g_unlink (ring), ==, 0);
  opened = open_buffer (copy, REEL_OPEN_READ_ONLY);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, LANES);
  assert_rows (opened);
}

static void
test_full_disk_has_its_code (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;

  g_assert_null (create (path, G_GINT64_CONSTANT (1) << 44, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_true (g_str_has_prefix (error->message, path)); /* and not its draft */
  g_assert_nonnull (strstr (error->message, " bytes) needed, "));
  scratch_assert_names (scratch_directory, "");
}

static void
test_file_that_cannot_be_reserved (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;

  file_faults_begin ();
  file_faults_fail ("fallocate", 2, EDQUOT, FALSE);
  g_assert_null (create (path, 64, 0, &error));
  file_faults_end ();
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_true (g_str_has_prefix (error->message, path));
  scratch_assert_names (scratch_directory, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/live-buffer/" name, function)
  TEST ("file-that-cannot-be-reserved", test_file_that_cannot_be_reserved);
  TEST ("complete-before-the-first-row", test_complete_before_the_first_row);
  TEST ("json-follows", test_json_follows);
  TEST ("json-follows-one-step", test_json_follows_one_step);
  TEST ("changes-in-place-are-followed", test_changes_in_place_are_followed);
  TEST ("followers-see-commits", test_followers_see_commits);
  TEST ("close-checks-and-seals", test_close_checks_and_seals);
  TEST ("ring-of-a-closed-run-announces-no-more", test_ring_of_a_closed_run_announces_no_more);
  TEST ("dropped-is-closed", test_dropped_is_closed);
  TEST ("dumps-of-a-live-buffer", test_dumps_of_a_live_buffer);
  TEST ("paths-that-exist", test_paths_that_exist);
  TEST ("buffers-that-cannot-live", test_buffers_that_cannot_live);
  TEST ("make-live-fails-whole", test_make_live_fails_whole);
  TEST ("updates-and-close-survive-any-fault", test_updates_and_close_survive_any_fault);
  TEST ("killed-at-any-moment", test_killed_at_any_moment);
  TEST ("json-that-was-late-is-written", test_json_that_was_late_is_written);
  TEST ("drafts-of-the-killed-are-removed", test_drafts_of_the_killed_are_removed);
  TEST ("temporaries-of-the-killed-are-removed", test_temporaries_of_the_killed_are_removed);
  TEST ("power-lost-at-any-call", test_power_lost_at_any_call);
  TEST ("other-boot-believes-the-json", test_other_boot_believes_the_json);
  TEST ("copy-believes-the-json", test_copy_believes_the_json);
  TEST ("copy-of-a-full-ring", test_copy_of_a_full_ring);
  TEST ("wild-counts-are-damage", test_wild_counts_are_damage);
  TEST ("full-disk-has-its-code", test_full_disk_has_its_code);

  return g_test_run ();
}
