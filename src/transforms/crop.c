/* A window of images at a given place. */
#include "crop-window.h"
#include "image-pass.h"
#include "reshape.h"

struct _ReelCrop
{
  ReelTransform parent_instance;

  gint64 w, h;
  gint64 top, left;
};

G_DECLARE_FINAL_TYPE (ReelCrop, reel_crop, REEL, CROP, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelCrop, reel_crop, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  const ReelCrop *self = REEL_CROP (transform);

  return reel_crop_window (value, self->top, self->left, self->w, self->h, error);
}

static gboolean
join_pass (ReelTransform *transform, ReelImagePass *pass)
{
  const ReelCrop *self = REEL_CROP (transform);

  return reel_image_pass_cut (pass, self->top, self->left, self->w, self->h);
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_reshape_spec (self, apply, spec, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelCrop *self = REEL_CROP (object);

  if (self->w == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "crop wants w, the rows of its result: crop:w=64,h=80");
      return FALSE;
    }
  self->h = self->h > 0 ? self->h : self->w;
  reel_transform_default_to_pixels (REEL_TRANSFORM (object));
  return REEL_OBJECT_CLASS (reel_crop_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  const ReelCrop *self = REEL_CROP (transform);

  return g_strdup_printf ("Crop(w=%.4f, h=%.4f, top=%.4f, left=%.4f)", (double) self->w,
                          (double) self->h, (double) self->top, (double) self->left);
}

static void
add_place (ReelObjectClass *klass, const char *name, gsize offset, const char *blurb)
{
  reel_object_class_add_int64 (klass, name, offset, 0, G_MAXINT32, 0, "pixels", blurb,
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_crop_class_init (ReelCropClass *klass)
{
  static const ReelId ids[] = {
    { "crop", NULL, "a window of images" },
    { "Crop", NULL, "a window of images, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_int64 (object_class, "w", G_STRUCT_OFFSET (ReelCrop, w), 0, G_MAXINT32, 0,
                               "pixels", "rows of the window, as TorchRL's w",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  add_place (object_class, "h", G_STRUCT_OFFSET (ReelCrop, h),
             "columns of the window, as TorchRL's h; 0 for as many as rows");
  add_place (object_class, "top", G_STRUCT_OFFSET (ReelCrop, top), "its first row");
  add_place (object_class, "left", G_STRUCT_OFFSET (ReelCrop, left), "its first column");
  transform_class->peer_name = "Crop";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->join_pass = join_pass;
  transform_class->to_string = to_string;
}

static void
reel_crop_init (ReelCrop *self)
{
}
