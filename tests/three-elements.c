#include "three-elements.h"

gint64
int_at (ReelTensordict *td, const char *path, gint64 i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) tensor = reel_tensordict_ref_tensor (td, path, &error);

  g_assert_no_error (error);
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, NULL);
  g_assert_cmpint (i, <, reel_tensor_numel (dense));
  return ((gint64 *) dense->data)[i];
}

ReelTensordict *
new_three_elements (gboolean with_x)
{
  ReelTensordict *elements[3];
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 3; i++)
    {
      const gint64 shape[] = { 2, 2, i + 1 };
      elements[i] = reel_tensordict_new (2, shape);
      if (with_x)
        set_filled (elements[i], "x", 3, shape, 100 * i);
      set_filled (elements[i], "a", 2, shape, 0);
      gint64 *a = (gint64 *) reel_tensordict_get_tensor (elements[i], "a", NULL)->data;
      for (gint64 j = 0; j < 4; j++)
        a[j] = 100 * i + 10 * (j / 2) + j % 2;
    }
  ReelTensordict *stack = reel_lazy_stack_new (elements, 3, 1, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < 3; i++)
    reel_tensordict_unref (elements[i]);
  return stack;
}

ReelTensordict *
index_text (ReelTensordict *td, const char *text)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  ReelTensordict *found = NULL;

  reel_index_parse (&index, text, &error);
  g_assert_no_error (error);
  found = reel_tensordict_index (td, &index, &error);
  g_assert_no_error (error);
  return found;
}
