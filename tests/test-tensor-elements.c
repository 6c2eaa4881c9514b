/* Elements copied, compared and gathered, of tensors however they lie. */
#include "../src/reel.h"
#include "small-tensors.h"

static void
check_copy (ReelTensor *tensor)
{
  g_autoptr (ReelTensor) copy = reel_tensor_clone (tensor, NULL);
  g_autoptr (ReelTensor) same = reel_tensor_contiguous (tensor, NULL);
  g_autoptr (GArray) from = tensor_places (tensor);
  g_autoptr (GArray) to = tensor_places (copy);

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
      g_autoptr (ReelTensor) tensor = new_counting_tensor ((ReelDtype) dtype, 3, shape);
      for_each_strided (tensor, check_copy);
    }
  for_each_tensor (check_copy);
}

static void
check_copy_into_strided (ReelTensor *tensor)
{
  g_autoptr (ReelTensor) source = new_counting_tensor (tensor->dtype, tensor->ndim, tensor->shape);

  g_assert_true (reel_tensor_copy (tensor, source, NULL));
  g_assert_true (reel_tensor_equal (tensor, source));
}

static void
test_copy_into_strided (void)
{
  static const gint64 shape[] = { 3, 4, 5 };
  g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT64, 3, shape);

  for_each_strided (tensor, check_copy_into_strided);
}

static void
test_copy_broadcasts (void)
{
  const gint64 wide[] = { 2, 3 }, column[] = { 2, 1 }, three[] = { 3 };
  g_autoptr (ReelTensor) to = reel_tensor_new (REEL_DTYPE_INT32, 2, wide, NULL);
  g_autoptr (ReelTensor) from = new_counting_tensor (REEL_DTYPE_INT32, 2, column);
  g_autoptr (ReelTensor) other = new_counting_tensor (REEL_DTYPE_INT64, 1, three);
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
  gint64 rows[2 * SMALL_EXTENT] = { 0 };

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
        g_autoptr (ReelTensor) tensor = new_counting_tensor ((ReelDtype) dtype, ndim, shape);
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

  g_test_add_func ("/core/tensor/copy-and-equal", test_copy_and_equal);
  g_test_add_func ("/core/tensor/copy-into-strided", test_copy_into_strided);
  g_test_add_func ("/core/tensor/copy-broadcasts", test_copy_broadcasts);
  g_test_add_func ("/core/tensor/equal-tells-bits", test_equal_tells_bits);
  g_test_add_func ("/core/tensor/gather-rows", test_gather_rows);
  g_test_add_func ("/core/tensor/gather-names-the-bad-row", test_gather_names_the_bad_row);

  return g_test_run ();
}
