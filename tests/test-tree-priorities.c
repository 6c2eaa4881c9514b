/* Drawing trees by priority: what the sampler says of rows comes beside the batch, as TorchRL's
 * `sample(return_info=True)` gives it, and priorities go back by that index. */
#include "../src/reel.h"
#include "counted-rows.h"

#define CAPACITY 8
#define N 5 /* rows */
#define BATCH 16
#define SAMPLER "prioritized:alpha=1,beta=1,eps=0,dtype=float64"

static ReelReplayBuffer *
new_buffer (const char *storage_text, gint ndim)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=%d,ndim=%d", storage_text, CAPACITY, ndim);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, SAMPLER, &error, NULL);
  ReelReplayBuffer *buffer;

  g_assert_no_error (error);
  buffer = reel_replay_buffer_new (storage, sampler, NULL, BATCH, &error);
  g_assert_no_error (error);
  return buffer;
}

/* {"td_error": number + 1, "rows": (number,)} of each element; what a tree has under the priority
 * key tells nothing. */
static ReelTensordict *
new_tree (gint ndim, const gint64 *shape, gint64 first)
{
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE);
  g_autoptr (ReelTensor) numbers = counted_new_tensor (ndim, shape, first);
  g_autoptr (ReelTensor) key = counted_new_tensor (ndim, shape, first + 1);
  ReelTensordict *tree = reel_tree_new (REEL_TENSORDICT_MAP);

  g_assert_true (reel_tree_append_tensor (tuple, numbers, NULL));
  g_assert_true (reel_tensordict_set_tensor (tree, "td_error", key, NULL));
  g_assert_true (reel_tensordict_set_tensordict (tree, "rows", tuple, NULL));
  return tree;
}

static void
add_rows (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < N; i++)
    {
      g_autoptr (ReelTensordict) tree = new_tree (0, NULL, i);

      reel_replay_buffer_add (buffer, tree, NULL, &error);
      g_assert_no_error (error);
    }
}

static gboolean
update (ReelReplayBuffer *buffer, const double *priorities, GError **error)
{
  const gint64 n = N;
  g_autoptr (ReelTensor) index = counted_new_tensor (1, &n, 0);
  g_autoptr (ReelTensor) values = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &n, NULL);

  memcpy (values->data, priorities, N * sizeof *priorities);
  return reel_replay_buffer_update_priority (buffer, index, values, error);
}

/* Of each row its number and its weight, against (priority / least) ^ −1. */
static guint
assert_info (ReelReplayBuffer *buffer, const ReelTensordict *batch, const double *priorities)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) info = reel_replay_buffer_dup_batch_info (buffer, &error);
  const ReelTensor *index, *weight, *rows;
  double least = G_MAXDOUBLE;
  guint seen = 0;

  g_assert_no_error (error);
  for (gint i = 0; i < N; i++)
    least = priorities[i] > 0 ? MIN (least, priorities[i]) : least;
  index = reel_tensordict_get_tensor (info, "index", NULL);
  weight = reel_tensordict_get_tensor (info, "priority_weight", NULL);
  rows = reel_tensordict_get_tensor (batch, "rows/0", NULL);
  g_assert_false (reel_tensordict_contains (batch, "index"));
  g_assert_cmpint (index->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpint (index->ndim, ==, 1);
  g_assert_cmpint (index->shape[0], ==, BATCH);
  g_assert_cmpint (weight->dtype, ==, REEL_DTYPE_FLOAT64);
  for (gint i = 0; i < BATCH; i++)
    {
      gint64 row = ((const gint64 *) index->data)[i];

      g_assert_cmpint (((const gint64 *) rows->data)[i], ==, row);
      g_assert_cmpfloat (priorities[row], >, 0);
      g_assert_cmpfloat_with_epsilon (((const double *) weight->data)[i], least / priorities[row],
                                      1e-14);
      seen |= 1u << row;
    }
  return seen;
}

static const char *const storages[] = { "tensor", "records", "memmap", "list", "compressed-list" };

/* Each row has priority 0, 1 or 3: those of 0 are never drawn, all others are. */
static void
test_priorities_by_index (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, 1);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  static const double kinds[] = { 0, 1, 3 };
  const double ones[N] = { 1, 1, 1, 1, 1 };
  guint n_cases = 0;

  g_assert_null (reel_replay_buffer_dup_batch_info (buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  add_rows (buffer);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  assert_info (buffer, batch, ones);
  for (guint which = 0; which < 243; which++, n_cases++)
    {
      double priorities[N];
      guint wanted = 0, seen = 0;

      for (guint i = 0, digits = which; i < N; i++, digits /= 3)
        {
          priorities[i] = kinds[digits % 3];
          wanted |= (priorities[i] > 0) << i;
        }
      g_assert_true (update (buffer, priorities, NULL));
      if (wanted == 0)
        {
          g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
          g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
          g_clear_error (&error);
          g_assert_null (reel_replay_buffer_dup_batch_info (buffer, NULL));
        }
      for (gint round = 0; round < 100 && seen != wanted; round++)
        {
          g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
          seen |= assert_info (buffer, batch, priorities);
        }
      g_assert_cmpuint (seen, ==, wanted);
    }
  g_test_message ("%u sets of priorities", n_cases);
}

/* Info of the sampler is that of the given batch, not of one drawn ahead. */
static void
test_info_is_that_of_the_batch (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, 1);
  const double ones[N] = { 1, 1, 1, 1, 1 };
  g_autoptr (ReelTensordict) batch = NULL, state = NULL;
  g_autoptr (GError) error = NULL;

  add_rows (buffer);
  g_assert_true (reel_replay_buffer_set_prefetch (buffer, 2, NULL));
  g_assert_null (reel_replay_buffer_dup_batch_info (buffer, NULL));
  for (gint i = 0; i < 50; i++)
    {
      g_assert_true (i % 2 ? reel_replay_buffer_next (buffer, &batch, NULL)
                           : reel_replay_buffer_sample (buffer, 0, &batch, NULL));
      assert_info (buffer, batch, ones);
    }
  state = reel_replay_buffer_dup_state (buffer, &error);
  g_assert_no_error (error);
  reel_replay_buffer_set_state (buffer, state, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < 4; i++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
      if (i >= 2)
        assert_info (buffer, batch, ones);
      else
        g_assert_null (reel_replay_buffer_dup_batch_info (buffer, NULL));
    }
}

/* Of two dimensions an index is slot and lane. */
static void
test_two_dimensions (gconstpointer storage)
{
  const gint64 shape[] = { 2, 4 };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, 2);
  g_autoptr (ReelTensordict) tree = new_tree (2, shape, 0), batch = NULL, info = NULL, later = NULL;
  g_autoptr (ReelTensor) none = reel_tensor_new (REEL_DTYPE_FLOAT64, 0, NULL, NULL);
  ReelTensor *index;
  g_autoptr (GError) error = NULL;
  guint updated = 0;

  reel_replay_buffer_extend (buffer, tree, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_sample (buffer, 4, &batch, NULL));
  info = reel_replay_buffer_dup_batch_info (buffer, NULL);
  index = reel_tensordict_get_tensor (info, "index", NULL);
  g_assert_cmpint (index->ndim, ==, 2);
  g_assert_cmpint (index->shape[1], ==, 2);
  for (gint i = 0; i < 4; i++)
    {
      const gint64 *place = (const gint64 *) index->data + 2 * i;
      gint64 number =
          ((const gint64 *) reel_tensordict_get_tensor (batch, "rows/0", NULL)->data)[i];

      g_assert_cmpint (number, ==, place[1] * 4 + place[0]);
      updated |= 1u << number;
    }
  g_assert_true (reel_replay_buffer_update_priority (buffer, index, none, NULL));
  for (gint round = 0; round < 20; round++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, BATCH, &later, NULL));
      for (gint i = 0; i < BATCH; i++)
        g_assert_false (
            updated
                >> ((const gint64 *) reel_tensordict_get_tensor (later, "rows/0", NULL)->data)[i]
            & 1);
    }
}

/* T4.3-1: the rows 1, "foo" and None, of which "foo" has the whole weight but for a ten-thousandth.
 */
static void
test_bare_values (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, 1);
  const double priorities[N] = { 0, 1000, 0.1 };
  const gint64 three = 3;
  g_autoptr (ReelTensor) index = counted_new_tensor (1, &three, 0);
  g_autoptr (ReelTensor) values = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &three, NULL);
  GVariant *rows[] = { g_variant_new_int64 (1), g_variant_new_string ("foo"),
                       g_variant_new_maybe (G_VARIANT_TYPE_STRING, NULL) };
  g_autoptr (GError) error = NULL;
  guint drawn[N] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ReelTensordict) row = reel_tree_new_single_value (rows[i], &error);

      g_assert_no_error (error);
      g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
    }
  memcpy (values->data, priorities, 3 * sizeof *priorities);
  g_assert_true (reel_replay_buffer_update_priority (buffer, index, values, NULL));
  for (guint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) batch = NULL, info = NULL;

      reel_replay_buffer_sample (buffer, 0, &batch, &error);
      g_assert_no_error (error);
      info = reel_replay_buffer_dup_batch_info (buffer, NULL);
      for (gint i = 0; i < BATCH; i++)
        drawn[((const gint64 *) reel_tensordict_get_tensor (info, "index", NULL)->data)[i]]++;
    }
  g_assert_cmpuint (drawn[0], ==, 0);
  g_assert_cmpuint (drawn[1], >, 100 * BATCH - 10);
  g_assert_cmpuint (drawn[1] + drawn[2], ==, 100 * BATCH);
}

/* Batches of tensordicts hold the same. */
static void
test_tensordicts_hold_it (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, 1);
  g_autoptr (ReelTensordict) batch = NULL, info = NULL;
  static const char *const keys[] = { "index", "priority_weight" };

  counted_extend (buffer, 1, N, 0);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  info = reel_replay_buffer_dup_batch_info (buffer, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (ReelTensor) held = reel_tensordict_ref_tensor (batch, keys[i], NULL);

      g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (info, keys[i], NULL), held));
    }
}

static void
add (const char *name, GTestDataFunc func, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/buffers/tree-priorities/%s/%s", name, storages[i]);

      g_test_add_data_func (path, storages[i], func);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  add ("by-index", test_priorities_by_index, G_N_ELEMENTS (storages));
  add ("info-is-that-of-the-batch", test_info_is_that_of_the_batch, G_N_ELEMENTS (storages));
  add ("two-dimensions", test_two_dimensions, 3); /* those of columns */
  g_test_add_data_func ("/buffers/tree-priorities/bare-values", "list", test_bare_values);
  add ("tensordicts-hold-it", test_tensordicts_hold_it, G_N_ELEMENTS (storages));

  return g_test_run ();
}
