#include "image-kernel.h"

#include <string.h>

/* Elements summed at a time: their sums stay in the nearest cache. */
#define PIECE 256

/* ---- rows ---- */

/* Four rows at a time, added in their order. */
#define SUM_ROWS(name, In, Out)                                                                    \
  static void name##_piece (const In *restrict in, gint64 stride, const double *weights,           \
                            gint64 n_rows, Out *restrict out, gint64 n)                            \
  {                                                                                                \
    gint64 k = 0;                                                                                  \
                                                                                                   \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = 0;                                                                                  \
    for (; k + 4 <= n_rows; k += 4)                                                                \
      {                                                                                            \
        const In *restrict a = in + k * stride, *restrict b = a + stride;                          \
        const In *restrict c = b + stride, *restrict d = c + stride;                               \
        Out wa = (Out) weights[k], wb = (Out) weights[k + 1];                                      \
        Out wc = (Out) weights[k + 2], wd = (Out) weights[k + 3];                                  \
        for (gint64 i = 0; i < n; i++)                                                             \
          out[i] = (((out[i] + (Out) a[i] * wa) + (Out) b[i] * wb) + (Out) c[i] * wc)              \
                   + (Out) d[i] * wd;                                                              \
      }                                                                                            \
    for (; k < n_rows; k++)                                                                        \
      {                                                                                            \
        const In *restrict row = in + k * stride;                                                  \
        Out weight = (Out) weights[k];                                                             \
        for (gint64 i = 0; i < n; i++)                                                             \
          out[i] += (Out) row[i] * weight;                                                         \
      }                                                                                            \
  }                                                                                                \
  static void name (const In *in, gint64 stride, const double *weights, gint64 n_rows,             \
                    Out *restrict out, gint64 n)                                                   \
  {                                                                                                \
    gint64 i = 0;                                                                                  \
                                                                                                   \
    for (; i + PIECE <= n; i += PIECE)                                                             \
      name##_piece (in + i, stride, weights, n_rows, out + i, PIECE);                              \
    name##_piece (in + i, stride, weights, n_rows, out + i, n - i);                                \
  }

SUM_ROWS (sum_rows_u8, guint8, float)
SUM_ROWS (sum_rows_f32, float, float)
SUM_ROWS (sum_rows_f64, double, double)

/* ---- columns ---- */

/* Chosen, not multiplied by 0: what is past the sources may be infinite or NaN. */
#define SUM_COLUMNS(name, Type, field)                                                             \
  static void name (const Type *in, const ReelColumnTaps *taps, Type *restrict out)                \
  {                                                                                                \
    const gint32 *restrict first = taps->first, *restrict count = taps->count;                     \
                                                                                                   \
    memset (out, 0, sizeof *out *(gsize) taps->n);                                                 \
    for (gint64 k = 0; k < taps->most; k++)                                                        \
      {                                                                                            \
        const Type *restrict weights = taps->field + k * taps->n;                                  \
        gint32 ahead = (gint32) (k * taps->step);                                                  \
        for (gint64 i = 0; i < taps->n; i++)                                                       \
          {                                                                                        \
            gint32 there = k < count[i] ? ahead : 0;                                               \
            Type more = out[i] + in[first[i] + there] * weights[i];                                \
            out[i] = k < count[i] ? more : out[i];                                                 \
          }                                                                                        \
      }                                                                                            \
  }

SUM_COLUMNS (sum_columns_f32, float, narrow)
SUM_COLUMNS (sum_columns_f64, double, weights)

/* ---- colours ---- */

#define GRAY(name, In, Out, Sum)                                                                   \
  static void name (const In *red, const In *green, const In *blue, gint64 stride,                 \
                    Out *restrict out, gint64 n)                                                   \
  {                                                                                                \
    const Sum r = (Sum) 0.2989, g = (Sum) 0.587, b = (Sum) 0.114;                                  \
                                                                                                   \
    if (stride == 1)                                                                               \
      for (gint64 i = 0; i < n; i++)                                                               \
        out[i] = (Out) (r * (Sum) red[i] + g * (Sum) green[i] + b * (Sum) blue[i]);                \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        out[i] = (Out) (r * (Sum) red[i * stride] + g * (Sum) green[i * stride]                    \
                        + b * (Sum) blue[i * stride]);                                             \
  }

GRAY (gray_u8, guint8, guint8, float)
GRAY (gray_f32, float, float, float)
GRAY (gray_f64, double, double, double)

static void
to_unit_u8 (const guint8 *in, float *restrict out, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    out[i] = (float) in[i] / 255.0f;
}

const ReelImageKernels REEL_KERNEL_NAME (reel_image_kernels) = {
  sum_rows_u8, sum_rows_f32, sum_rows_f64, sum_columns_f32, sum_columns_f64,
  gray_u8,     gray_f32,     gray_f64,     to_unit_u8
};
