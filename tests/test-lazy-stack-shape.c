/* Lazy stacks of other shapes, stacked again, and made dense where they can be. */
#include "four-elements.h"

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
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_select_index (fixture->stack, dim, -N - 1, &error));
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_select_index (fixture->stack, 3, 0, &error));
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_slice (fixture->stack, dim, 0, 1, 0, &error));
  assert_error_begins (&error, REEL_ERROR_VALUE, "");
  g_assert_null (reel_tensordict_gather_rows (fixture->stack, (const gint64[]){ 9 }, 1, &error));
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
  g_assert_null (reel_tensordict_contiguous (fixture->stack, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "Failed to stack tensors within a tensordict");
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
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "Failed to stack tensors");
  g_assert_null (reel_tensordict_contiguous (stack, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "the elements of a lazy stack differ");
  g_assert_null (reel_tensordict_select_index (stack, 1, 2, &error));
  assert_error_begins (&error, REEL_ERROR_INDEX, "");
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
        assert_error_begins (&error, REEL_ERROR_RUNTIME, cases[i].message);
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
  assert_error_begins (&error, REEL_ERROR_RUNTIME,
                       "stacking tensordicts requires them to have congruent batch sizes, got "
                       "td[1].batch_size=torch.Size([3]) and td[0].batch_size=torch.Size([2])");
  g_assert_null (reel_tensordict_maybe_dense_stack (ndims, 2, 0, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "");
  g_assert_null (reel_tensordict_maybe_dense_stack (NULL, 0, 0, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "stack expects a non-empty");
  g_assert_null (reel_tensordict_stack (NULL, 0, 0, &error));
  assert_error_begins (&error, REEL_ERROR_RUNTIME, "stack expects a non-empty");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  add_for_each_dim ("shapes", test_shapes);
  add_for_each_dim ("shape-errors", test_shape_errors);
  add_for_each_dim ("views-share-memory", test_views_share_memory);
  g_test_add_func ("/core/lazy-stack/uneven-batches", test_uneven_batches);
  add_for_each_dim ("stack-of-stacks", test_stack_of_stacks);
  g_test_add_func ("/core/lazy-stack/maybe-dense", test_maybe_dense);
  g_test_add_func ("/core/lazy-stack/maybe-dense-of-other-batches",
                   test_maybe_dense_of_other_batches);

  return g_test_run ();
}
