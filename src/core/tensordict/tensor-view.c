/* Ranges of dimensions and indices, broadcasts and expansions of tensors. */
#include "shape.h"
#include "../tensor/tensor-private.h"

#include <string.h>

gboolean
reel_dim_resolve (gint *dim, gint ndim, GError **error)
{
  if (*dim < -ndim || *dim >= ndim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "dimension %d is out of range: there are %d dimensions", *dim, ndim);
      return FALSE;
    }
  if (*dim < 0)
    *dim += ndim;
  return TRUE;
}

gboolean
reel_index_resolve (gint64 *index, gint dim, gint64 extent, GError **error)
{
  if (*index < -extent || *index >= extent)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "index %" G_GINT64_FORMAT
                   " is out of bounds for dimension %d with size %" G_GINT64_FORMAT,
                   *index, dim, extent);
      return FALSE;
    }
  if (*index < 0)
    *index += extent;
  return TRUE;
}

static gint64
clamp_bound (gint64 bound, gint64 extent)
{
  if (bound < 0)
    return bound < -extent ? 0 : bound + extent;
  return MIN (bound, extent);
}

gboolean
reel_slice_resolve (gint64 *begin, gint64 end, gint64 step, gint64 extent, gint64 *count,
                    GError **error)
{
  if (step < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the step of a slice must be at least 1, not %" G_GINT64_FORMAT, step);
      return FALSE;
    }
  *begin = clamp_bound (*begin, extent);
  end = clamp_bound (end, extent);
  *count = end > *begin ? (end - *begin - 1) / step + 1 : 0;
  return TRUE;
}

static gboolean
set_expand_error (const ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  g_autofree char *from = reel_shape_to_string (tensor->ndim, tensor->shape);
  g_autofree char *to = reel_shape_to_string (MIN (ndim, REEL_MAX_NDIM), shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "a tensor of shape %s cannot expand to %s",
               from, to);
  return FALSE;
}

gboolean
reel_tensor_broadcast (const ReelTensor *tensor, gint ndim, const gint64 *shape, ReelTensor *view,
                       GError **error)
{
  gint added = ndim - tensor->ndim;

  if (added < 0 || ndim > REEL_MAX_NDIM)
    return set_expand_error (tensor, ndim, shape, error);
  *view = *tensor;
  view->ndim = ndim;
  for (gint i = 0; i < ndim; i++)
    {
      gint64 extent = i < added ? 1 : tensor->shape[i - added];
      if (shape[i] < 0 || (extent != shape[i] && extent != 1))
        return set_expand_error (tensor, ndim, shape, error);
      view->shape[i] = shape[i];
      view->strides[i] = i < added || extent != shape[i] ? 0 : tensor->strides[i - added];
    }
  return reel_shape_check (ndim, shape, reel_dtype_size (tensor->dtype), error);
}

gboolean
reel_tensor_broadcast_right (const ReelTensor *tensor, gint ndim, const gint64 *shape,
                             ReelTensor *view, GError **error)
{
  gboolean fits = tensor->ndim <= ndim && ndim <= REEL_MAX_NDIM;

  *view = *tensor;
  for (gint i = 0; fits && i < ndim; i++)
    {
      gboolean same = i < tensor->ndim && tensor->shape[i] == shape[i];
      fits = same || i >= tensor->ndim || tensor->shape[i] == 1;
      view->shape[i] = shape[i];
      view->strides[i] = same ? tensor->strides[i] : 0;
    }
  view->ndim = ndim;
  if (!fits)
    {
      g_autofree char *found = reel_shape_to_string (tensor->ndim, tensor->shape);
      g_autofree char *expected = reel_shape_to_string (CLAMP (ndim, 0, REEL_MAX_NDIM), shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "tensor shape is incompatible with dest shape, got: tensor.shape=%s, dest=%s",
                   found, expected);
      return FALSE;
    }
  return reel_shape_check (ndim, shape, reel_dtype_size (tensor->dtype), error);
}

ReelTensor *
reel_tensor_expand_as_right (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor view;

  return reel_tensor_broadcast_right (tensor, ndim, shape, &view, error)
             ? reel_tensor_new_like (&view)
             : NULL;
}
