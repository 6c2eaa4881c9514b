/* Changes of shape that give views. */
#include "shape-operation.h"

#include <string.h>

/* ---- one index, some indices ---- */

static gboolean
select_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint dim = args->dim;
  gint64 index = args->begin;

  if (!reel_dim_resolve (&dim, args->n_dims, error)
      || !reel_index_resolve (&index, dim, form->view.shape[dim], error))
    return FALSE;
  reel_form_move (form, dim, index);
  reel_form_remove (form, dim);
  return TRUE;
}

const ReelShapeOperation reel_shape_select = { select_form, NULL, reel_lazy_stack_select };

static gboolean
slice_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint dim = args->dim;
  gint64 begin = args->begin, count;

  if (!reel_dim_resolve (&dim, args->n_dims, error)
      || !reel_slice_resolve (&begin, args->end, args->step, form->view.shape[dim], &count, error))
    return FALSE;
  if (count > 0)
    reel_form_move (form, dim, begin);
  form->view.shape[dim] = count;
  if (count > 1)
    form->view.strides[dim] *= args->step;
  return TRUE;
}

const ReelShapeOperation reel_shape_slice = { slice_form, NULL, reel_lazy_stack_slice };

/* ---- other orders ---- */

static gboolean
permute_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  ReelForm from = *form;
  guint32 seen = 0;

  for (gint i = 0; i < args->n_dims; i++)
    {
      gint dim = args->order[i] < 0 ? args->order[i] + args->n_dims : args->order[i];
      if (dim < 0 || dim >= args->n_dims || seen >> dim & 1)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "dimension %d is out of range or repeated in a permutation of %d",
                       args->order[i], args->n_dims);
          return FALSE;
        }
      seen |= 1u << dim;
      form->view.shape[i] = from.view.shape[dim];
      form->view.strides[i] = from.view.strides[dim];
      form->names[i] = from.names[dim];
    }
  return TRUE;
}

const ReelShapeOperation reel_shape_permute = { permute_form, NULL, reel_lazy_stack_permute };

static gboolean
transpose_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint order[REEL_MAX_NDIM];
  gint dim = args->dim, dim1 = args->dim1;

  if (!reel_dim_resolve (&dim, args->n_dims, error)
      || !reel_dim_resolve (&dim1, args->n_dims, error))
    return FALSE;
  for (gint i = 0; i < args->n_dims; i++)
    order[i] = i == dim ? dim1 : i == dim1 ? dim : i;
  const ReelShapeArgs permutation = { .n_dims = args->n_dims, .order = order };
  return permute_form (form, &permutation, error);
}

const ReelShapeOperation reel_shape_transpose = { transpose_form, NULL, reel_lazy_stack_transpose };

/* ---- dimensions of extent 1 ---- */

static gboolean
unsqueeze_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims + 1, error))
    return FALSE;
  if (form->view.ndim == REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "a tensor of %d dimensions can have no more", REEL_MAX_NDIM);
      return FALSE;
    }
  reel_form_insert (form, dim);
  return TRUE;
}

const ReelShapeOperation reel_shape_unsqueeze = { unsqueeze_form, NULL, reel_lazy_stack_unsqueeze };

static gboolean
squeeze_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims, error))
    return FALSE;
  if (form->view.shape[dim] == 1)
    reel_form_remove (form, dim);
  return TRUE;
}

const ReelShapeOperation reel_shape_squeeze = { squeeze_form, NULL, reel_lazy_stack_squeeze };

static gboolean
squeeze_all_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  for (gint dim = args->n_dims - 1; dim >= 0; dim--)
    if (form->view.shape[dim] == 1)
      reel_form_remove (form, dim);
  return TRUE;
}

const ReelShapeOperation reel_shape_squeeze_all = { squeeze_all_form, NULL, NULL };

static gboolean
set_expand_error (const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  g_autofree char *from = reel_shape_to_string (args->n_dims, form->view.shape);
  g_autofree char *to = reel_shape_to_string (CLAMP (args->n_shape, 0, REEL_MAX_NDIM), args->shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "a tensor of shape %s cannot expand to %s",
               from, to);
  return FALSE;
}

static gboolean
expand_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint added = args->n_shape - args->n_dims;
  ReelTensor *view = &form->view;

  if (added < 0 || view->ndim + added > REEL_MAX_NDIM)
    return set_expand_error (form, args, error);
  for (gint i = 0; i < args->n_shape; i++)
    {
      gint64 extent = i < added ? 1 : view->shape[i - added];
      gboolean keep = i >= added && args->shape[i] == -1;
      if (!keep && (args->shape[i] < 0 || (extent != args->shape[i] && extent != 1)))
        return set_expand_error (form, args, error);
    }
  for (gint i = 0; i < added; i++)
    reel_form_insert (form, 0);
  for (gint i = 0; i < args->n_shape; i++)
    if (i < added || (args->shape[i] != -1 && args->shape[i] != view->shape[i]))
      {
        view->shape[i] = args->shape[i];
        view->strides[i] = 0;
      }
  return reel_shape_check (view->ndim, view->shape, reel_dtype_size (view->dtype), error);
}

const ReelShapeOperation reel_shape_expand = { expand_form, NULL, NULL };

/* ---- dimensions made of others ---- */

static gint64
multiply (gint n, const gint64 *shape)
{
  gint64 product = 1;

  for (gint i = 0; i < n; i++)
    product *= shape[i];
  return product;
}

/* @shape with its −1, if it has one, replaced by what the element count leaves for it. */
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

static gboolean
set_view_error (const ReelForm *form, const ReelShapeArgs *args, const char *kind, GError **error)
{
  g_autofree char *from = reel_shape_to_string (args->n_dims, form->view.shape);
  g_autofree char *to = reel_shape_to_string (CLAMP (args->n_shape, 0, REEL_MAX_NDIM), args->shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "a %stensor of shape %s cannot be viewed as %s", kind, from, to);
  return FALSE;
}

static gboolean
reshape_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint64 numel = multiply (args->n_dims, form->view.shape);
  gint64 shape[REEL_MAX_NDIM];

  if (!infer_shape (numel, args->n_shape, args->shape, shape))
    return set_view_error (form, args, "", error);
  /* A tensordict of this shape keeps its names. */
  if (args->n_shape == args->n_dims
      && memcmp (shape, form->view.shape, args->n_shape * sizeof *shape) == 0)
    return TRUE;
  return reel_form_regroup (form, 0, args->n_dims, args->n_shape, shape, error);
}

const ReelShapeOperation reel_shape_reshape = { reshape_form, NULL, NULL };

static gboolean
view_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  ReelForm from = *form;

  if (!reshape_form (form, args, error))
    return FALSE;
  return !form->scattered || set_view_error (&from, args, "strided ", error);
}

const ReelShapeOperation reel_shape_view = { view_form, NULL, NULL };

static gboolean
flatten_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint begin = args->dim, end = args->dim1, n = args->n_dims;

  /* As in PyTorch, a scalar has a dimension for this. */
  if (!reel_dim_resolve (&begin, MAX (n, 1), error) || !reel_dim_resolve (&end, MAX (n, 1), error))
    return FALSE;
  if (end < begin)
    {
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_VALUE,
          "The end dimension must be greater or equal to the start dim: %d is less than %d", end,
          begin);
      return FALSE;
    }
  end = MIN (end + 1, n);
  gint64 extent = multiply (end - begin, form->view.shape + begin);
  return reel_form_regroup (form, begin, end, 1, &extent, error);
}

const ReelShapeOperation reel_shape_flatten = { flatten_form, NULL, NULL };

static gboolean
unflatten_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims, error))
    return FALSE;
  const char *name = form->names[dim];
  gint64 extent = form->view.shape[dim];
  if (args->n_shape == 0 || !infer_shape (extent, args->n_shape, args->shape, shape))
    {
      g_autofree char *sizes =
          reel_shape_to_string (CLAMP (args->n_shape, 0, REEL_MAX_NDIM), args->shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "unflatten: Provided sizes %s don't multiply up to the size of dim %d "
                   "(%" G_GINT64_FORMAT ") in the input tensor",
                   sizes, dim, extent);
      return FALSE;
    }
  if (!reel_form_regroup (form, dim, dim + 1, args->n_shape, shape, error))
    return FALSE;
  form->names[dim + args->n_shape - 1] = name;
  return TRUE;
}

const ReelShapeOperation reel_shape_unflatten = { unflatten_form, NULL, NULL };
