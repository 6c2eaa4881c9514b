/* Images of another size. */
#include "image-resize.h"
#include "image-spec.h"
#include "transform-private.h"

struct _ReelResize
{
  ReelTransform parent_instance;

  gint64 w;
  gint64 h;
  gint interpolation;
  gboolean antialias;
  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelResize, reel_resize, REEL, RESIZE, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelResize, reel_resize, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelResize *self = REEL_RESIZE (transform);
  const ReelResizing how = { .w = self->w,
                             .h = self->h,
                             .interpolation = (ReelInterpolation) self->interpolation,
                             .antialias = self->antialias,
                             .isa = self->isa };

  return reel_image_resize (value, &how, error);
}

/* A cubic overshoots: values need not stay between bounds. */
static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) bounded = reel_image_spec (transform, spec, error);
  const gint64 *shape;
  gint ndim;

  if (!bounded || REEL_RESIZE (transform)->interpolation != REEL_BICUBIC)
    return g_steal_pointer (&bounded);
  shape = reel_spec_get_shape (bounded, &ndim);
  return reel_unbounded_spec_new (reel_spec_get_dtype (bounded), ndim, shape, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelResize *self = REEL_RESIZE (object);

  if (self->w == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "resize needs to know to which size: resize:w=64,h=64");
      return FALSE;
    }
  if (self->h == 0)
    self->h = self->w;
  reel_transform_default_to_pixels (REEL_TRANSFORM (self));
  return reel_isa_choose (&self->isa, error)
         && REEL_OBJECT_CLASS (reel_resize_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  ReelResize *self = REEL_RESIZE (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));

  return g_strdup_printf ("Resize(w=%" G_GINT64_FORMAT ", h=%" G_GINT64_FORMAT
                          ", interpolation=%s, keys=%s)",
                          self->w, self->h, reel_interpolations[self->interpolation], keys);
}

static void
add_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_int64 (klass, "w", G_STRUCT_OFFSET (ReelResize, w), 0, REEL_MOST_PIXELS, 0,
                               "pixels", "rows of the result, as TorchRL has it; to be given",
                               fixed);
  reel_object_class_add_int64 (klass, "h", G_STRUCT_OFFSET (ReelResize, h), 0, REEL_MOST_PIXELS, 0,
                               "pixels", "pixels of a row of the result; 0 for as many as rows",
                               fixed);
  reel_object_class_add_enum (klass, "interpolation", G_STRUCT_OFFSET (ReelResize, interpolation),
                              reel_interpolations, REEL_BILINEAR, "what a pixel of the result is",
                              fixed);
  reel_object_class_add_bool (
      klass, "antialias", G_STRUCT_OFFSET (ReelResize, antialias), TRUE,
      "whether each pixel counts where bilinear and bicubic make an image smaller", fixed);
}

static void
reel_resize_class_init (ReelResizeClass *klass)
{
  static const ReelId ids[] = {
    { "resize", NULL, "images of another size" },
    { "Resize", NULL, "images of another size, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  add_properties (REEL_OBJECT_CLASS (klass));
  transform_class->peer_name = "Resize";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->to_string = to_string;
}

static void
reel_resize_init (ReelResize *self)
{
}
