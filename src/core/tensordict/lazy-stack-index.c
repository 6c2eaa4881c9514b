/* How lazy stacks are indexed, for reading and writing. An index that goes dimension by dimension
 * chooses elements, and is what is left of it in each; any other gives places, and each element has
 * some of these. */
#include "lazy-stack-private.h"
#include "shape.h"

#include <string.h>

/* ---- an index, item by item ---- */

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

/* ---- reading ---- */

/* Elements that were chosen, indexed by the items but that at @at, which was for the stack. */
static ReelTensordict *
index_elements (const ReelTensordict *td, GPtrArray *elements, gboolean many, ReelIndex *items,
                guint at, GError **error)
{
  g_autoptr (ReelTensordict) part = NULL;
  gint dim;

  if (many)
    {
      part = reel_lazy_stack_new_part (td, elements, error);
      /* The rest of the stack is all of it. */
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

/* ---- writing, item by item ---- */

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

static gboolean
assign_items (ReelTensordict *td, ReelIndex *items, guint at, const ReelTensordict *value,
              gboolean check_only, GError **error)
{
  gint given = 0, dim = 0;
  gboolean many = FALSE;
  g_autoptr (GPtrArray) elements = choose_elements (td, &items->items[at], &many, error);

  if (!elements)
    return FALSE;
  for (guint i = 0; i < items->n_items; i++)
    given += count_given (&items->items[i]);
  gint before = remove_item (items, at);
  if (many && before - given >= -value->ndim)
    dim = before - given;
  return assign_elements (elements, items, value, dim, check_only, error);
}

/* ---- writing, place by place ---- */

/* Of each place that @index gives, where in dimension @dim it lies. */
static ReelTensor *
find_coordinates (const ReelTensordict *td, gint dim, const ReelIndex *index, GError **error)
{
  const gint64 n = td->batch_size[dim];
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);

  if (!numbers)
    return NULL;
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) numbers->data)[i] = i;
  for (gint i = 0; i < td->ndim; i++)
    shape[i] = i == dim ? n : 1;
  g_autoptr (ReelTensor) column = reel_tensor_view (numbers, td->ndim, shape, error);
  g_autoptr (ReelTensor) all =
      column ? reel_tensor_expand (column, td->ndim, td->batch_size, error) : NULL;
  g_autoptr (ReelTensor) places = all ? reel_tensor_index (all, index, error) : NULL;
  return places ? reel_tensor_contiguous (places, error) : NULL;
}

static GPtrArray *
find_places (const ReelTensordict *td, const ReelIndex *index, GError **error)
{
  g_autoptr (GPtrArray) places =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  if (!reel_lazy_stack_check_size (td, error))
    return NULL;
  for (gint dim = 0; dim < td->ndim; dim++)
    {
      ReelTensor *coordinates = find_coordinates (td, dim, index, error);
      if (!coordinates)
        return NULL;
      g_ptr_array_add (places, coordinates);
    }
  return g_steal_pointer (&places);
}

/* Makes @value one for all of @places. */
static ReelTensordict *
spread_value (const ReelTensordict *value, const ReelTensor *places, GError **error)
{
  gint added = places->ndim - value->ndim;
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous ((ReelTensordict *) value, error);

  if (!dense)
    return NULL;
  if (added >= 0
      && memcmp (places->shape + added, dense->batch_size, dense->ndim * sizeof *places->shape)
             == 0)
    return reel_tensordict_expand (dense, places->ndim, places->shape, error);
  g_autofree char *found = reel_shape_to_string (dense->ndim, dense->batch_size);
  g_autofree char *expected = reel_shape_to_string (places->ndim, places->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot assign a batch of size %s to a part of a lazy stack of size %s", found,
               expected);
  return NULL;
}

/* Which of the places lie in element @k; NULL without an error for none. */
static ReelTensor *
mask_element (const ReelTensor *coordinates, gint64 k, GError **error)
{
  ReelTensor *mask =
      reel_tensor_new (REEL_DTYPE_BOOL, coordinates->ndim, coordinates->shape, error);
  gboolean any = FALSE;

  for (gint64 i = 0; mask && i < reel_tensor_numel (mask); i++)
    any |= mask->data[i] = ((const gint64 *) coordinates->data)[i] == k;
  if (!any)
    g_clear_pointer (&mask, reel_tensor_unref);
  return mask;
}

/* The elements of @value for @mask, in a row, go to these places of element @k. An element
 * without batch dimensions is one place: the last counts. */
static gboolean
assign_masked (ReelTensordict *td, guint k, const GPtrArray *places, ReelTensor *mask,
               ReelTensordict *value, gboolean check_only, GError **error)
{
  const ReelIndex masked = { .n_items = 1,
                             .items = { { .kind = REEL_INDEX_TENSOR, .tensor = mask } } };
  g_auto (ReelIndex) inside = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) part = reel_tensordict_index (value, &masked, error);

  for (gint dim = 0; part && dim < td->ndim; dim++)
    {
      if (dim == td->stack_dim)
        continue;
      g_autoptr (ReelTensor) column = reel_tensor_index (places->pdata[dim], &masked, error);
      if (!column)
        return FALSE;
      reel_index_add_tensor (&inside, column);
    }
  g_autoptr (ReelTensordict) last =
      part && td->ndim == 1 ? reel_tensordict_select_index (part, 0, -1, error) : NULL;
  return part
         && reel_tensordict_assign_checked (td->elements->pdata[k], &inside, last ? last : part,
                                            check_only, error);
}

static gboolean
assign_places (ReelTensordict *td, const ReelIndex *index, const ReelTensordict *value,
               gboolean check_only, GError **error)
{
  g_autoptr (GPtrArray) places = find_places (td, index, error);
  g_autoptr (ReelTensordict) spread = places ? spread_value (value, places->pdata[0], error) : NULL;
  GError *fault = NULL;

  for (guint k = 0; spread && !fault && k < td->elements->len; k++)
    {
      g_autoptr (ReelTensor) mask = mask_element (places->pdata[td->stack_dim], k, &fault);
      if (mask && !assign_masked (td, k, places, mask, spread, check_only, &fault))
        break;
    }
  if (fault)
    g_propagate_error (error, fault);
  return spread && !fault;
}

gboolean
reel_lazy_stack_assign (ReelTensordict *td, const ReelIndex *index, const ReelTensordict *value,
                        gboolean check_only, GError **error)
{
  ReelIndex items = REEL_INDEX_INIT;
  gint rest;

  if (is_simple (td, index, &rest))
    {
      guint at = spell_out (td, index, rest, &items);
      if (count_given (&items.items[at]) <= 1)
        return assign_items (td, &items, at, value, check_only, error);
    }
  return assign_places (td, index, value, check_only, error);
}
