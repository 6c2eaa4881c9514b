/* Looking ahead in contiguous memory, outer × steps × inner. Private. */
#pragma once

#include "../core/math/isa.h"

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
 * @count: writes for the elements from @begin to before @end, counted over all of memory, how many
 *   steps there are from each to the end of its trajectory, at most n_steps, at least 1. Those
 *   behind @end must be there already
 * @spread: writes what follows from @n counts: powers[count], of a count that does not exceed
 *   @most; whether it is more than 1
 * @move: writes rows of @size bytes: for each of @n counts the one that is as many steps less one
 *   ahead of it, a step being @stride rows
 * @sum_f32: writes the sums of @n rewards: of counts[i] rewards from reward[i] on, @stride apart,
 *   the first multiplied with powers[0] = 1, the next with powers[1]. No count exceeds @most; @left
 *   rewards are there from the first on
 * @sum_f64: likewise
 *
 * One table per instruction set, the same bits from each. The output overlaps nothing.
 */
typedef struct
{
  void (*count) (const ReelLookAhead *where, gint64 begin, gint64 end, gint64 *counts);
  void (*spread) (const gint64 *counts, gint64 n, const double *powers, gint64 most, float *gamma,
                  guint8 *many);
  void (*move) (const gint64 *counts, gint64 n, gint64 stride, gsize size, const guint8 *from,
                guint8 *to);
  void (*sum_f32) (const float *reward, const gint64 *counts, gint64 n, gint64 left, gint64 stride,
                   const double *powers, gint64 most, float *sums);
  void (*sum_f64) (const double *reward, const gint64 *counts, gint64 n, gint64 left, gint64 stride,
                   const double *powers, gint64 most, double *sums);
} ReelMultiStepKernels;

REEL_KERNEL_DECLARE (ReelMultiStepKernels, reel_multi_step_kernels);

G_END_DECLS
