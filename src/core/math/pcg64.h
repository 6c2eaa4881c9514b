/* PCG64 on the machine's 128-bit integers, for the inside of loops. Private. */
#pragma once

#include <glib.h>

typedef unsigned __int128 ReelUint128;

#define REEL_UINT128(high, low) ((ReelUint128) (high) << 64 | (low))

/* PCG_DEFAULT_MULTIPLIER_128 of numpy/random/src/pcg64/pcg64.h. */
#define REEL_PCG64_MULTIPLIER REEL_UINT128 (0x2360ed051fc65da4ull, 0x4385df649fccf645ull)

static inline ReelUint128
reel_pcg64_advance (ReelUint128 state, ReelUint128 inc)
{
  return state * REEL_PCG64_MULTIPLIER + inc;
}

/* @n steps at once. A step is state × a + c, and two of these are state × a² + (a + 1) × c: the
 * step is doubled for each bit of @n, and those are done whose bit is set. Source: Brown, "Random
 * number generation with arbitrary strides" (1994), which NumPy's advance() is, too.
 */
static inline ReelUint128
reel_pcg64_jump (ReelUint128 state, ReelUint128 inc, ReelUint128 n)
{
  for (ReelUint128 a = REEL_PCG64_MULTIPLIER, c = inc; n > 0; n >>= 1, c *= a + 1, a *= a)
    if (n & 1)
      state = state * a + c;
  return state;
}

/* XSL-RR: the 64 bits that a state gives. */
static inline guint64
reel_pcg64_output (ReelUint128 state)
{
  guint64 folded = (guint64) (state >> 64) ^ (guint64) state;
  guint rotation = (guint) (state >> 122);

  return folded >> rotation | folded << (-rotation & 63);
}

/* 53 bits in [0, 1); the detour over a signed integer converts in one instruction. */
static inline double
reel_pcg64_output_double (ReelUint128 state)
{
  return (double) (gint64) (reel_pcg64_output (state) >> 11) * 0x1p-53;
}
