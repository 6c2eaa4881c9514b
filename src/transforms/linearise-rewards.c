/* One reward of several: their weighted sum. */
#include "pointwise.h"

#include "../core/tensor/tensor-private.h"
#include "../specs/kinds/bounded-spec.h"

#include <string.h>

struct _ReelLineariseRewards
{
  ReelTransform parent_instance;

  GArray *weights;
};

G_DECLARE_FINAL_TYPE (ReelLineariseRewards, reel_linearise_rewards, REEL, LINEARISE_REWARDS,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelLineariseRewards, reel_linearise_rewards, REEL_TYPE_TRANSFORM)

static gboolean
check_shape (const ReelLineariseRewards *self, gint ndim, const gint64 *shape, GError **error)
{
  g_autofree char *text = reel_shape_to_string (ndim, shape);

  if (ndim == 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "linearise-rewards takes vectors of rewards, not a single number");
  else if (self->weights && self->weights->len != shape[ndim - 1])
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "The number of rewards and weights should match: %" G_GINT64_FORMAT
                 " rewards (shape %s) and %u weights",
                 shape[ndim - 1], text, self->weights->len);
  else
    return TRUE;
  return FALSE;
}

/* Sums are float64, and rounded once. */
static void
sum_rows (const ReelTensor *in, const double *weights, ReelTensor *out)
{
  gint64 n = in->shape[in->ndim - 1];
  gsize size = reel_dtype_size (in->dtype), width = reel_dtype_size (out->dtype);

  for (gint64 row = 0; row < reel_tensor_numel (out); row++)
    {
      const guint8 *from = in->data + (gsize) (row * n) * size;
      double sum = 0;

      for (gint64 i = 0; i < n; i++)
        sum += (weights ? weights[i] : 1.0)
               * reel_dtype_load_double (in->dtype, from + (gsize) i * size);
      reel_dtype_store_double (out->dtype, out->data + (gsize) row * width, sum);
    }
}

static void
sum_long (const ReelTensor *in, ReelTensor *out)
{
  const gint64 *from = (const gint64 *) in->data;
  gint64 n = in->shape[in->ndim - 1];

  for (gint64 row = 0; row < reel_tensor_numel (out); row++)
    {
      guint64 sum = 0; /* wraps, as torch's */

      for (gint64 i = 0; i < n; i++)
        sum += (guint64) from[row * n + i];
      ((gint64 *) out->data)[row] = (gint64) sum;
    }
}

/* Integers without weights are counted, as torch has it. */
static ReelDtype
sum_dtype (const ReelLineariseRewards *self, ReelDtype dtype)
{
  return self->weights || reel_dtype_is_float (dtype) ? reel_pointwise_dtype (dtype)
                                                      : REEL_DTYPE_INT64;
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelLineariseRewards *self = REEL_LINEARISE_REWARDS (transform);
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) in = NULL, out = NULL;

  if (!reel_check_real (value, error) || !check_shape (self, value->ndim, value->shape, error))
    return NULL;
  memcpy (shape, value->shape, sizeof *shape * (gsize) value->ndim);
  shape[value->ndim - 1] = 1;
  in = reel_tensor_in_order (value, error);
  out = in ? reel_tensor_new (sum_dtype (self, in->dtype), in->ndim, shape, error) : NULL;
  if (!out)
    return NULL;
  if (in->dtype == REEL_DTYPE_INT64 && !self->weights)
    sum_long (in, out);
  else
    sum_rows (in, self->weights ? (const double *) self->weights->data : NULL, out);
  return g_steal_pointer (&out);
}

/* The bounds that each reward contributes most to: the other one where its weight is negative. */
static ReelTensor *
bound (ReelLineariseRewards *self, const ReelSpec *spec, gboolean upper, GError **error)
{
  ReelTensor *low = spec->parameters[REEL_SPEC_LOW], *high = spec->parameters[REEL_SPEC_HIGH];
  g_autoptr (ReelTensor) from = reel_tensor_clone (upper ? high : low, error);
  g_autoptr (ReelTensor) other = from ? reel_tensor_contiguous (upper ? low : high, error) : NULL;
  gsize size = reel_dtype_size (spec->dtype);
  gint64 n = spec->shape[spec->ndim - 1];

  if (!other)
    return NULL;
  for (gint64 i = 0; self->weights && i < reel_tensor_numel (from); i++)
    if (g_array_index (self->weights, double, i % n) < 0)
      memcpy (from->data + (gsize) i * size, other->data + (gsize) i * size, size);
  return apply (REEL_TRANSFORM (self), from, error);
}

static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelLineariseRewards *self = REEL_LINEARISE_REWARDS (transform);
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) low = NULL, high = NULL;

  if (!check_shape (self, spec->ndim, spec->shape, error))
    return NULL;
  if (!reel_dtype_is_float (spec->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "linearise-rewards adds up rewards that are continuous, not of dtype %s",
                   reel_dtype_name (spec->dtype));
      return NULL;
    }
  memcpy (shape, spec->shape, sizeof *shape * (gsize) spec->ndim);
  shape[spec->ndim - 1] = 1;
  if (spec->kind != &reel_bounded_spec_kind)
    return reel_unbounded_spec_new (spec->dtype, spec->ndim, shape, error);
  low = bound (self, spec, FALSE, error);
  high = low ? bound (self, spec, TRUE, error) : NULL;
  return high ? reel_spec_between (low, high, spec->ndim, shape, error) : NULL;
}

static gboolean
build (ReelObject *object, GError **error)
{
  if (!*reel_transform_get_in_keys (REEL_TRANSFORM (object)))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "linearise-rewards needs to know which keys: in-keys=[reward]");
      return FALSE;
    }
  return REEL_OBJECT_CLASS (reel_linearise_rewards_parent_class)->build (object, error);
}

static void
reel_linearise_rewards_class_init (ReelLineariseRewardsClass *klass)
{
  static const ReelId ids[] = {
    { "linearise-rewards", NULL, "one reward of several: their weighted sum" },
    { "LineariseRewards", NULL, "weighted sums of rewards, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_list (REEL_OBJECT_CLASS (klass), "weights",
                              G_STRUCT_OFFSET (ReelLineariseRewards, weights),
                              "factor of each reward; by default 1", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "LineariseRewards";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
}

static void
reel_linearise_rewards_init (ReelLineariseRewards *self)
{
}
