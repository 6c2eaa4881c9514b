/* Parts of specs: what indices pick from their values. */
#include "../spec-change.h"
#include "../spec-shape.h"
#include "../kinds/stacked-spec.h"

/* ---- dimensions of any extent ---- */

static gboolean
is_mask (const ReelIndexItem *item)
{
  return item->kind == REEL_INDEX_TENSOR
         && (item->tensor->dtype == REEL_DTYPE_BOOL || item->tensor->dtype == REEL_DTYPE_UINT8);
}

static gint
count_dims (const ReelIndexItem *item)
{
  switch (item->kind)
    {
    case REEL_INDEX_NEW_DIM:
    case REEL_INDEX_ELLIPSIS: return 0;
    case REEL_INDEX_TENSOR: return is_mask (item) ? item->tensor->ndim : 1;
    default: return 1;
    }
}

gint
reel_spec_index_walk (const ReelIndex *index, gint ndim, guint i, gint dim)
{
  gint rest = ndim;

  if (index->items[i].kind != REEL_INDEX_ELLIPSIS)
    return dim + count_dims (&index->items[i]);
  for (guint k = 0; k < index->n_items; k++)
    rest -= count_dims (&index->items[k]);
  return dim + MAX (rest, 0);
}

static gboolean
is_whole (const ReelIndexItem *item)
{
  return item->kind == REEL_INDEX_SLICE && item->begin == 0 && item->end == G_MAXINT64
         && item->step == 1;
}

/* An item of a dimension of any extent, which is indexed as if it were 1. */
static gboolean
settle_item (const ReelIndexItem *item, ReelIndexItem *settled, GError **error)
{
  if (item->kind == REEL_INDEX_INT)
    settled->begin = 0;
  else if (item->kind == REEL_INDEX_TENSOR && !is_mask (item))
    {
      ReelTensor *zeros =
          reel_tensor_new (REEL_DTYPE_INT64, item->tensor->ndim, item->tensor->shape, error);

      if (!zeros)
        return FALSE;
      reel_tensor_unref (settled->tensor);
      settled->tensor = zeros;
    }
  else if (!is_whole (item))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "cannot slice a dynamic (-1) dimension: its extent is not known");
      return FALSE;
    }
  return TRUE;
}

/* Whether one of the dimensions from @begin to before @end may be of any extent. */
static gboolean
has_dynamic (const ReelSpecChange *change, gint begin, gint end)
{
  for (gint i = begin; i < MIN (end, change->n_from); i++)
    if (change->from[i] == -1)
      return TRUE;
  return FALSE;
}

static gboolean
settle (const ReelSpecChange *change, const ReelIndex *given, ReelIndex *index, GError **error)
{
  gint dim = 0;

  *index = *given;
  for (guint i = 0; i < given->n_items; i++)
    if (given->items[i].tensor)
      reel_tensor_ref (given->items[i].tensor);
  for (guint i = 0; i < given->n_items; i++)
    {
      const ReelIndexItem *item = &given->items[i];
      gint next = reel_spec_index_walk (given, change->n_from, i, dim);

      if (item->kind != REEL_INDEX_ELLIPSIS && has_dynamic (change, dim, next)
          && !settle_item (item, &index->items[i], error))
        return FALSE;
      dim = next;
    }
  return TRUE;
}

/* ---- index ---- */

/* The size of a dimension that is kept. */
static void
add_kept (ReelSpecChange *change, const ReelPlanDim *dim)
{
  gboolean dynamic = dim->source >= 0 && change->from[dim->source] == -1;

  reel_spec_change_add (change, dynamic ? -1 : dim->extent, dim->source);
}

static void
follow_plan (ReelSpecChange *change)
{
  const ReelIndexPlan *plan = change->plan;

  for (gint i = 0; i < plan->taken_at; i++)
    add_kept (change, &plan->dims[i]);
  for (gint i = 0; i < plan->taken_ndim; i++)
    reel_spec_change_add (change, plan->taken_shape[i], plan->taken_name);
  for (gint i = plan->taken_at; i < plan->n_dims; i++)
    add_kept (change, &plan->dims[i]);
}

ReelSpec *
reel_spec_index_by (const ReelSpec *spec, gint n_from, const ReelIndex *given, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_auto (ReelIndexPlan) plan = { 0 };
  ReelSpecChange change;
  gint64 shape[REEL_MAX_NDIM];

  reel_spec_change_init (&change, spec, REEL_SPEC_OP_INDEX);
  change.n_from = n_from;
  for (gint i = 0; i < n_from; i++)
    shape[i] = ABS (change.from[i]);
  if (!settle (&change, given, &index, error)
      || !reel_index_plan_init (&plan, &index, n_from, shape, error))
    return NULL;
  if (plan.n_dims + plan.taken_ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "an index cannot give more than %d dimensions", REEL_MAX_NDIM);
      return NULL;
    }
  change.index = &index;
  change.plan = &plan;
  follow_plan (&change);
  return reel_spec_change (spec, &change, error);
}

ReelSpec *
reel_spec_index (const ReelSpec *spec, const ReelIndex *index, GError **error)
{
  gboolean whole;

  g_return_val_if_fail (spec && index, NULL);

  whole = spec->kind->last != REEL_SPEC_LAST_FREE;
  if (whole && spec->ndim == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Cannot index a %s spec with an empty shape", reel_spec_class_name (spec));
      return NULL;
    }
  if (reel_spec_is_lazy (spec) && !reel_stacked_spec_check_index (spec, index, error))
    return NULL;
  return reel_spec_index_by (spec, spec->ndim - whole, index, error);
}

/* ---- index_select ---- */

static gboolean
check_indices (const ReelSpec *spec, gint dim, const ReelTensor *index, GError **error)
{
  gint64 extent = spec->shape[dim];

  if (index->dtype != REEL_DTYPE_INT64 || index->ndim != 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "index_select takes an int64 tensor of 1 dimension, not %s of %d",
                   reel_dtype_name (index->dtype), index->ndim);
      return FALSE;
    }
  for (gint64 i = 0; i < index->shape[0]; i++)
    {
      gint64 at = *(const gint64 *) reel_tensor_element (index, &i);

      if (at >= 0 && (at < extent || extent == -1))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "index %" G_GINT64_FORMAT
                   " is out of bounds for dimension %d with size %" G_GINT64_FORMAT,
                   at, dim, extent);
      return FALSE;
    }
  return TRUE;
}

ReelSpec *
reel_spec_index_select (const ReelSpec *spec, gint dim, ReelTensor *index, GError **error)
{
  g_auto (ReelIndex) items = REEL_INDEX_INIT;

  g_return_val_if_fail (spec && index, NULL);

  if (reel_spec_is_lazy (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "index_select is not supported for %s specs.", reel_spec_class_name (spec));
      return NULL;
    }
  if (!reel_spec_resolve_dim (spec, &dim, error) || !check_indices (spec, dim, index, error))
    return NULL;
  if (spec->kind->last != REEL_SPEC_LAST_FREE && dim == spec->ndim - 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Cannot index_select along the last dimension of %s spec, as it represents the "
                   "domain.",
                   reel_spec_class_name (spec));
      return NULL;
    }
  for (gint i = 0; i < dim; i++)
    reel_index_add_slice (&items, 0, G_MAXINT64, 1);
  reel_index_add_tensor (&items, index);
  return reel_spec_index (spec, &items, error);
}

/* ---- unbind ---- */

void
reel_spec_change_init_select (ReelSpecChange *change, const ReelSpec *spec, gint dim, gint64 at)
{
  reel_spec_change_init (change, spec, REEL_SPEC_OP_SELECT);
  change->dim = dim;
  change->at = at;
  change->keeps_last = dim < change->n_from - 1;
  for (gint i = 0; i < change->n_from; i++)
    if (i != dim)
      reel_spec_change_add (change, change->from[i], i);
}

GPtrArray *
reel_spec_unbind (const ReelSpec *spec, gint dim, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);

  g_return_val_if_fail (spec, NULL);

  if (!reel_spec_resolve_dim (spec, &dim, error))
    return NULL;
  if (spec->kind->last != REEL_SPEC_LAST_FREE && dim == spec->ndim - 1)
    {
      reel_spec_fail_fixed (spec, error);
      return NULL;
    }
  if (spec->shape[dim] == -1)
    {
      g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Provided dim %d is not valid for unbinding shape %s", dim, shape);
      return NULL;
    }
  for (gint64 i = 0; i < spec->shape[dim]; i++)
    {
      ReelSpecChange change;
      ReelSpec *part;

      reel_spec_change_init_select (&change, spec, dim, i);
      part = reel_spec_change (spec, &change, error);
      if (!part)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return g_steal_pointer (&parts);
}
