/* Trees of tensors that are no tensordict: TorchRL's pytrees. */
#include "../src/reel.h"

#include <string.h>

static ReelTensor *
new_tensor (ReelDtype dtype, gint ndim, gint64 first, gint64 second)
{
  const gint64 shape[] = { first, second };
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; dtype == REEL_DTYPE_INT64 && i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = i;
  return tensor;
}

/* {"a": (float32 [3], int64 [3, 2]), "b": [bool [3, 1]], "c": {"d": uint8 [3]}, 7: int64 [3]}, as
 * the storage of the golden rb-pytree, and a key that is a number. */
static ReelTensordict *
new_example (void)
{
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE);
  g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
  ReelTensordict *tree = reel_tree_new (REEL_TENSORDICT_MAP);
  g_autoptr (ReelTensor) a0 = new_tensor (REEL_DTYPE_FLOAT32, 1, 3, 0);
  g_autoptr (ReelTensor) a1 = new_tensor (REEL_DTYPE_INT64, 2, 3, 2);
  g_autoptr (ReelTensor) b0 = new_tensor (REEL_DTYPE_BOOL, 2, 3, 1);
  g_autoptr (ReelTensor) d = new_tensor (REEL_DTYPE_UINT8, 1, 3, 0);
  g_autoptr (ReelTensor) seven = new_tensor (REEL_DTYPE_INT64, 1, 3, 0);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tree_append_tensor (tuple, a0, &error));
  g_assert_true (reel_tree_append_tensor (tuple, a1, &error));
  g_assert_true (reel_tree_append_tensor (list, b0, &error));
  g_assert_true (reel_tensordict_set_tensordict (tree, "a", tuple, &error));
  g_assert_true (reel_tensordict_set_tensordict (tree, "b", list, &error));
  g_assert_true (reel_tensordict_set_tensor (tree, "c/d", d, &error));
  g_assert_true (reel_tree_set_tensor (tree, 7, seven, &error));
  g_assert_no_error (error);
  return tree;
}

static void
assert_error (GError **error, ReelError code)
{
  g_assert_error (*error, REEL_ERROR, (int) code);
  g_clear_error (error);
}

static void
assert_text (const ReelTensordict *td, const char *expected)
{
  g_autofree char *text = reel_tensordict_to_string (td);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_paths (void)
{
  g_autoptr (ReelTensordict) tree = new_example ();
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (tree);
  g_autofree char *list = g_strjoinv (" ", leaves);
  g_autoptr (ReelTensor) other = new_tensor (REEL_DTYPE_INT8, 1, 5, 0);

  g_assert_cmpstr (list, ==, "a/0 a/1 b/0 c/d 7");
  g_assert_cmpint (reel_tensordict_get_tensor (tree, "a/1", NULL)->ndim, ==, 2);
  g_assert_cmpint (reel_tensordict_get_kind (tree), ==, REEL_TENSORDICT_MAP);
  g_assert_cmpint (reel_tensordict_get_kind (reel_tensordict_get_tensordict (tree, "a", NULL)), ==,
                   REEL_TENSORDICT_TUPLE);
  g_assert_cmpint (reel_tensordict_get_kind (reel_tensordict_get_tensordict (tree, "c", NULL)), ==,
                   REEL_TENSORDICT_MAP);
  /* An item that is there is replaced. */
  g_assert_true (reel_tensordict_set_tensor (tree, "a/1", other, NULL));
  g_assert_true (reel_tensordict_get_tensor (tree, "a/1", NULL) == other);
}

static void
test_what_cannot_be_set (void)
{
  g_autoptr (ReelTensordict) tree = new_example ();
  g_autoptr (ReelTensor) tensor = new_tensor (REEL_DTYPE_INT8, 0, 0, 0);
  g_autoptr (ReelTensordict) single = reel_tree_new_single (tensor);
  g_autoptr (ReelTensordict) before = reel_tensordict_clone (tree, FALSE, NULL);
  ReelTensordict *tuple = reel_tensordict_get_tensordict (tree, "a", NULL);
  GError *error = NULL;

  g_assert_false (reel_tensordict_set_tensor (tree, "a/2", tensor, &error));
  assert_error (&error, REEL_ERROR_KEY);
  g_assert_false (reel_tensordict_remove (tree, "a/0", &error));
  assert_error (&error, REEL_ERROR_RUNTIME);
  g_assert_false (reel_tensordict_set_tensor (single, "x", tensor, &error));
  assert_error (&error, REEL_ERROR_KEY);
  g_assert_false (reel_tree_append_tensor (tree, tensor, &error));
  assert_error (&error, REEL_ERROR_TYPE);
  g_assert_false (reel_tree_append (single, tree, &error));
  assert_error (&error, REEL_ERROR_TYPE);
  g_assert_false (reel_tree_set (tuple, 0, tree, &error));
  assert_error (&error, REEL_ERROR_TYPE);
  g_assert_false (reel_tree_append (tuple, tree, &error)); /* it would hold itself */
  assert_error (&error, REEL_ERROR_RUNTIME);
  g_assert_false (reel_tensordict_set_tensor (tree, REEL_TREE_SINGLE_KEY, tensor, &error));
  assert_error (&error, REEL_ERROR_KEY);
  g_assert_true (reel_tensordict_set_tensor (before, "12", tensor, &error));
  g_assert_false (reel_tree_set_tensor (before, 12, tensor, &error));
  assert_error (&error, REEL_ERROR_KEY);
  g_assert_true (reel_tensordict_remove (before, "12", &error));
  g_assert_true (reel_tensordict_equal (tree, before));
  reel_tensordict_lock (tree);
  g_assert_false (reel_tree_set_tensor (tree, 1, tensor, &error));
  assert_error (&error, REEL_ERROR_RUNTIME);
  g_assert_false (reel_lazy_stack_new (&tree, 1, 0, &error));
  assert_error (&error, REEL_ERROR_TYPE);
}

/* Leaves share a leading dimension only where that is asked for. */
static void
test_rows (void)
{
  g_autoptr (ReelTensordict) tree = new_example ();
  g_autoptr (ReelTensor) longer = new_tensor (REEL_DTYPE_INT8, 1, 5, 0);
  const gint64 three[] = { 3 }, rows[] = { 2, 0 };
  GError *error = NULL;

  g_assert_true (reel_tensordict_set_tensor (tree, "c/longer", longer, NULL));
  g_assert_false (reel_tensordict_set_batch_size (tree, 1, three, &error));
  g_assert_nonnull (strstr (error->message, "longer"));
  assert_error (&error, REEL_ERROR_RUNTIME);
  g_assert_true (reel_tensordict_remove (tree, "c/longer", NULL));
  g_assert_true (reel_tensordict_set_batch_size (tree, 1, three, &error));
  g_assert_no_error (error);

  g_autoptr (ReelTensordict) some = reel_tensordict_gather_rows (tree, rows, 2, &error);
  g_assert_no_error (error);
  const gint64 *a1 = (const gint64 *) reel_tensordict_get_tensor (some, "a/1", NULL)->data;
  g_assert_cmpmem (a1, 4 * sizeof *a1, ((const gint64[]){ 4, 5, 0, 1 }), 4 * sizeof *a1);
  g_assert_cmpint (reel_tensordict_get_kind (reel_tensordict_get_tensordict (some, "b", NULL)), ==,
                   REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensordict) one = reel_tensordict_select_index (tree, 0, 1, &error);
  g_assert_cmpint (reel_tensordict_get_tensor (one, "7", NULL)->ndim, ==, 0);
  ReelTensordict *pair[] = { tree, tree };
  g_autoptr (ReelTensordict) stack = reel_tensordict_stack (pair, 2, 0, &error);
  g_assert_cmpint (reel_tensordict_get_tensor (stack, "b/0", NULL)->ndim, ==, 3);
  assert_text (one, "{'a': ('Tensor(shape=torch.Size([]), dtype=torch.float32, device=cpu)', "
                    "'Tensor(shape=torch.Size([2]), dtype=torch.int64, device=cpu)'), 'b': "
                    "['Tensor(shape=torch.Size([1]), dtype=torch.bool, device=cpu)'], 'c': {'d': "
                    "'Tensor(shape=torch.Size([]), dtype=torch.uint8, device=cpu)'}, 7: "
                    "'Tensor(shape=torch.Size([]), dtype=torch.int64, device=cpu)'}");
}

static void
test_kinds_differ (void)
{
  g_autoptr (ReelTensor) tensor = new_tensor (REEL_DTYPE_INT8, 0, 0, 0);
  ReelTensordict *kinds[] = { reel_tree_new (REEL_TENSORDICT_LIST),
                              reel_tree_new (REEL_TENSORDICT_TUPLE),
                              reel_tree_new (REEL_TENSORDICT_MAP),
                              reel_tree_new (REEL_TENSORDICT_MAP), reel_tensordict_new (0, NULL) };
  GError *error = NULL;

  reel_tree_append_tensor (kinds[0], tensor, NULL);
  reel_tree_append_tensor (kinds[1], tensor, NULL);
  reel_tree_set_tensor (kinds[2], 0, tensor, NULL);
  reel_tensordict_set_tensor (kinds[3], "0", tensor, NULL);
  reel_tensordict_set_tensor (kinds[4], "0", tensor, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (guint j = 0; j < G_N_ELEMENTS (kinds); j++)
      {
        ReelTensordict *pair[] = { kinds[i], kinds[j] };
        g_autoptr (ReelTensordict) stack = reel_tensordict_stack (pair, 2, 0, &error);
        g_assert_cmpint (reel_tensordict_equal (kinds[i], kinds[j]), ==, i == j);
        g_assert_cmpint (stack != NULL, ==, i == j);
        g_clear_error (&error);
      }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (ReelTensordict) copy = reel_tensordict_clone (kinds[i], TRUE, NULL);
      g_assert_true (reel_tensordict_equal (copy, kinds[i]));
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    reel_tensordict_unref (kinds[i]);
}

static void
test_text (void)
{
  g_autoptr (ReelTensor) tensor = new_tensor (REEL_DTYPE_FLOAT32, 2, 3, 2);
  g_autoptr (ReelTensordict) single = reel_tree_new_single (tensor);
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE);
  g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensordict) map = reel_tree_new (REEL_TENSORDICT_MAP);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (single);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (leaves[0], ==, "_-single-tensor-_");
  g_assert_null (leaves[1]);
  assert_text (single, "Tensor(shape=torch.Size([3, 2]), dtype=torch.float32, device=cpu)");
  assert_text (tuple, "()");
  assert_text (list, "[]");
  assert_text (map, "{}");
  g_assert_true (reel_tree_append (tuple, list, NULL));
  assert_text (tuple, "([],)");
  g_assert_false (reel_tensordict_save (map, "/nowhere/at-all", REEL_SAVE_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_true (reel_tree_set (map, -1, tuple, NULL));
  g_assert_true (reel_tensordict_set_tensordict (map, "it's", td, NULL));
  assert_text (map, "{-1: ([],), \"it's\": TensorDict(\n    fields={\n    },\n    "
                    "batch_size=torch.Size([]),\n    device=None,\n    is_shared=False)}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tree/paths", test_paths);
  g_test_add_func ("/core/tree/what-cannot-be-set", test_what_cannot_be_set);
  g_test_add_func ("/core/tree/rows", test_rows);
  g_test_add_func ("/core/tree/kinds-differ", test_kinds_differ);
  g_test_add_func ("/core/tree/text", test_text);

  return g_test_run ();
}
