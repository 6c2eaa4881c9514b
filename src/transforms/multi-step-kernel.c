#include "multi-step-kernel.h"

/* Elements summed at a time: their sums stay in the nearest cache. */
#define CHUNK 1024

/* ---- counts, from the last step back ---- */

static void
count_row (const guint8 *restrict done, const gint64 *restrict ids, const gint64 *restrict next_ids,
           const gint64 *restrict ahead, gint64 n, gint64 most, gint64 *restrict counts)
{
  if (ids)
    for (gint64 i = 0; i < n; i++)
      {
        gint64 count = ahead[i] < most ? ahead[i] + 1 : most;
        counts[i] = done[i] | (ids[i] != next_ids[i]) ? 1 : count;
      }
  else
    for (gint64 i = 0; i < n; i++)
      {
        gint64 count = ahead[i] < most ? ahead[i] + 1 : most;
        counts[i] = done[i] ? 1 : count;
      }
}

/* The count of one step is what the next waits for: kept in a register. */
static void
count_lane (const guint8 *restrict done, const gint64 *restrict ids, gint64 steps, gint64 most,
            gint64 *restrict counts)
{
  gint64 count = 1;

  for (gint64 t = steps - 2; t >= 0; t--)
    {
      gboolean ends = done[t] | (ids && ids[t] != ids[t + 1]);
      count = ends ? 1 : count < most ? count + 1 : most;
      counts[t] = count;
    }
}

static void
count (const ReelLookAhead *where, gint64 *counts)
{
  gint64 inner = where->inner, block = where->steps * inner;

  for (gint64 o = 0; o < where->outer; o++)
    {
      const guint8 *done = where->done + o * block;
      const gint64 *ids = where->ids ? where->ids + o * block : NULL;
      gint64 *to = counts + o * block;
      gint64 t = where->steps - 1;

      for (gint64 i = 0; i < inner; i++)
        to[t * inner + i] = 1;
      if (inner == 1)
        count_lane (done, ids, where->steps, where->n_steps, to);
      else
        while (t-- > 0)
          count_row (done + t * inner, ids ? ids + t * inner : NULL,
                     ids ? ids + (t + 1) * inner : NULL, to + (t + 1) * inner, inner,
                     where->n_steps, to + t * inner);
    }
}

/* ---- what follows from counts ---- */

static void
spread_chunk (const gint64 *restrict counts, gint64 first, gint64 n, gint64 stride,
              const float *restrict powers, gint64 *restrict ahead, float *restrict gamma,
              guint8 *restrict many)
{
  for (gint64 i = 0; i < n; i++)
    ahead[i] = first + i + (counts[i] - 1) * stride;
  for (gint64 i = 0; i < n; i++)
    gamma[i] = powers[counts[i]];
  for (gint64 i = 0; i < n; i++)
    many[i] = counts[i] > 1;
}

static void
spread (const gint64 *counts, gint64 n, gint64 stride, const float *powers, gint64 *restrict ahead,
        float *restrict gamma, guint8 *restrict many)
{
  for (gint64 i = 0; i < n; i += CHUNK)
    spread_chunk (counts + i, i, n - i < CHUNK ? n - i : CHUNK, stride, powers, ahead + i,
                  gamma + i, many + i);
}

/* ---- sums ---- */

/* Chosen, not multiplied by 0: what is past an end may be infinite or NaN. */
#define SUM(name, Type)                                                                            \
  static void name##_chunk (const Type *reward, const gint64 *counts, gint64 n, gint64 left,       \
                            gint64 stride, const double *powers, gint64 most, Type *restrict sums) \
  {                                                                                                \
    double sum[CHUNK];                                                                             \
                                                                                                   \
    for (gint64 i = 0; i < n; i++)                                                                 \
      sum[i] = (double) reward[i];                                                                 \
    for (gint64 j = 1; j < most; j++)                                                              \
      {                                                                                            \
        const Type *ahead = reward + j * stride;                                                   \
        gint64 there = left - j * stride < n ? left - j * stride : n;                              \
        double power = powers[j];                                                                  \
        for (gint64 i = 0; i < there; i++)                                                         \
          {                                                                                        \
            double more = sum[i] + power * (double) ahead[i];                                      \
            sum[i] = counts[i] > j ? more : sum[i];                                                \
          }                                                                                        \
      }                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                 \
      sums[i] = (Type) sum[i];                                                                     \
  }                                                                                                \
  static void name (const Type *reward, const gint64 *counts, gint64 n, gint64 left,               \
                    gint64 stride, const double *powers, gint64 most, Type *restrict sums)         \
  {                                                                                                \
    for (gint64 i = 0; i < n; i += CHUNK)                                                          \
      {                                                                                            \
        gint64 size = n - i < CHUNK ? n - i : CHUNK, longest = 1;                                  \
        for (gint64 k = 0; k < size; k++)                                                          \
          longest = counts[i + k] > longest ? counts[i + k] : longest;                             \
        name##_chunk (reward + i, counts + i, size, left - i, stride, powers,                      \
                      longest < most ? longest : most, sums + i);                                  \
      }                                                                                            \
  }

SUM (sum_f32, float)
SUM (sum_f64, double)

const ReelMultiStepKernels REEL_KERNEL_NAME (reel_multi_step_kernels) = { count, spread, sum_f32,
                                                                          sum_f64 };
