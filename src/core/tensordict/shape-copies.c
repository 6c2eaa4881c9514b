/* Changes of shape that copy. */
#include "shape-operation.h"

#include <string.h>

/* ---- copies of the same shape ---- */

static gboolean
keep_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  return TRUE;
}

static ReelTensor *
share_copy (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  return reel_tensor_ref (tensor);
}

const ReelShapeOperation reel_shape_share = { keep_form, share_copy, reel_lazy_stack_share };

static ReelTensor *
clone_copy (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  return reel_tensor_clone (tensor, error);
}

const ReelShapeOperation reel_shape_clone = { keep_form, clone_copy, reel_lazy_stack_clone };

/* ---- by an index ---- */

static gboolean
index_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  return reel_index_plan_form (args->plan, form, error);
}

static ReelTensor *
index_copy (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  return reel_index_plan_get (args->plan, tensor, error);
}

const ReelShapeOperation reel_shape_index = { index_form, index_copy, NULL };

/* An index of as many dimensions as there were, which keep their names. */
static gboolean
take_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  ReelForm from = *form;

  if (!reel_index_plan_form (args->plan, form, error))
    return FALSE;
  memcpy (form->names, from.names, sizeof form->names);
  return TRUE;
}

const ReelShapeOperation reel_shape_take = { take_form, index_copy, NULL };

/* ---- padding ---- */

static gboolean
pad_form (ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  ReelTensor *view = &form->view;

  if (args->n_shape % 2 != 0 || args->n_shape > 2 * args->n_dims)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "pad_size must have an even number of dimensions, at most 2 * the number of "
                   "batch dimensions, which is %d, not %d",
                   2 * args->n_dims, args->n_shape);
      return FALSE;
    }
  for (gint dim = 0; dim < args->n_shape / 2; dim++)
    {
      const gint64 *pads = args->shape + 2 * dim;
      gint64 extent = view->shape[dim];
      if (__builtin_add_overflow (extent, pads[0], &extent)
          || __builtin_add_overflow (extent, pads[1], &extent) || extent < 0
          || pads[0] < -view->shape[dim] || pads[1] < -view->shape[dim])
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Pad (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                       ") on dim %d of size %" G_GINT64_FORMAT " would produce no size",
                       pads[0], pads[1], dim, view->shape[dim]);
          return FALSE;
        }
      view->shape[dim] = extent;
    }
  memset (form->names, 0, sizeof form->names);
  return reel_shape_check (view->ndim, view->shape, reel_dtype_size (view->dtype), error);
}

/* The parts of @from and @to that show the same elements. */
static void
cut_pads (const ReelShapeArgs *args, ReelTensor *from, ReelTensor *to)
{
  for (gint dim = 0; dim < args->n_shape / 2; dim++)
    {
      const gint64 *pads = args->shape + 2 * dim;
      gint64 begin = MAX (-pads[0], 0), end = from->shape[dim] - MAX (-pads[1], 0);
      from->data += begin * from->strides[dim];
      to->data += MAX (pads[0], 0) * to->strides[dim];
      from->shape[dim] = to->shape[dim] = MAX (end - begin, 0);
    }
}

static ReelTensor *
pad_copy (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  double value = args->is_which ? -1 : args->value;
  ReelTensor *result = reel_tensor_new (tensor->dtype, tensor->ndim, form->view.shape, error);

  if (!result || reel_tensor_numel (result) == 0)
    return result;
  /* New memory is zero already. */
  if (value != 0)
    reel_tensor_fill_unchecked (result, value);
  if (reel_tensor_numel (tensor) > 0)
    {
      ReelTensor from = *tensor, to = *result;
      cut_pads (args, &from, &to);
      reel_tensor_copy_unchecked (&to, &from);
    }
  return result;
}

const ReelShapeOperation reel_shape_pad = { pad_form, pad_copy, NULL };

/* ---- filling ---- */

static gboolean
fill (const ReelTensor *tensor, const ReelShapeArgs *args, GError **error)
{
  guint8 element[REEL_MAX_ELEMENT_SIZE];
  ReelTensor scalar = { .dtype = tensor->dtype, .data = element };
  ReelTensor value;

  reel_element_from_double (tensor->dtype, element, args->value);
  return reel_index_plan_broadcast (args->plan, tensor, &scalar, &value, error)
         && reel_index_plan_set (args->plan, tensor, &value, error);
}

static ReelTensor *
fill_copy (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  if (args->is_which)
    return reel_tensor_ref (tensor);

  g_autoptr (ReelTensor) result = reel_tensor_clone (tensor, error);
  return result && fill (result, args, error) ? g_steal_pointer (&result) : NULL;
}

const ReelShapeOperation reel_shape_masked_fill = { keep_form, fill_copy, reel_lazy_stack_fill };

static ReelTensor *
fill_in_place (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args, GError **error)
{
  if (!args->is_which && !fill (tensor, args, error))
    return NULL;
  return reel_tensor_ref (tensor);
}

const ReelShapeOperation reel_shape_masked_fill_in_place = { keep_form, fill_in_place,
                                                             reel_lazy_stack_fill_in_place };

/* ---- tensors ---- */

static ReelTensor *
copy_in_order (const ReelTensor *tensor, const ReelForm *form, GError **error)
{
  ReelTensor *result = reel_tensor_new (tensor->dtype, form->view.ndim, form->view.shape, error);
  ReelTensor same = *tensor;

  if (!result)
    return NULL;
  reel_shape_strides (same.ndim, same.shape, reel_dtype_size (same.dtype), same.strides);
  same.data = result->data;
  reel_tensor_copy_unchecked (&same, tensor);
  return result;
}

ReelTensor *
reel_tensor_change_by (ReelTensorMaker *maker, ReelTensor *tensor,
                       const ReelShapeOperation *operation, const ReelShapeArgs *args,
                       GError **error)
{
  ReelForm form;

  reel_form_init (&form, tensor);
  if (!operation->form (&form, args, error))
    return NULL;
  if (operation->copy)
    return operation->copy (tensor, &form, args, error);
  if (form.scattered)
    return copy_in_order (tensor, &form, error);
  return maker ? reel_tensor_maker_add (maker, &form.view) : reel_tensor_new_like (&form.view);
}

ReelTensor *
reel_tensor_change (ReelTensor *tensor, const ReelShapeOperation *operation,
                    const ReelShapeArgs *args, GError **error)
{
  return reel_tensor_change_by (NULL, tensor, operation, args, error);
}
