/* Reads and writes of a tensor through an index. */
#include "index-plan.h"

#include <string.h>

/* Places are worked out so many at a time. */
#define CHUNK 512

/*
 * The moves between an indexed tensor and another: for each index of the outer
 * dimensions, which stand before the gathered ones, and each gathered place a block of the inner
 * ones.
 */
typedef struct
{
  guint8 *indexed;
  guint8 *plain;
  gint n_outer;
  gint64 outer_shape[REEL_MAX_NDIM];
  gint64 outer_indexed[REEL_MAX_NDIM];
  gint64 outer_plain[REEL_MAX_NDIM];
  ReelTensor inner_indexed;
  ReelTensor inner_plain;
  gint64 plain_stride; /* from one gathered place to the next */
  gsize dense_size;    /* bytes of a block that is dense in both, or 0 */
  gboolean out;        /* from the indexed to the plain one */
} Transfer;

/* ---- preparation ---- */

static gint64
stride_of (const ReelIndexPlan *plan, const ReelTensor *tensor, const ReelPlanDim *dim)
{
  return dim->source < 0 ? 0 : tensor->strides[dim->source] * dim->step;
}

static void
add_inner (Transfer *transfer, gint64 extent, gint64 stride_indexed, gint64 stride_plain)
{
  gint dim = transfer->inner_indexed.ndim++;

  transfer->inner_plain.ndim++;
  transfer->inner_indexed.shape[dim] = transfer->inner_plain.shape[dim] = extent;
  transfer->inner_indexed.strides[dim] = stride_indexed;
  transfer->inner_plain.strides[dim] = stride_plain;
}

static void
split_dims (Transfer *transfer, const ReelIndexPlan *plan, const ReelTensor *indexed,
            const ReelTensor *plain)
{
  transfer->n_outer = plan->taken_at;
  for (gint i = 0; i < plan->taken_at; i++)
    {
      transfer->outer_shape[i] = plan->dims[i].extent;
      transfer->outer_indexed[i] = stride_of (plan, indexed, &plan->dims[i]);
      transfer->outer_plain[i] = plain->strides[i];
    }
  for (gint i = plan->taken_at; i < plan->n_dims; i++)
    add_inner (transfer, plan->dims[i].extent, stride_of (plan, indexed, &plan->dims[i]),
               plain->strides[plan->taken_ndim + i]);
  for (gint i = plan->n_sources; i < indexed->ndim; i++)
    add_inner (transfer, indexed->shape[i], indexed->strides[i],
               plain->strides[plan->taken_ndim + plan->n_dims - plan->n_sources + i]);
}

/* Whether the gathered places of @plain lie at equal distances. */
static gboolean
find_plain_stride (const ReelIndexPlan *plan, const ReelTensor *plain, gint64 *stride)
{
  const gint64 *strides = plain->strides + plan->taken_at;
  gint64 expected = 0;
  gboolean found = FALSE;

  *stride = 0;
  for (gint i = plan->taken_ndim - 1; i >= 0; i--)
    {
      if (plan->taken_shape[i] == 1)
        continue;
      if (found && strides[i] != expected)
        return FALSE;
      if (!found)
        *stride = strides[i];
      found = TRUE;
      expected = strides[i] * plan->taken_shape[i];
    }
  return TRUE;
}

static void
transfer_init (Transfer *transfer, const ReelIndexPlan *plan, const ReelTensor *indexed,
               const ReelTensor *plain, gboolean out)
{
  *transfer = (Transfer){ .indexed = indexed->data, .plain = plain->data, .out = out };
  for (gint i = 0; i < plan->n_sources; i++)
    transfer->indexed += plan->first[i] * indexed->strides[i];
  transfer->inner_indexed.dtype = transfer->inner_plain.dtype = indexed->dtype;
  split_dims (transfer, plan, indexed, plain);
  find_plain_stride (plan, plain, &transfer->plain_stride);
  if (reel_tensor_is_contiguous (&transfer->inner_indexed)
      && reel_tensor_is_contiguous (&transfer->inner_plain))
    transfer->dense_size = reel_tensor_nbytes (&transfer->inner_plain);
}

/* ---- moving ---- */

static inline __attribute__ ((always_inline)) void
move_dense (guint8 *indexed, const gint64 *places, gint64 n, guint8 *plain, gint64 stride,
            gsize size, gboolean out)
{
  for (gint64 i = 0; i < n; i++)
    if (out)
      memcpy (plain + i * stride, indexed + places[i], size);
    else
      memcpy (indexed + places[i], plain + i * stride, size);
}

#define MOVE_DENSE(size)                                                                           \
  if (transfer->out)                                                                               \
    move_dense (indexed, places, n, plain, stride, size, TRUE);                                    \
  else                                                                                             \
    move_dense (indexed, places, n, plain, stride, size, FALSE)

static void
move_strided (const Transfer *transfer, guint8 *indexed, const gint64 *places, gint64 n,
              guint8 *plain)
{
  ReelTensor a = transfer->inner_indexed;
  ReelTensor b = transfer->inner_plain;

  for (gint64 i = 0; i < n; i++)
    {
      a.data = indexed + places[i];
      b.data = plain + i * transfer->plain_stride;
      if (transfer->out)
        reel_tensor_copy_unchecked (&b, &a);
      else
        reel_tensor_copy_unchecked (&a, &b);
    }
}

static void
move_blocks (const Transfer *transfer, guint8 *indexed, const gint64 *places, gint64 n,
             guint8 *plain)
{
  gint64 stride = transfer->plain_stride;

  switch (transfer->dense_size)
    {
    case 0: move_strided (transfer, indexed, places, n, plain); break;
    case 1: MOVE_DENSE (1); break;
    case 2: MOVE_DENSE (2); break;
    case 4: MOVE_DENSE (4); break;
    case 8: MOVE_DENSE (8); break;
    case 16: MOVE_DENSE (16); break;
    default: MOVE_DENSE (transfer->dense_size); break;
    }
}

/* The blocks of some gathered places, for every index of the outer dimensions. */
static void
move_chunk (const Transfer *transfer, const gint64 *places, gint64 begin, gint64 n)
{
  gint64 index[REEL_MAX_NDIM] = { 0 };
  guint8 *indexed = transfer->indexed;
  guint8 *plain = transfer->plain + begin * transfer->plain_stride;
  gint dim;

  do
    {
      move_blocks (transfer, indexed, places, n, plain);
      for (dim = transfer->n_outer - 1; dim >= 0; dim--)
        {
          indexed += transfer->outer_indexed[dim];
          plain += transfer->outer_plain[dim];
          if (++index[dim] < transfer->outer_shape[dim])
            break;
          index[dim] = 0;
          indexed -= transfer->outer_indexed[dim] * transfer->outer_shape[dim];
          plain -= transfer->outer_plain[dim] * transfer->outer_shape[dim];
        }
    }
  while (dim >= 0);
}

static void
find_places (const ReelIndexPlan *plan, const ReelTensor *indexed, gint64 begin, gint64 n,
             gint64 *places)
{
  for (gint i = 0; i < plan->n_columns; i++)
    {
      gint source = plan->column_sources[i];
      gint64 stride = source < 0 ? 0 : indexed->strides[source];
      const gint64 *column = (const gint64 *) plan->columns[i]->data + begin;
      if (i == 0)
        for (gint64 j = 0; j < n; j++)
          places[j] = column[j] * stride;
      else
        for (gint64 j = 0; j < n; j++)
          places[j] += column[j] * stride;
    }
}

/* @plain has the shape that the plan gives, and its gathered places lie at equal distances. */
static void
move_all (const ReelIndexPlan *plan, const ReelTensor *indexed, const ReelTensor *plain,
          gboolean out)
{
  gint64 places[CHUNK];
  Transfer transfer;

  if (reel_tensor_numel (plain) == 0)
    return;
  transfer_init (&transfer, plan, indexed, plain, out);
  for (gint64 begin = 0; begin < plan->n_taken; begin += CHUNK)
    {
      gint64 n = MIN (CHUNK, plan->n_taken - begin);
      find_places (plan, indexed, begin, n, places);
      move_chunk (&transfer, places, begin, n);
    }
}

/* ---- plans ---- */

ReelTensor *
reel_index_plan_get (const ReelIndexPlan *plan, ReelTensor *tensor, GError **error)
{
  ReelForm form;

  reel_form_init (&form, tensor);
  if (!reel_index_plan_form (plan, &form, error))
    return NULL;
  if (plan->n_columns == 0)
    return reel_tensor_new_like (&form.view);

  ReelTensor *result =
      reel_tensor_new_unfilled (tensor->dtype, form.view.ndim, form.view.shape, error);
  if (result)
    move_all (plan, tensor, result, TRUE);
  return result;
}

gboolean
reel_index_plan_broadcast (const ReelIndexPlan *plan, const ReelTensor *tensor,
                           const ReelTensor *value, ReelTensor *view, GError **error)
{
  ReelForm form;

  reel_form_init (&form, tensor);
  if (!reel_index_plan_form (plan, &form, error))
    return FALSE;
  if (value->dtype != tensor->dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "cannot assign %s elements to a %s tensor",
                   reel_dtype_name (value->dtype), reel_dtype_name (tensor->dtype));
      return FALSE;
    }
  return reel_tensor_check_writable (tensor, error)
         && reel_tensor_broadcast (value, form.view.ndim, form.view.shape, view, error);
}

gboolean
reel_index_plan_set (const ReelIndexPlan *plan, const ReelTensor *tensor, const ReelTensor *value,
                     GError **error)
{
  g_autoptr (ReelTensor) dense = NULL;
  gint64 stride;
  ReelForm form;

  if (plan->n_columns == 0)
    {
      reel_form_init (&form, tensor);
      if (!reel_index_plan_form (plan, &form, error))
        return FALSE;
      reel_tensor_copy_unchecked (&form.view, value);
      return TRUE;
    }
  if (!find_plain_stride (plan, value, &stride))
    {
      dense = reel_tensor_clone (value, error);
      if (!dense)
        return FALSE;
    }
  move_all (plan, tensor, dense ? dense : value, FALSE);
  return TRUE;
}

/* ---- tensors ---- */

ReelTensor *
reel_tensor_index (ReelTensor *tensor, const ReelIndex *index, GError **error)
{
  g_auto (ReelIndexPlan) plan;

  if (!reel_index_plan_init (&plan, index, tensor->ndim, tensor->shape, error))
    return NULL;
  return reel_index_plan_get (&plan, tensor, error);
}

gboolean
reel_tensor_assign (ReelTensor *tensor, const ReelIndex *index, const ReelTensor *value,
                    GError **error)
{
  g_auto (ReelIndexPlan) plan;
  ReelTensor view;

  return reel_index_plan_init (&plan, index, tensor->ndim, tensor->shape, error)
         && reel_index_plan_broadcast (&plan, tensor, value, &view, error)
         && reel_index_plan_set (&plan, tensor, &view, error);
}

ReelTensor *
reel_tensor_gather_rows (const ReelTensor *tensor, const gint64 *rows, gsize n, GError **error)
{
  g_auto (ReelIndexPlan) plan = { 0 };

  if (tensor->ndim == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX, "a scalar tensor has no rows");
      return NULL;
    }
  if (!reel_index_plan_init_rows (&plan, rows, n, tensor->ndim, tensor->shape, error))
    return NULL;
  return reel_index_plan_get (&plan, (ReelTensor *) tensor, error);
}
