/* The middle of images. */
#include "crop-window.h"
#include "image-pass.h"
#include "reshape.h"

#include <math.h>

struct _ReelCenterCrop
{
  ReelTransform parent_instance;

  gint64 w, h;
};

G_DECLARE_FINAL_TYPE (ReelCenterCrop, reel_center_crop, REEL, CENTER_CROP, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelCenterCrop, reel_center_crop, REEL_TYPE_TRANSFORM)

/* The first of @n in the middle of @extent, as torchvision's center_crop() rounds it: half a pixel
 * to the even one inside, and down outside. */
static gint64
find_first (gint64 extent, gint64 n)
{
  return n > extent ? -((n - extent) / 2) : (gint64) rint ((double) (extent - n) / 2);
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  const ReelCenterCrop *self = REEL_CENTER_CROP (transform);
  gint64 height = value->ndim >= 2 ? value->shape[value->ndim - 2] : 0;
  gint64 width = value->ndim >= 2 ? value->shape[value->ndim - 1] : 0;

  return reel_crop_window (value, find_first (height, self->w), find_first (width, self->h),
                           self->w, self->h, error);
}

static gboolean
join_pass (ReelTransform *transform, ReelImagePass *pass)
{
  const ReelCenterCrop *self = REEL_CENTER_CROP (transform);
  const gint64 *last = pass->shape + pass->ndim - 2;

  return reel_image_pass_cut (pass, find_first (last[0], self->w), find_first (last[1], self->h),
                              self->w, self->h);
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_reshape_spec (self, apply, spec, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelCenterCrop *self = REEL_CENTER_CROP (object);

  if (self->w == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "center-crop wants w, the rows of its result: center-crop:w=64,h=80");
      return FALSE;
    }
  self->h = self->h > 0 ? self->h : self->w;
  reel_transform_default_to_pixels (REEL_TRANSFORM (object));
  return REEL_OBJECT_CLASS (reel_center_crop_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *transform)
{
  const ReelCenterCrop *self = REEL_CENTER_CROP (transform);

  return g_strdup_printf ("CenterCrop(w=%.4f, h=%.4f)", (double) self->w, (double) self->h);
}

static void
reel_center_crop_class_init (ReelCenterCropClass *klass)
{
  static const ReelId ids[] = {
    { "center-crop", NULL, "the middle of images" },
    { "CenterCrop", NULL, "the middle of images, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_int64 (object_class, "w", G_STRUCT_OFFSET (ReelCenterCrop, w), 0,
                               G_MAXINT32, 0, "pixels", "rows of the result, as TorchRL's w",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "h", G_STRUCT_OFFSET (ReelCenterCrop, h), 0, G_MAXINT32, 0, "pixels",
      "columns of the result, as TorchRL's h; 0 for as many as rows", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "CenterCrop";
  transform_class->apply = apply;
  transform_class->apply_spec = apply_spec;
  transform_class->join_pass = join_pass;
  transform_class->to_string = to_string;
}

static void
reel_center_crop_init (ReelCenterCrop *self)
{
}
