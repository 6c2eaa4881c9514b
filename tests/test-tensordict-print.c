/* Texts of tensors and tensordicts, byte for byte as Python prints them (golden vectors). */
#include "../src/core/formats/json.h"
#include "../src/core/tensordict/variant.h"
#include "../src/reel.h"

#include <string.h>

static json_t *
load_vectors (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "torchrl", "vectors", name, NULL);
  g_autoptr (GError) error = NULL;
  json_t *root = reel_json_load_file (path, &error);

  g_assert_no_error (error);
  return root;
}

/* ---- tensors ---- */

/* Integers as JSON integers, or as text beyond 2^63; floats in hexadecimal; complex in pairs. */
static void
store_value (ReelDtype dtype, guint8 *element, const json_t *value)
{
  const char *text = json_string_value (value);
  gint64 integer = json_integer_value (value);

  if (dtype == REEL_DTYPE_INT64)
    memcpy (element, &integer, sizeof integer);
  else if (dtype == REEL_DTYPE_UINT64 && text)
    *(guint64 *) element = g_ascii_strtoull (text, NULL, 10);
  else
    reel_dtype_store_double (dtype, element,
                             text ? g_ascii_strtod (text, NULL) : json_number_value (value));
}

static ReelDtype
part_of (ReelDtype dtype)
{
  return dtype == REEL_DTYPE_COMPLEX32    ? REEL_DTYPE_FLOAT16
         : dtype == REEL_DTYPE_COMPLEX64  ? REEL_DTYPE_FLOAT32
         : dtype == REEL_DTYPE_COMPLEX128 ? REEL_DTYPE_FLOAT64
                                          : dtype;
}

static void
store_values (ReelTensor *tensor, const json_t *places, const json_t *data)
{
  ReelDtype part = part_of (tensor->dtype);
  gsize size = reel_dtype_size (part);
  gsize parts = reel_dtype_size (tensor->dtype) / size;

  for (gsize i = 0; i < json_array_size (data); i++)
    {
      gsize at =
          places ? json_integer_value (json_array_get (places, i / parts)) * parts + i % parts : i;
      store_value (part, tensor->data + at * size, json_array_get (data, i));
    }
}

static ReelTensor *
new_input (const json_t *input)
{
  const char *name = json_string_value (json_object_get (input, "dtype"));
  const json_t *edges = json_object_get (input, "edges");
  gint64 shape[REEL_MAX_NDIM];
  ReelDtype dtype = REEL_DTYPE_INT64;
  gint ndim;

  if (name)
    g_assert_true (reel_dtype_from_name (name, &dtype, NULL));
  g_assert_true (reel_json_get_shape (input, "input", "shape", &ndim, shape, NULL));
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);
  if (json_object_get (input, "arange"))
    for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
      ((gint64 *) tensor->data)[i] = i;
  /* Values between the edges of a summary may not matter. */
  else if (edges)
    memset (tensor->data, 0x55, reel_tensor_nbytes (tensor));
  store_values (tensor, NULL, json_object_get (input, "data"));
  store_values (tensor, json_array_get (edges, 0), json_array_get (edges, 1));
  return tensor;
}

static void
check_tensors (const char *name, gsize n)
{
  g_autoptr (json_t) root = load_vectors (name);
  const json_t *cases = json_object_get (root, "cases");

  g_assert_cmpuint (json_array_size (cases), ==, n);
  for (gsize i = 0; i < json_array_size (cases); i++)
    {
      const json_t *one = json_array_get (cases, i);
      g_autoptr (ReelTensor) tensor = new_input (json_object_get (one, "input"));
      g_autofree char *text = reel_tensor_to_string (tensor);

      g_test_message ("%s", json_string_value (json_object_get (one, "case")));
      g_assert_cmpstr (text, ==, json_string_value (json_object_get (one, "text")));
    }
}

static void
test_golden_tensors (void)
{
  check_tensors ("print-tensor.json", 25);
}

static void
test_more_tensors (void)
{
  check_tensors ("print-tensor-more.json", 76);
}

/* ---- tensordicts ---- */

static void
set_zeros (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static void
set_flags (ReelTensordict *td, const char *prefix, gint64 n)
{
  static const char *const flags[] = { "done", "terminated", "truncated" };
  const gint64 shape[] = { n, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autofree char *path = g_strconcat (prefix, flags[i], NULL);
      set_zeros (td, path, REEL_DTYPE_BOOL, 2, shape);
    }
}

static ReelTensordict *
new_ted (gint64 n)
{
  const gint64 shape[] = { n, 3 }, column[] = { n, 1 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  set_zeros (td, "observation", REEL_DTYPE_FLOAT32, 2, shape);
  set_zeros (td, "action", REEL_DTYPE_INT64, 1, shape);
  set_flags (td, "", n);
  set_zeros (td, "collector/traj_ids", REEL_DTYPE_INT64, 1, shape);
  set_zeros (td, "next/observation", REEL_DTYPE_FLOAT32, 2, shape);
  set_zeros (td, "next/reward", REEL_DTYPE_FLOAT32, 2, column);
  set_flags (td, "next/", n);
  return td;
}

static ReelTensordict *
new_flat (void)
{
  const gint64 a[] = { 3, 4 }, c[] = { 3, 5 };
  ReelTensordict *td = reel_tensordict_new (1, a);

  set_zeros (td, "b/c", REEL_DTYPE_INT64, 2, c);
  set_zeros (td, "a", REEL_DTYPE_INT64, 2, a);
  return td;
}

static ReelTensordict *
new_empty (void)
{
  const gint64 shape[] = { 2 };

  return reel_tensordict_new (1, shape);
}

static ReelTensordict *
new_on_cpu (void)
{
  const gint64 shape[] = { 2 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  set_zeros (td, "x", REEL_DTYPE_FLOAT32, 1, shape);
  reel_tensordict_set_device (td, "cpu", NULL);
  return td;
}

static ReelTensordict *
new_empty_sub (void)
{
  ReelTensordict *td = new_on_cpu ();
  g_autoptr (ReelTensordict) child = new_empty ();

  g_assert_true (reel_tensordict_set_tensordict (td, "s", child, NULL));
  return td;
}

static ReelTensordict *
new_order (void)
{
  static const char *const keys[] = { "obs", "obs1", "obs_x", "obs b", "Obs", "é" };
  const gint64 shape[] = { 1 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    set_zeros (td, keys[i], REEL_DTYPE_FLOAT32, 1, shape);
  return td;
}

static ReelTensordict *
new_dtypes (void)
{
  static const char *const keys[] = { "bool",    "uint8",   "int8",     "int16",
                                      "int32",   "int64",   "float16",  "bfloat16",
                                      "float32", "float64", "complex64" };
  const gint64 shape[] = { 2 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      ReelDtype dtype;
      g_assert_true (reel_dtype_from_name (keys[i], &dtype, NULL));
      set_zeros (td, keys[i], dtype, 1, shape);
    }
  return td;
}

static ReelTensordict *
new_ted_of_four (void)
{
  return new_ted (4);
}

static ReelTensordict *
new_batched (void)
{
  const gint64 shape[] = { 2, 3, 1 };
  const char *names[] = { "env", "time" };
  ReelTensordict *td = reel_tensordict_new (2, shape);

  set_zeros (td, "x", REEL_DTYPE_FLOAT32, 3, shape);
  reel_tensordict_set_names (td, names, NULL);
  return td;
}

static ReelTensordict *
new_scalar (void)
{
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  set_zeros (td, "x", REEL_DTYPE_FLOAT32, 0, NULL);
  return td;
}

static ReelTensordict *
new_sample (void)
{
  const gint64 shape[] = { 3 };
  ReelTensordict *td = new_ted (3);

  set_zeros (td, "index", REEL_DTYPE_INT64, 1, shape);
  reel_tensordict_set_device (td, "cpu", NULL);
  return td;
}

/* Every leaf in memory that says of itself that it is a file. */
static void
put_leaves_in_files (ReelTensordict *td)
{
  g_auto (GStrv) paths = reel_tensordict_list_leaves (td);

  for (guint i = 0; paths[i]; i++)
    {
      ReelTensor *old = reel_tensordict_get_tensor (td, paths[i], NULL);
      gsize size = reel_tensor_nbytes (old);
      gpointer data = g_malloc0 (size);
      g_autoptr (ReelMemory) memory =
          reel_memory_new_wrapped (REEL_MEMORY_FILE, data, size, g_free, data);
      g_autoptr (ReelTensor) tensor =
          reel_tensor_new_from_memory (memory, 0, old->dtype, old->ndim, old->shape, NULL, NULL);
      g_assert_true (reel_tensordict_set_tensor (td, paths[i], tensor, NULL));
    }
}

static ReelTensordict *
new_memmap (void)
{
  ReelTensordict *td = new_ted (2);

  put_leaves_in_files (td);
  reel_tensordict_set_device (td, "cpu", NULL);
  return td;
}

static ReelTensordict *
new_non_tensor (void)
{
  const gint64 shape[] = { 2 };
  const char *words[] = { "a", "b" };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  g_autoptr (ReelNonTensor) stack =
      reel_non_tensor_new_from_list (g_variant_new_strv (words, 2), 1, NULL);

  reel_tensordict_set_value (td, "s", g_variant_new_string ("hi"), NULL);
  reel_tensordict_set_value (td, "n", g_variant_new_int64 (3), NULL);
  reel_tensordict_set_non_tensor (td, "st", stack, NULL);
  return td;
}

static ReelTensordict *
new_lazy_of (gint64 n_second, gboolean more)
{
  g_autoptr (ReelTensordict) a = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (0, NULL);
  ReelTensordict *pair[] = { a, b };
  const gint64 two = 2, one = 1;

  set_zeros (a, "a", REEL_DTYPE_FLOAT32, 1, &two);
  set_zeros (b, "a", REEL_DTYPE_FLOAT32, 1, &n_second);
  if (more)
    set_zeros (b, "b", REEL_DTYPE_FLOAT32, 1, &one);
  return reel_lazy_stack_new (pair, 2, 0, NULL);
}

static ReelTensordict *
new_lazy (void)
{
  return new_lazy_of (3, TRUE);
}

static ReelTensordict *
new_lazy_equal (void)
{
  return new_lazy_of (2, FALSE);
}

static void
test_golden_tensordicts (void)
{
  static const struct
  {
    const char *name;
    ReelTensordict *(*make) (void);
  } makers[] = {
    { "flat", new_flat },
    { "empty", new_empty },
    { "empty-sub", new_empty_sub },
    { "order", new_order },
    { "dtypes", new_dtypes },
    { "ted", new_ted_of_four },
    { "batched", new_batched },
    { "scalar", new_scalar },
    { "memmap", new_memmap },
    { "sample", new_sample },
    { "cuda-less-device", new_on_cpu },
    { "nontensor", new_non_tensor },
    { "lazy", new_lazy },
    { "lazy-equal", new_lazy_equal },
  };
  g_autoptr (json_t) root = load_vectors ("print.json");
  const json_t *cases = json_object_get (root, "cases");
  guint found = 0;

  for (gsize i = 0; i < json_array_size (cases); i++)
    for (guint j = 0; j < G_N_ELEMENTS (makers); j++)
      {
        const json_t *one = json_array_get (cases, i);
        const char *name = json_string_value (json_object_get (one, "case"));
        if (strcmp (name, makers[j].name) != 0)
          continue;
        g_autoptr (ReelTensordict) td = makers[j].make ();
        g_autofree char *text = reel_tensordict_to_string (td);
        g_test_message ("%s", name);
        g_assert_cmpstr (text, ==, json_string_value (json_object_get (one, "text")));
        found++;
      }
  g_assert_cmpuint (found, ==, G_N_ELEMENTS (makers));
}

/* ---- lazy stacks, non-tensors, records: tests/tools/make-print.py ---- */

static ReelTensordict *make_tensordict (const json_t *node);

static ReelTensor *
make_tensor (const json_t *node)
{
  const char *name = json_string_value (json_object_get (node, "dtype"));
  ReelDtype dtype = REEL_DTYPE_FLOAT32;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;

  g_assert_true (!name || reel_dtype_from_name (name, &dtype, NULL));
  g_assert_true (reel_json_get_shape (node, "tree", "tensor", &ndim, shape, NULL));
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);
  if (!json_is_true (json_object_get (node, "mapped")))
    return tensor;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_FILE, tensor->data, reel_tensor_nbytes (tensor),
                               (GDestroyNotify) reel_tensor_unref, tensor);
  return reel_tensor_new_from_memory (memory, 0, dtype, ndim, shape, NULL, NULL);
}

static void
set_node (ReelTensordict *td, const char *key, const json_t *node)
{
  g_autoptr (GError) error = NULL;
  const json_t *value = json_object_get (node, "value"), *list = json_object_get (node, "list");

  if (json_object_get (node, "tensor"))
    {
      g_autoptr (ReelTensor) tensor = make_tensor (node);
      reel_tensordict_set_tensor (td, key, tensor, &error);
    }
  else if (value)
    {
      g_autoptr (GVariant) variant = reel_variant_from_json (value, &error);
      reel_tensordict_set_value (td, key, variant, &error);
    }
  else if (list)
    {
      g_autoptr (GVariant) variant = reel_variant_from_json (list, &error);
      g_autoptr (ReelNonTensor) values = reel_non_tensor_new_from_list (
          variant, json_integer_value (json_object_get (node, "ndim")), &error);
      reel_tensordict_set_non_tensor (td, key, values, &error);
    }
  else
    {
      g_autoptr (ReelTensordict) child = make_tensordict (node);
      reel_tensordict_set_tensordict (td, key, child, &error);
    }
  g_assert_no_error (error);
}

static ReelTensordict *
make_lazy (const json_t *nodes, gint dim)
{
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < json_array_size (nodes); i++)
    g_ptr_array_add (elements, make_tensordict (json_array_get (nodes, i)));
  ReelTensordict *stack =
      reel_lazy_stack_new ((ReelTensordict *const *) elements->pdata, elements->len, dim, &error);
  g_assert_no_error (error);
  return stack;
}

static void
set_class (ReelTensordict *td, const json_t *node)
{
  const json_t *fields = json_object_get (node, "fields");
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < json_array_size (fields); i++)
    g_ptr_array_add (names, (gpointer) json_string_value (json_array_get (fields, i)));
  g_ptr_array_add (names, NULL);
  reel_tensordict_set_class (td, json_string_value (json_object_get (node, "class")),
                             (const char *const *) names->pdata, &error);
  g_assert_no_error (error);
}

static ReelTensordict *
make_tensordict (const json_t *node)
{
  const json_t *lazy = json_object_get (node, "lazy");
  gint64 shape[REEL_MAX_NDIM];
  const char *key;
  json_t *child;
  gint ndim;

  if (lazy)
    return make_lazy (lazy, json_integer_value (json_object_get (node, "dim")));
  g_assert_true (reel_json_get_shape (node, "tree", "batch", &ndim, shape, NULL));
  ReelTensordict *td = reel_tensordict_new (ndim, shape);
  reel_tensordict_set_device (td, json_string_value (json_object_get (node, "device")), NULL);
  json_object_foreach (json_object_get (node, "dict"), key, child) set_node (td, key, child);
  if (json_object_get (node, "class"))
    set_class (td, node);
  return td;
}

static void
test_golden_trees (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "print.json", NULL);
  g_autoptr (json_t) cases = json_load_file (path, 0, NULL);

  g_assert_cmpuint (json_array_size (cases), >, 130);
  for (gsize i = 0; i < json_array_size (cases); i++)
    {
      const json_t *one = json_array_get (cases, i);
      g_autoptr (ReelTensordict) td = make_tensordict (json_object_get (one, "tree"));
      g_autofree char *text = reel_tensordict_to_string (td);

      g_test_message ("%s", json_string_value (json_object_get (one, "case")));
      g_assert_cmpstr (text, ==, json_string_value (json_object_get (one, "text")));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensor-print/golden", test_golden_tensors);
  g_test_add_func ("/core/tensor-print/more", test_more_tensors);
  g_test_add_func ("/core/tensordict-print/golden", test_golden_tensordicts);
  g_test_add_func ("/core/tensordict-print/trees", test_golden_trees);

  return g_test_run ();
}
