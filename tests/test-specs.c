/* Invariants of specs of every kind, for each useful shape and type. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

/* By their text form, beside those of make_leaf(). */
static const char *const texts[] = {
  "categorical:n=4,mask=[1,0,1,1]",
  "categorical:n=3,mask=[[1,0,1],[0,1,0]],dtype=uint8,shape=[2]",
  "binary:mask=[0,1],shape=[3]",
  "one-hot:n=4,mask=[1,0,1,1]",
  "one-hot:n=3,mask=[[1,0,1],[0,1,1]],dtype=int64,shape=[2,3]",
  "multi-categorical:nvec=[3,4,5]",
  "multi-categorical:nvec=[3,4,5],shape=[2,3]",
  "multi-categorical:nvec=[[2,3],[4,5]],dtype=int32",
  "multi-categorical:nvec=[7]",
  "multi-categorical:nvec=[3,2],mask=[1,0,1,0,1],shape=[4,2]",
  "multi-one-hot:nvec=[5]",
  "multi-one-hot:nvec=[5,2,3],dtype=int64,shape=[2,10]",
  "multi-one-hot:nvec=[4,4,1],mask=[1,0,1,1,0,0,1,1,1]",
  "bounded:low=[0,1],high=[1,3],shape=[-1,2]",
  "bounded:low=[[0],[1]],high=5,dtype=int16,shape=[2,300]",
};

#define N_MADE 29
#define N_LEAVES (N_MADE + G_N_ELEMENTS (texts))

static ReelSpec *
make_leaf (guint i)
{
  if (i >= N_MADE)
    return make_from_text (texts[i - N_MADE]);
  switch (i)
    {
    case 0: return make_bounded (REEL_DTYPE_FLOAT32, SHAPE (3), -1, 2);
    case 1: return make_bounded (REEL_DTYPE_FLOAT64, SCALAR, -2, 2);
    case 2: return make_bounded (REEL_DTYPE_FLOAT16, SHAPE (2, 2), 0, 1);
    case 3: return make_bounded (REEL_DTYPE_BFLOAT16, SHAPE (5), -3, -1);
    case 4: return make_bounded (REEL_DTYPE_INT64, SHAPE (2), -5, 3);
    case 5: return make_bounded (REEL_DTYPE_UINT8, SHAPE (4), 0, 255);
    case 6: return make_bounded (REEL_DTYPE_BOOL, SHAPE (4), 0, 1);
    case 7: return make_bounded (REEL_DTYPE_INT64, SCALAR, -INFINITY, INFINITY);
    case 8: return make_bounded (REEL_DTYPE_UINT64, SCALAR, 5, INFINITY);
    case 9: return make_bounded (REEL_DTYPE_FLOAT32, SCALAR, -INFINITY, 3);
    case 10: return make_bounded (REEL_DTYPE_FLOAT64, SCALAR, 3, INFINITY);
    case 11: return make_bounded (REEL_DTYPE_FLOAT64, SCALAR, -G_MAXDOUBLE, G_MAXDOUBLE);
    case 12: return make_bounded (REEL_DTYPE_FLOAT32, SHAPE (0), 0, 1);
    case 13: return make_bounded_pair (-1, 1, 0, 5);
    case 14: return make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
    case 15: return make_unbounded (REEL_DTYPE_INT16, SHAPE (2));
    case 16: return make_unbounded (REEL_DTYPE_BOOL, SHAPE (3));
    case 17: return make_unbounded (REEL_DTYPE_COMPLEX64, SHAPE (3));
    case 18: return make_categorical (10, REEL_DTYPE_INT64, SCALAR);
    case 19: return make_categorical (2, REEL_DTYPE_BOOL, SHAPE (3));
    case 20: return make_categorical (7, REEL_DTYPE_UINT8, SHAPE (3, 1));
    case 21: return make_categorical (1, REEL_DTYPE_INT32, SCALAR);
    case 22: return make_one_hot (2, REEL_DTYPE_INT64, SHAPE (2));
    case 23: return make_one_hot (5, REEL_DTYPE_BOOL, SHAPE (5));
    case 24: return make_one_hot (3, REEL_DTYPE_INT64, SHAPE (2, 3));
    case 25: return make_one_hot (1, REEL_DTYPE_INT8, SHAPE (4, 1));
    case 26: return make_binary (REEL_DTYPE_INT8, SHAPE (3));
    case 27: return make_binary (REEL_DTYPE_BOOL, SCALAR);
    default: return make_binary (REEL_DTYPE_INT64, SHAPE (70));
    }
}

static gsize
row_bytes (const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  gsize bytes = reel_dtype_size (reel_spec_get_dtype (spec));

  for (gint i = 0; i < ndim; i++)
    bytes *= (gsize) (shape[i] < 0 ? 1 : shape[i]);
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
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (50), NULL);
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (batch, &ndim);
  ReelDtype own = reel_spec_get_dtype (spec);

  for (gsize i = 0; i <= G_N_ELEMENTS (wild); i++)
    {
      ReelDtype dtype = i == 0 ? own : wild[i - 1];
      g_autoptr (ReelSpec) any = make_unbounded (dtype, ndim, shape);
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
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (2, 3), NULL);
  g_autoptr (ReelSpec) again = reel_spec_batch (spec, SHAPE (2, 3), NULL);
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
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (2), NULL);
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
check_text_and_json (const ReelSpec *given)
{
  g_autoptr (ReelSpec) batch = reel_spec_batch (given, SHAPE (2, 3), NULL);

  for (guint i = 0; i < 2; i++)
    {
      const ReelSpec *spec = i == 0 ? given : batch;
      g_autoptr (GError) error = NULL;
      g_autofree char *text = reel_spec_to_text (spec);
      g_autofree char *json = reel_spec_to_json (spec, NULL);
      g_autoptr (ReelSpec) from_text = reel_spec_new_from_text (text, &error);
      g_assert_no_error (error);
      g_autoptr (ReelSpec) from_json = reel_spec_new_from_json (json, &error);
      g_assert_no_error (error);
      g_autofree char *text_again = reel_spec_to_text (from_text);

      g_assert_true (reel_spec_equal (spec, from_text));
      g_assert_true (reel_spec_equal (spec, from_json));
      g_assert_cmpstr (text, ==, text_again);
    }
}

static void
check_one (const ReelSpec *spec)
{
  g_autoptr (ReelTensor) one = reel_spec_one (spec, SHAPE (2), NULL);
  g_autoptr (ReelTensor) zero = reel_spec_zero (spec, SHAPE (2), NULL);

  g_assert_cmpint (one->dtype, ==, zero->dtype);
  g_assert_cmpint (one->ndim, ==, zero->ndim);
  if (!reel_dtype_is_complex (one->dtype))
    for (gint64 i = 0; i < reel_tensor_numel (one); i++)
      g_assert_cmpfloat (get_element (one, i), ==, 1);
}

/* T15.6-1, -2, -3: what is decoded is encoded to itself, as an array and as lists. */
static void
check_encode (const ReelSpec *spec)
{
  for (gint64 step = 0; step < 10; step++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 9, step, SCALAR, NULL);
      g_autoptr (ReelTensor) plain = reel_spec_to_plain (spec, value, TRUE, &error);
      g_assert_no_error (error);
      g_autoptr (ReelTensor) array = reel_spec_encode_array (spec, plain, TRUE, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (array->data, reel_tensor_nbytes (array), value->data,
                       reel_tensor_nbytes (value));
      if (reel_dtype_is_complex (value->dtype) || reel_tensor_numel (value) == 0)
        continue;
      g_autoptr (GVariant) lists = reel_spec_to_variant (spec, value, TRUE, &error);
      g_assert_no_error (error);
      g_autoptr (ReelTensor) again = reel_spec_encode (spec, lists, TRUE, &error);
      g_assert_no_error (error);
      g_assert_true (reel_tensor_equal (again, array));
    }
}

static void
check_type (const ReelSpec *spec)
{
  g_autoptr (ReelTensor) value = reel_spec_zero (spec, SCALAR, NULL);
  ReelDtype other = value->dtype == REEL_DTYPE_INT32 ? REEL_DTYPE_INT64 : REEL_DTYPE_INT32;
  g_autoptr (ReelTensor) wrong = reel_tensor_new (other, value->ndim, value->shape, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_type_check (spec, value, NULL));
  g_assert_false (reel_spec_type_check (spec, wrong, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (reel_spec_assert_is_in (spec, wrong, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
}

static void
check_all_differ (const ReelTensor *rows)
{
  gsize bytes = reel_tensor_nbytes (rows) / (gsize) rows->shape[0];

  for (gint64 i = 0; bytes > 0 && i < rows->shape[0]; i++)
    for (gint64 j = 0; j < i; j++)
      g_assert_true (memcmp (rows->data + (gsize) i * bytes, rows->data + (gsize) j * bytes, bytes)
                     != 0);
}

/* As many as there are, all different, all inside. */
static void
check_enumerate (const ReelSpec *spec)
{
  gint64 n;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) values = reel_spec_enumerate (spec, FALSE, &error);

  if (!values)
    {
      g_assert_true (!reel_spec_cardinality (spec, &n, NULL) || n == G_MAXINT64);
      return;
    }
  g_assert_true (reel_spec_cardinality (spec, &n, NULL));
  g_assert_cmpint (values->shape[0], ==, n);
  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (values, NULL);
  check_all_differ (rows);
  g_autoptr (ReelSpec) free_spec = reel_spec_with_mask (spec, NULL, NULL);
  g_assert_true (reel_spec_is_in (free_spec, values, &error));
  g_assert_no_error (error);
  g_autoptr (ReelTensor) allowed = reel_spec_enumerate (spec, TRUE, &error);
  if (!allowed)
    return;
  g_assert_true (reel_spec_is_in (spec, allowed, &error));
  g_assert_no_error (error);
  if (reel_spec_get_mask (spec))
    g_assert_cmpint (allowed->shape[0], <, n);
  else
    g_assert_cmpint (allowed->shape[0], ==, n);
}

static gboolean
is_ragged (const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  return reel_spec_is_lazy (spec) && shape[ndim - 1] == -1;
}

/* T15.6-6 */
static void
check_conversions (const ReelSpec *spec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) hot = reel_spec_to_one_hot_spec (spec, NULL);
  g_autoptr (ReelSpec) whole = reel_spec_to_categorical_spec (spec, NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 4, 2, SHAPE (6), NULL);

  if (!hot || !whole || value->ndim < 2)
    return;
  if (is_ragged (hot))
    {
      g_assert_null (reel_spec_to_one_hot (spec, value, TRUE, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      return;
    }
  g_autoptr (ReelTensor) vectors = reel_spec_to_one_hot (spec, value, TRUE, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensor) classes = reel_spec_to_categorical (hot, vectors, TRUE, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensor) again = reel_spec_to_one_hot (whole, classes, FALSE, &error);
  g_assert_no_error (error);
  g_autoptr (ReelSpec) back = reel_spec_to_categorical_spec (hot, NULL);
  g_autoptr (ReelSpec) there = reel_spec_to_one_hot_spec (back, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (vectors); i++)
    g_assert_cmpfloat (get_element (again, i), ==, get_element (vectors, i));
  if (vectors->dtype == REEL_DTYPE_BOOL)
    g_assert_true (reel_spec_equal (there, hot));
  g_assert_cmpint (reel_spec_get_mask (spec) != NULL, ==, reel_spec_get_mask (back) != NULL);
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
  check_text_and_json (spec);
  check_one (spec);
  check_encode (spec);
  check_type (spec);
  check_enumerate (spec);
  check_conversions (spec);
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

  return g_test_run ();
}
