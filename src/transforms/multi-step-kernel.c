/* Loops over the steps of trajectories, from the last one back: how far each looks ahead, and the
 * values from there. */
#include "multi-step-kernel.h"

#include "../core/math/vector.h"

/* Of so many powers at most one is chosen, lane by lane; of more it is looked up. */
#define MAX_CHOSEN 8

/* ---- counts, from the last step back ---- */

static inline gint64
count_one (const ReelLookAhead *where, gint64 i, gint64 ahead)
{
  gboolean ends = where->done[i] | (where->ids && where->ids[i] != where->ids[i + where->inner]);

  return ends ? 1 : ahead < where->n_steps ? ahead + 1 : where->n_steps;
}

REEL_VECTOR_INLINE ReelI64s
count_vector (const ReelLookAhead *where, gint64 i, ReelI64s ahead)
{
  ReelI64s ends = reel_i64s_load_bytes (where->done + i);

  if (where->ids)
    ends |= reel_i64s_load (where->ids + i) ^ reel_i64s_load (where->ids + i + where->inner);
  /* A comparison is −1 where it holds: 1 after an end, else one more
   * than the next step, up to n_steps. */
  ahead &= ends == 0;
  return ahead - (ahead != where->n_steps);
}

/* A step of @n vectors. They stay in registers, for a load of what was just stored takes long. */
static inline __attribute__ ((always_inline)) gint64
count_held (const ReelLookAhead *where, gint64 begin, gint64 end, gint n, gint64 *counts)
{
  ReelI64s held[2] = { { 0 } };

  if (end - n * REEL_SIMD_WIDTH < begin)
    return end;
  for (gint k = 0; k < n; k++)
    held[k] = reel_i64s_load (counts + end + k * REEL_SIMD_WIDTH);
  for (; end - n * REEL_SIMD_WIDTH >= begin; end -= n * REEL_SIMD_WIDTH)
    for (gint k = 0; k < n; k++)
      {
        gint64 i = end + (k - n) * REEL_SIMD_WIDTH;

        held[k] = count_vector (where, i, held[k]);
        reel_i64s_store (counts + i, held[k]);
      }
  return end;
}

/* A step has as many elements as a vector, or more. */
static gint64
count_vectors (const ReelLookAhead *where, gint64 begin, gint64 end, gint64 *counts)
{
  if (where->inner == REEL_SIMD_WIDTH)
    return count_held (where, begin, end, 1, counts);
  if (where->inner == 2 * REEL_SIMD_WIDTH)
    end = count_held (where, begin, end, 2, counts);
  for (; end - REEL_SIMD_WIDTH >= begin; end -= REEL_SIMD_WIDTH)
    {
      gint64 i = end - REEL_SIMD_WIDTH;

      reel_i64s_store (counts + i,
                       count_vector (where, i, reel_i64s_load (counts + i + where->inner)));
    }
  return end;
}

/* Steps of one lane: where the trajectory ends is all that the next step waits for. */
static void
count_lane (const ReelLookAhead *where, gint64 begin, gint64 end, gint64 *restrict counts)
{
  const guint8 *restrict done = where->done;
  const gint64 *restrict ids = where->ids;
  gint64 most = where->n_steps, past = end + counts[end];

  for (gint64 t = end - 1; t >= begin; t--)
    {
      past = done[t] | (ids && ids[t] != ids[t + 1]) ? t + 1 : past;
      counts[t] = past - t < most ? past - t : most;
    }
}

static void
count_block (const ReelLookAhead *where, gint64 begin, gint64 end, gint64 *counts)
{
  if (where->inner == 1 && end > begin)
    {
      count_lane (where, begin, end, counts);
      return;
    }
  if (where->inner >= REEL_SIMD_WIDTH)
    end = count_vectors (where, begin, end, counts);
  for (gint64 i = end - 1; i >= begin; i--)
    counts[i] = count_one (where, i, counts[i + where->inner]);
}

static void
count (const ReelLookAhead *where, gint64 begin, gint64 end, gint64 *counts)
{
  gint64 inner = where->inner, block = where->steps * inner;

  while (end > begin)
    {
      gint64 first = (end - 1) / block * block, last = first + block - inner;

      first = first > begin ? first : begin;
      /* The last step has nothing ahead. */
      for (; end > last && end > first; end--)
        counts[end - 1] = 1;
      count_block (where, first, end, counts);
      end = first;
    }
}

/* ---- tiles ---- */

/* Steps looked at together. Most tiles are level: all their steps look equally far ahead. */
#define TILE 16

REEL_VECTOR_INLINE gboolean
is_level (const gint64 *counts)
{
  ReelI64s first = counts[0] - (ReelI64s){ 0 }, other = { 0 };

  for (gint k = 0; k < TILE; k += REEL_SIMD_WIDTH)
    other |= reel_i64s_load (counts + k) ^ first;
  return reel_choice_bits (reel_i64s_has (other, -1)) == 0;
}

/* ---- what follows from counts ---- */

static void
choose_powers (const gint64 *restrict counts, gint64 n, const double *restrict powers, gint64 most,
               float *restrict gamma)
{
  gint64 i = 0;

  if (most <= MAX_CHOSEN)
    for (; i + REEL_SIMD_WIDTH <= n; i += REEL_SIMD_WIDTH)
      {
        ReelI64s count = reel_i64s_load (counts + i);
        ReelF64s power = reel_f64s_all (powers[1]);
        for (gint64 j = 1; j < most; j++)
          power =
              reel_f64s_choose (reel_i64s_greater (count, j), reel_f64s_all (powers[j + 1]), power);
        reel_f64s_store_floats (gamma + i, power);
      }
  for (; i < n; i++)
    gamma[i] = (float) powers[counts[i]];
}

static void
spread (const gint64 *restrict counts, gint64 n, const double *powers, gint64 most,
        float *restrict gamma, guint8 *restrict many)
{
  choose_powers (counts, n, powers, most, gamma);
  for (gint64 i = 0; i < n; i++)
    many[i] = counts[i] > 1;
}

/* ---- rows from ahead ---- */

static inline __attribute__ ((always_inline)) void
move_each (const gint64 *restrict counts, gint64 n, gint64 stride, gsize size, const guint8 *from,
           guint8 *restrict to)
{
  for (gint64 i = 0; i < n; i++)
    memcpy (to + (gsize) i * size, from + (i + (counts[i] - 1) * stride) * (gint64) size, size);
}

static inline __attribute__ ((always_inline)) void
move_tiles (const gint64 *restrict counts, gint64 n, gint64 stride, gsize size, const guint8 *from,
            guint8 *restrict to)
{
  gint64 i = 0;

  for (; i + TILE <= n; i += TILE)
    {
      const guint8 *tile = from + i * (gint64) size;

      if (is_level (counts + i))
        memcpy (to + (gsize) i * size, tile + (counts[i] - 1) * stride * (gint64) size,
                TILE * size);
      else
        move_each (counts + i, TILE, stride, size, tile, to + (gsize) i * size);
    }
  move_each (counts + i, n - i, stride, size, from + i * (gint64) size, to + (gsize) i * size);
}

/* Neighbours that look as far ahead lie in a piece there too. */
static void
move_pieces (const gint64 *counts, gint64 n, gint64 stride, gsize size, const guint8 *from,
             guint8 *to)
{
  for (gint64 i = 0, end; i < n; i = end)
    {
      for (end = i + 1; end < n && counts[end] == counts[i]; end++)
        ;
      memcpy (to + (gsize) i * size, from + (i + (counts[i] - 1) * stride) * (gint64) size,
              (gsize) (end - i) * size);
    }
}

static void
move (const gint64 *counts, gint64 n, gint64 stride, gsize size, const guint8 *from, guint8 *to)
{
  switch (size)
    {
    case 1: move_tiles (counts, n, stride, 1, from, to); break;
    case 4: move_tiles (counts, n, stride, 4, from, to); break;
    case 8: move_tiles (counts, n, stride, 8, from, to); break;
    case 16: move_tiles (counts, n, stride, 16, from, to); break;
    default: move_pieces (counts, n, stride, size, from, to); break;
    }
}

/* ---- sums ---- */

#define reel_f64s_load_doubles reel_f64s_load
#define reel_f64s_store_doubles reel_f64s_store

/* Chosen, not multiplied by 0: what is past an end may be infinite or NaN. A vector that reaches
 * beyond the last reward is left to the elements one by one. */
#define SUM(name, Type)                                                                            \
  static Type name##_one (const Type *reward, gint64 count, gint64 stride, const double *powers)   \
  {                                                                                                \
    double sum = (double) reward[0];                                                               \
                                                                                                   \
    for (gint64 j = 1; j < count; j++)                                                             \
      sum += powers[j] * (double) reward[j * stride];                                              \
    return (Type) sum;                                                                             \
  }                                                                                                \
  static void name (const Type *restrict reward, const gint64 *restrict counts, gint64 n,          \
                    gint64 left, gint64 stride, const double *restrict powers, gint64 most,        \
                    Type *restrict sums)                                                           \
  {                                                                                                \
    gint64 i = 0;                                                                                  \
                                                                                                   \
    for (; i + REEL_SIMD_WIDTH <= n; i += REEL_SIMD_WIDTH)                                         \
      {                                                                                            \
        ReelI64s count = reel_i64s_load (counts + i);                                              \
        ReelF64s sum = reel_f64s_load_##Type##s (reward + i);                                      \
        gint64 j = 1, at = i + stride;                                                             \
        for (; j < most && at + REEL_SIMD_WIDTH <= left; j++, at += stride)                        \
          {                                                                                        \
            ReelChoice there = reel_i64s_greater (count, j);                                       \
            ReelF64s more = sum + powers[j] * reel_f64s_load_##Type##s (reward + at);              \
            if (reel_choice_bits (there) == 0)                                                     \
              break;                                                                               \
            sum = reel_f64s_choose (there, more, sum);                                             \
          }                                                                                        \
        if (j < most && reel_choice_bits (reel_i64s_greater (count, j)) != 0)                      \
          for (gint k = 0; k < REEL_SIMD_WIDTH; k++)                                               \
            sums[i + k] = name##_one (reward + i + k, counts[i + k], stride, powers);              \
        else                                                                                       \
          reel_f64s_store_##Type##s (sums + i, sum);                                               \
      }                                                                                            \
    for (; i < n; i++)                                                                             \
      sums[i] = name##_one (reward + i, counts[i], stride, powers);                                \
  }

SUM (sum_f32, float)
SUM (sum_f64, double)

const ReelMultiStepKernels REEL_KERNEL_NAME (reel_multi_step_kernels) = { count, spread, move,
                                                                          sum_f32, sum_f64 };
