/* Flags of lanes: time limits by words of 64 lanes that share a clock,
 * and lists of the lanes that are done. */
#include "lane-kernel.h"

#include "../core/math/vector.h"

/* Which lanes of a word have reached the limit; sets when another one may. */
static guint64
find_late (ReelLaneClock *word, const gint64 *begun, gint64 limit)
{
  ReelI64s longest = { 0 };
  guint64 late = 0;
  gint64 most = 0;

  for (gint i = 0; i < REEL_LANE_WORD; i += REEL_SIMD_WIDTH)
    {
      ReelI64s steps = word->now - reel_i64s_load (begun + i), longer = steps > longest;

      late |= (guint64) reel_mask_bits (steps >= limit) << i;
      longest = (steps & longer) | (longest & ~longer);
    }
  for (gint k = 0; k < REEL_SIMD_WIDTH; k++)
    most = MAX (most, longest[k]);
  if (most >= limit)
    word->due = REEL_LANE_DUE_UNKNOWN;
  else if (__builtin_add_overflow (word->now, limit - most, &word->due))
    word->due = G_MAXINT64;
  return late;
}

static gint64
finish_word (gint64 limit, ReelLaneClock *word, const gint64 *begun, const guint8 *terminated,
             guint8 *truncated, guint8 *done)
{
  /* Before `due` no lane of the word can reach the limit, so that begins are not read. */
  guint64 late = ++word->now < word->due ? 0 : find_late (word, begun, limit);
  guint64 ended = reel_bytes_to_bits (terminated);

  reel_bits_to_bytes (late, truncated);
  reel_bits_to_bytes (late | ended, done);
  return __builtin_popcountll (late | ended);
}

static gint64
finish (gint64 begin, gint64 end, gint64 limit, const ReelLaneClocks *clocks,
        const guint8 *terminated, guint8 *truncated, guint8 *done)
{
  gint64 n = 0;

  for (gint64 lane = begin; lane < end;)
    if (lane % REEL_LANE_WORD == 0 && lane + REEL_LANE_WORD <= end)
      {
        n += finish_word (limit, &clocks->words[lane / REEL_LANE_WORD], clocks->begun + lane,
                          terminated + lane, truncated + lane, done + lane);
        lane += REEL_LANE_WORD;
      }
    else
      {
        truncated[lane] = reel_lane_clocks_count (clocks, lane) >= limit;
        done[lane] = truncated[lane] | terminated[lane];
        n += done[lane];
        lane++;
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
      /* Bit 63 gives the count a result where no lane is left; that
       * entry is beyond the list's end. */
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
