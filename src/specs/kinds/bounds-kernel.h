/* Values between bounds, one table per instruction set. Private. */
#pragma once

#include "../../core/tensor/dtype.h"
#include "../../core/math/isa.h"
#include "../../core/math/random.h"

/* Floats that are made at a time, and from how many on they are stored past the cache. */
#define REEL_BOUNDS_BLOCK 64
#define REEL_BOUNDS_STREAM (1 << 19)

/**
 * ReelFloatScale:
 * @tile: element i has what stands at i modulo @tile
 * @start: (array length=tile): lows
 * @step: (array length=tile): 2^−24 of high − low, which float32 bounds keep exact
 * @top: (array length=tile): the greatest value that may be drawn
 *
 * How numbers below 2^24 become values between bounds: (float) (start + number × step), at most
 * top.
 */
typedef struct
{
  gint64 tile;
  const double *start;
  const double *step;
  const float *top;
} ReelFloatScale;

/**
 * ReelBoundsKernels:
 * @count_inside: how many of the first of @n values are between their bounds, up to the last whole
 *   tile: the first that is not is less than a tile further. A NaN never is. %NULL for types that
 *   have no kernel
 * @clamp: writes to @to what is nearest to each value between its bounds; NaN stays
 * @draw_floats: the values of @n lanes from lane @first on, which is a multiple of the tile's
 *   period
 * @scale_doubles: makes of numbers in [0, 1) values of at most @top: low + number × span
 *
 * Element i has the bounds i modulo @tile.
 */
typedef struct
{
  gint64 (*count_inside[REEL_N_DTYPES]) (gconstpointer values, gint64 n, gconstpointer low,
                                         gconstpointer high, gint64 tile);
  void (*clamp[REEL_N_DTYPES]) (gconstpointer values, gint64 n, gconstpointer low,
                                gconstpointer high, gint64 tile, gpointer to);
  void (*draw_floats) (ReelRandomKey key, gint64 first, gint64 n, const ReelFloatScale *scale,
                       float *values);
  void (*scale_doubles) (double *values, gint64 n, const double *low, const double *span,
                         const double *top);
} ReelBoundsKernels;

REEL_KERNEL_DECLARE (ReelBoundsKernels, reel_bounds_kernels);
