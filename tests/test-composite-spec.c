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

/* ---- ones, dtypes, projection ---- */

static void
test_ones (void)
{
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelSpec) spec = reel_spec_set (nested, "none", NULL, NULL);
  g_autoptr (ReelTensordict) one = reel_spec_one_tensordict (spec, SHAPE (2), NULL);
  ReelTensor *obs = reel_tensordict_get_tensor (one, "obs", NULL);

  g_assert_false (reel_tensordict_contains (one, "none"));
  for (gint64 i = 0; i < 12; i++)
    g_assert_cmpfloat (get_element (obs, i), ==, 1);
  g_assert_true (reel_spec_is_in_tensordict (spec, one, NULL));
}

static void
test_type_check (void)
{
  g_autoptr (ReelSpec) spec = make_nested ();
  g_autoptr (ReelSpec) flags = make_binary (REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) other = reel_spec_set (spec, "n/act", flags, NULL);
  g_autoptr (ReelTensordict) value = reel_spec_zero_tensordict (spec, SCALAR, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_type_check_tensordict (spec, value, NULL));
  g_assert_false (reel_spec_type_check_tensordict (other, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==,
                   "n: act: value.dtype=torch.int64 but Binary.dtype=torch.int8");
}

static void
test_project (void)
{
  g_autoptr (ReelSpec) spec = make_nested ();
  g_autoptr (ReelTensordict) value = reel_spec_zero_tensordict (spec, SCALAR, NULL);
  g_autoptr (ReelTensordict) same = reel_spec_project_tensordict (spec, value, NULL);
  ReelTensor *act = reel_tensordict_get_tensor (value, "n/act", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (same == value);
  ((gint64 *) (gpointer) act->data)[2] = 9;
  g_autoptr (ReelTensordict) projected = reel_spec_project_tensordict (spec, value, NULL);
  g_assert_true (reel_spec_is_in_tensordict (spec, projected, NULL));
  g_assert_true (reel_tensordict_get_tensor (projected, "obs", NULL)
                 == reel_tensordict_get_tensor (value, "obs", NULL));
  /* Arguments are not written to. */
  g_assert_cmpint (((gint64 *) (gpointer) act->data)[2], ==, 9);

  g_assert_true (reel_tensordict_remove (value, "n/act", NULL));
  g_assert_null (reel_spec_project_tensordict (spec, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

/* ---- encode ---- */

static ReelTensordict *
make_raw (const char *path, double value)
{
  ReelTensordict *td = reel_tensordict_new (SCALAR);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT64, SHAPE (3), NULL);

  for (gsize i = 0; i < 3; i++)
    reel_dtype_store_double (REEL_DTYPE_FLOAT64, tensor->data + i * sizeof value, value);
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  return td;
}

static void
check_not_encoded (const ReelSpec *spec, const char *path, double value, gint code,
                   const char *message)
{
  g_autoptr (ReelTensordict) raw = make_raw (path, value);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_encode_tensordict (spec, raw, TRUE, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, message));
}

static void
test_encode (void)
{
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelSpec) spec = reel_spec_set (nested, "none", NULL, NULL);
  g_autoptr (ReelTensordict) raw = make_raw ("n/act", 3);
  g_autoptr (ReelTensordict) encoded = reel_spec_encode_tensordict (spec, raw, TRUE, NULL);
  ReelTensor *act = reel_tensordict_get_tensor (encoded, "n/act", NULL);

  g_assert_cmpint (act->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpfloat (get_element (act, 2), ==, 3);
  g_assert_false (reel_tensordict_contains (encoded, "obs"));
  check_not_encoded (spec, "n/other", 0, REEL_ERROR_KEY,
                     "n: The Composite instance with keys ['act'] does not have a 'other' key.");
  check_not_encoded (spec, "none", 0, REEL_ERROR_RUNTIME,
                     "none: Composite.encode cannot be used with missing values.");
  check_not_encoded (spec, "obs", 0, REEL_ERROR_RUNTIME, "obs: Shape mismatch: ");
  check_not_encoded (spec, "n/act", 4, REEL_ERROR_ASSERTION, "n: act: Encoding failed ");
  check_not_encoded (spec, "n", 0, REEL_ERROR_TYPE, "n: a Composite does not encode numbers");
}

/* Numbers need not be tensors. */
static void
test_encode_values (void)
{
  g_autoptr (ReelSpec) leaf = make_one_hot (3, REEL_DTYPE_BOOL, SHAPE (3));
  const char *const keys[] = { "a" };
  g_autoptr (ReelSpec) spec = make_composite (SCALAR, keys, &leaf, 1);
  g_autoptr (ReelTensordict) raw = reel_tensordict_new (SCALAR);

  g_assert_true (reel_tensordict_set_value (raw, "a", g_variant_new_int64 (2), NULL));
  g_autoptr (ReelTensordict) encoded = reel_spec_encode_tensordict (spec, raw, TRUE, NULL);
  g_assert_cmpfloat (get_element (reel_tensordict_get_tensor (encoded, "a", NULL), 2), ==, 1);
}

/* ---- enumerate; T15.6-7, T15.6-8 ---- */

static void
test_enumerate (void)
{
  g_autoptr (ReelSpec) a = make_categorical (5, REEL_DTYPE_INT64, SHAPE (3));
  g_autoptr (ReelSpec) b = make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (3, 4));
  g_autoptr (ReelSpec) none = make_composite (SHAPE (3), NULL, NULL, 0);
  g_autoptr (ReelSpec) one = reel_spec_set (none, "a", a, NULL);
  g_autoptr (ReelSpec) spec = reel_spec_set (one, "n/b", b, NULL);
  g_autoptr (ReelTensordict) all = reel_spec_enumerate_tensordict (spec, FALSE, NULL);
  ReelTensor *first = reel_tensordict_get_tensor (all, "a", NULL);
  ReelTensor *second = reel_tensordict_get_tensor (all, "n/b", NULL);
  gint64 n;

  g_assert_true (reel_spec_cardinality (spec, &n, NULL));
  g_assert_cmpint (n, ==, 20);
  g_assert_cmpint (reel_tensordict_numel (all), ==, 60);
  g_assert_true (reel_spec_is_in_tensordict (spec, all, NULL));
  for (gint64 i = 0; i < 20; i++)
    for (gint64 k = 0; k < 3; k++)
      {
        g_assert_cmpint (*(gint64 *) reel_tensor_element (first, (gint64[]){ i, k }), ==, i / 4);
        g_assert_true (*(guint8 *) reel_tensor_element (second, (gint64[]){ i, k, i % 4 }));
      }
  g_assert_true (reel_spec_cardinality (none, &n, NULL));
  g_assert_cmpint (n, ==, 0);
}

static void
test_enumerate_refuses (void)
{
  g_autoptr (ReelSpec) spec = make_nested ();
  g_autoptr (ReelSpec) many = make_categorical (G_MAXINT32, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (GError) error = NULL;
  const char *const keys[] = { "a", "b", "c" };
  ReelSpec *const specs[] = { many, many, many };
  g_autoptr (ReelSpec) huge = make_composite (SCALAR, keys, specs, 3);
  gint64 n;

  g_assert_null (reel_spec_enumerate_tensordict (spec, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_true (g_str_has_prefix (error->message, "obs: "));
  g_assert_true (reel_spec_cardinality (huge, &n, NULL));
  g_assert_cmpint (n, ==, G_MAXINT64);
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
  g_test_add_func ("/specs/composite/ones", test_ones);
  g_test_add_func ("/specs/composite/type-check", test_type_check);
  g_test_add_func ("/specs/composite/project", test_project);
  g_test_add_func ("/specs/composite/encode", test_encode);
  g_test_add_func ("/specs/composite/encode-values", test_encode_values);
  g_test_add_func ("/specs/composite/enumerate", test_enumerate);
  g_test_add_func ("/specs/composite/enumerate-refuses", test_enumerate_refuses);

  return g_test_run ();
}
