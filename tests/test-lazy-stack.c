/* Lazy stacks: what is shared, and what is stacked on demand. */
#include "four-elements.h"

/* ---- making ---- */

static void
test_batch_size (void)
{
  g_autoptr (ReelTensordict) a = new_element (1);
  g_autoptr (ReelTensordict) b = new_element (2);
  ReelTensordict *pair[] = { a, b };

  for (gint dim = -3; dim < 3; dim++)
    {
      static const char *const sizes[] = { "2 2 3", "2 2 3", "2 3 2" };
      static const char *const names[] = { "- p q", "p - q", "p q -" };
      g_autoptr (ReelTensordict) stack = reel_lazy_stack_new (pair, 2, dim, NULL);
      gint at = dim < 0 ? dim + 3 : dim;

      g_assert_cmpint (reel_lazy_stack_get_dim (stack), ==, at);
      assert_size (stack, sizes[at]);
      assert_names (stack, names[at]);
      g_assert_cmpint (reel_tensordict_numel (stack), ==, 12);
    }
  g_assert_cmpint (reel_lazy_stack_get_dim (a), ==, -1);
}

static void
test_what_cannot_be_stacked (void)
{
  const gint64 shape[] = { 2, 3 };
  g_autoptr (ReelTensordict) two = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) one = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) on_cpu = reel_tensordict_new (2, shape);
  ReelTensordict *ndims[] = { two, one }, *devices[] = { on_cpu, two };
  GError *error = NULL;

  reel_tensordict_set_device (on_cpu, "cpu", NULL);
  g_assert_null (reel_lazy_stack_new (NULL, 0, 0, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "items cannot be empty");
  g_assert_null (reel_lazy_stack_new (ndims, 2, 0, &error));
  assert_error_begins (
      &error, REEL_ERROR_RUNTIME,
      "batch sizes in tensordicts differs, LazyStackedTensorDict cannot be created. Got "
      "td[0].batch_size=torch.Size([2, 3]) and td[i].batch_size=torch.Size([2])");
  g_assert_null (reel_lazy_stack_new (devices, 2, 0, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "devices differ, got cpu and None");
  g_assert_null (reel_lazy_stack_new (devices, 1, 3, &error));
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_lazy_stack_new (devices, 1, -4, &error));
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
}

/* ---- keys ---- */

static void
test_keys_are_those_of_all (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (fixture->stack);
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (fixture->stack);
  g_autofree char *list = g_strjoinv (" ", leaves);
  g_autoptr (GString) keys = g_string_new (NULL);
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  g_assert_cmpstr (list, ==, "a ragged sub/b");
  g_assert_cmpstr (others[0], ==, "word");
  g_assert_null (others[1]);
  reel_tensordict_iter_init (&iter, fixture->stack);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      g_string_append_printf (keys, " %s", key);
      g_assert_null (tensor);
      g_assert_null (child);
      g_assert_null (reel_tensordict_iter_get_non_tensor (&iter));
    }
  g_assert_cmpstr (keys->str, ==, " a ragged sub word");
  g_assert_true (reel_tensordict_contains (fixture->stack, "sub/b"));
  g_assert_true (reel_tensordict_contains (fixture->stack, "sub"));
  g_assert_false (reel_tensordict_contains (fixture->stack, "odd"));
  g_assert_false (reel_tensordict_contains (fixture->stack, "sub/c"));
  g_assert_false (reel_tensordict_contains (fixture->stack, "a/c"));
}

static void
test_elements_are_the_stacked (Fixture *fixture, gconstpointer data)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (fixture->stack, &n);

  g_assert_cmpuint (n, ==, N);
  for (gint i = 0; i < N; i++)
    {
      g_autoptr (ReelTensordict) element =
          reel_tensordict_select_index (fixture->stack, GPOINTER_TO_INT (data), i - N, NULL);
      g_assert_true (element == fixture->elements[i]);
      g_assert_true (element == elements[i]);
      g_assert_cmpint (reel_tensordict_contains (element, "odd"), ==, i % 2 == 0);
    }
  g_assert_null (reel_lazy_stack_get_elements (fixture->elements[0], &n));
  g_assert_cmpuint (n, ==, 0);
}

/* ---- what is got ---- */

/* Against a stack that was never lazy. */
static void
test_stacks_on_demand (Fixture *fixture, gconstpointer data)
{
  gint dim = GPOINTER_TO_INT (data);
  ReelTensordict *plain[N];

  for (gint i = 0; i < N; i++)
    {
      plain[i] = reel_tensordict_clone (fixture->elements[i], FALSE, NULL);
      reel_tensordict_remove (plain[i], "ragged", NULL);
      reel_tensordict_remove (plain[i], "odd", NULL);
    }
  g_autoptr (ReelTensordict) dense = reel_tensordict_stack (plain, N, dim, NULL);
  g_autoptr (ReelTensor) a = reel_tensordict_ref_tensor (fixture->stack, "a", NULL);
  g_autoptr (ReelTensor) b = reel_tensordict_ref_tensor (fixture->stack, "sub/b", NULL);
  g_autoptr (ReelTensordict) sub = reel_tensordict_ref_tensordict (fixture->stack, "sub", NULL);
  g_autoptr (ReelTensor) same = reel_tensordict_ref_tensor (sub, "b", NULL);
  g_autoptr (ReelNonTensor) word = reel_tensordict_ref_non_tensor (fixture->stack, "word", NULL);

  g_assert_true (reel_tensor_equal (a, reel_tensordict_get_tensor (dense, "a", NULL)));
  g_assert_true (reel_tensor_equal (b, reel_tensordict_get_tensor (dense, "sub/b", NULL)));
  g_assert_true (reel_tensor_equal (b, same));
  g_assert_cmpint (reel_lazy_stack_get_dim (sub), ==, dim);
  g_assert_true (
      reel_non_tensor_equal (word, reel_tensordict_get_non_tensor (dense, "word", NULL)));
  g_assert_false (reel_non_tensor_is_single (word));
  for (gint i = 0; i < N; i++)
    reel_tensordict_unref (plain[i]);
}

static void
test_what_cannot_be_got (Fixture *fixture, gconstpointer data)
{
  GError *error = NULL;

  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "ragged", &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "Failed to stack tensors within a tensordict");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "odd", &error));
  assert_error_begins (
      &error, REEL_ERROR_KEY,
      "key \"odd\" not found in LazyStackedTensorDict with keys ['a', 'ragged', 'sub', "
      "'word']");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "sub/c", &error));
  assert_error_begins (&error, REEL_ERROR_KEY,
                       "key \"c\" not found in LazyStackedTensorDict with keys ['b']");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "sub", &error));
  assert_error_begins (&error, REEL_ERROR_TYPE, "\"sub\" is a tensordict, not a tensor");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "a/b", &error));
  assert_error_begins (&error, REEL_ERROR_KEY, "");
  g_assert_null (reel_tensordict_get_tensor (fixture->stack, "a", &error));
  assert_error_begins (&error, REEL_ERROR_TYPE, "\"a\" is in a lazy stack");
  g_assert_null (reel_tensordict_get_tensordict (fixture->stack, "nope", &error));
  assert_error_begins (&error, REEL_ERROR_KEY, "");
}

/* The tensors themselves, where nothing is to be stacked. */
static void
test_references_of_a_dict (Fixture *fixture, gconstpointer data)
{
  ReelTensordict *td = fixture->elements[0];
  g_autoptr (ReelTensor) b = reel_tensordict_ref_tensor (td, "sub/b", NULL);
  g_autoptr (ReelTensordict) sub = reel_tensordict_ref_tensordict (td, "sub", NULL);

  g_assert_true (b == reel_tensordict_get_tensor (td, "sub/b", NULL));
  g_assert_true (sub == reel_tensordict_get_tensordict (td, "sub", NULL));
}

/* ---- what is set ---- */

static void
test_set_cuts_along_the_stack (Fixture *fixture, gconstpointer data)
{
  gint dim = GPOINTER_TO_INT (data), ndim;
  const gint64 *size = reel_tensordict_get_batch_size (fixture->stack, &ndim);
  gint64 shape[4] = { size[0], size[1], size[2], 2 };
  g_autoptr (ReelTensor) value = new_filled (4, shape, 7);
  g_autoptr (ReelTensordict) nested = reel_tensordict_new (3, shape);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (nested, "c", value, &error);
  g_assert_true (reel_tensordict_set_tensor (fixture->stack, "new/deep", value, &error));
  g_assert_true (reel_tensordict_set_tensor (fixture->stack, "a", value, &error));
  g_assert_true (reel_tensordict_set_tensordict (fixture->stack, "nested", nested, &error));
  g_assert_true (
      reel_tensordict_set_value (fixture->stack, "word", g_variant_new_int64 (5), &error));
  g_assert_no_error (error);
  for (gint i = 0; i < N; i++)
    {
      g_autoptr (ReelTensor) part = reel_tensor_select (value, dim, i, NULL);
      ReelTensordict *element = fixture->elements[i];
      g_assert_true (reel_tensor_equal (part, reel_tensordict_get_tensor (element, "a", NULL)));
      g_assert_true (
          reel_tensor_equal (part, reel_tensordict_get_tensor (element, "new/deep", NULL)));
      g_assert_true (
          reel_tensor_equal (part, reel_tensordict_get_tensor (element, "nested/c", NULL)));
      g_autoptr (GVariant) word = reel_tensordict_dup_value (element, "word", NULL);
      g_assert_cmpint (g_variant_get_int64 (word), ==, 5);
    }
  g_autoptr (ReelTensor) back = reel_tensordict_ref_tensor (fixture->stack, "nested/c", NULL);
  g_assert_true (reel_tensor_equal (back, value));
}

static void
test_failed_set_changes_nothing (Fixture *fixture, gconstpointer data)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (fixture->stack, &ndim);
  g_autoptr (ReelTensor) fits = new_filled (3, size, 0);
  g_autoptr (ReelTensor) wrong = new_filled (2, size, 0);
  g_autoptr (ReelTensordict) around = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (fixture->stack, FALSE, NULL);
  GError *error = NULL;

  g_assert_false (reel_tensordict_set_tensor (fixture->stack, "x", wrong, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME,
                       "batch dimension mismatch, got self.batch_size=");
  /* The last element holds no keys at `odd`, the one before does not let itself be changed. */
  set_filled (fixture->elements[N - 1], "odd", 2, (const gint64[]){ 2, 3 }, 0);
  g_assert_false (reel_tensordict_set_tensor (fixture->stack, "odd/x", fits, &error));
  assert_error_begins (&error, REEL_ERROR_KEY, "");
  reel_tensordict_remove (fixture->elements[N - 1], "odd", NULL);
  reel_tensordict_lock (fixture->elements[N - 1]);
  g_assert_false (reel_tensordict_is_locked (fixture->stack));
  g_assert_false (reel_tensordict_set_tensor (fixture->stack, "x", fits, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "Cannot modify locked TensorDict.");
  g_assert_false (reel_tensordict_remove (fixture->stack, "a", &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "Cannot modify locked TensorDict.");
  g_assert_true (reel_tensordict_equal (fixture->stack, copy));

  reel_tensordict_set_tensordict (around, "stack", fixture->stack, NULL);
  g_assert_false (reel_tensordict_set_tensordict (fixture->elements[0], "sub/up", around, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME,
                       "cannot set \"sub/up\": the tensordict would hold itself");
}

static void
test_remove (Fixture *fixture, gconstpointer data)
{
  GError *error = NULL;

  g_assert_true (reel_tensordict_remove (fixture->stack, "sub/b", &error));
  g_assert_true (reel_tensordict_remove (fixture->stack, "odd", &error));
  for (gint i = 0; i < N; i++)
    {
      g_assert_false (reel_tensordict_contains (fixture->elements[i], "sub/b"));
      g_assert_true (reel_tensordict_contains (fixture->elements[i], "sub"));
      g_assert_false (reel_tensordict_contains (fixture->elements[i], "odd"));
    }
  g_assert_false (reel_tensordict_remove (fixture->stack, "odd", &error));
  assert_error_begins (&error, REEL_ERROR_KEY, "key \"odd\" not found in LazyStackedTensorDict");
}

static void
test_one_element_twice (void)
{
  g_autoptr (ReelTensordict) element = new_element (1);
  ReelTensordict *twice[] = { element, element };
  g_autoptr (ReelTensordict) stack = reel_lazy_stack_new (twice, 2, 0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_remove (stack, "sub/b", &error));
  g_assert_false (reel_tensordict_contains (element, "sub/b"));
  reel_tensordict_lock (stack);
  g_assert_true (reel_tensordict_is_locked (element));
  g_assert_true (reel_tensordict_unlock (stack, &error));
  g_assert_false (reel_tensordict_is_locked (element));
}

static void
test_lock_names_and_device (Fixture *fixture, gconstpointer data)
{
  const char *names[] = { "u", "v", "w" };
  gint dim = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_names (fixture->stack, names, &error));
  assert_names (fixture->stack, "u v w");
  assert_names (fixture->elements[2], dim == 0 ? "v w" : dim == 1 ? "u w" : "u v");
  g_autoptr (ReelTensordict) sub = reel_tensordict_ref_tensordict (fixture->stack, "sub", NULL);
  assert_names (sub, "u v w");
  g_assert_true (reel_tensordict_set_device (fixture->stack, "cpu", NULL));
  g_assert_cmpstr (reel_tensordict_get_device (fixture->elements[3]), ==, "cpu");

  reel_tensordict_lock (fixture->stack);
  for (gint i = 0; i < N; i++)
    {
      g_assert_true (reel_tensordict_is_locked (fixture->elements[i]));
      g_assert_false (reel_tensordict_unlock (fixture->elements[i], NULL));
    }
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (fixture->stack, FALSE, NULL);
  g_assert_false (reel_tensordict_is_locked (copy));
  assert_names (copy, "u v w");
  g_assert_true (reel_tensordict_unlock (fixture->stack, NULL));
  for (gint i = 0; i < N; i++)
    reel_tensordict_lock (fixture->elements[i]);
  g_assert_true (reel_tensordict_is_locked (fixture->stack));
  g_assert_false (reel_tensordict_set_batch_size (fixture->stack, 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* ---- equality ---- */

static void
test_equality (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (fixture->stack, TRUE, NULL);
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (copy, &n);

  g_assert_true (reel_tensordict_equal (fixture->stack, copy));
  /* Of what only one element has, too. */
  *(gint64 *) reel_tensordict_get_tensor (elements[2], "odd", NULL)->data += 1;
  g_assert_false (reel_tensordict_equal (fixture->stack, copy));
  reel_tensordict_remove (elements[2], "odd", NULL);
  g_assert_false (reel_tensordict_equal (fixture->stack, copy));
  reel_tensordict_remove (fixture->elements[2], "odd", NULL);
  g_assert_true (reel_tensordict_equal (fixture->stack, copy));
}

/* Tensors of several types have no type together. */
static void
test_mixed_types_are_printed (void)
{
  ReelTensordict *elements[2];

  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensor) x =
          reel_tensor_new (i == 0 ? REEL_DTYPE_INT8 : REEL_DTYPE_FLOAT64, 0, NULL, NULL);
      elements[i] = reel_tensordict_new (0, NULL);
      reel_tensordict_set_tensor (elements[i], "x", x, NULL);
    }
  g_autoptr (ReelTensordict) stack = reel_lazy_stack_new (elements, 2, 0, NULL);
  g_autofree char *text = reel_tensordict_to_string (stack);
  g_assert_nonnull (strstr (text, "x: ...}"));
  reel_tensordict_unref (elements[0]);
  reel_tensordict_unref (elements[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/lazy-stack/batch-size", test_batch_size);
  g_test_add_func ("/core/lazy-stack/what-cannot-be-stacked", test_what_cannot_be_stacked);
  add_for_each_dim ("keys-are-those-of-all", test_keys_are_those_of_all);
  add_for_each_dim ("elements-are-the-stacked", test_elements_are_the_stacked);
  add_for_each_dim ("stacks-on-demand", test_stacks_on_demand);
  add_for_each_dim ("what-cannot-be-got", test_what_cannot_be_got);
  add_for_each_dim ("references-of-a-dict", test_references_of_a_dict);
  add_for_each_dim ("set-cuts-along-the-stack", test_set_cuts_along_the_stack);
  add_for_each_dim ("failed-set-changes-nothing", test_failed_set_changes_nothing);
  add_for_each_dim ("remove", test_remove);
  g_test_add_func ("/core/lazy-stack/one-element-twice", test_one_element_twice);
  add_for_each_dim ("lock-names-and-device", test_lock_names_and_device);
  add_for_each_dim ("equality", test_equality);
  g_test_add_func ("/core/lazy-stack/mixed-types-are-printed", test_mixed_types_are_printed);

  return g_test_run ();
}
