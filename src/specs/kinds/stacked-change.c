/* Changes of shape of stacks: they change the members, and move the stack's dimension along. */
#include "../spec-shape.h"
#include "stacked-spec.h"

static const ReelStackedSpec *
stacked (const ReelSpec *spec)
{
  return (const ReelStackedSpec *) spec;
}

/* A change of a stack, for each of its members. */
typedef struct
{
  const ReelSpec *spec;
  ReelSpecChange *change;
} Whole;

static ReelSpec *
map (const ReelSpec *spec, ReelSpecChange *change, gint dim, ReelSpecMemberFunc func,
     GError **error)
{
  Whole whole = { spec, change };

  return reel_stacked_spec_map (spec, dim, func, &whole, error);
}

/* The dimension of members that is @dim of their stack. */
static gint
member_dim (const ReelSpec *spec, gint dim)
{
  return dim > stacked (spec)->dim ? dim - 1 : dim;
}

/* ---- one dimension more or less ---- */

static ReelSpec *
unsqueeze_member (const ReelSpec *member, guint i, gpointer data, GError **error)
{
  const Whole *whole = data;

  return reel_spec_unsqueeze (member, member_dim (whole->spec, whole->change->dim), error);
}

static ReelSpec *
squeeze_member (const ReelSpec *member, guint i, gpointer data, GError **error)
{
  const Whole *whole = data;

  return reel_spec_squeeze (member, member_dim (whole->spec, whole->change->dim), error);
}

static ReelSpec *
select_of_member (const ReelSpec *member, guint i, gpointer data, GError **error)
{
  const Whole *whole = data;
  gint dim = member_dim (whole->spec, whole->change->dim);
  ReelSpecChange select;

  if (member->kind->last == REEL_SPEC_LAST_FIXED && dim == member->ndim - 1)
    return reel_spec_fail_fixed (member, error);
  reel_spec_change_init_select (&select, member, dim, whole->change->at);
  return reel_spec_change (member, &select, error);
}

static ReelSpec *
unsqueeze (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  gint dim = stacked (spec)->dim + (change->dim <= stacked (spec)->dim);

  return map (spec, change, dim, unsqueeze_member, error);
}

static ReelSpec *
squeeze (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  if (change->dim == stacked (spec)->dim)
    return reel_spec_ref (stacked (spec)->members->pdata[0]);
  return map (spec, change, stacked (spec)->dim - (change->dim < stacked (spec)->dim),
              squeeze_member, error);
}

static ReelSpec *
select_index (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  if (change->dim == stacked (spec)->dim)
    return reel_spec_ref (stacked (spec)->members->pdata[change->at]);
  return map (spec, change, stacked (spec)->dim - (change->dim < stacked (spec)->dim),
              select_of_member, error);
}

/* ---- expand ---- */

/* Where the extents of members differ, each keeps its own. */
static ReelSpec *
expand_member (const ReelSpec *member, guint number, gpointer data, GError **error)
{
  const Whole *whole = data;
  const ReelSpecChange *change = whole->change;
  gint ahead = change->n_to - change->n_from;
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = 0;

  for (gint i = 0; i < ahead; i++)
    shape[ndim++] = change->to[i];
  for (gint i = 0; i < member->ndim; i++)
    {
      gint dim = i < stacked (whole->spec)->dim ? i : i + 1;
      gboolean changes = dim < change->n_from && change->to[ahead + dim] != change->from[dim];

      shape[ndim++] = changes ? change->to[ahead + dim] : member->shape[i];
    }
  return reel_spec_expand (member, ndim, shape, error);
}

/* A stack of one becomes one of many. */
static ReelSpec *
repeat (const ReelSpec *spec, ReelSpecChange *change, gint dim, GError **error)
{
  Whole whole = { spec, change };
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelSpec) row = NULL;
  g_autoptr (ReelSpec) one = expand_member (stacked (spec)->members->pdata[0], 0, &whole, error);

  row = one ? reel_spec_unsqueeze (one, dim, error) : NULL;
  if (!row)
    return NULL;
  for (gint i = 0; i < row->ndim; i++)
    shape[i] = i == dim ? change->to[dim] : row->shape[i];
  return reel_spec_expand (row, row->ndim, shape, error);
}

static ReelSpec *
expand (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  gint dim = stacked (spec)->dim;
  gint new_dim = dim + change->n_to - change->n_from;

  if (change->to[new_dim] == change->from[dim])
    return map (spec, change, new_dim, expand_member, error);
  return repeat (spec, change, new_dim, error);
}

/* ---- index ---- */

static ReelSpec *
fail_index (const ReelSpec *spec, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "A %s that is stacked along dimension %d takes one tensor of one dimension as index",
               reel_spec_class_name (spec), stacked (spec)->dim);
  return NULL;
}

/* The item of the stack's dimension, and what is left for members. @dim is where the dimension of
 * the stack is then. */
static gint
split_index (const ReelSpec *spec, const ReelSpecChange *change, ReelIndex *rest, gint *dim)
{
  const ReelIndex *index = change->index;
  gint begin = 0, found = -1;

  *dim = stacked (spec)->dim;
  for (guint i = 0; i < index->n_items; i++)
    {
      const ReelIndexItem *item = &index->items[i];
      gint end = reel_spec_index_walk (index, change->n_from, i, begin);
      gboolean here = begin <= stacked (spec)->dim && stacked (spec)->dim < end;

      if (here && item->kind != REEL_INDEX_ELLIPSIS)
        found = (gint) i;
      else
        rest->items[rest->n_items++] = *item;
      if (end <= stacked (spec)->dim)
        *dim += item->kind == REEL_INDEX_NEW_DIM ? 1 : item->kind == REEL_INDEX_INT ? -1 : 0;
      begin = end;
    }
  return found;
}

/* Whether the dimensions of the result stand in the order of the index: at most one tensor, and
 * that of one dimension. */
static gboolean
is_ordered (const ReelIndex *index)
{
  guint n_tensors = 0;

  for (guint i = 0; i < index->n_items; i++)
    if (index->items[i].kind == REEL_INDEX_TENSOR)
      {
        n_tensors++;
        if (index->items[i].tensor->ndim != 1)
          return FALSE;
      }
  return n_tensors <= 1;
}

static gboolean
is_whole (const ReelIndexItem *item)
{
  return item->kind == REEL_INDEX_ELLIPSIS
         || (item->kind == REEL_INDEX_SLICE && item->begin == 0 && item->end == G_MAXINT64
             && item->step == 1);
}

/* A member itself where nothing but the stack's dimension is indexed. */
static ReelSpec *
index_member (const ReelSpec *member, const ReelIndex *rest, gint n_from, GError **error)
{
  gboolean fixed = member->kind->last == REEL_SPEC_LAST_FIXED;
  gboolean whole = TRUE;

  for (guint i = 0; i < rest->n_items; i++)
    whole &= is_whole (&rest->items[i]);
  if (whole)
    return reel_spec_ref (member);
  return reel_spec_index_by (member, MIN (n_from, member->ndim - fixed), rest, error);
}

/* The numbers of the members that @item picks. */
static ReelTensor *
pick (const ReelSpec *spec, const ReelIndexItem *item, GError **error)
{
  const gint64 n = stacked (spec)->members->len;
  g_autoptr (ReelTensor) numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  ReelIndex index = { .n_items = 1, .items = { *item } };
  g_autoptr (ReelTensor) picked = NULL;

  if (!numbers)
    return NULL;
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) (gpointer) numbers->data)[i] = i;
  picked = reel_tensor_index (numbers, &index, error);
  return picked ? reel_tensor_contiguous (picked, error) : NULL;
}

static ReelSpec *
index_members (const ReelSpec *spec, const ReelIndexItem *item, const ReelIndex *rest, gint dim,
               gint n_from, GError **error)
{
  g_autoptr (ReelTensor) picked = pick (spec, item, error);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);

  if (!picked)
    return NULL;
  for (gint64 i = 0; i < reel_tensor_numel (picked); i++)
    {
      gint64 number = ((const gint64 *) (gpointer) picked->data)[i];
      ReelSpec *part =
          index_member (stacked (spec)->members->pdata[number], rest, n_from - 1, error);

      if (!part)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  if (picked->ndim == 0)
    return g_ptr_array_steal_index (parts, 0);
  return reel_spec_stack ((ReelSpec *const *) parts->pdata, parts->len, dim, error);
}

static ReelSpec *
index_stack (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  ReelIndexItem whole = { .kind = REEL_INDEX_SLICE, .end = G_MAXINT64, .step = 1 };
  ReelIndex rest = REEL_INDEX_INIT;
  gint dim;
  gint found = split_index (spec, change, &rest, &dim);
  const ReelIndexItem *item = found < 0 ? &whole : &change->index->items[found];

  if (!is_ordered (change->index))
    return fail_index (spec, error);
  return index_members (spec, item, &rest, dim, change->n_from, error);
}

static gboolean
fail_other (const ReelSpec *spec, const ReelIndex *index, gint dim, GError **error)
{
  const char *name = reel_spec_class_name (spec);
  gint stack_dim = stacked (spec)->dim;
  g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");

  if (index->n_items == 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                 "Trying to index a %s along dimension 0 when the stack dimension is %d.", name,
                 stack_dim);
  else if (index->n_items == 2 && index->items[0].kind == REEL_INDEX_ELLIPSIS)
    g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                 "Indexing a %s with [..., idx] is only permitted if the stack dimension is the "
                 "last dimension. Got self.dim=%d and self.shape=torch.Size(%s).",
                 name, stack_dim, shape);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                 "Got a non-trivial index at dim %d when only the dim %d could be indexed.", dim,
                 stack_dim);
  return FALSE;
}

gboolean
reel_stacked_spec_check_index (const ReelSpec *spec, const ReelIndex *index, GError **error)
{
  gint dim = 0;

  for (guint i = 0; i < index->n_items; i++)
    {
      const ReelIndexItem *item = &index->items[i];
      gint end = reel_spec_index_walk (index, spec->ndim, i, dim);

      if (item->kind == REEL_INDEX_NEW_DIM)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX, "Cannot index a %s with None values",
                       reel_spec_class_name (spec));
          return FALSE;
        }
      if (!is_whole (item) && dim < spec->ndim && dim != stacked (spec)->dim)
        return fail_other (spec, index, dim, error);
      dim = end;
    }
  return TRUE;
}

/* ---- all of them ---- */

static ReelSpec *
change_member (const ReelSpec *member, guint i, gpointer data, GError **error)
{
  const Whole *whole = data;

  return reel_spec_change (member, whole->change, error);
}

ReelSpec *
reel_stacked_spec_change (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  gint dim = stacked (spec)->dim;

  if (dim >= change->n_from)
    return map (spec, change, dim - change->n_from + change->n_to, change_member, error);
  switch (change->op)
    {
    case REEL_SPEC_OP_EXPAND: return expand (spec, change, error);
    case REEL_SPEC_OP_SQUEEZE: return squeeze (spec, change, error);
    case REEL_SPEC_OP_UNSQUEEZE: return unsqueeze (spec, change, error);
    case REEL_SPEC_OP_SELECT: return select_index (spec, change, error);
    case REEL_SPEC_OP_INDEX: return index_stack (spec, change, error);
    case REEL_SPEC_OP_RESHAPE: break;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "`reshape` is not implemented for %s specs.", reel_spec_class_name (spec));
  return NULL;
}
