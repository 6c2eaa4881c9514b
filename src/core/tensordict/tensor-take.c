/* Repeats, rolls and gathers of tensors and tensordicts. */
#include "shape.h"
#include "shape-operation.h"
#include "take.h"
#include "tensordict-index.h"

static ReelTensor *
take (ReelTensor *tensor, gboolean planned, const ReelIndexPlan *plan, GError **error)
{
  return planned ? reel_index_plan_get (plan, tensor, error) : NULL;
}

ReelTensor *
reel_tensor_repeat_interleave (ReelTensor *tensor, gint dim, gsize n, const gint64 *repeats,
                               GError **error)
{
  g_auto (ReelIndexPlan) plan;
  gboolean planned = reel_take_repeats (&plan, tensor->ndim, tensor->shape, dim, n, repeats, error);

  return take (tensor, planned, &plan, error);
}

ReelTensor *
reel_tensor_roll (ReelTensor *tensor, gint dim, gint64 shift, GError **error)
{
  g_auto (ReelIndexPlan) plan;
  gboolean planned = reel_take_rolled (&plan, tensor->ndim, tensor->shape, dim, shift, error);

  return take (tensor, planned, &plan, error);
}

ReelTensor *
reel_tensor_gather (ReelTensor *tensor, gint dim, ReelTensor *index, GError **error)
{
  g_auto (ReelIndexPlan) plan;
  gboolean planned = reel_take_gathered (&plan, tensor->ndim, tensor->shape, dim, index, error);

  return take (tensor, planned, &plan, error);
}

static ReelTensordict *
take_all (ReelTensordict *td, gboolean planned, const ReelIndexPlan *plan, GError **error)
{
  ReelShapeArgs args = { .plan = plan };

  reel_tensordict_get_batch_size (td, &args.n_dims);
  return planned ? reel_tensordict_change (td, &reel_shape_take, &args, error) : NULL;
}

ReelTensordict *
reel_tensordict_repeat_interleave (ReelTensordict *td, gint dim, gsize n, const gint64 *repeats,
                                   GError **error)
{
  g_auto (ReelIndexPlan) plan;
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);
  gboolean planned = reel_take_repeats (&plan, ndim, shape, dim, n, repeats, error);

  return take_all (td, planned, &plan, error);
}

ReelTensordict *
reel_tensordict_roll (ReelTensordict *td, gint dim, gint64 shift, GError **error)
{
  g_auto (ReelIndexPlan) plan;
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);
  gboolean planned = reel_take_rolled (&plan, ndim, shape, dim, shift, error);

  return take_all (td, planned, &plan, error);
}

ReelTensordict *
reel_tensordict_gather (ReelTensordict *td, gint dim, ReelTensor *index, GError **error)
{
  g_auto (ReelIndexPlan) plan;
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);
  gboolean planned = reel_take_gathered (&plan, ndim, shape, dim, index, error);

  return take_all (td, planned, &plan, error);
}

ReelTensordict *
reel_tensordict_gather_rows (const ReelTensordict *td, const gint64 *rows, gsize n, GError **error)
{
  const gint64 extent = (gint64) n;
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, (gpointer) rows, n * sizeof *rows, NULL, NULL);
  g_autoptr (ReelTensor) column =
      reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_INT64, 1, &extent, NULL, error);

  if (!column)
    return NULL;
  reel_index_add_tensor (&index, column);
  return reel_tensordict_index ((ReelTensordict *) td, &index, error);
}
