/* Images as networks take them: channels first, between 0 and 1; smaller and gray where asked. */
#include "image-kernel.h"
#include "image-layout.h"
#include "image-pass.h"
#include "image-spec.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"

/* Bytes of a result that whoever reads it does not find in a cache. */
#define STREAM_LEAST (8 << 20)

struct _ReelToTensorImage
{
  ReelTransform parent_instance;

  gint from_int;
  gboolean unsqueeze;
  gint dtype;
  gboolean shape_tolerant;
  ReelResizing size;
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
static const char *const dtype_names[] = { "float32",  "float64", "float16",
                                           "bfloat16", "uint8",   NULL };
static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_FLOAT16,
                                    REEL_DTYPE_BFLOAT16, REEL_DTYPE_UINT8 };

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
  else if (self->size.gray && value->shape[value->ndim - 1] != 3)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "to-tensor-image makes gray of 3 channels, which are the last dimension, not of "
                 "images of shape %s",
                 shape);
  else
    return TRUE;
  return FALSE;
}

/* Quotients are float32, as torch's of integers; those of floats are of their type. */
static void
divide (ReelToTensorImage *self, ReelTensor *pixels)
{
  gint64 n = reel_tensor_numel (pixels);

  if (pixels->dtype == REEL_DTYPE_FLOAT32)
    REEL_KERNEL_PICK (reel_image_kernels, self->size.isa)->to_unit_f32 ((float *) pixels->data, n);
  else
    for (gint64 i = 0; i < n; i++)
      ((double *) pixels->data)[i] /= 255;
}

static void
divide_bytes (ReelToTensorImage *self, const ReelTensor *bytes, ReelTensor *parts)
{
  const ReelImageKernels *kernels = REEL_KERNEL_PICK (reel_image_kernels, self->size.isa);

  (reel_tensor_nbytes (parts) >= STREAM_LEAST ? kernels->stream_unit_u8 : kernels->to_unit_u8) (
      bytes->data, (float *) parts->data, reel_tensor_numel (bytes));
}

/* In their place where nobody else has them. */
static ReelTensor *
scale (ReelToTensorImage *self, ReelTensor *value, gboolean ours, GError **error)
{
  ReelDtype dtype = value->dtype == REEL_DTYPE_FLOAT64 ? REEL_DTYPE_FLOAT64 : REEL_DTYPE_FLOAT32;
  ReelTensor *result;

  if (value->dtype == REEL_DTYPE_UINT8)
    {
      result = reel_tensor_new_unfilled (dtype, value->ndim, value->shape, error);
      if (result)
        divide_bytes (self, value, result);
      return result;
    }
  result = ours && value->dtype == dtype ? reel_tensor_ref (value)
                                         : reel_tensor_convert (value, dtype, error);
  if (result)
    divide (self, result);
  return result;
}

/* In one pass over the pixels, before they are divided: few are left then. */
static ReelTensor *
shrink (ReelToTensorImage *self, ReelTensor *value, GError **error)
{
  ReelResizing how = self->size;
  g_autoptr (ReelTensor) ordered = reel_tensor_in_order (value, error);
  g_autoptr (ReelTensor) turned = ordered ? reel_tensor_put_channels_first (ordered, error) : NULL;
  g_autoptr (ReelTensor) made = NULL;

  how.sums = TRUE;
  if (how.w == 0)
    {
      how.w = value->shape[value->ndim - 3];
      how.h = value->shape[value->ndim - 2];
    }
  made = turned ? reel_image_resize (turned, &how, error) : NULL;

  return made ? reel_tensor_put_channels_last (made, error) : NULL;
}

static gboolean
divides (ReelToTensorImage *self, ReelDtype dtype)
{
  return self->from_int == FROM_INT_TRUE
         || (self->from_int == FROM_INT_AUTO && !reel_dtype_is_float (dtype));
}

/* Elements are worked on as they lie; the channels come first in a view of them. */
static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelToTensorImage *self = REEL_TO_TENSOR_IMAGE (transform);
  gboolean shrinks = self->size.w || self->size.gray;
  gboolean turns = !self->shape_tolerant || value->shape[MAX (value->ndim, 1) - 1] == 3;
  g_autoptr (ReelTensor) small = NULL, pixels = NULL, scaled = NULL, made = NULL, turned = NULL;

  if (!check (self, value, error))
    return NULL;
  small = shrinks ? shrink (self, value, error) : reel_tensor_ref (value);
  pixels = small ? reel_tensor_in_order (small, error) : NULL;
  if (pixels)
    scaled = divides (self, value->dtype) ? scale (self, pixels, shrinks, error)
                                          : reel_tensor_ref (pixels);
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

/* A smaller image, or a gray one, is exact on the way; in a pass it would be rounded. */
static gboolean
join_pass (ReelTransform *transform, ReelImagePass *pass)
{
  ReelToTensorImage *self = REEL_TO_TENSOR_IMAGE (transform);

  return !self->size.w && !self->size.gray && !self->shape_tolerant && !self->unsqueeze
         && dtypes[self->dtype] == REEL_DTYPE_FLOAT32
         && reel_image_pass_turn (pass, divides (self, pass->dtype));
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelToTensorImage *self = REEL_TO_TENSOR_IMAGE (object);

  if ((self->size.w || self->size.gray) && self->shape_tolerant)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "to-tensor-image: use resize and gray-scale after it for images with "
                           "channels in any place");
      return FALSE;
    }
  if (self->size.gray && self->size.interpolation <= REEL_NEAREST_EXACT)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "to-tensor-image: pixels that are picked, by interpolation=nearest, are "
                           "made gray by gray-scale behind it");
      return FALSE;
    }
  if (self->size.h == 0)
    self->size.h = self->size.w;
  reel_transform_default_to_pixels (REEL_TRANSFORM (object));
  return reel_isa_choose (&self->size.isa, error)
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
  reel_resizing_add_properties (klass, G_STRUCT_OFFSET (ReelToTensorImage, size),
                                "rows of the result, as of resize behind it; 0 for as many as "
                                "there are");
  reel_object_class_add_bool (klass, "gray", G_STRUCT_OFFSET (ReelToTensorImage, size.gray), FALSE,
                              "whether one channel is left, as of gray-scale behind it", fixed);
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
  transform_class->join_pass = join_pass;
}

static void
reel_to_tensor_image_init (ReelToTensorImage *self)
{
}
