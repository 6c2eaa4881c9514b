/* The loops of priority trees, one table per instruction set. Private. */
#pragma once

#include "../core/isa.h"

G_BEGIN_DECLS

#define REEL_TREE_FAN 16 /* doubles: two cache lines */
#define REEL_TREE_MOST_LEVELS 16

/**
 * ReelTreeNode:
 * @before: what the children in front of each add up to; infinity for those without a sum, which
 *   are never gone to
 * @sums: of each child
 * @least: of the weights below each child that are not 0, infinity where there are none
 *
 * 16 children of the level below: nodes, or groups of 16 weights. The way down reads @before alone.
 */
typedef struct
{
  double before[REEL_TREE_FAN];
  double sums[REEL_TREE_FAN];
  double least[REEL_TREE_FAN];
} ReelTreeNode;

/**
 * ReelTreeShape:
 * @weights: of the slots, rounded up to whole groups with zeros
 * @levels: (array length=n_levels): the nodes above them, level by level; the last is one node.
 *   Children that are not there have no sum
 * @n_nodes: of each level
 * @n_levels: at least 1
 * @total: the sum of the last node
 * @least: its minimum
 */
typedef struct
{
  double *weights;
  ReelTreeNode *levels[REEL_TREE_MOST_LEVELS];
  gint64 n_nodes[REEL_TREE_MOST_LEVELS];
  gint n_levels;
  double total;
  double least;
} ReelTreeShape;

/**
 * ReelTreeKernels:
 * @sum_groups: (array length=n): makes sum and minimum of groups of weights anew, in their nodes
 * @sum_nodes: the same of nodes of @level
 * @find: see reel_priority_tree_find()
 */
typedef struct
{
  void (*sum_groups) (ReelTreeShape *tree, const gint64 *groups, gint64 n);
  void (*sum_nodes) (ReelTreeShape *tree, gint level, const gint64 *nodes, gint64 n);
  void (*find) (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *slots,
                double *weights);
} ReelTreeKernels;

REEL_KERNEL_DECLARE (ReelTreeKernels, reel_tree_kernels);

G_END_DECLS
