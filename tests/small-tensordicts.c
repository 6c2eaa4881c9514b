#include "small-tensordicts.h"

void
set_counting (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = i;
  reel_tensordict_set_tensor (td, path, tensor, &error);
  g_assert_no_error (error);
}

ReelTensordict *
new_example_tensordict (void)
{
  const gint64 shape[] = { 3, 2, 4 };
  ReelTensordict *td = reel_tensordict_new (2, shape);

  set_counting (td, "a", 2, shape);
  set_counting (td, "next/b", 3, shape);
  set_counting (td, "next/deep/c", 2, shape);
  return td;
}

void
assert_batch_size (const ReelTensordict *td, gint ndim, const gint64 *expected)
{
  gint found_ndim;
  const gint64 *found = reel_tensordict_get_batch_size (td, &found_ndim);

  g_assert_cmpmem (found, found_ndim * sizeof *found, expected, ndim * sizeof *expected);
}

void
assert_message (GError **error, ReelError code, const char *message)
{
  g_assert_error (*error, REEL_ERROR, (int) code);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

void
assert_leaves (const ReelTensordict *td, const char *expected)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_autofree char *list = g_strjoinv (" ", leaves);

  g_assert_cmpstr (list, ==, expected);
}
