#include "tensordict-walk.h"

#include "lazy-stack-private.h"

static ReelTensordict *
new_changed (const ReelTensordict *td, const ReelShapeChange *change, gconstpointer data)
{
  ReelBatch batch = { .ndim = td->ndim };

  for (gint i = 0; i < td->ndim; i++)
    {
      batch.shape[i] = td->batch_size[i];
      batch.names[i] = td->names[i];
    }
  change->batch (&batch, data);
  ReelTensordict *result = reel_tensordict_new_like (td, batch.ndim, batch.shape);
  reel_tensordict_copy_names (result, batch.names);
  return result;
}

static ReelNonTensor *
change_non_tensor (const ReelNonTensor *non_tensor, const ReelShapeChange *change,
                   gconstpointer data, GError **error)
{
  ReelTensor *which = change->leaf (reel_non_tensor_get_which (non_tensor), data, error);

  return which ? reel_non_tensor_new_view (non_tensor, which) : NULL;
}

static ReelTensordict *
change_lazy (const ReelTensordict *td, const ReelShapeChange *change, gconstpointer data,
             GError **error)
{
  if (change->lazy)
    return change->lazy (td, data, error);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous ((ReelTensordict *) td, error);
  return dense ? reel_tensordict_change (dense, change, data, error) : NULL;
}

ReelTensordict *
reel_tensordict_change (const ReelTensordict *td, const ReelShapeChange *change, gconstpointer data,
                        GError **error)
{
  const ReelTensordictEntry *entry;

  if (reel_tensordict_is_lazy (td))
    return change_lazy (td, change, data, error);
  g_autoptr (ReelTensordict) result = new_changed (td, change, data);
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      ReelTensordictValue value = { NULL };
      if (entry->child)
        value.child = reel_tensordict_change (entry->child, change, data, error);
      else if (entry->tensor)
        value.tensor = change->leaf (entry->tensor, data, error);
      else
        value.non_tensor = change_non_tensor (entry->non_tensor, change, data, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}
