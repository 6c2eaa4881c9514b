/* x^a as 2^(a log2 x). The logarithm is that of a power of two, of the nearest of 16 numbers and of
 * a rest close to 1; it comes in two parts, of which the first has so few bits that its product
 * with the upper half of the exponent is exact. The polynomials interpolate log2 (1 + r) / r and
 * (2^f − 1) / f at Chebyshev points; relative errors are below 2^-57. */
#include "power-kernel.h"
#include "vector.h"

#include <math.h>

#define MOST 1100.0 /* |a log2 x| from which on all is 0 or infinite */
#define SHIFT 0x1.8p52
#define FRACTION_BITS 52
#define MANY 16

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

/* Even and odd powers are added up apart: chains of additions take half as long. */
REEL_VECTOR_INLINE ReelF64s
polynomial (const double *terms, gint n, ReelF64s x)
{
  ReelF64s sums[2] = { { 0 } }, square = x * x;

#pragma GCC unroll 16
  for (gint i = n - 1; i >= 0; i--)
    sums[i % 2] = i > n - 3 ? reel_f64s_all (terms[i]) : sums[i % 2] * square + terms[i];
  return sums[0] + sums[1] * x;
}

#define POLYNOMIAL(terms, x) polynomial (terms, G_N_ELEMENTS (terms), x)

REEL_VECTOR_INLINE ReelF64s
look_up (const double table[MANY], ReelI64s index)
{
#if REEL_LANES == 8
  return (ReelF64s) _mm512_permutex2var_pd (_mm512_loadu_pd (table), (__m512i) index,
                                            _mm512_loadu_pd (table + 8));
#else
  ReelF64s v;

  for (gint lane = 0; lane < REEL_LANES; lane++)
    v[lane] = table[index[lane]];
  return v;
#endif
}

/* Of integers below 2^51. */
REEL_VECTOR_INLINE ReelF64s
to_doubles (ReelI64s v)
{
  return (ReelF64s) (v + (ReelI64s) reel_f64s_all (SHIFT)) - SHIFT;
}

/* log2 x as high + low, |low| < 0.1. */
REEL_VECTOR_INLINE ReelF64s
logarithm (ReelF64s x, ReelF64s *low)
{
  const ReelI64s one = (ReelI64s) reel_f64s_all (1);
  ReelChoice tiny = reel_f64s_less (x, reel_f64s_all (0x1p-1022));
  ReelI64s bits = (ReelI64s) reel_f64s_choose (tiny, x * 0x1p54, x);
  /* The power of two below x × 33/32, and which of the 16 is nearest to what remains. */
  ReelI64s near = bits - one + (1ll << (FRACTION_BITS - 5));
  ReelI64s exponent = near & ~((1ll << FRACTION_BITS) - 1);
  ReelI64s i = near >> (FRACTION_BITS - 4) & (MANY - 1);
  ReelI64s power = (((near >> FRACTION_BITS) & 4095) ^ 2048) - 2048; /* its sign extended */
  ReelF64s m = (ReelF64s) (bits - exponent), c = look_up (reciprocal, i);
  ReelF64s upper = (ReelF64s) ((ReelI64s) m & ~511ll);
  ReelF64s r = (upper * c - 1) + (m - upper) * c;
  *low = look_up (log_low, i) + POLYNOMIAL (log_terms, r) * r;
  return to_doubles (power) + look_up (log_high, i)
         + reel_f64s_choose (tiny, reel_f64s_all (-54), reel_f64s_all (0));
}

/* 2^(n + f) where n is the nearest integer, of a sum whose first part may be large. */
REEL_VECTOR_INLINE ReelF64s
exponential (ReelF64s high, ReelF64s low)
{
  ReelChoice beyond = reel_f64s_less (reel_f64s_all (MOST), reel_f64s_abs (high));
  ReelF64s most = reel_f64s_choose (reel_f64s_less (high, reel_f64s_all (0)), reel_f64s_all (-MOST),
                                    reel_f64s_all (MOST));

  high = reel_f64s_choose (beyond, most, high);
  low = reel_f64s_choose (beyond, reel_f64s_all (0), low);

  ReelF64s shifted = (high + low) + SHIFT;
  ReelF64s whole = shifted - SHIFT, f = (high - whole) + low;
  ReelI64s n = (ReelI64s) shifted - (ReelI64s) reel_f64s_all (SHIFT);
  ReelF64s y = POLYNOMIAL (exp_terms, f) * f + 1;

  if (G_LIKELY (reel_f64s_beyond (whole, 1000) == 0))
    return (ReelF64s) ((ReelI64s) y + n * (1ll << FRACTION_BITS));
  for (gint lane = 0; lane < REEL_LANES; lane++)
    y[lane] = __builtin_ldexp (y[lane], (int) n[lane]);
  return y;
}

/* The exponent in two parts, of which the first has 22 bits. */
typedef struct
{
  double all, high, low;
} Exponent;

REEL_VECTOR_INLINE ReelF64s
power_of (ReelF64s x, const Exponent *a)
{
  const ReelF64s none = reel_f64s_all (a->all < 0 ? INFINITY : 0);
  const ReelF64s endless = reel_f64s_all (a->all < 0 ? 0 : INFINITY);
  ReelF64s low, high = logarithm (x, &low);
  ReelF64s y = exponential (a->high * high, a->low * high + a->all * low);

  y = reel_f64s_choose (reel_f64s_equal (x, reel_f64s_all (0)), none, y);
  return reel_f64s_choose (reel_f64s_equal (x, reel_f64s_all (INFINITY)), endless, y);
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
  bits &= ~((1ll << 31) - 1);
  memcpy (&a.high, &bits, sizeof bits);
  a.low = exponent - a.high;
  for (i = 0; i + REEL_LANES <= n; i += REEL_LANES)
    reel_f64s_store (to + i, power_of (reel_f64s_load (from + i), &a));
  if (i < n)
    {
      double rest[REEL_LANES] = { 0 };

      memcpy (rest, from + i, (gsize) (n - i) * sizeof *rest);
      reel_f64s_store (rest, power_of (reel_f64s_load (rest), &a));
      memcpy (to + i, rest, (gsize) (n - i) * sizeof *rest);
    }
}

const ReelPowerKernels REEL_KERNEL_NAME (reel_power_kernels) = { power };
