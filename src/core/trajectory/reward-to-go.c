/* Discounted sums of the rewards to come. */
#include "ted.h"
#include "../tensor/tensor-private.h"

/* A step of one outer index: as many elements as the dimensions behind time have. */
static void
load_row (ReelDtype dtype, const guint8 *from, gint64 n, double *restrict to)
{
  if (dtype == REEL_DTYPE_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      to[i] = ((const float *) from)[i];
  else if (dtype == REEL_DTYPE_FLOAT64)
    for (gint64 i = 0; i < n; i++)
      to[i] = ((const double *) from)[i];
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = reel_dtype_load_double (dtype, from + i * reel_dtype_size (dtype));
}

static void
store_row (ReelDtype dtype, guint8 *to, gint64 n, const double *restrict from)
{
  if (dtype == REEL_DTYPE_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      ((float *) to)[i] = (float) from[i];
  else if (dtype == REEL_DTYPE_FLOAT64)
    for (gint64 i = 0; i < n; i++)
      ((double *) to)[i] = from[i];
  else
    for (gint64 i = 0; i < n; i++)
      reel_dtype_store_double (dtype, to + i * reel_dtype_size (dtype), from[i]);
}

/* From the last step back. @ahead and @row have room for one step each. */
static void
sum_back (ReelDtype dtype, const guint8 *reward, const guint8 *done, guint8 *result, gint64 steps,
          gint64 n, double gamma, double *restrict ahead, double *restrict row)
{
  gint64 stride = n * (gint64) reel_dtype_size (dtype);

  for (gint64 i = 0; i < n; i++)
    ahead[i] = 0;
  for (gint64 t = steps - 1; t >= 0; t--)
    {
      load_row (dtype, reward + t * stride, n, row);
      /* Chosen, not multiplied by 0: what is ahead may be infinite or NaN. */
      for (gint64 i = 0; i < n; i++)
        ahead[i] = row[i] + (done[t * n + i] ? 0.0 : gamma * ahead[i]);
      store_row (dtype, result + t * stride, n, ahead);
    }
}

static gboolean
check_arguments (const ReelTensor *reward, const ReelTensor *done, gint *time_dim, GError **error)
{
  gboolean same = reward->ndim == done->ndim;

  if (!reel_dtype_is_float (reward->dtype) || done->dtype != REEL_DTYPE_BOOL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "a floating reward and done of dtype bool are expected, not %s and %s",
                   reel_dtype_name (reward->dtype), reel_dtype_name (done->dtype));
      return FALSE;
    }
  for (gint i = 0; same && i < reward->ndim; i++)
    same = reward->shape[i] == done->shape[i];
  if (!same)
    {
      g_autofree char *left = reel_shape_to_string (reward->ndim, reward->shape);
      g_autofree char *right = reel_shape_to_string (done->ndim, done->shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "reward and done must share the same shape, got %s and %s", left, right);
      return FALSE;
    }
  return reel_dim_resolve (time_dim, reward->ndim, error);
}

ReelTensor *
reel_reward_to_go (ReelTensor *reward, ReelTensor *done, double gamma, gint time_dim,
                   GError **error)
{
  gint64 n = 1;

  if (!check_arguments (reward, done, &time_dim, error))
    return NULL;
  g_autoptr (ReelTensor) from = reel_tensor_in_order (reward, error);
  g_autoptr (ReelTensor) ends = from ? reel_tensor_contiguous (done, error) : NULL;
  g_autoptr (ReelTensor) result =
      ends ? reel_tensor_new (reward->dtype, reward->ndim, reward->shape, error) : NULL;
  gint64 numel = reel_tensor_numel (reward);
  if (!result || numel == 0)
    return g_steal_pointer (&result);

  for (gint i = time_dim + 1; i < reward->ndim; i++)
    n *= reward->shape[i];
  gint64 block = reward->shape[time_dim] * n;
  gsize size = reel_dtype_size (reward->dtype);
  g_autofree double *sums = g_new (double, 2 * n);
  for (gint64 i = 0; i < numel; i += block)
    sum_back (reward->dtype, from->data + i * size, ends->data + i, result->data + i * size,
              reward->shape[time_dim], n, gamma, sums, sums + n);
  return g_steal_pointer (&result);
}
