/* Sums of sixteen, and the way down through them. A batch goes down level by level, so that all its
 * cache misses of a level are under way at once. */
#include "priority-tree-kernel.h"
#include "../core/vector.h"

#include <math.h>

#define FAN REEL_TREE_FAN
#define PARTS (FAN / REEL_LANES)
#define LINE 64

/* ---- sixteen doubles --------------------------------------------------------------------------
 */

/* Lane i is lane i − by of two vectors in a row; by is a literal, and less than a vector has. */
#if REEL_LANES == 8
#define LATER(low, high, by)                                                                       \
  __builtin_shufflevector (low, high, 8 - (by), 9 - (by), 10 - (by), 11 - (by), 12 - (by),         \
                           13 - (by), 14 - (by), 15 - (by))
#elif REEL_LANES == 4
#define LATER(low, high, by)                                                                       \
  __builtin_shufflevector (low, high, 4 - (by), 5 - (by), 6 - (by), 7 - (by))
#else
#define LATER(low, high, by) __builtin_shufflevector (low, high, 2 - (by), 3 - (by))
#endif

/* The sixteen that stand so many places before those of a vector each. */
#define BEFORE(sums, i, by) LATER ((i) > 0 ? (sums)[(i) -1] : (ReelF64s){ 0 }, (sums)[i], by)
#define ADD_NEAR(sums, by)                                                                         \
  for (gint i = PARTS - 1; i >= 0; i--)                                                            \
  sums[i] += BEFORE (sums, i, by)
#define ADD_FAR(sums, by)                                                                          \
  for (gint i = PARTS - 1; i >= (by) / REEL_LANES; i--)                                            \
  sums[i] += sums[i - (by) / REEL_LANES]

/* What is before each of the sixteen adds up to; infinite for those that are 0, which are never to
 * be taken. Pairs, fours, eights: the order of additions is the same for every width of vectors.
 * Returns the sum of all. */
REEL_VECTOR_INLINE double
add_up (const double *from, ReelF64s before[PARTS])
{
  ReelF64s sums[PARTS];

  for (gint i = 0; i < PARTS; i++)
    sums[i] = reel_f64s_load (from + i * REEL_LANES);
  ADD_NEAR (sums, 1);
#if REEL_LANES > 2
  ADD_NEAR (sums, 2);
#else
  ADD_FAR (sums, 2);
#endif
#if REEL_LANES > 4
  ADD_NEAR (sums, 4);
#else
  ADD_FAR (sums, 4);
#endif
  ADD_FAR (sums, 8);
  for (gint i = 0; i < PARTS; i++)
    before[i] = reel_f64s_select (reel_f64s_load (from + i * REEL_LANES) > 0, BEFORE (sums, i, 1),
                                  reel_f64s_all (INFINITY));
  return sums[PARTS - 1][REEL_LANES - 1];
}

/* The last of the sixteen before which there is less than a mass, which is above 0. */
REEL_VECTOR_INLINE gint
take (const ReelF64s before[PARTS], double mass)
{
  guint bits = 0;

  for (gint i = 0; i < PARTS; i++)
    bits |= reel_f64s_below (before[i], mass) << (i * REEL_LANES);
  return 31 - __builtin_clz (bits);
}

REEL_VECTOR_INLINE ReelF64s
smaller (ReelF64s a, ReelF64s b)
{
  return reel_f64s_select (a < b, a, b);
}

REEL_VECTOR_INLINE double
least_lane (const ReelF64s v[PARTS])
{
  ReelF64s least = v[0];
  double value;

  for (gint i = 1; i < PARTS; i++)
    least = smaller (least, v[i]);
  value = least[0];
  for (gint lane = 1; lane < REEL_LANES; lane++)
    value = least[lane] < value ? least[lane] : value;
  return value;
}

/* ---- sums -------------------------------------------------------------------------------------
 */

static void
sum_groups (ReelTreeShape *tree, const gint64 *groups, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      const double *group = tree->weights + groups[i] * FAN;
      ReelTreeNode *node = tree->levels[0] + groups[i] / FAN;
      ReelF64s before[PARTS], weights[PARTS];

      node->sums[groups[i] % FAN] = add_up (group, before);
      for (gint part = 0; part < PARTS; part++)
        {
          ReelF64s w = reel_f64s_load (group + part * REEL_LANES);

          weights[part] = reel_f64s_select (w > 0, w, reel_f64s_all (INFINITY));
        }
      node->least[groups[i] % FAN] = least_lane (weights);
    }
}

static void
sum_nodes (ReelTreeShape *tree, gint level, const gint64 *nodes, gint64 n)
{
  gboolean last = level == tree->n_levels - 1;

  for (gint64 i = 0; i < n; i++)
    {
      ReelTreeNode *node = tree->levels[level] + nodes[i];
      ReelTreeNode *parent = last ? NULL : tree->levels[level + 1] + nodes[i] / FAN;
      ReelF64s before[PARTS], least[PARTS];

      *(last ? &tree->total : &parent->sums[nodes[i] % FAN]) = add_up (node->sums, before);
      for (gint part = 0; part < PARTS; part++)
        least[part] = reel_f64s_load (node->least + part * REEL_LANES);
      *(last ? &tree->least : &parent->least[nodes[i] % FAN]) = least_lane (least);
    }
}

/* ---- the way down -----------------------------------------------------------------------------
 */

static void
find_children (const ReelTreeNode *nodes, double *masses, gint64 n, gint64 *at)
{
  for (gint64 i = 0; i < n; i++)
    {
      ReelF64s before[PARTS];
      double sums[FAN];
      gint child;

      add_up (nodes[at[i]].sums, before);
      child = take (before, masses[i]);
      for (gint part = 0; part < PARTS; part++)
        reel_f64s_store (sums + part * REEL_LANES, before[part]);
      masses[i] -= sums[child]; /* stays above 0 */
      at[i] = at[i] * FAN + child;
    }
}

static void
find_weights (const double *weights, const double *masses, gint64 n, gint64 *at, double *found)
{
  for (gint64 i = 0; i < n; i++)
    {
      const double *group = weights + at[i] * FAN;
      ReelF64s before[PARTS];
      gint place;

      add_up (group, before);
      place = take (before, masses[i]);
      at[i] = at[i] * FAN + place;
      found[i] = group[place];
    }
}

static void
find (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *slots, double *weights)
{
  memset (slots, 0, (gsize) n * sizeof *slots);
  for (gint level = tree->n_levels - 1; level >= 0; level--)
    {
      find_children (tree->levels[level], masses, n, slots);
      for (gint64 i = 0; i < n; i++)
        {
          const guint8 *next = level > 0 ? (gpointer) tree->levels[level - 1][slots[i]].sums
                                         : (gpointer) (tree->weights + slots[i] * FAN);

          __builtin_prefetch (next);
          __builtin_prefetch (next + LINE);
        }
    }
  find_weights (tree->weights, masses, n, slots, weights);
}

const ReelTreeKernels REEL_KERNEL_NAME (reel_tree_kernels) = { sum_groups, sum_nodes, find };
