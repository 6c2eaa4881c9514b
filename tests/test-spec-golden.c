/* What TorchRL says of the same specs. */
#include "../src/reel.h"
#include "make-spec.h"

#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static ReelSpec *
make_golden (const char *name)
{
  if (g_str_equal (name, "categorical10"))
    return make_categorical (10, REEL_DTYPE_INT64, SCALAR);
  if (g_str_equal (name, "categorical4-shape3"))
    return make_categorical (4, REEL_DTYPE_INT64, SHAPE (3));
  if (g_str_equal (name, "categorical-bool"))
    return make_categorical (2, REEL_DTYPE_BOOL, SCALAR);
  if (g_str_equal (name, "onehot4"))
    return make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (4));
  if (g_str_equal (name, "onehot4-int64"))
    return make_one_hot (4, REEL_DTYPE_INT64, SHAPE (4));
  if (g_str_equal (name, "binary3"))
    return make_binary (REEL_DTYPE_INT8, SHAPE (3));
  if (g_str_equal (name, "bounded-float"))
    return make_bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -1, 2);
  if (g_str_equal (name, "bounded-int"))
    return make_bounded (REEL_DTYPE_INT64, SHAPE (2), 0, 3);
  if (g_str_equal (name, "bounded-vector"))
    return make_bounded_pair (-1, 1, 0, 5);
  if (g_str_equal (name, "unbounded-float"))
    return make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  if (g_str_equal (name, "unbounded-int32"))
    return make_unbounded (REEL_DTYPE_INT32, SHAPE (2));
  if (g_str_equal (name, "unbounded-bool"))
    return make_unbounded (REEL_DTYPE_BOOL, SHAPE (2));
  if (g_str_equal (name, "composite"))
    return make_nested ();
  g_assert_cmpstr (name, ==, "composite-empty");
  return make_composite (SCALAR, NULL, NULL, 0);
}

static double
json_double (const json_t *value)
{
  return json_is_string (value) ? g_ascii_strtod (json_string_value (value), NULL)
                                : json_number_value (value);
}

static ReelTensor *
read_tensor (const json_t *json)
{
  gint64 shape[REEL_MAX_NDIM];
  json_t *extents = json_object_get (json, "shape");
  json_t *data = json_object_get (json, "data");
  ReelTensor *tensor;
  ReelDtype dtype;

  g_assert_true (
      reel_dtype_from_name (json_string_value (json_object_get (json, "dtype")), &dtype, NULL));
  for (gsize i = 0; i < json_array_size (extents); i++)
    shape[i] = json_integer_value (json_array_get (extents, i));
  tensor = reel_tensor_new (dtype, (gint) json_array_size (extents), shape, NULL);
  for (gsize i = 0; i < json_array_size (data); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype),
                             json_double (json_array_get (data, i)));
  return tensor;
}

static void
check_golden_leaf (const ReelSpec *spec, const json_t *json)
{
  g_autoptr (ReelTensor) zero = reel_spec_zero (spec, SCALAR, NULL);
  g_autoptr (ReelTensor) zero_2 = reel_spec_zero (spec, SHAPE (2), NULL);
  g_autoptr (ReelTensor) golden =
      read_tensor (json_object_get (json_object_get (json, "zero"), "result"));
  g_autoptr (ReelTensor) golden_2 =
      read_tensor (json_object_get (json_object_get (json, "zero_2"), "result"));
  const json_t *item;
  gsize i;

  g_assert_true (reel_tensor_equal (zero, golden));
  g_assert_true (reel_tensor_equal (zero_2, golden_2));
  json_array_foreach (json_object_get (json, "is_in"), i, item)
  {
    g_autoptr (ReelTensor) value = read_tensor (json_object_get (item, "value"));
    /* Where TorchRL cannot broadcast it raises; the value is not inside. */
    g_assert_cmpint (reel_spec_is_in (spec, value, NULL), ==,
                     json_integer_value (json_object_get (item, "result")));
  }
  json_array_foreach (json_object_get (json, "project"), i, item)
  {
    g_autoptr (ReelTensor) value = read_tensor (json_object_get (item, "value"));
    g_autoptr (ReelTensor) expected = read_tensor (json_object_get (item, "result"));
    g_autoptr (ReelTensor) projected = reel_spec_project (spec, value, NULL);
    g_assert_true (reel_tensor_equal (projected, expected));
  }
}

static void
check_golden (const json_t *json)
{
  const char *name = json_string_value (json_object_get (json, "case"));
  g_autoptr (ReelSpec) spec = make_golden (name);
  g_autofree char *text = reel_spec_to_string (spec);

  g_assert_cmpstr (text, ==, json_string_value (json_object_get (json, "repr")));
  if (!reel_spec_is_composite (spec))
    check_golden_leaf (spec, json);
  if (json_object_get (json, "expand"))
    {
      g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (2), NULL);
      g_autofree char *batch_text = reel_spec_to_string (batch);
      g_assert_cmpstr (batch_text, ==, json_string_value (json_object_get (json, "expand")));
    }
}

/* T15.6-5, repr, zero, is_in, project */
static void
test_golden (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "specs.json", NULL);
  json_error_t fault;
  g_autoptr (json_t) file = json_load_file (path, 0, &fault);
  const json_t *item;
  gsize i;

  g_assert_nonnull (file);
  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 14);
  json_array_foreach (json_object_get (file, "cases"), i, item) check_golden (item);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/golden", test_golden);

  return g_test_run ();
}
