/* Resizes images by sums of rows, then of columns; nearest picks pixels as they are. */
#include "image-resize.h"

#include "image-lines.h"

#include "../core/tensor/tensor-private.h"

#include <math.h>
#include <string.h>

/* Rows of the result between fetching what they are made of and making them. */
#define AHEAD 2

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
      reel_interpolations, REEL_BILINEAR, "value of a pixel of the result", fixed);
  reel_object_class_add_bool (
      klass, "antialias", offset + G_STRUCT_OFFSET (ReelResizing, antialias), TRUE,
      "whether each pixel counts where bilinear and bicubic make an image smaller", fixed);
}

/* How images become others, and what is between. */
typedef struct
{
  const ReelImageKernels *kernels;
  const ReelImages *images;
  ReelDtype dtype; /* of the sums */
  ReelLineKind kind;
  ReelResampling rows;
  ReelResampling columns;
  ReelLines lines;
  gconstpointer *sources; /* of a row */
  ReelTensor *between;    /* some rows, as wide as the lines */
  ReelTensor *turned;     /* their columns as rows */
  ReelTensor *sums;       /* the columns of the result, of these rows */
} Work;

/* ---- weighted sums ---- */

static void
sum_row (Work *work, gint64 row, guint8 *out)
{
  const double *weights = work->rows.weights + row * work->rows.most;
  gint64 n = work->lines.n * work->lines.inner, n_rows = work->rows.count[row];
  gint64 next = MIN (row + AHEAD, work->rows.n - 1);

  for (gint64 k = 0; k < n_rows; k++)
    {
      if (k < work->rows.count[next])
        reel_lines_expect (&work->lines, work->rows.first[next] + k);
      work->sources[k] = reel_lines_get (&work->lines, work->rows.first[row] + k);
    }
  if (work->dtype == REEL_DTYPE_FLOAT32)
    work->kernels->sum_rows_f32 ((const float *const *) work->sources, weights, n_rows,
                                 (float *) out, n);
  else
    work->kernels->sum_rows_f64 ((const double *const *) work->sources, weights, n_rows,
                                 (double *) out, n);
}

/* All these rows at a time: the same columns of each are neighbours then, a vector. */
static void
sum_columns (const Work *work, gint64 n_rows, guint8 *out)
{
  const ReelColumnTaps taps = { work->columns.n,   work->lines.inner,   work->columns.most,
                                work->lines.first, work->columns.count, work->columns.weights };
  gint64 n_in = work->lines.n * work->lines.inner, n = taps.n * taps.inner;
  gpointer in = work->between->data, turned = work->turned->data, sums = work->sums->data;

  if (work->dtype == REEL_DTYPE_FLOAT32)
    {
      work->kernels->turn_f32 (in, n_in, n_rows, n_in, turned, REEL_IMAGE_LANES);
      work->kernels->sum_columns_f32 (turned, &taps, sums);
      work->kernels->turn_f32 (sums, REEL_IMAGE_LANES, n, n_rows, (float *) out, n);
    }
  else
    {
      work->kernels->turn_f64 (in, n_in, n_rows, n_in, turned, REEL_IMAGE_LANES);
      work->kernels->sum_columns_f64 (turned, &taps, sums);
      work->kernels->turn_f64 (sums, REEL_IMAGE_LANES, n, n_rows, (double *) out, n);
    }
}

static void
sum_image (Work *work, gint64 i, guint8 *out)
{
  gsize size = reel_dtype_size (work->dtype);
  gsize wide = (gsize) (work->lines.n * work->lines.inner) * size;
  gsize narrow = (gsize) (work->columns.n * work->lines.inner) * size;

  reel_lines_begin (&work->lines, i);
  out += (gsize) (i * work->rows.n) * narrow;
  for (gint64 row = 0; row < work->rows.n; row += REEL_IMAGE_LANES)
    {
      gint64 n_rows = MIN (work->rows.n - row, REEL_IMAGE_LANES);

      for (gint64 k = 0; k < n_rows; k++)
        sum_row (work, row + k, work->between->data + (gsize) k * wide);
      sum_columns (work, n_rows, out + (gsize) row * narrow);
    }
}

static gboolean
prepare (Work *work, GError **error)
{
  const ReelImages *images = work->images;
  gint64 rows[2] = { REEL_IMAGE_LANES }, columns[2] = { 0, REEL_IMAGE_LANES };

  if (work->kind.gray && !work->kind.unit && images->pixels->dtype == REEL_DTYPE_UINT8)
    for (gint64 i = 0; i < work->rows.n * work->rows.most; i++)
      /* Gray lines of bytes are whole ten-thousandths, exact in float32:
       * the weights of rows divide them. */
      work->rows.weights[i] /= REEL_GRAY_PARTS;
  work->sources = g_new (gconstpointer, work->rows.most);
  if (!reel_lines_init (&work->lines, work->kernels, images, work->dtype, work->kind,
                        &work->columns, work->rows.most, error))
    return FALSE;
  rows[1] = columns[0] = work->lines.n * work->lines.inner;
  work->between = reel_tensor_new_unfilled (work->dtype, 2, rows, error);
  work->turned = work->between ? reel_tensor_new (work->dtype, 2, columns, error) : NULL;
  columns[0] = work->columns.n * work->lines.inner;
  work->sums = work->turned ? reel_tensor_new_unfilled (work->dtype, 2, columns, error) : NULL;
  return work->sums != NULL;
}

static gboolean
sum_images (Work *work, ReelTensor *made, GError **error)
{
  gboolean ready = prepare (work, error);

  for (gint64 i = 0; ready && i < work->images->n; i++)
    sum_image (work, i, made->data);
  reel_lines_clear (&work->lines);
  g_free (work->sources);
  g_clear_pointer (&work->between, reel_tensor_unref);
  g_clear_pointer (&work->turned, reel_tensor_unref);
  g_clear_pointer (&work->sums, reel_tensor_unref);
  return ready;
}

/* ---- images of the same size ---- */

static gboolean
copy_images (Work *work, ReelTensor *made, GError **error)
{
  gboolean ready = reel_lines_init (&work->lines, work->kernels, work->images, work->dtype,
                                    work->kind, NULL, 1, error);
  guint8 *to = made->data;

  for (gint64 i = 0; ready && i < work->images->n; i++)
    {
      reel_lines_begin (&work->lines, i);
      for (gint64 row = 0; row < work->images->height; row++, to += work->lines.line_size)
        reel_lines_write (&work->lines, row, to);
    }
  reel_lines_clear (&work->lines);
  return ready;
}

/* ---- pixels as they are ---- */

static gboolean
pick_images (Work *work, ReelTensor *made, GError **error)
{
  const ReelImages *images = work->images;
  gsize pixel = (gsize) images->inner * reel_dtype_size (images->pixels->dtype);
  guint8 *to = made->data;

  for (gint64 i = 0; i < images->n; i++)
    for (gint64 y = 0; y < work->rows.n; y++)
      {
        const guint8 *row = images->data + (gsize) i * images->image_bytes
                            + (gsize) work->rows.first[y] * images->row_bytes;

        for (gint64 x = 0; x < work->columns.n; x++, to += pixel)
          memcpy (to, row + (gsize) work->columns.first[x] * pixel, pixel);
      }
  return TRUE;
}

/* ---- types ---- */

/* Whether pixels stay what they are. */
static gboolean
picks (const ReelResizing *how)
{
  return !how->unit && reel_resizing_picks (how);
}

gboolean
reel_resizing_picks (const ReelResizing *how)
{
  return how->interpolation == REEL_NEAREST || how->interpolation == REEL_NEAREST_EXACT;
}

/* The type of sums: float32 for 8-bit integers, float64 for the others. */
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
  else if (value->shape[ndim - 2] > REEL_MOST_LINE
           || value->shape[ndim - 1]
                  > REEL_MOST_LINE / (ndim > 2 ? MAX (value->shape[ndim - 3], 1) : 1))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "resize: images of shape %s are too large: a row may have %d elements", shape,
                 REEL_MOST_LINE);
  else
    return TRUE;
  return FALSE;
}

/* Gray bytes of no unit are divided with the weights of a sum. */
static gboolean
keeps_size (const Work *work, const ReelResizing *how)
{
  const ReelImages *images = work->images;

  return images->height == how->w && images->width == how->h
         && (work->kind.unit || images->pixels->dtype == work->dtype);
}

static ReelTensor *
make (const ReelResizing *how, const ReelImages *images, GError **error)
{
  Work work = { .kernels = REEL_KERNEL_PICK (reel_image_kernels, how->isa),
                .images = images,
                .kind = { how->gray && images->last && images->inner == 3, how->unit },
                .dtype = picks (how) ? images->pixels->dtype : sum_dtype (images->pixels->dtype) };
  ReelTensor *made =
      reel_images_new_like (images, work.dtype, how->w, how->h, work.kind.gray ? 1 : 0, error);

  if (!made)
    return NULL;
  if (keeps_size (&work, how))
    {
      if (!copy_images (&work, made, error))
        g_clear_pointer (&made, reel_tensor_unref);
      return made;
    }
  reel_resampling_init (&work.rows, how->interpolation, how->antialias, images->height, how->w);
  reel_resampling_init (&work.columns, how->interpolation, how->antialias, images->width, how->h);
  if (!(picks (how) ? pick_images : sum_images) (&work, made, error))
    g_clear_pointer (&made, reel_tensor_unref);
  reel_resampling_clear (&work.rows);
  reel_resampling_clear (&work.columns);
  return made;
}

static gboolean
changes_nothing (const ReelTensor *value, const ReelResizing *how)
{
  return value->shape[value->ndim - 2] == how->w && value->shape[value->ndim - 1] == how->h
         && !how->gray && !how->unit && !how->sums;
}

ReelTensor *
reel_image_resize (ReelTensor *value, const ReelResizing *how, GError **error)
{
  g_auto (ReelImages) images = { NULL };
  g_autoptr (ReelTensor) wide = NULL, made = NULL, narrowed = NULL;
  ReelDtype dtype = picks (how) ? value->dtype : sum_dtype (value->dtype);
  gboolean as_it_is = value->dtype == dtype || value->dtype == REEL_DTYPE_UINT8;
  ReelImageNeeds needs = (as_it_is ? 0 : REEL_IMAGES_PACKED) | (how->gray ? REEL_IMAGES_PIXELS : 0);

  if (!check (how, value, error))
    return NULL;
  if (changes_nothing (value, how))
    return reel_tensor_ref (value);
  if (!reel_images_init (&images, value, needs, error))
    return NULL;
  if (!as_it_is)
    {
      wide = reel_tensor_convert (images.pixels, dtype, error);
      if (!wide)
        return NULL;
      reel_images_take (&images, g_steal_pointer (&wide));
    }
  made = make (how, &images, error);
  if (made)
    narrowed = how->sums ? reel_tensor_ref (made) : narrow (made, value->dtype, error);
  return narrowed ? reel_images_turn (&images, narrowed, error) : NULL;
}
