/* Changes of shape of single tensors. */
#include "shape-operation.h"
#include "shape.h"

/* ---- views ---- */

static ReelTensor *
change (ReelTensor *tensor, const ReelShapeOperation *operation, ReelShapeArgs args, GError **error)
{
  args.n_dims = tensor->ndim;
  return reel_tensor_change (tensor, operation, &args, error);
}

ReelTensor *
reel_tensor_select (ReelTensor *tensor, gint dim, gint64 index, GError **error)
{
  return change (tensor, &reel_shape_select, (ReelShapeArgs){ .dim = dim, .begin = index }, error);
}

ReelTensor *
reel_tensor_slice (ReelTensor *tensor, gint dim, gint64 begin, gint64 end, gint64 step,
                   GError **error)
{
  const ReelShapeArgs args = { .dim = dim, .begin = begin, .end = end, .step = step };

  return change (tensor, &reel_shape_slice, args, error);
}

ReelTensor *
reel_tensor_permute (ReelTensor *tensor, const gint *dims, GError **error)
{
  return change (tensor, &reel_shape_permute, (ReelShapeArgs){ .order = dims }, error);
}

ReelTensor *
reel_tensor_transpose (ReelTensor *tensor, gint dim0, gint dim1, GError **error)
{
  return change (tensor, &reel_shape_transpose, (ReelShapeArgs){ .dim = dim0, .dim1 = dim1 },
                 error);
}

ReelTensor *
reel_tensor_unsqueeze (ReelTensor *tensor, gint dim, GError **error)
{
  return change (tensor, &reel_shape_unsqueeze, (ReelShapeArgs){ .dim = dim }, error);
}

ReelTensor *
reel_tensor_squeeze (ReelTensor *tensor, gint dim, GError **error)
{
  return change (tensor, &reel_shape_squeeze, (ReelShapeArgs){ .dim = dim }, error);
}

ReelTensor *
reel_tensor_squeeze_all (ReelTensor *tensor)
{
  return change (tensor, &reel_shape_squeeze_all, (ReelShapeArgs){ 0 }, NULL);
}

ReelTensor *
reel_tensor_expand (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  return change (tensor, &reel_shape_expand, (ReelShapeArgs){ .n_shape = ndim, .shape = shape },
                 error);
}

ReelTensor *
reel_tensor_view (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  return change (tensor, &reel_shape_view, (ReelShapeArgs){ .n_shape = ndim, .shape = shape },
                 error);
}

ReelTensor *
reel_tensor_reshape (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  return change (tensor, &reel_shape_reshape, (ReelShapeArgs){ .n_shape = ndim, .shape = shape },
                 error);
}

ReelTensor *
reel_tensor_flatten (ReelTensor *tensor, gint first, gint last, GError **error)
{
  return change (tensor, &reel_shape_flatten, (ReelShapeArgs){ .dim = first, .dim1 = last }, error);
}

ReelTensor *
reel_tensor_unflatten (ReelTensor *tensor, gint dim, gint ndim, const gint64 *shape, GError **error)
{
  const ReelShapeArgs args = { .dim = dim, .n_shape = ndim, .shape = shape };

  return change (tensor, &reel_shape_unflatten, args, error);
}

/* ---- copies ---- */

ReelTensor *
reel_tensor_pad (ReelTensor *tensor, gint n_pads, const gint64 *pads, double value, GError **error)
{
  const ReelShapeArgs args = { .n_shape = n_pads, .shape = pads, .value = value };

  return change (tensor, &reel_shape_pad, args, error);
}
