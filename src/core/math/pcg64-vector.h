/* PCG64 of REEL_SIMD_WIDTH streams side by side, for kernel sources alone: the integers of pcg64.h,
 * whose halves lie in vectors of their own. For vectors of 512 bits; narrower ones have no
 * multiplication of 64 bits. Private.
 */
#pragma once

#include "pcg64.h"
#include "vector.h"

typedef guint64 ReelU64s __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH)));

typedef struct
{
  ReelU64s low;
  ReelU64s high;
} ReelU128s;

/* Lane by lane, the upper 64 bits of a product, from those of the halves of its factors. */
REEL_VECTOR_INLINE ReelU64s
reel_u64s_times_high (ReelU64s a, guint64 b)
{
  const guint64 half = G_MAXUINT32, b_low = b & half, b_high = b >> 32;
  ReelU64s a_low = a & half, a_high = a >> 32;
  ReelU64s middle = a_high * b_low + (a_low * b_low >> 32);
  ReelU64s carried = a_low * b_high + (middle & half);

  return a_high * b_high + (middle >> 32) + (carried >> 32);
}

REEL_VECTOR_INLINE ReelU128s
reel_pcg64_advance_all (ReelU128s state, ReelU128s inc)
{
  const guint64 low = (guint64) REEL_PCG64_MULTIPLIER;
  const guint64 high = (guint64) (REEL_PCG64_MULTIPLIER >> 64);
  ReelU128s next = {
    .low = state.low * low + inc.low,
    .high = reel_u64s_times_high (state.low, low) + state.low * high + state.high * low + inc.high,
  };

  next.high -= (ReelU64s) (next.low < inc.low); /* −1 where the sum of the lower halves carries */
  return next;
}

REEL_VECTOR_INLINE ReelF64s
reel_pcg64_output_doubles (ReelU128s state)
{
  ReelU64s folded = state.high ^ state.low, rotation = state.high >> 58;
  ReelU64s word = folded >> rotation | folded << (-rotation & 63);

  return __builtin_convertvector((ReelI64s) (word >> 11), ReelF64s) * 0x1p-53;
}
