/* TorchRL's results for the same specs. */
#include "../src/reel.h"
#include "make-spec.h"

#include <jansson.h>
#include <string.h>

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
  if (g_str_equal (name, "categorical-mask"))
    return make_from_text ("categorical:n=4,mask=[1,0,1,1]");
  if (g_str_equal (name, "multionehot-2-3"))
    return make_from_text ("multi-one-hot:nvec=[2,3]");
  if (g_str_equal (name, "multicategorical-3-4"))
    return make_from_text ("multi-categorical:nvec=[3,4]");
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

/* ---- what is encoded ---- */

static GVariant *
read_plain (const json_t *json)
{
  GVariantBuilder items;
  const json_t *item;
  gsize i;

  if (json_is_integer (json))
    return g_variant_new_int64 (json_integer_value (json));
  if (!json_is_array (json))
    return g_variant_new_double (json_double (json));
  g_variant_builder_init (&items, G_VARIANT_TYPE ("av"));
  json_array_foreach (json, i, item) g_variant_builder_add (&items, "v", read_plain (item));
  return g_variant_builder_end (&items);
}

/* An object is a tensor, all else plain. */
static ReelTensor *
encode (const ReelSpec *spec, const json_t *value, GError **error)
{
  g_autoptr (ReelTensor) tensor = NULL;
  g_autoptr (GVariant) plain = NULL;

  if (json_is_object (value))
    {
      tensor = read_tensor (value);
      return reel_spec_encode_tensor (spec, tensor, FALSE, error);
    }
  plain = g_variant_ref_sink (read_plain (value));
  return reel_spec_encode (spec, plain, FALSE, error);
}

static void
check_error (const GError *error, const json_t *json)
{
  const char *name = json_string_value (json_object_get (json, "error"));
  g_autofree char *message = g_strdup (json_string_value (json_object_get (json, "message")));

  /* Ours may go on where theirs ends. */
  if (message[strlen (message) - 1] == '.')
    message[strlen (message) - 1] = '\0';
  g_assert_true (g_str_has_prefix (error->message, message));
  g_assert_cmpint (error->code, ==,
                   g_str_equal (name, "AssertionError") ? REEL_ERROR_ASSERTION
                                                        : REEL_ERROR_RUNTIME);
}

static void
check_encode (const ReelSpec *spec, const json_t *json)
{
  const json_t *item;
  gsize i;

  json_array_foreach (json, i, item)
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (ReelTensor) value = encode (spec, json_object_get (item, "value"), &error);

    if (json_object_get (item, "error"))
      check_error (error, item);
    else
      {
        g_autoptr (ReelTensor) expected = read_tensor (json_object_get (item, "result"));
        g_assert_no_error (error);
        g_assert_true (reel_tensor_equal (value, expected));
      }
  }
}

/* ---- all values ---- */

static void
check_cardinality (const ReelSpec *spec, const json_t *json)
{
  const json_t *expected = json_object_get (json, "result");
  gint64 n = 0;
  g_autoptr (GError) error = NULL;

  if (reel_spec_cardinality (spec, &n, &error))
    g_assert_cmpint (n, ==,
                     json_is_integer (expected) ? json_integer_value (expected) : G_MAXINT64);
  else
    g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_cmpint (error == NULL, ==, expected != NULL);
}

static void
check_enumerate (const ReelSpec *spec, const json_t *json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) values = reel_spec_enumerate (spec, FALSE, &error);

  if (json_object_get (json, "error"))
    {
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      return;
    }
  g_assert_no_error (error);
  g_autoptr (ReelTensor) expected = read_tensor (json_object_get (json, "result"));
  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (values, NULL);
  /* PyTorch counts no bools, so theirs are uint8: the same bytes. */
  g_assert_cmpmem (rows->data, reel_tensor_nbytes (rows), expected->data,
                   reel_tensor_nbytes (expected));
  g_assert_cmpint (rows->ndim, ==, expected->ndim);
  g_assert_cmpmem (rows->shape, (gsize) rows->ndim * sizeof *rows->shape, expected->shape,
                   (gsize) rows->ndim * sizeof *rows->shape);
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
  g_autoptr (ReelTensor) one = reel_spec_one (spec, SCALAR, NULL);
  g_autoptr (ReelTensor) golden_one =
      read_tensor (json_object_get (json_object_get (json, "one"), "result"));
  g_assert_true (reel_tensor_equal (one, golden_one));
  check_encode (spec, json_object_get (json, "encode"));
  check_cardinality (spec, json_object_get (json, "cardinality"));
  check_enumerate (spec, json_object_get (json, "enumerate"));
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

static const char *const convertible[] = {
  "categorical:n=5",
  "categorical:n=3,shape=[2]",
  "multi-categorical:nvec=[2,3]",
};

static void
check_conversion (const ReelSpec *from, const json_t *json)
{
  g_autoptr (ReelSpec) to = reel_spec_to_one_hot_spec (from, NULL);
  g_autoptr (ReelSpec) again = reel_spec_to_categorical_spec (to, NULL);
  g_autofree char *from_text = reel_spec_to_string (from);
  g_autofree char *to_text = reel_spec_to_string (to);
  g_autoptr (ReelTensor) values = read_tensor (json_object_get (json, "values"));
  g_autoptr (ReelTensor) one_hot = read_tensor (json_object_get (json, "one_hot"));
  g_autoptr (ReelTensor) vectors = reel_spec_to_one_hot (from, values, TRUE, NULL);
  g_autoptr (ReelTensor) back = reel_spec_to_categorical (to, vectors, TRUE, NULL);

  g_assert_cmpstr (from_text, ==, json_string_value (json_object_get (json, "from")));
  g_assert_cmpstr (to_text, ==, json_string_value (json_object_get (json, "to")));
  g_assert_true (reel_spec_equal (again, from));
  g_assert_true (reel_tensor_equal (vectors, one_hot));
  g_assert_true (reel_tensor_equal (back, values));
}

/* T15.6-6 */
static void
check_conversions (const json_t *json)
{
  const json_t *pair;
  gsize i;

  g_assert_cmpint (json_array_size (json), ==, G_N_ELEMENTS (convertible));
  json_array_foreach (json, i, pair)
  {
    g_autoptr (ReelSpec) from = make_from_text (convertible[i]);
    check_conversion (from, pair);
  }
}

static void
check_golden (const json_t *json)
{
  const char *name = json_string_value (json_object_get (json, "case"));

  if (g_str_equal (name, "conversions"))
    {
      check_conversions (json_object_get (json, "pairs"));
      return;
    }
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

/* T15.6-5, -6, repr, zero, one, is_in, project, encode, cardinality, enumerate */
static void
test_golden (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "specs.json", NULL);
  json_error_t fault;
  g_autoptr (json_t) file = json_load_file (path, 0, &fault);
  const json_t *item;
  gsize i;

  g_assert_nonnull (file);
  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 18);
  json_array_foreach (json_object_get (file, "cases"), i, item) check_golden (item);
}

/* Made by tests/tools/make-spec-kinds.py. */
static void
test_printed (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "spec-kinds.json", NULL);
  g_autoptr (json_t) file = json_load_file (path, 0, NULL);
  const json_t *item;
  gsize i;

  g_assert_nonnull (file);
  json_array_foreach (json_object_get (file, "cases"), i, item)
  {
    g_autoptr (ReelSpec) spec = make_from_text (json_string_value (json_object_get (item, "text")));
    g_autofree char *text = reel_spec_to_string (spec);

    g_assert_cmpstr (text, ==, json_string_value (json_object_get (item, "repr")));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/golden", test_golden);
  g_test_add_func ("/specs/printed", test_printed);

  return g_test_run ();
}
