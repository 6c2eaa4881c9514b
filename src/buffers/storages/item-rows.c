/* Rows of any shape as lists, an item a row, on their way to a storage of values. */
#include "item-rows.h"

#include "../../core/tensordict/tree-private.h"

#include <string.h>

gboolean
reel_rows_are_listed (const ReelTensordict *data)
{
  return data->kind == REEL_TENSORDICT_LIST && data->ndim == 0;
}

gint64
reel_rows_count (const ReelTensordict *data)
{
  if (reel_rows_are_listed (data))
    return data->entries->len;
  return data->ndim > 0 ? data->batch_size[0] : 0;
}

/* ---- listing ---- */

static ReelTensordict *
item_of (const ReelTensordictEntry *entry, GError **error)
{
  if (entry->tensor)
    return reel_tree_new_single (entry->tensor);
  if (entry->non_tensor)
    return reel_tree_new_single_value (reel_non_tensor_get_value (entry->non_tensor, NULL), error);
  return reel_tensordict_ref (entry->child);
}

static gboolean
append_new (ReelTensordict *rows, ReelTensordict *item, GError **error)
{
  g_autoptr (ReelTensordict) row = item;

  return row && reel_tree_append (rows, row, error);
}

static gboolean
list_items (ReelTensordict *rows, const ReelTensordict *list, GError **error)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (list, i)); i++)
    if (!append_new (rows, item_of (entry, error), error))
      return FALSE;
  return TRUE;
}

static gboolean
list_batch (ReelTensordict *rows, ReelTensordict *data, GError **error)
{
  for (gint64 i = 0; i < data->batch_size[0]; i++)
    if (!append_new (rows, reel_tensordict_select_index (data, 0, i, error), error))
      return FALSE;
  return TRUE;
}

static gboolean
list_tensor (ReelTensordict *rows, ReelTensor *tensor, GError **error)
{
  for (gint64 i = 0; i < tensor->shape[0]; i++)
    {
      g_autoptr (ReelTensor) part = reel_tensor_select (tensor, 0, i, error);

      if (!part || !append_new (rows, reel_tree_new_single (part), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
set_no_rows_error (const ReelTensordict *data, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "Cannot extend a list storage with %s: give a list of items, or a tensordict or "
               "tensor with a batch dimension; one value is added by reel_replay_buffer_add()",
               reel_tensordict_is_tree (data) ? "a tree that is not a list"
                                              : "a tensordict without batch dimensions");
  return FALSE;
}

ReelTensordict *
reel_rows_list (ReelTensordict *data, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tree_new (REEL_TENSORDICT_LIST);
  const ReelTensor *tensor =
      data->kind == REEL_TENSORDICT_SINGLE ? reel_tensordict_get_entry (data, 0)->tensor : NULL;
  gboolean listed;

  if (reel_rows_are_listed (data))
    listed = list_items (rows, data, error);
  else if (data->ndim > 0)
    listed = list_batch (rows, data, error);
  else if (tensor && tensor->ndim > 0)
    listed = list_tensor (rows, (ReelTensor *) tensor, error);
  else
    listed = set_no_rows_error (data, error);
  return listed ? g_steal_pointer (&rows) : NULL;
}

ReelTensordict *
reel_rows_get (const ReelTensordict *rows, gint64 i)
{
  return reel_tensordict_get_entry (rows, (guint) i)->child;
}

/* ---- parts ---- */

ReelTensor *
reel_rows_ref_leaf (const ReelTensordict *data, const char *path, GError **error)
{
  g_autoptr (GPtrArray) leaves = NULL;

  if (!reel_rows_are_listed (data))
    return reel_tensordict_ref_tensor (data, path, error);
  g_return_val_if_fail (reel_rows_count (data) > 0, NULL);
  leaves = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  for (gint64 i = 0; i < reel_rows_count (data); i++)
    {
      ReelTensor *leaf = reel_tensordict_ref_tensor (reel_rows_get (data, i), path, error);

      if (!leaf)
        return NULL;
      g_ptr_array_add (leaves, leaf);
    }
  return reel_tensors_stack (path, (ReelTensor *const *) leaves->pdata, leaves->len, 0, error);
}

gboolean
reel_row_takes_keys (const ReelTensordict *row)
{
  return !reel_tensordict_is_tree (row) && !reel_tensordict_get_class_name (row);
}

gboolean
reel_row_set_for_all (ReelTensordict *row, const char *path, ReelTensor *element, GError **error)
{
  gint ndim;
  gint64 shape[REEL_MAX_NDIM + 1];
  const gint64 *size = reel_tensordict_get_batch_size (row, &ndim);
  g_autoptr (ReelTensor) wide = NULL;

  memcpy (shape, size, (gsize) ndim * sizeof *shape);
  memcpy (shape + ndim, element->shape, (gsize) element->ndim * sizeof *shape);
  wide = reel_tensor_expand (element, ndim + element->ndim, shape, error);
  return wide && reel_tensordict_set_tensor (row, path, wide, error);
}

/* ---- rows of columns ---- */

ReelTensordict *
reel_rows_widen_tree (ReelTensordict *td, gint ndim, GError **error)
{
  g_autoptr (ReelTensordict) wide = NULL;
  g_auto (GStrv) leaves = NULL;
  const ReelTensor *leaf = NULL;
  gint has;

  reel_tensordict_get_batch_size (td, &has);
  if (!reel_tensordict_is_tree (td) || has >= ndim)
    return reel_tensordict_ref (td);
  leaves = reel_tensordict_list_leaves (td);
  wide = reel_tensordict_clone (td, FALSE, error);
  for (char **path = leaves; wide && *path; path++)
    {
      leaf = reel_tensordict_get_tensor (td, *path, error);
      if (leaf && leaf->ndim >= ndim)
        continue;
      if (leaf)
        g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                     "\"%s\": invalid index of a %d-dim tensor. Every leaf of a tree to extend "
                     "by has %d dimensions at least; one step is added by reel_replay_buffer_add()",
                     *path, leaf->ndim, ndim);
      return NULL;
    }
  return wide && (!leaf || reel_tensordict_set_batch_size (wide, ndim, leaf->shape, error))
             ? g_steal_pointer (&wide)
             : NULL;
}

ReelTensordict *
reel_rows_stack (ReelTensordict *list, gint dim, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_rows_list (list, error);
  g_autoptr (GPtrArray) items =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  ReelTensordict *stack = NULL;

  if (rows && reel_rows_count (rows) == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Expected at least one element in extend.");
      return NULL;
    }
  for (gint64 i = 0; rows && i < reel_rows_count (rows); i++)
    {
      ReelTensordict *item = reel_rows_widen_tree (reel_rows_get (rows, i), dim, error);

      if (!item)
        return NULL;
      g_ptr_array_add (items, item);
    }
  if (rows)
    stack = reel_tensordict_stack ((ReelTensordict *const *) items->pdata, items->len, dim, error);
  if (!stack)
    g_prefix_error (error, "Stacking the elements of the list resulted in an error: ");
  return stack;
}
