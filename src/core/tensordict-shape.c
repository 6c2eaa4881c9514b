#include "lazy-stack-private.h"
#include "tensordict-walk.h"

#include <string.h>

/* What a change needs to know, with dimensions already resolved and in range. */
typedef struct
{
  gint dim;
  gint64 begin;
  gint64 end;
  gint64 step;
  const gint64 *rows;
  gsize n_rows;
} Args;

/* In an extent of −1 the elements of a lazy stack differ, and check for themselves. */
static gboolean
resolve_index (const ReelTensordict *td, gint *dim, gint64 *index, GError **error)
{
  if (!reel_dim_resolve (dim, td->ndim, error))
    return FALSE;
  return td->batch_size[*dim] < 0 || reel_index_resolve (index, *dim, td->batch_size[*dim], error);
}

/* ---- select ---- */

static ReelTensor *
select_leaf (ReelTensor *tensor, gconstpointer data, GError **error)
{
  const Args *args = data;

  return reel_tensor_select (tensor, args->dim, args->begin, error);
}

static void
select_batch (ReelBatch *batch, gconstpointer data)
{
  const Args *args = data;

  batch->ndim--;
  for (gint i = args->dim; i < batch->ndim; i++)
    {
      batch->shape[i] = batch->shape[i + 1];
      batch->names[i] = batch->names[i + 1];
    }
}

static ReelTensordict *
select_lazy (const ReelTensordict *td, gconstpointer data, GError **error)
{
  const Args *args = data;

  return reel_lazy_stack_select (td, args->dim, args->begin, error);
}

static const ReelShapeChange select_change = { select_leaf, select_batch, select_lazy };

ReelTensordict *
reel_tensordict_select_index (ReelTensordict *td, gint dim, gint64 index, GError **error)
{
  if (!resolve_index (td, &dim, &index, error))
    return NULL;
  const Args args = { .dim = dim, .begin = index };
  return reel_tensordict_change (td, &select_change, &args, error);
}

/* ---- slice ---- */

static ReelTensor *
slice_leaf (ReelTensor *tensor, gconstpointer data, GError **error)
{
  const Args *args = data;

  return reel_tensor_slice (tensor, args->dim, args->begin, args->end, args->step, error);
}

static void
slice_batch (ReelBatch *batch, gconstpointer data)
{
  const Args *args = data;
  gint64 *extent = &batch->shape[args->dim];
  gint64 begin = args->begin;

  reel_slice_resolve (&begin, args->end, args->step, *extent, extent, NULL);
}

static ReelTensordict *
slice_lazy (const ReelTensordict *td, gconstpointer data, GError **error)
{
  const Args *args = data;

  return reel_lazy_stack_slice (td, args->dim, args->begin, args->end, args->step, error);
}

static const ReelShapeChange slice_change = { slice_leaf, slice_batch, slice_lazy };

ReelTensordict *
reel_tensordict_slice (ReelTensordict *td, gint dim, gint64 begin, gint64 end, gint64 step,
                       GError **error)
{
  gint64 count;
  gint64 first = begin;

  if (!reel_dim_resolve (&dim, td->ndim, error)
      || !reel_slice_resolve (&first, end, step, MAX (td->batch_size[dim], 0), &count, error))
    return NULL;
  const Args args = { .dim = dim, .begin = begin, .end = end, .step = step };
  return reel_tensordict_change (td, &slice_change, &args, error);
}

/* ---- transpose ---- */

/* For each batch dimension of the result, which it was; dimensions beyond stay. */
typedef struct
{
  gint n;
  gint dims[REEL_MAX_NDIM];
} Order;

static ReelTensor *
permute_leaf (ReelTensor *tensor, gconstpointer data, GError **error)
{
  const Order *order = data;
  gint dims[REEL_MAX_NDIM];

  for (gint i = 0; i < tensor->ndim; i++)
    dims[i] = i < order->n ? order->dims[i] : i;
  return reel_tensor_permute (tensor, dims, error);
}

static void
permute_batch (ReelBatch *batch, gconstpointer data)
{
  const Order *order = data;
  ReelBatch before = *batch;

  for (gint i = 0; i < order->n; i++)
    {
      batch->shape[i] = before.shape[order->dims[i]];
      batch->names[i] = before.names[order->dims[i]];
    }
}

static ReelTensordict *permute_lazy (const ReelTensordict *td, gconstpointer data, GError **error);

static const ReelShapeChange permute_change = { permute_leaf, permute_batch, permute_lazy };

static ReelTensordict *
permute_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Order *order = data;

  for (gint i = 0; i < order->n; i++)
    if (order->dims[i] != i)
      return reel_tensordict_change (element, &permute_change, order, error);
  return reel_tensordict_ref (element);
}

static ReelTensordict *
permute_lazy (const ReelTensordict *td, gconstpointer data, GError **error)
{
  const Order *order = data;
  Order below = { 0 };
  gint dim = td->stack_dim;

  for (gint i = 0; i < order->n; i++)
    if (order->dims[i] == td->stack_dim)
      dim = i;
    else
      below.dims[below.n++] = order->dims[i] - (order->dims[i] > td->stack_dim);
  return reel_lazy_stack_map (td, dim, permute_element, &below, error);
}

ReelTensordict *
reel_tensordict_transpose (ReelTensordict *td, gint dim0, gint dim1, GError **error)
{
  Order order = { .n = td->ndim };

  if (!reel_dim_resolve (&dim0, td->ndim, error) || !reel_dim_resolve (&dim1, td->ndim, error))
    return NULL;
  for (gint i = 0; i < td->ndim; i++)
    order.dims[i] = i == dim0 ? dim1 : i == dim1 ? dim0 : i;
  return reel_tensordict_change (td, &permute_change, &order, error);
}

/* ---- gather ---- */

static ReelTensor *
gather_leaf (ReelTensor *tensor, gconstpointer data, GError **error)
{
  const Args *args = data;

  return reel_tensor_gather_rows (tensor, args->rows, args->n_rows, error);
}

static void
gather_batch (ReelBatch *batch, gconstpointer data)
{
  const Args *args = data;

  batch->shape[0] = (gint64) args->n_rows;
}

static ReelTensordict *
gather_lazy (const ReelTensordict *td, gconstpointer data, GError **error)
{
  const Args *args = data;

  return reel_lazy_stack_gather_rows (td, args->rows, args->n_rows, error);
}

static const ReelShapeChange gather_change = { gather_leaf, gather_batch, gather_lazy };

ReelTensordict *
reel_tensordict_gather_rows (const ReelTensordict *td, const gint64 *rows, gsize n, GError **error)
{
  gint dim = 0;

  if (!reel_dim_resolve (&dim, td->ndim, error))
    return NULL;
  /* Checked here too, because a tensordict without leaves has nobody else to do it. */
  for (gsize i = 0; i < n; i++)
    {
      gint64 row = rows[i];
      if (!resolve_index (td, &dim, &row, error))
        return NULL;
    }
  const Args args = { .rows = rows, .n_rows = n };
  return reel_tensordict_change (td, &gather_change, &args, error);
}

/* ---- clone ---- */

static ReelTensor *
clone_leaf (ReelTensor *tensor, gconstpointer data, GError **error)
{
  return reel_tensor_clone (tensor, error);
}

static ReelTensor *
share_leaf (ReelTensor *tensor, gconstpointer data, GError **error)
{
  return reel_tensor_ref (tensor);
}

static void
keep_batch (ReelBatch *batch, gconstpointer data)
{
}

static ReelTensordict *
clone_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  return reel_tensordict_change (element, data, data, error);
}

/* What is given to the functions is the change itself. */
static ReelTensordict *
clone_lazy (const ReelTensordict *td, gconstpointer data, GError **error)
{
  return reel_lazy_stack_map (td, td->stack_dim, clone_element, data, error);
}

static const ReelShapeChange clone_change = { clone_leaf, keep_batch, clone_lazy };
static const ReelShapeChange share_change = { share_leaf, keep_batch, clone_lazy };

ReelTensordict *
reel_tensordict_clone (const ReelTensordict *td, gboolean recurse, GError **error)
{
  const ReelShapeChange *change = recurse ? &clone_change : &share_change;

  return reel_tensordict_change (td, change, change, error);
}
