/* Storages of data that are there already, and of typed records. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "scratch.h"

#include <string.h>

/* `[n]`, or `[n, lanes]` as storages have it. */
static ReelTensordict *
new_data (gint ndim, gint64 lanes, gint64 n)
{
  g_autoptr (ReelTensordict) batch = counted_new_batch (ndim, lanes, n, 0);
  g_autoptr (ReelTensordict) steps = NULL;

  if (ndim == 1)
    return g_steal_pointer (&batch);
  steps = reel_tensordict_transpose (batch, 0, 1, NULL);
  return reel_tensordict_clone (steps, TRUE, NULL);
}

static void
test_is_full_and_shared (void)
{
  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      gint64 lanes = ndim == 1 ? 1 : 3;
      g_autoptr (ReelTensordict) data = new_data (ndim, lanes, 5), batch = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelStorage) storage = reel_storage_new_from_data (data, -1, ndim, &error);
      g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);
      g_autofree char *text = reel_storage_to_string (storage);

      g_assert_no_error (error);
      g_assert_true (g_str_has_prefix (text, "TensorStorage(\n"));
      g_assert_cmpint (reel_storage_get_length (storage), ==, 5 * lanes);
      g_assert_cmpint (reel_storage_get_capacity (storage), ==, 5 * lanes);
      g_assert_cmpint (reel_storage_get_cursor (storage), ==, 0);
      g_assert_false (reel_tensordict_is_locked (data));
      g_assert_true (reel_replay_buffer_sample (buffer, 7, &batch, &error));
      counted_extend (buffer, lanes, 2, 100);
      for (gint64 step = 0; step < 5; step++)
        for (gint64 lane = 0; lane < lanes; lane++)
          counted_assert_row (data, (gint64[]){ step, lane },
                              (step < 2 ? step + 100 : step) * lanes + lane);
    }
}

/* T6.6-1 */
static void
test_refuses_what_does_not_fit (void)
{
  g_autoptr (ReelTensordict) data = new_data (1, 1, 3), lanes = counted_new_batch (2, 3, 4, 0);
  g_autoptr (ReelTensordict) uneven = reel_tensordict_transpose (lanes, 0, 1, NULL);
  const struct
  {
    ReelTensordict *data;
    gint64 capacity;
    gint ndim;
    const char *message;
  } cases[] = {
    { NULL, -1, 1, "Expected storage to be non-null." },
    { data, 4, 1, "The max-size and the storage shape mismatch" },
    { data, -1, 2, "ndim=2" },
    { uneven, -1, 2, "not contiguous" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (
          reel_storage_new_from_data (cases[i].data, cases[i].capacity, cases[i].ndim, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

/* ---- typed records ---- */

static const char *const fields[] = { "id", "observation", "next", "none", NULL };

static void
assert_typed (ReelTensordict *td, gboolean typed)
{
  g_assert_nonnull (td);
  g_assert_cmpstr (reel_tensordict_get_class_name (td), ==, typed ? "some.module.Rows" : NULL);
}

/* T3.8-11: rows come back as what they were, from memory and from files. */
static void
test_records_keep_their_class (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (id, 20, 1);
  g_autoptr (ReelReplayBuffer) loaded = counted_new_buffer (id, 20, 1);
  g_autoptr (ReelTensordict) rows = counted_new_batch (1, 1, 12, 0), item = NULL, all = NULL;
  g_autoptr (ReelTensordict) one = NULL, batch = NULL, weighed = NULL, again = NULL;
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized:max-capacity=20", NULL, NULL);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_class (rows, "some.module.Rows", fields, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, &error));
  item = reel_tensordict_select_index (rows, 0, 3, NULL);
  g_assert_true (reel_replay_buffer_add (buffer, item, NULL, &error));
  assert_typed (all = reel_replay_buffer_get_all (buffer, NULL), TRUE);
  assert_typed (one = reel_replay_buffer_get_item (buffer, 2, NULL), TRUE);
  for (gint64 row = 0; row < 13; row++)
    counted_assert_row (all, &row, row < 12 ? row : 3);
  g_assert_true (reel_replay_buffer_sample (buffer, 9, &batch, &error));
  assert_typed (batch, TRUE);
  for (gint64 row = 0; row < 9; row++)
    g_assert_true (counted_is_whole (batch, &row));
  g_assert_true (reel_replay_buffer_sample_with (buffer, sampler, 9, &weighed, &error));
  assert_typed (weighed, FALSE);
  g_assert_true (reel_tensordict_contains (weighed, "index"));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
  reel_replay_buffer_loads (loaded, path, &error);
  g_assert_no_error (error);
  assert_typed (again = reel_replay_buffer_get_all (loaded, NULL), TRUE);
  g_assert_true (reel_tensordict_equal (all, again));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/given-storage/is-full-and-shared", test_is_full_and_shared);
  g_test_add_func ("/buffers/given-storage/refuses-what-does-not-fit",
                   test_refuses_what_does_not_fit);
  scratch_test_with_data ("/buffers/given-storage/records-keep-their-class/tensor",
                          test_records_keep_their_class, "tensor");
  scratch_test_with_data ("/buffers/given-storage/records-keep-their-class/records",
                          test_records_keep_their_class, "records");
  scratch_test_with_data ("/buffers/given-storage/records-keep-their-class/memmap",
                          test_records_keep_their_class, "memmap");

  return g_test_run ();
}
