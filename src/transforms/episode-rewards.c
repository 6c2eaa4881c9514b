#include "episode-rewards.h"

#include "../core/tensor/tensor-private.h"

gboolean
reel_find_time (const ReelTensordict *td, gint *dim, GError **error)
{
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  for (*dim = 0; *dim < ndim - 1; ++*dim)
    if (g_strcmp0 (reel_tensordict_get_name (td, *dim), "time") == 0)
      break;
  if (ndim > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "steps [*B, T] are expected, not one step without a batch size");
  return FALSE;
}

/* Chosen, not multiplied by 0: the sum before may be infinite or NaN. */
#define SUM(Type)                                                                                  \
  for (gint64 i = 0; i < n; i++)                                                                   \
  ((Type *) sums)[i] = (Type) ((before && !(starts && starts[i]) ? ((const Type *) before)[i] : 0) \
                               + ((const Type *) rewards)[i])

static void
sum_others (ReelDtype dtype, gint64 n, const guint8 *before, const guint8 *starts,
            const guint8 *rewards, guint8 *sums)
{
  gsize size = reel_dtype_size (dtype);

  for (gint64 i = 0; i < n; i++)
    {
      gsize at = (gsize) i * size;
      gboolean goes_on = before && !(starts && starts[i]);

      reel_dtype_store_double (dtype, sums + at,
                               (goes_on ? reel_dtype_load_double (dtype, before + at) : 0)
                                   + reel_dtype_load_double (dtype, rewards + at));
    }
}

void
reel_sum_rewards_row (ReelDtype dtype, gint64 n, const guint8 *before, const guint8 *starts,
                      const guint8 *rewards, guint8 *sums)
{
  switch (dtype)
    {
    case REEL_DTYPE_FLOAT32: SUM (float); break;
    case REEL_DTYPE_FLOAT64: SUM (double); break;
    case REEL_DTYPE_INT64: SUM (guint64); break;
    default: sum_others (dtype, n, before, starts, rewards, sums);
    }
}

/* In order, and of the dtype of the sums. */
static ReelTensor *
prepare (ReelTensor *rewards, GError **error)
{
  g_autoptr (ReelTensor) plain = NULL;

  if (reel_dtype_is_complex (rewards->dtype) || rewards->dtype == REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "rewards are expected to be numbers, not of dtype %s",
                   reel_dtype_name (rewards->dtype));
      return NULL;
    }
  plain = reel_tensor_in_order (rewards, error);
  if (!plain || reel_dtype_is_float (plain->dtype) || plain->dtype == REEL_DTYPE_INT64)
    return g_steal_pointer (&plain);
  return reel_tensor_convert (plain, REEL_DTYPE_INT64, error);
}

ReelTensor *
reel_sum_rewards (ReelTensor *rewards, ReelTensor *ends, gint time_dim, GError **error)
{
  g_autoptr (ReelTensor) from = prepare (rewards, error);
  g_autoptr (ReelTensor) flags = from && ends ? reel_tensor_in_order (ends, error) : NULL;
  g_autoptr (ReelTensor) sums = NULL;
  gint64 n = 1, numel, steps = rewards->shape[time_dim];
  gsize size;

  if (from && (flags || !ends))
    sums = reel_tensor_new_unfilled (from->dtype, from->ndim, from->shape, error);
  if (!sums)
    return NULL;
  for (gint i = time_dim + 1; i < from->ndim; i++)
    n *= from->shape[i];
  numel = reel_tensor_numel (from);
  size = reel_dtype_size (from->dtype);
  for (gint64 at = 0, t = 0; at < numel; at += n, t = (t + 1) % steps)
    reel_sum_rewards_row (from->dtype, n, t > 0 ? sums->data + (gsize) (at - n) * size : NULL,
                          t > 0 && flags ? flags->data + at - n : NULL,
                          from->data + (gsize) at * size, sums->data + (gsize) at * size);
  return g_steal_pointer (&sums);
}
