/* Values between bounds, one table per instruction set. Private. */
#pragma once

#include "../core/dtype.h"
#include "../core/isa.h"

/**
 * ReelBoundsKernels:
 * @count_inside: how many of the first of @n values are between their bounds, up to the last whole
 *   tile: the first that is not is less than a tile further. A NaN never is. %NULL for types that
 *   have no kernel
 * @clamp: writes to @to what is nearest to each value between its bounds; NaN stays
 * @scale_floats: makes of numbers in [0, 1) at most @top: (float) (low + number × span)
 * @scale_doubles: the same
 *
 * Element i has the bounds i modulo @tile.
 */
typedef struct
{
  gint64 (*count_inside[REEL_N_DTYPES]) (gconstpointer values, gint64 n, gconstpointer low,
                                         gconstpointer high, gint64 tile);
  void (*clamp[REEL_N_DTYPES]) (gconstpointer values, gint64 n, gconstpointer low,
                                gconstpointer high, gint64 tile, gpointer to);
  void (*scale_floats) (float *values, gint64 n, const double *low, const double *span,
                        const float *top);
  void (*scale_doubles) (double *values, gint64 n, const double *low, const double *span,
                         const double *top);
} ReelBoundsKernels;

REEL_KERNEL_DECLARE (ReelBoundsKernels, reel_bounds_kernels);
