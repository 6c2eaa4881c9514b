#include "batch.h"
#include "gather-kernel.h"
#include "storage-state.h"

#include <string.h>

#define INDEX "index"

/* ---- making
 * ---------------------------------------------------------------------------------------- */

static ReelTensordict *
new_level (const ReelTensordict *data, gint64 n, gint n_storage_dims, const char *left_out,
           GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (data, &ndim);
  g_autoptr (ReelTensordict) level = NULL;
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  shape[0] = n;
  memcpy (shape + 1, size + n_storage_dims, (gsize) (ndim - n_storage_dims) * sizeof *shape);
  level = reel_tensordict_new (ndim - n_storage_dims + 1, shape);
  reel_tensordict_iter_init (&iter, data);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      g_autofree char *path = reel_path_escape (key);
      g_autoptr (ReelTensordict) nested = NULL;
      g_autoptr (ReelTensor) leaf = NULL;

      if (g_strcmp0 (key, left_out) == 0)
        continue;
      if (child)
        nested = new_level (child, n, n_storage_dims, NULL, error);
      if (child && (!nested || !reel_tensordict_set_tensordict (level, path, nested, error)))
        return NULL;
      if (!tensor)
        continue;
      memcpy (shape + 1, tensor->shape + n_storage_dims,
              (gsize) (tensor->ndim - n_storage_dims) * sizeof *shape);
      leaf = reel_tensor_new (tensor->dtype, tensor->ndim - n_storage_dims + 1, shape, error);
      if (!leaf || !reel_tensordict_set_tensor (level, path, leaf, error))
        return NULL;
    }
  return g_steal_pointer (&level);
}

/* Batch dimensions beyond the storage's see the same index in each of their elements. */
static ReelTensor *
new_index (const ReelTensordict *batch, gint64 n, gint ndim, GError **error)
{
  gint batch_ndim;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &batch_ndim);
  gint64 shape[REEL_MAX_NDIM + 1] = { n, ndim };
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, ndim > 1 ? 2 : 1, shape, error);

  for (gint i = 1; index && i < batch_ndim; i++)
    {
      g_autoptr (ReelTensor) narrow = g_steal_pointer (&index);
      index = reel_tensor_unsqueeze (narrow, i, error);
    }
  if (!index || batch_ndim == 1)
    return g_steal_pointer (&index);
  memcpy (shape, size, (gsize) batch_ndim * sizeof *shape);
  shape[batch_ndim] = ndim;
  return reel_tensor_expand (index, index->ndim, shape, error);
}

ReelTensordict *
reel_batch_new (ReelStorage *storage, gint64 n, gboolean with_index, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensor) index = NULL;

  batch = new_level (reel_storage_get_data (storage), n, ndim, with_index ? INDEX : NULL, error);
  if (!batch || !reel_tensordict_set_device (batch, "cpu", error))
    return NULL;
  if (!with_index)
    return g_steal_pointer (&batch);
  index = new_index (batch, n, ndim, error);
  if (!index || !reel_tensordict_set_tensor (batch, INDEX, index, error))
    return NULL;
  return g_steal_pointer (&batch);
}

/* ---- recycling
 * ------------------------------------------------------------------------------------- */

static gboolean
leaf_fits (const ReelTensor *leaf, const ReelTensor *stored, gint ndim, gint64 n)
{
  gint n_features = stored->ndim - ndim;

  return leaf->dtype == stored->dtype && leaf->ndim == n_features + 1 && leaf->shape[0] == n
         && memcmp (leaf->shape + 1, stored->shape + ndim, (gsize) n_features * sizeof (gint64))
                == 0
         && reel_tensor_is_contiguous (leaf);
}

static gboolean
index_fits (const ReelTensor *index, gint ndim, gint64 n)
{
  gint64 stride = (gint64) sizeof (gint64) * ndim;

  return index && index->dtype == REEL_DTYPE_INT64 && index->ndim > 0 && index->shape[0] == n
         && (n == 1 || index->strides[0] == stride)
         && (ndim == 1
             || (index->ndim > 1 && index->shape[index->ndim - 1] == ndim
                 && index->strides[index->ndim - 1] == (gint64) sizeof (gint64)));
}

static gboolean
level_fits (const ReelTensordict *batch, const ReelTensordict *data, gint ndim, gint64 n,
            gboolean root)
{
  ReelTensordictIter batch_iter, data_iter;
  const char *key, *batch_key;
  ReelTensor *stored, *leaf;
  ReelTensordict *data_child, *batch_child;

  reel_tensordict_iter_init (&batch_iter, batch);
  reel_tensordict_iter_init (&data_iter, data);
  while (reel_tensordict_iter_next (&data_iter, &key, &stored, &data_child))
    {
      if (root && strcmp (key, INDEX) == 0)
        continue;
      if (!reel_tensordict_iter_next (&batch_iter, &batch_key, &leaf, &batch_child)
          || strcmp (key, batch_key) != 0 || !stored != !leaf || !data_child != !batch_child)
        return FALSE;
      if (stored && !leaf_fits (leaf, stored, ndim, n))
        return FALSE;
      if (data_child && !level_fits (batch_child, data_child, ndim, n, FALSE))
        return FALSE;
    }
  if (root
      && (!reel_tensordict_iter_next (&batch_iter, &batch_key, &leaf, NULL)
          || strcmp (batch_key, INDEX) != 0 || !index_fits (leaf, ndim, n)))
    return FALSE;
  return !reel_tensordict_iter_next (&batch_iter, NULL, NULL, NULL);
}

gboolean
reel_batch_fits (const ReelTensordict *batch, ReelStorage *storage, gint64 n)
{
  return level_fits (batch, reel_storage_get_data (storage), reel_storage_get_ndim (storage), n,
                     TRUE);
}

/* ---- filling
 * --------------------------------------------------------------------------------------- */

typedef struct
{
  const ReelGatherKernels *gather;
  const ReelCopyKernels *copy;
  const ReelColumn *column; /* the next to fill */
  const ReelColumn *end;
  gint64 first;
  const gint64 *slots; /* NULL: the rows from slot on */
  gint64 slot;
  gint64 n;
  gboolean with_index;
} Fill;

static void
fill_leaf (Fill *fill, guint8 *to)
{
  const ReelColumn *column = fill->column++;
  const ReelColumn *next = fill->column < fill->end ? fill->column : NULL;
  gsize bytes = column->row_bytes;

  if (bytes == 0)
    return;
  to += (gsize) fill->first * bytes;
  if (fill->slots)
    fill->gather->gather (to, column->data, bytes, fill->slots, fill->n, next ? next->data : NULL,
                          next ? next->row_bytes : 0);
  else
    fill->copy->copy (to, column->data + (gsize) fill->slot * bytes, (gsize) fill->n * bytes);
}

/* The leaves of a batch come in the order of the columns. An index of its own, last in the root,
 * stands for a column of that name. */
static void
fill_level (Fill *fill, ReelTensordict *batch, gboolean root)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *leaf;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, batch);
  while (reel_tensordict_iter_next (&iter, &key, &leaf, &child))
    {
      if (child)
        fill_level (fill, child, FALSE);
      if (!leaf || (root && fill->with_index && strcmp (key, INDEX) == 0))
        continue;
      if (fill->with_index && strcmp (fill->column->path, INDEX) == 0)
        fill->column++;
      fill_leaf (fill, leaf->data);
    }
}

static void
fill_batch (ReelTensordict *batch, ReelStorage *storage, Fill *fill)
{
  ReelStoragePrivate *state = reel_storage_state (storage);

  fill->gather = state->gather_kernels;
  fill->copy = state->kernels;
  fill->column = state->columns;
  fill->end = state->columns + state->n_columns;
  fill_level (fill, batch, TRUE);
}

void
reel_batch_gather (ReelTensordict *batch, ReelStorage *storage, gboolean with_index, gint64 first,
                   const gint64 *slots, gint64 n)
{
  Fill fill = { .first = first, .slots = slots, .n = n, .with_index = with_index };

  fill_batch (batch, storage, &fill);
}

void
reel_batch_copy (ReelTensordict *batch, ReelStorage *storage, gint64 first, gint64 slot, gint64 n)
{
  Fill fill = { .first = first, .slot = slot, .n = n };

  fill_batch (batch, storage, &fill);
}

gint64 *
reel_batch_index (const ReelTensordict *batch)
{
  return (gint64 *) reel_tensordict_get_tensor (batch, INDEX, NULL)->data;
}

/* Division by an extent as a multiplication by 2^64 / extent, rounded up: exact for dividends below
 * 2^64 / extent. 0 where the capacity is beyond that. */
static guint64
find_inverse (gint64 extent, gint64 capacity)
{
  gboolean exact = extent > 1 && capacity < G_MAXINT64 / extent;

  return exact ? G_MAXUINT64 / (guint64) extent + 1 : 0;
}

/* Takes the coordinate of one dimension off each row slot in @from, which stand @stride apart.
 * Backwards, for @index begins at the same place and is longer. */
static void
split (const gint64 *from, gint stride, gint64 *index, gint64 n, gint ndim, gint dim, gint64 extent,
       guint64 inverse)
{
  for (gint64 i = n - 1; i >= 0; i--)
    {
      guint64 slot = (guint64) from[i * stride];
      guint64 quotient =
          inverse ? (guint64) ((unsigned __int128) slot * inverse >> 64) : slot / (guint64) extent;

      index[i * ndim + dim] = (gint64) (slot - quotient * (guint64) extent);
      index[i * ndim] = (gint64) quotient;
    }
}

void
reel_slots_to_index (ReelStorage *storage, gint64 *index, gint64 n)
{
  gint ndim = reel_storage_get_ndim (storage), batch_ndim;
  gint64 capacity = reel_storage_get_capacity (storage);
  const gint64 *size =
      reel_tensordict_get_batch_size (reel_storage_get_data (storage), &batch_ndim);

  for (gint dim = ndim - 1; dim > 0; dim--)
    split (index, dim == ndim - 1 ? 1 : ndim, index, n, ndim, dim, size[dim],
           find_inverse (size[dim], capacity));
}
