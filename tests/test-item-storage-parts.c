/* Every storage of values with samplers, writers and transforms. */
#include "contract.h"
#include "value-buffers.h"

static ReelTensordict *
sample (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *batch = NULL;

  reel_replay_buffer_sample (buffer, n, &batch, &error);
  g_assert_no_error (error);
  return batch;
}

/* Rows tell their index, by whatever sampler they came. */
static void
test_is_sampled (gconstpointer id)
{
  static const char *const samplers[] = { "random:seed=3", "without-replacement:seed=3",
                                          "prioritized:seed=3", "consuming:max-sample-count=9" };

  for (gsize s = 0; s < G_N_ELEMENTS (samplers); s++)
    {
      g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
      g_autoptr (ReelReplayBuffer) buffer = value_new_buffer (text, samplers[s], NULL);
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (ReelTensor) index = NULL;

      value_extend (buffer, value_new_rows (11, 0), NULL);
      batch = sample (buffer, 6);
      index = reel_tensordict_ref_tensor (batch, "index", NULL);
      g_assert_cmpint (index->shape[0], ==, 6);
      for (gsize i = 0; i < 6; i++)
        g_assert_cmpint (value_nth_number (batch, i) % 8, ==, ((gint64 *) index->data)[i]);
    }
}

/* The key `td_error` of rows is their first priority, and can be changed by a batch. */
static void
test_is_sampled_by_priority (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer =
      value_new_buffer (text, "prioritized:seed=5,alpha=1,eps=1e-9", NULL);
  g_autoptr (ReelTensordict) batch = NULL, other = NULL;
  const gint64 shape[] = { 20, 1 };
  g_autoptr (ReelTensor) errors = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTensor) weight = NULL, index = NULL;
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 8; i++)
    {
      g_autoptr (ReelTensordict) row = value_new_row (i);
      value_set (row, "td_error", value_new_tensor (1, i == 5 ? 1 : 0));
      g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
    }
  batch = sample (buffer, 20);
  for (gsize i = 0; i < 20; i++)
    g_assert_cmpint (value_nth_number (batch, i), ==, 5);
  weight = reel_tensordict_ref_tensor (batch, "priority_weight", NULL);
  g_assert_nonnull (weight);
  index = reel_tensordict_ref_tensor (batch, "index", NULL);
  for (gsize i = 0; i < 20; i++)
    ((gint64 *) index->data)[i] = (gint64) i % 8;
  g_assert_true (reel_tensordict_set_tensor (batch, "index", index, NULL));
  for (gsize i = 0; i < 20; i++)
    ((float *) errors->data)[i] = i % 8 == 2 ? 4 : 0;
  g_assert_true (reel_tensordict_set_tensor (batch, "td_error", errors, NULL));
  reel_replay_buffer_update_tensordict_priority (buffer, batch, &error);
  g_assert_no_error (error);
  other = sample (buffer, 20);
  for (gsize i = 0; i < 20; i++)
    g_assert_cmpint (value_nth_number (other, i), ==, 2);
}

/* Rows that were used up leave their slots to new ones, as in a storage of columns. */
static void
test_is_consumed (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=6", (const char *) id);
  gint64 seen[2][6];

  for (gint k = 0; k < 2; k++)
    {
      g_autoptr (ReelReplayBuffer) buffer =
          value_new_buffer (k ? "tensor:capacity=6" : text, "consuming:max-sample-count=1,seed=1",
                            "tensordict-round-robin");
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (ReelTensor) index = NULL;

      for (gint64 i = 0; i < 9; i++)
        {
          g_autoptr (ReelTensordict) row = reel_tensordict_new (0, NULL);

          if (i == 4)
            batch = sample (buffer, 2);
          value_set (row, "id", value_new_scalar (i));
          g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
        }
      for (gint64 i = 0; i < 6; i++)
        {
          g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);

          seen[k][i] = *(gint64 *) reel_tensordict_get_tensor (row, "id", NULL)->data;
          g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (row, "index", NULL)->data, ==,
                           i);
        }
    }
  g_assert_cmpmem (seen[0], sizeof seen[0], seen[1], sizeof seen[1]);
}

/* The same numbers go through a storage of columns: the rows that are kept are the same. */
static void
test_keeps_the_greatest (gconstpointer id)
{
  for (gint seed = 0; seed < 50; seed++)
    {
      g_autofree char *text = g_strdup_printf ("%s:capacity=5", (const char *) id);
      gint64 kept[2][5];

      for (gint k = 0; k < 2; k++)
        {
          g_autoptr (ReelReplayBuffer) buffer =
              value_new_buffer (k ? "tensor:capacity=5" : text, NULL, "max-value:rank-key=id");

          for (gint64 done = 0, n; done < 12; done += n)
            {
              const gint64 size = n = 1 + (seed + done) % 4;
              g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, &size, NULL);
              ReelTensordict *td = reel_tensordict_new (1, &size);

              for (gint64 i = 0; i < n; i++)
                ((gint64 *) ids->data)[i] = (seed * 7 + (done + i) * (seed % 11 + 3)) % 13;
              value_set (td, "id", reel_tensor_ref (ids));
              value_extend (buffer, td, NULL);
            }
          for (gint64 i = 0; i < 5; i++)
            kept[k][i] = value_get_id (buffer, i);
        }
      g_assert_cmpmem (kept[0], sizeof kept[0], kept[1], sizeof kept[1]);
    }
}

/* The tensordict of a row gets its slot; the one that was given does not. */
static void
test_rows_hold_their_slot (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=4", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = value_new_buffer (text, NULL, "tensordict-round-robin");
  g_autoptr (ReelTensordict) given = value_new_row (0), string = NULL;

  g_assert_true (reel_replay_buffer_add (buffer, given, NULL, NULL));
  g_assert_false (reel_tensordict_contains (given, "index"));
  value_extend (buffer, value_new_rows (6, 1), NULL);
  for (gint64 i = 0; i < 4; i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);

      g_assert_cmpint (value_row_number (row) % 4, ==, i);
      g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (row, "index", NULL)->data, ==, i);
    }
  string = reel_tree_new_single_value (g_variant_new_string ("x"), NULL);
  g_assert_true (reel_replay_buffer_add (buffer, string, NULL, NULL));
}

/* Parts that need columns say so. */
static void
test_refuses_what_has_no_meaning (gconstpointer id)
{
  static const char *const samplers[] = { "slice:num-slices=1",
                                          "slice-without-replacement:num-slices=1",
                                          "prioritized-slice:num-slices=1", "staleness-aware" };
  g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
  g_autofree char *two_dims = g_strdup_printf ("%s:ndim=2", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = value_new_buffer (text, "prioritized", NULL);
  g_autoptr (ReelTensordict) step = value_new_row (0);
  g_auto (ReelIndex) all = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  ReelReservation block;

  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    {
      g_autoptr (ReelStorage) storage = value_make (REEL_TYPE_STORAGE, "%s", text);
      g_autoptr (ReelSampler) sampler = value_make (REEL_TYPE_SAMPLER, "%s", samplers[i]);

      g_assert_null (reel_replay_buffer_new (storage, sampler, NULL, 0, &error));
      g_assert_true (error->code == REEL_ERROR_TYPE || error->code == REEL_ERROR_RUNTIME);
      g_clear_error (&error);
    }
  g_assert_null (reel_object_new_from_text (REEL_TYPE_STORAGE, two_dims, &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (reel_storage_allocate (reel_replay_buffer_get_storage (buffer), step, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_reserve (buffer, 1, &block, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_extend (buffer, step, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  value_parse (&all, ":");
  g_assert_false (reel_replay_buffer_fill_at (buffer, &all, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
}

/* Batches that were drawn ahead are those that would be drawn. */
static void
test_is_prefetched (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
  g_autoptr (ReelReplayBuffer) plain = value_new_buffer (text, "random:seed=7", NULL);
  g_autoptr (ReelReplayBuffer) ahead = value_new_buffer (text, "random:seed=7", NULL);

  value_extend (plain, value_new_rows (8, 0), NULL);
  value_extend (ahead, value_new_rows (8, 0), NULL);
  reel_replay_buffer_set_batch_size (ahead, 4);
  g_assert_true (reel_replay_buffer_set_prefetch (ahead, 2, NULL));
  for (gint k = 0; k < 10; k++)
    {
      g_autoptr (ReelTensordict) a = sample (plain, 4), b = sample (ahead, 4);

      for (gsize i = 0; i < 4; i++)
        g_assert_cmpint (value_nth_number (a, i), ==, value_nth_number (b, i));
    }
}

static const ContractTest contract[] = {
  { "is-sampled", test_is_sampled },
  { "is-sampled-by-priority", test_is_sampled_by_priority },
  { "is-consumed", test_is_consumed },
  { "keeps-the-greatest", test_keeps_the_greatest },
  { "rows-hold-their-slot", test_rows_hold_their_slot },
  { "refuses-what-has-no-meaning", test_refuses_what_has_no_meaning },
  { "is-prefetched", test_is_prefetched },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("item-storage-parts", REEL_TYPE_ITEM_STORAGE, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
