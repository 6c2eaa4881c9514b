/* Functions by key, applied to lazy stacks. Expectations without a comment are what
 * tensordict 0.14.3 answers of the same stack. */
#include "small-tensordicts.h"

static const gint64 shape[] = { 3, 4, 5 };

/* Two elements of batch size [3], stacked in front; a and n/b in both, n/b of different shapes,
 * n/only in the first, x in the second. */
static ReelTensordict *
new_stack (void)
{
  g_autoptr (ReelTensordict) first = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) second = reel_tensordict_new (1, shape);
  ReelTensordict *pair[] = { first, second };

  set_counting (first, "a", 1, shape);
  set_counting (first, "n/b", 2, shape);
  set_counting (first, "n/only", 1, shape);
  set_counting (second, "a", 1, shape);
  set_counting (second, "n/b", 3, shape);
  set_counting (second, "x", 1, shape);
  return reel_lazy_stack_new (pair, 2, 0, NULL);
}

static ReelTensordict *
element (const ReelTensordict *stack, guint i)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (stack, &n);

  g_assert_cmpuint (i, <, n);
  return elements[i];
}

/* The leaves of both elements; drops @stack. */
static void
assert_elements (ReelTensordict *stack, const char *first, const char *second)
{
  assert_leaves (element (stack, 0), first);
  assert_leaves (element (stack, 1), second);
  reel_tensordict_unref (stack);
}

static gint64
value_of (const ReelTensordict *td, const char *path)
{
  return *(gint64 *) reel_tensordict_get_tensor (td, path, NULL)->data;
}

/* A tensordict of batch size [2, 3] with @path, whose elements count up. */
static ReelTensordict *
new_dense (const char *path)
{
  const gint64 both[] = { 2, 3 };
  ReelTensordict *td = reel_tensordict_new (2, both);

  set_counting (td, path, 2, both);
  return td;
}

static void
test_listing (void)
{
  static const struct
  {
    ReelKeysFlags flags;
    const char *keys;
  } calls[] = {
    { REEL_KEYS_DEFAULT, "a n" },
    { REEL_KEYS_LEAVES, "a" },
    { REEL_KEYS_NESTED, "a n/b n" },
    { REEL_KEYS_NESTED | REEL_KEYS_LEAVES, "a n/b" },
  };
  g_autoptr (ReelTensordict) stack = new_stack ();

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_auto (GStrv) keys = reel_tensordict_list_keys (stack, calls[i].flags);
      g_autofree char *list = g_strjoinv (" ", keys);
      g_assert_cmpstr (list, ==, calls[i].keys);
    }
  assert_elements (reel_tensordict_empty (stack, FALSE), "", "");
}

static void
test_select_and_exclude (void)
{
  static const char *const a[] = { "a", NULL }, *const b[] = { "n/b", NULL },
                           *const x[] = { "x", NULL };
  g_autoptr (ReelTensordict) stack = new_stack ();
  GError *error = NULL;

  assert_elements (reel_tensordict_select_keys (stack, a, TRUE, NULL), "a", "a");
  assert_elements (reel_tensordict_select_keys (stack, b, TRUE, NULL), "n/b", "n/b");
  assert_elements (reel_tensordict_select_keys (stack, x, FALSE, NULL), "", "x");
  g_assert_null (reel_tensordict_select_keys (stack, x, TRUE, &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"x\" not found in LazyStackedTensorDict with keys ['a', 'n']");
  assert_elements (reel_tensordict_exclude_keys (stack, a), "n/b n/only", "n/b x");
  assert_elements (reel_tensordict_exclude_keys (stack, x), "a n/b n/only", "a n/b");
}

static void
test_pop (void)
{
  g_autoptr (ReelTensordict) stack = new_stack ();
  GError *error = NULL;
  g_autoptr (ReelTensor) a = reel_tensordict_pop_tensor (stack, "a", NULL);

  g_assert_cmpint (a->ndim, ==, 2);
  g_assert_null (reel_tensordict_pop_tensor (stack, "x", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  assert_elements (g_steal_pointer (&stack), "n/b n/only", "n/b x");
}

static void
test_rename (void)
{
  g_autoptr (ReelTensordict) stack = new_stack ();
  GError *error = NULL;

  g_assert_true (reel_tensordict_rename_key (stack, "a", "c", TRUE, NULL));
  g_assert_true (reel_tensordict_rename_key (stack, "n/b", "b", TRUE, NULL));
  g_assert_false (reel_tensordict_rename_key (stack, "x", "c", FALSE, &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"x\" not found in LazyStackedTensorDict with keys ['b', 'c', 'n']");
  /* Safe for the first element, not for the second: nothing is done. */
  g_assert_false (reel_tensordict_rename_key (stack, "c", "x", TRUE, &error));
  assert_message (&error, REEL_ERROR_KEY, "key x already present in TensorDict.");
  reel_tensordict_lock (stack);
  g_assert_false (reel_tensordict_rename_key (stack, "c", "d", TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  assert_elements (g_steal_pointer (&stack), "n/only c b", "x c b");
}

static void
test_rename_in_a_nested_stack (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) stack = new_stack ();

  reel_tensordict_set_tensordict (td, "s", stack, NULL);
  g_assert_true (reel_tensordict_rename_key (td, "s/a", "s/c", TRUE, NULL));
  g_assert_true (reel_tensordict_rename_key (td, "s/c", "out", TRUE, NULL));
  g_assert_cmpint (reel_tensordict_get_tensor (td, "out", NULL)->ndim, ==, 2);
  assert_elements (g_steal_pointer (&stack), "n/b n/only", "n/b x");
}

static void
test_rename_of_one_that_stands_twice (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  ReelTensordict *pair[] = { td, td };

  set_counting (td, "a", 1, shape);
  g_autoptr (ReelTensordict) stack = reel_lazy_stack_new (pair, 2, 0, NULL);
  g_assert_true (reel_tensordict_rename_key (stack, "a", "c", TRUE, NULL));
  assert_elements (g_steal_pointer (&stack), "c", "c");
}

static void
test_flatten (void)
{
  static const char *const exclusive[] = { "x", "n/only", NULL }, *const n[] = { "n", "x", NULL };
  g_autoptr (ReelTensordict) stack = new_stack ();
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  GError *error = NULL;

  g_assert_null (reel_tensordict_flatten_keys (stack, ".", &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "the method flatten_keys cannot complete when there are exclusive keys.");
  g_autoptr (ReelTensordict) common = reel_tensordict_exclude_keys (stack, exclusive);
  g_autoptr (ReelTensordict) flat = reel_tensordict_flatten_keys (common, ".", NULL);
  assert_elements (reel_tensordict_unflatten_keys (flat, ".", NULL), "a n/b", "a n/b");
  assert_elements (g_steal_pointer (&flat), "a n.b", "a n.b");
  /* Values in a nested one are stacked. */
  g_autoptr (ReelTensordict) dense = reel_tensordict_exclude_keys (stack, n);
  reel_tensordict_set_tensordict (td, "s", dense, NULL);
  g_autoptr (ReelTensordict) all = reel_tensordict_flatten_keys (td, ".", NULL);
  g_assert_cmpint (reel_tensordict_get_tensor (all, "s.a", NULL)->ndim, ==, 2);
}

static void
test_update (void)
{
  g_autoptr (ReelTensordict) stack = new_stack ();
  g_autoptr (ReelTensordict) other = new_dense ("a");
  g_autoptr (ReelTensordict) more = new_stack ();
  GError *error = NULL;

  set_counting (other, "q", 2, (gint64[]){ 2, 3 });
  g_assert_true (reel_tensordict_update (stack, other, NULL, FALSE, NULL));
  g_assert_cmpint (value_of (element (stack, 1), "a"), ==, 3);
  g_assert_true (reel_tensordict_update (stack, more, NULL, FALSE, NULL));
  g_assert_cmpint (value_of (element (stack, 1), "a"), ==, 0);
  g_autoptr (ReelTensordict) row = reel_tensordict_slice (other, 0, 0, 1, 1, NULL);
  g_assert_false (reel_tensordict_update (stack, row, NULL, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  assert_elements (g_steal_pointer (&stack), "a n/b n/only q", "a n/b x q");
}

/* A level that is a stack in the other only is stacked. */
static void
test_update_from_a_stack (void)
{
  static const char *const keys[] = { "a", NULL };
  const gint64 both[] = { 2, 3 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, both);
  g_autoptr (ReelTensordict) stack = new_stack ();
  GError *error = NULL;

  g_assert_true (reel_tensordict_update (td, stack, keys, FALSE, NULL));
  assert_leaves (td, "a");
  g_assert_true (reel_tensordict_update_in_place (td, stack, keys, NULL));
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (td, "a", NULL)->data)[4], ==, 1);
  g_assert_false (reel_tensordict_update_in_place (td, stack, NULL, &error));
  assert_message (&error, REEL_ERROR_KEY, "The key n was not found in the dest tensordict.");
}

static void
test_in_place (void)
{
  g_autoptr (ReelTensordict) stack = new_stack ();
  g_autoptr (ReelTensordict) other = new_dense ("a");
  g_autoptr (ReelTensordict) exclusive = new_dense ("x");
  ReelTensor *counting = reel_tensordict_get_tensor (other, "a", NULL);
  ReelTensor *held = reel_tensordict_get_tensor (element (stack, 1), "a", NULL);
  GError *error = NULL;

  reel_tensordict_lock (stack);
  g_assert_true (reel_tensordict_update_in_place (stack, other, NULL, NULL));
  g_assert_cmpint (*(gint64 *) held->data, ==, 3);
  *(gint64 *) held->data = 70;
  g_assert_true (reel_tensordict_set_in_place (stack, "a", counting, NULL));
  g_assert_cmpint (*(gint64 *) held->data, ==, 3);
  g_assert_false (reel_tensordict_update_in_place (stack, exclusive, NULL, &error));
  assert_message (&error, REEL_ERROR_KEY, "The key x was not found in the dest tensordict.");
  g_assert_false (reel_tensordict_set_in_place (stack, "x", counting, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
}

static void
test_comparisons (void)
{
  g_autoptr (ReelTensordict) stack = new_stack ();
  g_autoptr (ReelTensordict) same = new_stack ();
  g_autoptr (ReelTensordict) eq = reel_tensordict_eq (stack, same, NULL);
  GError *error = NULL;

  g_assert_cmpint (reel_lazy_stack_get_dim (eq), ==, 0);
  g_assert_true (reel_tensordict_all (eq));
  g_assert_false (reel_tensordict_all (stack));
  g_assert_true (reel_tensordict_any (stack));
  g_assert_true (reel_tensordict_all_close (stack, same, -1, -1, TRUE, NULL));
  *(gint64 *) reel_tensordict_get_tensor (element (same, 1), "x", NULL)->data = 9;
  g_autoptr (ReelTensordict) ne = reel_tensordict_ne (stack, same, NULL);
  g_assert_true (reel_tensordict_any (ne));
  g_assert_false (reel_tensordict_all_close (stack, same, -1, -1, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_clear_error (&error);
  reel_tensordict_remove (element (same, 1), "x", NULL);
  g_assert_null (reel_tensordict_eq (stack, same, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
}

/* A stack against the same, made dense. */
static void
test_stack_against_dense (void)
{
  static const char *const a[] = { "a", NULL };
  g_autoptr (ReelTensordict) stack = new_stack ();
  g_autoptr (ReelTensordict) lazy = reel_tensordict_select_keys (stack, a, TRUE, NULL);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
  g_autoptr (ReelTensordict) left = reel_tensordict_eq (lazy, dense, NULL);
  g_autoptr (ReelTensordict) right = reel_tensordict_eq (dense, lazy, NULL);

  g_assert_true (reel_tensordict_all (left));
  g_assert_true (reel_tensordict_all (right));
  g_assert_true (reel_tensordict_all_close (dense, lazy, -1, -1, TRUE, NULL));
}

static gboolean
add (const char *path, ReelTensor *const *tensors, gsize n, ReelTensor **result, gpointer user_data,
     GError **error)
{
  *result = reel_tensor_clone (tensors[0], error);
  *(gint64 *) (*result)->data += *(gint64 *) tensors[1]->data + 10;
  return TRUE;
}

static void
test_apply (void)
{
  g_autoptr (ReelTensordict) stack = new_stack ();
  ReelTensordict *tds[] = { stack, stack };
  GError *error = NULL;
  g_autoptr (ReelTensordict) sum = reel_tensordict_apply (tds, 2, -1, NULL, FALSE, add, NULL, NULL);

  g_assert_cmpint (value_of (element (sum, 1), "x"), ==, 10);
  assert_elements (g_steal_pointer (&sum), "a n/b n/only", "a n/b x");
  g_assert_null (reel_tensordict_apply (tds, 2, 0, NULL, FALSE, add, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/lazy-stack-keys/listing", test_listing);
  g_test_add_func ("/core/lazy-stack-keys/select-and-exclude", test_select_and_exclude);
  g_test_add_func ("/core/lazy-stack-keys/pop", test_pop);
  g_test_add_func ("/core/lazy-stack-keys/rename", test_rename);
  g_test_add_func ("/core/lazy-stack-keys/rename-in-a-nested-stack", test_rename_in_a_nested_stack);
  g_test_add_func ("/core/lazy-stack-keys/rename-of-one-that-stands-twice",
                   test_rename_of_one_that_stands_twice);
  g_test_add_func ("/core/lazy-stack-keys/flatten", test_flatten);
  g_test_add_func ("/core/lazy-stack-keys/update", test_update);
  g_test_add_func ("/core/lazy-stack-keys/update-from-a-stack", test_update_from_a_stack);
  g_test_add_func ("/core/lazy-stack-keys/in-place", test_in_place);
  g_test_add_func ("/core/lazy-stack-keys/comparisons", test_comparisons);
  g_test_add_func ("/core/lazy-stack-keys/stack-against-dense", test_stack_against_dense);
  g_test_add_func ("/core/lazy-stack-keys/apply", test_apply);

  return g_test_run ();
}
