/* Sums of eight, and the way down through them, a vector of groups at a time: they are turned, so
 * that the first of each is one vector, the second the next. A batch goes down level by level, so
 * that all its cache misses of a level are under way at once. */
#include "priority-tree-kernel.h"
#include "../../core/math/vector.h"

#include <math.h>

#define FAN REEL_TREE_FAN
#define PARTS (FAN / REEL_SIMD_WIDTH)
#define NEAR 4096 /* sums that stay in the first cache */

/* ---- groups ---- */

#if REEL_SIMD_WIDTH > 2

/* @turned[k] is number k of the eight of each group; @begins says where these are. */
REEL_VECTOR_INLINE void
turn (const double *from, const gint64 begins[REEL_SIMD_WIDTH], ReelF64s turned[FAN])
{
#if REEL_SIMD_WIDTH == 8
#define HALF(i) _mm256_loadu_pd (from + begins[i] + k)
#define HALVES(i, j) _mm512_insertf64x4 (_mm512_castpd256_pd512 (HALF (i)), HALF (j), 1)
#define QUARTERS(which, a, b) (ReelF64s) _mm512_shuffle_f64x2 (a, b, which)
  /* Unpacking works within 128 bits, so groups 0 and 2 share a vector. The shuffles 0x88 and 0xdd
   * then take the even and the odd 128 bits: eight groups in order. */
  for (gint k = 0; k < FAN; k += 4)
    {
      __m512d a = HALVES (0, 2), b = HALVES (1, 3), c = HALVES (4, 6), d = HALVES (5, 7);
      __m512d even[] = { _mm512_unpacklo_pd (a, b), _mm512_unpacklo_pd (c, d) };
      __m512d odd[] = { _mm512_unpackhi_pd (a, b), _mm512_unpackhi_pd (c, d) };

      turned[k] = QUARTERS (0x88, even[0], even[1]);
      turned[k + 1] = QUARTERS (0x88, odd[0], odd[1]);
      turned[k + 2] = QUARTERS (0xdd, even[0], even[1]);
      turned[k + 3] = QUARTERS (0xdd, odd[0], odd[1]);
    }
#else
#define PAIR(i) _mm_loadu_pd (from + begins[i] + k)
#define PAIRS(i, j) _mm256_insertf128_pd (_mm256_castpd128_pd256 (PAIR (i)), PAIR (j), 1)
  for (gint k = 0; k < FAN; k += 2)
    {
      __m256d a = PAIRS (0, 2), b = PAIRS (1, 3);

      turned[k] = (ReelF64s) _mm256_unpacklo_pd (a, b);
      turned[k + 1] = (ReelF64s) _mm256_unpackhi_pd (a, b);
    }
#endif
}

/* Sums of two of @n neighbours each. */
REEL_VECTOR_INLINE void
pair (const ReelF64s *each, gint n, ReelF64s *pairs)
{
  for (gint k = 0; k < n / 2; k++)
    pairs[k] = each[2 * k] + each[2 * k + 1];
}

#else

static inline double
add_two (const double *each)
{
  return each[0] + each[1];
}

static inline double
add_four (const double *each)
{
  return add_two (each) + add_two (each + 2);
}

#endif

/* The sum of each group: by pairs, fours, eights, for any width of vectors. */
REEL_VECTOR_INLINE ReelF64s
add_up (const double *from, const gint64 groups[REEL_SIMD_WIDTH])
{
#if REEL_SIMD_WIDTH == 8
  /* Sums need not wait until all are turned. */
#define GROUP(i) _mm512_loadu_pd (from + groups[i] * FAN)
#define ADD_ONES(a, b) _mm512_add_pd (_mm512_unpacklo_pd (a, b), _mm512_unpackhi_pd (a, b))
#define ADD_PAIRS(a, b)                                                                            \
  _mm512_add_pd (_mm512_shuffle_f64x2 (a, b, 0x88), _mm512_shuffle_f64x2 (a, b, 0xdd))
#define ADD_FOUR(i)                                                                                \
  ADD_PAIRS (ADD_ONES (GROUP (i), GROUP (i + 1)), ADD_ONES (GROUP (i + 2), GROUP (i + 3)))
  return (ReelF64s) ADD_PAIRS (ADD_FOUR (0), ADD_FOUR (4));
#elif REEL_SIMD_WIDTH == 4
  gint64 begins[] = { groups[0] * FAN, groups[1] * FAN, groups[2] * FAN, groups[3] * FAN };
  ReelF64s each[FAN], pairs[FAN / 2], fours[FAN / 4];

  turn (from, begins, each);
  pair (each, FAN, pairs);
  pair (pairs, FAN / 2, fours);
  return fours[0] + fours[1];
#else
  const double *a = from + groups[0] * FAN, *b = from + groups[1] * FAN;

  return (ReelF64s){ add_four (a) + add_four (a + 4), add_four (b) + add_four (b + 4) };
#endif
}

/* ---- sums ---- */

REEL_VECTOR_INLINE void
sum_groups (const double *from, double *restrict sums, const gint64 groups[REEL_SIMD_WIDTH])
{
  double all[REEL_SIMD_WIDTH];

  reel_f64s_store (all, add_up (from, groups));
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    sums[groups[lane]] = all[lane];
}

/* Some groups are summed twice where that fills a vector: it changes nothing. */
static void
sum (const ReelTreeShape *tree, gint level, const gint64 *slots, gint64 n)
{
  const double *from = level > 0 ? tree->sums[level - 1] : tree->weights;
  gint shift = REEL_TREE_FAN_BITS * (level + 1);
  gint64 groups[REEL_SIMD_WIDTH], i = 0;

  for (; i + REEL_SIMD_WIDTH <= n; i += REEL_SIMD_WIDTH)
    {
      for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
        groups[lane] = slots[i + lane] >> shift;
      sum_groups (from, tree->sums[level], groups);
    }
  if (i == n)
    return;
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    groups[lane] = slots[MIN (i + lane, n - 1)] >> shift;
  sum_groups (from, tree->sums[level], groups);
}

static void
sum_range (const ReelTreeShape *tree, gint level, gint64 first, gint64 end)
{
  const double *from = level > 0 ? tree->sums[level - 1] : tree->weights;
  gint64 groups[REEL_SIMD_WIDTH], i = first;

  for (; i + REEL_SIMD_WIDTH <= end; i += REEL_SIMD_WIDTH)
    {
      for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
        groups[lane] = i + lane;
      reel_f64s_store (tree->sums[level] + i, add_up (from, groups));
    }
  if (i == end)
    return;
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    groups[lane] = MIN (i + lane, end - 1);
  sum_groups (from, tree->sums[level], groups);
}

/* ---- minima ---- */

REEL_VECTOR_INLINE double
least_of (const ReelF64s values[PARTS])
{
  ReelF64s least = values[0];

  for (gint i = 1; i < PARTS; i++)
    least = reel_f64s_min (least, values[i]);
  return reel_f64s_least (least);
}

static double
least (const ReelTreeShape *tree, gint64 block, double bound)
{
  const double *weights = tree->weights + block * REEL_TREE_BLOCK;
  const double *sums = tree->sums[0] + block * (REEL_TREE_BLOCK / FAN);
  /* A weight of 0 counts as infinity: its row is never drawn. No weight is below @bound, so the
   * search ends where that is found. */
  double found = INFINITY;

  for (gint i = 0; i < REEL_TREE_BLOCK / FAN && found != bound; i++)
    {
      ReelF64s values[PARTS];

      if (sums[i] == 0)
        continue;
      for (gint part = 0; part < PARTS; part++)
        {
          values[part] = reel_f64s_load (weights + i * FAN + part * REEL_SIMD_WIDTH);
          values[part] = reel_f64s_or_infinity (values[part], values[part]);
        }
      found = MIN (found, least_of (values));
    }
  return found;
}

/* ---- the way down ---- */

#if REEL_SIMD_WIDTH > 2

/* A mass that is more than what is on the left may go on to the right; what was passed is taken
 * off, and it stays above 0. */
REEL_VECTOR_INLINE ReelChoice
pass (ReelF64s left, ReelChoice may, ReelF64s *mass)
{
  ReelChoice choice = reel_f64s_less (left, *mass) & may;

  *mass = reel_f64s_choose (choice, *mass - left, *mass);
  return choice;
}

/* It does where there is anything. */
REEL_VECTOR_INLINE ReelChoice
go_right (ReelF64s left, ReelF64s right, ReelF64s *mass)
{
  return pass (left, reel_f64s_less ((ReelF64s){ 0 }, right), mass);
}

/* The half that was chosen of @n. */
REEL_VECTOR_INLINE void
halve (ReelChoice right, ReelF64s *each, gint n)
{
  for (gint k = 0; k < n / 2; k++)
    each[k] = reel_f64s_choose (right, each[k + n / 2], each[k]);
}

REEL_VECTOR_INLINE ReelI64s
child_of (ReelI64s begin, ReelChoice four, ReelChoice pair, ReelChoice one)
{
  return begin + reel_i64s_if (four, 4) + reel_i64s_if (pair, 2) + reel_i64s_if (one, 1);
}

/* From where groups begin to one of the eight of each, whose sum or weight it returns. */
REEL_VECTOR_INLINE ReelF64s
go_down (const double *from, double *restrict masses, const gint64 *begins, ReelI64s *found)
{
  ReelF64s mass = reel_f64s_load (masses), each[FAN], pairs[FAN / 2], fours[FAN / 4];
  ReelChoice by_four, by_pair, by_one;

  turn (from, begins, each);
  pair (each, FAN, pairs);
  pair (pairs, FAN / 2, fours);
  by_four = go_right (fours[0], fours[1], &mass);
  halve (by_four, pairs, 4);
  halve (by_four, each, 8);
  by_pair = go_right (pairs[0], pairs[1], &mass);
  halve (by_pair, each, 4);
  by_one = go_right (each[0], each[1], &mass);
  reel_f64s_store (masses, mass);
  *found = child_of (reel_i64s_load (begins), by_four, by_pair, by_one);
  return reel_f64s_choose (by_one, each[1], each[0]);
}

#else

/* Without a branch, for which way a mass goes nobody can foretell. */
static inline gint64
go_right (double left, double right, double *mass)
{
  gint64 choice = (left < *mass) & (right > 0), bits;

  memcpy (&bits, &left, sizeof bits);
  bits &= -choice;
  memcpy (&left, &bits, sizeof bits);
  *mass -= left;
  return choice;
}

/* The same one by one, halves by where they are: narrow vectors have no instruction to choose. */
static inline ReelF64s
go_down (const double *from, double *restrict masses, const gint64 *begins, ReelI64s *found)
{
  ReelF64s values;

  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    {
      const double *each = from + begins[lane];
      double mass = masses[lane];

      each += 4 * go_right (add_four (each), add_four (each + 4), &mass);
      each += 2 * go_right (add_two (each), add_two (each + 2), &mass);
      each += go_right (each[0], each[1], &mass);
      masses[lane] = mass;
      (*found)[lane] = each - from;
      values[lane] = *each;
    }
  return values;
}

#endif

/* To the second cache, where more misses are under way at once than on the way to the first. */
REEL_VECTOR_INLINE void
fetch (const double *from, const gint64 begins[REEL_SIMD_WIDTH])
{
#pragma GCC unroll 8
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    __builtin_prefetch (from + begins[lane], 0, 2);
}

/* The rows in some slots, line by line. */
REEL_VECTOR_INLINE void
fetch_rows (const ReelRowLines *lines, const gint64 slots[REEL_SIMD_WIDTH])
{
  for (guint k = 0; k < lines->n; k++)
#pragma GCC unroll 8
    for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
      __builtin_prefetch (lines->first[k] + (gsize) slots[lane] * lines->stride[k], 0, 2);
}

/* The found sums are fetched from @below, which may be NULL, a vector later: a CPU is slow to read
 * parts of what it has just written as a whole. */
REEL_VECTOR_INLINE void
go_down_all (const double *from, double *restrict masses, gint64 *restrict begins, gint64 n,
             const double *below)
{
  ReelI64s found;

  for (gint64 i = 0; i < n; i += REEL_SIMD_WIDTH)
    {
      go_down (from, masses + i, begins + i, &found);
      reel_i64s_store (begins + i, found * FAN);
      if (below && i > 0)
        fetch (below, begins + i - REEL_SIMD_WIDTH);
    }
  if (below)
    fetch (below, begins + n - REEL_SIMD_WIDTH);
}

/* To what is near, and to what is not. */
static void
go_down_near (const double *from, double *restrict masses, gint64 *restrict begins, gint64 n)
{
  go_down_all (from, masses, begins, n, NULL);
}

static void
go_down_far (const double *from, double *restrict masses, gint64 *restrict begins, gint64 n,
             const double *below)
{
  go_down_all (from, masses, begins, n, below);
}

static void
go_down_to_rows (const double *from, double *restrict masses, const gint64 *restrict begins,
                 gint64 n, gint64 *restrict slots, double *restrict weights,
                 const ReelRowLines *lines)
{
  ReelI64s found;

  for (gint64 i = 0; i < n; i += REEL_SIMD_WIDTH)
    {
      reel_f64s_store (weights + i, go_down (from, masses + i, begins + i, &found));
      reel_i64s_store (slots + i, found);
      if (i > 0)
        fetch_rows (lines, slots + i - REEL_SIMD_WIDTH);
    }
  fetch_rows (lines, slots + n - REEL_SIMD_WIDTH);
}

#if REEL_SIMD_WIDTH == 8

#define TOP_LEVELS 2
#define ALL 255 /* choices */

/* The sums on the left of each fork within up to eight groups, infinity where nothing is on the
 * right. */
typedef struct
{
  __m512d fours, pairs[2], ones[4];
} Forks;

static Forks
list_forks (const double *from, gint64 n_groups)
{
  ReelF64s each[FAN], pairs[FAN / 2], fours[FAN / 4];
  gint64 begins[REEL_SIMD_WIDTH];
  Forks forks;

  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    /* Missing groups repeat the last one. No mass gets there: the level
     * above has nothing on that side. */
    begins[lane] = MIN (lane, n_groups - 1) * FAN;
  turn (from, begins, each);
  pair (each, FAN, pairs);
  pair (pairs, FAN / 2, fours);
  forks.fours = (__m512d) reel_f64s_or_infinity (fours[0], fours[1]);
  for (gint k = 0; k < 2; k++)
    forks.pairs[k] = (__m512d) reel_f64s_or_infinity (pairs[2 * k], pairs[2 * k + 1]);
  for (gint k = 0; k < 4; k++)
    forks.ones[k] = (__m512d) reel_f64s_or_infinity (each[2 * k], each[2 * k + 1]);
  return forks;
}

/* As go_down(), with the forks in registers. */
REEL_VECTOR_INLINE ReelI64s
go_down_forks (const Forks *forks, ReelF64s *mass, ReelI64s group)
{
#define LOOK_UP(low, at, high) (ReelF64s) _mm512_permutex2var_pd (low, (__m512i) (at), high)
  ReelF64s four = (ReelF64s) _mm512_permutexvar_pd ((__m512i) group, forks->fours), pair, one;
  ReelChoice by_four = pass (four, ALL, mass), by_pair, by_one;
  ReelI64s half = group + reel_i64s_if (by_four, FAN);

  pair = LOOK_UP (forks->pairs[0], half, forks->pairs[1]);
  by_pair = pass (pair, ALL, mass);
  one = reel_f64s_choose (by_pair, LOOK_UP (forks->ones[1], half, forks->ones[3]),
                          LOOK_UP (forks->ones[0], half, forks->ones[2]));
  by_one = pass (one, ALL, mass);
  return child_of (group * FAN, by_four, by_pair, by_one);
}

/* The two highest levels. */
static void
go_down_top (const ReelTreeShape *tree, double *restrict masses, gint64 *restrict begins, gint64 n)
{
  gint level = tree->n_levels - 2;
  Forks top = list_forks (tree->sums[level], 1);
  Forks second = list_forks (tree->sums[level - 1], tree->n_sums[level]);

  for (gint64 i = 0; i < n; i += REEL_SIMD_WIDTH)
    {
      ReelF64s mass = reel_f64s_load (masses + i);
      ReelI64s group = go_down_forks (&top, &mass, (ReelI64s){ 0 });

      reel_i64s_store (begins + i, go_down_forks (&second, &mass, group) * FAN);
      reel_f64s_store (masses + i, mass);
    }
}

#endif

/* A whole number of vectors. */
static void
find_whole (const ReelTreeShape *tree, double *restrict masses, gint64 n, gint64 *restrict slots,
            double *restrict weights, const ReelRowLines *lines)
{
  /* For each search the first number of its group in the level at hand; 0 at the root. */
  gint64 begins[REEL_TREE_SEARCHES];
  gint level = tree->n_levels - 2;

#if REEL_SIMD_WIDTH == 8
  if (level > TOP_LEVELS)
    {
      go_down_top (tree, masses, begins, n);
      level -= TOP_LEVELS;
    }
  else
#endif
    memset (begins, 0, (gsize) n * sizeof *begins);
  for (; level > 0 && tree->n_sums[level - 1] <= NEAR; level--)
    go_down_near (tree->sums[level], masses, begins, n);
  for (; level >= 0; level--)
    go_down_far (tree->sums[level], masses, begins, n,
                 level > 0 ? tree->sums[level - 1] : tree->weights);
  go_down_to_rows (tree->weights, masses, begins, n, slots, weights, lines);
}

/* A vector that is not full is filled with the last mass. */
static void
find (const ReelTreeShape *tree, double *restrict masses, gint64 n, gint64 *restrict slots,
      double *restrict weights, const ReelRowLines *lines)
{
  gint64 whole = (n + REEL_SIMD_WIDTH - 1) / REEL_SIMD_WIDTH * REEL_SIMD_WIDTH,
         at[REEL_TREE_SEARCHES];
  double left[REEL_TREE_SEARCHES], found[REEL_TREE_SEARCHES];

  if (whole == n)
    {
      find_whole (tree, masses, n, slots, weights, lines);
      return;
    }
  for (gint64 i = 0; i < whole; i++)
    left[i] = masses[MIN (i, n - 1)];
  find_whole (tree, left, whole, at, found, lines);
  memcpy (slots, at, (gsize) n * sizeof *slots);
  memcpy (weights, found, (gsize) n * sizeof *weights);
}

const ReelTreeKernels REEL_KERNEL_NAME (reel_tree_kernels) = { sum, sum_range, least, find };
