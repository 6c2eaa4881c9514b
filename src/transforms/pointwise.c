#include "pointwise.h"

#include "../core/tensor/tensor-private.h"
#include "../specs/spec-kind.h"

#include <math.h>

ReelDtype
reel_pointwise_dtype (ReelDtype dtype)
{
  return reel_dtype_is_float (dtype) ? dtype : REEL_DTYPE_FLOAT32;
}

gboolean
reel_check_real (const ReelTensor *value, GError **error)
{
  if (!reel_dtype_is_complex (value->dtype))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "real numbers are expected, not dtype %s",
               reel_dtype_name (value->dtype));
  return FALSE;
}

ReelTensor *
reel_pointwise (ReelTensor *value, ReelPointwiseFunc function, gconstpointer user_data,
                GError **error)
{
  ReelDtype dtype = value->dtype == REEL_DTYPE_FLOAT64 ? REEL_DTYPE_FLOAT64 : REEL_DTYPE_FLOAT32;
  ReelDtype result = reel_pointwise_dtype (value->dtype);
  g_autoptr (ReelTensor) plain = NULL, in = NULL, out = NULL;

  if (!reel_check_real (value, error))
    return NULL;
  plain = reel_tensor_in_order (value, error);
  if (plain)
    in =
        plain->dtype == dtype ? reel_tensor_ref (plain) : reel_tensor_convert (plain, dtype, error);
  out = in ? reel_tensor_new_unfilled (dtype, in->ndim, in->shape, error) : NULL;
  if (!out)
    return NULL;
  function (in, out, user_data);
  return dtype == result ? g_steal_pointer (&out) : reel_tensor_convert (out, result, error);
}

ReelSpec *
reel_spec_within (const ReelSpec *spec, ReelDtype dtype, double low, double high, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  return reel_bounded_spec_new (dtype, ndim, shape, &low, 1, &high, 1, error);
}

gboolean
reel_spec_check_unbounded (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  if (spec->kind == &reel_unbounded_spec_kind)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s changes unbounded specs alone, not one of kind %s",
               REEL_TRANSFORM_GET_CLASS (self)->peer_name, spec->kind->word);
  return FALSE;
}

ReelSpec *
reel_spec_between (ReelTensor *a, ReelTensor *b, gint ndim, const gint64 *shape, GError **error)
{
  g_autoptr (ReelTensor) low = reel_tensor_clone (a, error);
  g_autoptr (ReelTensor) high = low ? reel_tensor_clone (b, error) : NULL;
  gsize size = reel_dtype_size (a->dtype);

  if (!high)
    return NULL;
  for (gint64 i = 0; i < reel_tensor_numel (low); i++)
    {
      guint8 *one = low->data + (gsize) i * size, *other = high->data + (gsize) i * size;
      double from = reel_dtype_load_double (a->dtype, one);
      double to = reel_dtype_load_double (a->dtype, other);

      if (isnan (from) || isnan (to)) /* 0 times an infinite bound is no bound */
        {
          from = -INFINITY;
          to = INFINITY;
        }
      reel_dtype_store_double (a->dtype, one, MIN (from, to));
      reel_dtype_store_double (a->dtype, other, MAX (from, to));
    }
  return reel_bounded_spec_new_from_tensors (low, high, low->dtype, ndim, shape, error);
}

typedef struct
{
  const ReelPointwiseKernels *kernels;
  double low;
  double high;
} Clip;

static void
clip (const ReelTensor *in, ReelTensor *out, gconstpointer user_data)
{
  const Clip *how = user_data;
  gint64 n = reel_tensor_numel (in);

  if (in->dtype == REEL_DTYPE_FLOAT32)
    how->kernels->clip_f32 ((const float *) in->data, (float) how->low, (float) how->high,
                            (float *) out->data, n);
  else
    how->kernels->clip_f64 ((const double *) in->data, how->low, how->high, (double *) out->data,
                            n);
}

ReelTensor *
reel_clip (ReelTensor *value, double low, double high, ReelIsa isa, GError **error)
{
  const Clip how = { REEL_KERNEL_PICK (reel_pointwise_kernels, isa), low, high };

  return reel_pointwise (value, clip, &how, error);
}
