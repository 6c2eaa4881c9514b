#include "golden-tensor.h"

json_t *
golden_load (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", name, NULL);
  json_error_t fault;
  json_t *json = json_load_file (path, 0, &fault);

  g_assert_nonnull (json);
  return json;
}

double
golden_double (const json_t *value)
{
  return json_is_string (value) ? g_ascii_strtod (json_string_value (value), NULL)
                                : json_number_value (value);
}

static gint
read_shape (const json_t *extents, gint64 *shape)
{
  gsize n = json_array_size (extents);

  for (gsize i = 0; i < n; i++)
    shape[i] = json_integer_value (json_array_get (extents, i));
  return (gint) n;
}

ReelTensor *
golden_tensor (const json_t *json)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = read_shape (json_object_get (json, "shape"), shape);
  const json_t *data = json_object_get (json, "data");
  ReelDtype dtype;

  g_assert_true (
      reel_dtype_from_name (json_string_value (json_object_get (json, "dtype")), &dtype, NULL));
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);
  g_assert_cmpint (json_array_size (data), ==, reel_tensor_numel (tensor));
  for (gsize i = 0; i < json_array_size (data); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype),
                             golden_double (json_array_get (data, i)));
  return tensor;
}

ReelTensordict *
golden_tensordict (const json_t *json)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = read_shape (json_object_get (json, "batch_size"), shape);
  ReelTensordict *td = reel_tensordict_new (ndim, shape);
  const char *path;
  json_t *leaf;

  json_object_foreach (json_object_get (json, "keys"), path, leaf)
  {
    g_autoptr (ReelTensor) tensor = golden_tensor (leaf);
    g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  }
  return td;
}
