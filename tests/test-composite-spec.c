/* Composites: their paths, their tensordicts, the streams of their leaves. */
#include "../src/reel.h"
#include "make-spec.h"

static void
test_leaves_and_paths (void)
{
  g_autoptr (ReelSpec) leaf = make_binary (REEL_DTYPE_INT8, SCALAR);
  const char *const inner_keys[] = { "a/b", "" };
  const char *const keys[] = { "x", "n", "z" };
  ReelSpec *const leaves[] = { leaf, leaf };
  g_autoptr (ReelSpec) inner = make_composite (SCALAR, inner_keys, leaves, 2);
  ReelSpec *const specs[] = { leaf, inner, leaf };
  g_autoptr (ReelSpec) spec = make_composite (SCALAR, keys, specs, 3);
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  g_autofree char *joined = g_strjoinv (" ", paths);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (joined, ==, "x n/a%2Fb n/% z");
  for (guint i = 0; paths[i]; i++)
    g_assert_true (reel_spec_get (spec, paths[i], NULL) == leaf);
  g_assert_true (reel_spec_get (spec, "n", NULL) == inner);
  g_assert_null (reel_spec_get (spec, "n/y", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_null (reel_spec_get (spec, "x/y", NULL));
  g_assert_null (reel_spec_get (spec, "n/", NULL));
  g_assert_null (reel_spec_get (spec, "", NULL));
}

static void
test_tensordicts_of_a_composite (void)
{
  g_autoptr (ReelSpec) spec = make_nested ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (spec, 1, 0, SHAPE (2), &error);
  g_autoptr (ReelTensordict) same = reel_spec_rand_tensordict (spec, 1, 0, SHAPE (2), NULL);
  g_autoptr (ReelTensordict) zero = reel_spec_zero_tensordict (spec, SHAPE (2), NULL);
  ReelTensor *act = reel_tensordict_get_tensor (td, "n/act", &error);

  g_assert_no_error (error);
  g_assert_cmpint (act->ndim, ==, 2);
  g_assert_cmpint (reel_tensordict_numel (td), ==, 6);
  g_assert_true (reel_tensordict_equal (td, same));
  g_assert_true (reel_spec_is_in_tensordict (spec, td, &error));
  g_assert_true (reel_spec_is_in_tensordict (spec, zero, &error));
  g_assert_no_error (error);

  ((gint64 *) (gpointer) act->data)[5] = 4;
  g_assert_false (reel_spec_is_in_tensordict (spec, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_cmpstr (error->message, ==, "n: act: element [1, 2] is 4, not in 0 to 3");
  g_clear_error (&error);
  g_assert_true (reel_tensordict_remove (zero, "obs", NULL));
  g_assert_false (reel_spec_is_in_tensordict (spec, zero, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
}

static void
test_each_leaf_has_its_stream (void)
{
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_INT64, SCALAR);
  const char *const keys[] = { "a", "b" };
  ReelSpec *const specs[] = { leaf, leaf };
  g_autoptr (ReelSpec) spec = make_composite (SCALAR, keys, specs, 2);
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (spec, 1, 0, SCALAR, NULL);

  g_assert_false (reel_tensor_equal (reel_tensordict_get_tensor (td, "a", NULL),
                                     reel_tensordict_get_tensor (td, "b", NULL)));
}

static void
test_order_of_keys_does_not_matter (void)
{
  g_autoptr (ReelSpec) a = make_binary (REEL_DTYPE_INT8, SCALAR);
  g_autoptr (ReelSpec) b = make_unbounded (REEL_DTYPE_INT8, SCALAR);
  const char *const keys[] = { "a", "b" };
  const char *const swapped_keys[] = { "b", "a" };
  ReelSpec *const specs[] = { a, b };
  ReelSpec *const swapped[] = { b, a };
  g_autoptr (ReelSpec) one = make_composite (SCALAR, keys, specs, 2);
  g_autoptr (ReelSpec) two = make_composite (SCALAR, swapped_keys, swapped, 2);
  g_autoptr (ReelSpec) three = make_composite (SCALAR, keys, swapped, 2);
  g_autoptr (ReelSpec) less = make_composite (SCALAR, keys, specs, 1);

  g_assert_true (reel_spec_equal (one, two));
  g_assert_false (reel_spec_equal (one, three));
  g_assert_false (reel_spec_equal (one, less));
  g_assert_false (reel_spec_equal (one, a) || reel_spec_equal (a, one));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/composite/leaves-and-paths", test_leaves_and_paths);
  g_test_add_func ("/specs/composite/tensordicts", test_tensordicts_of_a_composite);
  g_test_add_func ("/specs/composite/each-leaf-has-its-stream", test_each_leaf_has_its_stream);
  g_test_add_func ("/specs/composite/order-of-keys-does-not-matter",
                   test_order_of_keys_does_not_matter);

  return g_test_run ();
}
