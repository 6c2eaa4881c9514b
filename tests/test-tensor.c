/* Views, copies and gathers against an oracle that works out every element's place. */
#include "../src/reel.h"

#include <string.h>

#define MAX_EXTENT 3
#define MAX_DIMS 3

typedef void (*TensorFunc) (ReelTensor *tensor);

/* Where the elements lie, in row-major order. */
static GArray *
places (const ReelTensor *tensor)
{
  GArray *result = g_array_new (FALSE, FALSE, sizeof (guint8 *));
  gint64 index[REEL_MAX_NDIM] = { 0 };

  for (gint64 left = reel_tensor_numel (tensor); left > 0; left--)
    {
      guint8 *place = tensor->data;
      for (gint i = 0; i < tensor->ndim; i++)
        place += index[i] * tensor->strides[i];
      g_assert_true (place == reel_tensor_element (tensor, index));
      g_array_append_val (result, place);
      for (gint i = tensor->ndim - 1; i >= 0 && ++index[i] == tensor->shape[i]; i--)
        index[i] = 0;
    }
  return result;
}

static void
assert_same_places (const ReelTensor *tensor, GArray *expected)
{
  g_autoptr (GArray) found = places (tensor);

  g_assert_cmpmem (found->data, found->len * sizeof (gpointer), expected->data,
                   expected->len * sizeof (gpointer));
}

/* A tensor of its own memory whose elements count up from 1 in the order of the memory. */
static ReelTensor *
new_counting (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  g_autoptr (GError) error = NULL;
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    if (reel_dtype_is_complex (dtype))
      tensor->data[i * reel_dtype_size (dtype)] = i + 1;
    else
      reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype), i + 1);
  return tensor;
}

static void
for_each_shape (gint ndim, gint max_extent, gint64 *shape, gint at, TensorFunc func)
{
  if (at == ndim)
    {
      g_autoptr (ReelTensor) tensor = new_counting (REEL_DTYPE_INT32, ndim, shape);
      func (tensor);
      return;
    }
  for (shape[at] = 0; shape[at] <= max_extent; shape[at]++)
    for_each_shape (ndim, max_extent, shape, at + 1, func);
}

static void
for_each_tensor (TensorFunc func)
{
  gint64 shape[MAX_DIMS] = { 0 };

  for (gint ndim = 0; ndim <= MAX_DIMS; ndim++)
    for_each_shape (ndim, MAX_EXTENT, shape, 0, func);
}

/* The tensor, its permutations, and of each every second index of one dimension. */
static void
for_each_strided (ReelTensor *tensor, TensorFunc func)
{
  func (tensor);
  for (gint i = 0; i < tensor->ndim; i++)
    {
      g_autoptr (ReelTensor) sliced = reel_tensor_slice (tensor, i, 0, G_MAXINT64, 2, NULL);
      func (sliced);
      for (gint j = 0; j < i; j++)
        {
          g_autoptr (ReelTensor) swapped = reel_tensor_transpose (tensor, i, j, NULL);
          g_autoptr (ReelTensor) both = reel_tensor_transpose (sliced, i, j, NULL);
          func (swapped);
          func (both);
        }
    }
}

/* ---- making ---- */

static void
check_new (ReelTensor *tensor)
{
  gint64 stride = 4;

  for (gint i = tensor->ndim - 1; i >= 0; i--)
    {
      g_assert_cmpint (tensor->strides[i], ==, stride);
      stride *= MAX (tensor->shape[i], 1);
    }
  g_assert_true (reel_tensor_is_contiguous (tensor));
  g_assert_cmpuint (reel_tensor_nbytes (tensor), ==, reel_tensor_numel (tensor) * 4);
}

static void
test_new_is_contiguous (void)
{
  for_each_tensor (check_new);
}

static void
assert_value_error (ReelTensor *tensor, GError **error, const char *word)
{
  g_assert_null (tensor);
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr ((*error)->message, word));
  g_clear_error (error);
}

static void
test_impossible_shapes (void)
{
  const gint64 negative[] = { 2, -1 };
  const gint64 huge[] = { 0, (gint64) 1 << 40, (gint64) 1 << 40 };
  const gint64 many[REEL_MAX_NDIM + 1] = { 0 };
  GError *error = NULL;

  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, 2, negative, &error), &error, "[2, -1]");
  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, 3, huge, &error), &error, "2^63");
  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, REEL_MAX_NDIM + 1, many, &error), &error,
                      "17");
  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, -1, many, &error), &error, "-1");
}

static void
test_no_memory (void)
{
  const gint64 shape[] = { G_MAXINT64 };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensor_new (REEL_DTYPE_BOOL, 1, shape, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_null (reel_memory_new ((gsize) 1 << 50, NULL));
}

static void
test_large_memory_is_zeroed_and_aligned (void)
{
  for (gsize size = 0; size <= (gsize) 8 << 20; size = size ? size * 4 : 1)
    {
      g_autoptr (ReelMemory) memory = reel_memory_new (size, NULL);
      gsize found;
      guint8 *data = reel_memory_get_data (memory, &found);

      g_assert_cmpuint (found, ==, size);
      g_assert_cmpuint ((gsize) data % 64, ==, 0);
      g_assert_cmpint (reel_memory_get_kind (memory), ==, REEL_MEMORY_HEAP);
      for (gsize i = 0; i < size; i++)
        if (data[i] != 0)
          g_error ("byte %zu of %zu is not zero", i, size);
      memset (data, 1, size);
    }
}

static void
count_call (gpointer data)
{
  ++*(guint *) data;
}

static void
test_memory_lives_as_long_as_its_views (void)
{
  gint32 elements[6] = { 0, 1, 2, 3, 4, 5 };
  const gint64 shape[] = { 2, 3 };
  guint calls = 0;
  ReelMemory *memory =
      reel_memory_new_wrapped (REEL_MEMORY_FILE, elements, sizeof elements, count_call, &calls);
  ReelTensor *tensor =
      reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_INT32, 2, shape, NULL, NULL);
  reel_memory_unref (memory);
  ReelTensor *row = reel_tensor_select (tensor, 0, 1, NULL);
  reel_tensor_unref (tensor);

  g_assert_cmpuint (calls, ==, 0);
  ((gint32 *) row->data)[2] = 50;
  g_assert_cmpint (elements[5], ==, 50);
  reel_tensor_unref (row);
  g_assert_cmpuint (calls, ==, 1);
}

/* C lets one add 0 to a pointer, and not to NULL. */
static void
test_memory_of_nothing_is_somewhere (void)
{
  g_autoptr (ReelMemory) memory = reel_memory_new_wrapped (REEL_MEMORY_FILE, NULL, 0, NULL, NULL);
  gsize size = 1;

  g_assert_nonnull (reel_memory_get_data (memory, &size));
  g_assert_cmpuint (size, ==, 0);
}

/* Every offset and pair of strides over a small memory: exactly those views that stay inside. */
static void
test_views_stay_within_memory (void)
{
  guint8 bytes[8];
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, bytes, sizeof bytes, NULL, NULL);

  for (gint64 offset = 0; offset < 10; offset++)
    for (gint64 extent = 0; extent < 4; extent++)
      for (gint64 s0 = -5; s0 < 6; s0++)
        for (gint64 s1 = -5; s1 < 6; s1++)
          {
            const gint64 shape[] = { extent, 2 }, strides[] = { s0, s1 };
            gboolean inside = offset <= 8;
            for (gint64 i = 0; i < extent * 2; i++)
              {
                gint64 at = offset + i / 2 * s0 + i % 2 * s1;
                inside &= at >= 0 && at + 2 <= 8;
              }
            g_autoptr (GError) error = NULL;
            g_autoptr (ReelTensor) tensor = reel_tensor_new_from_memory (
                memory, offset, REEL_DTYPE_INT16, 2, shape, strides, &error);
            g_assert_cmpint (tensor != NULL, ==, inside);
            if (!inside)
              g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
          }
}

/* ---- views ---- */

static void
assert_index_error (ReelTensor *tensor, GError **error)
{
  g_assert_null (tensor);
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (error);
}

static void
check_select (ReelTensor *tensor)
{
  for (gint dim = 0; dim < tensor->ndim; dim++)
    for (gint64 i = -MAX_EXTENT - 1; i <= MAX_EXTENT + 1; i++)
      {
        GError *error = NULL;
        gint64 extent = tensor->shape[dim];
        g_autoptr (ReelTensor) view =
            reel_tensor_select (tensor, i % 2 ? dim : dim - tensor->ndim, i, &error);

        if (i < -extent || i >= extent)
          {
            assert_index_error (view, &error);
            continue;
          }
        g_autoptr (GArray) all = places (tensor);
        g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (gpointer));
        gint64 inner = 1;
        for (gint j = dim + 1; j < tensor->ndim; j++)
          inner *= tensor->shape[j];
        for (guint j = 0; j < all->len; j++)
          if (j / inner % extent == (i < 0 ? i + extent : i))
            g_array_append_val (expected, g_array_index (all, gpointer, j));
        g_assert_cmpint (view->ndim, ==, tensor->ndim - 1);
        assert_same_places (view, expected);
      }
}

static void
test_select (void)
{
  for_each_tensor (check_select);
}

/* Python's rule, spelled out. */
static gboolean
in_slice (gint64 i, gint64 extent, gint64 begin, gint64 end, gint64 step)
{
  if (begin < 0)
    begin = MAX (begin + extent, 0);
  if (end < 0)
    end = MAX (end + extent, 0);
  return i >= begin && i < end && (i - begin) % step == 0;
}

static void
check_slice (ReelTensor *tensor)
{
  for (gint dim = 0; dim < tensor->ndim; dim++)
    for (gint64 begin = -4; begin <= 4; begin++)
      for (gint64 end = -4; end <= 4; end++)
        for (gint64 step = 1; step <= 3; step++)
          {
            g_autoptr (ReelTensor) view = reel_tensor_slice (tensor, dim, begin, end, step, NULL);
            g_autoptr (GArray) all = places (tensor);
            g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (gpointer));
            gint64 inner = 1;
            for (gint j = dim + 1; j < tensor->ndim; j++)
              inner *= tensor->shape[j];
            for (guint j = 0; j < all->len; j++)
              if (in_slice (j / inner % tensor->shape[dim], tensor->shape[dim], begin, end, step))
                g_array_append_val (expected, g_array_index (all, gpointer, j));
            assert_same_places (view, expected);
          }
}

static void
test_slice (void)
{
  for_each_tensor (check_slice);
}

static void
test_slice_errors_and_extremes (void)
{
  const gint64 shape[] = { 4 };
  g_autoptr (ReelTensor) tensor = new_counting (REEL_DTYPE_INT32, 1, shape);
  g_autoptr (ReelTensor) whole =
      reel_tensor_slice (tensor, 0, G_MININT64, G_MAXINT64, G_MAXINT64, NULL);
  g_autoptr (ReelTensor) none = reel_tensor_slice (tensor, 0, G_MAXINT64, G_MAXINT64, 1, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (whole->shape[0], ==, 1);
  g_assert_cmpint (none->shape[0], ==, 0);
  g_assert_null (reel_tensor_slice (tensor, 0, 0, 1, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  GError *index_error = NULL;
  assert_index_error (reel_tensor_slice (tensor, 1, 0, 1, 1, &index_error), &index_error);
}

static void
check_permute (ReelTensor *tensor)
{
  for (gint code = 0; code < 64; code++)
    {
      const gint dims[] = { code % 4, code / 4 % 4, code / 16 };
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) view = reel_tensor_permute (tensor, dims, &error);
      gboolean valid = TRUE;

      for (gint i = 0; i < tensor->ndim; i++)
        {
          valid &= dims[i] < tensor->ndim;
          for (gint j = 0; j < i; j++)
            valid &= dims[i] != dims[j];
        }
      g_assert_cmpint (view != NULL, ==, valid);
      if (!valid)
        g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      for (gint i = 0; view && i < tensor->ndim; i++)
        {
          g_assert_cmpint (view->shape[i], ==, tensor->shape[dims[i]]);
          g_assert_cmpint (view->strides[i], ==, tensor->strides[dims[i]]);
          g_assert_true (view->data == tensor->data);
        }
    }
}

static void
test_permute (void)
{
  for_each_tensor (check_permute);
}

static void
check_transpose (ReelTensor *tensor)
{
  gint n = tensor->ndim;

  for (gint i = -n - 1; i <= n; i++)
    for (gint j = -n - 1; j <= n; j++)
      {
        GError *error = NULL;
        g_autoptr (ReelTensor) view = reel_tensor_transpose (tensor, i, j, &error);

        if (i < -n || i >= n || j < -n || j >= n)
          {
            assert_index_error (view, &error);
            continue;
          }
        gint a = (i + n) % n, b = (j + n) % n;
        g_assert_cmpint (view->shape[a], ==, tensor->shape[b]);
        g_assert_cmpint (view->strides[b], ==, tensor->strides[a]);
        g_autoptr (ReelTensor) back = reel_tensor_transpose (view, i, j, NULL);
        g_autoptr (GArray) expected = places (tensor);
        assert_same_places (back, expected);
      }
}

static void
test_transpose (void)
{
  for_each_tensor (check_transpose);
}

static void
check_unsqueeze (ReelTensor *tensor)
{
  gint n = tensor->ndim + 1;

  for (gint dim = -n - 1; dim <= n; dim++)
    {
      GError *error = NULL;
      g_autoptr (ReelTensor) view = reel_tensor_unsqueeze (tensor, dim, &error);

      if (dim < -n || dim >= n)
        {
          assert_index_error (view, &error);
          continue;
        }
      g_autoptr (GArray) expected = places (tensor);
      g_assert_cmpint (view->shape[(dim + n) % n], ==, 1);
      assert_same_places (view, expected);
      g_assert_cmpint (reel_tensor_is_contiguous (view), ==, reel_tensor_is_contiguous (tensor));
    }
}

static void
test_unsqueeze (void)
{
  for_each_tensor (check_unsqueeze);
}

static void
test_dimensions_are_limited (void)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  g_autoptr (GError) error = NULL;

  for (gint i = 0; i <= REEL_MAX_NDIM; i++)
    shape[i] = 1;
  g_autoptr (ReelTensor) tensor = new_counting (REEL_DTYPE_INT8, REEL_MAX_NDIM, shape);
  g_assert_null (reel_tensor_unsqueeze (tensor, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tensor_expand (tensor, REEL_MAX_NDIM + 1, shape, NULL));
  g_assert_null (reel_tensor_view (tensor, REEL_MAX_NDIM + 1, shape, NULL));
  g_assert_null (reel_tensor_view (tensor, -1, shape, NULL));
}

static void
check_expand (ReelTensor *tensor)
{
  gint64 shape[MAX_DIMS + 1];

  for (gint code = 0; code < 256; code++)
    for (gint ndim = 0; ndim <= MAX_DIMS + 1; ndim++)
      {
        gint added = ndim - tensor->ndim;
        gboolean valid = added >= 0;

        for (gint i = 0; i < ndim; i++)
          {
            shape[i] = code >> 2 * i & 3;
            gint64 extent = i < added || added < 0 ? 1 : tensor->shape[i - added];
            valid &= extent == shape[i] || extent == 1;
          }
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensor) view = reel_tensor_expand (tensor, ndim, shape, &error);
        g_assert_cmpint (view != NULL, ==, valid);
        if (!valid)
          g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
        for (gint i = 0; view && i < ndim; i++)
          {
            gboolean repeats = i < added || tensor->shape[i - added] != shape[i];
            g_assert_cmpint (view->shape[i], ==, shape[i]);
            g_assert_cmpint (view->strides[i], ==, repeats ? 0 : tensor->strides[i - added]);
          }
      }
}

static void
test_expand (void)
{
  for_each_tensor (check_expand);
}

/* A view exists if the places, taken in order, advance evenly along each dimension. */
static gboolean
shows_as (GArray *all, gint ndim, const gint64 *shape)
{
  gint64 numel = 1;

  for (gint i = 0; i < ndim; i++)
    numel *= shape[i];
  if (numel != all->len)
    return FALSE;
  for (gint64 at = 0; at < numel; at++)
    {
      guint8 *place = numel ? g_array_index (all, guint8 *, 0) : NULL;
      for (gint64 i = ndim - 1, rest = at, inner = 1; i >= 0; i--)
        {
          if (shape[i] > 1)
            place += rest % shape[i]
                     * (g_array_index (all, guint8 *, inner) - g_array_index (all, guint8 *, 0));
          rest /= shape[i];
          inner *= shape[i];
        }
      if (place != g_array_index (all, guint8 *, at))
        return FALSE;
    }
  return TRUE;
}

static void
check_one_view (ReelTensor *tensor)
{
  g_autoptr (GArray) all = places (tensor);
  const gint64 extents[] = { 1, 2, 3, 4, 6, 0 };

  for (gint code = 0; code < 216; code++)
    for (gint ndim = 0; ndim <= 3; ndim++)
      {
        const gint64 shape[] = { extents[code % 6], extents[code / 6 % 6], extents[code / 36] };
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensor) view = reel_tensor_view (tensor, ndim, shape, &error);

        g_assert_cmpint (view != NULL, ==, shows_as (all, ndim, shape));
        if (view)
          assert_same_places (view, all);
        else
          g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      }
}

static void
check_view (ReelTensor *tensor)
{
  for_each_strided (tensor, check_one_view);
}

static void
test_view (void)
{
  for_each_tensor (check_view);
}

static void
test_view_infers_one_extent (void)
{
  const gint64 shape[] = { 2, 3, 4 };
  const gint64 inferred[] = { -1, 6 }, twice[] = { -1, -1 }, uneven[] = { -1, 5 },
               none[] = { -1, 0 };
  g_autoptr (ReelTensor) tensor = new_counting (REEL_DTYPE_INT32, 3, shape);
  g_autoptr (ReelTensor) view = reel_tensor_view (tensor, 2, inferred, NULL);

  g_assert_cmpint (view->shape[0], ==, 4);
  g_assert_null (reel_tensor_view (tensor, 2, twice, NULL));
  g_assert_null (reel_tensor_view (tensor, 2, uneven, NULL));
  g_assert_null (reel_tensor_view (tensor, 2, none, NULL));
}

/* ---- elements ---- */

static void
check_copy (ReelTensor *tensor)
{
  g_autoptr (ReelTensor) copy = reel_tensor_clone (tensor, NULL);
  g_autoptr (ReelTensor) same = reel_tensor_contiguous (tensor, NULL);
  g_autoptr (GArray) from = places (tensor);
  g_autoptr (GArray) to = places (copy);

  g_assert_cmpint (same == tensor, ==, reel_tensor_is_contiguous (tensor));
  g_assert_true (reel_tensor_is_contiguous (same));
  g_assert_true (reel_tensor_equal (tensor, same));
  g_assert_true (reel_tensor_equal (copy, tensor));
  g_assert_true (reel_tensor_copy (tensor, tensor, NULL));
  for (guint i = 0; i < from->len; i++)
    {
      guint8 *a = g_array_index (from, guint8 *, i), *b = g_array_index (to, guint8 *, i);
      gsize size = reel_dtype_size (tensor->dtype);

      g_assert_cmpmem (a, size, b, size);
      /* Any one element that differs makes the tensors differ. */
      b[size - 1] ^= 1;
      g_assert_false (reel_tensor_equal (tensor, copy));
      g_assert_true (reel_tensor_copy (copy, tensor, NULL));
      g_assert_true (reel_tensor_equal (tensor, copy));
    }
}

static void
test_copy_and_equal (void)
{
  static const gint64 shape[] = { 3, 4, 2 };

  for (gint dtype = 0; dtype < REEL_N_DTYPES; dtype++)
    {
      g_autoptr (ReelTensor) tensor = new_counting ((ReelDtype) dtype, 3, shape);
      for_each_strided (tensor, check_copy);
    }
  for_each_tensor (check_copy);
}

static void
check_copy_into_strided (ReelTensor *tensor)
{
  g_autoptr (ReelTensor) source = new_counting (tensor->dtype, tensor->ndim, tensor->shape);

  g_assert_true (reel_tensor_copy (tensor, source, NULL));
  g_assert_true (reel_tensor_equal (tensor, source));
}

static void
test_copy_into_strided (void)
{
  static const gint64 shape[] = { 3, 4, 5 };
  g_autoptr (ReelTensor) tensor = new_counting (REEL_DTYPE_INT64, 3, shape);

  for_each_strided (tensor, check_copy_into_strided);
}

static void
test_copy_broadcasts (void)
{
  const gint64 wide[] = { 2, 3 }, column[] = { 2, 1 }, three[] = { 3 };
  g_autoptr (ReelTensor) to = reel_tensor_new (REEL_DTYPE_INT32, 2, wide, NULL);
  g_autoptr (ReelTensor) from = new_counting (REEL_DTYPE_INT32, 2, column);
  g_autoptr (ReelTensor) other = new_counting (REEL_DTYPE_INT64, 1, three);
  const gint32 expected[] = { 1, 1, 1, 2, 2, 2 };
  GError *error = NULL;

  g_assert_true (reel_tensor_copy (to, from, NULL));
  g_assert_cmpmem (to->data, sizeof expected, expected, sizeof expected);
  g_assert_false (reel_tensor_copy (to, other, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (reel_tensor_copy (from, to, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_cmpmem (to->data, sizeof expected, expected, sizeof expected);
}

static void
test_equal_tells_bits (void)
{
  g_autoptr (ReelTensor) a = reel_tensor_new (REEL_DTYPE_FLOAT32, 0, NULL, NULL);
  g_autoptr (ReelTensor) b = reel_tensor_new (REEL_DTYPE_FLOAT32, 0, NULL, NULL);
  g_autoptr (ReelTensor) i = reel_tensor_new (REEL_DTYPE_INT32, 0, NULL, NULL);

  g_assert_true (reel_tensor_equal (a, b));
  g_assert_false (reel_tensor_equal (a, i));
  *(float *) b->data = -0.0f;
  g_assert_false (reel_tensor_equal (a, b));
  *(float *) a->data = *(float *) b->data = (float) G_MAXDOUBLE - (float) G_MAXDOUBLE;
  g_assert_true (reel_tensor_equal (a, b));
}

static void
check_gather (ReelTensor *tensor)
{
  gint64 extent = tensor->ndim > 0 ? tensor->shape[0] : 0;
  gint64 rows[2 * MAX_EXTENT] = { 0 };

  for (gint64 i = 0; i < 2 * extent; i++)
    rows[i] = (i * 2) % (2 * extent) - extent;
  GError *error = NULL;
  g_autoptr (ReelTensor) result = reel_tensor_gather_rows (tensor, rows, 2 * extent, &error);
  if (tensor->ndim == 0)
    {
      assert_index_error (result, &error);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpint (result->shape[0], ==, 2 * extent);
  g_assert_true (reel_tensor_is_contiguous (result));
  for (gint64 i = 0; i < 2 * extent; i++)
    {
      g_autoptr (ReelTensor) expected = reel_tensor_select (tensor, 0, rows[i], NULL);
      g_autoptr (ReelTensor) found = reel_tensor_select (result, 0, i, NULL);
      g_assert_true (reel_tensor_equal (found, expected));
    }
}

static void
check_gather_strided (ReelTensor *tensor)
{
  for_each_strided (tensor, check_gather);
}

static void
test_gather_rows (void)
{
  static const gint64 shape[] = { 3, 2 };

  for_each_tensor (check_gather_strided);
  for (gint dtype = 0; dtype < REEL_N_DTYPES; dtype++)
    for (gint ndim = 1; ndim <= 2; ndim++)
      {
        g_autoptr (ReelTensor) tensor = new_counting ((ReelDtype) dtype, ndim, shape);
        check_gather (tensor);
      }
}

static void
test_gather_names_the_bad_row (void)
{
  const gint64 shape[] = { 3, 0 };
  const gint64 rows[] = { 2, -3, 3, 7 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT32, 2, shape, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensor_gather_rows (tensor, rows, 4, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_cmpstr (error->message, ==, "index 3 is out of bounds for dimension 0 with size 3");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensor/new-is-contiguous", test_new_is_contiguous);
  g_test_add_func ("/core/tensor/impossible-shapes", test_impossible_shapes);
  g_test_add_func ("/core/tensor/no-memory", test_no_memory);
  g_test_add_func ("/core/memory/zeroed-and-aligned", test_large_memory_is_zeroed_and_aligned);
  g_test_add_func ("/core/memory/of-nothing-is-somewhere", test_memory_of_nothing_is_somewhere);
  g_test_add_func ("/core/memory/lives-as-long-as-its-views",
                   test_memory_lives_as_long_as_its_views);
  g_test_add_func ("/core/tensor/views-stay-within-memory", test_views_stay_within_memory);
  g_test_add_func ("/core/tensor/select", test_select);
  g_test_add_func ("/core/tensor/slice", test_slice);
  g_test_add_func ("/core/tensor/slice-errors-and-extremes", test_slice_errors_and_extremes);
  g_test_add_func ("/core/tensor/permute", test_permute);
  g_test_add_func ("/core/tensor/transpose", test_transpose);
  g_test_add_func ("/core/tensor/unsqueeze", test_unsqueeze);
  g_test_add_func ("/core/tensor/dimensions-are-limited", test_dimensions_are_limited);
  g_test_add_func ("/core/tensor/expand", test_expand);
  g_test_add_func ("/core/tensor/view", test_view);
  g_test_add_func ("/core/tensor/view-infers-one-extent", test_view_infers_one_extent);
  g_test_add_func ("/core/tensor/copy-and-equal", test_copy_and_equal);
  g_test_add_func ("/core/tensor/copy-into-strided", test_copy_into_strided);
  g_test_add_func ("/core/tensor/copy-broadcasts", test_copy_broadcasts);
  g_test_add_func ("/core/tensor/equal-tells-bits", test_equal_tells_bits);
  g_test_add_func ("/core/tensor/gather-rows", test_gather_rows);
  g_test_add_func ("/core/tensor/gather-names-the-bad-row", test_gather_names_the_bad_row);

  return g_test_run ();
}
