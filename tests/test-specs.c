/* What specs promise: a contract that every kind keeps, what TorchRL says of the same specs, and
 * the boundaries of each kind. */
#include "../src/reel.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "../src/specs/normal.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static ReelSpec *
bounded (ReelDtype dtype, gint ndim, const gint64 *shape, double low, double high)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_bounded_spec_new (dtype, ndim, shape, &low, 1, &high, 1, &error);

  g_assert_no_error (error);
  return spec;
}

static ReelSpec *
taken (ReelSpec *spec)
{
  g_assert_nonnull (spec);
  return spec;
}

#define SHAPE(...) (gint) G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), ((gint64[]){ __VA_ARGS__ })
#define SCALAR 0, NULL

static ReelSpec *
unbounded (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_unbounded_spec_new (dtype, ndim, shape, NULL));
}

static ReelSpec *
categorical (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_categorical_spec_new (n, dtype, ndim, shape, NULL));
}

static ReelSpec *
one_hot (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_one_hot_spec_new (n, dtype, ndim, shape, NULL));
}

static ReelSpec *
binary (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_binary_spec_new (dtype, ndim, shape, NULL));
}

static ReelSpec *
vector (double low0, double high0, double low1, double high1)
{
  const double low[] = { low0, low1 };
  const double high[] = { high0, high1 };

  return taken (reel_bounded_spec_new (REEL_DTYPE_FLOAT32, SHAPE (2), low, 2, high, 2, NULL));
}

/* obs and n/act, as the golden file has it. */
static ReelSpec *
nested (void)
{
  g_autoptr (ReelSpec) obs = unbounded (REEL_DTYPE_FLOAT32, SHAPE (3, 2));
  g_autoptr (ReelSpec) act = categorical (4, REEL_DTYPE_INT64, SHAPE (3));
  const char *const inner_keys[] = { "act" };
  const char *const keys[] = { "obs", "n" };
  g_autoptr (ReelSpec) inner =
      taken (reel_composite_spec_new (SHAPE (3), inner_keys, &act, 1, NULL));
  ReelSpec *const specs[] = { obs, inner };

  return taken (reel_composite_spec_new (SHAPE (3), keys, specs, 2, NULL));
}

/* ---- the contract of leaf specs ---- */

#define N_LEAVES 29

static ReelSpec *
make_leaf (guint i)
{
  switch (i)
    {
    case 0: return bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -1, 2);
    case 1: return bounded (REEL_DTYPE_FLOAT64, SCALAR, -2, 2);
    case 2: return bounded (REEL_DTYPE_FLOAT16, SHAPE (2, 2), 0, 1);
    case 3: return bounded (REEL_DTYPE_BFLOAT16, SHAPE (5), -3, -1);
    case 4: return bounded (REEL_DTYPE_INT64, SHAPE (2), -5, 3);
    case 5: return bounded (REEL_DTYPE_UINT8, SHAPE (4), 0, 255);
    case 6: return bounded (REEL_DTYPE_BOOL, SHAPE (4), 0, 1);
    case 7: return bounded (REEL_DTYPE_INT64, SCALAR, -INFINITY, INFINITY);
    case 8: return bounded (REEL_DTYPE_UINT64, SCALAR, 5, INFINITY);
    case 9: return bounded (REEL_DTYPE_FLOAT32, SCALAR, -INFINITY, 3);
    case 10: return bounded (REEL_DTYPE_FLOAT64, SCALAR, 3, INFINITY);
    case 11: return bounded (REEL_DTYPE_FLOAT64, SCALAR, -G_MAXDOUBLE, G_MAXDOUBLE);
    case 12: return bounded (REEL_DTYPE_FLOAT32, SHAPE (0), 0, 1);
    case 13: return vector (-1, 1, 0, 5);
    case 14: return unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
    case 15: return unbounded (REEL_DTYPE_INT16, SHAPE (2));
    case 16: return unbounded (REEL_DTYPE_BOOL, SHAPE (3));
    case 17: return unbounded (REEL_DTYPE_COMPLEX64, SHAPE (3));
    case 18: return categorical (10, REEL_DTYPE_INT64, SCALAR);
    case 19: return categorical (2, REEL_DTYPE_BOOL, SHAPE (3));
    case 20: return categorical (7, REEL_DTYPE_UINT8, SHAPE (3, 1));
    case 21: return categorical (1, REEL_DTYPE_INT32, SCALAR);
    case 22: return one_hot (2, REEL_DTYPE_INT64, SHAPE (2));
    case 23: return one_hot (5, REEL_DTYPE_BOOL, SHAPE (5));
    case 24: return one_hot (3, REEL_DTYPE_INT64, SHAPE (2, 3));
    case 25: return one_hot (1, REEL_DTYPE_INT8, SHAPE (4, 1));
    case 26: return binary (REEL_DTYPE_INT8, SHAPE (3));
    case 27: return binary (REEL_DTYPE_BOOL, SCALAR);
    default: return binary (REEL_DTYPE_INT64, SHAPE (70));
    }
}

static gsize
row_bytes (const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  gsize bytes = reel_dtype_size (reel_spec_get_dtype (spec));

  for (gint i = 0; i < ndim; i++)
    bytes *= (gsize) shape[i];
  return bytes;
}

static void
check_random_is_inside (const ReelSpec *spec)
{
  g_autoptr (GError) error = NULL;

  for (gint64 step = 0; step < 20; step++)
    {
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 7, step, SHAPE (4, 33), &error);
      g_assert_no_error (error);
      g_assert_true (reel_spec_is_in (spec, value, &error));
      g_assert_no_error (error);
      g_autoptr (ReelTensor) same = reel_spec_project (spec, value, &error);
      g_assert_true (same == value);
    }
}

static void
check_cuts_do_not_matter (const ReelSpec *spec)
{
  enum
  {
    N = 300
  };
  gsize row = row_bytes (spec);
  g_autofree guint8 *whole = g_malloc0 (row * N + 1);
  g_autofree guint8 *pieces = g_malloc0 (row * N + 1);

  reel_spec_rand_rows (spec, 3, 5, 0, N, whole);
  for (guint round = 0; round < 20; round++)
    {
      for (gint64 at = 0, n; at < N; at += n)
        {
          gint64 wanted = g_test_rand_int_range (0, 140);

          n = MIN (wanted, N - at);
          reel_spec_rand_rows (spec, 3, 5, at, n, pieces + (gsize) at * row);
        }
      g_assert_cmpmem (whole, row * N, pieces, row * N);
    }
}

static void
check_zero (const ReelSpec *spec)
{
  g_autoptr (ReelTensor) zero = reel_spec_zero (spec, SHAPE (2), NULL);
  const guint8 *bytes = zero->data;

  g_assert_cmpint (zero->shape[0], ==, 2);
  g_assert_cmpint (zero->dtype, ==, reel_spec_get_dtype (spec));
  g_assert_cmpint (reel_tensor_nbytes (zero), ==, 2 * row_bytes (spec));
  for (gsize i = 0; i < reel_tensor_nbytes (zero); i++)
    g_assert_cmpint (bytes[i], ==, 0);
}

static void
check_projection_is_inside (const ReelSpec *spec)
{
  static const ReelDtype wild[] = { REEL_DTYPE_INT64, REEL_DTYPE_UINT64, REEL_DTYPE_FLOAT64,
                                    REEL_DTYPE_INT8,  REEL_DTYPE_BOOL,   REEL_DTYPE_COMPLEX64 };
  g_autoptr (ReelSpec) batch = reel_spec_expand (spec, SHAPE (50), NULL);
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (batch, &ndim);
  ReelDtype own = reel_spec_get_dtype (spec);

  for (gsize i = 0; i <= G_N_ELEMENTS (wild); i++)
    {
      ReelDtype dtype = i == 0 ? own : wild[i - 1];
      g_autoptr (ReelSpec) any = unbounded (dtype, ndim, shape);
      g_autoptr (ReelTensor) value = reel_spec_rand (any, i, 0, SCALAR, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) projected = reel_spec_project (spec, value, &error);

      g_assert_no_error (error);
      g_assert_nonnull (projected);
      if (projected->dtype == own)
        {
          reel_spec_is_in (spec, projected, &error);
          g_assert_no_error (error);
        }
    }
}

static void
check_expand (const ReelSpec *spec)
{
  g_autoptr (ReelSpec) batch = reel_spec_expand (spec, SHAPE (2, 3), NULL);
  g_autoptr (ReelSpec) again = reel_spec_expand (spec, SHAPE (2, 3), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (batch, 1, 2, SCALAR, NULL);
  gint ndim, batch_ndim;

  reel_spec_get_shape (spec, &ndim);
  reel_spec_get_shape (batch, &batch_ndim);
  g_assert_cmpint (batch_ndim, ==, ndim + 2);
  g_assert_true (reel_spec_is_in (spec, value, NULL));
  g_assert_true (reel_spec_is_in (batch, value, NULL));
  g_assert_true (reel_spec_equal (batch, again));
  g_assert_false (reel_spec_equal (batch, spec));
  g_assert_cmpint (reel_spec_get_n (batch), ==, reel_spec_get_n (spec));
}

static void
check_refuses_other_shapes_and_types (const ReelSpec *spec)
{
  g_autoptr (ReelSpec) batch = reel_spec_expand (spec, SHAPE (2), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 2, SCALAR, NULL);
  g_autoptr (ReelTensor) other = reel_tensor_new (
      reel_spec_get_dtype (spec) == REEL_DTYPE_INT32 ? REEL_DTYPE_INT64 : REEL_DTYPE_INT32,
      value->ndim, value->shape, NULL);
  g_autoptr (GError) shape_error = NULL;
  g_autoptr (GError) type_error = NULL;
  g_autoptr (GError) project_error = NULL;

  g_assert_false (reel_spec_is_in (batch, value, &shape_error));
  g_assert_error (shape_error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_false (reel_spec_is_in (spec, other, &type_error));
  g_assert_error (type_error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_null (reel_spec_project (batch, value, &project_error));
  g_assert_error (project_error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_contract (gconstpointer number)
{
  g_autoptr (ReelSpec) spec = make_leaf (GPOINTER_TO_UINT (number));
  g_autoptr (ReelSpec) same = make_leaf (GPOINTER_TO_UINT (number));

  g_assert_true (reel_spec_equal (spec, same));
  check_random_is_inside (spec);
  check_cuts_do_not_matter (spec);
  check_zero (spec);
  check_projection_is_inside (spec);
  check_expand (spec);
  check_refuses_other_shapes_and_types (spec);
}

static void
test_no_two_are_equal (void)
{
  for (guint i = 0; i < N_LEAVES; i++)
    for (guint j = 0; j < i; j++)
      {
        g_autoptr (ReelSpec) spec = make_leaf (j);
        g_autoptr (ReelSpec) other = make_leaf (i);
        g_autofree char *text = reel_spec_to_text (spec);
        g_autofree char *other_text = reel_spec_to_text (other);

        g_assert_false (reel_spec_equal (spec, other));
        g_assert_false (reel_spec_equal (other, spec));
        g_assert_cmpstr (text, !=, other_text);
      }
}

/* ---- what TorchRL says of the same specs ---- */

static ReelSpec *
make_golden (const char *name)
{
  if (g_str_equal (name, "categorical10"))
    return categorical (10, REEL_DTYPE_INT64, SCALAR);
  if (g_str_equal (name, "categorical4-shape3"))
    return categorical (4, REEL_DTYPE_INT64, SHAPE (3));
  if (g_str_equal (name, "categorical-bool"))
    return categorical (2, REEL_DTYPE_BOOL, SCALAR);
  if (g_str_equal (name, "onehot4"))
    return one_hot (4, REEL_DTYPE_BOOL, SHAPE (4));
  if (g_str_equal (name, "onehot4-int64"))
    return one_hot (4, REEL_DTYPE_INT64, SHAPE (4));
  if (g_str_equal (name, "binary3"))
    return binary (REEL_DTYPE_INT8, SHAPE (3));
  if (g_str_equal (name, "bounded-float"))
    return bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -1, 2);
  if (g_str_equal (name, "bounded-int"))
    return bounded (REEL_DTYPE_INT64, SHAPE (2), 0, 3);
  if (g_str_equal (name, "bounded-vector"))
    return vector (-1, 1, 0, 5);
  if (g_str_equal (name, "unbounded-float"))
    return unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  if (g_str_equal (name, "unbounded-int32"))
    return unbounded (REEL_DTYPE_INT32, SHAPE (2));
  if (g_str_equal (name, "unbounded-bool"))
    return unbounded (REEL_DTYPE_BOOL, SHAPE (2));
  if (g_str_equal (name, "composite"))
    return nested ();
  g_assert_cmpstr (name, ==, "composite-empty");
  return taken (reel_composite_spec_new (SCALAR, NULL, NULL, 0, NULL));
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
      g_autoptr (ReelSpec) batch = reel_spec_expand (spec, SHAPE (2), NULL);
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

/* T15.6-17 */
static void
test_a_binary_scalar (void)
{
  g_autoptr (ReelSpec) spec = binary (REEL_DTYPE_INT8, SCALAR);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 0, 0, SCALAR, NULL);
  gint ndim;

  reel_spec_get_shape (spec, &ndim);
  g_assert_cmpint (ndim, ==, 0);
  g_assert_cmpint (value->ndim, ==, 0);
}

static void
test_equal_across_kinds (void)
{
  g_autoptr (ReelSpec) two = categorical (2, REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) bits = binary (REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) three = categorical (3, REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) full =
      bounded (REEL_DTYPE_FLOAT32, SCALAR, -(double) G_MAXFLOAT, (double) G_MAXFLOAT);
  g_autoptr (ReelSpec) infinite = bounded (REEL_DTYPE_FLOAT32, SCALAR, -INFINITY, INFINITY);
  g_autoptr (ReelSpec) any = unbounded (REEL_DTYPE_FLOAT32, SCALAR);
  g_autoptr (ReelSpec) bytes = bounded (REEL_DTYPE_UINT8, SCALAR, 0, 255);
  g_autoptr (ReelSpec) any_byte = unbounded (REEL_DTYPE_UINT8, SCALAR);

  g_assert_true (reel_spec_equal (two, bits) && reel_spec_equal (bits, two));
  g_assert_false (reel_spec_equal (three, bits) || reel_spec_equal (bits, three));
  g_assert_true (reel_spec_equal (full, any) && reel_spec_equal (any, full));
  g_assert_false (reel_spec_equal (infinite, any) || reel_spec_equal (any, infinite));
  g_assert_true (reel_spec_equal (bytes, any_byte) && reel_spec_equal (any_byte, bytes));
}

/* ---- boundaries ---- */

static double
element (const ReelTensor *tensor, gint64 i)
{
  return reel_dtype_load_double (tensor->dtype,
                                 tensor->data + (gsize) i * reel_dtype_size (tensor->dtype));
}

static void
test_low_is_high (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT16, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64,
                                      REEL_DTYPE_INT8, REEL_DTYPE_UINT64 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (ReelSpec) spec = bounded (dtypes[i], SCALAR, 3, 3);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 1, SHAPE (100), NULL);
      for (gint64 j = 0; j < 100; j++)
        g_assert_cmpfloat (element (value, j), ==, 3);
    }
  g_autoptr (ReelSpec) infinite = bounded (REEL_DTYPE_FLOAT32, SCALAR, INFINITY, INFINITY);
  g_autoptr (ReelTensor) value = reel_spec_rand (infinite, 1, 1, SCALAR, NULL);
  g_assert_cmpfloat (element (value, 0), ==, INFINITY);
}

static void
test_one_bound_or_many (void)
{
  static const double bounds[][2] = { { -2, 2 }, { 0, 0.1 }, { -3e38, 3e38 }, { 5, 5 } };

  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      g_autoptr (ReelSpec) one =
          bounded (REEL_DTYPE_FLOAT32, SHAPE (2), bounds[i][0], bounds[i][1]);
      g_autoptr (ReelSpec) many = vector (bounds[i][0], bounds[i][1], bounds[i][0], bounds[i][1]);
      g_autoptr (ReelTensor) a = reel_spec_rand (one, 1, 2, SHAPE (1000), NULL);
      g_autoptr (ReelTensor) b = reel_spec_rand (many, 1, 2, SHAPE (1000), NULL);

      g_assert_true (reel_spec_equal (one, many));
      g_assert_true (reel_tensor_equal (a, b));
    }
}

/* One ulp apart, any rounding would reach high. */
static void
test_high_is_never_drawn (void)
{
  static const struct
  {
    ReelDtype dtype;
    double low, high;
  } cases[] = { { REEL_DTYPE_FLOAT32, 1, 1 + 0x1p-23 },
                { REEL_DTYPE_FLOAT32, -1 - 0x1p-23, -1 },
                { REEL_DTYPE_FLOAT32, -0x1p-149, 0 },
                { REEL_DTYPE_FLOAT64, 1, 1 + 0x1p-52 },
                { REEL_DTYPE_FLOAT64, 0, 0x1p-1074 },
                { REEL_DTYPE_FLOAT16, 1024, 1025 },
                { REEL_DTYPE_BFLOAT16, -129, -128 },
                { REEL_DTYPE_FLOAT16, 0, 1 },
                { REEL_DTYPE_BFLOAT16, 0, 1 },
                { REEL_DTYPE_FLOAT32, 0, 1 },
                { REEL_DTYPE_FLOAT32, 16777216, 16777218 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSpec) spec = bounded (cases[i].dtype, SCALAR, cases[i].low, cases[i].high);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, i, 1, SHAPE (5000), NULL);
      for (gint64 j = 0; j < 5000; j++)
        {
          g_assert_cmpfloat (element (value, j), >=, cases[i].low);
          g_assert_cmpfloat (element (value, j), <, cases[i].high);
        }
    }
}

static void
test_both_ends_of_integers_are_drawn (void)
{
  g_autoptr (ReelSpec) spec = bounded (REEL_DTYPE_INT8, SCALAR, -128, 127);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 1, SHAPE (20000), NULL);
  guint counts[256] = { 0 };

  for (gint64 i = 0; i < 20000; i++)
    counts[(gint8) value->data[i] + 128]++;
  for (guint i = 0; i < 256; i++)
    g_assert_cmpuint (counts[i], >, 0);
}

/* Every bit of a full-range integer is as often 0 as 1, within six standard deviations. */
static void
test_full_range_integers (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_INT64, REEL_DTYPE_UINT64 };

  for (guint which = 0; which < 4; which++)
    {
      g_autoptr (ReelSpec) spec = which < 2 ? bounded (dtypes[which], SCALAR, -INFINITY, INFINITY)
                                            : unbounded (dtypes[which - 2], SCALAR);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, which, SHAPE (10000), NULL);
      const guint64 *words = (const guint64 *) (gconstpointer) value->data;

      for (guint bit = 0; bit < 64; bit++)
        {
          int ones = 0;
          for (guint i = 0; i < 10000; i++)
            ones += words[i] >> bit & 1;
          g_assert_cmpint (ABS (ones - 5000), <, 300);
        }
    }
}

static void
test_limits_of_64_bit_integers (void)
{
  g_autoptr (ReelSpec) spec = bounded (REEL_DTYPE_INT64, SCALAR, -0x1p63, 0x1p63);
  g_autoptr (ReelSpec) words = bounded (REEL_DTYPE_UINT64, SCALAR, 0, 0x1p64);
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (2), NULL);
  g_autoptr (ReelTensor) word = reel_tensor_new (REEL_DTYPE_UINT64, SHAPE (2), NULL);
  g_autofree char *text = reel_spec_to_text (spec);
  g_autofree char *word_text = reel_spec_to_text (words);

  ((gint64 *) (gpointer) value->data)[0] = G_MININT64;
  ((gint64 *) (gpointer) value->data)[1] = G_MAXINT64;
  ((guint64 *) (gpointer) word->data)[1] = G_MAXUINT64;
  g_assert_true (reel_spec_is_in (spec, value, NULL));
  g_assert_true (reel_spec_is_in (words, word, NULL));
  g_assert_cmpstr (text, ==,
                   "bounded:low=-9223372036854775808,high=9223372036854775807,dtype=int64");
  g_assert_cmpstr (word_text, ==, "bounded:low=0,high=18446744073709551615,dtype=uint64");
}

static void
test_signed_zero_and_nan (void)
{
  g_autoptr (ReelSpec) positive = bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) negative = bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, -0.0);
  g_autoptr (ReelSpec) any = unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2), NULL);
  float *floats = (float *) (gpointer) value->data;
  g_autoptr (GError) error = NULL;

  floats[0] = -0.0f;
  g_assert_true (reel_spec_is_in (positive, value, NULL));
  g_assert_true (reel_spec_is_in (negative, value, NULL));
  floats[1] = NAN;
  g_assert_true (reel_spec_is_in (any, value, NULL));
  g_assert_false (reel_spec_is_in (positive, value, &error));
  g_assert_cmpstr (error->message, ==, "element [1] is nan, not at most 1");

  floats[0] = 3;
  g_autoptr (ReelTensor) projected = reel_spec_project (positive, value, NULL);
  g_assert_cmpfloat (element (projected, 0), ==, 1);
  g_assert_true (isnan (element (projected, 1)));
  g_assert_cmpfloat (floats[0], ==, 3);
}

static void
test_projection_keeps_floats_and_converts_the_rest (void)
{
  g_autoptr (ReelSpec) box = bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, 1);
  g_autoptr (ReelSpec) three = categorical (3, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelSpec) hot = one_hot (3, REEL_DTYPE_BOOL, SHAPE (3));
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_FLOAT64, SHAPE (2), NULL);
  g_autoptr (ReelTensor) whole = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (2), NULL);
  g_autoptr (ReelTensor) ties = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (5), NULL);
  g_autoptr (ReelTensor) scores = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2, 3), NULL);
  static const float tie_values[] = { 0.5f, 1.5f, 2.5f, NAN, INFINITY };
  static const float score_values[] = { NAN, -3, -2, 1, 1, 0 };

  ((double *) (gpointer) wide->data)[0] = 2;
  ((gint64 *) (gpointer) whole->data)[0] = -2;
  memcpy (ties->data, tie_values, sizeof tie_values);
  memcpy (scores->data, score_values, sizeof score_values);
  g_autoptr (ReelTensor) clamped = reel_spec_project (box, wide, NULL);
  g_autoptr (ReelTensor) converted = reel_spec_project (box, whole, NULL);
  g_autoptr (ReelTensor) rounded = reel_spec_project (three, ties, NULL);
  g_autoptr (ReelTensor) chosen = reel_spec_project (hot, scores, NULL);

  g_assert_cmpint (clamped->dtype, ==, REEL_DTYPE_FLOAT64);
  g_assert_cmpfloat (element (clamped, 0), ==, 1);
  g_assert_cmpint (converted->dtype, ==, REEL_DTYPE_FLOAT32);
  g_assert_cmpfloat (element (converted, 0), ==, -1);
  g_assert_cmpfloat (element (rounded, 0), ==, 0);
  g_assert_cmpfloat (element (rounded, 1), ==, 2);
  g_assert_cmpfloat (element (rounded, 2), ==, 2);
  g_assert_true (isnan (element (rounded, 3)));
  g_assert_cmpfloat (element (rounded, 4), ==, 2);
  g_assert_cmpmem (chosen->data, 6, "\0\0\1\1\0\0", 6);
}

static void
test_strided_values (void)
{
  g_autoptr (ReelSpec) spec = bounded (REEL_DTYPE_INT64, SHAPE (3), 0, 5);
  g_autoptr (ReelTensor) matrix = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (3, 2), NULL);
  g_autoptr (ReelTensor) turned = reel_tensor_transpose (matrix, 0, 1, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_is_in (spec, turned, NULL));
  ((gint64 *) (gpointer) matrix->data)[3] = 9;
  g_assert_false (reel_spec_is_in (spec, turned, &error));
  g_assert_cmpstr (error->message, ==, "element [1, 1] is 9, not at most 5");
  g_autoptr (ReelTensor) projected = reel_spec_project (spec, turned, NULL);
  g_assert_cmpfloat (element (projected, 4), ==, 5);
}

/* ---- distributions ---- */

/* Six standard deviations of a chi-square above its mean. */
static void
check_uniform (const guint *counts, guint n, guint total)
{
  double expected = (double) total / n;
  double chi_square = 0;

  for (guint i = 0; i < n; i++)
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  g_assert_cmpfloat (chi_square, <, n - 1 + 6 * sqrt (2.0 * n));
}

static void
test_classes_are_uniform (void)
{
  static const gint64 sizes[] = { 2, 3, 10, 64 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (ReelSpec) classes = categorical (sizes[i], REEL_DTYPE_INT64, SCALAR);
      g_autoptr (ReelSpec) hot = one_hot (sizes[i], REEL_DTYPE_BOOL, 1, &sizes[i]);
      g_autoptr (ReelTensor) values = reel_spec_rand (classes, 5, 0, SHAPE (20000), NULL);
      g_autoptr (ReelTensor) vectors = reel_spec_rand (hot, 5, 0, SHAPE (20000), NULL);
      guint counts[64] = { 0 };
      guint hot_counts[64] = { 0 };

      for (gint64 j = 0; j < 20000; j++)
        {
          counts[((gint64 *) (gpointer) values->data)[j]]++;
          for (gint64 k = 0; k < sizes[i]; k++)
            hot_counts[k] += vectors->data[j * sizes[i] + k];
        }
      check_uniform (counts, (guint) sizes[i], 20000);
      check_uniform (hot_counts, (guint) sizes[i], 20000);
    }
}

static void
test_boxes_are_uniform (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_INT32 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      gboolean integer = dtypes[i] == REEL_DTYPE_INT32;
      g_autoptr (ReelSpec) spec = bounded (dtypes[i], SCALAR, -4, integer ? 5 : 6);
      g_autoptr (ReelTensor) values = reel_spec_rand (spec, 5, 0, SHAPE (20000), NULL);
      guint counts[10] = { 0 };

      for (gint64 j = 0; j < 20000; j++)
        counts[(gint) floor (element (values, j) + 4)]++;
      check_uniform (counts, 10, 20000);
    }
}

static void
test_the_normal_distribution (void)
{
  static const struct
  {
    double p, z;
  } quantiles[] = { { 0.5, 0 },
                    { 0.975, 1.959963984540054 },
                    { 0.9, 1.2815515655446004 },
                    { 0.1, -1.2815515655446004 },
                    { 0.001, -3.090232306167813 },
                    { 0.999999, 4.753424308822899 },
                    { 1e-9, -5.997807015007687 },
                    { 1e-15, -7.941345326170997 } };

  for (gsize i = 0; i < G_N_ELEMENTS (quantiles); i++)
    {
      guint64 word = (guint64) (quantiles[i].p * 0x1p64);
      double slope = sqrt (2 * G_PI) * exp (quantiles[i].z * quantiles[i].z / 2);
      /* The word holds p to 2^−53 only. */
      g_assert_cmpfloat_with_epsilon (reel_normal_from_word (word), quantiles[i].z,
                                      1e-14 + slope * 0x1p-53);
    }
  for (guint64 i = 1; i < 1000; i++)
    g_assert_cmpfloat_with_epsilon (reel_normal_from_word (i << 54),
                                    -reel_normal_from_word (~(i << 54)), 1e-13);
}

static void
test_normal_moments (void)
{
  g_autoptr (ReelSpec) spec = unbounded (REEL_DTYPE_FLOAT64, SCALAR);
  g_autoptr (ReelSpec) above = bounded (REEL_DTYPE_FLOAT64, SCALAR, 3, INFINITY);
  g_autoptr (ReelTensor) values = reel_spec_rand (spec, 5, 0, SHAPE (40000), NULL);
  g_autoptr (ReelTensor) halves = reel_spec_rand (above, 5, 0, SHAPE (40000), NULL);
  double sum = 0, squares = 0, half = 0;

  for (gint64 i = 0; i < 40000; i++)
    {
      sum += element (values, i);
      squares += element (values, i) * element (values, i);
      half += element (halves, i);
    }
  g_assert_cmpfloat_with_epsilon (sum / 40000, 0, 0.03);
  g_assert_cmpfloat_with_epsilon (squares / 40000, 1, 0.05);
  g_assert_cmpfloat_with_epsilon (half / 40000, 3 + sqrt (2 / G_PI), 0.03);
}

static void
test_streams_differ (void)
{
  g_autoptr (ReelSpec) spec = unbounded (REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelTensor) a = reel_spec_rand (spec, 1, 1, SHAPE (4), NULL);
  g_autoptr (ReelTensor) b = reel_spec_rand (spec, 1, 2, SHAPE (4), NULL);
  g_autoptr (ReelTensor) c = reel_spec_rand (spec, 2, 1, SHAPE (4), NULL);
  g_autoptr (ReelTensor) same = reel_spec_rand (spec, 1, 1, SHAPE (4), NULL);

  g_assert_true (reel_tensor_equal (a, same));
  g_assert_false (reel_tensor_equal (a, b));
  g_assert_false (reel_tensor_equal (a, c));
}

/* ---- composites ---- */

static void
test_leaves_and_paths (void)
{
  g_autoptr (ReelSpec) leaf = binary (REEL_DTYPE_INT8, SCALAR);
  const char *const inner_keys[] = { "a/b", "" };
  const char *const keys[] = { "x", "n", "z" };
  ReelSpec *const leaves[] = { leaf, leaf };
  g_autoptr (ReelSpec) inner =
      taken (reel_composite_spec_new (SCALAR, inner_keys, leaves, 2, NULL));
  ReelSpec *const specs[] = { leaf, inner, leaf };
  g_autoptr (ReelSpec) spec = taken (reel_composite_spec_new (SCALAR, keys, specs, 3, NULL));
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
  g_autoptr (ReelSpec) spec = nested ();
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
  g_autoptr (ReelSpec) leaf = unbounded (REEL_DTYPE_INT64, SCALAR);
  const char *const keys[] = { "a", "b" };
  ReelSpec *const specs[] = { leaf, leaf };
  g_autoptr (ReelSpec) spec = taken (reel_composite_spec_new (SCALAR, keys, specs, 2, NULL));
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (spec, 1, 0, SCALAR, NULL);

  g_assert_false (reel_tensor_equal (reel_tensordict_get_tensor (td, "a", NULL),
                                     reel_tensordict_get_tensor (td, "b", NULL)));
}

static void
test_order_of_keys_does_not_matter (void)
{
  g_autoptr (ReelSpec) a = binary (REEL_DTYPE_INT8, SCALAR);
  g_autoptr (ReelSpec) b = unbounded (REEL_DTYPE_INT8, SCALAR);
  const char *const keys[] = { "a", "b" };
  const char *const swapped_keys[] = { "b", "a" };
  ReelSpec *const specs[] = { a, b };
  ReelSpec *const swapped[] = { b, a };
  g_autoptr (ReelSpec) one = taken (reel_composite_spec_new (SCALAR, keys, specs, 2, NULL));
  g_autoptr (ReelSpec) two =
      taken (reel_composite_spec_new (SCALAR, swapped_keys, swapped, 2, NULL));
  g_autoptr (ReelSpec) three = taken (reel_composite_spec_new (SCALAR, keys, swapped, 2, NULL));
  g_autoptr (ReelSpec) less = taken (reel_composite_spec_new (SCALAR, keys, specs, 1, NULL));

  g_assert_true (reel_spec_equal (one, two));
  g_assert_false (reel_spec_equal (one, three));
  g_assert_false (reel_spec_equal (one, less));
  g_assert_false (reel_spec_equal (one, a) || reel_spec_equal (a, one));
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
  g_autoptr (ReelSpec) leaf = binary (REEL_DTYPE_INT8, SHAPE (3));
  const char *const keys[] = { "a", "a" };
  ReelSpec *const specs[] = { leaf, leaf };
  gint64 many[REEL_MAX_NDIM];
  GError *error = NULL;

  for (gint i = 0; i < REEL_MAX_NDIM; i++)
    many[i] = 1;
  check_refused (reel_unbounded_spec_new (REEL_DTYPE_INT8, SHAPE (2, -1), &error), &error,
                 "a spec cannot have shape [2, -1]: extents must not be negative, nor their "
                 "product beyond memory");
  check_refused (reel_unbounded_spec_new (REEL_DTYPE_INT8, SHAPE (G_MAXINT32, G_MAXINT64), &error),
                 &error,
                 "a spec cannot have shape [2147483647, 9223372036854775807]: extents must not be "
                 "negative, nor their product beyond memory");
  check_refused (reel_spec_expand (leaf, REEL_MAX_NDIM, many, &error), &error,
                 "a spec cannot have 17 dimensions: it must have 0 to 16");
  check_refused (reel_composite_spec_new (SHAPE (2), keys, specs, 1, &error), &error,
                 "the spec \"a\" has shape [3], which does not begin with the composite's [2]");
  check_refused (reel_composite_spec_new (SHAPE (3), keys, specs, 2, &error), &error,
                 "the key \"a\" stands twice");
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
  check_text (bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -1, 1), "bounded:low=-1,high=1,shape=[3]");
  check_text (bounded (REEL_DTYPE_FLOAT64, SCALAR, -INFINITY, 0.1),
              "bounded:low=-inf,high=0.1,dtype=float64");
  check_text (bounded (REEL_DTYPE_FLOAT32, SCALAR, -4.8, 0.1), "bounded:low=-4.8,high=0.1");
  check_text (bounded (REEL_DTYPE_FLOAT32, SCALAR, 0, 16777216), "bounded:low=0,high=16777216");
  check_text (bounded (REEL_DTYPE_FLOAT16, SCALAR, 0.1, 65504),
              "bounded:low=0.0999756,high=65504,dtype=float16");
  check_text (vector (-1, 1, 0, 5), "bounded:low=[-1,0],high=[1,5],shape=[2]");
  check_text (unbounded (REEL_DTYPE_FLOAT32, SCALAR), "unbounded");
  check_text (unbounded (REEL_DTYPE_BOOL, SHAPE (2, 3)), "unbounded:dtype=bool,shape=[2,3]");
  check_text (categorical (4, REEL_DTYPE_INT64, SCALAR), "categorical:n=4");
  check_text (one_hot (2, REEL_DTYPE_INT64, SHAPE (2)), "one-hot:n=2,dtype=int64,shape=[2]");
  check_text (binary (REEL_DTYPE_INT8, SHAPE (3)), "binary:shape=[3]");
  check_text (nested (), "composite:obs=(unbounded:shape=[3,2]),n=(composite:act=(categorical:n=4,"
                         "shape=[3]),shape=[3]),shape=[3]");
  check_text (taken (reel_composite_spec_new (SCALAR, NULL, NULL, 0, NULL)), "composite");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < N_LEAVES; i++)
    {
      g_autoptr (ReelSpec) spec = make_leaf (i);
      g_autofree char *text = reel_spec_to_text (spec);
      g_autofree char *path = g_strconcat ("/specs/contract/", text, NULL);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_contract);
    }
  g_test_add_func ("/specs/equal/no-two-are", test_no_two_are_equal);
  g_test_add_func ("/specs/equal/across-kinds", test_equal_across_kinds);
  g_test_add_func ("/specs/golden", test_golden);
  g_test_add_func ("/specs/binary/a-scalar", test_a_binary_scalar);
  g_test_add_func ("/specs/bounded/low-is-high", test_low_is_high);
  g_test_add_func ("/specs/bounded/one-bound-or-many", test_one_bound_or_many);
  g_test_add_func ("/specs/bounded/high-is-never-drawn", test_high_is_never_drawn);
  g_test_add_func ("/specs/bounded/both-ends-of-integers-are-drawn",
                   test_both_ends_of_integers_are_drawn);
  g_test_add_func ("/specs/bounded/full-range-integers", test_full_range_integers);
  g_test_add_func ("/specs/bounded/limits-of-64-bit-integers", test_limits_of_64_bit_integers);
  g_test_add_func ("/specs/bounded/signed-zero-and-nan", test_signed_zero_and_nan);
  g_test_add_func ("/specs/project/keeps-floats-and-converts-the-rest",
                   test_projection_keeps_floats_and_converts_the_rest);
  g_test_add_func ("/specs/is-in/strided-values", test_strided_values);
  g_test_add_func ("/specs/rand/classes-are-uniform", test_classes_are_uniform);
  g_test_add_func ("/specs/rand/boxes-are-uniform", test_boxes_are_uniform);
  g_test_add_func ("/specs/rand/the-normal-distribution", test_the_normal_distribution);
  g_test_add_func ("/specs/rand/normal-moments", test_normal_moments);
  g_test_add_func ("/specs/rand/streams-differ", test_streams_differ);
  g_test_add_func ("/specs/composite/leaves-and-paths", test_leaves_and_paths);
  g_test_add_func ("/specs/composite/tensordicts", test_tensordicts_of_a_composite);
  g_test_add_func ("/specs/composite/each-leaf-has-its-stream", test_each_leaf_has_its_stream);
  g_test_add_func ("/specs/composite/order-of-keys-does-not-matter",
                   test_order_of_keys_does_not_matter);
  g_test_add_func ("/specs/refused/boxes", test_boxes_that_cannot_be);
  g_test_add_func ("/specs/refused/classes", test_classes_that_cannot_be);
  g_test_add_func ("/specs/refused/shapes", test_shapes_that_cannot_be);
  g_test_add_func ("/specs/text", test_text);

  return g_test_run ();
}
