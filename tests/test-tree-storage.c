/* Storages of trees that are no dict: lists, tuples, single tensors, and what is in them. */
#include "../src/reel.h"
#include "../src/core/system/directories.h"
#include "counted-rows.h"
#include "scratch.h"

#include <string.h>

/* ---- helpers ---- */

static void
append_tensor (ReelTensordict *tree, gint ndim, const gint64 *shape, gint64 first)
{
  g_autoptr (ReelTensor) tensor = counted_new_tensor (ndim, shape, first);

  g_assert_true (reel_tree_append_tensor (tree, tensor, NULL));
}

/* {"a": [n × first], "b": {"c": (n × 2, [n × 1])}, 30: n}; @n −1: no rows. */
static ReelTensordict *
new_tree (gint64 n, gint64 first)
{
  const gint64 two[] = { n, 2 }, one[] = { n, 1 };
  gint rows = n >= 0;
  g_autoptr (ReelTensordict) a = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensordict) b = reel_tree_new (REEL_TENSORDICT_MAP);
  g_autoptr (ReelTensordict) c = reel_tree_new (REEL_TENSORDICT_TUPLE);
  g_autoptr (ReelTensordict) inner = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensor) thirty = counted_new_tensor (rows, &n, first);
  ReelTensordict *tree = reel_tree_new (REEL_TENSORDICT_MAP);

  append_tensor (a, rows, &n, first);
  append_tensor (c, rows + 1, two + !rows, first);
  append_tensor (inner, rows + 1, one + !rows, first);
  g_assert_true (reel_tree_append (c, inner, NULL));
  g_assert_true (reel_tensordict_set_tensordict (b, "c", c, NULL));
  g_assert_true (reel_tensordict_set_tensordict (tree, "a", a, NULL));
  g_assert_true (reel_tensordict_set_tensordict (tree, "b", b, NULL));
  g_assert_true (reel_tree_set_tensor (tree, 30, thirty, NULL));
  return tree;
}

/* TorchRL's print of it. */
static char *
print_structure (gint n)
{
  return g_strdup_printf (
      "{'a': ['Tensor(shape=torch.Size([%d]), dtype=torch.int64, device=cpu)'], 'b': {'c': "
      "('Tensor(shape=torch.Size([%d, 2]), dtype=torch.int64, device=cpu)', "
      "['Tensor(shape=torch.Size([%d, 1]), dtype=torch.int64, device=cpu)'])}, 30: "
      "'Tensor(shape=torch.Size([%d]), dtype=torch.int64, device=cpu)'}",
      n, n, n, n);
}

static void
assert_structure (const ReelTensordict *tree, gint n)
{
  g_autofree char *found = reel_tensordict_to_string (tree), *expected = print_structure (n);

  g_assert_cmpstr (found, ==, expected);
}

static gint64
get_element (const ReelTensordict *tree, const char *path, gint64 i)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (tree, path, NULL);

  g_assert_nonnull (tensor);
  return *(const gint64 *) (tensor->data + i * tensor->strides[0]);
}

static void
extend (ReelReplayBuffer *buffer, ReelTensordict *tree)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, tree, NULL, &error);
  g_assert_no_error (error);
}

/* ---- writing and reading ---- */

static ReelTensordict *
times_zero (ReelTensordict *td, gpointer user_data, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  for (char **path = leaves; *path; path++)
    {
      ReelTensor *leaf = reel_tensordict_get_tensor (td, *path, NULL);
      memset (leaf->data, 0, reel_tensor_nbytes (leaf));
    }
  return reel_tensordict_ref (td);
}

/* T3.8-5 */
static void
test_one_is_added_and_transformed (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 10, 1);
  g_autoptr (ReelTensordict) tree = new_tree (-1, 5), batch = NULL;
  g_autoptr (ReelTransform) transform = reel_transform_new_callback (times_zero, NULL, NULL);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_add (buffer, tree, NULL, &error);
  g_assert_no_error (error);
  for (gint transformed = 0; transformed <= 1; transformed++)
    {
      if (transformed)
        reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL);
      reel_replay_buffer_sample (buffer, 10, &batch, &error);
      g_assert_no_error (error);
      assert_structure (batch, 10);
      for (gint64 i = 0; i < 10; i++)
        {
          g_assert_cmpint (get_element (batch, "a/0", i), ==, transformed ? 0 : 5);
          g_assert_cmpint (get_element (batch, "b/c/1/0", i), ==, transformed ? 0 : 5);
          g_assert_cmpint (get_element (batch, "30", i), ==, transformed ? 0 : 5);
        }
    }
}

/* T3.8-6 */
static void
test_leaf_without_rows_is_refused (gconstpointer storage)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 10, 1);
  g_autoptr (ReelTensordict) tree = new_tree (-1, 5);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_extend (buffer, tree, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_nonnull (strstr (error->message, "invalid index of a 0-dim tensor"));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
}

/* T3.8-7 */
static void
test_rows_are_those_of_the_leaves (gconstpointer storage)
{
  const gint64 three[] = { 3, 10 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 10, 1);
  g_autoptr (ReelTensordict) root = reel_tree_new (REEL_TENSORDICT_MAP);
  g_autoptr (ReelTensordict) a = reel_tree_new (REEL_TENSORDICT_MAP);
  g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensordict) pair = reel_tree_new (REEL_TENSORDICT_TUPLE), uneven = NULL;
  g_autoptr (ReelTensor) b = counted_new_tensor (1, three, 0);
  g_autoptr (GError) error = NULL;
  const gint64 four = 4;

  append_tensor (pair, 2, three, 0);
  append_tensor (list, 1, three, 0);
  reel_tree_append (list, pair, NULL);
  reel_tensordict_set_tensor (a, "b", b, NULL);
  reel_tensordict_set_tensordict (a, "c", list, NULL);
  reel_tensordict_set_tensordict (root, "a", a, NULL);
  extend (buffer, root);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);

  uneven = reel_tree_new (REEL_TENSORDICT_LIST);
  append_tensor (uneven, 1, three, 0);
  append_tensor (uneven, 1, &four, 0);
  g_assert_false (reel_replay_buffer_extend (buffer, uneven, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* T3.8-8 */
static void
test_items_are_stacked (gconstpointer storage)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=10", (const char *) storage);
  g_autoptr (ReelStorage) the_storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "without-replacement", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new (the_storage, sampler, NULL, 0, NULL);
  ReelTensordict *items[10];
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;
  guint seen = 0, seen_below = 0;

  for (gint i = 0; i < 10; i++)
    items[i] = new_tree (-1, i);
  reel_replay_buffer_extend_items (buffer, items, 10, &index, &error);
  g_assert_no_error (error);
  g_assert_cmpint (index->shape[0], ==, 10);
  reel_replay_buffer_sample (buffer, 10, &batch, &error);
  g_assert_no_error (error);
  assert_structure (batch, 10);
  for (gint64 i = 0; i < 10; i++)
    {
      seen |= 1u << get_element (batch, "30", i);
      seen_below |= 1u << get_element (batch, "b/c/0", i);
      g_assert_cmpint (get_element (batch, "30", i), ==, get_element (batch, "a/0", i));
    }
  g_assert_cmpuint (seen, ==, 1023);
  g_assert_cmpuint (seen_below, ==, 1023);
  for (gint i = 0; i < 10; i++)
    reel_tensordict_unref (items[i]);
}

/* T3.8-9 */
static void
test_items_that_do_not_fit (gconstpointer storage)
{
  const gint64 extents[] = { 4, 1 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 10, 1);
  g_autoptr (ReelTensor) four = counted_new_tensor (1, extents, 0),
                         one = counted_new_tensor (1, extents + 1, 0);
  g_autoptr (ReelTensordict) a = reel_tree_new_single (four), b = reel_tree_new_single (one);
  ReelTensordict *items[] = { a, b };
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_extend_items (buffer, items, 2, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (
      g_str_has_prefix (error->message, "Stacking the elements of the list resulted in an error"));
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_extend_items (buffer, items, 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* A list is one row an item, a tuple one leaf an item. */
static void
test_list_is_a_stack (gconstpointer storage)
{
  const gint64 two = 2;
  ReelTensordictKind kinds[] = { REEL_TENSORDICT_LIST, REEL_TENSORDICT_TUPLE };

  for (gint k = 0; k < 2; k++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 10, 1);
      g_autoptr (ReelTensordict) data = reel_tree_new (kinds[k]), all = NULL, one = NULL;
      g_autofree char *printed = NULL;
      g_auto (ReelIndex) last;
      g_autoptr (GError) error = NULL;

      for (gint64 i = 0; i < 4; i++)
        append_tensor (data, 1, &two, 10 * i);
      extend (buffer, data);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, k ? 2 : 4);
      all = reel_replay_buffer_get_all (buffer, NULL);
      g_assert_cmpint (reel_tensordict_get_kind (all), ==,
                       k ? REEL_TENSORDICT_TUPLE : REEL_TENSORDICT_SINGLE);
      if (k)
        continue;
      printed = reel_tensordict_to_string (all);
      g_assert_cmpstr (printed, ==,
                       "Tensor(shape=torch.Size([4, 2]), dtype=torch.int64, device=cpu)");
      for (gint64 i = 0; i < 4; i++)
        g_assert_cmpint (get_element (all, REEL_TREE_SINGLE_KEY, i), ==, 10 * i);

      one = reel_tree_new (REEL_TENSORDICT_LIST);
      append_tensor (one, 1, &two, 70);
      g_assert_true (reel_index_parse (&last, "[-1:]", NULL));
      reel_replay_buffer_set_at (buffer, &last, one, &error);
      g_assert_no_error (error);
      g_assert_cmpint (get_element (all, REEL_TREE_SINGLE_KEY, 3), ==, 70);
    }
}

/* Lists of trees of which each is a step of all lanes. */
static void
test_list_of_trees (gconstpointer storage)
{
  const gint64 shape[] = { 3, 2 };

  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 12, ndim);
      g_autoptr (ReelTensordict) data = reel_tree_new (REEL_TENSORDICT_LIST), all = NULL;
      const ReelTensor *leaf;

      for (gint64 i = 0; i < 4; i++)
        {
          g_autoptr (ReelTensordict) item = reel_tree_new (REEL_TENSORDICT_LIST);
          append_tensor (item, 1, shape, 10 * i);
          append_tensor (item, 2, shape, 10 * i);
          g_assert_true (reel_tree_append (data, item, NULL));
        }
      extend (buffer, data);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, ndim == 1 ? 4 : 12);
      all = reel_replay_buffer_get_all (buffer, NULL);
      g_assert_cmpint (reel_tensordict_get_kind (all), ==, REEL_TENSORDICT_LIST);
      leaf = reel_tensordict_get_tensor (all, "0", NULL);
      g_assert_cmpint (leaf->ndim, ==, 2);
      g_assert_cmpint (leaf->shape[0], ==, ndim == 1 ? 4 : 3);
      for (gint64 i = 0; i < 4; i++)
        g_assert_cmpint (*(const gint64 *) (leaf->data + i * leaf->strides[ndim - 1]), ==, 10 * i);
    }
}

/* Around the ring, in order, by place and changed in place. */
static void
test_ring (gconstpointer storage)
{
  for (gint64 n = 1; n <= 9; n++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 4, 1);
      g_autoptr (ReelTensordict) rows = NULL, all = NULL;
      g_auto (ReelIndex) last;
      gint64 length = MIN (n, 4);

      for (gint64 i = 0; i < n; i++)
        {
          g_autoptr (ReelTensordict) tree = new_tree (1, 10 * i);
          extend (buffer, tree);
        }
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, length);
      rows = reel_replay_buffer_get_rows (buffer, 0, length, NULL);
      all = reel_replay_buffer_get_all (buffer, NULL);
      assert_structure (rows, (gint) length);
      assert_structure (all, (gint) length);
      for (gint64 i = 0; i < length; i++)
        {
          gint64 step = n - length + i;

          g_assert_cmpint (get_element (rows, "b/c/0", i), ==, 10 * step);
          g_assert_cmpint (get_element (all, "b/c/1/0", step % 4), ==, 10 * step);
        }
      g_assert_true (reel_index_parse (&last, "[-1]", NULL));
      g_assert_true (reel_replay_buffer_fill_at (buffer, &last, 7, NULL));
      g_assert_cmpint (get_element (all, "30", length - 1), ==, 7);
    }
}

static void
test_lanes (gconstpointer storage)
{
  const gint64 shape[] = { 2, 3, 5 }; /* [B, T, feature] */
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storage, 20, 2);
  g_autoptr (ReelTensor) values = counted_new_tensor (3, shape, 0);
  g_autoptr (ReelTensordict) tree = reel_tree_new_single (values), all = NULL;
  const ReelTensor *leaf;

  extend (buffer, tree);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 6);
  all = reel_replay_buffer_get_all (buffer, NULL);
  leaf = reel_tensordict_get_tensor (all, REEL_TREE_SINGLE_KEY, NULL);
  g_assert_true (reel_tensor_equal (leaf, values));
}

/* A tree has no place in a tensordict. */
static void
test_refusals (gconstpointer storage)
{
  const gint64 two = 2;
  g_autofree char *text = g_strdup_printf ("%s:capacity=10", (const char *) storage);
  g_autoptr (ReelStorage) the_storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (the_storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &two), list = NULL;
  g_autoptr (ReelTensordict) value = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (GError) error = NULL;

  list = reel_tree_new (REEL_TENSORDICT_LIST);
  append_tensor (list, 1, &two, 0);
  g_assert_true (reel_tensordict_set_batch_size (list, 1, &two, NULL));
  if (reel_tensordict_set_tensordict (td, "a", list, NULL))
    {
      g_assert_false (reel_replay_buffer_extend (buffer, td, NULL, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
      g_clear_error (&error);
    }
  g_assert_false (reel_replay_buffer_extend (buffer, value, NULL, &error));
  g_assert_nonnull (error);
}

/* ---- print ---- */

static void
test_prints (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 10, 1);
  g_autoptr (ReelTensordict) tree = new_tree (3, 0);
  g_autofree char *text = NULL, *data = print_structure (3), *expected = NULL;

  extend (buffer, tree);
  text = reel_storage_to_string (reel_replay_buffer_get_storage (buffer));
  expected = g_strdup_printf ("LazyTensorStorage(\n    data=%s, \n    shape=torch.Size([3]), \n"
                              "    len=3, \n    max_size=10)",
                              data);
  g_assert_cmpstr (text, ==, expected);
}

/* ---- files ---- */

static void
test_scratch_directory (void)
{
  g_autofree char *path = scratch_path ("leaves"), *leaf = scratch_path ("leaves/b/c/1/0.memmap");
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", path, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelStorage) other = reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:capacity=4",
                                                             NULL, "scratch-dir", path, NULL);
  g_autoptr (ReelReplayBuffer) second = reel_replay_buffer_new (other, NULL, NULL, 0, NULL);
  g_autoptr (ReelStorage) used = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4,existsok=true", NULL, "scratch-dir", path, NULL);
  g_autoptr (ReelReplayBuffer) third = reel_replay_buffer_new (used, NULL, NULL, 0, NULL);
  g_autoptr (ReelTensordict) tree = new_tree (4, 50);
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  gsize length;

  extend (buffer, tree);
  g_assert_true (g_file_get_contents (leaf, &bytes, &length, NULL));
  g_assert_cmpuint (length, ==, 32);
  g_assert_cmpint (((gint64 *) bytes)[3], ==, 53);
  g_assert_false (reel_replay_buffer_extend (second, tree, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "existsok"));
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_extend (third, tree, NULL, &error));
  g_assert_no_error (error);
}

/* T6.6-4, for trees: kinds of nodes are those of the storage. */
static void
test_saved_and_loaded (void)
{
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 10, 1);
  g_autoptr (ReelReplayBuffer) fresh = counted_new_buffer ("tensor", 10, 1);
  g_autoptr (ReelReplayBuffer) used = counted_new_buffer ("memmap", 10, 1);
  g_autoptr (ReelTensordict) tree = new_tree (7, 20), before = NULL, after = NULL, guessed = NULL;
  g_autoptr (GError) error = NULL;

  extend (buffer, tree);
  for (gint i = 0; i < 2; i++)
    {
      g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
      g_assert_no_error (error);
    }
  g_assert_true (reel_replay_buffer_add (used, (before = new_tree (-1, 1)), NULL, NULL));
  g_assert_true (reel_replay_buffer_loads (used, path, &error));
  g_assert_no_error (error);
  after = reel_replay_buffer_get_all (used, NULL);
  assert_structure (after, 7);
  g_assert_cmpint (get_element (after, "b/c/1/0", 6), ==, 26);
  g_assert_true (reel_replay_buffer_loads (fresh, path, &error));
  g_assert_no_error (error);
  guessed = reel_replay_buffer_get_all (fresh, NULL);
  g_assert_cmpint (get_element (guessed, "b/c/1/0", 6), ==, 26);
}

/* Which dimensions are the storage's is guessed: those that all leaves share. */
static void
test_as_many_dimensions_of_other_sizes (void)
{
  const gint64 shapes[][2] = { { 5, 2 }, { 5, 3 }, { 5, 2 } };
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelReplayBuffer) fresh = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelTensordict) tree = reel_tree_new (REEL_TENSORDICT_TUPLE), loaded = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    append_tensor (tree, 2, shapes[i], (gint64) i);
  extend (buffer, tree);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_loads (fresh, path, &error));
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (fresh), ==, 5);
  loaded = reel_replay_buffer_get_all (fresh, NULL);
  g_assert_cmpint (get_element (loaded, "1", 4), ==, 13);
  g_assert_cmpint (get_element (loaded, "2", 4), ==, 10);
}

/* A live run of trees; what was closed opens again. */
static void
test_live (void)
{
  g_autofree char *path = scratch_path ("live");
  g_autoptr (ReelTensordict) step = new_tree (-1, 0), tree = new_tree (6, 30), rows = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_create_live (path, 4, step, REEL_CHECKPOINT_DEFAULT, &error);
  g_autoptr (ReelReplayBuffer) again = NULL;

  g_assert_no_error (error);
  extend (buffer, tree);
  g_assert_true (reel_replay_buffer_close (buffer, &error));
  again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  rows = reel_replay_buffer_get_rows (again, 0, 4, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 4; i++)
    g_assert_cmpint (get_element (rows, "b/c/1/0", i), ==, 32 + i);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    GTestDataFunc test;
  } tests[] = {
    { "one-is-added-and-transformed", test_one_is_added_and_transformed },
    { "leaf-without-rows-is-refused", test_leaf_without_rows_is_refused },
    { "rows-are-those-of-the-leaves", test_rows_are_those_of_the_leaves },
    { "items-are-stacked", test_items_are_stacked },
    { "items-that-do-not-fit", test_items_that_do_not_fit },
    { "list-is-a-stack", test_list_is_a_stack },
    { "list-of-trees", test_list_of_trees },
    { "ring", test_ring },
    { "lanes", test_lanes },
    { "refusals", test_refusals },
  };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    for (gint memmap = 0; memmap <= 1; memmap++)
      {
        const char *id = memmap ? "memmap" : "tensor";
        g_autofree char *path = g_strdup_printf ("/buffers/tree-storage/%s/%s", tests[i].path, id);

        g_test_add_data_func (path, id, tests[i].test);
      }
  g_test_add_func ("/buffers/tree-storage/prints", test_prints);
  scratch_test ("/buffers/tree-storage/scratch-directory", test_scratch_directory);
  scratch_test ("/buffers/tree-storage/saved-and-loaded", test_saved_and_loaded);
  scratch_test ("/buffers/tree-storage/as-many-dimensions-of-other-sizes",
                test_as_many_dimensions_of_other_sizes);
  scratch_test ("/buffers/tree-storage/live", test_live);
  return g_test_run ();
}
