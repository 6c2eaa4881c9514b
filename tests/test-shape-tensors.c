/* Changes of shape of tensors by themselves, of every small shape and stride. */
#include "small-tensors.h"

static void
check_padded (ReelTensor *tensor)
{
  for (gint code = 0; code < 16 && tensor->ndim > 0; code++)
    {
      const gint64 pads[] = { code % 4 - 1, code / 4 - 1 };
      gint64 extent = tensor->shape[0] + pads[0] + pads[1];
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) padded = reel_tensor_pad (tensor, 2, pads, -9, &error);

      if (extent < 0 || -pads[0] > tensor->shape[0] || -pads[1] > tensor->shape[0])
        {
          g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpint (padded->shape[0], ==, extent);
      for (gint64 i = 0; i < extent; i++)
        {
          g_autoptr (ReelTensor) found = reel_tensor_select (padded, 0, i, NULL);
          gint64 from = i - pads[0];
          gboolean inside = from >= 0 && from < tensor->shape[0];
          g_autoptr (ReelTensor) row = inside ? reel_tensor_select (tensor, 0, from, NULL) : NULL;
          if (inside)
            g_assert_true (reel_tensor_equal (found, row));
          for (gint64 j = 0; !inside && j < reel_tensor_numel (found); j++)
            g_assert_cmpint (((gint32 *) found->data)[j], ==, -9);
        }
    }
}

static void
check_strided_padded (ReelTensor *tensor)
{
  for_each_strided (tensor, check_padded);
}

static void
test_pads (void)
{
  for_each_tensor (check_strided_padded);
}

/* Rows of every width, aligned or not, chosen in runs of every length. */
static void
test_where (void)
{
  for (gint64 width = 0; width <= 20; width++)
    for (gint64 n = 0; n <= 40; n += 1 + n / 4)
      {
        const gint64 shape[] = { n + 1, width };
        g_autoptr (ReelTensor) wide_a = new_counting_tensor (REEL_DTYPE_UINT8, 2, shape);
        g_autoptr (ReelTensor) wide_b = new_counting_tensor (REEL_DTYPE_INT8, 2, shape);
        g_autoptr (ReelTensor) wide = new_counting_tensor (REEL_DTYPE_UINT8, 2, shape);
        g_autoptr (ReelTensor) a = reel_tensor_slice (wide_a, 0, 1, G_MAXINT64, 1, NULL);
        g_autoptr (ReelTensor) b = reel_tensor_slice (wide, 0, 0, n, 1, NULL);
        g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, &n, NULL);
        g_autoptr (GError) error = NULL;

        for (gint64 i = 0; i < n; i++)
          mask->data[i] = i * 5 % 7 % 3 == 0;
        g_autoptr (ReelTensor) found = reel_tensor_where (mask, a, b, &error);
        g_assert_no_error (error);
        for (gint64 i = 0; i < n * width; i++)
          g_assert_cmpint (found->data[i], ==, mask->data[i / width] ? a->data[i] : b->data[i]);
        g_assert_null (reel_tensor_where (mask, wide_a, wide_b, NULL));
      }
}

static void
test_where_errors (void)
{
  const gint64 shape[] = { 2, 3 }, bad[] = { 3 };
  g_autoptr (ReelTensor) a = new_counting_tensor (REEL_DTYPE_INT32, 2, shape);
  g_autoptr (ReelTensor) other = new_counting_tensor (REEL_DTYPE_INT64, 2, shape);
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, bad, NULL);
  GError *error = NULL;

  g_assert_null (reel_tensor_where (mask, a, a, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_tensor_where (a, a, a, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_autoptr (ReelTensor) scalar = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);
  g_assert_null (reel_tensor_where (scalar, a, other, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

static void
test_expand_as_right (void)
{
  const gint64 shape[] = { 2, 3, 2 }, one[] = { 2, 1 };
  g_autoptr (ReelTensor) narrow = new_counting_tensor (REEL_DTYPE_INT32, 2, one);
  g_autoptr (ReelTensor) wide = reel_tensor_expand_as_right (narrow, 3, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 12; i++)
    {
      const gint64 place[] = { i / 6, i / 2 % 3, i % 2 };
      g_assert_cmpint (*(gint32 *) reel_tensor_element (wide, place), ==, i / 6 + 1);
    }
  g_assert_true (wide->data == narrow->data);
  g_assert_null (reel_tensor_expand_as_right (narrow, 1, shape, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_null (reel_tensor_expand_as_right (narrow, 2, shape + 1, NULL));
}

static void
check_cut (ReelTensor *tensor)
{
  for (gint dim = 0; dim < tensor->ndim; dim++)
    for (gint64 at = 0; at <= tensor->shape[dim]; at++)
      {
        g_autoptr (ReelTensor) before = reel_tensor_slice (tensor, dim, 0, at, 1, NULL);
        g_autoptr (ReelTensor) after = reel_tensor_slice (tensor, dim, at, G_MAXINT64, 1, NULL);
        ReelTensor *const both[] = { before, after };
        g_autoptr (ReelTensor) joined = reel_tensor_cat (both, 2, dim - tensor->ndim, NULL);
        g_assert_true (reel_tensor_equal (joined, tensor));
        g_assert_true (reel_tensor_is_contiguous (joined));
      }
}

static void
check_strided_cut (ReelTensor *tensor)
{
  for_each_strided (tensor, check_cut);
}

static void
test_cat_is_the_inverse_of_cutting (void)
{
  for_each_tensor (check_strided_cut);
}

/* A copy in the same order, whatever the strides; and a view wherever PyTorch's view() would be. */
static void
check_flat (ReelTensor *tensor)
{
  const gint64 all = -1;
  g_autoptr (ReelTensor) dense = reel_tensor_clone (tensor, NULL);
  g_autoptr (ReelTensor) view = reel_tensor_view (tensor, 1, &all, NULL);
  g_autoptr (ReelTensor) flat = reel_tensor_reshape (tensor, 1, &all, NULL);

  g_assert_cmpint (flat->shape[0], ==, reel_tensor_numel (tensor));
  g_assert_cmpmem (flat->data, view ? 0 : reel_tensor_nbytes (flat), dense->data,
                   view ? 0 : reel_tensor_nbytes (dense));
  g_assert_cmpint (view != NULL, ==, flat->data == tensor->data);
  for (gint64 i = 0; i < flat->shape[0]; i++)
    g_assert_cmpint (*(gint32 *) reel_tensor_element (flat, &i), ==, ((gint32 *) dense->data)[i]);
}

static void
check_strided_flat (ReelTensor *tensor)
{
  for_each_strided (tensor, check_flat);
}

static void
test_reshape_keeps_the_order (void)
{
  for_each_tensor (check_strided_flat);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/shapes/pads", test_pads);
  g_test_add_func ("/core/shapes/where", test_where);
  g_test_add_func ("/core/shapes/where-errors", test_where_errors);
  g_test_add_func ("/core/shapes/expand-as-right", test_expand_as_right);
  g_test_add_func ("/core/shapes/cat-is-the-inverse-of-cutting",
                   test_cat_is_the_inverse_of_cutting);
  g_test_add_func ("/core/shapes/reshape-keeps-the-order", test_reshape_keeps_the_order);
  return g_test_run ();
}
