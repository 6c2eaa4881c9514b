/* Refusals, texts and equality of each kind of spec. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

/* T15.6-17 */
static void
test_a_binary_scalar (void)
{
  g_autoptr (ReelSpec) spec = make_binary (REEL_DTYPE_INT8, SCALAR);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 0, 0, SCALAR, NULL);
  gint ndim;

  reel_spec_get_shape (spec, &ndim);
  g_assert_cmpint (ndim, ==, 0);
  g_assert_cmpint (value->ndim, ==, 0);
}

static void
test_equal_across_kinds (void)
{
  g_autoptr (ReelSpec) two = make_categorical (2, REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) bits = make_binary (REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) three = make_categorical (3, REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) full =
      make_bounded (REEL_DTYPE_FLOAT32, SCALAR, -(double) G_MAXFLOAT, (double) G_MAXFLOAT);
  g_autoptr (ReelSpec) infinite = make_bounded (REEL_DTYPE_FLOAT32, SCALAR, -INFINITY, INFINITY);
  g_autoptr (ReelSpec) any = make_unbounded (REEL_DTYPE_FLOAT32, SCALAR);
  g_autoptr (ReelSpec) bytes = make_bounded (REEL_DTYPE_UINT8, SCALAR, 0, 255);
  g_autoptr (ReelSpec) any_byte = make_unbounded (REEL_DTYPE_UINT8, SCALAR);

  g_assert_true (reel_spec_equal (two, bits) && reel_spec_equal (bits, two));
  g_assert_false (reel_spec_equal (three, bits) || reel_spec_equal (bits, three));
  g_assert_true (reel_spec_equal (full, any) && reel_spec_equal (any, full));
  g_assert_false (reel_spec_equal (infinite, any) || reel_spec_equal (any, infinite));
  g_assert_true (reel_spec_equal (bytes, any_byte) && reel_spec_equal (any_byte, bytes));
}

/* An extent of −1 takes any, is 1 where something is made, and has the bounds of that 1. */
static void
test_dynamic_extents (void)
{
  const double low[] = { 0, 10 }, high[] = { 1, 11 };
  const float inside[] = { 0, 10, 1, 11, 0.5f, 10.5f };
  g_autoptr (ReelSpec) spec =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, SHAPE (-1, 1, 2), low, 2, high, 2, NULL);
  g_autoptr (ReelSpec) column =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, SHAPE (2, -1), low, 2, high, 2, NULL);
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (3, 1, 2), NULL);
  g_autoptr (ReelTensor) wrong = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (3, 2, 2), NULL);
  g_autoptr (ReelTensor) drawn = reel_spec_rand (spec, 1, 0, SHAPE (4), NULL);
  g_autoptr (ReelTensor) columns = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2, 3), NULL);
  g_autofree char *text = reel_spec_to_text (spec);
  g_autoptr (GError) error = NULL;

  memcpy (value->data, inside, sizeof inside);
  g_assert_true (reel_spec_is_in (spec, value, &error));
  g_assert_no_error (error);
  g_assert_false (reel_spec_is_in (spec, wrong, NULL));
  g_assert_cmpint (drawn->shape[1], ==, 1);
  g_assert_true (reel_spec_is_in (spec, drawn, NULL));
  g_assert_cmpstr (text, ==, "bounded:low=[0,10],high=[1,11],shape=[-1,1,2]");

  for (gint i = 0; i < 6; i++)
    ((float *) (gpointer) columns->data)[i] = i < 3 ? 1 : 11;
  g_assert_true (reel_spec_is_in (column, columns, NULL));
  ((float *) (gpointer) columns->data)[2] = 11;
  g_assert_false (reel_spec_is_in (column, columns, &error));
  g_assert_cmpstr (error->message, ==, "element [0, 2] is 11, not at most 1");
  g_autoptr (ReelTensor) projected = reel_spec_project (column, columns, NULL);
  g_assert_cmpfloat (get_element (projected, 2), ==, 1);
}

/* ---- what cannot be made ---- */

static void
check_refused (ReelSpec *spec, GError **error, const char *message)
{
  g_assert_null (spec);
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

static void
test_boxes_that_cannot_be (void)
{
  const double one = 1, two = 2, half = 0.5, nan = NAN, much = 300, none = -1;
  const double three[] = { 1, 2, 3 };
  GError *error = NULL;

#define BOX(dtype, low, n_low, high, n_high)                                                       \
  reel_bounded_spec_new (dtype, SHAPE (2), low, n_low, high, n_high, &error)
  check_refused (BOX (REEL_DTYPE_FLOAT32, &two, 1, &one, 1), &error,
                 "a low of 2 is above its high of 1");
  check_refused (BOX (REEL_DTYPE_FLOAT32, &nan, 1, &one, 1), &error,
                 "a bound cannot be nan: it must be a value of float32");
  check_refused (BOX (REEL_DTYPE_INT8, &half, 1, &one, 1), &error,
                 "a bound cannot be 0.5: it must be a value of int8");
  check_refused (BOX (REEL_DTYPE_UINT8, &one, 1, &much, 1), &error,
                 "a bound cannot be 300: it must be a value of uint8");
  check_refused (BOX (REEL_DTYPE_UINT64, &none, 1, &one, 1), &error,
                 "a bound cannot be -1: it must be a value of uint64");
  check_refused (BOX (REEL_DTYPE_FLOAT32, three, 3, &one, 1), &error,
                 "3 lows and 1 highs do not fit shape [2]: give one, or one an element");
  check_refused (BOX (REEL_DTYPE_COMPLEX64, &one, 1, &two, 1), &error,
                 "a bounded spec cannot be complex64: complex numbers have no order");
#undef BOX
}

static void
test_classes_that_cannot_be (void)
{
  GError *error = NULL;

  check_refused (reel_categorical_spec_new (0, REEL_DTYPE_INT64, SCALAR, &error), &error,
                 "a categorical spec cannot have 0 values: it must have at least 1");
  check_refused (reel_categorical_spec_new (3, REEL_DTYPE_FLOAT32, SCALAR, &error), &error,
                 "a categorical spec cannot be float32: it must be bool or an integer type");
  check_refused (reel_categorical_spec_new (300, REEL_DTYPE_UINT8, SCALAR, &error), &error,
                 "a categorical spec of 300 values cannot be uint8: it must hold 299");
  check_refused (reel_one_hot_spec_new (3, REEL_DTYPE_BOOL, SHAPE (4), &error), &error,
                 "a one-hot spec of 3 values cannot have shape [4]: its last extent must be 3");
  check_refused (reel_one_hot_spec_new (3, REEL_DTYPE_BOOL, SCALAR, &error), &error,
                 "a one-hot spec of 3 values cannot have shape []: its last extent must be 3");
  check_refused (reel_binary_spec_new (REEL_DTYPE_FLOAT64, SCALAR, &error), &error,
                 "a binary spec cannot be float64: it must be bool or an integer type");
}

static void
test_shapes_that_cannot_be (void)
{
  g_autoptr (ReelSpec) leaf = make_binary (REEL_DTYPE_INT8, SHAPE (3));
  const char *const keys[] = { "a", "a" };
  ReelSpec *const specs[] = { leaf, leaf };
  gint64 many[REEL_MAX_NDIM];
  GError *error = NULL;

  for (gint i = 0; i < REEL_MAX_NDIM; i++)
    many[i] = 1;
  check_refused (reel_unbounded_spec_new (REEL_DTYPE_INT8, SHAPE (2, -2), &error), &error,
                 "a spec cannot have shape [2, -2]: extents must be 0 and up, or -1 for any, and "
                 "their product not beyond memory");
  check_refused (
      reel_unbounded_spec_new (REEL_DTYPE_INT8, SHAPE (G_MAXINT32, G_MAXINT64), &error), &error,
      "a spec cannot have shape [2147483647, 9223372036854775807]: extents must be 0 and "
      "up, or -1 for any, and their product not beyond memory");
  check_refused (reel_spec_batch (leaf, REEL_MAX_NDIM, many, &error), &error,
                 "a spec cannot have 17 dimensions: it must have 0 to 16");
  check_refused (reel_composite_spec_new (SHAPE (2), keys, specs, 1, &error), &error,
                 "\"a\": the shapes of the spec Binary and the Composite mismatch: the first 1 "
                 "dimensions should match but got spec.shape=[3] and Composite.shape=[2]");
  check_refused (reel_composite_spec_new (SHAPE (3), keys, specs, 2, &error), &error,
                 "the key \"a\" is repeated");
}

/* ---- text ---- */

static void
check_text (ReelSpec *given, const char *expected)
{
  g_autoptr (ReelSpec) spec = given;
  g_autofree char *text = reel_spec_to_text (spec);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_text (void)
{
  check_text (make_bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -1, 1),
              "bounded:low=-1,high=1,shape=[3]");
  check_text (make_bounded (REEL_DTYPE_FLOAT64, SCALAR, -INFINITY, 0.1),
              "bounded:low=-inf,high=0.1,dtype=float64");
  check_text (make_bounded (REEL_DTYPE_FLOAT32, SCALAR, -4.8, 0.1), "bounded:low=-4.8,high=0.1");
  check_text (make_bounded (REEL_DTYPE_FLOAT32, SCALAR, 0, 16777216),
              "bounded:low=0,high=16777216");
  check_text (make_bounded (REEL_DTYPE_FLOAT16, SCALAR, 0.1, 65504),
              "bounded:low=0.0999756,high=65504,dtype=float16");
  check_text (make_bounded_pair (-1, 1, 0, 5), "bounded:low=[-1,0],high=[1,5],shape=[2]");
  check_text (make_unbounded (REEL_DTYPE_FLOAT32, SCALAR), "unbounded");
  check_text (make_unbounded (REEL_DTYPE_BOOL, SHAPE (2, 3)), "unbounded:dtype=bool,shape=[2,3]");
  check_text (make_categorical (4, REEL_DTYPE_INT64, SCALAR), "categorical:n=4");
  check_text (make_one_hot (2, REEL_DTYPE_INT64, SHAPE (2)), "one-hot:n=2,dtype=int64,shape=[2]");
  check_text (make_binary (REEL_DTYPE_INT8, SHAPE (3)), "binary:shape=[3]");
  check_text (make_nested (),
              "composite:obs=(unbounded:shape=[3,2]),n=(composite:act=(categorical:n=4,"
              "shape=[3]),shape=[3]),shape=[3]");
  check_text (make_composite (SCALAR, NULL, NULL, 0), "composite");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/equal/across-kinds", test_equal_across_kinds);
  g_test_add_func ("/specs/binary/a-scalar", test_a_binary_scalar);
  g_test_add_func ("/specs/dynamic-extents", test_dynamic_extents);
  g_test_add_func ("/specs/refused/boxes", test_boxes_that_cannot_be);
  g_test_add_func ("/specs/refused/classes", test_classes_that_cannot_be);
  g_test_add_func ("/specs/refused/shapes", test_shapes_that_cannot_be);
  g_test_add_func ("/specs/text", test_text);

  return g_test_run ();
}
