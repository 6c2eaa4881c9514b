/* Reading the rows of a buffer by place and in order of time. */
#include "batch.h"
#include "buffer-transform.h"
#include "storages/storage-look.h"
#include "storages/storage-private.h"
#include "storages/item-storage.h"

#include <string.h>

static ReelTensordict *
new_batch (ReelStorage *storage, gint64 n, ReelBatchLayout **layout, GError **error)
{
  *layout = reel_batch_layout_new (storage, FALSE, NULL, 0, error);
  return *layout ? reel_batch_new (*layout, n, error) : NULL;
}

/* ---- in order of time ---- */

static gboolean
check_allocated (ReelStorage *storage, GError **error)
{
  if (reel_storage_is_allocated (storage))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Cannot get elements out of a non-initialized storage.");
  return FALSE;
}

static void
copy_range (ReelStorage *storage, const ReelBatchLayout *layout, ReelTensordict *batch, gint64 row,
            gint64 n)
{
  gint64 period = reel_storage_get_capacity (storage);
  gint64 slot = row % period;
  gint64 before_seam = MIN (n, period - slot);

  reel_batch_copy (layout, batch, 0, slot, before_seam);
  if (n > before_seam)
    reel_batch_copy (layout, batch, before_seam, 0, n - before_seam);
}

/* Says where rows are that a view has; FALSE with an error where it has not all of them. */
typedef gboolean (*PlaceFunc) (const ReelStorageView *view, gint64 first, gint64 n, gint64 *row,
                               GError **error);

/* Rows of any shape are not copied, so those that came are whole, but may be others. */
static ReelTensordict *
get_value_rows (ReelStorage *storage, gint64 row, gint64 n, GError **error)
{
  gint64 period = reel_storage_get_capacity (storage);
  g_autofree gint64 *slots = g_new (gint64, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    slots[i] = (row + i) % period;
  return reel_item_storage_get_rows (REEL_ITEM_STORAGE (storage), slots, n, error);
}

static ReelTensordict *
read_values (ReelStorage *storage, PlaceFunc place, gint64 first, gint64 n, GError **error)
{
  ReelStorageLook look;
  gint64 row, deadline = 0;

  do
    {
      g_autoptr (ReelTensordict) rows = NULL;

      if (!reel_storage_look (storage, &look, error) || !place (&look.view, first, n, &row, error))
        return NULL;
      rows = get_value_rows (storage, row, n, error);
      if (!rows)
        return NULL;
      if (reel_storage_look_again (storage, &look) <= row)
        return reel_item_storage_collate (REEL_ITEM_STORAGE (storage), rows, error);
    }
  while (reel_storage_may_retry (storage, &deadline, error));
  return NULL;
}

static ReelTensordict *
copy_rows (ReelStorage *storage, PlaceFunc place, gint64 first, gint64 n, GError **error)
{
  g_autoptr (ReelBatchLayout) layout = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  ReelStorageLook look;
  gint64 row, deadline = 0;

  if (REEL_IS_ITEM_STORAGE (storage))
    return read_values (storage, place, first, n, error);
  if (!check_allocated (storage, error))
    return NULL;
  do
    {
      if (!reel_storage_look (storage, &look, error) || !place (&look.view, first, n, &row, error))
        return NULL;
      if (!batch)
        batch = new_batch (storage, n, &layout, error);
      if (!batch)
        return NULL;
      copy_range (storage, layout, batch, row, n);
      if (reel_storage_look_again (storage, &look) <= row)
        return g_steal_pointer (&batch);
    }
  while (reel_storage_may_retry (storage, &deadline, error));
  return NULL;
}

static gboolean
place_oldest_first (const ReelStorageView *view, gint64 first, gint64 n, gint64 *row,
                    GError **error)
{
  *row = view->first_row + first;
  if (first >= 0 && n >= 0 && first <= view->end_row - view->first_row - n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "%" G_GINT64_FORMAT " rows from row %" G_GINT64_FORMAT
               " on are not all there: the buffer holds %" G_GINT64_FORMAT,
               n, first, view->end_row - view->first_row);
  return FALSE;
}

ReelTensordict *
reel_replay_buffer_get_rows (ReelReplayBuffer *self, gint64 first, gint64 n, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  return reel_buffer_read (self, copy_rows (storage, place_oldest_first, first, n, error), error);
}

static gboolean
place_by_number (const ReelStorageView *view, gint64 number, gint64 n, gint64 *row, GError **error)
{
  *row = number;
  if (number >= view->first_row && n >= 0 && number <= view->end_row - n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "%" G_GINT64_FORMAT " rows from number %" G_GINT64_FORMAT
               " on are not all there: the buffer holds %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
               n, number, view->first_row, view->end_row - 1);
  return FALSE;
}

ReelTensordict *
reel_replay_buffer_get_numbered_rows (ReelReplayBuffer *self, gint64 number, gint64 n,
                                      GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  return reel_buffer_read (self, copy_rows (storage, place_by_number, number, n, error), error);
}

/* ---- by place ---- */

/* Steps at the beginning of the allocation that hold something. */
static gint64
count_filled (ReelStorage *storage)
{
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  return reel_storage_count_filled (storage, &view) / view.lanes;
}

ReelTensordict *
reel_storage_view_filled (ReelStorage *storage, GError **error)
{
  gint dim = reel_storage_get_dim_extend (storage);
  g_autoptr (ReelTensordict) filled = NULL;

  if (!reel_item_storage_check_columns (storage, "a view of all rows", error)
      || !check_allocated (storage, error))
    return NULL;
  filled = reel_tensordict_slice (reel_storage_get_data (storage), 0, 0, count_filled (storage), 1,
                                  error);
  if (!filled || dim == 0)
    return g_steal_pointer (&filled);
  return reel_tensordict_transpose (filled, 0, dim, error);
}

/* Which rows of a storage of values an index means: one, or several. */
static ReelTensordict *
read_slots (ReelStorage *storage, ReelTensor *slots, GError **error)
{
  g_autoptr (ReelTensor) chosen = slots;

  return chosen ? reel_item_storage_read (REEL_ITEM_STORAGE (storage), chosen, error) : NULL;
}

static ReelTensordict *
get_values (ReelStorage *storage, gint64 begin, gint64 end, gint64 step, GError **error)
{
  g_autoptr (ReelTensor) all = reel_item_storage_list_slots (REEL_ITEM_STORAGE (storage), error);

  return all ? read_slots (storage, reel_tensor_slice (all, 0, begin, end, step, error), error)
             : NULL;
}

static ReelTensordict *
get_value (ReelStorage *storage, gint64 i, GError **error)
{
  g_autoptr (ReelTensor) all = reel_item_storage_list_slots (REEL_ITEM_STORAGE (storage), error);

  return all ? read_slots (storage, reel_tensor_select (all, 0, i, error), error) : NULL;
}

ReelTensordict *
reel_replay_buffer_get_all (ReelReplayBuffer *self, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  return reel_buffer_read_shared (self,
                                  REEL_IS_ITEM_STORAGE (storage)
                                      ? get_values (storage, 0, G_MAXINT64, 1, error)
                                      : reel_storage_view_filled (storage, error),
                                  TRUE, error);
}

ReelTensordict *
reel_replay_buffer_get_slice (ReelReplayBuffer *self, gint64 begin, gint64 end, gint64 step,
                              GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelTensordict) all = NULL;

  if (REEL_IS_ITEM_STORAGE (storage))
    return reel_buffer_read_shared (self, get_values (storage, begin, end, step, error), TRUE,
                                    error);
  all = reel_storage_view_filled (storage, error);
  return all ? reel_buffer_read_shared (
             self, reel_tensordict_slice (all, 0, begin, end, step, error), TRUE, error)
             : NULL;
}

ReelTensordict *
reel_replay_buffer_get_item (ReelReplayBuffer *self, gint64 i, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelTensordict) all = NULL;

  if (REEL_IS_ITEM_STORAGE (storage))
    return reel_buffer_read_shared (self, get_value (storage, i, error), FALSE, error);
  all = reel_storage_view_filled (storage, error);
  return all ? reel_buffer_read_shared (self, reel_tensordict_select_index (all, 0, i, error),
                                        FALSE, error)
             : NULL;
}

static gboolean
check_index (const ReelTensor *index, gint ndim, GError **error)
{
  if (index->dtype != REEL_DTYPE_INT64)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "an index is int64, this one %s",
                   reel_dtype_name (index->dtype));
      return FALSE;
    }
  if (index->ndim == 1 && ndim == 1)
    return TRUE;
  if (index->ndim == 2 && index->shape[1] == ndim)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "an index of a storage with ndim=%d is [n%s], this one has %d dimensions", ndim,
               ndim > 1 ? ", ndim]" : "]", index->ndim);
  return FALSE;
}

/* The row slot that row @i of an index names, −1 on failure. */
static gint64
resolve (const ReelTensor *index, gint64 i, const gint64 *size, gint ndim, GError **error)
{
  gint64 slot = 0;

  for (gint dim = 0; dim < ndim; dim++)
    {
      const guint8 *at =
          index->data + i * index->strides[0] + (index->ndim > 1 ? dim * index->strides[1] : 0);
      gint64 given = *(const gint64 *) at, place = given < 0 ? given + size[dim] : given;

      if (place < 0 || place >= size[dim])
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "index %" G_GINT64_FORMAT
                       " is out of range for dimension %d with %" G_GINT64_FORMAT " filled",
                       given, dim, size[dim]);
          return -1;
        }
      slot = slot * size[dim] + place;
    }
  return slot;
}

static ReelTensordict *
collate_slots (ReelStorage *storage, const gint64 *slots, gint64 n, GError **error)
{
  ReelItemStorage *values = REEL_ITEM_STORAGE (storage);
  g_autoptr (ReelTensordict) rows = reel_item_storage_get_rows (values, slots, n, error);

  return rows ? reel_item_storage_collate (values, rows, error) : NULL;
}

ReelTensordict *
reel_replay_buffer_get_at (ReelReplayBuffer *self, const ReelTensor *index, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  gint ndim = reel_storage_get_ndim (storage), batch_ndim;
  gint64 size[REEL_MAX_NDIM];
  g_autofree gint64 *slots = NULL;
  g_autoptr (ReelBatchLayout) layout = NULL;
  g_autoptr (ReelTensordict) batch = NULL;

  if (!check_allocated (storage, error) || !check_index (index, ndim, error))
    return NULL;
  if (reel_storage_get_data (storage))
    memcpy (size, reel_tensordict_get_batch_size (reel_storage_get_data (storage), &batch_ndim),
            sizeof *size * (gsize) ndim);
  size[0] = count_filled (storage);
  slots = g_new (gint64, index->shape[0]);
  for (gint64 i = 0; i < index->shape[0]; i++)
    {
      slots[i] = resolve (index, i, size, ndim, error);
      if (slots[i] < 0)
        return NULL;
    }
  if (REEL_IS_ITEM_STORAGE (storage))
    batch = collate_slots (storage, slots, index->shape[0], error);
  else
    batch = new_batch (storage, index->shape[0], &layout, error);
  if (batch && layout)
    reel_batch_gather (layout, batch, slots, index->shape[0]);
  return reel_buffer_read (self, reel_buffer_collate (self, g_steal_pointer (&batch), error),
                           error);
}
