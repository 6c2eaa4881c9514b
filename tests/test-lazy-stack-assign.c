/* Writes into lazy stacks: by index, by mask, and from them. */
#include "three-elements.h"

static void
test_lazy_stacks_are_assigned (void)
{
  static const char *const indices[] = {
    "[0]", "[:, 1]", "[:, 1:]", "[:, [2, 0]]", "[..., 1]", "[1, :, 0]", "[[1, 0]]",
    "[:, [True, False, True], 0]", "[None, 0, -1]",
    /* of several tensors, or over several dimensions */
    "[[1, 0], [2, 0]]", "[[1, 0, 1], [2, 0, 1], [0, 0, 1]]", "[:, [[1], [0]]]",
    "[0, [[2, 1], [0, 0]]]", "[[1, 0], :, [0, 1]]", "[:, [0, 2], [1, 1]]",
    "[[[True, False, True], [False, True, False]]]", "[..., [[1, 0], [0, 1], [1, 1]]]",
    "[[[True, False, "
    "True], [False, False, True]], 1]",
    "[True]", "[[0, 1], ..., [0, 1]]"
  };

  for (guint i = 0; i < G_N_ELEMENTS (indices); i++)
    {
      g_autoptr (ReelTensordict) lazy = new_three_elements (FALSE);
      g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
      g_autoptr (ReelTensordict) part = index_text (dense, indices[i]);
      g_autoptr (ReelTensordict) value = reel_tensordict_clone (part, TRUE, NULL);
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      ReelTensor *a = reel_tensordict_get_tensor (value, "a", NULL);
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", indices[i]);
      for (gint64 j = 0; j < reel_tensor_numel (a); j++)
        ((gint64 *) a->data)[j] = -1 - j;
      reel_index_parse (&index, indices[i], NULL);
      reel_tensordict_assign (dense, &index, value, &error);
      g_assert_no_error (error);
      reel_tensordict_assign (lazy, &index, value, &error);
      g_assert_no_error (error);
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (lazy, "a", j), ==, int_at (dense, "a", j));
    }
}

static void
test_lazy_stacks_that_refuse_stay (void)
{
  const gint64 two[] = { 2, 2 };
  g_autoptr (ReelTensordict) lazy = new_three_elements (TRUE);
  g_autoptr (ReelTensordict) value = reel_tensordict_new (2, two);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_auto (ReelIndex) pairs = REEL_INDEX_INIT;
  const gint64 wide[] = { 2, 2, 2 };
  g_autoptr (GError) error = NULL;

  /* `x` fits the element of two columns alone. */
  set_filled (value, "a", 2, two, 900);
  set_filled (value, "x", 3, wide, 900);
  reel_index_parse (&index, "[:, :]", NULL);
  g_assert_false (reel_tensordict_assign (lazy, &index, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_cmpint (int_at (lazy, "a", 0), ==, 0);
  reel_index_parse (&pairs, "[[0, 1], [0, 1]]", NULL);
  g_assert_false (reel_tensordict_assign (lazy, &pairs, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_lazy_values_are_assigned (void)
{
  const gint64 shape[] = { 2, 3, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (3, shape);
  g_autoptr (ReelTensordict) lazy = new_three_elements (FALSE);
  g_autoptr (ReelTensordict) outer = reel_tensordict_new (3, shape);
  g_auto (ReelIndex) all = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  set_filled (td, "a", 3, shape, -100);
  g_assert_true (reel_tensordict_assign (td, &all, lazy, &error));
  g_assert_no_error (error);
  for (gint64 i = 0; i < 12; i++)
    g_assert_cmpint (int_at (td, "a", i), ==, int_at (lazy, "a", i));

  g_assert_true (reel_tensordict_assign (outer, &all, lazy, &error));
  g_assert_no_error (error);
}

/* A tensordict [2, 3] with a tensor, and below it a lazy stack [2, 3, 2]. */
static ReelTensordict *
new_outer (gint64 first)
{
  const gint64 shape[] = { 2, 3, 2 };
  ReelTensordict *td = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) lazy = new_three_elements (FALSE);
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (lazy, &n);

  set_filled (td, "z", 2, shape, first);
  for (gsize i = 0; i < n; i++)
    for (gint64 j = 0; j < 4; j++)
      ((gint64 *) reel_tensordict_get_tensor (elements[i], "a", NULL)->data)[j] +=
          first + 1000 * (gint64) i;
  reel_tensordict_set_tensordict (td, "deep", lazy, NULL);
  return td;
}

static void
assert_same_numbers (ReelTensordict *found, ReelTensordict *expected)
{
  static const char *const paths[] = { "z", "deep/a" };

  for (guint k = 0; k < G_N_ELEMENTS (paths); k++)
    {
      g_autoptr (ReelTensor) a = reel_tensordict_ref_tensor (found, paths[k], NULL);
      g_autoptr (ReelTensor) b = reel_tensordict_ref_tensor (expected, paths[k], NULL);
      g_assert_true (reel_tensor_equal (a, b));
    }
}

/* As to a dense one, whatever the index, and whether the value is lazy there or not. */
static void
test_lazy_stacks_below_are_assigned (void)
{
  static const char *const indices[] = {
    "[0]",        "[:, 1]",    "[:, 1:]",         "[..., 0]",
    "[1, 2]",     "[None, 0]", "[:, [2]]",        "[[1, 0], [2, 0]]",
    "[[[1, 0]]]", "[]",        "[[True, False]]", "[[[True, False, True], [False, True, False]]]",
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (indices); i++)
    {
      g_autoptr (ReelTensordict) td = new_outer (0);
      g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (td, NULL);
      g_autoptr (ReelTensordict) other = new_outer (500);
      g_autoptr (ReelTensordict) dense_other = reel_tensordict_contiguous (other, NULL);
      g_autoptr (ReelTensordict) value = index_text (i % 2 ? other : dense_other, indices[i / 2]);
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", indices[i / 2]);
      reel_index_parse (&index, indices[i / 2], NULL);
      g_assert_true (reel_tensordict_assign (dense, &index, value, &error));
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_assign (td, &index, value, &error));
      g_assert_no_error (error);
      assert_same_numbers (td, dense);
      g_assert_nonnull (reel_tensordict_get_tensordict (td, "deep", NULL));
      g_assert_cmpint (reel_lazy_stack_get_dim (reel_tensordict_get_tensordict (td, "deep", NULL)),
                       ==, 1);
    }
}

static ReelTensor *
new_mask (gint ndim, const gint64 *shape, guint bits)
{
  ReelTensor *mask = reel_tensor_new (REEL_DTYPE_BOOL, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (mask); i++)
    mask->data[i] = bits >> i & 1;
  return mask;
}

/* Of every number of dimensions, and of extents of 1: in the elements themselves. */
static void
test_lazy_stacks_are_filled (void)
{
  const gint64 shapes[][3] = { { 2, 3, 2 }, { 1, 3, 2 }, { 2, 1, 1 } };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (ReelTensor) mask = new_mask ((gint) (i / 3), shapes[i % 3], 0x96d);
      g_autoptr (ReelTensordict) lazy = new_three_elements (FALSE);
      g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
      g_autoptr (ReelTensordict) filled = reel_tensordict_masked_fill (lazy, mask, -7, NULL);
      g_autoptr (ReelTensordict) expected = reel_tensordict_masked_fill (dense, mask, -7, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_lazy_stack_get_dim (filled) == 1);
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (filled, "a", j), ==, int_at (expected, "a", j));
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (lazy, "a", j), ==, int_at (dense, "a", j));
      g_assert_true (reel_tensordict_masked_fill_in_place (lazy, mask, -7, &error));
      g_assert_no_error (error);
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (lazy, "a", j), ==, int_at (expected, "a", j));
    }
}

static void
test_lazy_stacks_below_are_filled (void)
{
  const gint64 shape[] = { 2, 3 };
  g_autoptr (ReelTensor) mask = new_mask (2, shape, 0x2d);
  g_autoptr (ReelTensordict) td = new_outer (0);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (td, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_masked_fill_in_place (dense, mask, -7, &error));
  g_assert_true (reel_tensordict_masked_fill_in_place (td, mask, -7, &error));
  g_assert_no_error (error);
  assert_same_numbers (td, dense);
}

/* Leaves of unlike shape, and keys that one element has alone, are filled and written too. */
static void
test_ragged_elements_are_written (void)
{
  const gint64 three = 3;
  g_autoptr (ReelTensordict) lazy = new_three_elements (TRUE);
  g_autoptr (ReelTensordict) other = new_three_elements (TRUE);
  g_autoptr (ReelTensordict) flat = reel_tensordict_transpose (lazy, 0, 1, NULL);
  g_autoptr (ReelTensordict) value = index_text (other, "[:, 1:]");
  g_autoptr (ReelTensor) mask = new_mask (1, &three, 0x5);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (lazy, &n);

  g_assert_true (reel_tensordict_masked_fill_in_place (flat, mask, -7, &error));
  g_assert_no_error (error);
  g_assert_cmpint (int_at (elements[0], "x", 0), ==, -7);
  g_assert_cmpint (int_at (elements[2], "x", 5), ==, -7);
  g_assert_cmpint (int_at (elements[1], "a", 0), !=, -7);
  reel_index_parse (&index, "[:, 1:]", NULL);
  g_assert_true (reel_tensordict_assign (lazy, &index, value, &error));
  g_assert_no_error (error);
  g_assert_cmpint (int_at (elements[0], "x", 0), ==, -7);
  g_assert_cmpint (int_at (elements[2], "x", 0), !=, -7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/shapes/lazy-stacks-are-assigned", test_lazy_stacks_are_assigned);
  g_test_add_func ("/core/shapes/lazy-stacks-that-refuse-stay", test_lazy_stacks_that_refuse_stay);
  g_test_add_func ("/core/shapes/lazy-values-are-assigned", test_lazy_values_are_assigned);
  g_test_add_func ("/core/shapes/lazy-stacks-below-are-assigned",
                   test_lazy_stacks_below_are_assigned);
  g_test_add_func ("/core/shapes/lazy-stacks-are-filled", test_lazy_stacks_are_filled);
  g_test_add_func ("/core/shapes/lazy-stacks-below-are-filled", test_lazy_stacks_below_are_filled);
  g_test_add_func ("/core/shapes/ragged-elements-are-written", test_ragged_elements_are_written);
  return g_test_run ();
}
