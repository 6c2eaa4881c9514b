/* Checkpoints bring a buffer back as it was, and replace nothing but checkpoints. */
#include "../src/buffers/checkpoints/buffer-files.h"
#include "../src/buffers/checkpoints/checkpoint-files.h"
#include "../src/core/system/file-ops.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- round trips ---- */

/* Every capacity and cursor of small rings, both storages either way. */
static void
test_round_trips (void)
{
  static const char *const kinds[] = { "tensor", "memmap" };

  for (gint64 capacity = 1; capacity <= 3; capacity++)
    for (gint64 n = 1; n <= 2 * capacity + 1; n++)
      for (gint pair = 0; pair < 4; pair++)
        {
          g_autoptr (ReelReplayBuffer) from = counted_new_buffer (kinds[pair / 2], capacity * 2, 2);
          g_autoptr (ReelReplayBuffer) to = counted_new_buffer (kinds[pair % 2], capacity * 2, 2);
          g_autofree char *path = scratch_path ("dump");

          counted_extend (from, 2, n, 0);
          g_assert_true (reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, NULL));
          g_assert_true (reel_replay_buffer_loads (to, path, NULL));
          assert_equal_buffers (from, to);
          counted_extend (from, 2, 1, n);
          counted_extend (to, 2, 1, n);
          assert_equal_buffers (from, to);
        }
}

/* T6.6-4, of tensordicts */
static void
test_dumps_twice_loads (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelReplayBuffer) fresh = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "Cannot save a non-initialized storage.");
  g_clear_error (&error);
  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_false (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  counted_extend (buffer, 1, 2, 3);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
  g_assert_true (reel_replay_buffer_loads (fresh, path, &error));
  g_assert_no_error (error);
  assert_equal_buffers (buffer, fresh);
  scratch_assert_names (scratch_directory, "dump");
}

static void
test_info_and_batch_size_travel (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelReplayBuffer) fresh = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("dump"), *env = NULL, *seed = NULL;
  g_auto (GStrv) keys = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  reel_replay_buffer_set_batch_size (buffer, 32);
  g_assert_true (reel_replay_buffer_set_info (buffer, "env", "{\"id\": \"CartPole-v1\"}", &error));
  g_assert_true (reel_replay_buffer_set_info (buffer, "seed", "9007199254740993", &error));
  g_assert_true (reel_replay_buffer_set_info (buffer, "gone", "1", &error));
  g_assert_true (reel_replay_buffer_set_info (buffer, "gone", NULL, &error));
  g_assert_false (reel_replay_buffer_set_info (buffer, "bad", "{", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_true (reel_replay_buffer_loads (fresh, path, &error));
  env = reel_replay_buffer_dup_info (fresh, "env");
  seed = reel_replay_buffer_dup_info (fresh, "seed");
  keys = reel_replay_buffer_list_info (fresh);
  g_assert_cmpstr (env, ==, "{\"id\":\"CartPole-v1\"}");
  g_assert_cmpstr (seed, ==, "9007199254740993");
  g_assert_cmpuint (g_strv_length (keys), ==, 2);
  g_assert_null (reel_replay_buffer_dup_info (fresh, "gone"));
  g_assert_cmpint (reel_replay_buffer_get_batch_size (fresh), ==, 32);
}

static void
test_opened_is_for_reading (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1), opened = NULL;
  g_autofree char *path = scratch_path ("dump"), *before = NULL, *after = NULL;
  g_autoptr (ReelTensordict) batch = counted_new_batch (1, 1, 2, 3);
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  before = tree_digest (path);
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  g_assert_false (reel_replay_buffer_extend (opened, batch, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  assert_equal_buffers (buffer, opened);
  after = tree_digest (path);
  g_assert_cmpstr (before, ==, after);
}

static void
test_misfits_are_refused (void)
{
  static const struct
  {
    gint ndim;
    gint64 capacity;
    const char *word;
  } cases[] = { { 2, 4, "capacity=6" }, { 1, 8, "ndim" } };
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 8, 2);
  g_autofree char *path = scratch_path ("dump");

  counted_extend (from, 2, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelReplayBuffer) to =
          counted_new_buffer ("tensor", cases[i].capacity, cases[i].ndim);
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_replay_buffer_loads (to, path, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, cases[i].word));
      g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
    }
}

static void
assert_in_order (ReelReplayBuffer *from, ReelReplayBuffer *to)
{
  gint64 n = reel_replay_buffer_get_length (from);
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (to, NULL);
  g_autoptr (ReelTensordict) a = reel_replay_buffer_get_rows (from, 0, n, NULL);
  g_autoptr (ReelTensordict) b = reel_replay_buffer_get_rows (to, 0, n, NULL);
  const gint64 first[] = { 0, 0 };
  const gint64 oldest[] = { 0 };

  g_assert_cmpint (reel_replay_buffer_get_length (to), ==, n);
  g_assert_true (reel_tensordict_equal (a, b));
  g_assert_cmpint (counted_get_number (all, first), ==, counted_get_number (a, oldest));
  g_assert_cmpint (reel_replay_buffer_get_write_count (from), ==,
                   reel_replay_buffer_get_write_count (to));
}

/* Every ring into every other that holds its rows, which then goes on. */
static void
test_another_capacity (void)
{
  for (gint64 capacity = 1; capacity <= 4; capacity++)
    for (gint64 n = 1; n <= 2 * capacity + 1; n++)
      for (gint64 other = MIN (n, capacity); other <= 6; other++)
        for (gint is_allocated = 0; is_allocated < 2; is_allocated++)
          {
            g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", capacity * 2, 2);
            g_autoptr (ReelReplayBuffer) to = counted_new_buffer ("memmap", other * 2, 2);
            g_autofree char *path = scratch_path ("dump");
            g_autoptr (GError) error = NULL;

            if (other == capacity)
              continue;
            for (gint64 i = 0; i < n; i++)
              counted_extend (from, 2, 1, i);
            if (is_allocated)
              counted_extend (to, 2, 3, 100);
            g_assert_true (reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, NULL));
            reel_replay_buffer_loads (to, path, &error);
            g_assert_no_error (error);
            assert_in_order (from, to);
            counted_extend (to, 2, other, n);
            g_assert_cmpint (reel_replay_buffer_get_length (to), ==, other * 2);
          }
}

/* Keys that only one side has are left alone. */
static void
test_loads_into_what_is_there (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1),
                               to = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelTensordict) batch = counted_new_batch (1, 1, 4, 100);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (ReelTensordict) all = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (from, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  g_assert_true (reel_tensordict_remove (batch, "next", NULL));
  g_assert_true (reel_replay_buffer_extend (to, batch, NULL, NULL));
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  all = reel_replay_buffer_get_all (to, NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (to), ==, 3);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (counted_get_number (all, &i), ==, i);
}

/* TorchRL loads counts into C ints: what is larger stands as near as it can, in whole steps. */
static void
test_counts_beyond_an_int (void)
{
  const gint64 most = G_MAXINT32;
  const ReelCheckpointPlace cases[] = { { 0, most, most }, { 0, most + 1, most + 1 } };
  ReelCheckpointCounts counts;

  reel_checkpoint_count (&cases[0], most + 5, 1, &counts);
  g_assert_true (counts.len == most && counts.cursor == most && counts.write_count == most);
  g_assert_false (counts.clamped);
  reel_checkpoint_count (&cases[1], most + 5, 1, &counts);
  g_assert_true (counts.len == most && counts.cursor == most && counts.write_count == most);
  g_assert_true (counts.clamped);
  reel_checkpoint_count (&cases[0], 1 << 30, 8, &counts);
  g_assert_true (counts.len == most / 8 * 8 && counts.cursor == most % (1 << 30));
  g_assert_true (counts.clamped);
}

/* ---- what stands at the path ---- */

static void
test_only_checkpoints_are_replaced (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *home = scratch_path ("home"), *letter = scratch_path ("home/letter");
  g_autofree char *empty = scratch_path ("empty"), *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_mkdir (home, 0777);
  g_mkdir (empty, 0777);
  scratch_put (letter, "dear all");
  before = tree_digest (home);
  g_assert_false (reel_replay_buffer_dumps (buffer, home, REEL_CHECKPOINT_FORCE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_dumps (buffer, letter, REEL_CHECKPOINT_FORCE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  after = tree_digest (home);
  g_assert_cmpstr (before, ==, after);
  g_assert_true (reel_replay_buffer_dumps (buffer, empty, 0, NULL));
}

/* T6.6-6, of the directory that TorchRL calls scratch_dir: dumps beside it refreshes in place */
static void
test_dump_of_a_storage_at_home (void)
{
  g_autofree char *path = scratch_path ("home"), *leaves = scratch_path ("home/storage");
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelReplayBuffer) again = NULL;
  g_autoptr (GError) error = NULL;

  g_mkdir (path, 0777);
  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_no_error (error);
  counted_extend (buffer, 1, 3, 3);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  again = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_equal_buffers (buffer, again);
}

/* A run that was opened is another's: it keeps its checksums, or is replaced as a whole. */
static void
test_dump_of_an_opened_directory_to_itself (void)
{
  g_autofree char *path = scratch_path ("run"), *before = NULL, *after = NULL;
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("memmap", 4, 1), opened = NULL;
  g_autoptr (ReelReplayBuffer) again = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  before = tree_digest (path);
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_false (reel_replay_buffer_dumps (opened, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  after = tree_digest (path);
  g_assert_cmpstr (before, ==, after);
  g_assert_true (reel_replay_buffer_dumps (opened, path, REEL_CHECKPOINT_FORCE, &error));
  g_assert_no_error (error);
  assert_equal_buffers (buffer, opened);
  again = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_equal_buffers (buffer, again);
}

/* Without the sidecar the dimensions are guessed: rows of several elements each are no lanes where
 * more steps were written than there would be. */
static void
test_dimensions_that_the_counts_tell (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 8, 1), opened = NULL;
  g_autofree char *path = scratch_path ("dump"), *sidecar = scratch_path ("dump/reel.json");
  const gint64 shape[] = { 4, 2 };
  g_autoptr (ReelTensordict) batch = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensor) values = counted_new_tensor (2, shape, 0);

  g_assert_true (reel_tensordict_set_tensor (batch, "id", values, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, batch, NULL, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  g_assert_cmpint (g_unlink (sidecar), ==, 0);
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  g_assert_cmpint (reel_storage_get_ndim (reel_replay_buffer_get_storage (opened)), ==, 1);
  assert_equal_buffers (buffer, opened);
}

static ReelReplayBuffer *
new_ahead (void)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("tensor", 8, 1);

  reel_replay_buffer_set_batch_size (buffer, 2);
  g_assert_true (reel_replay_buffer_set_prefetch (buffer, 2, NULL));
  return buffer;
}

static gint64
count_loaded_batches (const char *path)
{
  g_autoptr (ReelReplayBuffer) buffer = new_ahead ();
  g_autoptr (GError) error = NULL;
  ReelReplayBufferStats stats;

  reel_replay_buffer_loads (buffer, path, &error);
  g_assert_no_error (error);
  reel_replay_buffer_get_stats (buffer, &stats);
  return stats.n_prefetched;
}

/* TorchRL attached the directory, wrote on, and dumped: its counts are right, ours are old, and so
 * are the batches that were ready. */
static void
test_what_another_program_wrote_since (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_ahead (), opened = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  g_autofree char *path = scratch_path ("dump"), *file = NULL, *all = NULL;
  g_auto (GStrv) warnings = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  g_assert_cmpint (count_loaded_batches (path), ==, 2);
  file = scratch_path ("dump/storage/storage_metadata.json");
  replace_text (file, "\"len\": 3", "\"len\": 5");
  g_free (file);
  file = scratch_path ("dump/writer/metadata.json");
  scratch_put (file, "{\"cursor\": 5, \"write_count\": 5}");
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  warnings = reel_replay_buffer_dup_warnings (opened);
  all = g_strjoinv ("", warnings);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 5);
  g_assert_cmpint (reel_replay_buffer_get_cursor (opened), ==, 5);
  g_assert_nonnull (strstr (all, "another program"));
  g_assert_cmpint (count_loaded_batches (path), ==, 0);
}

/* Each file system counts its inodes from the start: the number alone says nothing. */
static int
look_on_two_disks (int directory, const char *path, struct stat *status, int flags)
{
  int result = reel_file_ops_system ()->fstatat (directory, path, status, flags);

  status->st_ino = 7;
  status->st_dev = strstr (path, "other") != NULL;
  return result;
}

static void
test_same_inode_on_another_disk (void)
{
  g_autofree char *home = scratch_path ("home"), *other = scratch_path ("other");
  g_autofree char *inside = g_build_filename (home, "storage", NULL);
  g_autofree char *beside = g_build_filename (other, "storage", NULL);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", inside, NULL);
  ReelFileOps ops = *reel_file_ops_system ();

  g_assert_cmpint (g_mkdir_with_parents (inside, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (beside, 0777), ==, 0);
  ops.fstatat = look_on_two_disks;
  reel_file_ops_set (&ops);
  g_assert_true (reel_checkpoint_is_home (storage, home));
  g_assert_false (reel_checkpoint_is_home (storage, other));
  reel_file_ops_set (NULL);
}

static void
assert_names (ReelReplayBuffer *buffer, const char *first, const char *second)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, NULL);

  g_assert_cmpstr (reel_tensordict_get_name (all, 0), ==, first);
  g_assert_cmpstr (reel_tensordict_get_name (all, 1), ==, second);
}

/* TorchRL's files have no names; ours are in reel.json. */
static void
test_names_of_dimensions (void)
{
  static const char *const kinds[] = { "tensor:capacity=16,ndim=2", "memmap:capacity=16,ndim=2",
                                       "records:capacity=16,ndim=2" };
  static const gint64 size[] = { 2, 5 };
  const char *names[] = { "env", "time" };
  g_autofree char *path = scratch_path ("dump");

  for (gsize from = 0; from < G_N_ELEMENTS (kinds); from++)
    {
      g_autoptr (ReelReplayBuffer) buffer =
          reel_replay_buffer_new_from_text (kinds[from], NULL, 0, NULL);
      g_autoptr (ReelTensordict) rows = reel_tensordict_new (2, size);
      g_autoptr (ReelTensor) leaf = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, size, NULL);

      g_assert_true (reel_tensordict_set_tensor (rows, "a", leaf, NULL));
      g_assert_true (reel_tensordict_set_names (rows, names, NULL));
      g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
      g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, NULL));
      for (gsize to = 0; to < G_N_ELEMENTS (kinds); to++)
        {
          g_autoptr (ReelReplayBuffer) loaded =
              reel_replay_buffer_new_from_text (kinds[to], NULL, 0, NULL);

          g_assert_true (reel_replay_buffer_loads (loaded, path, NULL));
          assert_names (loaded, "env", "time");
        }
      g_autoptr (ReelReplayBuffer) opened =
          reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
      assert_names (opened, "env", "time");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/checkpoint/" name, function)
  TEST ("round-trips", test_round_trips);
  TEST ("names-of-dimensions", test_names_of_dimensions);
  TEST ("dumps-twice-loads", test_dumps_twice_loads);
  TEST ("info-and-batch-size-travel", test_info_and_batch_size_travel);
  TEST ("counts-beyond-an-int", test_counts_beyond_an_int);
  TEST ("opened-is-for-reading", test_opened_is_for_reading);
  TEST ("misfits-are-refused", test_misfits_are_refused);
  TEST ("another-capacity", test_another_capacity);
  TEST ("loads-into-what-is-there", test_loads_into_what_is_there);
  TEST ("only-checkpoints-are-replaced", test_only_checkpoints_are_replaced);
  TEST ("dump-of-a-storage-at-home", test_dump_of_a_storage_at_home);
  TEST ("dump-of-an-opened-directory-to-itself", test_dump_of_an_opened_directory_to_itself);
  TEST ("dimensions-that-the-counts-tell", test_dimensions_that_the_counts_tell);
  TEST ("same-inode-on-another-disk", test_same_inode_on_another_disk);
  TEST ("what-another-program-wrote-since", test_what_another_program_wrote_since);

  return g_test_run ();
}
