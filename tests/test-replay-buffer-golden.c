/* The buffer against what TorchRL did with the same writes. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <jansson.h>
#include <string.h>

static void
flatten_json (const json_t *json, GArray *values)
{
  gsize i;
  json_t *item;

  if (json_is_integer (json))
    {
      gint64 value = json_integer_value (json);
      g_array_append_val (values, value);
    }
  json_array_foreach (json, i, item) flatten_json (item, values);
}

static ReelTensor *
json_to_tensor (const json_t *json)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = 0;
  ReelTensor *tensor;

  for (const json_t *level = json; json_is_array (level); level = json_array_get (level, 0))
    shape[ndim++] = (gint64) json_array_size (level);
  flatten_json (json, values);
  tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);
  g_assert_cmpint (reel_tensor_numel (tensor), ==, values->len);
  memcpy (tensor->data, values->data, values->len * sizeof (gint64));
  return tensor;
}

static void
assert_json (const ReelTensor *tensor, const json_t *step, const char *key)
{
  g_autoptr (ReelTensor) expected = NULL;

  if (!json_object_get (step, key))
    return;
  expected = json_to_tensor (json_object_get (step, key));
  g_assert_true (reel_tensor_equal (tensor, expected));
}

static ReelTensordict *
golden_data (const json_t *step, gint ndim, gint64 *next)
{
  const json_t *given = json_object_get (step, ndim == 2 ? "extend_BT" : "extend");
  g_autoptr (ReelTensor) values = NULL;
  ReelTensordict *td;

  if (json_is_integer (given))
    {
      gint64 n = json_integer_value (given);
      values = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
      for (gint64 i = 0; i < n; i++)
        ((gint64 *) values->data)[i] = (*next)++;
    }
  else
    values = json_to_tensor (given);
  td = reel_tensordict_new (ndim, values->shape);
  g_assert_true (reel_tensordict_set_tensor (td, "x", values, NULL));
  return td;
}

static gint64
get_integer (const json_t *object, const char *key)
{
  return json_integer_value (json_object_get (object, key));
}

static void
run_golden_step (ReelReplayBuffer *buffer, const json_t *step, gint ndim, gint64 *next)
{
  g_autoptr (ReelTensordict) data = golden_data (step, ndim, next);
  g_autoptr (ReelTensordict) all = NULL;
  g_autoptr (ReelTensordict) stored = NULL;
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, data, &index, &error);
  g_assert_no_error (error);
  assert_json (index, step, "index");
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, get_integer (step, "cursor"));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, get_integer (step, "len"));
  if (json_object_get (step, "write_count"))
    g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==,
                     get_integer (step, "write_count"));
  if (json_object_get (step, "max_size"))
    g_assert_cmpint (reel_replay_buffer_get_capacity (buffer), ==, get_integer (step, "max_size"));
  all = reel_replay_buffer_get_all (buffer, NULL);
  stored = reel_tensordict_transpose (all, 0, ndim - 1, NULL);
  assert_json (reel_tensordict_get_tensor (stored, "x", NULL), step, "storage");
  assert_json (reel_tensordict_get_tensor (stored, "x", NULL), step, "storage_TB");
  assert_json (reel_tensordict_get_tensor (all, "x", NULL), step, "read_BT");
  assert_json (reel_tensordict_get_tensor (all, "x", NULL), step, "read");
}

/* Index, cursor, count, length and content after each extend, one to three dimensions. */
static void
test_golden_writers (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "writers.json", NULL);
  json_t *root = json_load_file (path, 0, NULL), *golden, *step;
  gsize i, j, n_cases = 0;

  json_array_foreach (json_object_get (root, "cases"), i, golden)
  {
    gint ndim = (gint) get_integer (golden, "ndim");
    g_autoptr (ReelReplayBuffer) buffer = NULL;
    gint64 next = 0;

    if (!g_str_equal (json_string_value (json_object_get (golden, "writer")), "round-robin"))
      continue;
    n_cases++;
    buffer = counted_new_buffer ("tensor", get_integer (golden, "capacity"), ndim);
    json_array_foreach (json_object_get (golden, "steps"), j, step)
        run_golden_step (buffer, step, ndim, &next);
  }
  g_assert_cmpint (n_cases, ==, 9);
  json_decref (root);
}

/* T6.6-11: batches of one step; iterations 1, 51 and 101 land in slot 0. */
static void
test_single_steps_of_two_lanes (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 100, 2);

  for (gint64 i = 0; i < 101; i++)
    {
      g_autoptr (ReelTensordict) data = counted_new_batch (2, 2, 1, i);
      g_autoptr (ReelTensor) index = NULL;

      g_assert_true (reel_replay_buffer_extend (buffer, data, &index, NULL));
      g_assert_cmpint (*(gint64 *) index->data, ==, i % 50);
    }
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
}

/* T6.6-10 */
static void
test_fifty_steps_of_two_lanes (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 102, 2);
  g_autoptr (ReelTensordict) data = counted_new_batch (2, 2, 50, 0);
  g_autofree char *text = NULL;

  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 50);
  text = reel_replay_buffer_to_string (buffer);
  g_assert_nonnull (strstr (text, "shape=torch.Size([50, 2])"));
}

/* T3.8-2 */
static void
test_sizes_of_the_peer (void)
{
  static const gint64 sizes[] = { 3, 5, 100 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gint64 size = sizes[i];
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", size, 1);
      g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 5, 0);
      g_autoptr (ReelTensor) index = NULL;

      g_assert_true (reel_replay_buffer_extend (buffer, data, &index, NULL));
      for (gint64 row = 0; row < 5; row++)
        g_assert_cmpint (((gint64 *) index->data)[row], ==, row % size);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, MIN (5, size));
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 5 % size);
      counted_extend (buffer, 1, size - 1, 5);
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, (5 + size - 1) % size);
    }
}

static void
assert_leaf_files_are_equal (const char *a, const char *b, const char *name)
{
  g_autofree char *path = g_build_filename (a, "storage", name, NULL), *bytes = NULL;
  g_autofree char *other = g_build_filename (b, "storage", name, NULL), *others = NULL;
  gsize n, n_others;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_assert_true (g_file_get_contents (other, &others, &n_others, NULL));
  g_assert_cmpmem (bytes, n, others, n_others);
}

static void
assert_stored_as_is (ReelReplayBuffer *buffer, const ReelTensordict *stored)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, NULL);
  g_autoptr (ReelTensordict) step = reel_replay_buffer_get_item (buffer, 1, NULL);
  g_autoptr (ReelTensordict) expected =
      reel_tensordict_select_index ((ReelTensordict *) stored, 0, 1, NULL);

  g_assert_cmpint (reel_storage_get_dim_extend (reel_replay_buffer_get_storage (buffer)), ==, 0);
  g_assert_true (reel_tensordict_equal (all, stored));
  g_assert_true (reel_tensordict_equal (step, expected));
}

/* TorchRL's dim_extend=0: what comes is `[T, B]`, and lies so. */
static void
test_stored_as_it_comes (void)
{
  g_autofree char *dump = golden_dump ("rb-ndim2-dimextend0"), *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor:dim-extend=0", 9, 2);
  g_autoptr (ReelReplayBuffer) loaded = counted_new_buffer ("tensor:dim_extend=0", 9, 2);
  g_autoptr (ReelReplayBuffer) again = NULL;
  g_autoptr (ReelTensor) index = NULL;
  ReelTensordict *stored;

  g_assert_no_error (error);
  stored = reel_storage_get_data (reel_replay_buffer_get_storage (opened));
  reel_replay_buffer_extend (buffer, stored, &index, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 18; i++)
    g_assert_cmpint (((const gint64 *) index->data)[i], ==, i % 2 ? i / 2 % 3 : i / 6);
  assert_stored_as_is (buffer, stored);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
  assert_leaf_files_are_equal (path, dump, "observation.memmap");
  assert_leaf_files_are_equal (path, dump, "next/reward.memmap");

  again = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_stored_as_is (again, stored);
  g_assert_true (reel_replay_buffer_loads (loaded, dump, &error));
  g_assert_no_error (error);
  assert_stored_as_is (loaded, stored);
}

/* As `[T, B]` stored, changed in place and told priorities of, with dim-extend 0; as `[B, T]` else.
 */
static void
test_dim_extend_of_priorities (void)
{
  for (gint dim = 0; dim < 2; dim++)
    {
      g_autofree char *text = g_strdup_printf ("tensor:capacity=12,ndim=2,dim-extend=%d", dim);
      g_autoptr (ReelStorage) storage =
          reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
      g_autoptr (ReelSampler) sampler = reel_object_new_from_text (
          REEL_TYPE_SAMPLER, "prioritized:alpha=1,beta=1,eps=0", NULL, NULL);
      g_autoptr (ReelReplayBuffer) buffer =
          reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);
      const gint64 shape[] = { 3, 4 };
      g_autoptr (ReelTensor) values = counted_new_tensor (2, shape, 1);
      g_autoptr (ReelTensordict) data = reel_tensordict_new (2, shape), state = NULL, all = NULL;
      g_autoptr (ReelTensor) index = NULL;
      const double *weights;

      g_assert_true (reel_tensordict_set_tensor (data, "a", values, NULL));
      g_assert_true (reel_replay_buffer_extend (buffer, data, &index, NULL));
      g_assert_true (reel_replay_buffer_update_priority (buffer, index, values, NULL));
      all = reel_replay_buffer_get_all (buffer, NULL);
      g_assert_true (reel_tensordict_equal (all, data));
      state = reel_sampler_dup_state (sampler, storage, NULL);
      weights = (const double *) reel_tensordict_get_tensor (state, "sumtree", NULL)->data;
      for (gint64 slot = 0; slot < 12; slot++)
        g_assert_cmpfloat (weights[slot], ==, dim == 0 ? slot + 1 : slot % 3 * 4 + slot / 3 + 1);
    }
}

static void
test_dim_extend_below_ndim (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:ndim=2,dim-extend=2", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, function) g_test_add_func ("/buffers/replay-buffer/" name, function)
  ADD ("writes-as-torchrl-did", test_golden_writers);
  ADD ("single-steps-of-two-lanes", test_single_steps_of_two_lanes);
  ADD ("fifty-steps-of-two-lanes", test_fifty_steps_of_two_lanes);
  ADD ("sizes-of-the-peer", test_sizes_of_the_peer);
  ADD ("dim-extend-of-priorities", test_dim_extend_of_priorities);
  ADD ("dim-extend-below-ndim", test_dim_extend_below_ndim);
  scratch_test ("/buffers/replay-buffer/stored-as-it-comes", test_stored_as_it_comes);

  return g_test_run ();
}
