/* Equality of tensordicts. */
#include "lazy-stack-private.h"

#include <string.h>

static gboolean
has_batch_size_of (const ReelTensordict *a, const ReelTensordict *b)
{
  gint ndim_a, ndim_b;
  const gint64 *shape_a = reel_tensordict_get_batch_size (a, &ndim_a);
  const gint64 *shape_b = reel_tensordict_get_batch_size (b, &ndim_b);

  return ndim_a == ndim_b && memcmp (shape_a, shape_b, ndim_a * sizeof *shape_a) == 0;
}

static gboolean
values_equal (const ReelTensordictEntry *a, const ReelTensordictEntry *b)
{
  if (a->tensor && b->tensor)
    return reel_tensor_equal (a->tensor, b->tensor);
  if (a->child && b->child)
    return reel_tensordict_equal (a->child, b->child);
  return a->non_tensor && b->non_tensor && reel_non_tensor_equal (a->non_tensor, b->non_tensor);
}

/* Element by element, whatever the other is. */
static gboolean
stack_equals (const ReelTensordict *stack, const ReelTensordict *other)
{
  for (guint i = 0; i < stack->elements->len; i++)
    {
      g_autoptr (ReelTensordict) element =
          reel_tensordict_select_index ((ReelTensordict *) other, stack->stack_dim, i, NULL);
      if (!element || !reel_tensordict_equal (stack->elements->pdata[i], element))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_tensordict_equal (const ReelTensordict *a, const ReelTensordict *b)
{
  const ReelTensordictEntry *left;

  if (!has_batch_size_of (a, b))
    return FALSE;
  if (reel_tensordict_is_lazy (a) || reel_tensordict_is_lazy (b))
    return reel_tensordict_is_lazy (a) ? stack_equals (a, b) : stack_equals (b, a);
  if (a->kind != b->kind || a->entries->len != b->entries->len)
    return FALSE;
  for (guint i = 0; (left = reel_tensordict_get_entry (a, i)); i++)
    {
      const ReelTensordictEntry *right = reel_tensordict_find (b, left->escaped, left->length);
      if (!right || left->is_number != right->is_number || !values_equal (left, right))
        return FALSE;
    }
  return TRUE;
}
