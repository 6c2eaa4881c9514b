/* x^a as 2^(a log2 x). The logarithm is that of a power of two, of the nearest of 16 numbers and of
 * a rest close to 1; it comes in two parts, of which the first has so few bits that its product
 * with the upper half of the exponent is exact. The polynomials interpolate log2 (1 + r) / r and
 * (2^f − 1) / f at Chebyshev points; relative errors are below 2^-57. */
#include "power-kernel.h"
#include "vector.h"

#include <math.h>

#define MOST 1100.0 /* |a log2 x| from which on all is 0 or infinite */
/* Added, it rounds to an integer, which the lowest bits then hold. */
#define SHIFT 0x1.8p52
#define FRACTION_BITS 52
#define MANY 16
#define LEAST 0x1p-1022 /* that is not tiny */
#define FAR 1000        /* |a log2 x| up to which no power is 0, tiny or infinite */
#define BIAS 1023
#define ALL ((1u << REEL_SIMD_WIDTH) - 1)
#define ABREAST (REEL_SIMD_WIDTH / 2) /* vectors, as many as there are registers for */

/* Near 16 / (16 + i), in eight bits, and minus its binary logarithm: multiples of 2^-20, and the
 * rest. */
static const double reciprocal[MANY] = {
  0x1.00p+0, 0x1.e2p-1, 0x1.c8p-1, 0x1.b0p-1, 0x1.9ap-1, 0x1.86p-1, 0x1.74p-1, 0x1.64p-1,
  0x1.56p-1, 0x1.48p-1, 0x1.3cp-1, 0x1.30p-1, 0x1.24p-1, 0x1.1ap-1, 0x1.12p-1, 0x1.08p-1,
};
static const double log_high[MANY] = {
  0,
  0x1.64cep-4,
  0x1.563ep-3,
  0x1.f5fd8p-3,
  0x1.48364p-2,
  0x1.9218p-2,
  0x1.d7e6cp-2,
  0x1.0c6cap-1,
  0x1.2a0f4p-1,
  0x1.48efp-1,
  0x1.6476ep-1,
  0x1.810fap-1,
  0x1.9ecf6p-1,
  0x1.b88ccp-1,
  0x1.cdcecp-1,
  0x1.e9452p-1,
};
static const double log_low[MANY] = {
  0,
  0x1.360338ab5a1f2p-23,
  -0x1.eb0029a6f9bc7p-22,
  0x1.520c7c69211fep-24,
  0x1.e695d796aa298p-22,
  0x1.249ba76fee235p-27,
  0x1.5786af187a96bp-27,
  0x1.5e18ab2df3ae6p-22,
  -0x1.e5fc7d238691dp-24,
  -0x1.cd9d0cde578d5p-22,
  -0x1.9d499bd9b3226p-23,
  0x1.46fd97f5dc572p-23,
  -0x1.e81781d97ee91p-22,
  -0x1.97552b7b5ea45p-23,
  -0x1.6e46335aae723p-24,
  0x1.914e204f19d94p-22,
};

/* Of log2 (1 + r) / r, the constant first. */
static const double log_terms[] = {
  0x1.71547652b82fep+0, -0x1.71547652b82fep-1, 0x1.ec709dc3a02dep-2, -0x1.71547652b81f6p-2,
  0x1.2776c5110dec9p-2, -0x1.ec709dc76fee0p-3, 0x1.a617379c99a68p-3, -0x1.71544edda540ap-3,
  0x1.4900eae5ee8bfp-3, -0x1.281d75aa29fcbp-3,
};
/* Of (2^f − 1) / f, the constant first. */
static const double exp_terms[] = {
  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,  0x1.3b2ab6fba1dc6p-7,
  0x1.5d87fe78a526dp-10, 0x1.4309130975155p-13, 0x1.ffcbfc6712438p-17, 0x1.62bfd46781ef6p-20,
  0x1.b524fad88ed30p-24, 0x1.e6065f532c950p-28, 0x1.e9d419696e0e9p-32,
};

/* Of each of several numbers. Even and odd powers are added up apart, and those of all side by
 * side: one chain of additions lets a CPU begin far fewer than it can have under way. */
REEL_VECTOR_INLINE void
polynomial (const double *terms, gint n_terms, const ReelF64s *x, gint n, ReelF64s *values)
{
  ReelF64s squares[ABREAST], odd[ABREAST];

  for (gint k = 0; k < n; k++)
    squares[k] = x[k] * x[k];
#pragma GCC unroll 16
  for (gint i = n_terms - 1; i >= 0; i--)
    for (gint k = 0; k < n; k++)
      {
        ReelF64s *sum = i % 2 ? &odd[k] : &values[k];

        *sum = i > n_terms - 3 ? reel_f64s_all (terms[i]) : *sum * squares[k] + terms[i];
      }
  for (gint k = 0; k < n; k++)
    values[k] += odd[k] * x[k];
}

#define POLYNOMIAL(terms, x, n, values) polynomial (terms, G_N_ELEMENTS (terms), x, n, values)

REEL_VECTOR_INLINE ReelF64s
look_up (const double table[MANY], ReelI64s index)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_permutex2var_pd (_mm512_loadu_pd (table), (__m512i) index,
                                            _mm512_loadu_pd (table + 8));
#else
  ReelF64s v;

  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    v[lane] = table[index[lane]];
  return v;
#endif
}

/* The exponent in two parts, of which the first has 22 bits. */
typedef struct
{
  double all, high, low;
} Exponent;

/* log2 x = high + log_low[i] + log2 (1 + rest) */
typedef struct
{
  ReelF64s high, rest;
  ReelI64s i;
} Logarithm;

/* The reduction before the polynomial. */
REEL_VECTOR_INLINE Logarithm
begin_logarithm (ReelF64s x)
{
  const ReelI64s one = (ReelI64s) reel_f64s_all (1);
  /* The power of two below x × 33/32, and which of the 16 is nearest to what remains. */
  ReelI64s near = (ReelI64s) x + (1ll << (FRACTION_BITS - 5));
  ReelI64s exponent = near & ~((1ll << FRACTION_BITS) - 1);
  ReelI64s i = near >> (FRACTION_BITS - 4) & (MANY - 1);
  ReelF64s m = (ReelF64s) ((ReelI64s) x - exponent + one), c = look_up (reciprocal, i);
  /* 44 bits of m times the 8 of c are exact, and so is the difference from 1: only the small rest
   * is rounded. */
  ReelF64s upper = (ReelF64s) ((ReelI64s) m & ~511ll);
  /* The biased exponent in the lowest bits of 2^52 is the double 2^52 + exponent: a conversion by a
   * subtraction. */
  ReelF64s power = (ReelF64s) ((near >> FRACTION_BITS) + (ReelI64s) reel_f64s_all (0x1p52));

  return (Logarithm){ power - (0x1p52 + BIAS) + look_up (log_high, i),
                      (upper * c - 1) + (m - upper) * c, i };
}

/* Beyond 2^MOST all powers are infinite, and 0 at the other end. */
REEL_VECTOR_INLINE void
bound (ReelF64s *high, ReelF64s *low)
{
  ReelChoice beyond = reel_f64s_less (reel_f64s_all (MOST), reel_f64s_abs (*high));
  ReelF64s most = reel_f64s_choose (reel_f64s_less (*high, reel_f64s_all (0)),
                                    reel_f64s_all (-MOST), reel_f64s_all (MOST));

  *high = reel_f64s_choose (beyond, most, *high);
  *low = reel_f64s_choose (beyond, reel_f64s_all (0), *low);
}

/* y × 2^n */
REEL_VECTOR_INLINE ReelF64s
scale (ReelF64s y, ReelI64s n, gboolean is_far)
{
  if (!is_far)
    return (ReelF64s) ((ReelI64s) y + n * (1ll << FRACTION_BITS));
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    y[lane] = __builtin_ldexp (y[lane], (int) n[lane]);
  return y;
}

/* Powers of @n vectors of plain numbers, which are neither 0 nor tiny nor infinite, or of @any. Of
 * plain ones it returns FALSE, and makes none, where a power might not be plain. */
REEL_VECTOR_INLINE gboolean
powers_of (const ReelF64s *x, gint n, const Exponent *a, gboolean any, ReelF64s *y)
{
  Logarithm logs[ABREAST];
  ReelF64s rests[ABREAST], sums[ABREAST];
  ReelI64s wholes[ABREAST];
  guint far = 0;

  for (gint k = 0; k < n; k++)
    {
      ReelChoice tiny = reel_f64s_less (x[k], reel_f64s_all (LEAST));

      logs[k] = begin_logarithm (any ? reel_f64s_choose (tiny, x[k] * 0x1p54, x[k]) : x[k]);
      if (any)
        logs[k].high += reel_f64s_choose (tiny, reel_f64s_all (-54), reel_f64s_all (0));
      rests[k] = logs[k].rest;
    }
  POLYNOMIAL (log_terms, rests, n, sums);
  for (gint k = 0; k < n; k++)
    {
      ReelF64s low = look_up (log_low, logs[k].i) + sums[k] * rests[k];
      ReelF64s high = a->high * logs[k].high, shifted, whole;

      low = a->low * logs[k].high + a->all * low;
      if (any)
        bound (&high, &low);
      /* The nearest integer. */
      shifted = (high + low) + SHIFT;
      whole = shifted - SHIFT;
      rests[k] = (high - whole) + low;
      wholes[k] = (ReelI64s) shifted - (ReelI64s) reel_f64s_all (SHIFT);
      far |= reel_choice_bits (reel_f64s_less (reel_f64s_abs (whole), reel_f64s_all (FAR))) ^ ALL;
    }
  if (far && !any)
    return FALSE;
  POLYNOMIAL (exp_terms, rests, n, sums);
  for (gint k = 0; k < n; k++)
    y[k] = scale (sums[k] * rests[k] + 1, wholes[k], any && far);
  return TRUE;
}

/* Of any numbers at all. */
REEL_VECTOR_INLINE ReelF64s
power_of (ReelF64s x, const Exponent *a)
{
  const ReelF64s none = reel_f64s_all (a->all < 0 ? INFINITY : 0);
  const ReelF64s endless = reel_f64s_all (a->all < 0 ? 0 : INFINITY);
  ReelF64s y;

  powers_of (&x, 1, a, TRUE, &y);
  y = reel_f64s_choose (reel_f64s_equal (x, reel_f64s_all (0)), none, y);
  return reel_f64s_choose (reel_f64s_equal (x, reel_f64s_all (INFINITY)), endless, y);
}

REEL_VECTOR_INLINE gboolean
are_plain (const ReelF64s *x, gint n)
{
  guint plain = ALL;

  for (gint k = 0; k < n; k++)
    plain &= reel_choice_bits (reel_f64s_at_least (x[k], reel_f64s_all (LEAST)))
             & reel_choice_bits (reel_f64s_less (x[k], reel_f64s_all (INFINITY)));
  return plain == ALL;
}

static void
power_abreast (const double *from, const Exponent *a, double *to)
{
  ReelF64s x[ABREAST], y[ABREAST];

  for (gint k = 0; k < ABREAST; k++)
    x[k] = reel_f64s_load (from + k * REEL_SIMD_WIDTH);
  if (!are_plain (x, ABREAST) || !powers_of (x, ABREAST, a, FALSE, y))
    for (gint k = 0; k < ABREAST; k++)
      y[k] = power_of (x[k], a);
  for (gint k = 0; k < ABREAST; k++)
    reel_f64s_store (to + k * REEL_SIMD_WIDTH, y[k]);
}

static void
power (const double *from, gint64 n, double exponent, double *to)
{
  Exponent a = { .all = exponent };
  gint64 bits, i;

  if (exponent == 0 || exponent == 1)
    {
      for (i = 0; i < n; i++)
        to[i] = exponent == 0 ? 1 : from[i];
      return;
    }
  memcpy (&bits, &exponent, sizeof bits);
  /* 22 bits stay, whose product with the high part of a logarithm is exact. */
  bits &= ~((1ll << 31) - 1);
  memcpy (&a.high, &bits, sizeof bits);
  a.low = exponent - a.high;
  for (i = 0; i + ABREAST * REEL_SIMD_WIDTH <= n; i += ABREAST * REEL_SIMD_WIDTH)
    power_abreast (from + i, &a, to + i);
  for (; i + REEL_SIMD_WIDTH <= n; i += REEL_SIMD_WIDTH)
    reel_f64s_store (to + i, power_of (reel_f64s_load (from + i), &a));
  if (i < n)
    {
      double rest[REEL_SIMD_WIDTH] = { 0 };

      memcpy (rest, from + i, (gsize) (n - i) * sizeof *rest);
      reel_f64s_store (rest, power_of (reel_f64s_load (rest), &a));
      memcpy (to + i, rest, (gsize) (n - i) * sizeof *rest);
    }
}

const ReelPowerKernels REEL_KERNEL_NAME (reel_power_kernels) = { power };
