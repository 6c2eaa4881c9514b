/* Where the files of a memmap storage go, what is there already, and a full disk. */
#include "../src/reel.h"
#include "../src/core/directories.h"
#include "../src/core/file-ops.h"
#include "counted-rows.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>

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
      ReelBlock block;

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
  ReelBlock block;

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  ADD ("files-are-the-peers", test_files_are_the_peers);
  ADD ("what-is-there-is-kept", test_what_is_there_is_kept);
  ADD ("unnamed-leaves-nothing", test_unnamed_leaves_nothing);
  ADD ("full-disk-before-the-first-row", test_full_disk_before_the_first_row);
  ADD ("full-disk-in-the-first-pass", test_full_disk_in_the_first_pass);

  return g_test_run ();
}
