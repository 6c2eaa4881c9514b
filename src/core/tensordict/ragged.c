#include "ragged.h"

#include "lazy-stack.h"

#include <string.h>

/* The tensor of a tensordict that holds a bare one and nothing else. */
static const ReelTensor *
get_bare (const ReelTensordict *td)
{
  const ReelTensordictEntry *entry = td->elements ? NULL : reel_tensordict_get_entry (td, 0);
  gboolean bare = entry && entry->tensor && strcmp (entry->key, REEL_BARE_TENSOR) == 0
                  && !reel_tensordict_get_entry (td, 1) && !td->record_class;

  return bare ? entry->tensor : NULL;
}

static const ReelTensor *
component (const ReelTensordict *td, guint i)
{
  return get_bare (td->elements->pdata[i]);
}

gint64
reel_ragged_count (const ReelTensor *sizes, gsize item_size, GError **error)
{
  gint rank = (gint) sizes->shape[1];
  gint64 total = 0;

  for (gint64 i = 0; i < sizes->shape[0]; i++)
    {
      const gint64 *shape = (const gint64 *) (sizes->data + i * sizes->strides[0]);
      gint64 count = 1;
      if (!reel_shape_check (rank, shape, item_size, error))
        return -1;
      for (gint d = 0; d < rank; d++)
        count *= shape[d];
      if (__builtin_add_overflow (total, count, &total)
          || !reel_shape_check (1, &total, item_size, error))
        {
          g_clear_error (error);
          g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                               "the components have more than 2^63 - 1 bytes together");
          return -1;
        }
    }
  return total;
}

static ReelTensordict *
new_component (ReelTensor *values, gint64 begin, gint rank, const gint64 *shape, gint ndim,
               const gint64 *batch_size, GError **error)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (ndim, batch_size);
  gsize memory_begin =
      (gsize) (values->data - (guint8 *) reel_memory_get_data (values->memory, NULL));
  g_autoptr (ReelTensor) tensor = reel_tensor_new_from_memory (
      values->memory, memory_begin + (gsize) begin * reel_dtype_size (values->dtype), values->dtype,
      rank, shape, NULL, error);

  if (!tensor || !reel_tensordict_set_tensor (td, REEL_BARE_TENSOR, tensor, error))
    return NULL;
  return g_steal_pointer (&td);
}

ReelTensordict *
reel_ragged_new (ReelTensor *values, const ReelTensor *sizes, gint ndim, const gint64 *batch_size,
                 GError **error)
{
  g_autoptr (GPtrArray) components =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  gint rank = (gint) sizes->shape[1];
  gint64 begin = 0;

  for (gint64 i = 0; i < sizes->shape[0]; i++)
    {
      const gint64 *shape = (const gint64 *) (sizes->data + i * sizes->strides[0]);
      ReelTensordict *td = new_component (values, begin, rank, shape, ndim, batch_size, error);
      if (!td)
        return NULL;
      g_ptr_array_add (components, td);
      begin += reel_tensor_numel (get_bare (td));
    }
  return reel_lazy_stack_new ((ReelTensordict *const *) components->pdata, components->len, 0,
                              error);
}

gboolean
reel_ragged_is (const ReelTensordict *td)
{
  if (!td || !td->elements || td->stack_dim != 0)
    return FALSE;
  const ReelTensor *first = component (td, 0);
  for (guint i = 0; i < td->elements->len; i++)
    {
      const ReelTensor *tensor = component (td, i);
      if (!tensor || tensor->ndim == 0 || tensor->dtype != first->dtype
          || tensor->ndim != first->ndim)
        return FALSE;
    }
  return TRUE;
}

ReelTensor *
reel_ragged_dup_sizes (const ReelTensordict *td)
{
  gint rank = component (td, 0)->ndim;
  const gint64 shape[] = { td->elements->len, rank };
  ReelTensor *sizes = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);

  for (guint i = 0; i < td->elements->len; i++)
    memcpy (sizes->data + i * sizes->strides[0], component (td, i)->shape,
            (gsize) rank * sizeof (gint64));
  return sizes;
}

ReelDtype
reel_ragged_get_dtype (const ReelTensordict *td)
{
  return component (td, 0)->dtype;
}

ReelTensor *
reel_ragged_dup_values (const ReelTensordict *td, GError **error)
{
  ReelDtype dtype = reel_ragged_get_dtype (td);
  gint64 total = 0;

  for (guint i = 0; i < td->elements->len; i++)
    total += reel_tensor_numel (component (td, i));
  g_autoptr (ReelTensor) values = reel_tensor_new (dtype, 1, &total, error);
  if (!values)
    return NULL;
  guint8 *at = values->data;
  for (guint i = 0; i < td->elements->len; i++)
    {
      g_autoptr (ReelTensor) dense =
          reel_tensor_contiguous ((ReelTensor *) component (td, i), error);
      if (!dense)
        return NULL;
      gsize length = reel_tensor_nbytes (dense);
      if (length > 0)
        memcpy (at, dense->data, length);
      at += length;
    }
  return g_steal_pointer (&values);
}
