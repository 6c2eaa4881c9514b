/* Rewards multiplied and moved. */
#include "affine.h"

/* Scales below are this instead. */
#define LEAST_SCALE 1e-6

struct _ReelRewardScaling
{
  ReelTransform parent_instance;

  ReelAffine affine;
};

G_DECLARE_FINAL_TYPE (ReelRewardScaling, reel_reward_scaling, REEL, REWARD_SCALING, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelRewardScaling, reel_reward_scaling, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return reel_affine_apply (&REEL_REWARD_SCALING (self)->affine, value, FALSE, error);
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (!reel_spec_check_unbounded (self, spec, error))
    return NULL;
  return reel_unbounded_spec_new (reel_pointwise_dtype (reel_spec_get_dtype (spec)), ndim, shape,
                                  error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelRewardScaling *self = REEL_REWARD_SCALING (object);

  if (!self->affine.loc || !self->affine.scale)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "reward-scaling needs loc and scale: reward-scaling:loc=0,scale=0.1");
      return FALSE;
    }
  reel_transform_default_to_reward (REEL_TRANSFORM (self));
  return reel_affine_build (&self->affine, LEAST_SCALE, TRUE, error)
         && REEL_OBJECT_CLASS (reel_reward_scaling_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  g_autofree char *numbers = reel_affine_to_string (&REEL_REWARD_SCALING (transform)->affine);

  return g_strdup_printf ("RewardScaling(%s, keys=%s)", numbers, keys);
}

static void
finalize (GObject *object)
{
  reel_affine_clear (&REEL_REWARD_SCALING (object)->affine);
  G_OBJECT_CLASS (reel_reward_scaling_parent_class)->finalize (object);
}

static void
reel_reward_scaling_class_init (ReelRewardScalingClass *klass)
{
  static const ReelId ids[] = {
    { "reward-scaling", NULL, "multiplies and moves rewards" },
    { "RewardScaling", NULL, "multiplies and moves rewards, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_affine_add_properties (REEL_OBJECT_CLASS (klass),
                              G_STRUCT_OFFSET (ReelRewardScaling, affine));
  transform_class->peer_name = "RewardScaling";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->to_string = to_string;
}

static void
reel_reward_scaling_init (ReelRewardScaling *self)
{
}
