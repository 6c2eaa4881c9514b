#include "exp-kernel.h"

#include "vector.h"

#include <math.h>

/* Added, it rounds to an integer, which the lowest bits then hold. */
#define SHIFT 0x1.8p52
#define FRACTION_BITS 52
#define BIAS 1023
#define LOG2E 0x1.71547652b82fep+0
/* log (2) in two parts, of which the first has 33 bits: its product with an exponent is exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define LARGEST 709.782712893384
#define SMALLEST -745.2
#define SMALL 0.625

/* 1 / i!, the constant first. */
static const double exp_terms[] = {
  1,
  1,
  1.0 / 2,
  1.0 / 6,
  1.0 / 24,
  1.0 / 120,
  1.0 / 720,
  1.0 / 5040,
  1.0 / 40320,
  1.0 / 362880,
  1.0 / 3628800,
  1.0 / 39916800,
  1.0 / 479001600,
  1.0 / 6227020800.0,
};

/* Of artanh (s) / s by s². */
static const double log_terms[] = {
  1,        1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
  1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23,
};

/* tanh x = x + x³ × above / below by x², for |x| < SMALL. Source: Cephes, tanh.c. */
static const double tanh_above[] = {
  -1.61468768441708447952E3,
  -9.92877231001918586564E1,
  -9.64399179425052238628E-1,
};
static const double tanh_below[] = {
  4.84406305325125486048E3,
  2.23548839060100448583E3,
  1.12811678491632931402E2,
  1,
};

REEL_VECTOR_INLINE ReelF64s
polynomial (const double *terms, gint n, ReelF64s x)
{
  ReelF64s sum = reel_f64s_all (terms[n - 1]);

#pragma GCC unroll 16
  for (gint i = n - 2; i >= 0; i--)
    sum = sum * x + terms[i];
  return sum;
}

/* 2^n for −1022 ≤ n ≤ 1023. */
REEL_VECTOR_INLINE ReelF64s
power_of_two (ReelI64s n)
{
  return (ReelF64s) ((n + BIAS) << FRACTION_BITS);
}

REEL_VECTOR_INLINE ReelF64s
exp_of (ReelF64s x)
{
  ReelF64s most = reel_f64s_all (LARGEST), least = reel_f64s_all (SMALLEST);
  ReelChoice above = reel_f64s_less (most, x), below = reel_f64s_less (x, least);
  ReelF64s bounded = reel_f64s_choose (above, most, reel_f64s_choose (below, least, x));
  ReelF64s shifted = bounded * LOG2E + SHIFT, whole = shifted - SHIFT;
  ReelF64s rest = (bounded - whole * LN2_HIGH) - whole * LN2_LOW;
  ReelI64s k = (ReelI64s) shifted - (ReelI64s) reel_f64s_all (SHIFT);
  ReelI64s half = k >> 1;
  /* In two steps, for results that are tiny. */
  ReelF64s y = polynomial (exp_terms, G_N_ELEMENTS (exp_terms), rest) * power_of_two (half)
               * power_of_two (k - half);

  y = reel_f64s_choose (above, reel_f64s_all (INFINITY), y);
  return reel_f64s_choose (below, reel_f64s_all (0), y);
}

REEL_VECTOR_INLINE ReelF64s
log_of (ReelF64s x)
{
  ReelF64s endless = reel_f64s_all (INFINITY);
  ReelChoice tiny = reel_f64s_less (x, reel_f64s_all (0x1p-1022));
  ReelF64s plain = reel_f64s_choose (tiny, x * 0x1p54, x);
  /* The exponent by which √½ ≤ m < √2. */
  ReelI64s from_root = (ReelI64s) plain - (ReelI64s) reel_f64s_all (M_SQRT1_2);
  ReelI64s k = from_root >> FRACTION_BITS;
  ReelF64s m = (ReelF64s) ((ReelI64s) plain - (k << FRACTION_BITS));
  ReelF64s s = (m - 1) / (m + 1);
  ReelF64s series = polynomial (log_terms, G_N_ELEMENTS (log_terms), s * s);
  ReelF64s exponent = (ReelF64s) (k + (ReelI64s) reel_f64s_all (SHIFT)) - SHIFT
                      - reel_f64s_choose (tiny, reel_f64s_all (54), reel_f64s_all (0));
  ReelF64s y = exponent * LN2_HIGH + (exponent * LN2_LOW + 2 * s * series);

  y = reel_f64s_choose (reel_f64s_equal (x, reel_f64s_all (0)), -endless, y);
  y = reel_f64s_choose (reel_f64s_equal (x, endless), endless, y);
  return reel_f64s_choose (reel_f64s_equal (x, x), y, x);
}

REEL_VECTOR_INLINE ReelF64s
tanh_of (ReelF64s x)
{
  ReelF64s size = reel_f64s_abs (x), square = x * x, t = exp_of (-2 * size);
  ReelF64s y = (1 - t) / (1 + t);
  ReelF64s above = polynomial (tanh_above, G_N_ELEMENTS (tanh_above), square);
  ReelF64s below = polynomial (tanh_below, G_N_ELEMENTS (tanh_below), square);
  ReelF64s small = x + x * square * (above / below);

  y = reel_f64s_negate_if (reel_f64s_less (x, reel_f64s_all (0)), y);
  return reel_f64s_choose (reel_f64s_less (size, reel_f64s_all (SMALL)), small, y);
}

/* The rest of an array goes through a whole vector, too. */
#define DEFINE_ARRAY(name)                                                                         \
  static void name##_all (const double *from, gint64 n, double *to)                                \
  {                                                                                                \
    gint64 i;                                                                                      \
                                                                                                   \
    for (i = 0; i + REEL_SIMD_WIDTH <= n; i += REEL_SIMD_WIDTH)                                    \
      reel_f64s_store (to + i, name##_of (reel_f64s_load (from + i)));                             \
    if (i < n)                                                                                     \
      {                                                                                            \
        double rest[REEL_SIMD_WIDTH] = { 0 };                                                      \
                                                                                                   \
        memcpy (rest, from + i, (gsize) (n - i) * sizeof *rest);                                   \
        reel_f64s_store (rest, name##_of (reel_f64s_load (rest)));                                 \
        memcpy (to + i, rest, (gsize) (n - i) * sizeof *rest);                                     \
      }                                                                                            \
  }

DEFINE_ARRAY (exp)
DEFINE_ARRAY (log)
DEFINE_ARRAY (tanh)

const ReelExpKernels REEL_KERNEL_NAME (reel_exp_kernels) = { exp_all, log_all, tanh_all };
