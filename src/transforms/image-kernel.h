/* Rows of pixels: what they weigh, which they are, how bright. Private. */
#pragma once

#include "../core/isa.h"

G_BEGIN_DECLS

/**
 * ReelColumnTaps:
 * @n: elements of a result
 * @step: elements from one source of an element to the next
 * @most: sources of an element, at most
 * @first: (array length=n): the first source of each
 * @count: (array length=n): how many
 * @weights: (array length=most × n): of the first sources of all, then of the second
 * @narrow: (array length=most × n): the same in float32
 *
 * What the elements of a row are made of, of another row.
 */
typedef struct
{
  gint64 n;
  gint64 step;
  gint64 most;
  const gint32 *first;
  const gint32 *count;
  const double *weights;
  const float *narrow;
} ReelColumnTaps;

/**
 * ReelImageKernels:
 * @sum_rows_u8: out[i] is the sum of @n_rows elements in[i], @stride elements apart, times their
 *   @weights, the first one first; @n of them
 * @sum_rows_f32: likewise
 * @sum_rows_f64: likewise
 * @sum_columns_f32: an element is the sum of its sources times their weights, the first one first
 * @sum_columns_f64: likewise
 * @gray_f32: 0.2989 red + 0.587 green + 0.114 blue of @n pixels, @stride elements apart
 * @gray_f64: likewise
 * @gray_u8: likewise in float32, cut to an integer
 * @to_unit_u8: in[i] / 255
 *
 * One table per instruction set, the same bits from each.
 */
typedef struct
{
  void (*sum_rows_u8) (const guint8 *in, gint64 stride, const double *weights, gint64 n_rows,
                       float *restrict out, gint64 n);
  void (*sum_rows_f32) (const float *in, gint64 stride, const double *weights, gint64 n_rows,
                        float *restrict out, gint64 n);
  void (*sum_rows_f64) (const double *in, gint64 stride, const double *weights, gint64 n_rows,
                        double *restrict out, gint64 n);
  void (*sum_columns_f32) (const float *in, const ReelColumnTaps *taps, float *restrict out);
  void (*sum_columns_f64) (const double *in, const ReelColumnTaps *taps, double *restrict out);
  void (*gray_u8) (const guint8 *red, const guint8 *green, const guint8 *blue, gint64 stride,
                   guint8 *restrict out, gint64 n);
  void (*gray_f32) (const float *red, const float *green, const float *blue, gint64 stride,
                    float *restrict out, gint64 n);
  void (*gray_f64) (const double *red, const double *green, const double *blue, gint64 stride,
                    double *restrict out, gint64 n);
  void (*to_unit_u8) (const guint8 *in, float *restrict out, gint64 n);
} ReelImageKernels;

REEL_KERNEL_DECLARE (ReelImageKernels, reel_image_kernels);

G_END_DECLS
