/* Rows of a buffer by index. Changes in place are told by the storage's revision. */
#include "buffer-index.h"

#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/tensordict-update.h"
#include "buffer-transform.h"
#include "storages/storage-state.h"
#include "storages/item-index.h"
#include "storages/item-rows.h"

/* Several dimensions are those of what was transformed as a whole. */
ReelTensordict *
reel_replay_buffer_index (ReelReplayBuffer *self, const ReelIndex *index, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  gboolean whole = index->n_items != 1;
  gboolean several = whole || index->items[0].kind != REEL_INDEX_INT;
  g_autoptr (ReelTensordict) all = NULL;
  ReelTensordict *rows;

  if (!whole && REEL_IS_ITEM_STORAGE (storage))
    return reel_buffer_read_shared (
        self, reel_item_storage_index (REEL_ITEM_STORAGE (storage), index, error), several, error);
  all =
      whole ? reel_replay_buffer_get_all (self, error) : reel_storage_view_filled (storage, error);
  rows = all ? reel_tensordict_index (all, index, error) : NULL;

  return whole ? rows : reel_buffer_read_shared (self, rows, several, error);
}

ReelTensor *
reel_replay_buffer_get_key (ReelReplayBuffer *self, const char *path, GError **error)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (self, error);

  return all ? reel_tensordict_ref_tensor (all, path, error) : NULL;
}

/* ---- changes ---- */

/* A change of some rows. */
typedef struct
{
  const char *path;
  const ReelIndex *index;
  const ReelTensor *tensor;
  const ReelTensordict *td;
  const char *const *keys;
} Change;

typedef gboolean (*ChangeFunc) (ReelTensordict *rows, const Change *change, GError **error);

/* All that is filled, in the order of the storage, or `[B, T]`. */
static ReelTensordict *
view_rows (ReelStorage *storage, gboolean by_lane, GError **error)
{
  gint dim = reel_storage_get_dim_extend (storage);
  g_autoptr (ReelTensordict) rows = reel_storage_view_filled (storage, error);

  return !rows || by_lane || dim == 0 ? g_steal_pointer (&rows)
                                      : reel_tensordict_transpose (rows, 0, dim, error);
}

/* Rows are locked: their keys are the storage's. */
static gboolean
change_rows (ReelReplayBuffer *self, gboolean by_lane, ChangeFunc func, const Change *change,
             GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelTensordict) rows = view_rows (storage, by_lane, error);
  gboolean done;

  if (!rows || !reel_storage_begin_replace (storage, error))
    return FALSE;
  reel_tensordict_lock (rows);
  reel_storage_begin_change (storage);
  done = func (rows, change, error);
  reel_storage_end_change (storage);
  return done;
}

static gboolean
assign_rows (ReelTensordict *rows, const Change *change, GError **error)
{
  return reel_tensordict_assign (rows, change->index, change->td, error);
}

static gboolean
set_key (ReelTensordict *steps, const Change *change, GError **error)
{
  return reel_tensordict_set_in_place (steps, change->path, change->tensor, error);
}

static gboolean
set_key_at (ReelTensordict *steps, const Change *change, GError **error)
{
  return reel_tensordict_set_at_in_place (steps, change->path, change->index, change->tensor,
                                          error);
}

static gboolean
update_keys (ReelTensordict *steps, const Change *change, GError **error)
{
  return reel_tensordict_update_in_place (steps, change->td, change->keys, error);
}

static gboolean
assign (ReelReplayBuffer *self, const ReelIndex *index, const ReelTensordict *value, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  if (REEL_IS_ITEM_STORAGE (storage))
    return reel_item_storage_assign (REEL_ITEM_STORAGE (storage), index, (ReelTensordict *) value,
                                     error);
  return change_rows (self, TRUE, assign_rows, &(Change){ .index = index, .td = value }, error);
}

static gboolean
changes_writes (ReelReplayBuffer *self)
{
  return reel_transform_changes_writes (REEL_TRANSFORM (reel_replay_buffer_get_transform (self)));
}

/* One tensordict or tree for the rows of columns. */
static ReelTensordict *
gather_rows (ReelReplayBuffer *self, ReelTensordict *value, GError **error)
{
  if (!reel_rows_are_listed (value) || REEL_IS_ITEM_STORAGE (reel_replay_buffer_get_storage (self)))
    return reel_tensordict_ref (value);
  return reel_rows_stack (value, 0, error);
}

gboolean
reel_replay_buffer_set_at (ReelReplayBuffer *self, const ReelIndex *index, ReelTensordict *value,
                           GError **error)
{
  ReelTransform *transform = REEL_TRANSFORM (reel_replay_buffer_get_transform (self));
  g_autoptr (ReelTensordict) rows = gather_rows (self, value, error), changed = NULL;

  if (!rows)
    return FALSE;
  if (!changes_writes (self))
    return assign (self, index, rows, error);
  if (!reel_transform_inverse (transform, rows, &changed, error))
    return FALSE;
  if (changed)
    return assign (self, index, changed, error);
  g_set_error_literal (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      "a transform of the buffer holds back rows that are written in place: use extend");
  return FALSE;
}

/* One row without batch dimensions, each leaf of which is one element, seen from everywhere. */
static ReelTensordict *
new_filled_row (ReelStorage *storage, double value, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage);
  g_autoptr (ReelTensordict) row = reel_tensordict_new (0, NULL);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    {
      const ReelTensor *leaf =
          reel_tensordict_get_tensor (reel_storage_get_data (storage), columns[i].path, error);
      g_autoptr (ReelTensor) element = reel_tensor_new (leaf->dtype, 0, NULL, error);
      g_autoptr (ReelTensor) filled = NULL;

      if (!element)
        return NULL;
      reel_tensor_fill_unchecked (element, value);
      filled = reel_tensor_expand (element, leaf->ndim - ndim, leaf->shape + ndim, error);
      if (!filled || !reel_tensordict_set_tensor (row, columns[i].path, filled, error))
        return NULL;
    }
  return g_steal_pointer (&row);
}

/* The same for each row of its own, which transforms may write to. */
static ReelTensordict *
spread_row (ReelReplayBuffer *self, const ReelIndex *index, const ReelTensordict *row,
            GError **error)
{
  static const ReelIndex all = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) filled =
      reel_storage_view_filled (reel_replay_buffer_get_storage (self), error);
  g_autoptr (ReelTensordict) rows = filled ? reel_tensordict_index (filled, index, error) : NULL;
  g_autoptr (ReelTensordict) spread = rows ? reel_tensordict_clone (rows, TRUE, error) : NULL;

  return spread && reel_tensordict_assign (spread, &all, row, error) ? g_steal_pointer (&spread)
                                                                     : NULL;
}

gboolean
reel_replay_buffer_fill_at (ReelReplayBuffer *self, const ReelIndex *index, double value,
                            GError **error)
{
  g_autoptr (ReelTensordict) row = NULL;
  g_autoptr (ReelTensordict) spread = NULL;

  if (!reel_item_storage_check_columns (reel_replay_buffer_get_storage (self),
                                        "a number for every element", error))
    return FALSE;
  row = new_filled_row (reel_replay_buffer_get_storage (self), value, error);
  if (!row || !changes_writes (self))
    return row && assign (self, index, row, error);
  spread = spread_row (self, index, row, error);
  return spread && reel_replay_buffer_set_at (self, index, spread, error);
}

gboolean
reel_replay_buffer_write_all (ReelReplayBuffer *self, ReelTensordict *data, gint64 end,
                              GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  gint ndim;

  reel_tensordict_get_batch_size (data, &ndim);
  if (end < 0)
    end = ndim > 0 || reel_rows_are_listed (data) ? reel_rows_count (data) : G_MAXINT64;
  reel_index_add_slice (&index, 0, end, 1);
  return reel_replay_buffer_set_at (self, &index, data, error);
}

/* ---- by key ---- */

gboolean
reel_replay_buffer_set_in_place (ReelReplayBuffer *self, const char *path, const ReelTensor *tensor,
                                 GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  if (REEL_IS_ITEM_STORAGE (storage))
    return reel_item_storage_set (REEL_ITEM_STORAGE (storage), path, NULL, tensor, error);
  return change_rows (self, FALSE, set_key, &(Change){ .path = path, .tensor = tensor }, error);
}

gboolean
reel_replay_buffer_set_at_in_place (ReelReplayBuffer *self, const char *path,
                                    const ReelIndex *index, const ReelTensor *tensor,
                                    GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  if (REEL_IS_ITEM_STORAGE (storage))
    return reel_item_storage_set (REEL_ITEM_STORAGE (storage), path, index, tensor, error);
  return change_rows (self, FALSE, set_key_at,
                      &(Change){ .path = path, .index = index, .tensor = tensor }, error);
}

gboolean
reel_replay_buffer_update_in_place (ReelReplayBuffer *self, const ReelTensordict *td,
                                    const char *const *keys_to_update, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  if (REEL_IS_ITEM_STORAGE (storage))
    return reel_item_storage_update (REEL_ITEM_STORAGE (storage), td, keys_to_update, error);
  return change_rows (self, FALSE, update_keys, &(Change){ .td = td, .keys = keys_to_update },
                      error);
}
