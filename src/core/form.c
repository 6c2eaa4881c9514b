#include "form.h"

#include <string.h>

void
reel_form_init (ReelForm *form, const ReelTensor *tensor)
{
  form->view = *tensor;
  memset (form->names, 0, sizeof form->names);
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
