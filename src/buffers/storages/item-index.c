/* Reads and writes rows of a storage of values through an index. */
#include "item-index.h"

#include "../../core/tensor/tensor-private.h"
#include "../../core/tensordict/tensordict-index.h"
#include "../../core/tensordict/tensordict-update.h"
#include "../../core/tensordict/tree-private.h"
#include "storage-state.h"
#include "item-rows.h"

static ReelTensor *
choose_slots (ReelItemStorage *self, const ReelIndex *index, GError **error)
{
  g_autoptr (ReelTensor) all = reel_item_storage_list_slots (self, error);
  g_autoptr (ReelTensor) chosen = NULL;

  if (!all || !index)
    return g_steal_pointer (&all);
  chosen = reel_tensor_index (all, index, error);
  return chosen ? reel_tensor_contiguous (chosen, error) : NULL;
}

ReelTensordict *
reel_item_storage_index (ReelItemStorage *self, const ReelIndex *index, GError **error)
{
  g_autoptr (ReelTensor) slots = choose_slots (self, index, error);

  return slots ? reel_item_storage_read (self, slots, error) : NULL;
}

/* ---- changes ---- */

static gboolean
replace (ReelItemStorage *self, const ReelTensor *slots, ReelTensordict *rows, GError **error)
{
  gint64 n = reel_tensor_numel (slots);
  g_autofree gint64 *which = g_new (gint64, MAX (n, 1));
  g_autoptr (ReelSteps) steps = NULL;

  if (reel_rows_count (rows) != n || slots->ndim > 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the index chooses %" G_GINT64_FORMAT " rows in %d dimensions, and these are "
                   "%" G_GINT64_FORMAT,
                   n, slots->ndim, reel_rows_count (rows));
      return FALSE;
    }
  steps = reel_storage_take_steps (REEL_STORAGE (self), rows, 0, error);
  for (gint64 i = 0; i < n; i++)
    which[i] = i;
  if (steps)
    reel_storage_replace_steps (REEL_STORAGE (self), steps, which, (const gint64 *) slots->data, n);
  return steps != NULL;
}

static ReelTensordict *
list_one (ReelTensordict *row, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tree_new (REEL_TENSORDICT_LIST);

  return reel_tree_append (rows, row, error) ? g_steal_pointer (&rows) : NULL;
}

gboolean
reel_item_storage_assign (ReelItemStorage *self, const ReelIndex *index, ReelTensordict *value,
                          GError **error)
{
  g_autoptr (ReelTensor) slots = choose_slots (self, index, error);
  g_autoptr (ReelTensordict) rows = NULL;

  if (!slots)
    return FALSE;
  rows = slots->ndim == 0 ? list_one (value, error) : reel_rows_list (value, error);
  return rows && replace (self, slots, rows, error);
}

static ReelTensordict *
copy_rows (ReelItemStorage *self, const ReelTensor *slots, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tree_new (REEL_TENSORDICT_LIST);

  for (gint64 i = 0; i < reel_tensor_numel (slots); i++)
    {
      g_autoptr (ReelTensordict) row =
          reel_item_storage_get_row (self, ((const gint64 *) slots->data)[i], error);
      g_autoptr (ReelTensordict) own = row ? reel_tensordict_clone (row, TRUE, error) : NULL;

      if (own && reel_tensordict_is_tree (own))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                       "row %" G_GINT64_FORMAT
                       " is not a tensordict with keys to change: replace it as a whole",
                       i);
          return NULL;
        }
      if (!own || !reel_tree_append (rows, own, error))
        return NULL;
    }
  return g_steal_pointer (&rows);
}

/* The change of one row: @i of the chosen ones, −1 where one was chosen by its number. */
typedef struct
{
  const char *path;
  const ReelTensor *tensor;
  const ReelTensordict *td;
  const char *const *keys;
} Change;

typedef gboolean (*ChangeFunc) (const Change *change, ReelTensordict *row, gint64 i,
                                GError **error);

static gboolean
set_row (const Change *change, ReelTensordict *row, gint64 i, GError **error)
{
  g_autoptr (ReelTensor) part = reel_tensor_select ((ReelTensor *) change->tensor, 0, i, error);

  return part && reel_tensordict_set_in_place (row, change->path, part, error);
}

/* A tensor of as many dimensions as the row's leaf, or of fewer, is for each. */
static gboolean
fill_row (const Change *change, ReelTensordict *row, gint64 i, GError **error)
{
  static const ReelIndex all = REEL_INDEX_INIT;
  const ReelTensor *leaf = reel_tensordict_get_tensor (row, change->path, error);
  g_autoptr (ReelTensor) part = NULL;

  if (!leaf)
    return FALSE;
  part = i >= 0 && change->tensor->ndim > leaf->ndim
             ? reel_tensor_select ((ReelTensor *) change->tensor, 0,
                                   change->tensor->shape[0] == 1 ? 0 : i, error)
             : reel_tensor_ref ((ReelTensor *) change->tensor);
  return part && reel_tensordict_set_at_in_place (row, change->path, &all, part, error);
}

static gboolean
update_row (const Change *change, ReelTensordict *row, gint64 i, GError **error)
{
  g_autoptr (ReelTensordict) part =
      reel_tensordict_select_index ((ReelTensordict *) change->td, 0, i, error);

  return part && reel_tensordict_update_in_place (row, part, change->keys, error);
}

static gboolean
check_count (const ReelTensor *slots, gint ndim, const gint64 *shape, GError **error)
{
  gint64 n = reel_tensor_numel (slots);

  if (ndim > 0 && shape[0] == n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "there are %" G_GINT64_FORMAT " rows to change, and values for %" G_GINT64_FORMAT, n,
               ndim > 0 ? shape[0] : 0);
  return FALSE;
}

static gboolean
change_rows (ReelItemStorage *self, const ReelTensor *slots, ChangeFunc func, const Change *change,
             GError **error)
{
  g_autoptr (ReelTensordict) rows = NULL;

  if (!reel_storage_begin_write (REEL_STORAGE (self), error))
    return FALSE;
  rows = copy_rows (self, slots, error);
  for (gint64 i = 0; rows && i < reel_rows_count (rows); i++)
    if (!func (change, reel_rows_get (rows, i), slots->ndim == 0 ? -1 : i, error))
      return FALSE;
  return rows && replace (self, slots, rows, error);
}

gboolean
reel_item_storage_set (ReelItemStorage *self, const char *path, const ReelIndex *index,
                       const ReelTensor *tensor, GError **error)
{
  const Change change = { .path = path, .tensor = tensor };
  g_autoptr (ReelTensor) slots = choose_slots (self, index, error);

  return slots && (index || check_count (slots, tensor->ndim, tensor->shape, error))
         && change_rows (self, slots, index ? fill_row : set_row, &change, error);
}

gboolean
reel_item_storage_update (ReelItemStorage *self, const ReelTensordict *td,
                          const char *const *keys_to_update, GError **error)
{
  const Change change = { .td = td, .keys = keys_to_update };
  g_autoptr (ReelTensor) slots = choose_slots (self, NULL, error);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  return slots && check_count (slots, ndim, size, error)
         && change_rows (self, slots, update_row, &change, error);
}
