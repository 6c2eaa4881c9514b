/* Sums of sixteen, and the way down through them. A batch goes down level by level, so that all its
 * cache misses of a level are under way at once. */
#include "priority-tree-kernel.h"
#include "../core/vector.h"

#include <math.h>

#define FAN REEL_TREE_FAN
#define PARTS (FAN / REEL_LANES)
#define SEARCHES 16

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

/* What is before each of the sixteen adds up to. Pairs, fours, eights: the order of additions is
 * the same for every width of vectors. Returns the sum of all. */
REEL_VECTOR_INLINE double
add_up (const ReelF64s values[PARTS], ReelF64s before[PARTS])
{
  ReelF64s sums[PARTS];

  for (gint i = 0; i < PARTS; i++)
    sums[i] = values[i];
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
    before[i] = BEFORE (sums, i, 1);
  return sums[PARTS - 1][REEL_LANES - 1];
}

REEL_VECTOR_INLINE void
load (const double *from, ReelF64s values[PARTS])
{
  for (gint i = 0; i < PARTS; i++)
    values[i] = reel_f64s_load (from + i * REEL_LANES);
}

/* Infinity in the place of what has no sum. */
REEL_VECTOR_INLINE ReelF64s
or_infinity (ReelF64s values, ReelF64s sums)
{
  return reel_f64s_select (sums > 0, values, reel_f64s_all (INFINITY));
}

REEL_VECTOR_INLINE double
least_of (const ReelF64s values[PARTS])
{
  ReelF64s least = values[0];

  for (gint i = 1; i < PARTS; i++)
    least = reel_f64s_min (least, values[i]);
  return reel_f64s_least (least);
}

/* ---- sums -------------------------------------------------------------------------------------
 */

static void
sum_groups (ReelTreeShape *tree, const gint64 *groups, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      ReelTreeNode *node = tree->levels[0] + (guint64) groups[i] / FAN;
      ReelF64s weights[PARTS], before[PARTS];

      load (tree->weights + groups[i] * FAN, weights);
      node->sums[(guint64) groups[i] % FAN] = add_up (weights, before);
      for (gint part = 0; part < PARTS; part++)
        weights[part] = or_infinity (weights[part], weights[part]);
      node->least[(guint64) groups[i] % FAN] = least_of (weights);
    }
}

static void
sum_nodes (ReelTreeShape *tree, gint level, const gint64 *nodes, gint64 n)
{
  gboolean last = level == tree->n_levels - 1;

  for (gint64 i = 0; i < n; i++)
    {
      ReelTreeNode *node = tree->levels[level] + nodes[i];
      ReelTreeNode *parent = last ? NULL : tree->levels[level + 1] + (guint64) nodes[i] / FAN;
      ReelF64s sums[PARTS], before[PARTS], least[PARTS];

      load (node->sums, sums);
      load (node->least, least);
      *(last ? &tree->total : &parent->sums[(guint64) nodes[i] % FAN]) = add_up (sums, before);
      *(last ? &tree->least : &parent->least[(guint64) nodes[i] % FAN]) = least_of (least);
      for (gint part = 0; part < PARTS; part++)
        reel_f64s_store (node->before + part * REEL_LANES, or_infinity (before[part], sums[part]));
    }
}

/* ---- the way down -----------------------------------------------------------------------------
 */

/* The last of the sixteen before which there is less than a mass, which is above 0. */
REEL_VECTOR_INLINE gint
take (const ReelF64s before[PARTS], double mass)
{
  guint bits = 0;

  for (gint i = 0; i < PARTS; i++)
    bits |= reel_f64s_below (before[i], mass) << (i * REEL_LANES);
  return 31 - __builtin_clz (bits);
}

static inline void
fetch (const double *sixteen)
{
  __builtin_prefetch (sixteen);
  __builtin_prefetch (sixteen + FAN / 2);
}

static void
find_groups (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *at)
{
  memset (at, 0, (gsize) n * sizeof *at);
  for (gint level = tree->n_levels - 1; level >= 0; level--)
    for (gint64 i = 0; i < n; i++)
      {
        const ReelTreeNode *node = tree->levels[level] + at[i];
        ReelF64s before[PARTS];
        gint child;

        load (node->before, before);
        child = take (before, masses[i]);
        masses[i] -= node->before[child]; /* stays above 0 */
        at[i] = at[i] * FAN + child;
        fetch (level > 0 ? tree->levels[level - 1][at[i]].before : tree->weights + at[i] * FAN);
      }
}

static void
find_weights (const ReelTreeShape *tree, const double *masses, gint64 n, gint64 *at, double *found)
{
  for (gint64 i = 0; i < n; i++)
    {
      const double *group = tree->weights + at[i] * FAN;
      ReelF64s weights[PARTS], before[PARTS];
      gint place;

      load (group, weights);
      add_up (weights, before);
      for (gint part = 0; part < PARTS; part++)
        before[part] = or_infinity (before[part], weights[part]);
      place = take (before, masses[i]);
      at[i] = at[i] * FAN + place;
      found[i] = group[place];
    }
}

/* While some go down, the groups of others are on their way here. */
static void
find (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *slots, double *weights)
{
  for (gint64 first = 0; first < n; first += SEARCHES)
    find_groups (tree, masses + first, MIN (SEARCHES, n - first), slots + first);
  find_weights (tree, masses, n, slots, weights);
}

const ReelTreeKernels REEL_KERNEL_NAME (reel_tree_kernels) = { sum_groups, sum_nodes, find };
