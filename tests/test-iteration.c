/* Passes over a buffer, its figures, and other parts in the place of its own. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "scratch.h"

static ReelReplayBuffer *
new_buffer (const char *sampler, gint64 capacity, gint64 batch_size)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%d", (int) capacity);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelSampler) the_sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler, NULL, NULL);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer =
      reel_replay_buffer_new (storage, the_sampler, NULL, batch_size, &error);

  g_assert_no_error (error);
  return buffer;
}

/* Batches of one pass; every row is in at most one of them. */
static gint
count_batches (ReelReplayBuffer *buffer, gint64 *n_rows)
{
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  gboolean seen[200] = { FALSE };
  gint n_batches = 0, ndim;

  *n_rows = 0;
  while (reel_replay_buffer_next (buffer, &batch, &error))
    {
      gint64 n = reel_tensordict_get_batch_size (batch, &ndim)[0];

      for (gint64 i = 0; i < n; i++)
        {
          gint64 number = counted_get_number (batch, &i);

          g_assert_true (counted_is_whole (batch, &i));
          g_assert_false (seen[number]);
          seen[number] = TRUE;
        }
      *n_rows += n;
      n_batches++;
    }
  g_assert_no_error (error);
  return n_batches;
}

/* T3.8-16 */
static void
test_passes (gconstpointer prefetch)
{
  static const struct
  {
    gint64 n_rows, batch_size;
    const char *sampler;
    gint n_batches;
    gint64 n_drawn;
  } cases[] = {
    { 10, 5, "without-replacement", 2, 10 },
    { 11, 2, "without-replacement", 6, 11 },
    { 11, 2, "without-replacement:drop-last=true", 5, 10 },
    { 128, 32, "without-replacement", 4, 128 },
    { 11, 20, "without-replacement:shuffle=false", 1, 11 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer =
          new_buffer (cases[i].sampler, cases[i].n_rows, cases[i].batch_size);

      g_assert_true (reel_replay_buffer_set_prefetch (buffer, GPOINTER_TO_INT (prefetch), NULL));
      counted_extend (buffer, 1, cases[i].n_rows, 0);
      for (gint pass = 0; pass < 3; pass++)
        {
          gint64 n_drawn;

          g_assert_cmpint (count_batches (buffer, &n_drawn), ==, cases[i].n_batches);
          g_assert_cmpint (n_drawn, ==, cases[i].n_drawn);
        }
    }
}

static void
test_endless (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 10, 4);
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (buffer, 1, 10, 0);
  for (gint i = 0; i < 100; i++)
    g_assert_true (reel_replay_buffer_next (buffer, &batch, NULL));
}

static void
test_passes_need_a_batch_size (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 10, 0);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 10, 0);
  g_assert_false (reel_replay_buffer_next (buffer, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "Cannot iterate over the replay buffer. Batch_size was not specified during "
                   "construction of the replay buffer.");
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_set_prefetch (buffer, 2, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* T3.8-27 */
static void
test_stats (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 10, 4);
  ReelReplayBufferStats stats, again;

  reel_replay_buffer_get_stats (buffer, &stats);
  g_assert_cmpint (stats.size, ==, 0);
  g_assert_cmpint (stats.capacity, ==, 10);
  g_assert_cmpfloat (stats.utilization, ==, 0);
  g_assert_false (stats.initialized);
  counted_extend (buffer, 1, 8, 0);
  counted_extend (buffer, 1, 7, 8);
  reel_replay_buffer_get_stats (buffer, &stats);
  reel_replay_buffer_get_stats (buffer, &again);
  g_assert_cmpmem (&stats, sizeof stats, &again, sizeof again);
  g_assert_cmpint (stats.size, ==, 10);
  g_assert_cmpint (stats.write_count, ==, 15);
  g_assert_cmpfloat (stats.utilization, ==, 1);
  g_assert_true (stats.initialized);
  g_assert_true (reel_replay_buffer_empty (buffer, FALSE, NULL));
  reel_replay_buffer_get_stats (buffer, &stats);
  g_assert_cmpint (stats.size, ==, 0);
  g_assert_cmpint (stats.write_count, ==, 15);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  reel_replay_buffer_get_stats (buffer, &stats);
  g_assert_cmpint (stats.write_count, ==, 0);
}

static void
test_other_sampler (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 10, 5);
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "without-replacement:drop-last=true", NULL, NULL);
  g_autoptr (ReelSampler) first = g_object_ref (reel_replay_buffer_get_sampler (buffer));
  g_autoptr (ReelSampler) previous = NULL;
  gint64 n_rows;

  counted_extend (buffer, 1, 10, 0);
  g_assert_true (reel_replay_buffer_set_sampler (buffer, sampler, &previous, NULL));
  g_assert_true (previous == first);
  g_assert_true (reel_replay_buffer_get_sampler (buffer) == sampler);
  g_assert_cmpint (count_batches (buffer, &n_rows), ==, 2);
}

static void
test_other_storage_and_writer (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 10, 5);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=6", NULL, NULL);
  g_autoptr (ReelStorage) first = g_object_ref (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, "round-robin", NULL, NULL);
  g_autoptr (ReelStorage) previous = NULL;
  g_autoptr (ReelWriter) previous_writer = NULL;
  g_autoptr (ReelTensordict) batch = NULL;

  counted_extend (buffer, 1, 4, 0);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  g_assert_true (reel_replay_buffer_set_storage (buffer, storage, &previous, NULL));
  g_assert_true (previous == first);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 4);
  g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  counted_extend (buffer, 1, 6, 100);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  for (gint64 i = 0; i < 5; i++)
    g_assert_cmpint (counted_get_number (batch, &i), >=, 100);
  g_assert_true (reel_replay_buffer_set_writer (buffer, writer, &previous_writer, NULL));
  g_assert_nonnull (previous_writer);
  counted_extend (buffer, 1, 2, 106);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 12);
}

/* Later dumps are of the parts that are there now. */
static void
test_dumps_have_other_parts (void)
{
  g_autofree char *before = scratch_path ("before"), *after = scratch_path ("after");
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("random", 10, 5), again = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=6", NULL, NULL);
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 4, 0);
  reel_replay_buffer_dumps (buffer, before, 0, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_set_storage (buffer, storage, NULL, NULL));
  counted_extend (buffer, 1, 3, 100);
  reel_replay_buffer_dumps (buffer, after, 0, &error);
  g_assert_no_error (error);
  again = reel_replay_buffer_open (after, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (again), ==, 3);
  g_assert_false (reel_replay_buffer_set_storage (again, storage, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_data_func ("/buffers/iteration/passes", GINT_TO_POINTER (0), test_passes);
  g_test_add_data_func ("/buffers/iteration/passes-ahead", GINT_TO_POINTER (3), test_passes);
  g_test_add_func ("/buffers/iteration/endless", test_endless);
  g_test_add_func ("/buffers/iteration/passes-need-a-batch-size", test_passes_need_a_batch_size);
  g_test_add_func ("/buffers/iteration/stats", test_stats);
  g_test_add_func ("/buffers/iteration/other-sampler", test_other_sampler);
  g_test_add_func ("/buffers/iteration/other-storage-and-writer", test_other_storage_and_writer);
  scratch_test ("/buffers/iteration/dumps-have-other-parts", test_dumps_have_other_parts);
  return g_test_run ();
}
