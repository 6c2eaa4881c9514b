/* The loops of priority trees, one table per instruction set. Private. */
#pragma once

#include "../../core/isa.h"

G_BEGIN_DECLS

#define REEL_TREE_FAN 16 /* doubles: two cache lines */
#define REEL_TREE_MOST_LEVELS 16
#define REEL_TREE_BLOCK (REEL_TREE_FAN * REEL_TREE_FAN) /* weights that have a minimum */

/**
 * ReelTreeShape:
 * @weights: of the slots, rounded up to whole blocks with zeros
 * @sums: (array length=n_levels): of sixteen weights each, then of sixteen of the level below, up
 *   to the one of all
 * @before: (array length=n_levels): for each sum what those in front of it in its sixteen add up
 *   to; infinity for those that are 0, which are never gone to. None of the lowest level, which is
 *   as large as all others sixteen times: there, as for weights, it is found on the way
 * @least: (array length=n_levels): for each sum the least of the weights below it that are not 0,
 *   infinity where there are none. None of the lowest level
 * @n_sums: (array length=n_levels): of each level; arrays are rounded up to sixteens
 * @n_levels: at least 2
 */
typedef struct
{
  double *weights;
  double *sums[REEL_TREE_MOST_LEVELS];
  double *before[REEL_TREE_MOST_LEVELS];
  double *least[REEL_TREE_MOST_LEVELS];
  gint64 n_sums[REEL_TREE_MOST_LEVELS];
  gint n_levels;
} ReelTreeShape;

/**
 * ReelTreeKernels:
 * @sum: (array length=n): makes these sums of a level anew, and what is before each that they are
 * of
 * @least: the least of the weights of a block that are not 0, infinity where there are none. None
 * of them is less than @bound: where that is met the search ends. Sums are up to date
 * @find: see reel_priority_tree_find()
 */
typedef struct
{
  void (*sum) (const ReelTreeShape *tree, gint level, const gint64 *ids, gint64 n);
  double (*least) (const ReelTreeShape *tree, gint64 block, double bound);
  void (*find) (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *slots,
                double *weights);
} ReelTreeKernels;

REEL_KERNEL_DECLARE (ReelTreeKernels, reel_tree_kernels);

G_END_DECLS
