/* Images as networks take them: channels first, between 0 and 1. */
#include "image-kernel.h"
#include "image-layout.h"
#include "image-spec.h"
#include "transform-private.h"

#include "../core/tensor-private.h"

struct _ReelToTensorImage
{
  ReelTransform parent_instance;

  gint from_int;
  gboolean unsqueeze;
  gint dtype;
  gboolean shape_tolerant;
  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelToTensorImage, reel_to_tensor_image, REEL, TO_TENSOR_IMAGE, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelToTensorImage, reel_to_tensor_image, REEL_TYPE_TRANSFORM)

enum
{
  FROM_INT_AUTO,
  FROM_INT_TRUE,
  FROM_INT_FALSE,
};

static const char *const from_ints[] = { "auto", "true", "false", NULL };
static const char *const dtype_names[] = { "float32", "float64", "float16", "bfloat16", NULL };
static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_FLOAT16,
                                    REEL_DTYPE_BFLOAT16 };

static gboolean
check (ReelToTensorImage *self, const ReelTensor *value, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);

  if (reel_dtype_is_complex (value->dtype))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "to-tensor-image takes pixels that are real numbers, not of dtype %s",
                 reel_dtype_name (value->dtype));
  else if (value->ndim < 3)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "to-tensor-image takes images [*, height, width, channels], not a tensor of shape "
                 "%s",
                 shape);
  else
    return TRUE;
  return FALSE;
}

/* Quotients are float32, as torch's of integers; those of floats are of their type. */
static ReelTensor *
divide (const ReelTensor *value, GError **error)
{
  gboolean wide = value->dtype == REEL_DTYPE_FLOAT64;
  ReelTensor *result =
      reel_tensor_convert (value, wide ? REEL_DTYPE_FLOAT64 : REEL_DTYPE_FLOAT32, error);
  gint64 n = result ? reel_tensor_numel (result) : 0;

  for (gint64 i = 0; i < n; i++)
    if (wide)
      ((double *) result->data)[i] /= 255;
    else
      ((float *) result->data)[i] /= 255;
  return result;
}

static ReelTensor *
scale (ReelToTensorImage *self, ReelTensor *value, GError **error)
{
  gboolean integer = !reel_dtype_is_float (value->dtype);
  ReelTensor *result;

  if (self->from_int == FROM_INT_FALSE || (self->from_int == FROM_INT_AUTO && !integer))
    return reel_tensor_ref (value);
  if (value->dtype != REEL_DTYPE_UINT8)
    return divide (value, error);
  result = reel_tensor_new_unfilled (REEL_DTYPE_FLOAT32, value->ndim, value->shape, error);
  if (result)
    REEL_KERNEL_PICK (reel_image_kernels, self->isa)
        ->to_unit_u8 (value->data, (float *) result->data, reel_tensor_numel (value));
  return result;
}

/* Elements are worked on as they lie; the channels come first in a view of them. */
static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelToTensorImage *self = REEL_TO_TENSOR_IMAGE (transform);
  gboolean turns = !self->shape_tolerant || value->shape[MAX (value->ndim, 1) - 1] == 3;
  g_autoptr (ReelTensor) pixels = NULL, scaled = NULL, made = NULL, turned = NULL;

  if (!check (self, value, error))
    return NULL;
  pixels = reel_tensor_in_order (value, error);
  scaled = pixels ? scale (self, pixels, error) : NULL;
  if (scaled)
    made = scaled->dtype == dtypes[self->dtype]
               ? reel_tensor_ref (scaled)
               : reel_tensor_convert (scaled, dtypes[self->dtype], error);
  if (made)
    turned = turns ? reel_tensor_put_channels_first (made, error) : reel_tensor_ref (made);
  if (!turned || !self->unsqueeze || turned->ndim != 3)
    return g_steal_pointer (&turned);
  return reel_tensor_unsqueeze (turned, 0, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  reel_transform_default_to_pixels (REEL_TRANSFORM (object));
  return reel_isa_choose (&REEL_TO_TENSOR_IMAGE (object)->isa, error)
         && REEL_OBJECT_CLASS (reel_to_tensor_image_parent_class)->build (object, error);
}

static void
add_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_enum (
      klass, "from-int", G_STRUCT_OFFSET (ReelToTensorImage, from_int), from_ints, FROM_INT_AUTO,
      "whether to divide by 255; by default where pixels are integers", fixed);
  reel_object_class_add_bool (klass, "unsqueeze", G_STRUCT_OFFSET (ReelToTensorImage, unsqueeze),
                              FALSE, "whether an image of three dimensions gets one more in front",
                              fixed);
  reel_object_class_add_enum (klass, "dtype", G_STRUCT_OFFSET (ReelToTensorImage, dtype),
                              dtype_names, 0, "type of the result", fixed);
  reel_object_class_add_bool (
      klass, "shape-tolerant", G_STRUCT_OFFSET (ReelToTensorImage, shape_tolerant), FALSE,
      "whether the last dimension stays where it is if it is none of three channels", fixed);
}

static void
reel_to_tensor_image_class_init (ReelToTensorImageClass *klass)
{
  static const ReelId ids[] = {
    { "to-tensor-image", NULL, "images with channels first, between 0 and 1" },
    { "ToTensorImage", NULL, "images with channels first, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  add_properties (REEL_OBJECT_CLASS (klass));
  transform_class->peer_name = "ToTensorImage";
  transform_class->apply = apply;
  transform_class->apply_spec = reel_image_spec;
}

static void
reel_to_tensor_image_init (ReelToTensorImage *self)
{
}
