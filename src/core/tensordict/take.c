#include "take.h"

#include "../tensor/tensor-private.h"

/* ---- repeats ---- */

static gboolean
check_repeats (gsize n, const gint64 *repeats, gint64 extent, gint64 *sum, GError **error)
{
  *sum = 0;
  if (n != 1 && (gint64) n != extent)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "repeats must have the same size as input along dim, but got %" G_GSIZE_FORMAT
                   " repeats for a size of %" G_GINT64_FORMAT,
                   n, extent);
      return FALSE;
    }
  for (gint64 i = 0; i < extent; i++)
    {
      gint64 count = repeats[n == 1 ? 0 : i];
      if (count < 0 || __builtin_add_overflow (*sum, count, sum))
        {
          g_set_error (
              error, REEL_ERROR, REEL_ERROR_RUNTIME,
              "Repeats must be non-negative and together below 2^63, not %" G_GINT64_FORMAT, count);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
reel_take_repeats (ReelIndexPlan *plan, gint ndim, const gint64 *shape, gint dim, gsize n,
                   const gint64 *repeats, GError **error)
{
  gint64 sum, at = 0;

  *plan = (ReelIndexPlan){ 0 };
  if (!reel_dim_resolve (&dim, ndim, error) || !check_repeats (n, repeats, shape[dim], &sum, error))
    return FALSE;
  g_autoptr (ReelTensor) column = reel_tensor_new (REEL_DTYPE_INT64, 1, &sum, error);
  if (!column)
    return FALSE;
  for (gint64 i = 0; i < shape[dim]; i++)
    for (gint64 left = repeats[n == 1 ? 0 : i]; left > 0; left--)
      ((gint64 *) column->data)[at++] = i;
  return reel_index_plan_init_column (plan, dim, column, ndim, shape, error);
}

/* ---- rolls ---- */

gboolean
reel_take_rolled (ReelIndexPlan *plan, gint ndim, const gint64 *shape, gint dim, gint64 shift,
                  GError **error)
{
  *plan = (ReelIndexPlan){ 0 };
  if (!reel_dim_resolve (&dim, ndim, error))
    return FALSE;
  gint64 extent = shape[dim];
  g_autoptr (ReelTensor) column = reel_tensor_new (REEL_DTYPE_INT64, 1, &extent, error);
  if (!column)
    return FALSE;
  gint64 from = extent > 0 ? extent - (shift % extent + extent) % extent : 0;
  for (gint64 i = 0; i < extent; i++, from++)
    ((gint64 *) column->data)[i] = from % extent;
  return reel_index_plan_init_column (plan, dim, column, ndim, shape, error);
}

/* ---- gathers ---- */

/* @index with as many dimensions as there are, and their extents but in @dim. */
static ReelTensor *
widen_index (ReelTensor *index, gint ndim, const gint64 *shape, gint dim, GError **error)
{
  g_autoptr (ReelTensor) wide = reel_tensor_ref (index);
  gint64 extents[REEL_MAX_NDIM];

  while (wide && wide->ndim < ndim)
    {
      ReelTensor *wider = reel_tensor_unsqueeze (wide, -1, error);
      reel_tensor_unref (wide);
      wide = wider;
    }
  for (gint i = 0; wide && i < ndim; i++)
    extents[i] = i == dim ? wide->shape[i] : shape[i];
  return wide ? reel_tensor_expand (wide, ndim, extents, error) : NULL;
}

/* 0, 1, 2 … along one dimension of several. */
static ReelTensor *
new_counter (gint64 extent, gint dim, gint ndim, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];

  for (gint i = 0; i < ndim; i++)
    shape[i] = i == dim ? extent : 1;
  ReelTensor *counter = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, error);
  for (gint64 i = 0; counter && i < extent; i++)
    ((gint64 *) counter->data)[i] = i;
  return counter;
}

static gboolean
check_gather (gint ndim, const gint64 *shape, gint dim, const ReelTensor *index, GError **error)
{
  if (dim < -ndim || dim >= ndim)
    {
      g_autofree char *text = reel_shape_to_string (ndim, shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Cannot gather tensordict with shape %s along dim %d.", text, dim);
      return FALSE;
    }
  if (reel_tensor_numel (index) == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot use torch.gather with an empty index");
      return FALSE;
    }
  if (index->ndim > ndim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Cannot gather %d dimensions by an index of %d", ndim, index->ndim);
      return FALSE;
    }
  if (index->dtype != REEL_DTYPE_INT64 && index->dtype != REEL_DTYPE_INT32)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "gather expects an index of int64 or int32, not %s",
                   reel_dtype_name (index->dtype));
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_take_gathered (ReelIndexPlan *plan, gint ndim, const gint64 *shape, gint dim,
                    ReelTensor *index, GError **error)
{
  g_auto (ReelIndex) items = REEL_INDEX_INIT;

  *plan = (ReelIndexPlan){ 0 };
  if (!check_gather (ndim, shape, dim, index, error))
    return FALSE;
  dim = dim < 0 ? dim + ndim : dim;
  g_autoptr (ReelTensor) wide = widen_index (index, ndim, shape, dim, error);
  for (gint i = 0; wide && i < ndim; i++)
    {
      g_autoptr (ReelTensor) column =
          i == dim ? reel_tensor_ref (wide) : new_counter (shape[i], i, ndim, error);
      if (!column)
        return FALSE;
      reel_index_add_tensor (&items, column);
    }
  return wide && reel_index_plan_init (plan, &items, ndim, shape, error);
}
