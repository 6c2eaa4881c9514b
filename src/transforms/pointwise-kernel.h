/* Elements that change one by one, in contiguous memory. Private. */
#pragma once

#include "../core/math/isa.h"

G_BEGIN_DECLS

/**
 * ReelPointwiseKernels:
 * @clip_f32: out[i] is in[i], or the bound that it is beyond; NaN stays
 * @clip_f64: likewise
 * @sign_f32: out[i] is -1, 0 or 1; 0 for NaN
 * @sign_f64: likewise
 * @scale_f32: out[i] is in[i] × scale[i mod period] + loc[i mod period], rounded twice
 * @scale_f64: likewise
 * @standardize_f32: out[i] is (in[i] − loc[i mod period]) / scale[i mod period], rounded twice
 * @standardize_f64: likewise
 * @is_positive_f32: out[i] is 1 where in[i] is above 0, else 0
 * @is_positive_f64: likewise
 * @any_16: whether all bits of @mask are set in an element
 * @any_32: likewise
 * @any_64: likewise
 *
 * One table per instruction set, the same bits from each. The output overlaps nothing.
 */
typedef struct
{
  void (*clip_f32) (const float *in, float low, float high, float *restrict out, gint64 n);
  void (*clip_f64) (const double *in, double low, double high, double *restrict out, gint64 n);
  void (*sign_f32) (const float *in, float *restrict out, gint64 n);
  void (*sign_f64) (const double *in, double *restrict out, gint64 n);
  void (*scale_f32) (const float *in, const float *scale, const float *loc, gint64 period,
                     float *restrict out, gint64 n);
  void (*scale_f64) (const double *in, const double *scale, const double *loc, gint64 period,
                     double *restrict out, gint64 n);
  void (*standardize_f32) (const float *in, const float *scale, const float *loc, gint64 period,
                           float *restrict out, gint64 n);
  void (*standardize_f64) (const double *in, const double *scale, const double *loc, gint64 period,
                           double *restrict out, gint64 n);
  void (*is_positive_f32) (const float *in, gint8 *restrict out, gint64 n);
  void (*is_positive_f64) (const double *in, gint8 *restrict out, gint64 n);
  gboolean (*any_16) (const guint16 *in, guint16 mask, gint64 n);
  gboolean (*any_32) (const guint32 *in, guint32 mask, gint64 n);
  gboolean (*any_64) (const guint64 *in, guint64 mask, gint64 n);
} ReelPointwiseKernels;

REEL_KERNEL_DECLARE (ReelPointwiseKernels, reel_pointwise_kernels);

G_END_DECLS
