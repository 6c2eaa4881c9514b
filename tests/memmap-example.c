#include "memmap-example.h"

ReelTensordict *
memmap_new_example (void)
{
  const gint64 shape[] = { 2, 3 };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT16, 2, shape, NULL);
  g_autoptr (ReelTensor) bytes = reel_tensor_new (REEL_DTYPE_UINT8, 1, shape, NULL);

  for (guint i = 0; i < 6; i++)
    ((gint16 *) tensor->data)[i] = i;
  g_assert_true (reel_tensordict_set_tensor (td, "a", tensor, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/b c", bytes, NULL));
  return td;
}

ReelTensordict *
memmap_load (const char *path)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_tensordict_load (path, REEL_LOAD_SHARED, &error);

  g_assert_no_error (error);
  return td;
}
