/* Lazy stacks: what is shared, what is stacked on demand, and how shapes move. */
#include "../src/reel.h"

#include <string.h>

static ReelTensor *
new_filled (gint ndim, const gint64 *shape, gint64 first)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = first + i;
  return tensor;
}

static void
set_filled (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape, gint64 first)
{
  g_autoptr (ReelTensor) tensor = new_filled (ndim, shape, first);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (td, path, tensor, &error);
  g_assert_no_error (error);
}

/* Batch size [2, 3]; a, sub/b of shape [2, 3], ragged [2, 3, n]; odd ones have odd, too. */
static ReelTensordict *
new_element (gint64 n)
{
  const gint64 shape[] = { 2, 3, n };
  const char *names[] = { "p", "q" };
  ReelTensordict *td = reel_tensordict_new (2, shape);

  set_filled (td, "sub/b", 2, shape, 1000 * n);
  set_filled (td, "a", 2, shape, 100 * n);
  set_filled (td, "ragged", 3, shape, 0);
  if (n % 2 == 1)
    set_filled (td, "odd", 2, shape, 0);
  reel_tensordict_set_value (td, "word",
                             g_variant_new_take_string (g_strdup_printf ("%d", (int) n)), NULL);
  reel_tensordict_set_names (td, names, NULL);
  return td;
}

#define N 4

typedef struct
{
  ReelTensordict *elements[N];
  ReelTensordict *stack;
} Fixture;

static void
setup (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  for (gint i = 0; i < N; i++)
    fixture->elements[i] = new_element (i + 1);
  fixture->stack = reel_lazy_stack_new (fixture->elements, N, GPOINTER_TO_INT (data), &error);
  g_assert_no_error (error);
}

static void
teardown (Fixture *fixture, gconstpointer data)
{
  for (gint i = 0; i < N; i++)
    reel_tensordict_unref (fixture->elements[i]);
  reel_tensordict_unref (fixture->stack);
}

static void
assert_size (const ReelTensordict *td, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (text, "%s%d", i == 0 ? "" : " ", (int) shape[i]);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
assert_names (const ReelTensordict *td, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  for (gint i = 0; i < ndim; i++)
    {
      const char *name = reel_tensordict_get_name (td, i);
      g_string_append_printf (text, "%s%s", i == 0 ? "" : " ", name ? name : "-");
    }
  g_assert_cmpstr (text->str, ==, expected);
}

static void
assert_message (GError **error, ReelError code, const char *beginning)
{
  g_assert_error (*error, REEL_ERROR, (int) code);
  if (!g_str_has_prefix ((*error)->message, beginning))
    g_assert_cmpstr ((*error)->message, ==, beginning);
  g_clear_error (error);
}

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
  assert_message (&error, REEL_ERROR_RUNTIME, "items cannot be empty");
  g_assert_null (reel_lazy_stack_new (ndims, 2, 0, &error));
  assert_message (
      &error, REEL_ERROR_RUNTIME,
      "batch sizes in tensordicts differs, LazyStackedTensorDict cannot be created. Got "
      "td[0].batch_size=torch.Size([2, 3]) and td[i].batch_size=torch.Size([2])");
  g_assert_null (reel_lazy_stack_new (devices, 2, 0, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "devices differ, got cpu and None");
  g_assert_null (reel_lazy_stack_new (devices, 1, 3, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_lazy_stack_new (devices, 1, -4, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
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
  assert_message (&error, REEL_ERROR_RUNTIME, "Failed to stack tensors within a tensordict");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "odd", &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"odd\" not found in LazyStackedTensorDict with keys ['a', 'ragged', 'sub', "
                  "'word']");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "sub/c", &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"c\" not found in LazyStackedTensorDict with keys ['b']");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "sub", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"sub\" is a tensordict, not a tensor");
  g_assert_null (reel_tensordict_ref_tensor (fixture->stack, "a/b", &error));
  assert_message (&error, REEL_ERROR_KEY, "");
  g_assert_null (reel_tensordict_get_tensor (fixture->stack, "a", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"a\" lies in a lazy stack");
  g_assert_null (reel_tensordict_get_tensordict (fixture->stack, "nope", &error));
  assert_message (&error, REEL_ERROR_KEY, "");
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
      g_autoptr (GVariant) word = reel_tensordict_get_value (element, "word", NULL);
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
  assert_message (&error, REEL_ERROR_RUNTIME, "batch dimension mismatch, got self.batch_size=");
  /* The last element holds no keys at `odd`, the one before does not let itself be changed. */
  set_filled (fixture->elements[N - 1], "odd", 2, (const gint64[]){ 2, 3 }, 0);
  g_assert_false (reel_tensordict_set_tensor (fixture->stack, "odd/x", fits, &error));
  assert_message (&error, REEL_ERROR_KEY, "");
  reel_tensordict_remove (fixture->elements[N - 1], "odd", NULL);
  reel_tensordict_lock (fixture->elements[N - 1]);
  g_assert_false (reel_tensordict_is_locked (fixture->stack));
  g_assert_false (reel_tensordict_set_tensor (fixture->stack, "x", fits, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "Cannot modify locked TensorDict.");
  g_assert_false (reel_tensordict_remove (fixture->stack, "a", &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "Cannot modify locked TensorDict.");
  g_assert_true (reel_tensordict_equal (fixture->stack, copy));

  reel_tensordict_set_tensordict (around, "stack", fixture->stack, NULL);
  g_assert_false (reel_tensordict_set_tensordict (fixture->elements[0], "sub/up", around, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
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
  assert_message (&error, REEL_ERROR_KEY, "key \"odd\" not found in LazyStackedTensorDict");
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

/* ---- shapes ---- */

/* A lazy stack changed and then made dense is the dense one changed. Takes both. */
static void
assert_same_dense (ReelTensordict *lazy, ReelTensordict *dense)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) made = reel_tensordict_contiguous (lazy, &error);
  gint ndim;

  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (made, dense));
  g_assert_true (reel_tensordict_equal (lazy, dense));
  g_assert_true (reel_tensordict_equal (dense, lazy));
  reel_tensordict_get_batch_size (dense, &ndim);
  for (gint i = 0; i < ndim; i++)
    g_assert_cmpstr (reel_tensordict_get_name (lazy, i), ==, reel_tensordict_get_name (dense, i));
  reel_tensordict_unref (lazy);
  reel_tensordict_unref (dense);
}

static void
drop_uncommon (Fixture *fixture)
{
  for (gint i = 0; i < N; i++)
    {
      reel_tensordict_remove (fixture->elements[i], "ragged", NULL);
      reel_tensordict_remove (fixture->elements[i], "odd", NULL);
    }
}

static void
test_shapes (Fixture *fixture, gconstpointer data)
{
  const char *names[] = { "u", "v", "w" };
  ReelTensordict *lazy = fixture->stack;
  gint ndim;

  drop_uncommon (fixture);
  reel_tensordict_set_names (lazy, names, NULL);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
  const gint64 *size = reel_tensordict_get_batch_size (lazy, &ndim);
  g_assert_cmpint (reel_lazy_stack_get_dim (dense), ==, -1);
  assert_names (dense, "u v w");
  for (gint dim = 0; dim < ndim; dim++)
    {
      for (gint64 i = -size[dim]; i < size[dim]; i++)
        assert_same_dense (reel_tensordict_select_index (lazy, dim, i, NULL),
                           reel_tensordict_select_index (dense, dim, i, NULL));
      for (gint64 begin = -size[dim] - 1; begin <= size[dim]; begin++)
        for (gint64 end = begin; end <= size[dim] + 1; end++)
          for (gint64 step = 1; step < 3; step++)
            {
              g_autoptr (ReelTensordict) part =
                  reel_tensordict_slice (lazy, dim, begin, end, step, NULL);
              g_autoptr (ReelTensordict) expected =
                  reel_tensordict_slice (dense, dim, begin, end, step, NULL);
              gint part_ndim;
              const gint64 *extents = reel_tensordict_get_batch_size (expected, &part_ndim);
              g_assert_cmpmem (reel_tensordict_get_batch_size (part, &part_ndim),
                               3 * sizeof *extents, extents, 3 * sizeof *extents);
              if (extents[reel_lazy_stack_get_dim (lazy)] > 0)
                assert_same_dense (g_steal_pointer (&part), g_steal_pointer (&expected));
              else
                g_assert_cmpint (reel_lazy_stack_get_dim (part), ==, -1);
            }
      for (gint other = 0; other < ndim; other++)
        assert_same_dense (reel_tensordict_transpose (lazy, dim, other, NULL),
                           reel_tensordict_transpose (dense, dim, other, NULL));
    }
  assert_same_dense (reel_tensordict_gather_rows (lazy, (const gint64[]){ 1, 0, -1, 1 }, 4, NULL),
                     reel_tensordict_gather_rows (dense, (const gint64[]){ 1, 0, -1, 1 }, 4, NULL));
  assert_same_dense (reel_tensordict_clone (lazy, TRUE, NULL),
                     reel_tensordict_clone (dense, TRUE, NULL));
}

static void
test_shape_errors (Fixture *fixture, gconstpointer data)
{
  GError *error = NULL;
  gint dim = GPOINTER_TO_INT (data);

  g_assert_null (reel_tensordict_select_index (fixture->stack, dim, N, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_select_index (fixture->stack, dim, -N - 1, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_select_index (fixture->stack, 3, 0, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_slice (fixture->stack, dim, 0, 1, 0, &error));
  assert_message (&error, REEL_ERROR_VALUE, "");
  g_assert_null (reel_tensordict_gather_rows (fixture->stack, (const gint64[]){ 9 }, 1, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_contiguous (fixture->stack, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "Failed to stack tensors within a tensordict");
}

/* Views of the elements: what is written to them is seen there. */
static void
test_views_share_memory (Fixture *fixture, gconstpointer data)
{
  gint dim = GPOINTER_TO_INT (data), other = dim == 0 ? 1 : 0;
  g_autoptr (ReelTensordict) view = reel_tensordict_select_index (fixture->stack, other, 1, NULL);
  g_autoptr (ReelTensordict) first =
      reel_tensordict_select_index (view, reel_lazy_stack_get_dim (view), 0, NULL);
  ReelTensor *a = reel_tensordict_get_tensor (first, "a", NULL);
  g_autoptr (ReelTensordict) direct =
      reel_tensordict_select_index (fixture->elements[0], 0, 1, NULL);

  *(gint64 *) a->data = -5;
  if (dim == 0 || dim == 1)
    g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (direct, "a", NULL)->data, ==, -5);
  g_autoptr (ReelTensordict) swapped = reel_tensordict_transpose (fixture->stack, dim, dim, NULL);
  gsize n;
  g_assert_true (reel_lazy_stack_get_elements (swapped, &n)[0] == fixture->elements[0]);
}

static void
test_uneven_batches (void)
{
  const gint64 two[] = { 2, 5 }, three[] = { 3, 5 };
  g_autoptr (ReelTensordict) a = reel_tensordict_new (2, two);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (2, three);
  ReelTensordict *pair[] = { a, b };
  GError *error = NULL;

  set_filled (a, "x", 2, two, 0);
  set_filled (b, "x", 2, three, 100);
  g_autoptr (ReelTensordict) stack = reel_lazy_stack_new (pair, 2, 0, &error);
  g_assert_no_error (error);
  assert_size (stack, "2 -1 5");
  g_assert_cmpint (reel_tensordict_numel (stack), ==, 25);
  g_assert_null (reel_tensordict_ref_tensor (stack, "x", &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "Failed to stack tensors");
  g_assert_null (reel_tensordict_contiguous (stack, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "the elements of a lazy stack differ");
  g_assert_null (reel_tensordict_select_index (stack, 1, 2, &error));
  assert_message (&error, REEL_ERROR_INDEX, "");
  g_autoptr (ReelTensordict) last = reel_tensordict_select_index (stack, 1, -1, &error);
  g_autoptr (ReelTensor) x = reel_tensordict_ref_tensor (last, "x", &error);
  g_assert_no_error (error);
  g_assert_cmpint (((gint64 *) x->data)[0], ==, 5);
  g_assert_cmpint (((gint64 *) x->data)[5], ==, 110);
  g_autoptr (ReelTensordict) part = reel_tensordict_slice (stack, 1, 1, 9, 1, NULL);
  assert_size (part, "2 -1 5");
  g_autoptr (ReelTensordict) one = reel_tensordict_slice (stack, 1, 0, 2, 1, NULL);
  assert_size (one, "2 2 5");
  g_autoptr (ReelTensordict) swapped = reel_tensordict_transpose (stack, 0, 2, NULL);
  assert_size (swapped, "5 -1 2");
}

/* ---- stacking ---- */

static void
test_stack_of_stacks (Fixture *fixture, gconstpointer data)
{
  drop_uncommon (fixture);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (fixture->stack, NULL);
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (fixture->stack, TRUE, NULL);
  ReelTensordict *lazies[] = { fixture->stack, copy }, *denses[] = { dense, dense };
  ReelTensordict *mixed[] = { fixture->stack, dense };
  gint at = GPOINTER_TO_INT (data);

  for (gint dim = 0; dim < 4; dim++)
    {
      ReelTensordict *stack = reel_tensordict_stack (lazies, 2, dim, NULL);
      g_assert_cmpint (reel_lazy_stack_get_dim (stack), ==, dim <= at ? at + 1 : at);
      assert_same_dense (stack, reel_tensordict_stack (denses, 2, dim, NULL));
      g_autoptr (ReelTensordict) half = reel_tensordict_stack (mixed, 2, dim, NULL);
      g_assert_cmpint (reel_lazy_stack_get_dim (half), ==, -1);
      assert_same_dense (g_steal_pointer (&half), reel_tensordict_stack (denses, 2, dim, NULL));
      g_autoptr (ReelTensordict) lazy = reel_lazy_stack_new (lazies, 2, dim, NULL);
      assert_same_dense (g_steal_pointer (&lazy), reel_tensordict_stack (denses, 2, dim, NULL));
    }
}

static ReelTensordict *
new_with (const char *path, gint64 n)
{
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  set_filled (td, path, 1, &n, 0);
  return td;
}

static void
test_maybe_dense (void)
{
  static const struct
  {
    const char *first, *second;
    gint64 n_second;
    gint root, nested; /* the dimension of a lazy stack, −1 of none, −2 where there is nothing */
    const char *message;
  } cases[] = {
    { "n/a", "n/a", 2, -1, -1, NULL },
    { "n/a", "n/b", 2, -1, 0, "The sets of keys in the tensordicts to stack are exclusive" },
    { "a", "b", 2, 0, -2, "The sets of keys in the tensordicts to stack are exclusive" },
    { "a", "a", 3, 0, -2,
      "The shapes of the tensors to stack is incompatible: torch.Size([3]) vs torch.Size([2]) for "
      "key a." },
    { "n/a", "n/a", 3, -1, 0, "The shapes of the tensors to stack is incompatible" },
    { "n/a", "n", 2, 0, -2, "The sets of keys in the tensordicts to stack are exclusive" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) a = new_with (cases[i].first, 2);
      g_autoptr (ReelTensordict) b = new_with (cases[i].second, cases[i].n_second);
      ReelTensordict *pair[] = { a, b };
      GError *error = NULL;
      g_autoptr (ReelTensordict) stack = reel_tensordict_maybe_dense_stack (pair, 2, 0, &error);

      g_assert_no_error (error);
      g_assert_cmpint (reel_lazy_stack_get_dim (stack), ==, cases[i].root);
      if (cases[i].nested > -2)
        {
          g_autoptr (ReelTensordict) n = reel_tensordict_ref_tensordict (stack, "n", NULL);
          g_assert_cmpint (reel_lazy_stack_get_dim (n), ==, cases[i].nested);
        }
      g_autoptr (ReelTensordict) dense = reel_tensordict_stack (pair, 2, 0, &error);
      if (cases[i].message)
        assert_message (&error, REEL_ERROR_RUNTIME, cases[i].message);
      else
        g_assert_no_error (error);
    }
}

static void
test_maybe_dense_of_other_batches (void)
{
  const gint64 sizes[] = { 2, 3 };
  g_autoptr (ReelTensordict) two = reel_tensordict_new (1, sizes);
  g_autoptr (ReelTensordict) three = reel_tensordict_new (1, sizes + 1);
  g_autoptr (ReelTensordict) none = reel_tensordict_new (0, NULL);
  ReelTensordict *extents[] = { two, three }, *ndims[] = { two, none };
  GError *error = NULL;

  g_autoptr (ReelTensordict) stack = reel_tensordict_maybe_dense_stack (extents, 2, 0, &error);
  assert_size (stack, "2 -1");
  g_assert_null (reel_tensordict_stack (extents, 2, 0, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "stacking tensordicts requires them to have congruent batch sizes, got "
                  "td[1].batch_size=torch.Size([3]) and td[0].batch_size=torch.Size([2])");
  g_assert_null (reel_tensordict_maybe_dense_stack (ndims, 2, 0, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "");
  g_assert_null (reel_tensordict_maybe_dense_stack (NULL, 0, 0, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "stack expects a non-empty");
  g_assert_null (reel_tensordict_stack (NULL, 0, 0, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, "stack expects a non-empty");
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

static void
add (const char *path, void (*test) (Fixture *, gconstpointer))
{
  for (gint dim = 0; dim < 3; dim++)
    {
      g_autofree char *full = g_strdup_printf ("/core/lazy-stack/%s/%d", path, dim);
      g_test_add (full, Fixture, GINT_TO_POINTER (dim), setup, test, teardown);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/lazy-stack/batch-size", test_batch_size);
  g_test_add_func ("/core/lazy-stack/what-cannot-be-stacked", test_what_cannot_be_stacked);
  add ("keys-are-those-of-all", test_keys_are_those_of_all);
  add ("elements-are-the-stacked", test_elements_are_the_stacked);
  add ("stacks-on-demand", test_stacks_on_demand);
  add ("what-cannot-be-got", test_what_cannot_be_got);
  add ("references-of-a-dict", test_references_of_a_dict);
  add ("set-cuts-along-the-stack", test_set_cuts_along_the_stack);
  add ("failed-set-changes-nothing", test_failed_set_changes_nothing);
  add ("remove", test_remove);
  g_test_add_func ("/core/lazy-stack/one-element-twice", test_one_element_twice);
  add ("lock-names-and-device", test_lock_names_and_device);
  add ("shapes", test_shapes);
  add ("shape-errors", test_shape_errors);
  add ("views-share-memory", test_views_share_memory);
  g_test_add_func ("/core/lazy-stack/uneven-batches", test_uneven_batches);
  add ("stack-of-stacks", test_stack_of_stacks);
  g_test_add_func ("/core/lazy-stack/maybe-dense", test_maybe_dense);
  g_test_add_func ("/core/lazy-stack/maybe-dense-of-other-batches",
                   test_maybe_dense_of_other_batches);
  add ("equality", test_equality);

  return g_test_run ();
}
