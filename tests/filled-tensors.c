#include "filled-tensors.h"

ReelTensor *
new_filled (gint ndim, const gint64 *shape, gint64 first)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = first + i;
  return tensor;
}

void
set_filled (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape, gint64 first)
{
  g_autoptr (ReelTensor) tensor = new_filled (ndim, shape, first);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (td, path, tensor, &error);
  g_assert_no_error (error);
}
