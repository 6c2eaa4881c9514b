/* Plain loops that the compiler turns into vectors, of the values of a row. */
#include "running-norm-kernel.h"

/* Each sum takes its values in the order of the rows, whatever the vectors are. */
#define ADD(name, Type)                                                                            \
  static void name (const Type *in, gsize rows, gsize n, double *restrict sums,                    \
                    double *restrict squares)                                                      \
  {                                                                                                \
    for (gsize row = 0; row < rows; row++, in += n)                                                \
      for (gsize i = 0; i < n; i++)                                                                \
        {                                                                                          \
          double value = (double) in[i];                                                           \
                                                                                                   \
          sums[i] += value;                                                                        \
          squares[i] += value * value;                                                             \
        }                                                                                          \
  }

ADD (add_f32, float)
ADD (add_f64, double)

#define NORMALISE(name, Type)                                                                      \
  static void name (const Type *in, gsize rows, gsize n, const double *restrict loc,               \
                    const double *restrict scale, Type *restrict out)                              \
  {                                                                                                \
    for (gsize row = 0; row < rows; row++, in += n, out += n)                                      \
      for (gsize i = 0; i < n; i++)                                                                \
        out[i] = (Type) (((double) in[i] - loc[i]) / scale[i]);                                    \
  }

NORMALISE (normalise_f32, float)
NORMALISE (normalise_f64, double)

const ReelRunningNormKernels REEL_KERNEL_NAME (reel_running_norm_kernels) = {
  add_f32,
  add_f64,
  normalise_f32,
  normalise_f64,
};
