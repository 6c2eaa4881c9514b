/* Sums of eight, and the way down through them. A batch goes down level by level, so that all its
 * cache misses of a level are under way at once. */
#include "priority-tree-kernel.h"
#include "../../core/vector.h"

#include <math.h>

#define FAN REEL_TREE_FAN
#define PARTS (FAN / REEL_LANES)

/* ---- eight doubles ---- */

/* Lane i is lane i − by of two vectors in a row; by is a literal, and less than a vector has. */
#if REEL_LANES == 8
#define LATER(low, high, by)                                                                       \
  (ReelF64s) _mm512_alignr_epi64 ((__m512i) (high), (__m512i) (low), 8 - (by))
#elif REEL_LANES == 4
#define LATER(low, high, by)                                                                       \
  __builtin_shufflevector (low, high, 4 - (by), 5 - (by), 6 - (by), 7 - (by))
#else
#define LATER(low, high, by) __builtin_shufflevector (low, high, 2 - (by), 3 - (by))
#endif

/* The eight that stand so many places before those of a vector each. */
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

/* What is before each of the eight adds up to. Pairs, fours, eights: the order of additions is
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
  for (gint i = 0; i < PARTS; i++)
    before[i] = BEFORE (sums, i, 1);
  return sums[PARTS - 1][REEL_LANES - 1];
}

/* The same sum alone. */
REEL_VECTOR_INLINE double
add_all (const double *eight)
{
#if REEL_LANES == 8
  __m512d all = _mm512_loadu_pd (eight);
  __m512d pairs = _mm512_add_pd (all, _mm512_permute_pd (all, 0x55));
  __m512d fours = _mm512_add_pd (pairs, _mm512_permutex_pd (pairs, 0x4e));

  return fours[0] + _mm512_extractf64x4_pd (fours, 1)[0];
#else
  ReelF64s values[PARTS], before[PARTS];

  load (eight, values);
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

REEL_VECTOR_INLINE void
sum_one (const double *from, double *restrict sums, double *restrict kept, gint64 id)
{
  ReelF64s values[PARTS], before[PARTS];

  if (!kept)
    {
      sums[id] = add_all (from + id * FAN);
      return;
    }
  load (from + id * FAN, values);
  sums[id] = add_up (values, before);
  for (gint part = 0; part < PARTS; part++)
    reel_f64s_store (kept + id * FAN + part * REEL_LANES,
                     reel_f64s_or_infinity (before[part], values[part]));
}

/* Calls for what is so large that nothing is kept of it but its sums, and for the rest. */
#define SUM_EACH(id)                                                                               \
  do                                                                                               \
    {                                                                                              \
      if (kept)                                                                                    \
        for (gint64 i = first; i < end; i++)                                                       \
          sum_one (from, sums, kept, id);                                                          \
      else                                                                                         \
        for (gint64 i = first; i < end; i++)                                                       \
          sum_one (from, sums, NULL, id);                                                          \
    }                                                                                              \
  while (0)

static void
sum (const ReelTreeShape *tree, gint level, const gint64 *slots, gint64 n)
{
  const double *from = level > 0 ? tree->sums[level - 1] : tree->weights;
  double *kept = level > 1 ? tree->before[level - 1] : NULL, *sums = tree->sums[level];
  gint shift = REEL_TREE_FAN_BITS * (level + 1);
  const gint64 first = 0, end = n;

  SUM_EACH (slots[i] >> shift);
}

static void
sum_range (const ReelTreeShape *tree, gint level, gint64 first, gint64 end)
{
  const double *from = level > 0 ? tree->sums[level - 1] : tree->weights;
  double *kept = level > 1 ? tree->before[level - 1] : NULL, *sums = tree->sums[level];

  SUM_EACH (i);
}

static double
least (const ReelTreeShape *tree, gint64 block, double bound)
{
  const double *weights = tree->weights + block * REEL_TREE_BLOCK;
  const double *sums = tree->sums[0] + block * (REEL_TREE_BLOCK / FAN);
  double found = INFINITY;

  for (gint i = 0; i < REEL_TREE_BLOCK / FAN && found != bound; i++)
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

/* ---- the way down ---- */

/* Down to the last of the eight before which there is less than a mass, which is above 0. */
REEL_VECTOR_INLINE gint64
take (const double *eight, double *mass)
{
  ReelF64s before[PARTS];
  guint64 bits = 0;
  gint64 child;

  load (eight, before);
  for (gint i = 0; i < PARTS; i++)
    bits |= reel_f64s_below (before[i], *mass) << (i * REEL_LANES);
  child = 63 - __builtin_clzll (bits);
  *mass -= eight[child]; /* stays above 0 */
  return child;
}

/* The same where what is before each is not kept, but the sum or weight of each. */
REEL_VECTOR_INLINE gint64
take_of_sums (const double *eight, double *mass)
{
  ReelF64s sums[PARTS], before[PARTS];
  double parts[FAN];
  guint64 bits = 0;
  gint64 child;

  load (eight, sums);
  add_up (sums, before);
  for (gint i = 0; i < PARTS; i++)
    {
      reel_f64s_store (parts + i * REEL_LANES, before[i]);
      bits |= (reel_f64s_below (before[i], *mass) & reel_f64s_positive (sums[i]))
              << (i * REEL_LANES);
    }
  child = 63 - __builtin_clzll (bits);
  *mass -= parts[child];
  return child;
}

/* To the second cache, where more misses are under way at once than on the way to the first. */
static inline void
fetch (const double *eight)
{
  __builtin_prefetch (eight, 0, 2);
}

/* The row in a slot, line by line. */
static inline void
fetch_row (const ReelRowLines *lines, gint64 slot)
{
  for (guint k = 0; k < lines->n; k++)
    __builtin_prefetch (lines->first[k] + (gsize) slot * lines->stride[k], 0, 2);
}

#if REEL_LANES == 8

#define TOP_LEVELS 2

/* Where eight masses each go below nodes of their own: of child k of all of them at once. */
#define TAKE_EACH(before_child)                                                                    \
  do                                                                                               \
    {                                                                                              \
      __m512d less = _mm512_setzero_pd ();                                                         \
      __m512i child = _mm512_setzero_si512 ();                                                     \
                                                                                                   \
      _Pragma ("GCC unroll 8") for (gint k = 1; k < FAN; k++)                                      \
      {                                                                                            \
        __m512d before = before_child;                                                             \
        __mmask8 above = _mm512_cmp_pd_mask (before, mass, _CMP_LT_OQ);                            \
                                                                                                   \
        less = _mm512_mask_mov_pd (less, above, before);                                           \
        child = _mm512_mask_mov_epi64 (child, above, _mm512_set1_epi64 (k));                       \
      }                                                                                            \
      mass = _mm512_sub_pd (mass, less);                                                           \
      id = _mm512_add_epi64 (_mm512_slli_epi64 (id, REEL_TREE_FAN_BITS), child);                   \
    }                                                                                              \
  while (0)

/* The two highest levels, eight masses at a time: what is before the first child is nothing. */
static gint
find_top (const ReelTreeShape *tree, double *restrict masses, gint64 n, gint64 *restrict at)
{
  gint level = tree->n_levels - 2;
  const double *top = tree->before[level], *second = tree->before[level - 1];
  __m512d turned[FAN];

  for (gint k = 0; k < FAN; k++)
    turned[k] =
        _mm512_i64gather_pd (_mm512_setr_epi64 (0, 8, 16, 24, 32, 40, 48, 56), second + k, 8);
  for (gint64 i = 0; i < n; i += FAN)
    {
      __mmask8 some = (__mmask8) (n - i < FAN ? (1 << (n - i)) - 1 : 255);
      __m512d mass = _mm512_maskz_loadu_pd (some, masses + i);
      __m512i id = _mm512_setzero_si512 (), node;

      TAKE_EACH (_mm512_set1_pd (top[k]));
      node = id;
      TAKE_EACH (_mm512_permutexvar_pd (node, turned[k]));
      _mm512_mask_storeu_pd (masses + i, some, mass);
      _mm512_mask_storeu_epi64 (at + i, some, id);
    }
  return level - TOP_LEVELS;
}

#endif

static void
find (const ReelTreeShape *tree, double *restrict masses, gint64 n, gint64 *restrict slots,
      double *restrict weights, const ReelRowLines *lines)
{
  const double *lowest = tree->sums[0], *all = tree->weights;
  gint level = tree->n_levels - 2;

#if REEL_LANES == 8
  if (level > TOP_LEVELS)
    level = find_top (tree, masses, n, slots);
  else
#endif
    memset (slots, 0, (gsize) n * sizeof *slots);
  for (; level > 0; level--)
    {
      const double *before = tree->before[level];
      const double *below = level > 1 ? tree->before[level - 1] : lowest;

      for (gint64 i = 0; i < n; i++)
        {
          slots[i] = slots[i] * FAN + take (before + slots[i] * FAN, &masses[i]);
          fetch (below + slots[i] * FAN);
        }
    }
  for (gint64 i = 0; i < n; i++)
    {
      slots[i] = slots[i] * FAN + take_of_sums (lowest + slots[i] * FAN, &masses[i]);
      fetch (all + slots[i] * FAN);
    }
  for (gint64 i = 0; i < n; i++)
    {
      slots[i] = slots[i] * FAN + take_of_sums (all + slots[i] * FAN, &masses[i]);
      fetch_row (lines, slots[i]);
      weights[i] = all[slots[i]];
    }
}

const ReelTreeKernels REEL_KERNEL_NAME (reel_tree_kernels) = { sum, sum_range, least, find };
