#include "small-tensors.h"

ReelTensor *
new_counting_tensor (ReelDtype dtype, gint ndim, const gint64 *shape)
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
      g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT32, ndim, shape);
      func (tensor);
      return;
    }
  for (shape[at] = 0; shape[at] <= max_extent; shape[at]++)
    for_each_shape (ndim, max_extent, shape, at + 1, func);
}

void
for_each_tensor (TensorFunc func)
{
  gint64 shape[SMALL_DIMS] = { 0 };

  for (gint ndim = 0; ndim <= SMALL_DIMS; ndim++)
    for_each_shape (ndim, SMALL_EXTENT, shape, 0, func);
}

void
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

GArray *
tensor_places (const ReelTensor *tensor)
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

void
assert_same_places (const ReelTensor *tensor, GArray *expected)
{
  g_autoptr (GArray) found = tensor_places (tensor);

  g_assert_cmpmem (found->data, found->len * sizeof (gpointer), expected->data,
                   expected->len * sizeof (gpointer));
}

void
assert_index_error (ReelTensor *tensor, GError **error)
{
  g_assert_null (tensor);
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (error);
}
