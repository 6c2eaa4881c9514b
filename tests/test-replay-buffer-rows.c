/* Rows of a buffer, by slice, item, place, row and number, and by chance. */
#include "../src/reel.h"
#include "counted-rows.h"

#include <string.h>

static void
assert_size (ReelTensordict *td, gint64 first)
{
  gint ndim;

  g_assert_nonnull (td);
  g_assert_cmpint (reel_tensordict_get_batch_size (td, &ndim)[0], ==, first);
}

/* T3.8-4 */
static void
test_slices (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 1);
  g_autoptr (ReelTensordict) head = NULL, tail = NULL, last = NULL, item = NULL;
  gint64 place = 1;

  counted_extend (buffer, 1, 6, 0);
  head = reel_replay_buffer_get_slice (buffer, 0, 5, 1, NULL);
  assert_size (head, 5);
  tail = reel_replay_buffer_get_slice (buffer, 4, G_MAXINT64, 1, NULL);
  assert_size (tail, 2);
  counted_assert_row (tail, &place, 5);
  last = reel_replay_buffer_get_slice (buffer, -2, G_MAXINT64, 1, NULL);
  assert_size (last, 2);
  item = reel_replay_buffer_get_item (buffer, -1, NULL);
  counted_assert_row (item, NULL, 5);
}

/* The names of an item's own dimensions are those of the rows, as TorchRL keeps them. */
static void
test_names_of_items (void)
{
  const gint64 size[] = { 3, 2 };
  const char *const names[] = { NULL, "agents" };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (2, size), all = NULL, batch = NULL;
  g_autoptr (ReelTensor) x = counted_new_tensor (2, size, 0);

  g_assert_true (reel_tensordict_set_tensor (data, "x", x, NULL));
  g_assert_true (reel_tensordict_set_names (data, names, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  all = reel_replay_buffer_get_all (buffer, NULL);
  g_assert_null (reel_tensordict_get_name (all, 0));
  g_assert_cmpstr (reel_tensordict_get_name (all, 1), ==, "agents");
  g_assert_true (reel_replay_buffer_sample (buffer, 4, &batch, NULL));
  g_assert_cmpstr (reel_tensordict_get_name (batch, 1), ==, "agents");
}

/* T3.8-10: batch dimensions beyond the storage's belong to the item. */
static void
test_items_with_a_batch (void)
{
  const gint64 size[] = { 1, 2 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_INT64, 2, size, NULL);
  g_autoptr (ReelTensordict) all = NULL, batch = NULL;
  gint ndim;

  reel_tensordict_set_tensor (data, "x", x, NULL);
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 1);
  all = reel_replay_buffer_get_all (buffer, NULL);
  g_assert_cmpmem (reel_tensordict_get_batch_size (all, &ndim), sizeof size, size, sizeof size);
  for (gint i = 0; i < 2; i++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, 3, &batch, NULL));
      assert_size (batch, 3);
      x = (reel_tensor_unref (x),
           reel_tensor_ref (reel_tensordict_get_tensor (batch, "index", NULL)));
      g_assert_cmpint (x->ndim, ==, 2);
      g_assert_cmpint (x->shape[1], ==, 2);
    }
}

/* A lane of two-dimensional storages is [T] (differs from TorchRL, which raises). */
static void
test_item_is_a_lane (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 12, 2);
  g_autoptr (ReelTensordict) lane = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 3, 3, 0);
  lane = reel_replay_buffer_get_item (buffer, 2, NULL);
  assert_size (lane, 3);
  for (gint64 t = 0; t < 3; t++)
    counted_assert_row (lane, &t, t * 3 + 2);
  g_assert_null (reel_replay_buffer_get_item (buffer, 3, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

static void
test_rows_by_place (void)
{
  static const gint64 places[][2] = { { 0, 1 }, { 3, 2 }, { -1, 0 }, { 1, -1 } };
  static const gint64 numbers[] = { 13, 11, 9, 17 }; /* slots hold the steps 4, 5, 2, 3 */
  const gint64 shape[] = { 4, 2 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 12, 2);
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelTensordict) rows = NULL;
  g_autoptr (GError) error = NULL;

  memcpy (index->data, places, sizeof places);
  g_assert_null (reel_replay_buffer_get_at (buffer, index, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  counted_extend (buffer, 3, 6, 0);
  rows = reel_replay_buffer_get_at (buffer, index, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 4; i++)
    counted_assert_row (rows, &i, numbers[i]);
  ((gint64 *) index->data)[0] = 4;
  g_assert_null (reel_replay_buffer_get_at (buffer, index, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

static void
test_row_numbers_are_checked (void)
{
  static const gint64 bad[][2] = { { -1, 1 }, { 0, 6 },  { 5, 1 },
                                   { 6, 0 },  { 0, -1 }, { G_MAXINT64, 1 } };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);

  counted_extend (buffer, 1, 5, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_get_rows (buffer, bad[i][0], bad[i][1], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
    }
}

static void
test_rows_keep_their_numbers (void)
{
  static const gint64 bad[][2] = { { 3, 1 }, { 3, 5 }, { 8, 2 }, { 9, 1 }, { 4, -1 }, { -1, 2 } };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);

  counted_extend (buffer, 1, 5, 0);
  counted_extend (buffer, 1, 4, 5);
  for (gint64 number = 4; number <= 9; number++)
    for (gint64 n = 0; n <= 9 - number; n++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensordict) rows =
            reel_replay_buffer_get_numbered_rows (buffer, number, n, &error);

        g_assert_no_error (error);
        for (gint64 i = 0; i < n; i++)
          counted_assert_row (rows, &i, number + i);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_get_numbered_rows (buffer, bad[i][0], bad[i][1], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
    }
}

/* ---- sampling ---- */

static void
test_sample_fills_the_same_batch (void)
{
  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 24, ndim);
      g_autoptr (ReelTensordict) batch = NULL;
      ReelTensordict *first;
      gint64 lanes = ndim == 1 ? 1 : 3;

      counted_extend (buffer, lanes, 30, 0);
      g_assert_true (reel_replay_buffer_sample (buffer, 16, &batch, NULL));
      first = batch;
      for (gint round = 0; round < 20; round++)
        {
          const ReelTensor *index = reel_tensordict_get_tensor (batch, "index", NULL);
          g_autoptr (ReelTensordict) read = reel_replay_buffer_get_at (buffer, index, NULL);

          g_assert_cmpstr (reel_tensordict_get_device (batch), ==, "cpu");
          for (gint64 i = 0; i < 16; i++)
            {
              g_assert_true (counted_is_whole (batch, &i));
              counted_assert_row (read, &i, counted_get_number (batch, &i));
            }
          g_assert_true (reel_replay_buffer_sample (buffer, 16, &batch, NULL));
          g_assert_true (batch == first);
        }
      g_assert_true (reel_replay_buffer_sample (buffer, 17, &batch, NULL));
      assert_size (batch, 17);
    }
}

/* A storage with a column `index`, as TorchRL's writers leave one: batches tell their own. */
static void
test_index_of_the_batch_wins (void)
{
  gint64 n = 9;
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 9, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) stale = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) x->data)[i] = i;
  reel_tensordict_set_tensor (data, "a", x, NULL);
  reel_tensordict_set_tensor (data, "index", stale, NULL);
  reel_tensordict_set_tensor (data, "b", x, NULL);
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  for (gint round = 0; round < 3; round++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, 8, &batch, NULL));
      g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (batch, "a", NULL),
                                        reel_tensordict_get_tensor (batch, "index", NULL)));
      g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (batch, "b", NULL),
                                        reel_tensordict_get_tensor (batch, "index", NULL)));
    }
}

static void
test_batch_size_must_be_known (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 9, 1);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, "batch_size not specified."));
  reel_replay_buffer_set_batch_size (buffer, 4);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  assert_size (batch, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, function) g_test_add_func ("/buffers/replay-buffer/" name, function)
  ADD ("slices", test_slices);
  ADD ("names-of-items", test_names_of_items);
  ADD ("items-with-a-batch", test_items_with_a_batch);
  ADD ("item-is-a-lane", test_item_is_a_lane);
  ADD ("rows-by-place", test_rows_by_place);
  ADD ("row-numbers-are-checked", test_row_numbers_are_checked);
  ADD ("rows-keep-their-numbers", test_rows_keep_their_numbers);
  ADD ("sample-fills-the-same-batch", test_sample_fills_the_same_batch);
  ADD ("index-of-the-batch-wins", test_index_of_the_batch_wins);
  ADD ("batch-size-must-be-known", test_batch_size_must_be_known);

  return g_test_run ();
}
