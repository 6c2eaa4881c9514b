/* A live run whose directory is moved or removed, while another run begins at its path: its writer
 * never changes a byte of the other, and says what happened. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define LANES 2
#define SLOTS 16

/* ---- runs ---- */

static ReelReplayBuffer *
create (const char *path)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_create_live (path, SLOTS * LANES, step, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

/* With a sampler that has files of its own. */
static ReelReplayBuffer *
create_prioritized (const char *path)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);
  g_autofree char *text = g_strdup_printf ("memmap:ndim=2,capacity=%d", SLOTS * LANES);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized", NULL, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_make_live (buffer, path, step, 0, &error);
  g_assert_no_error (error);
  return buffer;
}

static gboolean
write_steps (ReelReplayBuffer *buffer, gint64 n, GError **error)
{
  ReelReservation block;

  for (gint64 left = n; left > 0; left -= n)
    {
      if (!reel_replay_buffer_reserve (buffer, left, &block, error))
        return FALSE;
      counted_fill_block (reel_replay_buffer_get_storage (buffer), &block, 0, LANES);
      n = block.n_steps;
      reel_replay_buffer_commit (buffer, &block, n);
    }
  return TRUE;
}

static ReelReplayBuffer *
resume (const char *path, GError **error)
{
  g_autofree char *leaves = g_build_filename (path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:existsok=true,ndim=2,capacity=%d", SLOTS * LANES);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  return reel_replay_buffer_loads (buffer, path, error) ? g_steal_pointer (&buffer) : NULL;
}

/* The leftover of its writer is read whole. */
static void
assert_run (const char *path, gint64 least)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  ReelRingInfo info;

  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_get_ring (buffer, &info, NULL));
  g_assert_cmpint (info.end, >=, least);
  for (gint64 step = info.begin; step < info.end; step++)
    for (gint64 lane = 0; lane < LANES; lane++)
      {
        const gint64 place[] = { step % info.capacity, lane };

        counted_assert_row (reel_storage_get_data (reel_replay_buffer_get_storage (buffer)), place,
                            step * LANES + lane);
      }
}

/* ---- what takes its place ---- */

typedef struct
{
  const char *path;
  const char *moved; /* NULL where the old directory is removed */
  ReelReplayBuffer *other;
  GBytes *before;
} Usurper;

static void
usurp (gpointer data)
{
  Usurper *self = data;

  if (self->moved)
    g_assert_cmpint (g_rename (self->path, self->moved), ==, 0);
  else
    g_assert_true (reel_directory_remove (self->path, NULL));
  self->other = create (self->path);
  g_assert_true (write_steps (self->other, 1, NULL));
  self->before = scratch_read_all (self->path);
}

/* The other run is as it was made, and goes on. */
static void
assert_untouched (Usurper *self)
{
  g_autoptr (GBytes) after = scratch_read_all (self->path);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_bytes_equal (self->before, after));
  g_assert_true (write_steps (self->other, 2, NULL));
  reel_replay_buffer_close (self->other, &error);
  g_assert_no_error (error);
  assert_run (self->path, 3);
}

static void
clear_usurper (Usurper *self)
{
  g_clear_object (&self->other);
  g_clear_pointer (&self->before, g_bytes_unref);
  g_assert_true (reel_directory_remove (self->path, NULL));
  if (self->moved)
    g_assert_true (reel_directory_remove (self->moved, NULL));
}

/* ---- at once ---- */

static void
assert_displaced (GError **error)
{
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr ((*error)->message, "was moved or removed"));
  g_clear_error (error);
}

static void
check_displaced (const char *moved)
{
  g_autofree char *path = scratch_path ("run");
  Usurper usurper = { .path = path, .moved = moved };
  g_autoptr (ReelReplayBuffer) buffer = create (path);
  g_autoptr (GError) error = NULL;

  g_assert_true (write_steps (buffer, 3, NULL));
  usurp (&usurper);
  g_assert_false (reel_replay_buffer_dumps (buffer, path, 0, &error));
  assert_displaced (&error);
  g_assert_false (reel_replay_buffer_close (buffer, &error));
  assert_displaced (&error);
  assert_untouched (&usurper);
  if (moved)
    assert_run (moved, 3);
  clear_usurper (&usurper);
}

static void
test_displaced (void)
{
  g_autofree char *moved = scratch_path ("moved");

  check_displaced (moved);
  check_displaced (NULL);
}

/* The next update finds it, and no write follows. */
static void
test_writing_stops (void)
{
  g_autofree char *path = scratch_path ("run"), *moved = scratch_path ("moved");
  Usurper usurper = { .path = path, .moved = moved };
  g_autoptr (ReelReplayBuffer) buffer = create (path);
  g_autoptr (GError) error = NULL;

  usurp (&usurper);
  g_assert_true (write_steps (buffer, 1, NULL));
  g_assert_false (write_steps (buffer, 1, &error));
  assert_displaced (&error);
  g_clear_object (&buffer);
  assert_untouched (&usurper);
  assert_run (moved, 1);
  clear_usurper (&usurper);
}

/* A path is meant as it was when the run began. */
static void
test_another_working_directory (void)
{
  g_autofree char *before = g_get_current_dir ();
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_chdir (scratch_directory), ==, 0);
  buffer = create ("run");
  g_assert_cmpint (g_chdir (before), ==, 0);
  g_assert_true (write_steps (buffer, 3, NULL));
  reel_replay_buffer_close (buffer, &error);
  g_assert_no_error (error);
  g_autofree char *path = scratch_path ("run");
  assert_run (path, 3);
}

/* ---- before each file operation ---- */

static void
write_and_close (ReelReplayBuffer *buffer)
{
  if (buffer && write_steps (buffer, 2, NULL))
    reel_replay_buffer_close (buffer, NULL);
}

static void
go_on (ReelReplayBuffer *buffer, const char *path)
{
  write_and_close (buffer);
}

static void
go_on_later (ReelReplayBuffer *buffer, const char *path)
{
  g_autoptr (ReelReplayBuffer) resumed = NULL;

  resumed = resume (path, NULL);
  write_and_close (resumed);
}

static void
recover (ReelReplayBuffer *buffer, const char *path)
{
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
}

static void
dump_in_place (ReelReplayBuffer *buffer, const char *path)
{
  g_assert_true (write_steps (buffer, 1, NULL));
  reel_replay_buffer_dumps (buffer, path, 0, NULL);
  write_and_close (buffer);
}

typedef struct
{
  gboolean closed; /* whether the first writer is gone before */
  gboolean killed; /* and left its files behind the ring */
  void (*work) (ReelReplayBuffer *buffer, const char *path);
} Writer;

/* The ring without its lock, ahead of the JSON files, as a kill leaves it. */
static void
leave_killed (const char *path, const char *source)
{
  g_autofree char *command = NULL;
  g_autoptr (ReelReplayBuffer) buffer = create (source);

  g_assert_true (write_steps (buffer, 1, NULL) && write_steps (buffer, 2, NULL));
  command = g_strdup_printf ("cp -r '%s' '%s'", source, path);
  g_assert_cmpint (system (command), ==, 0);
  ring_take_place (path);
  g_clear_object (&buffer);
  g_assert_true (reel_directory_remove (source, NULL));
}

/* A recovery that ends at any moment is completed by the next. */
static void
test_recovery_is_completed (void)
{
  gboolean struck = TRUE;

  for (gint64 n = 1; struck; n++)
    {
      g_autofree char *path = scratch_path ("run"), *source = scratch_path ("source");
      g_autofree char *sidecar = g_build_filename (path, "reel.json", NULL);
      g_autofree char *text = NULL;
      ReelRingInfo info;
      json_t *json;

      leave_killed (path, source);
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, TRUE);
      recover (NULL, path);
      struck = file_faults_struck ();
      file_faults_end ();
      recover (NULL, path);
      {
        g_autoptr (ReelReplayBuffer) buffer =
            reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);

        g_assert_true (reel_replay_buffer_get_ring (buffer, &info, NULL));
      }
      g_assert_true (g_file_get_contents (sidecar, &text, NULL, NULL));
      json = json_loads (text, 0, NULL);
      g_assert_cmpint (json_integer_value (json_object_get (json, "end")), ==, info.end);
      json_decref (json);
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

static gboolean
interrupt (const Writer *writer, gint64 n, const char *moved)
{
  g_autofree char *path = scratch_path ("run"), *source = scratch_path ("source");
  Usurper usurper = { .path = path, .moved = moved };
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  if (writer->killed)
    leave_killed (path, source);
  else
    buffer = (writer->work == dump_in_place ? create_prioritized : create) (path);
  if (writer->closed)
    {
      g_assert_true (write_steps (buffer, 3, NULL) && reel_replay_buffer_close (buffer, NULL));
      g_clear_object (&buffer);
    }
  file_faults_begin ();
  file_faults_call (n, usurp, &usurper);
  writer->work (buffer, path);
  file_faults_end ();
  g_clear_object (&buffer);

  gboolean came = usurper.other != NULL;

  if (came)
    {
      assert_untouched (&usurper);
      if (moved)
        assert_run (moved, writer->closed || writer->killed ? 3 : 0);
      clear_usurper (&usurper);
    }
  else
    g_assert_true (reel_directory_remove (path, NULL));
  return came;
}

static void
test_before_each_operation (gconstpointer writer)
{
  g_autofree char *moved = scratch_path ("moved");

  for (gint64 n = 1; interrupt (writer, n, moved); n++)
    interrupt (writer, n, NULL);
}

/* ---- two who come after a killed writer ---- */

typedef struct
{
  const char *path;
  gboolean done;
} Successor;

/* Goes on with the run and closes it, unless somebody else has the lock. */
static void
succeed (gpointer data)
{
  Successor *self = data;
  g_autoptr (ReelReplayBuffer) buffer = resume (self->path, NULL);

  self->done = buffer && write_steps (buffer, 3, NULL) && reel_replay_buffer_close (buffer, NULL);
}

/* Counts that were read before the lock was taken are not written. */
static void
test_recovery_respects_a_successor (void)
{
  g_autofree char *live = scratch_path ("live"), *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) writer = create (live);
  gboolean struck = TRUE;

  g_assert_true (write_steps (writer, 1, NULL) && write_steps (writer, 4, NULL));
  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) opened = NULL, again = NULL;
      g_autoptr (GError) error = NULL;
      Successor successor = { path, FALSE };
      ReelRingInfo info;

      tree_copy_killed (live, path);
      file_faults_begin ();
      file_faults_call (n, succeed, &successor);
      opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_no_error (error);
      again = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
      g_assert_true (reel_replay_buffer_get_ring (again, &info, NULL));
      g_assert_cmpint (info.end, ==, successor.done ? 8 : 5);
      g_assert_true (info.clean == successor.done);
      assert_run (path, info.end);
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

/* ---- one that is replaced while it is verified ---- */

static void
put_other (gpointer path)
{
  g_autofree char *away = scratch_path ("away"), *other = scratch_path ("other");

  g_assert_cmpint (g_rename (path, away), ==, 0);
  g_assert_cmpint (g_rename (other, path), ==, 0);
}

static void
make_closed (const char *path, gint64 steps)
{
  g_autoptr (ReelReplayBuffer) buffer = create (path);

  g_assert_true (write_steps (buffer, steps, NULL) && reel_replay_buffer_close (buffer, NULL));
}

/* Files of both are no damage of either. */
static void
test_replaced_is_not_damaged (void)
{
  g_autofree char *path = scratch_path ("run"), *other = scratch_path ("other");
  g_autofree char *away = scratch_path ("away");
  gboolean struck = TRUE;

  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelCheckpointReport) report = NULL;
      g_autoptr (GError) error = NULL;

      make_closed (path, 3);
      make_closed (other, 11);
      file_faults_begin ();
      file_faults_call (n, put_other, path);
      report = reel_checkpoint_verify (path, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_no_error (error);
      g_assert_cmpuint (report->faults->len, ==, 0);
      g_assert_true (reel_directory_remove (path, NULL));
      g_assert_true (reel_directory_remove (struck ? away : other, NULL));
    }
}

int
main (int argc, char **argv)
{
  static const Writer live = { FALSE, FALSE, go_on };
  static const Writer resumed = { TRUE, FALSE, go_on_later };
  static const Writer killed = { FALSE, TRUE, go_on_later };
  static const Writer dumping = { FALSE, FALSE, dump_in_place };
  static const Writer recovered = { FALSE, TRUE, recover };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  scratch_test ("/buffers/live-place/moved-and-removed", test_displaced);
  scratch_test ("/buffers/live-place/writing-stops", test_writing_stops);
  scratch_test ("/buffers/live-place/another-working-directory", test_another_working_directory);
  scratch_test_with_data ("/buffers/live-place/any-moment/live", test_before_each_operation, &live);
  scratch_test_with_data ("/buffers/live-place/any-moment/resumed", test_before_each_operation,
                          &resumed);
  scratch_test_with_data ("/buffers/live-place/any-moment/killed", test_before_each_operation,
                          &killed);
  scratch_test_with_data ("/buffers/live-place/any-moment/dumping", test_before_each_operation,
                          &dumping);
  scratch_test_with_data ("/buffers/live-place/any-moment/recovered", test_before_each_operation,
                          &recovered);
  scratch_test ("/buffers/live-place/replaced-is-not-damaged", test_replaced_is_not_damaged);
  scratch_test ("/buffers/live-place/recovery-is-completed", test_recovery_is_completed);
  scratch_test ("/buffers/live-place/recovery-respects-a-successor",
                test_recovery_respects_a_successor);
  return g_test_run ();
}
