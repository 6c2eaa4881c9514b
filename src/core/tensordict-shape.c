#include "tensordict-private.h"

#include <string.h>

/* Changes of shape are made leaf by leaf, with dimensions already resolved and in range. */
typedef struct
{
  gint dim;
  gint dim1;
  gint64 begin;
  gint64 end;
  gint64 step;
  const gint64 *rows;
  gsize n_rows;
} Change;

typedef ReelTensor *(*ChangeFunc) (ReelTensor *tensor, const Change *change, GError **error);

/* The batch size and names of a result. */
typedef struct
{
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  const char *names[REEL_MAX_NDIM];
} Batch;

typedef void (*BatchFunc) (Batch *batch, const Change *change);

static void
read_batch (const ReelTensordict *td, Batch *batch)
{
  const gint64 *shape = reel_tensordict_get_batch_size (td, &batch->ndim);

  for (gint i = 0; i < batch->ndim; i++)
    {
      batch->shape[i] = shape[i];
      batch->names[i] = reel_tensordict_get_name (td, i);
    }
}

static ReelTensordict *
new_with_batch (const ReelTensordict *td, const Batch *batch)
{
  ReelTensordict *result = reel_tensordict_new_like (td, batch->ndim, batch->shape);

  reel_tensordict_copy_names (result, batch->names);
  return result;
}

static ReelNonTensor *
change_non_tensor (const ReelNonTensor *non_tensor, ChangeFunc leaf, const Change *change,
                   GError **error)
{
  ReelTensor *which = leaf (reel_non_tensor_get_which (non_tensor), change, error);

  return which ? reel_non_tensor_new_view (non_tensor, which) : NULL;
}

static ReelTensordict *
change_leaves (const ReelTensordict *td, ChangeFunc leaf, BatchFunc resize, const Change *change,
               GError **error)
{
  const ReelTensordictEntry *entry;
  Batch batch;

  read_batch (td, &batch);
  resize (&batch, change);
  g_autoptr (ReelTensordict) result = new_with_batch (td, &batch);
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      ReelTensordictValue value = { NULL };
      if (entry->child)
        value.child = change_leaves (entry->child, leaf, resize, change, error);
      else if (entry->tensor)
        value.tensor = leaf (entry->tensor, change, error);
      else
        value.non_tensor = change_non_tensor (entry->non_tensor, leaf, change, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}

/* ---- select ---- */

static ReelTensor *
select_leaf (ReelTensor *tensor, const Change *change, GError **error)
{
  return reel_tensor_select (tensor, change->dim, change->begin, error);
}

static void
select_batch (Batch *batch, const Change *change)
{
  batch->ndim--;
  for (gint i = change->dim; i < batch->ndim; i++)
    {
      batch->shape[i] = batch->shape[i + 1];
      batch->names[i] = batch->names[i + 1];
    }
}

ReelTensordict *
reel_tensordict_select_index (ReelTensordict *td, gint dim, gint64 index, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  if (!reel_dim_resolve (&dim, ndim, error) || !reel_index_resolve (&index, dim, shape[dim], error))
    return NULL;
  Change change = { .dim = dim, .begin = index };
  return change_leaves (td, select_leaf, select_batch, &change, error);
}

/* ---- slice ---- */

static ReelTensor *
slice_leaf (ReelTensor *tensor, const Change *change, GError **error)
{
  return reel_tensor_slice (tensor, change->dim, change->begin, change->end, change->step, error);
}

static void
slice_batch (Batch *batch, const Change *change)
{
  gint64 *extent = &batch->shape[change->dim];
  gint64 begin = change->begin;

  reel_slice_resolve (&begin, change->end, change->step, *extent, extent, NULL);
}

ReelTensordict *
reel_tensordict_slice (ReelTensordict *td, gint dim, gint64 begin, gint64 end, gint64 step,
                       GError **error)
{
  gint ndim;
  gint64 count;
  gint64 first = begin;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  if (!reel_dim_resolve (&dim, ndim, error)
      || !reel_slice_resolve (&first, end, step, shape[dim], &count, error))
    return NULL;
  Change change = { .dim = dim, .begin = begin, .end = end, .step = step };
  return change_leaves (td, slice_leaf, slice_batch, &change, error);
}

/* ---- transpose ---- */

static ReelTensor *
transpose_leaf (ReelTensor *tensor, const Change *change, GError **error)
{
  return reel_tensor_transpose (tensor, change->dim, change->dim1, error);
}

static void
transpose_batch (Batch *batch, const Change *change)
{
  Batch before = *batch;

  batch->shape[change->dim] = before.shape[change->dim1];
  batch->names[change->dim] = before.names[change->dim1];
  batch->shape[change->dim1] = before.shape[change->dim];
  batch->names[change->dim1] = before.names[change->dim];
}

ReelTensordict *
reel_tensordict_transpose (ReelTensordict *td, gint dim0, gint dim1, GError **error)
{
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  if (!reel_dim_resolve (&dim0, ndim, error) || !reel_dim_resolve (&dim1, ndim, error))
    return NULL;
  Change change = { .dim = dim0, .dim1 = dim1 };
  return change_leaves (td, transpose_leaf, transpose_batch, &change, error);
}

/* ---- gather ---- */

static ReelTensor *
gather_leaf (ReelTensor *tensor, const Change *change, GError **error)
{
  return reel_tensor_gather_rows (tensor, change->rows, change->n_rows, error);
}

static void
gather_batch (Batch *batch, const Change *change)
{
  batch->shape[0] = (gint64) change->n_rows;
}

ReelTensordict *
reel_tensordict_gather_rows (const ReelTensordict *td, const gint64 *rows, gsize n, GError **error)
{
  gint ndim, dim = 0;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  if (!reel_dim_resolve (&dim, ndim, error))
    return NULL;
  /* Checked here too, because a tensordict without leaves has nobody else to do it. */
  for (gsize i = 0; i < n; i++)
    {
      gint64 row = rows[i];
      if (!reel_index_resolve (&row, 0, shape[0], error))
        return NULL;
    }
  Change change = { .rows = rows, .n_rows = n };
  return change_leaves (td, gather_leaf, gather_batch, &change, error);
}

/* ---- clone ---- */

static ReelTensor *
clone_leaf (ReelTensor *tensor, const Change *change, GError **error)
{
  return reel_tensor_clone (tensor, error);
}

static ReelTensor *
share_leaf (ReelTensor *tensor, const Change *change, GError **error)
{
  return reel_tensor_ref (tensor);
}

static void
keep_batch (Batch *batch, const Change *change)
{
}

ReelTensordict *
reel_tensordict_clone (const ReelTensordict *td, gboolean recurse, GError **error)
{
  Change change = { 0 };

  return change_leaves (td, recurse ? clone_leaf : share_leaf, keep_batch, &change, error);
}

/* ---- equality ---- */

static gboolean
has_batch_size_of (const ReelTensordict *a, const ReelTensordict *b)
{
  gint ndim_a, ndim_b;
  const gint64 *shape_a = reel_tensordict_get_batch_size (a, &ndim_a);
  const gint64 *shape_b = reel_tensordict_get_batch_size (b, &ndim_b);

  return ndim_a == ndim_b && memcmp (shape_a, shape_b, ndim_a * sizeof *shape_a) == 0;
}

static guint
count_entries (const ReelTensordict *td)
{
  guint n = 0;

  while (reel_tensordict_get_entry (td, n))
    n++;
  return n;
}

static gboolean
values_equal (const ReelTensordictEntry *a, const ReelTensordictEntry *b)
{
  if (a->tensor && b->tensor)
    return reel_tensor_equal (a->tensor, b->tensor);
  if (a->child && b->child)
    return reel_tensordict_equal (a->child, b->child);
  return a->non_tensor && b->non_tensor && reel_non_tensor_equal (a->non_tensor, b->non_tensor);
}

gboolean
reel_tensordict_equal (const ReelTensordict *a, const ReelTensordict *b)
{
  const ReelTensordictEntry *left;

  if (!has_batch_size_of (a, b) || count_entries (a) != count_entries (b))
    return FALSE;
  for (guint i = 0; (left = reel_tensordict_get_entry (a, i)); i++)
    {
      const ReelTensordictEntry *right = reel_tensordict_find (b, left->escaped, left->length);
      if (!right || !values_equal (left, right))
        return FALSE;
    }
  return TRUE;
}
