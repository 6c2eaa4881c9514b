/* Drawing batches from a buffer, and reading its rows by place and in order of time. */
#include "batch.h"
#include "storage-private.h"

#include <string.h>

#define CHUNK 512       /* row slots on the stack */
#define MOST_TRIES 1000 /* of a row or range that the writer overwrites again and again */

/* ---- sampling
 * ------------------------------------------------------------------------------------ */

/* What a batch is drawn from and by. */
typedef struct
{
  ReelStorage *storage;
  ReelSampler *sampler;
  ReelTensordict *batch;
  gint64 *rows;  /* their numbers; at last the batch's index */
  gint64 base;   /* the number of a row in row slot 0 */
  gint64 period; /* rows of the ring */
} Draw;

/* Rows of one view lie within two periods of the base; a division a row would cost as much as a
 * miss. */
static inline gint64
row_slot (const Draw *draw, gint64 row)
{
  gint64 slot = row - draw->base;

  if (slot >= draw->period)
    slot -= draw->period;
  return G_LIKELY (slot < draw->period) ? slot : slot % draw->period;
}

static void
gather (Draw *draw, gint64 first, gint64 n)
{
  gint64 slots[CHUNK];

  for (gint64 end = first + n; first < end; first += CHUNK)
    {
      gint64 count = MIN (CHUNK, end - first);

      for (gint64 i = 0; i < count; i++)
        slots[i] = row_slot (draw, draw->rows[first + i]);
      reel_batch_gather (draw->batch, draw->storage, TRUE, first, slots, count);
    }
}

static gboolean
set_overrun_error (ReelStorage *storage, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the writer overwrites rows faster than they can be read: raise the capacity, now "
               "%" G_GINT64_FORMAT " rows",
               reel_storage_get_capacity (storage));
  return FALSE;
}

static gboolean
redraw (Draw *draw, gint64 i, GError **error)
{
  ReelStorageView view;

  for (gint tries = 0; tries < MOST_TRIES; tries++)
    {
      reel_storage_get_view (draw->storage, &view);
      if (!reel_sampler_sample (draw->sampler, &view, 1, &draw->rows[i], error))
        return FALSE;
      gather (draw, i, 1);
      if (draw->rows[i] >= reel_storage_first_intact_row (draw->storage))
        return TRUE;
    }
  return set_overrun_error (draw->storage, error);
}

static gboolean
fill (Draw *draw, const ReelStorageView *view, gint64 n, GError **error)
{
  gint64 intact;

  draw->period = view->capacity;
  draw->base = view->first_row - view->first_row % view->capacity;
  gather (draw, 0, n);
  intact = reel_storage_first_intact_row (draw->storage);
  if (G_UNLIKELY (intact > view->first_row))
    for (gint64 i = 0; i < n; i++)
      if (draw->rows[i] < intact && !redraw (draw, i, error))
        return FALSE;
  for (gint64 i = 0; i < n; i++)
    draw->rows[i] = row_slot (draw, draw->rows[i]);
  reel_slots_to_index (draw->storage, draw->rows, n);
  return TRUE;
}

gboolean
reel_replay_buffer_sample_with (ReelReplayBuffer *self, ReelSampler *sampler, gint64 batch_size,
                                ReelTensordict **batch, GError **error)
{
  gint64 n = batch_size > 0 ? batch_size : reel_replay_buffer_get_batch_size (self);
  Draw draw = { .storage = reel_replay_buffer_get_storage (self), .sampler = sampler };
  g_autoptr (ReelTensordict) fresh = NULL;
  ReelStorageView view;

  if (n <= 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "batch_size not specified. You can specify the batch_size when "
                           "constructing the replay buffer, or pass it to the sample method.");
      return FALSE;
    }
  reel_storage_get_view (draw.storage, &view);
  if (view.first_row == view.end_row)
    return reel_sampler_sample (sampler, &view, 0, NULL, error);
  if (!*batch || !reel_batch_fits (*batch, draw.storage, n))
    fresh = reel_batch_new (draw.storage, n, TRUE, error);
  else
    fresh = reel_tensordict_ref (*batch);
  if (!fresh)
    return FALSE;
  draw.batch = fresh;
  draw.rows = reel_batch_index (fresh);
  if (!reel_sampler_sample (sampler, &view, n, draw.rows, error) || !fill (&draw, &view, n, error))
    return FALSE;
  if (*batch)
    reel_tensordict_unref (*batch);
  *batch = g_steal_pointer (&fresh);
  return TRUE;
}

gboolean
reel_replay_buffer_sample (ReelReplayBuffer *self, gint64 batch_size, ReelTensordict **batch,
                           GError **error)
{
  return reel_replay_buffer_sample_with (self, reel_replay_buffer_get_sampler (self), batch_size,
                                         batch, error);
}

/* ---- in order of time
 * ---------------------------------------------------------------------------- */

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
copy_range (ReelStorage *storage, ReelTensordict *batch, gint64 row, gint64 n)
{
  gint64 period = reel_storage_get_capacity (storage);
  gint64 slot = row % period;
  gint64 before_seam = MIN (n, period - slot);

  reel_batch_copy (batch, storage, 0, slot, before_seam);
  if (n > before_seam)
    reel_batch_copy (batch, storage, before_seam, 0, n - before_seam);
}

ReelTensordict *
reel_replay_buffer_get_rows (ReelReplayBuffer *self, gint64 first, gint64 n, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelTensordict) batch = NULL;
  ReelStorageView view;

  if (!check_allocated (storage, error))
    return NULL;
  batch = reel_batch_new (storage, MAX (n, 0), FALSE, error);
  for (gint tries = 0; batch && tries < MOST_TRIES; tries++)
    {
      reel_storage_get_view (storage, &view);
      if (first < 0 || n < 0 || first > view.end_row - view.first_row - n)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "%" G_GINT64_FORMAT " rows from row %" G_GINT64_FORMAT
                       " on are not all there: the buffer holds %" G_GINT64_FORMAT,
                       n, first, view.end_row - view.first_row);
          return NULL;
        }
      copy_range (storage, batch, view.first_row + first, n);
      if (reel_storage_first_intact_row (storage) <= view.first_row + first)
        return g_steal_pointer (&batch);
    }
  if (batch)
    set_overrun_error (storage, error);
  return NULL;
}

ReelTensordict *
reel_replay_buffer_get_numbered_rows (ReelReplayBuffer *self, gint64 number, gint64 n,
                                      GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelTensordict) batch = NULL;
  ReelStorageView view;

  if (!check_allocated (storage, error))
    return NULL;
  reel_storage_get_view (storage, &view);
  if (number >= view.first_row && n >= 0 && number <= view.end_row - n)
    {
      batch = reel_batch_new (storage, n, FALSE, error);
      if (!batch)
        return NULL;
      copy_range (storage, batch, number, n);
      if (reel_storage_first_intact_row (storage) <= number)
        return g_steal_pointer (&batch);
      reel_storage_get_view (storage, &view);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "%" G_GINT64_FORMAT " rows from number %" G_GINT64_FORMAT
               " on are not all there: the buffer holds %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
               n, number, view.first_row, view.end_row - 1);
  return NULL;
}

/* ---- by place
 * ------------------------------------------------------------------------------------ */

/* Steps at the beginning of the allocation that hold something: the last valid slot, or all once
 * the ring has come round. */
static gint64
count_filled (ReelStorage *storage)
{
  ReelStorageView view;
  gint64 n_slots, first, end;

  reel_storage_get_view (storage, &view);
  if (view.first_row == view.end_row)
    return 0;
  n_slots = view.capacity / view.lanes;
  first = view.first_row / view.lanes;
  end = view.end_row / view.lanes;
  return first / n_slots == (end - 1) / n_slots ? (end - 1) % n_slots + 1 : n_slots;
}

ReelTensordict *
reel_replay_buffer_get_all (ReelReplayBuffer *self, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  gint ndim = reel_storage_get_ndim (storage);
  g_autoptr (ReelTensordict) filled = NULL;

  if (!check_allocated (storage, error))
    return NULL;
  filled = reel_tensordict_slice (reel_storage_get_data (storage), 0, 0, count_filled (storage), 1,
                                  error);
  if (!filled || ndim == 1)
    return g_steal_pointer (&filled);
  return reel_tensordict_transpose (filled, 0, ndim - 1, error);
}

ReelTensordict *
reel_replay_buffer_get_slice (ReelReplayBuffer *self, gint64 begin, gint64 end, gint64 step,
                              GError **error)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (self, error);

  return all ? reel_tensordict_slice (all, 0, begin, end, step, error) : NULL;
}

ReelTensordict *
reel_replay_buffer_get_item (ReelReplayBuffer *self, gint64 i, GError **error)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (self, error);

  return all ? reel_tensordict_select_index (all, 0, i, error) : NULL;
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

ReelTensordict *
reel_replay_buffer_get_at (ReelReplayBuffer *self, const ReelTensor *index, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  gint ndim = reel_storage_get_ndim (storage), batch_ndim;
  gint64 size[REEL_MAX_NDIM];
  g_autofree gint64 *slots = NULL;
  g_autoptr (ReelTensordict) batch = NULL;

  if (!check_allocated (storage, error) || !check_index (index, ndim, error))
    return NULL;
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
  batch = reel_batch_new (storage, index->shape[0], FALSE, error);
  if (batch)
    reel_batch_gather (batch, storage, FALSE, 0, slots, index->shape[0]);
  return g_steal_pointer (&batch);
}
