/* The work of a collector on every row of a step, besides the env's own. Private. */
#pragma once

#include "../core/math/isa.h"

G_BEGIN_DECLS

/**
 * ReelTedKernels:
 * @record: for @n lanes of a step: writes their ids to @traj_ids and adds @reward to @returns
 *
 * One table per instruction set, the same bits in each.
 */
typedef struct
{
  void (*record) (gint64 n, const gint64 *restrict ids, gint64 *restrict traj_ids,
                  const float *restrict reward, double *restrict returns);
} ReelTedKernels;

REEL_KERNEL_DECLARE (ReelTedKernels, reel_ted_kernels);

G_END_DECLS
