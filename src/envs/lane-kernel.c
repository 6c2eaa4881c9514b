#include "lane-kernel.h"

#include "../core/vector.h"

/* 64 lanes at once. */
static gint64
finish_word (gint64 limit, gint64 *elapsed, const guint8 *terminated, guint8 *truncated,
             guint8 *done)
{
  guint64 late = 0, ended = reel_bytes_to_bits (terminated);

  for (gint i = 0; i < 64; i += REEL_LANES)
    {
      ReelI64s steps = reel_i64s_load (elapsed + i) + 1;

      reel_i64s_store (elapsed + i, steps);
      late |= (guint64) reel_mask_bits (steps >= limit) << i;
    }
  reel_bits_to_bytes (late, truncated);
  reel_bits_to_bytes (late | ended, done);
  return __builtin_popcountll (late | ended);
}

static gint64
finish (gint64 begin, gint64 end, gint64 limit, gint64 *elapsed, const guint8 *terminated,
        guint8 *truncated, guint8 *done)
{
  gint64 n = 0, lane = begin;

  for (; lane + 64 <= end; lane += 64)
    n += finish_word (limit, elapsed + lane, terminated + lane, truncated + lane, done + lane);
  for (; lane < end; lane++)
    {
      truncated[lane] = ++elapsed[lane] >= limit;
      done[lane] = truncated[lane] | terminated[lane];
      n += done[lane];
    }
  return n;
}

/* Few lanes of a word are done at a time, but how many is a coin toss for the branch predictor: the
 * first four are written blindly. */
static gsize
list_word (gint64 first, guint64 bits, gint64 *which)
{
  gsize n = (gsize) __builtin_popcountll (bits);

  for (gsize k = 0; k < REEL_LANE_LIST_SLACK; k++)
    {
      which[k] = first + __builtin_ctzll (bits | G_MININT64);
      bits &= bits - 1;
    }
  for (gsize k = REEL_LANE_LIST_SLACK; k < n; k++)
    {
      which[k] = first + __builtin_ctzll (bits);
      bits &= bits - 1;
    }
  return n;
}

static gsize
list (gint64 begin, gint64 end, const guint8 *mask, gint64 *which)
{
  gint64 lane = begin;
  gsize n = 0;

  for (; lane + 64 <= end; lane += 64)
    n += list_word (lane, reel_bytes_to_bits (mask + lane), which + n);
  for (; lane < end; lane++)
    {
      which[n] = lane;
      n += mask[lane] != 0;
    }
  return n;
}

const ReelLaneKernels REEL_KERNEL_NAME (reel_lane_kernels) = {
  .finish = finish,
  .list = list,
};
