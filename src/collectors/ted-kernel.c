/* Ids and returns of lanes, by vectors. */
#include "ted-kernel.h"

#include "../core/math/vector.h"

/* By vectors: of a plain loop over the ids GCC makes a call of memcpy, which takes longer. */
static void
record (gint64 n, const gint64 *restrict ids, gint64 *restrict traj_ids,
        const float *restrict reward, double *restrict returns)
{
  gint64 i = 0;

  for (; i + REEL_SIMD_WIDTH <= n; i += REEL_SIMD_WIDTH)
    {
      reel_i64s_store (traj_ids + i, reel_i64s_load (ids + i));
      reel_f64s_store (returns + i,
                       reel_f64s_load (returns + i) + reel_f64s_load_floats (reward + i));
    }
  for (; i < n; i++)
    {
      traj_ids[i] = ids[i];
      returns[i] += (double) reward[i];
    }
}

extern const ReelTedKernels REEL_KERNEL_NAME (reel_ted_kernels);
const ReelTedKernels REEL_KERNEL_NAME (reel_ted_kernels) = { record };
