/* Sums of rows, and rows less a mean and over a width. Private. */
#pragma once

#include "../core/math/isa.h"

G_BEGIN_DECLS

/**
 * ReelRunningNormKernels:
 * @add_f32: adds @rows rows of @n values to @sums, and their squares to @squares, row after row
 * @add_f64: likewise
 * @normalise_f32: out[i] is (in[i] − loc[i mod n]) / scale[i mod n] in float64, rounded at the end
 * @normalise_f64: likewise
 *
 * One table per instruction set, the same bits from each. The output overlaps nothing.
 */
typedef struct
{
  void (*add_f32) (const float *in, gsize rows, gsize n, double *restrict sums,
                   double *restrict squares);
  void (*add_f64) (const double *in, gsize rows, gsize n, double *restrict sums,
                   double *restrict squares);
  void (*normalise_f32) (const float *in, gsize rows, gsize n, const double *restrict loc,
                         const double *restrict scale, float *restrict out);
  void (*normalise_f64) (const double *in, gsize rows, gsize n, const double *restrict loc,
                         const double *restrict scale, double *restrict out);
} ReelRunningNormKernels;

REEL_KERNEL_DECLARE (ReelRunningNormKernels, reel_running_norm_kernels);

G_END_DECLS
