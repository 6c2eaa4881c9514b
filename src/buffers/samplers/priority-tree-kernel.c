/* Sums of sixteen, and the way down through them. A batch goes down level by level, so that all its
 * cache misses of a level are under way at once. */
#include "priority-tree-kernel.h"
#include "../../core/vector.h"

#include <math.h>

#define FAN REEL_TREE_FAN
#define PARTS (FAN / REEL_LANES)

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

REEL_VECTOR_INLINE void
load (const double *from, ReelF64s values[PARTS])
{
  for (gint i = 0; i < PARTS; i++)
    values[i] = reel_f64s_load (from + i * REEL_LANES);
}

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

/* The same sum alone. */
REEL_VECTOR_INLINE double
add_all (const double *sixteen)
{
#if REEL_LANES == 8
  __m512d low = _mm512_loadu_pd (sixteen), high = _mm512_loadu_pd (sixteen + 8);
  __m512d pairs = _mm512_add_pd (_mm512_unpacklo_pd (low, high), _mm512_unpackhi_pd (low, high));
  __m512d fours = _mm512_add_pd (pairs, _mm512_permutex_pd (pairs, 0x4e));
  __m256d eights =
      _mm256_add_pd (_mm512_castpd512_pd256 (fours), _mm512_extractf64x4_pd (fours, 1));

  return eights[0] + eights[1];
#else
  ReelF64s values[PARTS], before[PARTS];

  load (sixteen, values);
  return add_up (values, before);
#endif
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

/* Of what is so large that nothing is kept of it but its sums. */
static void
sum_low (const double *from, double *sums, const gint64 *ids, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    sums[ids[i]] = add_all (from + ids[i] * FAN);
}

static void
sum (const ReelTreeShape *tree, gint level, const gint64 *ids, gint64 n)
{
  const double *from = level > 0 ? tree->sums[level - 1] : tree->weights;
  double *kept = level > 1 ? tree->before[level - 1] : NULL, *sums = tree->sums[level];

  if (!kept)
    {
      sum_low (from, sums, ids, n);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    {
      ReelF64s values[PARTS], before[PARTS];

      load (from + ids[i] * FAN, values);
      sums[ids[i]] = add_up (values, before);
      for (gint part = 0; part < PARTS; part++)
        reel_f64s_store (kept + ids[i] * FAN + part * REEL_LANES,
                         reel_f64s_or_infinity (before[part], values[part]));
    }
}

static double
least (const ReelTreeShape *tree, gint64 block, double bound)
{
  const double *weights = tree->weights + block * REEL_TREE_BLOCK;
  const double *sums = tree->sums[0] + block * FAN;
  double found = INFINITY;

  for (gint i = 0; i < FAN && found != bound; i++)
    {
      ReelF64s values[PARTS];

      if (sums[i] == 0)
        continue;
      load (weights + i * FAN, values);
      for (gint part = 0; part < PARTS; part++)
        values[part] = reel_f64s_or_infinity (values[part], values[part]);
      found = MIN (found, least_of (values));
    }
  return found;
}

/* ---- the way down -----------------------------------------------------------------------------
 */

/* Down to the last of the sixteen before which there is less than a mass, which is above 0. */
REEL_VECTOR_INLINE gint
take (const double *sixteen, double *mass)
{
  ReelF64s before[PARTS];
  guint bits = 0;
  gint child;

  load (sixteen, before);
  for (gint i = 0; i < PARTS; i++)
    bits |= reel_f64s_below (before[i], *mass) << (i * REEL_LANES);
  child = 31 - __builtin_clz (bits);
  *mass -= sixteen[child]; /* stays above 0 */
  return child;
}

/* The same where what is before each is not kept, but the sum or weight of each. */
REEL_VECTOR_INLINE gint
take_of_sums (const double *sixteen, double *mass)
{
  ReelF64s sums[PARTS], before[PARTS];
  double parts[FAN];
  guint bits = 0;
  gint child;

  load (sixteen, sums);
  add_up (sums, before);
  for (gint i = 0; i < PARTS; i++)
    {
      reel_f64s_store (parts + i * REEL_LANES, before[i]);
      bits |= (reel_f64s_below (before[i], *mass) & reel_f64s_positive (sums[i]))
              << (i * REEL_LANES);
    }
  child = 31 - __builtin_clz (bits);
  *mass -= parts[child];
  return child;
}

/* To the second cache, where more misses are under way at once than on the way to the first. */
static inline void
fetch (const double *sixteen)
{
  __builtin_prefetch (sixteen, 0, 2);
  __builtin_prefetch (sixteen + FAN / 2, 0, 2);
}

/* Down to the sums of weights. */
static void
find_sums (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *at)
{
  memset (at, 0, (gsize) n * sizeof *at);
  for (gint level = tree->n_levels - 2; level > 0; level--)
    for (gint64 i = 0; i < n; i++)
      {
        at[i] = at[i] * FAN + take (tree->before[level] + at[i] * FAN, &masses[i]);
        fetch ((level > 1 ? tree->before[level - 1] : tree->sums[0]) + at[i] * FAN);
      }
  for (gint64 i = 0; i < n; i++)
    {
      at[i] = at[i] * FAN + take_of_sums (tree->sums[0] + at[i] * FAN, &masses[i]);
      fetch (tree->weights + at[i] * FAN);
    }
}

static void
find_weights (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *at, double *found)
{
  for (gint64 i = 0; i < n; i++)
    {
      at[i] = at[i] * FAN + take_of_sums (tree->weights + at[i] * FAN, &masses[i]);
      found[i] = tree->weights[at[i]];
    }
}

static void
find (const ReelTreeShape *tree, double *masses, gint64 n, gint64 *slots, double *weights)
{
  find_sums (tree, masses, n, slots);
  find_weights (tree, masses, n, slots, weights);
}

const ReelTreeKernels REEL_KERNEL_NAME (reel_tree_kernels) = { sum, least, find };
