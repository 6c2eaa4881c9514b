/* Rewards that are 1 where they were above 0, else 0. */
#include "pointwise.h"

#include "../core/tensor/tensor-private.h"

struct _ReelBinarizeReward
{
  ReelTransform parent_instance;

  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelBinarizeReward, reel_binarize_reward, REEL, BINARIZE_REWARD,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelBinarizeReward, reel_binarize_reward, REEL_TYPE_TRANSFORM)

static gboolean
check_shape (gint ndim, const gint64 *shape, ReelError code, GError **error)
{
  g_autofree char *text = NULL;

  if (ndim > 0 && shape[ndim - 1] == 1)
    return TRUE;
  text = reel_shape_to_string (ndim, shape);
  g_set_error (error, REEL_ERROR, code,
               "binarize-reward takes rewards whose last dimension is 1, not of shape %s", text);
  return FALSE;
}

/* Each of these converts to float64 without a change of sign. */
static void
compare_doubles (ReelDtype dtype, const guint8 *from, gint8 *to, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    to[i] = reel_dtype_load_double (dtype, from + (gsize) i * reel_dtype_size (dtype)) > 0;
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  const ReelPointwiseKernels *kernels =
      REEL_KERNEL_PICK (reel_pointwise_kernels, REEL_BINARIZE_REWARD (transform)->isa);
  g_autoptr (ReelTensor) in = NULL, out = NULL;
  gint64 n = reel_tensor_numel (value);

  if (!check_shape (value->ndim, value->shape, REEL_ERROR_RUNTIME, error)
      || !reel_check_real (value, error))
    return NULL;
  in = reel_tensor_in_order (value, error);
  out = in ? reel_tensor_new_unfilled (REEL_DTYPE_INT8, in->ndim, in->shape, error) : NULL;
  if (!out)
    return NULL;
  if (in->dtype == REEL_DTYPE_FLOAT32)
    kernels->is_positive_f32 ((const float *) in->data, (gint8 *) out->data, n);
  else if (in->dtype == REEL_DTYPE_FLOAT64)
    kernels->is_positive_f64 ((const double *) in->data, (gint8 *) out->data, n);
  else
    compare_doubles (in->dtype, in->data, (gint8 *) out->data, n);
  return g_steal_pointer (&out);
}

static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (!check_shape (ndim, shape, REEL_ERROR_VALUE, error))
    return NULL;
  return reel_binary_spec_new (REEL_DTYPE_INT8, ndim, shape, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  reel_transform_default_to_reward (REEL_TRANSFORM (object));
  return reel_isa_choose (&REEL_BINARIZE_REWARD (object)->isa, error)
         && REEL_OBJECT_CLASS (reel_binarize_reward_parent_class)->build (object, error);
}

static void
reel_binarize_reward_class_init (ReelBinarizeRewardClass *klass)
{
  static const ReelId ids[] = {
    { "binarize-reward", NULL, "rewards of 1 where they were above 0, else 0" },
    { "BinarizeReward", NULL, "rewards that are 0 or 1, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  transform_class->peer_name = "BinarizeReward";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
}

static void
reel_binarize_reward_init (ReelBinarizeReward *self)
{
}
