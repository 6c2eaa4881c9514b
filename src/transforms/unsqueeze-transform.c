/* Adds a dimension of extent 1; the inverse does the opposite. */
#include "image-pass.h"
#include "reshape.h"

struct _ReelUnsqueezeTransform
{
  ReelTransform parent_instance;

  gint64 dim;
};

G_DECLARE_FINAL_TYPE (ReelUnsqueezeTransform, reel_unsqueeze_transform, REEL, UNSQUEEZE_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelUnsqueezeTransform, reel_unsqueeze_transform, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return reel_reshape_unsqueeze (value, REEL_UNSQUEEZE_TRANSFORM (self)->dim, error);
}

static ReelTensor *
apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return reel_reshape_squeeze (value, REEL_UNSQUEEZE_TRANSFORM (self)->dim, error);
}

static gboolean
join_pass (ReelTransform *self, ReelImagePass *pass)
{
  return reel_image_pass_add_dim (pass, self, REEL_UNSQUEEZE_TRANSFORM (self)->dim);
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_reshape_spec (self, apply, spec, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelUnsqueezeTransform *self = REEL_UNSQUEEZE_TRANSFORM (object);

  return reel_reshape_check_dim (REEL_TRANSFORM (self), "dim", self->dim, error)
         && REEL_OBJECT_CLASS (reel_unsqueeze_transform_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *self)
{
  g_autofree char *dim =
      g_strdup_printf ("dim=%" G_GINT64_FORMAT, REEL_UNSQUEEZE_TRANSFORM (self)->dim);

  return reel_reshape_print (self, "UnsqueezeTransform", dim);
}

static void
reel_unsqueeze_transform_class_init (ReelUnsqueezeTransformClass *klass)
{
  static const ReelId ids[] = {
    { "unsqueeze", NULL, "adds a dimension of extent 1" },
    { "UnsqueezeTransform", NULL, "adds a dimension of extent 1, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                                      | REEL_TRANSFORM_INVERSE_KEYS);
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "dim",
                               G_STRUCT_OFFSET (ReelUnsqueezeTransform, dim), -REEL_MAX_NDIM,
                               REEL_MAX_NDIM, -1, NULL, "a new dimension, counted from the end",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "UnsqueezeTransform";
  transform_class->apply = apply;
  transform_class->apply_inverse = apply_inverse;
  transform_class->apply_spec = apply_spec;
  transform_class->join_pass = join_pass;
  transform_class->apply_inverse_spec = apply_spec;
  transform_class->to_string = to_string;
}

static void
reel_unsqueeze_transform_init (ReelUnsqueezeTransform *self)
{
}
