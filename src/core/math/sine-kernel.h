/* Sine and cosine for kernels: the same bits on every machine and at every width. Private.
 *
 * The polynomials interpolate (sin t − t) / t³ and (cos t − 1 + t²/2) / t⁴ as functions of t² at
 * Chebyshev points; relative errors are below 1e-16 with rounding. They go by pairs of terms, so
 * that none waits long for another. The result of a lane depends on its own angle alone: the short
 * polynomials serve |t| ≤ REEL_SINE_NARROW, the long ones the rest, after a reduction by multiples
 * of π/2 in three parts (Cody and Waite). */
#pragma once

#include "vector.h"

#include <math.h>

/* The short polynomials reach a little past 12 degrees, where a CartPole falls. */
#define REEL_SINE_NARROW 0.22

/* Beyond this the multiples of π/2 are no longer exact, and the angle is first taken modulo 2π as a
 * double, which is as far off as half a unit in the last place of the angle. */
#define REEL_SINE_WIDE 0x1p20

/* Takes angles beyond REEL_SINE_WIDE modulo 2π. */
REEL_VECTOR_INLINE ReelF64s
reel_sine_fold (ReelF64s theta)
{
  ReelI64s huge = reel_f64s_abs (theta) > REEL_SINE_WIDE;

  if (reel_mask_bits (huge) != 0)
    for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
      if (huge[lane])
        theta[lane] = fmod (theta[lane], 0x1.921fb54442d18p+2);
  return theta;
}

/* Of angles that are known to be at most REEL_SINE_WIDE; others give some number, the same
 * everywhere. Without the call of fmod, around which no vector register lasts. */
REEL_VECTOR_INLINE void
reel_sine_cosine_bounded (ReelF64s theta, ReelF64s *sine, ReelF64s *cosine)
{
  const double shift = 0x1.8p52;
  ReelF64s shifted = theta * 0x1.45f306dc9c883p-1 + shift;
  ReelF64s turns = shifted - shift;
  ReelI64s quadrant = (ReelI64s) shifted;
  ReelF64s t = ((theta - turns * 0x1.921fb544p+0) - turns * 0x1.0b4611a6p-34)
               - turns * 0x1.3198a2e037073p-69;
  ReelF64s z = t * t, z2 = z * z;
  ReelF64s s = ((0x1.1111111110bb2p-7 * z - 0x1.5555555555555p-3)
                + z2
                      * ((0x1.71de379688b0ep-19 * z - 0x1.a01a019e83a9dp-13)
                         + z2 * (0x1.5e0b1974de176p-33 * z - 0x1.ae600b014833dp-26)));
  ReelF64s c = ((0x1.5555555555555p-5 - 0x1.6c16c16c16967p-10 * z)
                + z2
                      * ((0x1.a01a019f4eaf8p-16 - 0x1.27e4fa17d95a2p-22 * z)
                         + z2 * (0x1.1eeb68e8843f9p-29 - 0x1.907da2e3b0622p-37 * z)));
  ReelChoice odd = reel_i64s_has (quadrant, 1);

  s = t + t * z * s;
  c = (1.0 - 0.5 * z) + z2 * c;
  *sine = (ReelF64s) ((ReelI64s) reel_f64s_choose (odd, c, s) ^ ((quadrant & 2) << 62));
  *cosine = (ReelF64s) ((ReelI64s) reel_f64s_choose (odd, s, c) ^ (((quadrant + 1) & 2) << 62));
}

REEL_VECTOR_INLINE void
reel_sine_cosine_wide (ReelF64s theta, ReelF64s *sine, ReelF64s *cosine)
{
  reel_sine_cosine_bounded (reel_sine_fold (theta), sine, cosine);
}

/* Where an angle is wide, replaces what the short polynomials gave. Out of line and through memory,
 * so that the common case keeps its registers. */
static __attribute__ ((noinline)) void
reel_sine_cosine_mend (const ReelF64s *theta, ReelF64s *sine, ReelF64s *cosine)
{
  for (gint u = 0; u < 2; u++)
    {
      ReelI64s mask = reel_f64s_abs (theta[u]) > REEL_SINE_NARROW;
      ReelF64s s, c;

      reel_sine_cosine_wide (theta[u], &s, &c);
      sine[u] = reel_f64s_select (mask, s, sine[u]);
      cosine[u] = reel_f64s_select (mask, c, cosine[u]);
    }
}

/* Two vectors at once; the common case, all lanes narrow, costs no more than its polynomials. */
REEL_VECTOR_INLINE void
reel_sine_cosine_pair (const ReelF64s *theta, ReelF64s *sine, ReelF64s *cosine)
{
  const ReelF64s narrow = reel_f64s_all (REEL_SINE_NARROW * REEL_SINE_NARROW);
  ReelChoice wide[2];

  for (gint u = 0; u < 2; u++)
    {
      ReelF64s t = theta[u], z = t * t, z2 = z * z;

      /* Squares of neighbouring doubles differ here, even rounded: as if angles were compared. */
      wide[u] = reel_f64s_less (narrow, z);
      sine[u] = t
                + t * z
                      * ((0x1.11111110ad309p-7 * z - 0x1.555555555552fp-3)
                         + z2 * (0x1.718af08482864p-19 * z - 0x1.a019f78c8085cp-13));
      cosine[u] = (1.0 - 0.5 * z)
                  + z2
                        * ((0x1.5555555555548p-5 - 0x1.6c16c16bd42a5p-10 * z)
                           + z2 * (0x1.a019fae83b39ep-16 - 0x1.27ad740e81a6bp-22 * z));
    }
  if (G_LIKELY (reel_choice_bits (wide[0] | wide[1]) == 0))
    return;

  const ReelF64s angle[2] = { theta[0], theta[1] };
  ReelF64s s[2] = { sine[0], sine[1] }, c[2] = { cosine[0], cosine[1] };

  reel_sine_cosine_mend (angle, s, c);
  for (gint u = 0; u < 2; u++)
    {
      sine[u] = s[u];
      cosine[u] = c[u];
    }
}
