/* How lazy stacks follow changes of shape: the elements are changed, and the stack's dimension
 * moves along. Elements may differ in an extent, and then check for themselves. */
#include "lazy-stack-private.h"

#include <string.h>

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

/* A part of the elements. Without any, nothing says which keys there are. */
static ReelTensordict *
new_part (const ReelTensordict *td, GPtrArray *elements, GError **error)
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
  return new_part (td, elements, error);
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

/* ---- indices ---- */

/* How many dimensions an item gives, where it is the only tensor, or −1 for a mask over none or
 * several dimensions. */
static gint
count_given (const ReelIndexItem *item)
{
  if (item->kind != REEL_INDEX_TENSOR)
    return item->kind != REEL_INDEX_INT;
  if (item->tensor->dtype != REEL_DTYPE_BOOL && item->tensor->dtype != REEL_DTYPE_UINT8)
    return item->tensor->ndim;
  return item->tensor->ndim == 1 ? 1 : -1;
}

/* Whether an index goes dimension by dimension, and with one tensor at most. */
static gboolean
is_simple (const ReelTensordict *td, const ReelIndex *index, gint *rest)
{
  gint tensors = 0, ellipses = 0;

  *rest = td->ndim;
  for (guint i = 0; i < index->n_items; i++)
    {
      const ReelIndexItem *item = &index->items[i];
      tensors += item->kind == REEL_INDEX_TENSOR;
      ellipses += item->kind == REEL_INDEX_ELLIPSIS;
      *rest -= item->kind != REEL_INDEX_NEW_DIM && item->kind != REEL_INDEX_ELLIPSIS;
      if (count_given (item) < 0)
        return FALSE;
    }
  return tensors <= 1 && ellipses <= 1 && *rest >= 0
         && index->n_items + *rest < REEL_MAX_INDEX_ITEMS;
}

static void
add_whole (ReelIndex *items, gint n)
{
  for (gint i = 0; i < n; i++)
    reel_index_add_slice (items, 0, G_MAXINT64, 1);
}

/* The items with the ellipsis as slices, lent; and which of them is for the stack's dimension. */
static guint
spell_out (const ReelTensordict *td, const ReelIndex *index, gint rest, ReelIndex *items)
{
  gint dim = 0;
  guint at = 0;

  for (guint i = 0; i < index->n_items; i++)
    {
      if (index->items[i].kind != REEL_INDEX_ELLIPSIS)
        items->items[items->n_items++] = index->items[i];
      else
        {
          add_whole (items, rest);
          rest = 0;
        }
    }
  add_whole (items, rest);
  for (guint i = 0; i < items->n_items; i++)
    if (items->items[i].kind != REEL_INDEX_NEW_DIM && dim++ == td->stack_dim)
      at = i;
  return at;
}

/* The elements that an item chooses, and whether it is no int. */
static GPtrArray *
choose_elements (const ReelTensordict *td, const ReelIndexItem *item, gboolean *many,
                 GError **error)
{
  const ReelIndex only = { .n_items = 1, .items = { *item } };
  g_autoptr (ReelTensor) numbers = NULL;
  g_autoptr (ReelTensor) chosen = NULL;
  const gint64 n = td->elements->len;

  numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  for (gint64 i = 0; numbers && i < n; i++)
    ((gint64 *) numbers->data)[i] = i;
  chosen = numbers ? reel_tensor_index (numbers, &only, error) : NULL;
  if (!chosen)
    return NULL;
  GPtrArray *elements = g_ptr_array_new ();
  for (gint64 i = 0; i < reel_tensor_numel (chosen); i++)
    {
      const gint64 *number = reel_tensor_element (chosen, &i);
      g_ptr_array_add (elements, td->elements->pdata[*number]);
    }
  *many = chosen->ndim > 0;
  return elements;
}

static gboolean
is_whole (const ReelIndex *items)
{
  for (guint i = 0; i < items->n_items; i++)
    if (items->items[i].kind != REEL_INDEX_SLICE || items->items[i].begin != 0
        || items->items[i].end != G_MAXINT64 || items->items[i].step != 1)
      return FALSE;
  return TRUE;
}

static ReelTensordict *
index_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  return reel_tensordict_index (element, data, error);
}

/* Takes the item at @at away; returns how many dimensions those before it give. */
static gint
remove_item (ReelIndex *items, guint at)
{
  gint dim = 0;

  for (guint i = 0; i < at; i++)
    dim += count_given (&items->items[i]);
  items->n_items--;
  memmove (items->items + at, items->items + at + 1,
           (items->n_items - at) * sizeof items->items[0]);
  return dim;
}

/* Elements that were chosen, indexed by the items but that at @at, which was for the stack. */
static ReelTensordict *
index_elements (const ReelTensordict *td, GPtrArray *elements, gboolean many, ReelIndex *items,
                guint at, GError **error)
{
  g_autoptr (ReelTensordict) part = NULL;
  gint dim;

  if (many)
    {
      part = new_part (td, elements, error);
      /* What is left of the stack is all of it. */
      items->items[at] = (ReelIndexItem){ .kind = REEL_INDEX_SLICE, .end = G_MAXINT64, .step = 1 };
      if (!part || is_whole (items))
        return g_steal_pointer (&part);
      if (!reel_tensordict_is_lazy (part))
        return reel_tensordict_index (part, items, error);
    }
  dim = remove_item (items, at);
  if (many)
    return reel_lazy_stack_map (part, dim, index_element, items, error);
  return is_whole (items) ? reel_tensordict_ref (elements->pdata[0])
                          : reel_tensordict_index (elements->pdata[0], items, error);
}

ReelTensordict *
reel_lazy_stack_index (const ReelTensordict *td, const ReelIndex *index, GError **error)
{
  ReelIndex items = REEL_INDEX_INIT;
  gboolean many;
  gint rest;

  if (is_simple (td, index, &rest))
    {
      guint at = spell_out (td, index, rest, &items);
      if (count_given (&items.items[at]) <= 1)
        {
          g_autoptr (GPtrArray) elements = choose_elements (td, &items.items[at], &many, error);
          return elements ? index_elements (td, elements, many, &items, at, error) : NULL;
        }
    }
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous ((ReelTensordict *) td, error);
  return dense ? reel_tensordict_index (dense, index, error) : NULL;
}

/* The part of @value for the element that was chosen as number @i. @dim is where their dimension
 * is, counted from the end, or 0 when @value has the same for all. */
static ReelTensordict *
value_of (const ReelTensordict *value, gint dim, gint64 i, GError **error)
{
  return dim == 0 ? reel_tensordict_ref ((ReelTensordict *) value)
                  : reel_tensordict_select_index ((ReelTensordict *) value, dim, i, error);
}

static gboolean
assign_elements (GPtrArray *elements, const ReelIndex *items, const ReelTensordict *value, gint dim,
                 gboolean check_only, GError **error)
{
  if (dim != 0 && value->batch_size[value->ndim + dim] != (gint64) elements->len)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot assign %" G_GINT64_FORMAT " tensordicts to %u of a lazy stack",
                   value->batch_size[value->ndim + dim], elements->len);
      return FALSE;
    }
  for (guint i = 0; i < elements->len; i++)
    {
      g_autoptr (ReelTensordict) part = value_of (value, dim, i, error);
      if (!part
          || !reel_tensordict_assign_checked (elements->pdata[i], items, part, check_only, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_lazy_stack_assign (ReelTensordict *td, const ReelIndex *index, const ReelTensordict *value,
                        gboolean check_only, GError **error)
{
  ReelIndex items = REEL_INDEX_INIT;
  gint rest, given = 0, dim = 0;
  gboolean many = FALSE;
  guint at = 0;

  gboolean simple = is_simple (td, index, &rest);
  if (simple)
    at = spell_out (td, index, rest, &items);
  if (!simple || count_given (&items.items[at]) > 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "cannot assign to a lazy stack by an index of several tensors, or of one over "
                   "several dimensions");
      return FALSE;
    }
  g_autoptr (GPtrArray) elements = choose_elements (td, &items.items[at], &many, error);
  if (!elements)
    return FALSE;
  for (guint i = 0; i < items.n_items; i++)
    given += count_given (&items.items[i]);
  gint before = remove_item (&items, at);
  if (many && before - given >= -value->ndim)
    dim = before - given;
  return assign_elements (elements, &items, value, dim, check_only, error);
}
