#include "buffer-transform.h"

#include "../core/tensordict/shape.h"

#include <string.h>

/* ---- what is read ---- */

static gboolean
changes_reads (ReelReplayBuffer *self)
{
  return reel_transform_changes_reads (REEL_TRANSFORM (reel_replay_buffer_get_transform (self)));
}

ReelTensordict *
reel_buffer_read (ReelReplayBuffer *self, ReelTensordict *td, GError **error)
{
  ReelTransform *transform = REEL_TRANSFORM (reel_replay_buffer_get_transform (self));
  g_autoptr (ReelTensordict) read = td;

  if (!read || !changes_reads (self))
    return g_steal_pointer (&read);
  return reel_transform_forward (transform, read, error);
}

gboolean
reel_buffer_changes_batches (ReelReplayBuffer *self)
{
  return changes_reads (self) || reel_replay_buffer_get_maker (self)->collate;
}

ReelTensordict *
reel_buffer_collate (ReelReplayBuffer *self, ReelTensordict *td, GError **error)
{
  const ReelBatchMaker *maker = reel_replay_buffer_get_maker (self);
  g_autoptr (ReelTensordict) rows = td;

  if (!rows || !maker->collate)
    return g_steal_pointer (&rows);
  return maker->collate (rows, maker->user_data, error);
}

/* A transform may write to what it is given. */
ReelTensordict *
reel_buffer_read_shared (ReelReplayBuffer *self, ReelTensordict *td, gboolean several,
                         GError **error)
{
  g_autoptr (ReelTensordict) shared = td;
  ReelTensordict *copy;

  if (!shared || !(several ? reel_buffer_changes_batches (self) : changes_reads (self)))
    return g_steal_pointer (&shared);
  copy = reel_tensordict_clone (shared, TRUE, error);
  return reel_buffer_read (self, several ? reel_buffer_collate (self, copy, error) : copy, error);
}

/* The origin of rows is not lost with other keys; a batch of other rows has none. */
static gboolean
restore (ReelTensordict *result, const ReelTensordict *raw, const char *path, GError **error)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (raw, path, NULL);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (result, &ndim);

  if (!tensor || reel_tensordict_contains (result, path) || ndim > tensor->ndim)
    return TRUE;
  for (gint i = 0; i < ndim; i++)
    if (size[i] != tensor->shape[i])
      return TRUE;
  return reel_tensordict_set_tensor (result, path, tensor, error);
}

gint64
reel_buffer_count_demand (ReelReplayBuffer *self, gint64 n)
{
  ReelTransform *transform = REEL_TRANSFORM (reel_replay_buffer_get_transform (self));
  gint64 rows;

  return __builtin_mul_overflow (n, reel_transform_get_demand (transform), &rows) ? G_MAXINT64 / 2
                                                                                  : rows;
}

/* The rows are filled again where what became of them is given back; they belong to it. */
ReelTensordict **
reel_buffer_choose_batch (ReelReplayBuffer *self, ReelSampling *sampling, ReelTensordict **batch)
{
  if (!reel_buffer_changes_batches (self))
    return batch;
  if (*batch != sampling->given)
    g_clear_pointer (&sampling->raw, reel_tensordict_unref);
  return &sampling->raw;
}

/* The rows of a batch that was collated may be others. */
static gboolean
is_of_drawn_rows (const ReelTensordict *batch, const ReelSampling *sampling)
{
  gint ndim, n_raw;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);

  reel_tensordict_get_batch_size (sampling->raw, &n_raw);
  return n_raw <= 1 && ndim == n_raw && (ndim == 0 || size[0] == sampling->draw.n);
}

/* The part of a batch that transforms get. */
static ReelTensordict *
copy_batch (ReelReplayBuffer *self, ReelSampling *sampling, GError **error)
{
  g_autoptr (ReelTensordict) copy =
      reel_buffer_collate (self, reel_tensordict_clone (sampling->raw, FALSE, error), error);
  g_autoptr (ReelTensor) rows = NULL;

  if (!copy || !is_of_drawn_rows (copy, sampling)
      || !reel_transform_wants_rows (REEL_TRANSFORM (reel_replay_buffer_get_transform (self))))
    return g_steal_pointer (&copy);
  rows = reel_tensor_new (REEL_DTYPE_INT64, 1, &sampling->draw.n, error);
  if (!rows)
    return NULL;
  memcpy (rows->data, sampling->draw.rows, (gsize) sampling->draw.n * sizeof (gint64));
  return reel_tensordict_set_tensor (copy, REEL_ROW_NUMBERS, rows, error) ? g_steal_pointer (&copy)
                                                                          : NULL;
}

gboolean
reel_buffer_transform_batch (ReelReplayBuffer *self, ReelSampling *sampling, ReelTensordict **batch,
                             GError **error)
{
  g_autoptr (ReelTensordict) result = NULL;

  if (!reel_buffer_changes_batches (self))
    return TRUE;
  result = reel_buffer_read (self, copy_batch (self, sampling, error), error);
  if (!result
      || (reel_tensordict_contains (result, REEL_ROW_NUMBERS)
          && !reel_tensordict_remove (result, REEL_ROW_NUMBERS, error))
      || !restore (result, sampling->raw, "index", error))
    return FALSE;
  for (guint i = 0; i < sampling->n_info; i++)
    if (sampling->columns[i].merge == REEL_INFO_SET
        && !restore (result, sampling->raw, sampling->columns[i].path, error))
      return FALSE;
  g_clear_pointer (&sampling->given, reel_tensordict_unref);
  sampling->given = reel_tensordict_ref (result);
  if (*batch)
    reel_tensordict_unref (*batch);
  *batch = g_steal_pointer (&result);
  return TRUE;
}

/* ---- what is written ---- */

static ReelTensordict *
put_last_first (ReelTensordict *td, GError **error)
{
  gint dims[REEL_MAX_NDIM], ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  for (gint i = 0; i < ndim; i++)
    dims[i] = i == 0 ? ndim - 1 : i - 1;
  return reel_tensordict_permute (td, dims, error);
}

gboolean
reel_buffer_invert_item (ReelReplayBuffer *self, ReelTensordict *item, ReelTensordict **steps,
                         GError **error)
{
  ReelTransform *transform = REEL_TRANSFORM (reel_replay_buffer_get_transform (self));
  g_autoptr (ReelTensordict) wide = reel_tensordict_unsqueeze (item, -1, error);
  g_autoptr (ReelTensordict) changed = NULL;

  *steps = NULL;
  if (!wide || !reel_transform_inverse (transform, wide, &changed, error))
    return FALSE;
  if (!changed)
    return TRUE;
  *steps = put_last_first (changed, error);
  return *steps != NULL;
}

gboolean
reel_buffer_set_no_index (ReelStorage *storage, ReelTensor **index, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage);
  const gint64 shape[2] = { 0, ndim };

  if (index)
    *index = reel_tensor_new (REEL_DTYPE_INT64, ndim > 1 ? 2 : 1, shape, error);
  return !index || *index;
}

/* ---- which they are ---- */

static ReelTransform *
wrap (ReelTransform *transform, gboolean invert, GError **error)
{
  return invert ? reel_transform_new_inverted (transform, error) : g_object_ref (transform);
}

gboolean
reel_replay_buffer_append_transform (ReelReplayBuffer *self, ReelTransform *transform,
                                     gboolean invert, GError **error)
{
  g_autoptr (ReelTransform) wrapped = NULL;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), FALSE);
  g_return_val_if_fail (REEL_IS_TRANSFORM (transform), FALSE);

  wrapped = wrap (transform, invert, error);
  return wrapped && reel_compose_append (reel_replay_buffer_get_transform (self), wrapped, error);
}

gboolean
reel_replay_buffer_insert_transform (ReelReplayBuffer *self, gint index, ReelTransform *transform,
                                     gboolean invert, GError **error)
{
  g_autoptr (ReelTransform) wrapped = NULL;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), FALSE);
  g_return_val_if_fail (REEL_IS_TRANSFORM (transform), FALSE);

  wrapped = wrap (transform, invert, error);
  return wrapped
         && reel_compose_insert (reel_replay_buffer_get_transform (self), index, wrapped, error);
}
