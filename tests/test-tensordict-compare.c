/* Equality, truth and closeness. */
#include "../src/core/tensor/tensor-compare.h"
#include "small-tensordicts.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static const gint64 shape[] = { 3, 2, 4 };

/* ---- values ---- */

static void
read_value (const json_t *json, ReelDtype dtype, guint8 *element)
{
  gint64 integer = json_integer_value (json);

  if (json_is_string (json))
    reel_dtype_store_double (dtype, element, g_ascii_strtod (json_string_value (json), NULL));
  else
    memcpy (element, &integer, reel_dtype_size (dtype));
}

/* A tensor `[n]` of the values of a case; complex ones are pairs. */
static ReelTensor *
read_values (const json_t *values, ReelDtype dtype)
{
  gboolean pairs = reel_dtype_is_complex (dtype);
  gint64 n = (gint64) json_array_size (values) / (pairs ? 2 : 1);
  ReelTensor *tensor = reel_tensor_new (dtype, 1, &n, NULL);
  ReelDtype part = pairs ? REEL_DTYPE_FLOAT32 : dtype;

  for (gsize i = 0; i < json_array_size (values); i++)
    read_value (json_array_get (values, i), part, tensor->data + i * reel_dtype_size (part));
  return tensor;
}

static gboolean
is_close (ReelTensor *values, gint64 i, gint64 j, double rtol, double atol, gboolean equal_nan)
{
  g_autoptr (ReelTensor) actual = reel_tensor_select (values, 0, i, NULL);
  g_autoptr (ReelTensor) expected = reel_tensor_select (values, 0, j, NULL);
  g_autoptr (ReelTensordict) a = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (a, "x", actual, NULL);
  reel_tensordict_set_tensor (b, "x", expected, NULL);
  if (reel_tensordict_all_close (a, b, rtol, atol, equal_nan, &error))
    return TRUE;
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  return FALSE;
}

static char
digit_at (const json_t *vector, const char *key, gint64 at)
{
  return json_string_value (json_object_get (vector, key))[at];
}

static void
check_vector (const json_t *vector)
{
  ReelDtype dtype;

  g_assert_true (
      reel_dtype_from_name (json_string_value (json_object_get (vector, "dtype")), &dtype, NULL));
  g_autoptr (ReelTensor) values = read_values (json_object_get (vector, "values"), dtype);
  g_autoptr (ReelTensor) column = reel_tensor_unsqueeze (values, 1, NULL);
  g_autoptr (ReelTensor) equal = reel_tensor_compare (column, values, TRUE, NULL);
  g_autoptr (ReelTensor) differ = reel_tensor_compare (column, values, FALSE, NULL);
  gint64 n = values->shape[0];

  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < n; j++)
      {
        gint64 at = i * n + j;
        g_assert_cmpint (equal->data[at], ==, digit_at (vector, "eq", at) == '1');
        g_assert_cmpint (differ->data[at], ==, !equal->data[at]);
        g_assert_true (is_close (values, i, j, -1, -1, TRUE)
                       == (digit_at (vector, "close", at) == '1'));
        g_assert_true (is_close (values, i, j, -1, -1, FALSE)
                       == (digit_at (vector, "nan_differs", at) == '1'));
        g_assert_true (is_close (values, i, j, 0.25, 0.5, TRUE)
                       == (digit_at (vector, "given", at) == '1'));
      }
}

/* tests/tools/make-compare.py asked tensordict about all pairs of values of each dtype. */
static void
test_every_pair (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "compare.json", NULL);
  g_autoptr (json_t) file = json_load_file (path, 0, NULL);
  json_t *cases = json_object_get (file, "cases");

  g_assert_cmpuint (json_array_size (cases), ==, 8);
  for (gsize i = 0; i < json_array_size (cases); i++)
    check_vector (json_array_get (cases, i));
}

static void
test_values_of_different_types (void)
{
  const gint64 integers[] = { 0, 1, 1LL << 53, (1LL << 53) + 1, -1 };
  const gint64 n = G_N_ELEMENTS (integers);
  const guint8 expected_real[] = { 1, 1, 1, 0, 1 }, expected_unsigned[] = { 1, 1, 1, 1, 0 };
  g_autoptr (ReelTensor) i64 = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) u64 = reel_tensor_new (REEL_DTYPE_UINT64, 1, &n, NULL);
  g_autoptr (ReelTensor) f64 = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &n, NULL);
  g_autoptr (ReelTensor) c64 = reel_tensor_new (REEL_DTYPE_COMPLEX64, 1, &n, NULL);

  memcpy (i64->data, integers, sizeof integers);
  memcpy (u64->data, integers, sizeof integers);
  for (gint64 i = 0; i < n; i++)
    {
      ((double *) f64->data)[i] = (double) integers[i];
      ((float *) c64->data)[2 * i] = (float) integers[i];
    }
  g_autoptr (ReelTensor) real = reel_tensor_compare (i64, f64, TRUE, NULL);
  g_autoptr (ReelTensor) complex = reel_tensor_compare (c64, i64, TRUE, NULL);
  g_autoptr (ReelTensor) unsigned_ = reel_tensor_compare (i64, u64, TRUE, NULL);
  g_assert_cmpmem (real->data, n, expected_real, n);
  g_assert_cmpmem (complex->data, n, expected_real, n);
  g_assert_cmpmem (unsigned_->data, n, expected_unsigned, n);
  ((float *) c64->data)[1] = 1;
  g_autoptr (ReelTensor) imaginary = reel_tensor_compare (c64, i64, TRUE, NULL);
  g_assert_cmpint (imaginary->data[0], ==, 0);
}

/* Against a look at each element, for tensors and views of every small shape. */
static void
test_truth_of_views (void)
{
  for (gint64 ones = 0; ones < 1 << 6; ones++)
    {
      g_autoptr (ReelTensor) tensor =
          reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ 3, 2 }, NULL);
      for (gint i = 0; i < 6; i++)
        tensor->data[i] = ones >> i & 1;
      for (gint begin = 0; begin < 3; begin++)
        for (gint step = 1; step < 3; step++)
          {
            g_autoptr (ReelTensor) rows =
                reel_tensor_slice (tensor, 0, begin, G_MAXINT64, step, NULL);
            g_autoptr (ReelTensor) view = reel_tensor_transpose (rows, 0, 1, NULL);
            guint found = 0;
            for (gint row = begin; row < 3; row += step)
              for (gint i = 0; i < 2; i++)
                found |= 1u << tensor->data[row * 2 + i];
            g_assert_true (reel_tensor_find_truth (view, TRUE) == (gboolean) (found >> 1 & 1));
            g_assert_true (reel_tensor_find_truth (view, FALSE) == (gboolean) (found & 1));
            g_assert_true (reel_tensor_find_truth (rows, TRUE) == (gboolean) (found >> 1 & 1));
          }
    }
}

/* ---- tensordicts ---- */

static void
test_eq_is_a_tensordict_of_bools (void)
{
  static const char *const fields[] = { "a", "next", "s", NULL };
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  const char *names[] = { "lane", "time" };

  reel_tensordict_set_value (a, "s", g_variant_new_string ("x"), NULL);
  reel_tensordict_set_names (a, names, NULL);
  reel_tensordict_set_class (a, "m.A", fields, NULL);
  g_autoptr (ReelTensordict) b = reel_tensordict_clone (a, TRUE, NULL);
  ((gint64 *) reel_tensordict_get_tensor (b, "next/b", NULL)->data)[5] = 77;
  g_autoptr (ReelTensordict) same = reel_tensordict_eq (a, a, NULL);
  g_autoptr (ReelTensordict) eq = reel_tensordict_eq (a, b, NULL);
  g_autoptr (ReelTensordict) ne = reel_tensordict_ne (a, b, NULL);
  ReelTensor *bools = reel_tensordict_get_tensor (eq, "next/b", NULL);

  assert_leaves (eq, "a next/b next/deep/c s");
  g_assert_cmpint (bools->dtype, ==, REEL_DTYPE_BOOL);
  g_assert_cmpint (bools->ndim, ==, 3);
  g_assert_cmpint (bools->data[5], ==, 0);
  g_assert_cmpint (bools->data[4], ==, 1);
  g_assert_cmpint (reel_tensordict_get_tensor (eq, "s", NULL)->ndim, ==, 2);
  g_assert_null (reel_tensordict_get_name (eq, 0));
  g_assert_cmpstr (reel_tensordict_get_class_name (eq), ==, "m.A");
  g_assert_true (reel_tensordict_all (same));
  g_assert_false (reel_tensordict_all (eq));
  g_assert_true (reel_tensordict_any (eq));
  g_assert_true (reel_tensordict_any (ne));
  g_assert_false (reel_tensordict_all (ne));
}

static void
test_values_are_compared_by_element (void)
{
  g_autoptr (ReelTensordict) a = reel_tensordict_new (1, (gint64[]){ 2 });
  g_autoptr (ReelTensordict) b = reel_tensordict_new (1, (gint64[]){ 2 });
  g_autoptr (ReelNonTensor) list =
      reel_non_tensor_new_from_list (g_variant_new_parsed ("['x', 'y']"), 1, NULL);

  reel_tensordict_set_value (a, "s", g_variant_new_string ("x"), NULL);
  reel_tensordict_set_non_tensor (b, "s", list, NULL);
  g_autoptr (ReelTensordict) eq = reel_tensordict_eq (a, b, NULL);
  ReelTensor *bools = reel_tensordict_get_tensor (eq, "s", NULL);
  g_assert_cmpmem (bools->data, 2, ((guint8[]){ 1, 0 }), 2);
}

static void
test_truth_of_nothing (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);

  g_assert_true (reel_tensordict_all (td));
  g_assert_false (reel_tensordict_any (td));
  set_counting (td, "x/empty", 2, (gint64[]){ 3, 0 });
  g_assert_true (reel_tensordict_all (td));
  g_assert_false (reel_tensordict_any (td));
  set_counting (td, "x/full", 1, shape);
  g_assert_false (reel_tensordict_all (td));
  g_assert_true (reel_tensordict_any (td));
}

#define MISMATCH "keys in tensordicts mismatch. "
#define FIRST_HAS(keys) "The first TD has keys {" keys "} that the second does not have."
#define SECOND_HAS(keys) "The second TD has keys {" keys "} that the first does not have."

static void
assert_cannot_compare (ReelTensordict *a, ReelTensordict *b, ReelError code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_tensordict_eq (a, b, &error));
  assert_message (&error, code, message);
  if (code == REEL_ERROR_RUNTIME)
    return;
  g_assert_false (reel_tensordict_all_close (a, b, -1, -1, TRUE, &error));
  assert_message (&error, code, message);
}

static void
test_keys_must_be_the_same (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = reel_tensordict_clone (a, FALSE, NULL);

  reel_tensordict_remove (b, "next/b", NULL);
  assert_cannot_compare (a, b, REEL_ERROR_KEY, MISMATCH FIRST_HAS ("'b'"));
  assert_cannot_compare (b, a, REEL_ERROR_KEY, MISMATCH SECOND_HAS ("'b'"));
  reel_tensordict_remove (b, "next", NULL);
  reel_tensordict_remove (b, "a", NULL);
  set_counting (b, "z", 2, shape);
  assert_cannot_compare (a, b, REEL_ERROR_KEY,
                         MISMATCH FIRST_HAS ("'a', 'next'") " " SECOND_HAS ("'z'"));
  reel_tensordict_remove (b, "z", NULL);
  set_counting (b, "next", 2, shape);
  set_counting (b, "a", 2, shape);
  assert_cannot_compare (a, b, REEL_ERROR_TYPE,
                         "\"next\" is a tensordict in the first tensordict and a tensor in the "
                         "second");
}

static void
test_sizes_must_fit (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = reel_tensordict_clone (a, FALSE, NULL);
  g_autoptr (ReelTensordict) row = reel_tensordict_select_index (a, 0, 0, NULL);

  assert_cannot_compare (a, row, REEL_ERROR_RUNTIME,
                         "cannot compare values of batch sizes torch.Size([3, 2]) and "
                         "torch.Size([2])");
  set_counting (b, "next/b", 3, (gint64[]){ 3, 2, 5 });
  assert_cannot_compare (a, b, REEL_ERROR_RUNTIME,
                         "key \"next/b\": The size of tensor a (4) must match the size of tensor b "
                         "(5) at non-singleton dimension 2");
  set_counting (b, "next/b", 3, (gint64[]){ 3, 2, 1 });
  g_autoptr (ReelTensordict) eq = reel_tensordict_eq (a, b, NULL);
  g_assert_cmpint (reel_tensordict_get_tensor (eq, "next/b", NULL)->shape[2], ==, 4);
}

static void
assert_far (ReelTensordict *actual, ReelTensordict *expected, const char *message)
{
  GError *error = NULL;

  g_assert_false (reel_tensordict_all_close (actual, expected, -1, -1, TRUE, &error));
  assert_message (&error, REEL_ERROR_ASSERTION, message);
}

static void
test_what_is_not_close_is_named (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = reel_tensordict_clone (a, TRUE, NULL);
  g_autoptr (ReelTensor) real = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTensor) complex = reel_tensor_new (REEL_DTYPE_COMPLEX64, 2, shape, NULL);

  g_assert_true (reel_tensordict_all_close (a, b, -1, -1, TRUE, NULL));
  ((gint64 *) reel_tensordict_get_tensor (b, "next/deep/c", NULL)->data)[3] = 5;
  assert_far (a, b,
              "key \"next/deep/c\" does not match, got mse = 0.8165: 3 at [1, 1], expected 5");
  g_assert_true (reel_tensordict_all_close (a, b, 0, 2, TRUE, NULL));

  reel_tensordict_set_tensor (a, "next/deep/c", real, NULL);
  assert_far (a, b, "key \"next/deep/c\" is of dtype float32, expected int64");
  set_counting (b, "next/b", 2, shape);
  assert_far (a, b,
              "key \"next/b\" is of shape torch.Size([3, 2, 4]), expected torch.Size([3, 2])");

  reel_tensordict_set_tensor (a, "a", real, NULL);
  g_autoptr (ReelTensordict) c = reel_tensordict_clone (a, TRUE, NULL);
  ((float *) real->data)[0] = 1e-3f;
  assert_far (a, c,
              "key \"a\" does not match, got mse = 0.0004: 0.00100000005 at [0, 0], expected 0");
  ((float *) real->data)[0] = NAN;
  assert_far (a, c, "key \"a\" does not match, got mse =  nan: nan at [0, 0], expected 0");

  reel_tensordict_set_tensor (a, "a", complex, NULL);
  g_autoptr (ReelTensordict) d = reel_tensordict_clone (a, TRUE, NULL);
  ((float *) complex->data)[3] = 2;
  assert_far (a, d, "key \"a\" does not match, got mse = 0.8165: 0+2j at [0, 1], expected 0+0j");
}

/* Of views, and of what is no tensor, which is not looked at. */
static void
test_close_views (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = reel_tensordict_clone (a, TRUE, NULL);

  reel_tensordict_set_value (a, "s", g_variant_new_string ("x"), NULL);
  reel_tensordict_set_value (b, "s", g_variant_new_string ("y"), NULL);
  g_autoptr (ReelTensordict) left = reel_tensordict_transpose (a, 0, 1, NULL);
  g_autoptr (ReelTensordict) turned = reel_tensordict_transpose (b, 0, 1, NULL);
  g_autoptr (ReelTensordict) right = reel_tensordict_clone (turned, TRUE, NULL);
  g_assert_true (reel_tensordict_all_close (left, right, -1, -1, FALSE, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-compare/every-pair", test_every_pair);
  g_test_add_func ("/core/tensordict-compare/values-of-different-types",
                   test_values_of_different_types);
  g_test_add_func ("/core/tensordict-compare/truth-of-views", test_truth_of_views);
  g_test_add_func ("/core/tensordict-compare/eq-is-a-tensordict-of-bools",
                   test_eq_is_a_tensordict_of_bools);
  g_test_add_func ("/core/tensordict-compare/values-are-compared-by-element",
                   test_values_are_compared_by_element);
  g_test_add_func ("/core/tensordict-compare/truth-of-nothing", test_truth_of_nothing);
  g_test_add_func ("/core/tensordict-compare/keys-must-be-the-same", test_keys_must_be_the_same);
  g_test_add_func ("/core/tensordict-compare/sizes-must-fit", test_sizes_must_fit);
  g_test_add_func ("/core/tensordict-compare/what-is-not-close-is-named",
                   test_what_is_not_close_is_named);
  g_test_add_func ("/core/tensordict-compare/close-views", test_close_views);

  return g_test_run ();
}
