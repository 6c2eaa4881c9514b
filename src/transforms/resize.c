/* Images of another size. */
#include "image-layout.h"
#include "image-spec.h"
#include "resampling.h"
#include "transform-private.h"

#include "../core/tensor-private.h"

#include <math.h>
#include <string.h>

/* Beyond it columns of wide pixels could not be counted in 32 bits. */
#define MOST_PIXELS 32768
#define MOST_ELEMENTS (G_MAXINT32 / 4)

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

static const char *const interpolations[] = { "nearest", "nearest-exact", "bilinear",
                                              "bicubic", "area",          NULL };

/* How one image becomes another, and what is between. */
typedef struct
{
  const ReelImageKernels *kernels;
  const ReelImages *images;
  ReelDtype dtype; /* of the sums */
  ReelResampling rows;
  ReelResampling columns;
  ReelColumnTaps taps;
  guint8 *between; /* as many rows as the result, as wide as the source */
} Work;

/* ---- weighted sums ---- */

static void
sum_rows (const Work *work, const guint8 *in, gint64 row, guint8 *out)
{
  const double *weights = work->rows.weights + row * work->rows.most;
  gint64 n = work->images->width * work->images->inner, n_rows = work->rows.count[row];
  const guint8 *from =
      in + (gsize) (work->rows.first[row] * n) * reel_dtype_size (work->images->pixels->dtype);

  if (work->images->pixels->dtype == REEL_DTYPE_UINT8)
    work->kernels->sum_rows_u8 (from, n, weights, n_rows, (float *) out, n);
  else if (work->dtype == REEL_DTYPE_FLOAT32)
    work->kernels->sum_rows_f32 ((const float *) from, n, weights, n_rows, (float *) out, n);
  else
    work->kernels->sum_rows_f64 ((const double *) from, n, weights, n_rows, (double *) out, n);
}

static void
sum_columns (const Work *work, const guint8 *in, guint8 *out)
{
  if (work->dtype == REEL_DTYPE_FLOAT32)
    work->kernels->sum_columns_f32 ((const float *) in, &work->taps, (float *) out);
  else
    work->kernels->sum_columns_f64 ((const double *) in, &work->taps, (double *) out);
}

static void
sum_image (const Work *work, const guint8 *in, guint8 *out)
{
  gsize size = reel_dtype_size (work->dtype);

  for (gint64 row = 0; row < work->rows.n; row++)
    {
      sum_rows (work, in, row, work->between);
      sum_columns (work, work->between, out + (gsize) (row * work->taps.n) * size);
    }
}

static void
sum_images (Work *work, ReelTensor *made)
{
  const ReelImages *images = work->images;
  gsize in = (gsize) (images->height * images->width * images->inner)
             * reel_dtype_size (images->pixels->dtype);
  gsize out =
      (gsize) (work->rows.n * work->columns.n * images->inner) * reel_dtype_size (work->dtype);

  work->between =
      g_malloc ((gsize) (images->width * images->inner) * reel_dtype_size (work->dtype));
  reel_resampling_new_taps (&work->columns, images->inner, &work->taps);
  for (gint64 i = 0; i < images->n; i++)
    sum_image (work, images->pixels->data + (gsize) i * in, made->data + (gsize) i * out);
  reel_resampling_clear_taps (&work->taps);
  g_free (work->between);
}

/* ---- pixels as they are ---- */

static void
pick_images (const Work *work, ReelTensor *made)
{
  const ReelImages *images = work->images;
  gsize pixel = (gsize) images->inner * reel_dtype_size (images->pixels->dtype);
  guint8 *to = made->data;

  for (gint64 i = 0; i < images->n; i++)
    for (gint64 y = 0; y < work->rows.n; y++)
      {
        const guint8 *row =
            images->pixels->data
            + (gsize) ((i * images->height + work->rows.first[y]) * images->width) * pixel;

        for (gint64 x = 0; x < work->columns.n; x++, to += pixel)
          memcpy (to, row + (gsize) work->columns.first[x] * pixel, pixel);
      }
}

/* ---- types ---- */

static gboolean
picks (ReelResize *self)
{
  return self->interpolation == REEL_NEAREST || self->interpolation == REEL_NEAREST_EXACT;
}

/* What sums are made in: float32 says every 8-bit integer, float64 the others. */
static ReelDtype
sum_dtype (ReelDtype dtype)
{
  gboolean narrow = dtype == REEL_DTYPE_UINT8 || dtype == REEL_DTYPE_FLOAT32
                    || dtype == REEL_DTYPE_FLOAT16 || dtype == REEL_DTYPE_BFLOAT16;

  return narrow ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_FLOAT64;
}

static void
round_all (ReelTensor *tensor)
{
  gint64 n = reel_tensor_numel (tensor);

  if (tensor->dtype == REEL_DTYPE_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      ((float *) tensor->data)[i] = rintf (((float *) tensor->data)[i]);
  else
    for (gint64 i = 0; i < n; i++)
      ((double *) tensor->data)[i] = rint (((double *) tensor->data)[i]);
}

/* Integers are rounded, and cut to what their type can say. */
static ReelTensor *
narrow (ReelTensor *sums, ReelDtype dtype, GError **error)
{
  if (sums->dtype == dtype)
    return reel_tensor_ref (sums);
  if (!reel_dtype_is_float (dtype))
    round_all (sums);
  return reel_tensor_convert (sums, dtype, error);
}

static gboolean
check (ReelResize *self, const ReelTensor *value, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);
  gint ndim = value->ndim;

  if (!picks (self) && (reel_dtype_is_complex (value->dtype) || value->dtype == REEL_DTYPE_BOOL))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "resize: pixels of dtype %s have no mean: interpolation=nearest picks some",
                 reel_dtype_name (value->dtype));
  else if (ndim < 2)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "resize takes images [*, height, width], not a tensor of shape %s", shape);
  else if (value->shape[ndim - 1] < 1 || value->shape[ndim - 2] < 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "resize: images of shape %s have no pixels",
                 shape);
  else if (value->shape[ndim - 2] > MOST_ELEMENTS
           || value->shape[ndim - 1]
                  > MOST_ELEMENTS / (ndim > 2 ? MAX (value->shape[ndim - 3], 1) : 1))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "resize: images of shape %s are too large: a row may have %d elements", shape,
                 MOST_ELEMENTS);
  else
    return TRUE;
  return FALSE;
}

/* ---- the class ---- */

static ReelTensor *
make (ReelResize *self, const ReelImages *images, GError **error)
{
  Work work = { .kernels = REEL_KERNEL_PICK (reel_image_kernels, self->isa),
                .images = images,
                .dtype = picks (self) ? images->pixels->dtype : sum_dtype (images->pixels->dtype) };
  ReelTensor *made = reel_images_new_like (images, work.dtype, self->w, self->h, error);

  if (!made)
    return NULL;
  reel_resampling_init (&work.rows, (ReelInterpolation) self->interpolation, self->antialias,
                        images->height, self->w);
  reel_resampling_init (&work.columns, (ReelInterpolation) self->interpolation, self->antialias,
                        images->width, self->h);
  (picks (self) ? (void (*) (Work *, ReelTensor *)) pick_images : sum_images) (&work, made);
  reel_resampling_clear (&work.rows);
  reel_resampling_clear (&work.columns);
  return made;
}

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelResize *self = REEL_RESIZE (transform);
  g_auto (ReelImages) images = { NULL };
  g_autoptr (ReelTensor) wide = NULL, made = NULL, narrowed = NULL;
  ReelDtype dtype;

  if (!check (self, value, error))
    return NULL;
  if (value->shape[value->ndim - 2] == self->w && value->shape[value->ndim - 1] == self->h)
    return reel_tensor_ref (value);
  if (!reel_images_init (&images, value, error))
    return NULL;
  dtype = picks (self) ? value->dtype : sum_dtype (value->dtype);
  if (value->dtype != dtype && value->dtype != REEL_DTYPE_UINT8)
    {
      wide = reel_tensor_convert (images.pixels, dtype, error);
      if (!wide)
        return NULL;
      reel_tensor_unref (images.pixels);
      images.pixels = g_steal_pointer (&wide);
    }
  made = make (self, &images, error);
  narrowed = made ? narrow (made, value->dtype, error) : NULL;
  return narrowed ? reel_images_turn (&images, narrowed, error) : NULL;
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
                          self->w, self->h, interpolations[self->interpolation], keys);
}

static void
add_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_int64 (klass, "w", G_STRUCT_OFFSET (ReelResize, w), 0, MOST_PIXELS, 0,
                               "pixels", "rows of the result, as TorchRL has it; to be given",
                               fixed);
  reel_object_class_add_int64 (klass, "h", G_STRUCT_OFFSET (ReelResize, h), 0, MOST_PIXELS, 0,
                               "pixels", "pixels of a row of the result; 0 for as many as rows",
                               fixed);
  reel_object_class_add_enum (klass, "interpolation", G_STRUCT_OFFSET (ReelResize, interpolation),
                              interpolations, REEL_BILINEAR, "what a pixel of the result is",
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
