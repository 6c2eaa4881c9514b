/* Plain loops that the compiler turns into vectors. */
#include "pointwise-kernel.h"

#define CLIP(name, Type)                                                                           \
  static void name (const Type *in, Type low, Type high, Type *restrict out, gint64 n)             \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        Type above = in[i] < low ? low : in[i];                                                    \
        out[i] = above > high ? high : above;                                                      \
      }                                                                                            \
  }

CLIP (clip_f32, float)
CLIP (clip_f64, double)

#define SIGN(name, Type)                                                                           \
  static void name (const Type *in, Type *restrict out, gint64 n)                                  \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = (Type) (in[i] > 0) - (Type) (in[i] < 0);                                            \
  }

SIGN (sign_f32, float)
SIGN (sign_f64, double)

/* A period at a time: the loop inside has no remainder. */
#define AFFINE(name, Type, value)                                                                  \
  static void name (const Type *in, const Type *scale, const Type *loc, gint64 period,             \
                    Type *restrict out, gint64 n)                                                  \
  {                                                                                                \
    for (gint64 begin = 0; begin < n; begin += period)                                             \
      {                                                                                            \
        gint64 m = n - begin < period ? n - begin : period;                                        \
                                                                                                   \
        for (gint64 j = 0; j < m; j++)                                                             \
          out[begin + j] = value;                                                                  \
      }                                                                                            \
  }

AFFINE (scale_f32, float, in[begin + j] * scale[j] + loc[j])
AFFINE (scale_f64, double, in[begin + j] * scale[j] + loc[j])
AFFINE (standardize_f32, float, (in[begin + j] - loc[j]) / scale[j])
AFFINE (standardize_f64, double, (in[begin + j] - loc[j]) / scale[j])

#define IS_POSITIVE(name, Type)                                                                    \
  static void name (const Type *in, gint8 *restrict out, gint64 n)                                 \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = in[i] > 0;                                                                          \
  }

IS_POSITIVE (is_positive_f32, float)
IS_POSITIVE (is_positive_f64, double)

/* Some elements at a time, none of which decides alone. */
#define BLOCK 4096

#define ANY(name, Type)                                                                            \
  static gboolean name (const Type *in, Type mask, gint64 n)                                       \
  {                                                                                                \
    for (gint64 begin = 0; begin < n; begin += BLOCK)                                              \
      {                                                                                            \
        gint64 end = n - begin < BLOCK ? n : begin + BLOCK;                                        \
        Type found = 0;                                                                            \
                                                                                                   \
        for (gint64 i = begin; i < end; i++)                                                       \
          found |= (Type) ((in[i] & mask) == mask);                                                \
        if (found)                                                                                 \
          return TRUE;                                                                             \
      }                                                                                            \
    return FALSE;                                                                                  \
  }

ANY (any_16, guint16)
ANY (any_32, guint32)
ANY (any_64, guint64)

const ReelPointwiseKernels REEL_KERNEL_NAME (reel_pointwise_kernels) = {
  clip_f32,  clip_f64,        sign_f32,        sign_f64,        scale_f32,
  scale_f64, standardize_f32, standardize_f64, is_positive_f32, is_positive_f64,
  any_16,    any_32,          any_64
};
