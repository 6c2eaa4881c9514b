/* Powers of many numbers, one table per instruction set. Private. */
#pragma once

#include "isa.h"

G_BEGIN_DECLS

/**
 * ReelPowerKernels:
 * @power: @to[i] = @from[i] ^ @exponent for @n numbers, none of them negative or NaN; @to may be
 *   @from. @exponent is finite
 *
 * The same bits on every machine and at every level, within 1.5 units in the last place of the
 * exact value, and |@exponent| / 16 more. 1 stays 1, exponents 0 and 1 are exact; 0 and infinity go
 * where the limit goes.
 */
typedef struct
{
  void (*power) (const double *from, gint64 n, double exponent, double *to);
} ReelPowerKernels;

REEL_KERNEL_DECLARE (ReelPowerKernels, reel_power_kernels);

G_END_DECLS
