/* The loops of priority trees, one table per instruction set. Private. */
#pragma once

#include "../storages/gather-kernel.h"

G_BEGIN_DECLS

#define REEL_TREE_FAN_BITS 3
#define REEL_TREE_FAN (1 << REEL_TREE_FAN_BITS) /* doubles: a cache line */
#define REEL_TREE_MOST_LEVELS 22
#define REEL_TREE_LEAST_LEVEL 2                       /* the lowest that has minima */
#define REEL_TREE_BLOCK (1 << 3 * REEL_TREE_FAN_BITS) /* weights below a sum of that level */
#define REEL_TREE_SEARCHES 256 /* at once: their lines fit the second cache */

/**
 * ReelTreeShape:
 * @weights: of the slots, rounded up to whole blocks with zeros
 * @sums: (array length=n_levels): of eight weights each, then of eight of the level below, up to
 *   the one of all
 * @least: (array length=n_levels): for each sum the least of the weights below it that are not 0,
 *   infinity where there are none. From %REEL_TREE_LEAST_LEVEL on
 * @n_sums: (array length=n_levels): of each level; arrays are rounded up to eights
 * @n_levels: more than %REEL_TREE_LEAST_LEVEL
 */
typedef struct
{
  double *weights;
  double *sums[REEL_TREE_MOST_LEVELS];
  double *least[REEL_TREE_MOST_LEVELS];
  gint64 n_sums[REEL_TREE_MOST_LEVELS];
  gint n_levels;
} ReelTreeShape;

/**
 * ReelTreeKernels:
 * @sum: (array length=n): makes the sums of a level above these slots anew
 * @sum_range: the same of the sums [@first, @end) of a level
 * @least: the least of the weights of a block that are not 0, infinity where there are none. None
 *   of them is less than @bound: where that is met the search ends. Sums are up to date
 * @find: see reel_priority_tree_find(); at most %REEL_TREE_SEARCHES
 */
typedef struct
{
  void (*sum) (const ReelTreeShape *tree, gint level, const gint64 *slots, gint64 n);
  void (*sum_range) (const ReelTreeShape *tree, gint level, gint64 first, gint64 end);
  double (*least) (const ReelTreeShape *tree, gint64 block, double bound);
  void (*find) (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *slots, double *weights,
                const ReelRowLines *lines);
} ReelTreeKernels;

REEL_KERNEL_DECLARE (ReelTreeKernels, reel_tree_kernels);

G_END_DECLS
