#include "image-resize.h"

#include "image-layout.h"

#include "../core/tensor-private.h"

#include <math.h>
#include <string.h>

/* Beyond it columns could not be counted in 32 bits. */
#define MOST_ELEMENTS (G_MAXINT32 / 4)

const char *const reel_interpolations[] = { "nearest", "nearest-exact", "bilinear",
                                            "bicubic", "area",          NULL };

void
reel_resizing_add_properties (ReelObjectClass *klass, gsize offset, const char *rows)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_int64 (klass, "w", offset + G_STRUCT_OFFSET (ReelResizing, w), 0,
                               REEL_MOST_PIXELS, 0, "pixels", rows, fixed);
  reel_object_class_add_int64 (klass, "h", offset + G_STRUCT_OFFSET (ReelResizing, h), 0,
                               REEL_MOST_PIXELS, 0, "pixels",
                               "pixels of a row of the result; 0 for as many as w", fixed);
  reel_object_class_add_enum (
      klass, "interpolation", offset + G_STRUCT_OFFSET (ReelResizing, interpolation),
      reel_interpolations, REEL_BILINEAR, "what a pixel of the result is", fixed);
  reel_object_class_add_bool (
      klass, "antialias", offset + G_STRUCT_OFFSET (ReelResizing, antialias), TRUE,
      "whether each pixel counts where bilinear and bicubic make an image smaller", fixed);
}

/* How one image becomes another, and what is between. */
typedef struct
{
  const ReelImageKernels *kernels;
  const ReelImages *images;
  ReelDtype dtype; /* of the sums */
  ReelResampling rows;
  ReelResampling columns;
  ReelColumnTaps taps;
  gboolean gray;   /* whether three elements of a pixel become one */
  guint8 *between; /* a row as wide as the source */
  guint8 *shades;  /* the same, of one element a pixel */
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
sum_colours (const Work *work, const guint8 *in, guint8 *out)
{
  gint64 n = work->images->width;

  if (work->dtype == REEL_DTYPE_FLOAT32)
    work->kernels->gray_f32 ((const float *) in, (const float *) in + 1, (const float *) in + 2, 3,
                             (float *) out, n);
  else
    work->kernels->gray_f64 ((const double *) in, (const double *) in + 1, (const double *) in + 2,
                             3, (double *) out, n);
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
      if (work->gray)
        sum_colours (work, work->between, work->shades);
      sum_columns (work, work->gray ? work->shades : work->between,
                   out + (gsize) (row * work->taps.n) * size);
    }
}

static void
sum_images (Work *work, ReelTensor *made)
{
  const ReelImages *images = work->images;
  gsize in = (gsize) (images->height * images->width * images->inner)
             * reel_dtype_size (images->pixels->dtype);
  gint64 inner = work->gray ? 1 : images->inner;
  gsize out = (gsize) (work->rows.n * work->columns.n * inner) * reel_dtype_size (work->dtype);

  work->between =
      g_malloc ((gsize) (images->width * images->inner) * reel_dtype_size (work->dtype));
  work->shades = g_malloc ((gsize) images->width * reel_dtype_size (work->dtype));
  reel_resampling_new_taps (&work->columns, inner, &work->taps);
  for (gint64 i = 0; i < images->n; i++)
    sum_image (work, images->pixels->data + (gsize) i * in, made->data + (gsize) i * out);
  reel_resampling_clear_taps (&work->taps);
  g_free (work->shades);
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
picks (const ReelResizing *how)
{
  return how->interpolation == REEL_NEAREST || how->interpolation == REEL_NEAREST_EXACT;
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
check (const ReelResizing *how, const ReelTensor *value, GError **error)
{
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);
  gint ndim = value->ndim;

  if (!picks (how) && (reel_dtype_is_complex (value->dtype) || value->dtype == REEL_DTYPE_BOOL))
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

static ReelTensor *
make (const ReelResizing *how, const ReelImages *images, GError **error)
{
  Work work = { .kernels = REEL_KERNEL_PICK (reel_image_kernels, how->isa),
                .images = images,
                .gray = how->gray && images->last && images->inner == 3,
                .dtype = picks (how) ? images->pixels->dtype : sum_dtype (images->pixels->dtype) };
  ReelTensor *made =
      reel_images_new_like (images, work.dtype, how->w, how->h, work.gray ? 1 : 0, error);

  if (!made)
    return NULL;
  reel_resampling_init (&work.rows, how->interpolation, how->antialias, images->height, how->w);
  reel_resampling_init (&work.columns, how->interpolation, how->antialias, images->width, how->h);
  (picks (how) ? (void (*) (Work *, ReelTensor *)) pick_images : sum_images) (&work, made);
  reel_resampling_clear (&work.rows);
  reel_resampling_clear (&work.columns);
  return made;
}

static gboolean
changes_nothing (const ReelTensor *value, const ReelResizing *how)
{
  return value->shape[value->ndim - 2] == how->w && value->shape[value->ndim - 1] == how->h
         && !how->gray && !how->sums;
}

ReelTensor *
reel_image_resize (ReelTensor *value, const ReelResizing *how, GError **error)
{
  g_auto (ReelImages) images = { NULL };
  g_autoptr (ReelTensor) wide = NULL, made = NULL, narrowed = NULL;
  ReelDtype dtype = picks (how) ? value->dtype : sum_dtype (value->dtype);

  if (!check (how, value, error))
    return NULL;
  if (changes_nothing (value, how))
    return reel_tensor_ref (value);
  if (!reel_images_init (&images, value, error))
    return NULL;
  if (value->dtype != dtype && value->dtype != REEL_DTYPE_UINT8)
    {
      wide = reel_tensor_convert (images.pixels, dtype, error);
      if (!wide)
        return NULL;
      reel_tensor_unref (images.pixels);
      images.pixels = g_steal_pointer (&wide);
    }
  made = make (how, &images, error);
  if (made)
    narrowed = how->sums ? reel_tensor_ref (made) : narrow (made, value->dtype, error);
  return narrowed ? reel_images_turn (&images, narrowed, error) : NULL;
}
