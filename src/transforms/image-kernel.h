/* Rows of pixels: what they weigh, which they are, how bright. Private. */
#pragma once

#include "../core/math/isa.h"

G_BEGIN_DECLS

/**
 * REEL_IMAGE_LANES:
 *
 * Rows whose columns are summed at once.
 */
#define REEL_IMAGE_LANES 16

/**
 * REEL_GRAY_PARTS:
 *
 * The divisor of a whole number of `gray_bytes`.
 */
#define REEL_GRAY_PARTS 10000

/**
 * ReelColumnTaps:
 * @n: pixels of a result
 * @inner: elements of a pixel
 * @most: sources of a pixel, at most
 * @first: (array length=n): the first source of each
 * @count: (array length=n): how many
 * @weights: (array length=n × most): of the sources of each, one behind the other
 *
 * The sources of the pixels of a row, in another row.
 */
typedef struct
{
  gint64 n;
  gint64 inner;
  gint64 most;
  const gint32 *first;
  const gint32 *count;
  const double *weights;
} ReelColumnTaps;

/**
 * ReelImageKernels:
 * @sum_rows_f32: out[i] is the sum of the elements i of @n_rows rows times their @weights, the
 *   first one first; @n of them
 * @sum_rows_f64: likewise
 * @sum_columns_f32: elements are the sums of their sources times their weights, the first one
 *   first. Of #REEL_IMAGE_LANES rows: the same element of each one behind the other
 * @sum_columns_f64: likewise
 * @turn_f32: out[j × out_stride + i] is in[i × in_stride + j], of @n_rows rows i of @n elements j
 * @turn_f64: likewise
 * @widen_u8: out[i] is in[i]
 * @gray_bytes: #REEL_GRAY_PARTS times 0.2989 red + 0.587 green + 0.114 blue of @n pixels, one
 *   behind the other: whole numbers
 * @gray_unit_bytes: `gray_f32` of `to_unit_u8` of @n pixels, the elements of each one behind the
 *   other
 * @gray_f32: 0.2989 red + 0.587 green + 0.114 blue of @n pixels, @stride elements apart
 * @gray_f64: likewise
 * @gray_u8: likewise in float32, cut to an integer
 * @to_unit_u8: in[i] / 255
 * @stream_unit_u8: likewise, past the cache; any thread may read it afterwards
 * @to_unit_f32: values[i] / 255 in the place of values[i]
 *
 * One table per instruction set, the same bits from each.
 */
typedef struct
{
  void (*sum_rows_f32) (const float *const *rows, const double *weights, gint64 n_rows,
                        float *restrict out, gint64 n);
  void (*sum_rows_f64) (const double *const *rows, const double *weights, gint64 n_rows,
                        double *restrict out, gint64 n);
  void (*sum_columns_f32) (const float *in, const ReelColumnTaps *taps, float *restrict out);
  void (*sum_columns_f64) (const double *in, const ReelColumnTaps *taps, double *restrict out);
  void (*turn_f32) (const float *in, gint64 in_stride, gint64 n_rows, gint64 n, float *restrict out,
                    gint64 out_stride);
  void (*turn_f64) (const double *in, gint64 in_stride, gint64 n_rows, gint64 n,
                    double *restrict out, gint64 out_stride);
  void (*widen_u8) (const guint8 *in, float *restrict out, gint64 n);
  void (*gray_bytes) (const guint8 *in, float *restrict out, gint64 n);
  void (*gray_unit_bytes) (const guint8 *in, float *restrict out, gint64 n);
  void (*gray_u8) (const guint8 *red, const guint8 *green, const guint8 *blue, gint64 stride,
                   guint8 *restrict out, gint64 n);
  void (*gray_f32) (const float *red, const float *green, const float *blue, gint64 stride,
                    float *restrict out, gint64 n);
  void (*gray_f64) (const double *red, const double *green, const double *blue, gint64 stride,
                    double *restrict out, gint64 n);
  void (*to_unit_u8) (const guint8 *in, float *restrict out, gint64 n);
  void (*stream_unit_u8) (const guint8 *in, float *restrict out, gint64 n);
  void (*to_unit_f32) (float *values, gint64 n);
} ReelImageKernels;

REEL_KERNEL_DECLARE (ReelImageKernels, reel_image_kernels);

G_END_DECLS
