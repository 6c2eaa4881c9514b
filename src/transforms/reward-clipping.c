/* Rewards between two bounds. */
#include "pointwise.h"

struct _ReelRewardClipping
{
  ReelTransform parent_instance;

  GArray *clamp_min;
  GArray *clamp_max;
  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelRewardClipping, reel_reward_clipping, REEL, REWARD_CLIPPING,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelRewardClipping, reel_reward_clipping, REEL_TYPE_TRANSFORM)

static double
get_min (ReelRewardClipping *self)
{
  return g_array_index (self->clamp_min, double, 0);
}

static double
get_max (ReelRewardClipping *self)
{
  return g_array_index (self->clamp_max, double, 0);
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelRewardClipping *self = REEL_REWARD_CLIPPING (transform);

  return reel_clip (value, get_min (self), get_max (self), self->isa, error);
}

static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelRewardClipping *self = REEL_REWARD_CLIPPING (transform);

  if (!reel_spec_check_unbounded (transform, spec, error))
    return NULL;
  return reel_spec_within (spec, reel_pointwise_dtype (reel_spec_get_dtype (spec)), get_min (self),
                           get_max (self), error);
}

static gboolean
check (ReelRewardClipping *self, GError **error)
{
  if (!self->clamp_min || !self->clamp_max)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "reward-clipping needs both clamp-min and clamp-max; clip takes one");
  else if (self->clamp_min->len > 1 || self->clamp_max->len > 1)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                         "reward-clipping: clamp-min and clamp-max are single numbers, not lists");
  else if (!(get_min (self) <= get_max (self)))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "reward-clipping: clamp-min must not be above clamp-max: %g and %g",
                 get_min (self), get_max (self));
  else
    return TRUE;
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelRewardClipping *self = REEL_REWARD_CLIPPING (object);

  reel_transform_default_to_reward (REEL_TRANSFORM (self));
  return check (self, error) && reel_isa_choose (&self->isa, error)
         && REEL_OBJECT_CLASS (reel_reward_clipping_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  ReelRewardClipping *self = REEL_REWARD_CLIPPING (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));

  return g_strdup_printf ("RewardClipping(clamp_min=%.4f, clamp_max=%.4f, keys=%s)", get_min (self),
                          get_max (self), keys);
}

static void
reel_reward_clipping_class_init (ReelRewardClippingClass *klass)
{
  static const ReelId ids[] = {
    { "reward-clipping", NULL, "rewards between two bounds" },
    { "RewardClipping", NULL, "rewards between two bounds, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_list (
      object_class, "clamp-min", G_STRUCT_OFFSET (ReelRewardClipping, clamp_min),
      "smallest reward, one number; required", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_list (object_class, "clamp-max",
                              G_STRUCT_OFFSET (ReelRewardClipping, clamp_max),
                              "largest reward, one number; required", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "RewardClipping";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->to_string = to_string;
}

static void
reel_reward_clipping_init (ReelRewardClipping *self)
{
}
