/* A change of shape of every entry of a tensordict. */
#include "lazy-stack-private.h"
#include "shape-operation.h"

static ReelTensordict *
new_changed (const ReelTensordict *td, const ReelShapeOperation *operation,
             const ReelShapeArgs *args, GError **error)
{
  ReelForm batch;

  reel_form_init_batch (&batch, td->ndim, td->batch_size);
  for (gint i = 0; i < td->ndim; i++)
    batch.names[i] = td->names[i];
  if (!operation->form (&batch, args, error))
    return NULL;
  ReelTensordict *result = reel_tensordict_new_like (td, batch.view.ndim, batch.view.shape);
  reel_tensordict_copy_names (result, batch.names);
  return result;
}

/* A non-tensor changes as the tensor does that says which value each element has. */
static ReelNonTensor *
change_non_tensor (const ReelNonTensor *non_tensor, const ReelShapeOperation *operation,
                   const ReelShapeArgs *args, GError **error)
{
  ReelShapeArgs of_which = *args;

  of_which.is_which = TRUE;
  ReelTensor *which =
      reel_tensor_change (reel_non_tensor_get_which (non_tensor), operation, &of_which, error);
  return which ? reel_non_tensor_new_view (non_tensor, which) : NULL;
}

/* Where the stack's dimension is none of the leading ones, it only moves along with the others. */
static ReelTensordict *
change_behind (const ReelTensordict *td, const ReelShapeOperation *operation,
               const ReelShapeArgs *args, GError **error)
{
  ReelForm leading;

  reel_form_init_batch (&leading, args->n_dims, td->batch_size);
  if (!operation->form (&leading, args, error))
    return NULL;
  return reel_lazy_stack_change (td, td->stack_dim + leading.view.ndim - args->n_dims, operation,
                                 args, error);
}

static ReelTensordict *
change_lazy (const ReelTensordict *td, const ReelShapeOperation *operation,
             const ReelShapeArgs *args, GError **error)
{
  g_autoptr (ReelTensordict) dense = NULL;

  if (td->stack_dim >= args->n_dims)
    return change_behind (td, operation, args, error);
  if (operation->lazy)
    return operation->lazy (td, args, error);
  dense = reel_tensordict_contiguous ((ReelTensordict *) td, error);
  return dense ? reel_tensordict_change (dense, operation, args, error) : NULL;
}

ReelTensordict *
reel_tensordict_change (const ReelTensordict *td, const ReelShapeOperation *operation,
                        const ReelShapeArgs *args, GError **error)
{
  g_auto (ReelTensorMaker) maker = { .n_expected = (gint) td->entries->len };
  const ReelTensordictEntry *entry;

  if (reel_tensordict_is_lazy (td))
    return change_lazy (td, operation, args, error);
  g_autoptr (ReelTensordict) result = new_changed (td, operation, args, error);
  if (result)
    reel_tensordict_reserve (result, td->entries->len);
  for (guint i = 0; result && (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      ReelTensordictValue value = { NULL };
      if (entry->child)
        value.child = reel_tensordict_change (entry->child, operation, args, error);
      else if (entry->tensor)
        value.tensor = reel_tensor_change_by (&maker, entry->tensor, operation, args, error);
      else
        value.non_tensor = change_non_tensor (entry->non_tensor, operation, args, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}
