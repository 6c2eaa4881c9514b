/* Images of one channel, of red, green and blue. */
#include "image-kernel.h"
#include "image-layout.h"
#include "image-pass.h"
#include "image-spec.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"

struct _ReelGrayScale
{
  ReelTransform parent_instance;

  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelGrayScale, reel_gray_scale, REEL, GRAY_SCALE, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelGrayScale, reel_gray_scale, REEL_TYPE_TRANSFORM)

static gboolean
check (const ReelTensor *value, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);

  if (reel_dtype_is_complex (value->dtype) || value->dtype == REEL_DTYPE_BOOL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "gray-scale takes pixels that are numbers, not of dtype %s",
                 reel_dtype_name (value->dtype));
  else if (value->ndim < 3)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "Input image tensor should have at least 3 dimensions, but found %d", value->ndim);
  else if (value->shape[value->ndim - 3] != 3)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "Input image tensor permitted channel values are [3], but found %" G_GINT64_FORMAT
                 " (full shape: %s); to-tensor-image puts channels before height and width",
                 value->shape[value->ndim - 3], shape);
  else
    return TRUE;
  return FALSE;
}

/* One image at @in, its channels @apart and its pixels @stride elements apart. */
static void
make_gray (const ReelImageKernels *kernels, ReelDtype dtype, const guint8 *in, gint64 apart,
           gint64 stride, gint64 n, guint8 *out)
{
  if (dtype == REEL_DTYPE_UINT8)
    kernels->gray_u8 (in, in + apart, in + 2 * apart, stride, out, n);
  else if (dtype == REEL_DTYPE_FLOAT32)
    kernels->gray_f32 ((const float *) in, (const float *) in + apart,
                       (const float *) in + 2 * apart, stride, (float *) out, n);
  else
    kernels->gray_f64 ((const double *) in, (const double *) in + apart,
                       (const double *) in + 2 * apart, stride, (double *) out, n);
}

static ReelDtype
sum_dtype (ReelDtype dtype)
{
  if (dtype == REEL_DTYPE_UINT8 || dtype == REEL_DTYPE_FLOAT64)
    return dtype;
  return REEL_DTYPE_FLOAT32;
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  const ReelImageKernels *kernels =
      REEL_KERNEL_PICK (reel_image_kernels, REEL_GRAY_SCALE (transform)->isa);
  g_auto (ReelImages) images = { NULL };
  g_autoptr (ReelTensor) pixels = NULL, made = NULL;
  gint64 shape[REEL_MAX_NDIM], n;
  gsize size;

  if (!check (value, error) || !reel_images_init (&images, value, REEL_IMAGES_PACKED, error))
    return NULL;
  for (gint i = 0; i < value->ndim; i++)
    shape[i] = i == value->ndim - 3 ? 1 : value->shape[i];
  pixels = sum_dtype (value->dtype) == value->dtype
               ? reel_tensor_ref (images.pixels)
               : reel_tensor_convert (images.pixels, sum_dtype (value->dtype), error);
  made = pixels ? reel_tensor_new_unfilled (pixels->dtype, value->ndim, shape, error) : NULL;
  if (!made)
    return NULL;
  n = images.height * images.width;
  size = reel_dtype_size (made->dtype) * (gsize) n;
  for (gint64 i = 0; i < (images.last ? images.n : images.n / 3); i++)
    make_gray (kernels, made->dtype, pixels->data + (gsize) (3 * i) * size, images.last ? 1 : n,
               images.last ? 3 : 1, n, made->data + (gsize) i * size);
  return made->dtype == value->dtype ? g_steal_pointer (&made)
                                     : reel_tensor_convert (made, value->dtype, error);
}

static gboolean
join_pass (ReelTransform *transform, ReelImagePass *pass)
{
  return reel_image_pass_make_gray (pass, transform);
}

static gboolean
build (ReelObject *object, GError **error)
{
  reel_transform_default_to_pixels (REEL_TRANSFORM (object));
  return reel_isa_choose (&REEL_GRAY_SCALE (object)->isa, error)
         && REEL_OBJECT_CLASS (reel_gray_scale_parent_class)->build (object, error);
}

static void
reel_gray_scale_class_init (ReelGrayScaleClass *klass)
{
  static const ReelId ids[] = {
    { "gray-scale", NULL, "images of one channel, of red, green and blue" },
    { "GrayScale", NULL, "images of one channel, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  transform_class->peer_name = "GrayScale";
  transform_class->apply = apply;
  transform_class->apply_spec = reel_image_spec;
  transform_class->join_pass = join_pass;
}

static void
reel_gray_scale_init (ReelGrayScale *self)
{
}
