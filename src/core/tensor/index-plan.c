#include "index-plan.h"

#include <string.h>

/* ---- items ---- */

static gboolean
is_mask (const ReelTensor *tensor)
{
  return tensor->dtype == REEL_DTYPE_BOOL || tensor->dtype == REEL_DTYPE_UINT8;
}

static gboolean
is_indices (const ReelTensor *tensor)
{
  return tensor->dtype == REEL_DTYPE_INT64 || tensor->dtype == REEL_DTYPE_INT32;
}

/* How many dimensions an item takes away or shows. */
static gint
count_dims (const ReelIndexItem *item)
{
  switch (item->kind)
    {
    case REEL_INDEX_INT:
    case REEL_INDEX_SLICE: return 1;
    case REEL_INDEX_TENSOR: return is_mask (item->tensor) ? item->tensor->ndim : 1;
    default: return 0;
    }
}

/* How many dimensions the items leave for the ellipsis, or −1 after an error. */
static gint
count_rest (const ReelIndex *index, gint ndim, GError **error)
{
  gint used = 0, ellipses = 0;

  for (guint i = 0; i < index->n_items; i++)
    {
      const ReelIndexItem *item = &index->items[i];
      if (item->kind == REEL_INDEX_TENSOR && !is_mask (item->tensor) && !is_indices (item->tensor))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "tensors used as indices must be long, int, byte or bool tensors, not %s",
                       reel_dtype_name (item->tensor->dtype));
          return -1;
        }
      used += count_dims (item);
      ellipses += item->kind == REEL_INDEX_ELLIPSIS;
    }
  if (ellipses > 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "An index can only have one ellipsis at most.");
  else if (used > ndim)
    g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                 "too many indices for tensor of dimension %d: the index has %d", ndim, used);
  else
    return ndim - used;
  return -1;
}

void
reel_index_spell_out (const ReelIndex *index, gint ndim, ReelIndex *spelled)
{
  gint rest = count_rest (index, ndim, NULL);

  *spelled = (ReelIndex) REEL_INDEX_INIT;
  for (guint i = 0; i < index->n_items; i++)
    if (index->items[i].kind != REEL_INDEX_ELLIPSIS)
      spelled->items[spelled->n_items++] = index->items[i];
    else
      for (gint j = 0; j < rest && spelled->n_items < REEL_MAX_INDEX_ITEMS; j++)
        reel_index_add_slice (spelled, 0, G_MAXINT64, 1);
}

static gboolean
keep_dim (ReelIndexPlan *plan, gint source, gint64 step, gint64 extent, GError **error)
{
  if (plan->n_dims == REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "an index cannot give more than %d dimensions", REEL_MAX_NDIM);
      return FALSE;
    }
  plan->dims[plan->n_dims++] = (ReelPlanDim){ source, step, extent };
  return TRUE;
}

static gboolean
keep_whole (ReelIndexPlan *plan, gint n, const gint64 *shape, GError **error)
{
  for (gint i = 0; i < n; i++)
    {
      if (!keep_dim (plan, plan->n_sources, 1, shape[plan->n_sources], error))
        return FALSE;
      plan->n_sources++;
    }
  return TRUE;
}

static gboolean
keep_slice (ReelIndexPlan *plan, const ReelIndexItem *item, const gint64 *shape, GError **error)
{
  gint source = plan->n_sources++;
  gint64 begin = item->begin, count;

  if (!reel_slice_resolve (&begin, item->end, item->step, shape[source], &count, error))
    return FALSE;
  plan->first[source] = count > 0 ? begin : 0;
  return keep_dim (plan, source, count > 1 ? item->step : 1, count, error);
}

static gboolean
take_int (ReelIndexPlan *plan, gint64 i, const gint64 *shape, GError **error)
{
  gint source = plan->n_sources++;

  plan->first[source] = i;
  return reel_index_resolve (&plan->first[source], source, shape[source], error);
}

/* ---- columns ---- */

static gint64
load_int (const ReelTensor *scalar)
{
  gint32 narrow;
  gint64 wide;

  if (scalar->dtype == REEL_DTYPE_INT32)
    {
      memcpy (&narrow, scalar->data, sizeof narrow);
      return narrow;
    }
  memcpy (&wide, scalar->data, sizeof wide);
  return wide;
}

static ReelTensor *
widen (ReelTensor *indices, GError **error)
{
  g_autoptr (ReelTensor) narrow = NULL;

  if (indices->dtype == REEL_DTYPE_INT64)
    return reel_tensor_ref (indices);
  narrow = reel_tensor_in_order (indices, error);
  if (!narrow)
    return NULL;
  ReelTensor *wide = reel_tensor_new (REEL_DTYPE_INT64, narrow->ndim, narrow->shape, error);
  for (gint64 i = 0; wide && i < reel_tensor_numel (wide); i++)
    ((gint64 *) wide->data)[i] = ((const gint32 *) narrow->data)[i];
  return wide;
}

/* The first of several columns decides where they stand and what they are called. */
static void
add_column (ReelIndexPlan *plan, ReelTensor *column, gint source)
{
  if (plan->n_columns == 0)
    plan->taken_at = plan->n_dims;
  else if (plan->taken_at != plan->n_dims)
    plan->taken_at = 0;
  plan->columns[plan->n_columns] = column;
  plan->column_sources[plan->n_columns++] = source;
}

static void
name_columns (ReelIndexPlan *plan, gint name, gboolean *named)
{
  if (!*named)
    plan->taken_name = name;
  *named = TRUE;
}

static gboolean
check_mask (const ReelTensor *mask, gint source, gint ndim, const gint64 *shape, GError **error)
{
  for (gint i = 0; i < mask->ndim; i++)
    if (mask->shape[i] != shape[source + i])
      {
        g_autofree char *found = reel_shape_to_string (mask->ndim, mask->shape);
        g_autofree char *expected = reel_shape_to_string (ndim, shape);
        g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                     "The shape of the mask %s at index %d does not match the shape of the indexed "
                     "tensor %s at index %d",
                     found, i, expected, source + i);
        return FALSE;
      }
  return TRUE;
}

static gint64
count_set (const guint8 *mask, gint64 n)
{
  gint64 count = 0;

  for (gint64 i = 0; i < n; i++)
    count += mask[i] != 0;
  return count;
}

/* One column a dimension of the mask: where it is set, in row-major order. */
static void
fill_columns (const ReelTensor *mask, ReelTensor *const *columns)
{
  gint64 index[REEL_MAX_NDIM] = { 0 };
  gint64 n = reel_tensor_numel (mask), at = 0;

  for (gint64 i = 0; i < n; i++)
    {
      if (mask->data[i])
        {
          for (gint dim = 0; dim < mask->ndim; dim++)
            ((gint64 *) columns[dim]->data)[at] = index[dim];
          at++;
        }
      for (gint dim = mask->ndim - 1; dim >= 0 && ++index[dim] == mask->shape[dim]; dim--)
        index[dim] = 0;
    }
}

static gboolean
take_mask (ReelIndexPlan *plan, ReelTensor *item, const gint64 *shape, GError **error)
{
  g_autoptr (ReelTensor) mask = reel_tensor_contiguous (item, error);
  gint begin = plan->n_columns;

  if (!mask)
    return FALSE;
  gint64 count = count_set (mask->data, reel_tensor_numel (mask));
  /* A mask without dimensions is one of a dimension of extent 1, which is not there. */
  for (gint dim = 0; dim < MAX (mask->ndim, 1); dim++)
    {
      ReelTensor *column = reel_tensor_new (REEL_DTYPE_INT64, 1, &count, error);
      if (!column)
        return FALSE;
      add_column (plan, column, mask->ndim > 0 ? plan->n_sources++ : -1);
    }
  fill_columns (mask, plan->columns + begin);
  return TRUE;
}

static gboolean
take_tensor (ReelIndexPlan *plan, ReelTensor *tensor, gint ndim, const gint64 *shape,
             gboolean *named, GError **error)
{
  if (is_mask (tensor))
    {
      if (!check_mask (tensor, plan->n_sources, ndim, shape, error))
        return FALSE;
      if (tensor->ndim > 0)
        name_columns (plan, tensor->ndim == 1 ? plan->n_sources : -1, named);
      return take_mask (plan, tensor, shape, error);
    }
  if (tensor->ndim == 0)
    return take_int (plan, load_int (tensor), shape, error);

  ReelTensor *column = widen (tensor, error);
  if (!column)
    return FALSE;
  name_columns (plan, plan->n_sources, named);
  add_column (plan, column, plan->n_sources++);
  return TRUE;
}

/* ---- broadcasting ---- */

static gboolean
set_broadcast_error (const ReelIndexPlan *plan, GError **error)
{
  g_autoptr (GString) shapes = g_string_new (NULL);

  for (gint i = 0; i < plan->n_columns; i++)
    {
      g_autofree char *shape =
          reel_shape_to_string (plan->columns[i]->ndim, plan->columns[i]->shape);
      g_string_append_printf (shapes, "%s%s", i == 0 ? "" : ", ", shape);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "shape mismatch: indexing tensors could not be broadcast together with shapes %s",
               shapes->str);
  return FALSE;
}

static gboolean
join_shapes (ReelIndexPlan *plan, GError **error)
{
  for (gint i = 0; i < plan->n_columns; i++)
    plan->taken_ndim = MAX (plan->taken_ndim, plan->columns[i]->ndim);
  for (gint dim = 0; dim < plan->taken_ndim; dim++)
    plan->taken_shape[dim] = 1;
  for (gint i = 0; i < plan->n_columns; i++)
    for (gint dim = 0; dim < plan->columns[i]->ndim; dim++)
      {
        gint64 *joint = &plan->taken_shape[plan->taken_ndim - plan->columns[i]->ndim + dim];
        gint64 extent = plan->columns[i]->shape[dim];
        if (*joint != extent && *joint != 1 && extent != 1)
          return set_broadcast_error (plan, error);
        if (extent != 1)
          *joint = extent;
      }
  if (!reel_shape_check (plan->taken_ndim, plan->taken_shape, sizeof (gint64), error))
    return FALSE;
  plan->n_taken = 1;
  for (gint dim = 0; dim < plan->taken_ndim; dim++)
    plan->n_taken *= plan->taken_shape[dim];
  return TRUE;
}

/* Checks the indices, and makes those that count from the end count from the begin. */
static gboolean
resolve_column (ReelTensor **column, gint source, gint64 extent, GError **error)
{
  const gint64 *indices = (const gint64 *) (*column)->data;
  gint64 n = reel_tensor_numel (*column);
  gboolean negative = FALSE;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = indices[i];
      if (index < 0 || index >= extent)
        {
          if (!reel_index_resolve (&index, source, extent, error))
            return FALSE;
          negative = TRUE;
        }
    }
  if (!negative)
    return TRUE;

  ReelTensor *resolved = reel_tensor_clone (*column, error);
  if (!resolved)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (((gint64 *) resolved->data)[i] < 0)
      ((gint64 *) resolved->data)[i] += extent;
  reel_tensor_unref (*column);
  *column = resolved;
  return TRUE;
}

/* A column with the shape that all columns share, its elements in row-major order. */
static ReelTensor *
widen_column (ReelTensor *column, gint ndim, const gint64 *shape, GError **error)
{
  gint added = ndim - column->ndim;
  ReelTensor *wide, view = *column;

  if (added == 0 && memcmp (column->shape, shape, (gsize) ndim * sizeof *shape) == 0)
    return reel_tensor_in_order (column, error);
  wide = reel_tensor_new_unfilled (column->dtype, ndim, shape, error);
  if (!wide)
    return NULL;
  view.ndim = ndim;
  for (gint i = 0; i < ndim; i++)
    {
      gboolean repeats = i < added || column->shape[i - added] != shape[i];

      view.shape[i] = shape[i];
      view.strides[i] = repeats ? 0 : column->strides[i - added];
    }
  reel_tensor_copy_unchecked (wide, &view);
  return wide;
}

static gboolean
join_columns (ReelIndexPlan *plan, const gint64 *shape, GError **error)
{
  if (!join_shapes (plan, error))
    return FALSE;
  for (gint i = 0; i < plan->n_columns; i++)
    {
      gint source = plan->column_sources[i];
      ReelTensor *wide =
          widen_column (plan->columns[i], plan->taken_ndim, plan->taken_shape, error);
      if (!wide)
        return FALSE;
      reel_tensor_unref (plan->columns[i]);
      plan->columns[i] = wide;
      if (!resolve_column (&plan->columns[i], source, source < 0 ? 1 : shape[source], error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the plan ---- */

gboolean
reel_index_plan_init (ReelIndexPlan *plan, const ReelIndex *index, gint ndim, const gint64 *shape,
                      GError **error)
{
  gint rest = count_rest (index, ndim, error);
  gboolean named = FALSE, done = rest >= 0;

  *plan = (ReelIndexPlan){ .taken_name = -1 };
  for (guint i = 0; done && i < index->n_items; i++)
    {
      const ReelIndexItem *item = &index->items[i];
      switch (item->kind)
        {
        case REEL_INDEX_INT: done = take_int (plan, item->begin, shape, error); break;
        case REEL_INDEX_SLICE: done = keep_slice (plan, item, shape, error); break;
        case REEL_INDEX_NEW_DIM: done = keep_dim (plan, -1, 1, 1, error); break;
        case REEL_INDEX_ELLIPSIS: done = keep_whole (plan, rest, shape, error); break;
        default: done = take_tensor (plan, item->tensor, ndim, shape, &named, error); break;
        }
    }
  done = done && keep_whole (plan, ndim - plan->n_sources, shape, error);
  return done && join_columns (plan, shape, error);
}

gboolean
reel_index_plan_init_column (ReelIndexPlan *plan, gint dim, ReelTensor *column, gint ndim,
                             const gint64 *shape, GError **error)
{
  ReelIndex index = REEL_INDEX_INIT;

  for (gint i = 0; i < dim; i++)
    reel_index_add_slice (&index, 0, G_MAXINT64, 1);
  /* Lent: the index does not outlive the call. */
  index.items[index.n_items++] = (ReelIndexItem){ .kind = REEL_INDEX_TENSOR, .tensor = column };
  return reel_index_plan_init (plan, &index, ndim, shape, error);
}

gboolean
reel_index_plan_init_rows (ReelIndexPlan *plan, const gint64 *rows, gsize n, gint ndim,
                           const gint64 *shape, GError **error)
{
  const gint64 extent = (gint64) n;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, (gpointer) rows, n * sizeof *rows, NULL, NULL);
  g_autoptr (ReelTensor) column =
      reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_INT64, 1, &extent, NULL, error);

  *plan = (ReelIndexPlan){ 0 };
  return column && reel_index_plan_init_column (plan, 0, column, ndim, shape, error);
}

void
reel_index_plan_clear (ReelIndexPlan *plan)
{
  for (gint i = 0; i < plan->n_columns; i++)
    reel_tensor_unref (plan->columns[i]);
  plan->n_columns = 0;
}

static void
append_dim (ReelForm *form, gint64 extent, gint64 stride, const char *name)
{
  gint dim = form->view.ndim++;

  form->view.shape[dim] = extent;
  form->view.strides[dim] = stride;
  form->names[dim] = name;
}

static void
append_kept (const ReelIndexPlan *plan, gint begin, gint end, const ReelForm *from, ReelForm *form)
{
  for (gint i = begin; i < end; i++)
    {
      const ReelPlanDim *dim = &plan->dims[i];
      if (dim->source < 0)
        append_dim (form, 1, 0, NULL);
      else
        append_dim (form, dim->extent, from->view.strides[dim->source] * dim->step,
                    from->names[dim->source]);
    }
}

/* The strides of new dimensions keep what is contiguous contiguous. */
static void
stride_new_dims (const ReelIndexPlan *plan, ReelForm *form)
{
  gint64 *strides = form->view.strides;

  for (gint i = plan->n_dims - 1; i >= 0; i--)
    if (plan->dims[i].source < 0)
      strides[i] = i + 1 < form->view.ndim ? strides[i + 1] * form->view.shape[i + 1]
                                           : (gint64) reel_dtype_size (form->view.dtype);
}

gboolean
reel_index_plan_form (const ReelIndexPlan *plan, ReelForm *form, GError **error)
{
  ReelForm from = *form;
  gint ndim = plan->n_dims + plan->taken_ndim + from.view.ndim - plan->n_sources;

  if (ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "the index would give a tensor of %d dimensions, and there are at most %d", ndim,
                   REEL_MAX_NDIM);
      return FALSE;
    }
  for (gint i = 0; i < plan->n_sources; i++)
    reel_form_move (form, i, plan->first[i]);
  form->view.ndim = 0;
  append_kept (plan, 0, plan->taken_at, &from, form);
  for (gint i = 0; i < plan->taken_ndim; i++)
    append_dim (form, plan->taken_shape[i], 0,
                plan->taken_name < 0 ? NULL : from.names[plan->taken_name]);
  append_kept (plan, plan->taken_at, plan->n_dims, &from, form);
  for (gint i = plan->n_sources; i < from.view.ndim; i++)
    append_dim (form, from.view.shape[i], from.view.strides[i], from.names[i]);

  if (plan->n_columns == 0)
    stride_new_dims (plan, form);
  else
    reel_shape_strides (ndim, form->view.shape, reel_dtype_size (form->view.dtype),
                        form->view.strides);
  return TRUE;
}
