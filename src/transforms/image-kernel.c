#include "image-kernel.h"

#include <string.h>

/* Elements summed at a time: their sums stay in registers. */
#define PIECE 32

typedef float Floats __attribute__ ((vector_size (PIECE * sizeof (float))));
typedef double Doubles __attribute__ ((vector_size (PIECE * sizeof (double))));
typedef guint8 Bytes __attribute__ ((vector_size (PIECE)));

/* ---- rows ---- */

#define SUM_ROWS(name, In, Ins, Out, Outs)                                                         \
  static void name (const In *in, gint64 stride, const double *weights, gint64 n_rows,             \
                    Out *restrict out, gint64 n)                                                   \
  {                                                                                                \
    gint64 i = 0;                                                                                  \
                                                                                                   \
    for (; i + PIECE <= n; i += PIECE)                                                             \
      {                                                                                            \
        Outs sum = { 0 };                                                                          \
        for (gint64 k = 0; k < n_rows; k++)                                                        \
          {                                                                                        \
            Ins row;                                                                               \
            memcpy (&row, in + k * stride + i, sizeof row);                                        \
            sum += __builtin_convertvector(row, Outs) * (Out) weights[k];                          \
          }                                                                                        \
        memcpy (out + i, &sum, sizeof sum);                                                        \
      }                                                                                            \
    for (; i < n; i++)                                                                             \
      {                                                                                            \
        Out sum = 0;                                                                               \
        for (gint64 k = 0; k < n_rows; k++)                                                        \
          sum += (Out) in[k * stride + i] * (Out) weights[k];                                      \
        out[i] = sum;                                                                              \
      }                                                                                            \
  }

SUM_ROWS (sum_rows_u8, guint8, Bytes, float, Floats)
SUM_ROWS (sum_rows_f32, float, Floats, float, Floats)
SUM_ROWS (sum_rows_f64, double, Doubles, double, Doubles)

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
