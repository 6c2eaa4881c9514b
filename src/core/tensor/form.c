#include "form.h"

#include <string.h>

void
reel_form_init (ReelForm *form, const ReelTensor *tensor)
{
  reel_tensor_copy_fields (&form->view, tensor);
  for (gint i = 0; i < tensor->ndim; i++)
    form->names[i] = NULL;
  form->scattered = FALSE;
}

void
reel_form_init_batch (ReelForm *form, gint ndim, const gint64 *shape)
{
  *form = (ReelForm){ .view = { .dtype = REEL_DTYPE_UINT8, .ndim = ndim } };
  memcpy (form->view.shape, shape, ndim * sizeof *shape);
  reel_shape_strides (ndim, shape, 1, form->view.strides);
}

void
reel_form_move (ReelForm *form, gint dim, gint64 index)
{
  /* A view without elements keeps its pointer, which may not move past the memory's end. */
  if (form->view.data && reel_tensor_numel (&form->view) > 0)
    form->view.data += index * form->view.strides[dim];
}

void
reel_form_remove (ReelForm *form, gint dim)
{
  gint n = --form->view.ndim - dim;

  memmove (form->view.shape + dim, form->view.shape + dim + 1, n * sizeof form->view.shape[0]);
  memmove (form->view.strides + dim, form->view.strides + dim + 1,
           n * sizeof form->view.strides[0]);
  memmove (form->names + dim, form->names + dim + 1, n * sizeof form->names[0]);
}

void
reel_form_insert (ReelForm *form, gint dim)
{
  ReelTensor *view = &form->view;
  gint n = view->ndim++ - dim;

  memmove (view->shape + dim + 1, view->shape + dim, n * sizeof view->shape[0]);
  memmove (view->strides + dim + 1, view->strides + dim, n * sizeof view->strides[0]);
  memmove (form->names + dim + 1, form->names + dim, n * sizeof form->names[0]);
  view->shape[dim] = 1;
  view->strides[dim] = n > 0 ? view->shape[dim + 1] * view->strides[dim + 1]
                             : (gint64) reel_dtype_size (view->dtype);
  form->names[dim] = NULL;
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

gboolean
reel_form_regroup (ReelForm *form, gint begin, gint end, gint n, const gint64 *shape,
                   GError **error)
{
  ReelForm from = *form;
  ReelTensor *view = &form->view;
  gint rest = from.view.ndim - end;

  view->ndim = begin + n + rest;
  if (view->ndim <= REEL_MAX_NDIM)
    {
      memcpy (view->shape + begin, shape, n * sizeof *shape);
      memcpy (view->shape + begin + n, from.view.shape + end, rest * sizeof *shape);
      memset (form->names + begin, 0, n * sizeof form->names[0]);
      memcpy (form->names + begin + n, from.names + end, rest * sizeof form->names[0]);
    }
  if (!reel_shape_check (view->ndim, view->shape, reel_dtype_size (view->dtype), error))
    return FALSE;
  form->scattered = reel_tensor_numel (view) > 0 && !find_view_strides (&from.view, view);
  if (form->scattered || reel_tensor_numel (view) == 0)
    reel_shape_strides (view->ndim, view->shape, reel_dtype_size (view->dtype), view->strides);
  return TRUE;
}
