/* -1, 0 or 1 in the place of each value. */
#include "pointwise.h"

#include "../core/tensor/tensor-private.h"

struct _ReelSignTransform
{
  ReelTransform parent_instance;

  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelSignTransform, reel_sign_transform, REEL, SIGN_TRANSFORM, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelSignTransform, reel_sign_transform, REEL_TYPE_TRANSFORM)

static void
sign_of_floats (const ReelTensor *in, ReelTensor *out, gconstpointer user_data)
{
  const ReelPointwiseKernels *kernels = user_data;
  gint64 n = reel_tensor_numel (in);

  if (in->dtype == REEL_DTYPE_FLOAT32)
    kernels->sign_f32 ((const float *) in->data, (float *) out->data, n);
  else
    kernels->sign_f64 ((const double *) in->data, (double *) out->data, n);
}

#define SIGN(Type)                                                                                 \
  for (gint64 i = 0; i < n; i++)                                                                   \
  ((Type *) to)[i] = (Type) ((((const Type *) from)[i] > 0) - (((const Type *) from)[i] < 0))

static void
sign_of_integers (ReelDtype dtype, const guint8 *from, guint8 *to, gint64 n)
{
  switch (dtype)
    {
    case REEL_DTYPE_INT8: SIGN (gint8); break;
    case REEL_DTYPE_INT16: SIGN (gint16); break;
    case REEL_DTYPE_INT32: SIGN (gint32); break;
    case REEL_DTYPE_INT64: SIGN (gint64); break;
    default:
      for (gint64 i = 0; i < n; i++)
        reel_dtype_store_double (
            dtype, to + (gsize) i * reel_dtype_size (dtype),
            reel_dtype_load_double (dtype, from + (gsize) i * reel_dtype_size (dtype)) > 0);
    }
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  const ReelPointwiseKernels *kernels =
      REEL_KERNEL_PICK (reel_pointwise_kernels, REEL_SIGN_TRANSFORM (transform)->isa);
  g_autoptr (ReelTensor) in = NULL, out = NULL;

  if (reel_dtype_is_float (value->dtype))
    return reel_pointwise (value, sign_of_floats, kernels, error);
  if (!reel_check_real (value, error))
    return NULL;
  in = reel_tensor_in_order (value, error);
  out = in ? reel_tensor_new_unfilled (in->dtype, in->ndim, in->shape, error) : NULL;
  if (!out)
    return NULL;
  sign_of_integers (in->dtype, in->data, out->data, reel_tensor_numel (in));
  return g_steal_pointer (&out);
}

static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelDtype dtype = reel_spec_get_dtype (spec);
  gboolean is_signed = reel_dtype_is_float (dtype) || dtype == REEL_DTYPE_INT8
                       || dtype == REEL_DTYPE_INT16 || dtype == REEL_DTYPE_INT32
                       || dtype == REEL_DTYPE_INT64;

  return reel_spec_within (spec, dtype, is_signed ? -1 : 0, 1, error);
}

static ReelSpec *
apply_inverse_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  return reel_spec_ref (spec);
}

static gboolean
build (ReelObject *object, GError **error)
{
  return reel_isa_choose (&REEL_SIGN_TRANSFORM (object)->isa, error)
         && REEL_OBJECT_CLASS (reel_sign_transform_parent_class)->build (object, error);
}

static void
reel_sign_transform_class_init (ReelSignTransformClass *klass)
{
  static const ReelId ids[] = {
    { "sign", NULL, "-1, 0 or 1 for each value" },
    { "SignTransform", NULL, "-1, 0 or 1 for each value, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  transform_class->peer_name = "SignTransform";
  transform_class->apply = apply;
  transform_class->apply_inverse = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->apply_inverse_spec = apply_inverse_spec;
}

static void
reel_sign_transform_init (ReelSignTransform *self)
{
}
