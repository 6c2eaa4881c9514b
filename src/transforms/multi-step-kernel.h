/* Looking ahead in contiguous memory, outer × steps × inner. Private. */
#pragma once

#include "../core/isa.h"

G_BEGIN_DECLS

/**
 * ReelLookAhead:
 * @outer: how many blocks of steps
 * @steps: steps of a block
 * @inner: elements of a step, which is how far the next step lies
 * @n_steps: the most to look ahead, at least 1
 * @done: flags, 0 or 1
 * @ids: (nullable): trajectories
 *
 * Where trajectories end.
 */
typedef struct
{
  gint64 outer;
  gint64 steps;
  gint64 inner;
  gint64 n_steps;
  const guint8 *done;
  const gint64 *ids;
} ReelLookAhead;

/**
 * ReelMultiStepKernels:
 * @count: writes for each element how many steps there are from it to the end of its trajectory, at
 *   most n_steps, at least 1
 * @spread: writes what follows from @n counts: the numbers of the elements that are as many steps
 *   less one ahead, @stride apart, counted from 0; powers[count]; whether it is more than 1
 * @sum_f32: writes the sums of @n rewards: of counts[i] rewards from reward[i] on, @stride apart,
 *   the first multiplied with powers[0] = 1, the next with powers[1]. No count exceeds @most; @left
 *   rewards are there from the first on
 * @sum_f64: likewise
 *
 * One table per instruction set, the same bits from each.
 */
typedef struct
{
  void (*count) (const ReelLookAhead *where, gint64 *counts);
  void (*spread) (const gint64 *counts, gint64 n, gint64 stride, const float *powers,
                  gint64 *restrict ahead, float *restrict gamma, guint8 *restrict many);
  void (*sum_f32) (const float *reward, const gint64 *counts, gint64 n, gint64 left, gint64 stride,
                   const double *powers, gint64 most, float *restrict sums);
  void (*sum_f64) (const double *reward, const gint64 *counts, gint64 n, gint64 left, gint64 stride,
                   const double *powers, gint64 most, double *restrict sums);
} ReelMultiStepKernels;

REEL_KERNEL_DECLARE (ReelMultiStepKernels, reel_multi_step_kernels);

G_END_DECLS
