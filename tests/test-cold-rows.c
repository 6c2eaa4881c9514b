/* Rows that are drawn at random from files that are opened for reading bring no more of the files
 * into memory than their pages. */
#include "../src/reel.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROWS 4194304
#define ROWS_TEXT "4194304"
#define DRAWN 16
#define LEAF "dump/storage/id.memmap"

/* Sixteen rows that are dumped, and holes behind them to be as many as ROWS. */
static void
make_sparse_dump (void)
{
  g_autofree char *path = scratch_path ("dump"), *leaf = scratch_path (LEAF);
  g_autofree char *meta = scratch_path ("dump/storage/meta.json");
  g_autofree char *counts = scratch_path ("dump/storage/storage_metadata.json");
  g_autofree char *sidecar = scratch_path ("dump/reel.json");
  const gint64 shape[] = { 16 };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=16", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  g_assert_true (reel_tensordict_set_tensor (rows, "id", ids, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  g_assert_cmpint (g_unlink (sidecar), ==, 0);
  replace_text (meta, "[16]", "[" ROWS_TEXT "]");
  replace_text (meta, "[16]", "[" ROWS_TEXT "]");
  replace_text (counts, "16", ROWS_TEXT);
  g_assert_cmpint (truncate (leaf, ROWS * 8), ==, 0);
}

static gsize
count_pages_in_memory (void)
{
  g_autofree char *leaf = scratch_path (LEAF);
  gsize n = ROWS * 8 / (gsize) sysconf (_SC_PAGESIZE), found = 0;
  g_autofree guint8 *pages = g_new (guint8, n);
  int fd = open (leaf, O_RDONLY | O_CLOEXEC);
  void *data = mmap (NULL, ROWS * 8, PROT_READ, MAP_SHARED, fd, 0);

  g_assert_true (data != MAP_FAILED);
  g_assert_cmpint (mincore (data, ROWS * 8, pages), ==, 0);
  for (gsize i = 0; i < n; i++)
    found += pages[i] & 1;
  munmap (data, ROWS * 8);
  close (fd);
  return found;
}

static void
test_nothing_is_read_ahead (void)
{
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  gsize before;

  make_sparse_dump ();
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, ROWS);
  before = count_pages_in_memory ();
  g_assert_true (reel_replay_buffer_sample (buffer, DRAWN, &batch, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_pages_in_memory () - before, <=, DRAWN * 4);
}

/* How many pages come when eight are touched in order. */
static gsize
touch_in_order (const gint64 *ids)
{
  gsize before = count_pages_in_memory ();
  gint64 sum = 0;

  for (gint64 row = 0; row < 4096; row += 512)
    sum += ids[row];
  g_assert_cmpint (sum, ==, 0);
  return count_pages_in_memory () - before;
}

/* A reader in order has the same files read ahead as always. */
static void
test_rows_in_order_are (void)
{
  g_autofree char *path = scratch_path ("dump"), *leaf = scratch_path (LEAF);
  g_autoptr (ReelTensordict) batch = NULL;
  int fd;
  gint64 *plain;

  make_sparse_dump ();
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_assert_true (reel_replay_buffer_sample (buffer, DRAWN, &batch, NULL));
  fd = open (leaf, O_RDONLY | O_CLOEXEC);
  plain = mmap (NULL, ROWS * 8, PROT_READ, MAP_SHARED, fd, 0);
  g_assert_true (plain != MAP_FAILED);
  gsize expected = touch_in_order (plain + ROWS / 8);
  const ReelTensor *ids = reel_tensordict_get_tensor (
      reel_storage_get_data (reel_replay_buffer_get_storage (buffer)), "id", NULL);
  g_assert_cmpuint (2 * touch_in_order ((const gint64 *) ids->data + ROWS / 8 * 6), >=, expected);
  munmap (plain, ROWS * 8);
  close (fd);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_test ("/buffers/cold-rows/nothing-is-read-ahead", test_nothing_is_read_ahead);
  scratch_test ("/buffers/cold-rows/rows-in-order-are", test_rows_in_order_are);
  return g_test_run ();
}
