/* The loops over the rows of a draw or an update by priority, one table per instruction set.
 * Private. */
#pragma once

#include "../../core/math/isa.h"

G_BEGIN_DECLS

/**
 * ReelPriorityKernels:
 * @scale: in place, numbers from 0 on and below 1 become masses: above 0, and at most @total
 * @divide: in place, by @divisor
 * @add: in place, @summand
 * @wrap: in place, slots become rows: @slot + @first, and @capacity more below @oldest
 * @are_fine: whether all @slots are below @n_held and not negative, all @priorities not negative
 *   and all @rounded finite; none are where one is NaN
 * @greatest: of at least one value, none of which is NaN
 *
 * The same bits at every level.
 */
typedef struct
{
  void (*scale) (double *values, gint64 n, double total);
  void (*divide) (double *values, gint64 n, double divisor);
  void (*add) (double *values, gint64 n, double summand);
  void (*wrap) (gint64 *slots, gint64 n, gint64 first, gint64 oldest, gint64 capacity);
  gboolean (*are_fine) (const gint64 *slots, const double *priorities, const double *rounded,
                        gint64 n, gint64 n_held);
  double (*greatest) (const double *values, gint64 n);
} ReelPriorityKernels;

REEL_KERNEL_DECLARE (ReelPriorityKernels, reel_priority_kernels);

G_END_DECLS
