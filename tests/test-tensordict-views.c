/* Views that share memory, copies, and stacks. */
#include "filled-tensors.h"
#include "small-tensordicts.h"

#include <string.h>

/* Leaves of a view are allocated together, and each lives by itself; keys have usual lengths, and
 * others. */
static void
test_leaves_outlive_their_view (void)
{
  const gint64 shape[] = { 4 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (gint i = 0; i < 40; i++)
    {
      g_autofree char *key = g_strdup_printf ("%*d", i + 2, i);
      g_autoptr (ReelTensor) tensor = new_filled (1, shape, 0);
      ((gint64 *) tensor->data)[3] = i;
      g_assert_true (reel_tensordict_set_tensor (td, key, tensor, NULL));
    }
  for (gint n = 0; n < 40; n++)
    {
      g_autoptr (ReelTensordict) view = reel_tensordict_slice (td, 0, 2, 4, 1, NULL);
      g_autoptr (ReelTensor) other = new_filled (1, (const gint64[]){ 2 }, 0);
      g_autofree char *key = g_strdup_printf ("%*d", n + 2, n);
      g_ptr_array_add (kept, reel_tensordict_ref_tensor (view, key, NULL));
      g_assert_true (reel_tensordict_remove (view, key, NULL));
      g_assert_false (reel_tensordict_contains (view, key));
      g_assert_true (reel_tensordict_set_tensor (view, key, other, NULL));
      g_assert_true (reel_tensordict_get_tensor (view, key, NULL) == other);
      g_assert_true (reel_tensordict_contains (td, key));
    }
  for (gint n = 0; n < 40; n++)
    g_assert_cmpint (((gint64 *) ((ReelTensor *) kept->pdata[n])->data)[1], ==, n);
}

/* The element of @path at [@i, @j] of the example, which counts up in row-major order. */
static gint64
value_at (const ReelTensordict *td, const char *path, gint64 i, gint64 j)
{
  const gint64 index[] = { i, j, 0 };
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  return *(gint64 *) reel_tensor_element (tensor, index);
}

static void
test_views_share_memory (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) sliced = reel_tensordict_slice (td, -2, 1, G_MAXINT64, 1, NULL);
  g_autoptr (ReelTensordict) swapped = reel_tensordict_transpose (sliced, 0, 1, NULL);
  g_autoptr (ReelTensordict) row = reel_tensordict_select_index (swapped, -1, -1, NULL);
  const gint64 two[] = { 2, 2 };

  assert_batch_size (sliced, 2, two);
  assert_batch_size (row, 1, two);
  assert_batch_size (reel_tensordict_get_tensordict (row, "next/deep", NULL), 1, two);
  for (gint64 lane = 0; lane < 2; lane++)
    {
      g_assert_cmpint (value_at (row, "a", lane, 0), ==, value_at (td, "a", 2, lane));
      g_assert_cmpint (value_at (row, "next/b", lane, 0), ==, (2 * 2 + lane) * 4);
    }
  *(gint64 *) reel_tensordict_get_tensor (row, "next/deep/c", NULL)->data = 99;
  g_assert_cmpint (value_at (td, "next/deep/c", 2, 0), ==, 99);
}

static void
test_gather_rows (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const gint64 rows[] = { 2, 0, -1, 1 }, bad[] = { 0, 3 }, shape[] = { 4, 2 };
  g_autoptr (ReelTensordict) batch = reel_tensordict_gather_rows (td, rows, 4, NULL);
  g_autoptr (ReelTensordict) bare = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) scalar = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  assert_batch_size (batch, 2, shape);
  for (gint64 i = 0; i < 4; i++)
    for (gint64 j = 0; j < 2; j++)
      g_assert_cmpint (value_at (batch, "next/b", i, j), ==,
                       value_at (td, "next/b", (rows[i] + 3) % 3, j));
  g_assert_null (reel_tensordict_gather_rows (td, bad, 2, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tensordict_gather_rows (bare, (gint64[]){ 4 }, 1, NULL));
  g_assert_null (reel_tensordict_gather_rows (scalar, rows, 0, NULL));
}

static void
test_bad_dimensions (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (GError) error = NULL;

  /* Three dimensions has a leaf, but two has the batch size. */
  g_assert_null (reel_tensordict_select_index (td, 2, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tensordict_select_index (td, 0, 3, NULL));
  g_assert_null (reel_tensordict_slice (td, 2, 0, 1, 1, NULL));
  g_assert_null (reel_tensordict_slice (td, 0, 0, 1, 0, NULL));
  g_assert_null (reel_tensordict_transpose (td, 0, 2, NULL));
}

static void
test_clone_is_apart (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) deep = reel_tensordict_clone (td, TRUE, NULL);
  g_autoptr (ReelTensordict) shared = reel_tensordict_clone (td, FALSE, NULL);

  g_assert_true (reel_tensordict_equal (td, deep));
  *(gint64 *) reel_tensordict_get_tensor (td, "a", NULL)->data = 77;
  g_assert_cmpint (value_at (deep, "a", 0, 0), ==, 0);
  g_assert_cmpint (value_at (shared, "a", 0, 0), ==, 77);
  g_assert_false (reel_tensordict_equal (td, deep));
  g_assert_true (reel_tensordict_equal (td, shared));
}

static void
test_equal_ignores_order (void)
{
  const gint64 shape[] = { 2, 2 };
  g_autoptr (ReelTensordict) a = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) c = reel_tensordict_new (2, shape);

  g_assert_true (reel_tensordict_equal (a, b));
  g_assert_false (reel_tensordict_equal (a, c));
  set_counting (a, "x", 1, shape);
  set_counting (a, "y/z", 1, shape);
  set_counting (b, "y/z", 1, shape);
  g_assert_false (reel_tensordict_equal (a, b));
  set_counting (b, "x", 1, shape);
  g_assert_true (reel_tensordict_equal (a, b));
  set_counting (b, "x", 2, shape);
  g_assert_false (reel_tensordict_equal (a, b));
  reel_tensordict_remove (b, "x", NULL);
  set_counting (b, "x/y", 1, shape);
  g_assert_false (reel_tensordict_equal (a, b));
  reel_tensordict_remove (b, "x", NULL);
  set_counting (b, "w", 1, shape);
  g_assert_false (reel_tensordict_equal (a, b));
}

static void
test_stack_at_every_dimension (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = new_example_tensordict ();
  ReelTensordict *pair[] = { a, b };

  for (gint64 i = 0; i < 6; i++)
    ((gint64 *) reel_tensordict_get_tensor (b, "next/deep/c", NULL)->data)[i] += 100;
  for (gint dim = -3; dim < 3; dim++)
    {
      g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (pair, 2, dim, NULL);
      for (gint64 i = 0; i < 2; i++)
        {
          g_autoptr (ReelTensordict) part = reel_tensordict_select_index (stacked, dim, i, NULL);
          g_assert_true (reel_tensordict_equal (part, pair[i]));
        }
    }
  g_assert_null (reel_tensordict_stack (pair, 2, 3, NULL));
}

static void
assert_cannot_stack (ReelTensordict *a, ReelTensordict *b, const char *beginning)
{
  ReelTensordict *pair[] = { a, b };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensordict_stack (pair, 2, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, beginning));
}

static void
test_stack_refuses_what_does_not_fit (void)
{
  const char *exclusive = "The sets of keys in the tensordicts to stack are exclusive";
  const gint64 shape[] = { 3, 2, 5 };
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = reel_tensordict_clone (td, FALSE, NULL);
  g_autoptr (ReelTensordict) part = reel_tensordict_slice (td, 0, 0, 2, 1, NULL);

  assert_cannot_stack (
      td, part,
      "stacking tensordicts requires them to have congruent batch sizes, got "
      "td[1].batch_size=torch.Size([2, 2]) and td[0].batch_size=torch.Size([3, 2])");
  set_counting (other, "more", 2, shape);
  assert_cannot_stack (td, other, exclusive);
  assert_cannot_stack (other, td, exclusive);
  reel_tensordict_remove (other, "more", NULL);
  reel_tensordict_remove (other, "next/deep", NULL);
  set_counting (other, "next/deep", 2, shape);
  assert_cannot_stack (td, other, exclusive);
  reel_tensordict_remove (other, "next", NULL);
  g_assert_true (reel_tensordict_set_tensordict (
      other, "next", reel_tensordict_get_tensordict (td, "next", NULL), NULL));
  set_counting (other, "a", 3, shape);
  assert_cannot_stack (td, other, "The shapes of the tensors to stack is incompatible");
}

static void
test_stack_keeps_a_common_device (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = new_example_tensordict ();
  ReelTensordict *pair[] = { a, b };

  reel_tensordict_set_device (a, "cpu", NULL);
  g_autoptr (ReelTensordict) mixed = reel_tensordict_stack (pair, 2, 0, NULL);
  reel_tensordict_set_device (b, "cpu", NULL);
  g_autoptr (ReelTensordict) common = reel_tensordict_stack (pair, 2, 0, NULL);

  g_assert_null (reel_tensordict_get_device (mixed));
  g_assert_cmpstr (reel_tensordict_get_device (common), ==, "cpu");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict/views-share-memory", test_views_share_memory);
  g_test_add_func ("/core/tensordict/gather-rows", test_gather_rows);
  g_test_add_func ("/core/tensordict/bad-dimensions", test_bad_dimensions);
  g_test_add_func ("/core/tensordict/leaves-outlive-their-view", test_leaves_outlive_their_view);
  g_test_add_func ("/core/tensordict/clone-is-apart", test_clone_is_apart);
  g_test_add_func ("/core/tensordict/equal-ignores-order", test_equal_ignores_order);
  g_test_add_func ("/core/tensordict/stack-at-every-dimension", test_stack_at_every_dimension);
  g_test_add_func ("/core/tensordict/stack-refuses-what-does-not-fit",
                   test_stack_refuses_what_does_not_fit);
  g_test_add_func ("/core/tensordict/stack-keeps-a-common-device",
                   test_stack_keeps_a_common_device);

  return g_test_run ();
}
