/* Images of another size. */
#include "image-pass.h"
#include "image-spec.h"
#include "transform-private.h"

struct _ReelResize
{
  ReelTransform parent_instance;

  ReelResizing size;
};

G_DECLARE_FINAL_TYPE (ReelResize, reel_resize, REEL, RESIZE, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelResize, reel_resize, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  return reel_image_resize (value, &REEL_RESIZE (transform)->size, error);
}

static gboolean
join_pass (ReelTransform *transform, ReelImagePass *pass)
{
  return reel_image_pass_resize (pass, &REEL_RESIZE (transform)->size);
}

/* A cubic overshoots: values need not stay between bounds. */
static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) bounded = reel_image_spec (transform, spec, error);
  const gint64 *shape;
  gint ndim;

  if (!bounded || REEL_RESIZE (transform)->size.interpolation != REEL_BICUBIC)
    return g_steal_pointer (&bounded);
  shape = reel_spec_get_shape (bounded, &ndim);
  return reel_unbounded_spec_new (reel_spec_get_dtype (bounded), ndim, shape, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelResize *self = REEL_RESIZE (object);

  if (self->size.w == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "resize needs to know to which size: resize:w=64,h=64");
      return FALSE;
    }
  if (self->size.h == 0)
    self->size.h = self->size.w;
  reel_transform_default_to_pixels (REEL_TRANSFORM (self));
  return reel_isa_choose (&self->size.isa, error)
         && REEL_OBJECT_CLASS (reel_resize_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  ReelResize *self = REEL_RESIZE (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  g_autofree char *mode = g_ascii_strup (reel_interpolations[self->size.interpolation], -1);

  return g_strdup_printf ("Resize(w=%" G_GINT64_FORMAT ", h=%" G_GINT64_FORMAT
                          ", interpolation=InterpolationMode.%s, keys=%s)",
                          self->size.w, self->size.h, g_strdelimit (mode, "-", '_'), keys);
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
  reel_resizing_add_properties (REEL_OBJECT_CLASS (klass), G_STRUCT_OFFSET (ReelResize, size),
                                "rows of the result, as TorchRL has it; to be given");
  transform_class->peer_name = "Resize";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->join_pass = join_pass;
  transform_class->to_string = to_string;
}

static void
reel_resize_init (ReelResize *self)
{
}
