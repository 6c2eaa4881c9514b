/* How lazy stacks follow changes of shape: the elements are changed, and the stack's dimension
 * moves along. Elements may differ in an extent, and then check for themselves. */
#include "lazy-stack-private.h"

/* ---- elements ---- */

typedef struct
{
  const ReelShapeOperation *operation;
  const ReelShapeArgs *args;
} Change;

static ReelTensordict *
change_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Change *change = data;

  return reel_tensordict_change (element, change->operation, change->args, error);
}

ReelTensordict *
reel_lazy_stack_change (const ReelTensordict *td, gint dim, const ReelShapeOperation *operation,
                        const ReelShapeArgs *args, GError **error)
{
  const Change change = { operation, args };

  return reel_lazy_stack_map (td, dim, change_element, &change, error);
}

/* The same for elements, of which one dimension less is changed: @dim as they count it. */
static ReelShapeArgs
args_below (const ReelTensordict *td, const ReelShapeArgs *args, gint dim)
{
  ReelShapeArgs below = *args;

  below.n_dims--;
  below.dim = dim < td->stack_dim ? dim : dim - 1;
  return below;
}

ReelTensordict *
reel_lazy_stack_new_part (const ReelTensordict *td, const GPtrArray *elements, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];

  if (elements->len > 0)
    return reel_lazy_stack_new_like (td, (ReelTensordict *const *) elements->pdata, elements->len,
                                     td->stack_dim, error);
  for (gint i = 0; i < td->ndim; i++)
    shape[i] = i == td->stack_dim ? 0 : MAX (td->batch_size[i], 0);
  ReelTensordict *empty = reel_tensordict_new_like (td, td->ndim, shape);
  reel_tensordict_copy_names (empty, (const char *const *) td->names);
  return empty;
}

/* ---- operations ---- */

static ReelTensordict *
keep (const ReelTensordict *td, const ReelShapeArgs *args, const ReelShapeOperation *operation,
      GError **error)
{
  const ReelShapeArgs below = args_below (td, args, 0);

  return reel_lazy_stack_change (td, td->stack_dim, operation, &below, error);
}

ReelTensordict *
reel_lazy_stack_share (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  return keep (td, args, &reel_shape_share, error);
}

ReelTensordict *
reel_lazy_stack_clone (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  return keep (td, args, &reel_shape_clone, error);
}

ReelTensordict *
reel_lazy_stack_select (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  gint64 index = args->begin;
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims, error))
    return NULL;
  if (dim == td->stack_dim)
    return reel_index_resolve (&index, dim, td->elements->len, error)
               ? reel_tensordict_ref (td->elements->pdata[index])
               : NULL;
  const ReelShapeArgs below = args_below (td, args, dim);
  return reel_lazy_stack_change (td, td->stack_dim - (dim < td->stack_dim), &reel_shape_select,
                                 &below, error);
}

ReelTensordict *
reel_lazy_stack_slice (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  g_autoptr (GPtrArray) elements = g_ptr_array_new ();
  gint64 count, begin = args->begin;
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims, error))
    return NULL;
  if (dim != td->stack_dim)
    {
      const ReelShapeArgs below = args_below (td, args, dim);
      return reel_lazy_stack_change (td, td->stack_dim, &reel_shape_slice, &below, error);
    }
  if (!reel_slice_resolve (&begin, args->end, args->step, td->elements->len, &count, error))
    return NULL;
  for (gint64 i = 0; i < count; i++)
    g_ptr_array_add (elements, td->elements->pdata[begin + i * args->step]);
  return reel_lazy_stack_new_part (td, elements, error);
}

ReelTensordict *
reel_lazy_stack_permute (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  gint order[REEL_MAX_NDIM];
  ReelShapeArgs below = { .order = order };
  gint dim = td->stack_dim;
  ReelForm form;

  /* For its checks. */
  reel_form_init_batch (&form, td->ndim, td->batch_size);
  if (!reel_shape_permute.form (&form, args, error))
    return NULL;
  for (gint i = 0; i < args->n_dims; i++)
    {
      gint from = args->order[i] < 0 ? args->order[i] + args->n_dims : args->order[i];
      if (from == td->stack_dim)
        dim = i;
      else
        order[below.n_dims++] = from - (from > td->stack_dim);
    }
  for (gint i = 0; i < below.n_dims; i++)
    if (order[i] != i)
      return reel_lazy_stack_change (td, dim, &reel_shape_permute, &below, error);
  return reel_lazy_stack_new_like (td, (ReelTensordict *const *) td->elements->pdata,
                                   td->elements->len, dim, error);
}

ReelTensordict *
reel_lazy_stack_transpose (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  gint order[REEL_MAX_NDIM];
  gint dim = args->dim, dim1 = args->dim1;
  const ReelShapeArgs permutation = { .n_dims = args->n_dims, .order = order };

  if (!reel_dim_resolve (&dim, args->n_dims, error)
      || !reel_dim_resolve (&dim1, args->n_dims, error))
    return NULL;
  for (gint i = 0; i < args->n_dims; i++)
    order[i] = i == dim ? dim1 : i == dim1 ? dim : i;
  return reel_lazy_stack_permute (td, &permutation, error);
}

ReelTensordict *
reel_lazy_stack_unsqueeze (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims + 1, error))
    return NULL;
  ReelShapeArgs below = *args;
  below.n_dims--;
  below.dim = dim <= td->stack_dim ? dim : dim - 1;
  return reel_lazy_stack_change (td, td->stack_dim + (dim <= td->stack_dim), &reel_shape_unsqueeze,
                                 &below, error);
}

ReelTensordict *
reel_lazy_stack_squeeze (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  gint dim = args->dim;

  if (!reel_dim_resolve (&dim, args->n_dims, error))
    return NULL;
  if (td->batch_size[dim] != 1)
    return reel_lazy_stack_share (td, args, error);
  ReelShapeArgs first = *args;
  first.dim = dim;
  first.begin = 0;
  return reel_lazy_stack_select (td, &first, error);
}

/* ---- filling ---- */

static ReelTensordict *
fill (const ReelTensordict *td, const ReelShapeArgs *args, const ReelShapeOperation *operation,
      GError **error)
{
  g_autoptr (GPtrArray) elements =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  gboolean same = args->mask->ndim <= td->stack_dim;

  for (guint i = 0; i < td->elements->len; i++)
    {
      g_autoptr (ReelTensor) mask =
          same ? reel_tensor_ref (args->mask)
               : reel_tensor_select (args->mask, td->stack_dim, (gint64) i, error);
      ReelTensordict *element =
          mask ? reel_tensordict_fill_under (td->elements->pdata[i], args->n_dims - 1, operation,
                                             mask, args->value, error)
               : NULL;
      if (!element)
        return NULL;
      g_ptr_array_add (elements, element);
    }
  return reel_lazy_stack_new_like (td, (ReelTensordict *const *) elements->pdata, elements->len,
                                   td->stack_dim, error);
}

ReelTensordict *
reel_lazy_stack_fill (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  return fill (td, args, &reel_shape_masked_fill, error);
}

ReelTensordict *
reel_lazy_stack_fill_in_place (const ReelTensordict *td, const ReelShapeArgs *args, GError **error)
{
  return fill (td, args, &reel_shape_masked_fill_in_place, error);
}
