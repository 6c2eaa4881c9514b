#include "tensor-private.h"

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

static void
remove_dim (ReelTensor *tensor, gint dim)
{
  for (gint i = dim; i + 1 < tensor->ndim; i++)
    {
      tensor->shape[i] = tensor->shape[i + 1];
      tensor->strides[i] = tensor->strides[i + 1];
    }
  tensor->ndim--;
}

ReelTensor *
reel_tensor_select (ReelTensor *tensor, gint dim, gint64 index, GError **error)
{
  if (!reel_dim_resolve (&dim, tensor->ndim, error)
      || !reel_index_resolve (&index, dim, tensor->shape[dim], error))
    return NULL;

  ReelTensor view = *tensor;
  if (view.data)
    view.data += index * view.strides[dim];
  remove_dim (&view, dim);
  return reel_tensor_new_like (&view);
}

ReelTensor *
reel_tensor_slice (ReelTensor *tensor, gint dim, gint64 begin, gint64 end, gint64 step,
                   GError **error)
{
  gint64 count;

  if (!reel_dim_resolve (&dim, tensor->ndim, error)
      || !reel_slice_resolve (&begin, end, step, tensor->shape[dim], &count, error))
    return NULL;

  ReelTensor view = *tensor;
  /* An empty view keeps the pointer of its source, which may not move past the memory's end. */
  if (count > 0 && view.data)
    view.data += begin * view.strides[dim];
  view.shape[dim] = count;
  if (count > 1)
    view.strides[dim] *= step;
  return reel_tensor_new_like (&view);
}

ReelTensor *
reel_tensor_permute (ReelTensor *tensor, const gint *dims, GError **error)
{
  ReelTensor view = *tensor;
  guint32 seen = 0;

  for (gint i = 0; i < tensor->ndim; i++)
    {
      if (dims[i] < 0 || dims[i] >= tensor->ndim || seen >> dims[i] & 1)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "dimension %d stands out of range or twice in a permutation of %d", dims[i],
                       tensor->ndim);
          return NULL;
        }
      seen |= 1u << dims[i];
      view.shape[i] = tensor->shape[dims[i]];
      view.strides[i] = tensor->strides[dims[i]];
    }
  return reel_tensor_new_like (&view);
}

ReelTensor *
reel_tensor_transpose (ReelTensor *tensor, gint dim0, gint dim1, GError **error)
{
  gint dims[REEL_MAX_NDIM];

  if (!reel_dim_resolve (&dim0, tensor->ndim, error)
      || !reel_dim_resolve (&dim1, tensor->ndim, error))
    return NULL;
  for (gint i = 0; i < tensor->ndim; i++)
    dims[i] = i == dim0 ? dim1 : i == dim1 ? dim0 : i;
  return reel_tensor_permute (tensor, dims, error);
}

ReelTensor *
reel_tensor_unsqueeze (ReelTensor *tensor, gint dim, GError **error)
{
  gint ndim = tensor->ndim + 1;

  if (!reel_dim_resolve (&dim, ndim, error))
    return NULL;
  if (ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "a tensor of %d dimensions can have no more", tensor->ndim);
      return NULL;
    }
  ReelTensor view = *tensor;
  view.ndim = ndim;
  for (gint i = ndim - 1; i > dim; i--)
    {
      view.shape[i] = tensor->shape[i - 1];
      view.strides[i] = tensor->strides[i - 1];
    }
  view.shape[dim] = 1;
  view.strides[dim] = reel_dtype_size (tensor->dtype);
  if (dim + 1 < ndim)
    view.strides[dim] = view.shape[dim + 1] * view.strides[dim + 1];
  return reel_tensor_new_like (&view);
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

ReelTensor *
reel_tensor_expand (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor view;

  if (!reel_tensor_broadcast (tensor, ndim, shape, &view, error))
    return NULL;
  return reel_tensor_new_like (&view);
}

/* The shape with its −1, if it has one, replaced by what the element count leaves for it. */
static gboolean
infer_shape (gint64 numel, gint ndim, const gint64 *shape, gint64 *inferred)
{
  gint64 known = 1;
  gint unknown = -1;

  if (ndim < 0 || ndim > REEL_MAX_NDIM)
    return FALSE;
  for (gint i = 0; i < ndim; i++)
    {
      inferred[i] = shape[i];
      if (shape[i] == -1 && unknown < 0)
        unknown = i;
      else if (shape[i] < 0 || __builtin_mul_overflow (known, shape[i], &known))
        return FALSE;
    }
  if (unknown < 0)
    return known == numel;
  if (known == 0 || numel % known != 0)
    return FALSE;
  inferred[unknown] = numel / known;
  return TRUE;
}

/*
 * Finds the strides that show @tensor with the shape of @view. Neighbouring dimensions that lie
 * end to end form a chunk; each chunk must be made of whole dimensions of the view. After PyTorch's
 * computeStride().
 */
static gboolean
find_view_strides (const ReelTensor *tensor, ReelTensor *view)
{
  gint64 base = reel_dtype_size (tensor->dtype);
  gint at = view->ndim - 1;
  gint64 chunk = 1, filled = 1;

  for (gint dim = tensor->ndim - 1; dim >= 0; dim--)
    {
      if (chunk == 1)
        base = tensor->strides[dim];
      chunk *= tensor->shape[dim];
      gboolean joins = dim > 0
                       && (tensor->shape[dim - 1] == 1 || chunk == 1
                           || tensor->strides[dim - 1] == chunk * base);
      if (joins)
        continue;
      for (; at >= 0 && (filled < chunk || view->shape[at] == 1); at--)
        {
          view->strides[at] = filled * base;
          filled *= view->shape[at];
        }
      if (filled != chunk)
        return FALSE;
      chunk = filled = 1;
    }
  for (; at >= 0 && view->shape[at] == 1; at--)
    view->strides[at] = base;
  return at < 0;
}

ReelTensor *
reel_tensor_view (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  gint64 numel = reel_tensor_numel (tensor);
  gsize item_size = reel_dtype_size (tensor->dtype);
  ReelTensor view = *tensor;

  view.ndim = ndim;
  gboolean fits = infer_shape (numel, ndim, shape, view.shape)
                  && reel_shape_check (ndim, view.shape, item_size, NULL);
  if (fits && numel == 0)
    reel_shape_strides (ndim, view.shape, item_size, view.strides);
  else if (fits)
    fits = find_view_strides (tensor, &view);
  if (!fits)
    {
      g_autofree char *from = reel_shape_to_string (tensor->ndim, tensor->shape);
      g_autofree char *to = reel_shape_to_string (CLAMP (ndim, 0, REEL_MAX_NDIM), shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "a %stensor of shape %s cannot be viewed as %s",
                   reel_tensor_is_contiguous (tensor) ? "" : "strided ", from, to);
      return NULL;
    }
  return reel_tensor_new_like (&view);
}
