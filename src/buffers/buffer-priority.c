/* Telling a buffer's sampler how much rows matter. */
#include "../specs/element.h"
#include "samplers/reduction.h"
#include "replay-buffer.h"

#include <stdlib.h>
#include <string.h>

/* Rows and their priorities, one of each a row. */
typedef struct
{
  gint64 n;
  gint64 *slots; /* row slots */
  double *priorities;
} Updates;

static void
updates_clear (Updates *updates)
{
  g_free (updates->slots);
  g_free (updates->priorities);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Updates, updates_clear)

/* ---- which rows ---- */

static gboolean
check_index (const ReelTensor *index, gint ndim, GError **error)
{
  if (index->dtype != REEL_DTYPE_INT64)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "an index is int64, this one %s",
                   reel_dtype_name (index->dtype));
      return FALSE;
    }
  if (ndim == 1 || (index->ndim > 0 && index->shape[index->ndim - 1] == ndim))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the last dimension of an index of a storage with ndim=%d is the %d coordinates of "
               "a row: [n, %d]",
               ndim, ndim, ndim);
  return FALSE;
}

/* The row slot of one row's coordinates; −1 where one is negative, −2 where one is too large.
 * Always inlined, for one coordinate is the common case. */
static inline __attribute__ ((always_inline)) gint64
find_slot (const gint64 *coordinates, const gint64 *size, gint ndim)
{
  gint64 slot = 0;

  for (gint dim = 0; dim < ndim; dim++)
    {
      if (coordinates[dim] < 0)
        return -1;
      if (coordinates[dim] >= size[dim])
        return -2;
      slot = slot * size[dim] + coordinates[dim];
    }
  return slot;
}

static gboolean
find_slots (ReelStorage *storage, ReelTensor *index, Updates *updates, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage), batch_ndim;
  ReelTensordict *data = reel_storage_get_data (storage);
  gint64 capacity = reel_storage_get_capacity (storage);
  g_autoptr (ReelTensor) dense = NULL;
  const gint64 *size;

  if (!check_index (index, ndim, error))
    return FALSE;
  if (!reel_storage_is_allocated (storage))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "cannot set priorities: there are no rows yet");
      return FALSE;
    }
  dense = reel_tensor_contiguous (index, error);
  if (!dense)
    return FALSE;
  size = data ? reel_tensordict_get_batch_size (data, &batch_ndim) : &capacity;
  updates->n = reel_tensor_numel (dense) / ndim;
  updates->slots = g_new (gint64, updates->n);
  for (gint64 i = 0; i < updates->n; i++)
    {
      const gint64 *coordinates = (const gint64 *) dense->data + i * ndim;

      updates->slots[i] =
          ndim == 1 ? find_slot (coordinates, size, 1) : find_slot (coordinates, size, ndim);
      if (updates->slots[i] == -2)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "row %" G_GINT64_FORMAT
                       " of the index is beyond the storage, which has %" G_GINT64_FORMAT " steps",
                       i, size[0]);
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- how much they matter ---- */

/* All elements, in row-major order. */
static double *
load_reals (ReelTensor *tensor, GError **error)
{
  gsize size = reel_dtype_size (tensor->dtype);
  gint64 n = reel_tensor_numel (tensor);
  g_autoptr (ReelTensor) dense = NULL;
  double *reals;

  if (reel_dtype_is_complex (tensor->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "a priority is a real number, not %s",
                   reel_dtype_name (tensor->dtype));
      return NULL;
    }
  dense = reel_tensor_contiguous (tensor, error);
  if (!dense)
    return NULL;
  reals = g_new (double, MAX (n, 1));
  if (dense->dtype == REEL_DTYPE_FLOAT64)
    memcpy (reals, dense->data, (gsize) n * size);
  else if (dense->dtype == REEL_DTYPE_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      reals[i] = ((const float *) dense->data)[i];
  else
    for (gint64 i = 0; i < n; i++)
      reel_element_cast (dense->dtype, dense->data + (gsize) i * size, REEL_DTYPE_FLOAT64,
                         &reals[i]);
  return reals;
}

/* One priority is for all. */
static gboolean
load_priorities (ReelTensor *priority, Updates *updates, GError **error)
{
  gint64 n = reel_tensor_numel (priority);

  if (n != 1 && n != updates->n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "priority should be a number or an iterable of the same length as index. Got "
                   "%" G_GINT64_FORMAT " priorities for %" G_GINT64_FORMAT " rows",
                   n, updates->n);
      return FALSE;
    }
  updates->priorities = load_reals (priority, error);
  if (!updates->priorities || n == updates->n)
    return updates->priorities != NULL;
  updates->priorities = g_renew (double, updates->priorities, MAX (updates->n, 1));
  for (gint64 i = 1; i < updates->n; i++)
    updates->priorities[i] = updates->priorities[0];
  return TRUE;
}

/* Rows that a writer rejected have no slot. */
static void
leave_out_rejected (Updates *updates)
{
  gint64 n = 0;

  for (gint64 i = 0; i < updates->n; i++)
    {
      if (updates->slots[i] < 0)
        continue;
      updates->slots[n] = updates->slots[i];
      if (updates->priorities)
        updates->priorities[n] = updates->priorities[i];
      n++;
    }
  updates->n = n;
}

static gboolean
apply (ReelReplayBuffer *self, Updates *updates, GError **error)
{
  leave_out_rejected (updates);
  return reel_sampler_update_priority (reel_replay_buffer_get_sampler (self),
                                       reel_replay_buffer_get_storage (self), updates->slots,
                                       updates->n, updates->priorities, error);
}

gboolean
reel_replay_buffer_update_priority (ReelReplayBuffer *self, ReelTensor *index, ReelTensor *priority,
                                    GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  gint dim = reel_storage_get_dim_extend (storage);
  g_autoptr (ReelTensor) steps_first = NULL;
  g_auto (Updates) updates = { 0 };

  if (!reel_sampler_has_priorities (reel_replay_buffer_get_sampler (self)))
    return TRUE;
  steps_first = dim > 0 && priority->ndim > 1
                    ? reel_tensor_transpose (priority, 0, MIN (dim, priority->ndim - 1), error)
                    : reel_tensor_ref (priority);
  return steps_first && find_slots (storage, index, &updates, error)
         && load_priorities (steps_first, &updates, error) && apply (self, &updates, error);
}

gboolean
reel_replay_buffer_mark_update (ReelReplayBuffer *self, ReelTensor *index, GError **error)
{
  ReelSampler *sampler = reel_replay_buffer_get_sampler (self);
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_auto (Updates) updates = { 0 };

  if (!reel_sampler_has_priorities (sampler))
    return TRUE;
  if (!find_slots (storage, index, &updates, error))
    return FALSE;
  leave_out_rejected (&updates);
  return reel_sampler_mark_update (sampler, storage, updates.slots, updates.n, error);
}

/* ---- from a batch ---- */

/* How many dimensions of an index tell rows apart. Of a sampled batch it is one: where the batch
 * has more than the storage, the index is the same in each of their elements. Of what was extended
 * they are all of the storage's. */
static gint
count_row_dims (const ReelTensor *index, gint ndim)
{
  gint n_dims = ndim > 1 ? index->ndim - 1 : index->ndim;
  gint most = MIN (n_dims, ndim), n = MIN (n_dims, 1);

  while (n < most && (index->strides[n] != 0 || index->shape[n] == 1))
    n++;
  return n;
}

/* The first element of the dimensions of an index that tell no rows apart. */
static ReelTensor *
drop_copies (ReelTensor *index, gint n_row_dims, gint ndim, GError **error)
{
  ReelTensor *narrow = reel_tensor_ref (index);

  while (narrow && narrow->ndim > n_row_dims + (ndim > 1))
    {
      g_autoptr (ReelTensor) wide = narrow;

      if (wide->shape[n_row_dims] == 0)
        {
          g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                               "the rows to update have no elements");
          return NULL;
        }
      narrow = reel_tensor_select (wide, n_row_dims, 0, error);
    }
  return narrow;
}

static gboolean
reduce (ReelTensor *priority, ReelReduceFunc func, Updates *updates, GError **error)
{
  gint64 n = reel_tensor_numel (priority);
  g_autofree double *reals = NULL;

  if (updates->n == 0)
    return TRUE;
  if (n == 0 || n % updates->n != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%" G_GINT64_FORMAT " priorities are not some for each of %" G_GINT64_FORMAT
                   " rows",
                   n, updates->n);
      return FALSE;
    }
  reals = load_reals (priority, error);
  if (!reals)
    return FALSE;
  updates->priorities = g_new (double, updates->n);
  for (gint64 i = 0; i < updates->n; i++)
    updates->priorities[i] = func (reals + i * (n / updates->n), n / updates->n);
  return TRUE;
}

/* ---- of windows around anchors ---- */

/* Records of windows that are repeated tell nothing. */
static gboolean
leave_out_invalid (const ReelTensordict *td, Updates *updates, GError **error)
{
  ReelTensor *mask = reel_tensordict_get_tensor (td, "validity_mask", NULL);
  g_autoptr (ReelTensor) dense = NULL;

  if (!mask)
    return TRUE;
  if (mask->dtype != REEL_DTYPE_BOOL || reel_tensor_numel (mask) != updates->n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "\"validity_mask\" is not a bool for each of %" G_GINT64_FORMAT " rows",
                   updates->n);
      return FALSE;
    }
  dense = reel_tensor_contiguous (mask, error);
  for (gint64 i = 0; dense && i < updates->n; i++)
    if (!dense->data[i])
      updates->slots[i] = -1;
  return dense != NULL;
}

typedef struct
{
  gint64 slot;
  double priority;
} Update;

static gint
compare_priorities (gconstpointer a, gconstpointer b)
{
  double x = ((const Update *) a)->priority, y = ((const Update *) b)->priority;

  return (x > y) - (x < y);
}

/* Of an anchor that has several, the greatest is the last, which stays. */
static void
put_greatest_last (Updates *updates)
{
  g_autofree Update *sorted = g_new (Update, MAX (updates->n, 1));

  for (gint64 i = 0; i < updates->n; i++)
    sorted[i] = (Update){ updates->slots[i], updates->priorities[i] };
  qsort (sorted, (gsize) updates->n, sizeof *sorted, compare_priorities);
  for (gint64 i = 0; i < updates->n; i++)
    {
      updates->slots[i] = sorted[i].slot;
      updates->priorities[i] = sorted[i].priority;
    }
}

static gboolean
apply_to_anchors (ReelReplayBuffer *self, const ReelTensordict *td, Updates *updates,
                  GError **error)
{
  if (!leave_out_invalid (td, updates, error))
    return FALSE;
  leave_out_rejected (updates);
  put_greatest_last (updates);
  return apply (self, updates, error);
}

/* Those of the priority key, several of a row as one; else the default. */
static gboolean
read_priorities (ReelReplayBuffer *self, ReelTensordict *td, Updates *updates, GError **error)
{
  ReelSampler *sampler = reel_replay_buffer_get_sampler (self);
  const char *key = reel_replay_buffer_get_priority_key (self);
  g_autoptr (ReelTensor) priority = key ? reel_tensordict_ref_tensor (td, key, NULL) : NULL;

  if (priority)
    {
      ReelReduceFunc func = reel_find_reduction (reel_sampler_get_reduction (sampler), error);
      return func && reduce (priority, func, updates, error);
    }
  updates->priorities = g_new (double, MAX (updates->n, 1));
  for (gint64 i = 0; i < updates->n; i++)
    updates->priorities[i] = reel_sampler_get_default_priority (sampler);
  return TRUE;
}

gboolean
reel_replay_buffer_update_tensordict_priority (ReelReplayBuffer *self, ReelTensordict *td,
                                               GError **error)
{
  ReelSampler *sampler = reel_replay_buffer_get_sampler (self);
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  gint ndim = reel_storage_get_ndim (storage);
  g_autoptr (ReelTensor) anchors = NULL;
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (ReelTensor) rows = NULL;
  g_auto (Updates) updates = { 0 };

  if (!reel_sampler_has_priorities (sampler))
    return TRUE;
  if (reel_sampler_get_anchors (sampler))
    anchors = reel_tensordict_ref_tensor (td, "anchor_index", NULL);
  index = anchors ? reel_tensor_ref (anchors) : reel_tensordict_ref_tensor (td, "index", error);
  if (!index || !check_index (index, ndim, error))
    return FALSE;
  rows = drop_copies (index, count_row_dims (index, ndim), ndim, error);
  if (!rows || !find_slots (storage, rows, &updates, error)
      || !read_priorities (self, td, &updates, error))
    return FALSE;
  return anchors ? apply_to_anchors (self, td, &updates, error) : apply (self, &updates, error);
}
