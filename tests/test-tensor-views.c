/* Views against an oracle that works out every element's place. */
#include "../src/reel.h"
#include "small-tensors.h"

/* The places whose index along a dimension is one of those kept. */
static GArray *
places_kept (const ReelTensor *tensor, gint dim, const gboolean *kept)
{
  g_autoptr (GArray) all = tensor_places (tensor);
  GArray *found = g_array_new (FALSE, FALSE, sizeof (gpointer));
  gint64 inner = 1;

  for (gint i = dim + 1; i < tensor->ndim; i++)
    inner *= tensor->shape[i];
  for (guint i = 0; i < all->len; i++)
    if (kept[i / inner % tensor->shape[dim]])
      g_array_append_val (found, g_array_index (all, gpointer, i));
  return found;
}

static void
check_select (ReelTensor *tensor)
{
  for (gint dim = 0; dim < tensor->ndim; dim++)
    for (gint64 i = -SMALL_EXTENT - 1; i <= SMALL_EXTENT + 1; i++)
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
        gboolean kept[SMALL_EXTENT] = { FALSE };
        kept[i < 0 ? i + extent : i] = TRUE;
        g_autoptr (GArray) expected = places_kept (tensor, dim, kept);
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
            gboolean kept[SMALL_EXTENT];
            for (gint64 j = 0; j < tensor->shape[dim]; j++)
              kept[j] = in_slice (j, tensor->shape[dim], begin, end, step);
            g_autoptr (GArray) expected = places_kept (tensor, dim, kept);
            g_autoptr (ReelTensor) view = reel_tensor_slice (tensor, dim, begin, end, step, NULL);
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
  g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT32, 1, shape);
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
        g_autoptr (GArray) expected = tensor_places (tensor);
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
      g_autoptr (GArray) expected = tensor_places (tensor);
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
  g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT8, REEL_MAX_NDIM, shape);
  g_assert_null (reel_tensor_unsqueeze (tensor, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tensor_expand (tensor, REEL_MAX_NDIM + 1, shape, NULL));
  g_assert_null (reel_tensor_view (tensor, REEL_MAX_NDIM + 1, shape, NULL));
  g_assert_null (reel_tensor_view (tensor, -1, shape, NULL));
}

static void
check_expand (ReelTensor *tensor)
{
  gint64 shape[SMALL_DIMS + 1];

  for (gint code = 0; code < 256; code++)
    for (gint ndim = 0; ndim <= SMALL_DIMS + 1; ndim++)
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
  g_autoptr (GArray) all = tensor_places (tensor);
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
  g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT32, 3, shape);
  g_autoptr (ReelTensor) view = reel_tensor_view (tensor, 2, inferred, NULL);

  g_assert_cmpint (view->shape[0], ==, 4);
  g_assert_null (reel_tensor_view (tensor, 2, twice, NULL));
  g_assert_null (reel_tensor_view (tensor, 2, uneven, NULL));
  g_assert_null (reel_tensor_view (tensor, 2, none, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

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

  return g_test_run ();
}
