/* Puts values beyond a bound on it. */
#include "pointwise.h"

#include "../core/tensor/tensor-private.h"
#include "../specs/kinds/bounded-spec.h"

#include <math.h>

struct _ReelClipTransform
{
  ReelTransform parent_instance;

  GArray *low;
  GArray *high;
  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelClipTransform, reel_clip_transform, REEL, CLIP_TRANSFORM, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelClipTransform, reel_clip_transform, REEL_TYPE_TRANSFORM)

static double
get_low (ReelClipTransform *self)
{
  return self->low ? g_array_index (self->low, double, 0) : -INFINITY;
}

static double
get_high (ReelClipTransform *self)
{
  return self->high ? g_array_index (self->high, double, 0) : INFINITY;
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelClipTransform *self = REEL_CLIP_TRANSFORM (transform);

  return reel_clip (value, get_low (self), get_high (self), self->isa, error);
}

/* Bounds are clipped as values are. */
static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelClipTransform *self = REEL_CLIP_TRANSFORM (transform);
  g_autoptr (ReelTensor) low = NULL, high = NULL;

  if (spec->kind != &reel_bounded_spec_kind)
    return reel_spec_within (spec, reel_pointwise_dtype (reel_spec_get_dtype (spec)),
                             get_low (self), get_high (self), error);
  low = apply (transform, spec->parameters[REEL_SPEC_LOW], error);
  high = low ? apply (transform, spec->parameters[REEL_SPEC_HIGH], error) : NULL;
  return high ? reel_spec_between (low, high, spec->ndim, spec->shape, error) : NULL;
}

/* An env takes whatever it took: it is clipped on the way. */
static ReelSpec *
apply_inverse_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  return reel_spec_ref (spec);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelClipTransform *self = REEL_CLIP_TRANSFORM (object);

  if (!self->low && !self->high)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "clip needs low, high, or both: clip:low=-1,high=1");
      return FALSE;
    }
  if ((self->low && self->low->len > 1) || (self->high && self->high->len > 1))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "clip: low and high are single numbers, not lists");
      return FALSE;
    }
  if (!(get_low (self) < get_high (self)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "clip: low must be lower than high, not %g and %g", get_low (self),
                   get_high (self));
      return FALSE;
    }
  return reel_isa_choose (&self->isa, error)
         && REEL_OBJECT_CLASS (reel_clip_transform_parent_class)->build (object, error);
}

static void
reel_clip_transform_class_init (ReelClipTransformClass *klass)
{
  static const ReelId ids[] = {
    { "clip", NULL, "puts values beyond a bound on it" },
    { "ClipTransform", NULL, "puts values beyond a bound on it, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  reel_object_class_add_list (object_class, "low", G_STRUCT_OFFSET (ReelClipTransform, low),
                              "smallest value, one number; by default none",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_list (object_class, "high", G_STRUCT_OFFSET (ReelClipTransform, high),
                              "largest value, one number; by default none",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "ClipTransform";
  transform_class->apply = apply;
  transform_class->apply_inverse = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->apply_inverse_spec = apply_inverse_spec;
}

static void
reel_clip_transform_init (ReelClipTransform *self)
{
}
