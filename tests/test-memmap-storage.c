/* Where the files of a memmap storage go, what is there already, and a full disk. */
#include "../src/reel.h"
#include "../src/core/system/directories.h"
#include "../src/core/system/file-ops.h"
#include "counted-rows.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static ReelStorage *
new_storage (const char *path, const char *capacity, const char *existsok)
{
  g_autoptr (GError) error = NULL;
  ReelStorage *storage = reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:ndim=2", &error,
                                                    "scratch-dir", path ? path : "", "capacity",
                                                    capacity, "existsok", existsok, NULL);

  g_assert_no_error (error);
  return storage;
}

static gboolean
allocate (ReelStorage *storage, GError **error)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, 3, 0);

  return reel_storage_allocate (storage, step, error);
}

static void
write_steps (ReelStorage *storage, gint64 n)
{
  while (n > 0)
    {
      ReelReservation block;

      g_assert_true (reel_storage_reserve (storage, n, &block, NULL));
      counted_fill_block (storage, &block, 0, 3);
      n -= block.n_steps;
      reel_storage_commit (storage, &block, block.n_steps);
    }
}

static void
assert_read_only (const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  for (guint i = 0; leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (td, leaves[i], NULL);
      g_assert_cmpint (reel_memory_is_read_only (leaf->memory), ==, reel_tensor_numel (leaf) > 0);
    }
}

/* The peer's directory, zeros where nothing was written; it outlives the storage. */
static void
test_files_are_the_peers (void)
{
  g_autofree char *path = scratch_path ("storage");
  ReelStorage *storage = new_storage (path, "40", "false");
  g_autoptr (ReelTensordict) loaded = NULL;
  g_autoptr (GError) error = NULL;
  gint ndim;

  g_assert_true (allocate (storage, NULL));
  write_steps (storage, 9);
  g_object_unref (storage);
  loaded = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_get_batch_size (loaded, &ndim)[0], ==, 14);
  assert_read_only (loaded);
  for (gint64 t = 0; t < 9; t++)
    for (gint64 lane = 0; lane < 3; lane++)
      {
        gint64 place[] = { t, lane };
        counted_assert_row (loaded, place, t * 3 + lane);
      }
  for (gint64 t = 9; t < 14; t++)
    {
      gint64 place[] = { t, 0 };
      g_assert_cmpint (counted_get_number (loaded, place), ==, 0);
    }
}

/* T6.6-6 */
static void
test_what_is_there_is_kept (void)
{
  g_autofree char *path = scratch_path ("storage");
  g_autoptr (ReelStorage) first = new_storage (path, "40", "false");
  g_autoptr (ReelStorage) second = new_storage (path, "40", "false");
  g_autoptr (ReelStorage) third = new_storage (path, "40", "true");
  g_autoptr (ReelStorage) other = new_storage (path, "80", "true");
  g_autoptr (GError) error = NULL;
  gint64 place[] = { 4, 2 };

  g_assert_true (allocate (first, NULL));
  write_steps (first, 5);
  g_assert_false (allocate (second, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "existsok"));
  g_clear_error (&error);
  g_assert_true (allocate (third, NULL));
  counted_assert_row (reel_storage_get_data (third), place, 14);
  g_assert_false (allocate (other, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* They are its writer's, and those of whoever loads it once that is gone. */
static void
test_rows_of_a_run_are_refused (void)
{
  g_autofree char *run = scratch_path ("run"), *path = scratch_path ("run/storage");
  g_autofree char *link = scratch_path ("link");
  const char *const paths[] = { path, link };
  g_autoptr (ReelTensordict) step = counted_new_step (2, 3, 0);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_create_live (run, 40, step, 0, NULL);

  g_assert_cmpint (symlink (path, link), ==, 0);
  for (gint closed = 0; closed < 2; closed++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
        {
          g_autoptr (ReelStorage) storage = new_storage (paths[i], "40", "true");
          g_autoptr (GError) error = NULL;

          g_assert_false (allocate (storage, &error));
          g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
          g_assert_nonnull (strstr (error->message, "load the run"));
        }
      g_assert_true (reel_replay_buffer_close (buffer, NULL));
    }
}

/* Without a directory nothing is left, not even while it lives. */
static void
test_unnamed_leaves_nothing (void)
{
  g_autofree char *path = scratch_path ("storage");
  g_autoptr (ReelStorage) storage = NULL;
  g_auto (GStrv) names = NULL;

  if (g_test_subprocess ())
    {
      storage = new_storage (NULL, "40", "false");
      g_assert_true (allocate (storage, NULL));
      write_steps (storage, 20);
      names = reel_directory_list (g_getenv ("TMPDIR"), NULL);
      g_assert_cmpint (g_strv_length (names), ==, 1); /* the test's own */
      return;
    }
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_setenv ("TMPDIR", path, TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_unsetenv ("TMPDIR");
}

/* ---- directories that go away ---- */

static ReelStorage *
new_temporary (const char *path, const char *auto_cleanup)
{
  ReelStorage *storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:ndim=2,capacity=40", NULL,
                                 "scratch-dir", path, "auto-cleanup", auto_cleanup, NULL);

  g_assert_nonnull (storage);
  return storage;
}

/* T6.6-13: the user's directory stays by default, and goes when that is asked for. */
static void
test_cleanup (void)
{
  g_autofree char *path = scratch_path ("storage");
  ReelStorage *storage = new_temporary (path, "false");
  g_autoptr (ReelStorage) unnamed = new_storage (NULL, "40", "false");
  g_autoptr (ReelStorage) memory =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor", NULL, NULL);
  g_autoptr (GError) error = NULL;
  gint64 place[] = { 4, 2 };

  g_assert_false (reel_storage_cleanup (storage, &error));
  g_assert_true (allocate (storage, NULL));
  write_steps (storage, 3);
  g_object_unref (storage);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_DIR));
  storage = new_storage (path, "40", "true");
  g_assert_true (allocate (storage, NULL));
  g_assert_true (reel_storage_cleanup (storage, &error));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_false (reel_storage_cleanup (storage, &error));
  write_steps (storage, 5);
  counted_assert_row (reel_storage_get_data (storage), place, 14);
  g_object_unref (storage);
  g_assert_true (allocate (unnamed, NULL));
  g_assert_false (reel_storage_cleanup (unnamed, &error));
  g_assert_false (reel_storage_cleanup (memory, &error));
  g_assert_no_error (error);
}

/* T6.6-13: with the storage. Of a new one at the same place it is that one's. */
static void
test_auto_cleanup (void)
{
  g_autofree char *path = scratch_path ("storage");

  for (gint i = 0; i < 3; i++)
    {
      ReelStorage *storage = new_temporary (path, "true");

      g_assert_true (allocate (storage, NULL));
      write_steps (storage, 3);
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_DIR));
      g_object_unref (storage);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

/* How a process may end that has a storage. */
typedef enum
{
  EXIT,
  EXIT_AFTER_SIGINT,
  EXIT_AFTER_A_CHILD,
  KILLED,
} End;

static volatile sig_atomic_t interrupted;

static void
on_signal (int number)
{
  interrupted = 1;
}

static void
fork_a_child (void)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    exit (0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
}

/* Held to the end, where who looks for leaks sees it. */
static ReelStorage *volatile held;

static void
end_with_a_storage (End end, const char *path)
{
  held = new_temporary (path, "true");
  g_assert_true (allocate (held, NULL));
  if (end == EXIT_AFTER_SIGINT)
    {
      signal (SIGINT, on_signal);
      kill (getpid (), SIGINT);
      while (!interrupted)
        pause ();
    }
  if (end == EXIT_AFTER_A_CHILD)
    fork_a_child ();
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    abort ();
  if (end == KILLED)
    raise (SIGKILL);
  exit (0);
}

/* T6.6-13: at the end of the process, also by a signal that it answers; not at that of a child, and
 * not where nothing can be done any more. */
static void
test_cleanup_at_exit (gconstpointer end)
{
  g_autofree char *path = scratch_path ("storage");

  if (g_test_subprocess ())
    end_with_a_storage (GPOINTER_TO_INT (end), g_getenv ("SCRATCH"));
  g_setenv ("SCRATCH", path, TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  if (GPOINTER_TO_INT (end) != KILLED)
    g_test_trap_assert_passed ();
  g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==, GPOINTER_TO_INT (end) == KILLED);
}

/* ---- a full disk ---- */

static ReelFileOps ops;

static int
refuse_to_reserve (int fd, int mode, off_t offset, off_t length)
{
  errno = ENOSPC;
  return -1;
}

static void
test_full_disk_before_the_first_row (void)
{
  g_autofree char *path = scratch_path ("storage");
  g_autoptr (ReelStorage) storage = new_storage (path, "40", "false");
  g_autoptr (GError) error = NULL;

  ops = *reel_file_ops_system ();
  ops.fallocate = refuse_to_reserve;
  reel_file_ops_set (&ops);
  g_assert_false (allocate (storage, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_false (reel_storage_is_allocated (storage));
  reel_file_ops_set (NULL);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (allocate (storage, NULL));
}

static int
cannot_reserve (int fd, int mode, off_t offset, off_t length)
{
  errno = EOPNOTSUPP;
  return -1;
}

/* MADV_POPULATE_WRITE says EFAULT where touching the page would have raised SIGBUS. */
static int
find_no_page (void *address, size_t length, int advice)
{
  errno = EFAULT;
  return advice == 23 ? -1 : madvise (address, length, advice);
}

static void
test_full_disk_in_the_first_pass (void)
{
  g_autofree char *path = scratch_path ("storage");
  g_autoptr (ReelStorage) storage = new_storage (path, "40", "false");
  g_autoptr (GError) error = NULL;
  ReelReservation block;

  ops = *reel_file_ops_system ();
  ops.fallocate = cannot_reserve;
  ops.madvise = find_no_page;
  reel_file_ops_set (&ops);
  g_assert_true (allocate (storage, NULL));
  g_assert_false (reel_storage_reserve (storage, 3, &block, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_cmpint (reel_storage_get_length (storage), ==, 0);
  reel_file_ops_set (NULL);
}

#define ADD(name, function) scratch_test ("/storages/memmap/" name, function)
#define ADD_END(name, end)                                                                         \
  scratch_test_with_data ("/storages/memmap/cleanup-at-exit/" name, test_cleanup_at_exit,          \
                          GINT_TO_POINTER (end))

/* ---- a forked process ---- */

static void
extend_in_a_child (ReelReplayBuffer *buffer, gint64 n, gint64 first_step)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      counted_extend (buffer, 1, n, first_step);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

/* Parent and child write in turn, and each goes on behind the other's rows; the ring wraps. */
static void
test_fork (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("memmap", 24, 1);
  g_autoptr (ReelTensordict) rows = NULL;
  gint64 n = 0;

  counted_extend (buffer, 1, 10, n);
  for (n = 10; n < 60; n += 10)
    {
      extend_in_a_child (buffer, 7, n);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, MIN (n + 7, 24));
      counted_extend (buffer, 1, 3, n + 7);
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, n + 10);
    }
  rows = reel_replay_buffer_get_numbered_rows (buffer, n - 24, 24, NULL);
  g_assert_nonnull (rows);
  for (gint64 i = 0; i < 24; i++)
    counted_assert_row (rows, &i, n - 24 + i);
}

/* Rows in memory are a copy in the child, and so are the counters. */
static void
test_fork_in_memory (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 24, 1);

  counted_extend (buffer, 1, 10, 0);
  extend_in_a_child (buffer, 7, 10);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  ADD ("files-are-the-peers", test_files_are_the_peers);
  ADD ("what-is-there-is-kept", test_what_is_there_is_kept);
  ADD ("rows-of-a-run-are-refused", test_rows_of_a_run_are_refused);
  ADD ("unnamed-leaves-nothing", test_unnamed_leaves_nothing);
  ADD ("cleanup", test_cleanup);
  ADD ("auto-cleanup", test_auto_cleanup);
  ADD_END ("exit", EXIT);
  ADD_END ("interrupt", EXIT_AFTER_SIGINT);
  ADD_END ("child", EXIT_AFTER_A_CHILD);
  ADD_END ("kill", KILLED);
  ADD ("full-disk-before-the-first-row", test_full_disk_before_the_first_row);
  ADD ("full-disk-in-the-first-pass", test_full_disk_in_the_first_pass);
  ADD ("a-forked-process-shares-rows-and-counters", test_fork);
  ADD ("but-not-those-of-a-tensor-storage", test_fork_in_memory);

  return g_test_run ();
}
