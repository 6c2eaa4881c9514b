#include "../src/core/math/random.h"
#include "../src/core/math/random-kernel.h"

#include <math.h>
#include <string.h>

/* The numbers of NumPy 2.4.6 for the seeds 0, 42 and 2^40 + 5. */
typedef struct
{
  guint32 seed[2];
  gsize n_words;
  guint32 pool[4];
  guint64 words[4];
  guint64 state[2], inc[2];
  guint64 draws[3];
  double doubles[3];
  guint8 below3[10];
  double after;
} Golden;

static const Golden goldens[] = {
  { { 0 },
    1,
    { 0xfe40eb07, 0x4f363a36, 0x4eb2009d, 0xc89a7aa7 },
    { 0xdb2cd7e7b0f478be, 0xabf4641a2c71ba49, 0x20c6ed6d9d7b8d41, 0x2c4099de223c39d4 },
    { 0x1aa1b5345996452d, 0x09585eb7a69561e3 },
    { 0x418ddadb3af71a82, 0x588133bc447873a9 },
    { 0xa30febcfd9c2825f, 0x4510bdf882d9d721, 0xa7d3da94ecde8b8 },
    { 0.6369616873214543, 0.2697867137638703, 0.04097352393619469 },
    { 2, 1, 1, 0, 0, 0, 0, 0, 0, 2 },
    0.9127555772777217 },
  { { 42 },
    1,
    { 0x631d3606, 0x7ae90ae, 0x6fc4be28, 0x2ced5c75 },
    { 0x9f1e2e6dcd540ab7, 0xd57873dc79fb94b6, 0x7d282a1b64d420b7, 0x336579714692d5ff },
    { 0xcea44f6798798f2a, 0xacbc7c9d68860ac8 },
    { 0xfa505436c9a8416e, 0x66caf2e28d25abff },
    { 0xc621fbcd16d92688, 0x705a5661a791ffc1, 0xdbcd12c26eda1624 },
    { 0.7739560485559633, 0.4388784397520523, 0.8585979199113825 },
    { 0, 2, 1, 1, 1, 2, 0, 2, 0, 0 },
    0.9756223516367559 },
  { { 5, 256 },
    2,
    { 0x9d1074f4, 0xcce4e184, 0xceb91484, 0xbbf9d350 },
    { 0xdae41755e08a170b, 0x8415abe87ecdcb2c, 0x2525c5b44b9118d0, 0x42c2793f3392bed3 },
    { 0xd972711564fcbcf2, 0xa1511cb73ed6e086 },
    { 0x4a4b8b68972231a0, 0x8584f27e67257da7 },
    { 0x1369aef039fedeb, 0x5f61b40473314316, 0x9654aaeeea6ebe77 },
    { 0.004739459374490829, 0.3725845824112115, 0.5872294266977701 },
    { 0, 0, 1, 1, 2, 1, 2, 0, 0, 1 },
    0.9859162233511684 },
};

static void
test_seed_sequence (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      const Golden *golden = &goldens[i];
      ReelSeedSequence sequence;
      guint64 words[4];

      reel_seed_sequence_init (&sequence, golden->seed, golden->n_words);
      g_assert_cmpmem (sequence.pool, sizeof sequence.pool, golden->pool, sizeof golden->pool);
      reel_seed_sequence_generate (&sequence, words, 4);
      g_assert_cmpmem (words, sizeof words, golden->words, sizeof golden->words);
    }
}

static void
test_pcg64_streams (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      const Golden *golden = &goldens[i];
      ReelPcg64 fresh, rng;

      reel_pcg64_seed (&fresh, golden->seed, golden->n_words);
      g_assert_cmphex (fresh.state_high, ==, golden->state[0]);
      g_assert_cmphex (fresh.state_low, ==, golden->state[1]);
      g_assert_cmphex (fresh.inc_high, ==, golden->inc[0]);
      g_assert_cmphex (fresh.inc_low, ==, golden->inc[1]);

      rng = fresh;
      for (gsize k = 0; k < 3; k++)
        g_assert_cmphex (reel_pcg64_uint64 (&rng), ==, golden->draws[k]);
      rng = fresh;
      for (gsize k = 0; k < 3; k++)
        g_assert_true (reel_pcg64_double (&rng) == golden->doubles[k]);
      rng = fresh;
      for (gsize k = 0; k < 10; k++)
        g_assert_cmpuint (reel_pcg64_below (&rng, 3), ==, golden->below3[k]);
      g_assert_true (reel_pcg64_double (&rng) == golden->after);
    }
}

/* Gymnasium's Discrete(2).seed (42) and the CartPole reset of seed 0. */
static void
test_pcg64_distributions (void)
{
  const guint8 expected[10] = { 0, 1, 1, 0, 0, 1, 0, 1, 0, 0 };
  const double reset[4] = { 0.013696168732145436, -0.02302132862361297, -0.045902647606380534,
                            -0.04834723644714709 };
  ReelPcg64 rng;

  reel_pcg64_seed (&rng, (const guint32[]){ 42 }, 1);
  for (gsize k = 0; k < 10; k++)
    g_assert_cmpuint (reel_pcg64_below (&rng, 2), ==, expected[k]);

  reel_pcg64_seed (&rng, (const guint32[]){ 0 }, 1);
  for (gsize k = 0; k < 4; k++)
    g_assert_true (reel_pcg64_uniform (&rng, -0.05, 0.05) == reset[k]);
}

/* The bounds where the width of the draw changes. */
/* The first draws of the seeds above, and sums over 100 000 draws of seed 0, which the slow ways of
 * the ziggurat and its tail are among: NumPy 2.4.6. */
static void
test_pcg64_normals (void)
{
  static const double first[G_N_ELEMENTS (goldens)][4] = {
    { 0.1257302210933933, -0.1321048632913019, 0.6404226504432821, 0.10490011715303971 },
    { 0.30471707975443135, -1.0399841062404955, 0.7504511958064572, 0.9405647163912139 },
    { -0.09818552148928854, -0.6994306412054528, 1.0290864089932255, -0.15573410684893257 },
  };
  ReelPcg64 rng;
  double sum = 0, largest = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      reel_pcg64_seed (&rng, goldens[i].seed, goldens[i].n_words);
      for (gsize k = 0; k < 4; k++)
        g_assert_true (reel_pcg64_normal (&rng) == first[i][k]);
    }
  reel_pcg64_seed (&rng, goldens[0].seed, goldens[0].n_words);
  for (gint k = 0; k < 100000; k++)
    {
      double draw = reel_pcg64_normal (&rng);

      sum += draw;
      largest = MAX (largest, fabs (draw));
    }
  g_assert_true (sum == -90.825077312059);
  g_assert_true (largest == 4.731957688635529);
  g_assert_cmpuint (reel_pcg64_uint64 (&rng), ==, 0xbbc3e3a965b5c865);
}

static void
test_pcg64_below_edges (void)
{
  ReelPcg64 rng, same;

  reel_pcg64_seed (&rng, (const guint32[]){ 7 }, 1);
  same = rng;
  g_assert_cmpuint (reel_pcg64_below (&rng, 1), ==, 0);
  g_assert_cmpmem (&rng, sizeof rng, &same, sizeof same);

  g_assert_cmpuint (reel_pcg64_below (&rng, 1ull << 32), ==, reel_pcg64_uint32 (&same));
  g_assert_cmpmem (&rng, sizeof rng, &same, sizeof same);

  for (gsize k = 0; k < 100; k++)
    g_assert_cmpuint (reel_pcg64_below (&rng, (1ull << 63) + 1), <=, 1ull << 63);
}

static void
test_pcg64_halves (void)
{
  ReelPcg64 rng, whole;

  reel_pcg64_seed (&rng, (const guint32[]){ 1 }, 1);
  whole = rng;

  guint64 first = reel_pcg64_uint64 (&whole), second = reel_pcg64_uint64 (&whole);

  g_assert_cmphex (reel_pcg64_uint32 (&rng), ==, (guint32) first);
  ReelPcg64 saved = rng;
  g_assert_cmphex (reel_pcg64_uint64 (&rng), ==, second);
  g_assert_cmphex (reel_pcg64_uint32 (&rng), ==, (guint32) (first >> 32));
  g_assert_cmphex (reel_pcg64_uint64 (&saved), ==, second);
  g_assert_cmphex (reel_pcg64_uint32 (&saved), ==, (guint32) (first >> 32));
}

/* Every number of draws up to some, and any beyond them in two parts, in any kind of stream. */
static void
test_pcg64_skips (void)
{
  for (guint32 seed = 0; seed < 4; seed++)
    {
      ReelPcg64 fresh, drawn, rng, parts;

      reel_pcg64_seed (&fresh, (const guint32[]){ seed * 77777 }, 1);
      if (seed % 2 == 1)
        reel_pcg64_uint32 (&fresh);
      drawn = fresh;
      for (guint64 n = 0; n < 600; n++)
        {
          guint64 many = reel_random_word (reel_random_key (seed, 9), (gint64) n) >> n % 64;
          guint64 first = many / (n + 1);

          rng = fresh;
          reel_pcg64_skip (&rng, n);
          g_assert_cmpmem (&rng, sizeof rng, &drawn, sizeof drawn);
          reel_pcg64_uint64 (&drawn);

          rng = parts = fresh;
          reel_pcg64_skip (&rng, many);
          reel_pcg64_skip (&parts, first);
          reel_pcg64_skip (&parts, many - first);
          g_assert_cmpmem (&rng, sizeof rng, &parts, sizeof parts);
        }
    }
}

/* The word that follows advance (n) in NumPy 2.4.6. */
static void
test_pcg64_skips_as_numpy (void)
{
  static const guint64 numbers[] = { 1000, 4000000000, 1ull << 32, 1ull << 63, G_MAXUINT64 };
  static const guint64 words[G_N_ELEMENTS (goldens)][G_N_ELEMENTS (numbers)] = {
    { 0x354788bbdffa81e, 0x66697cb8d8c82cfe, 0xad25006413c96bfa, 0xc1879a19fc65e067,
      0x384ba3319d6ec5ef },
    { 0xfe35e24e0cd297a, 0xca8edc894849266d, 0x5774a649ab1c84ad, 0x5df7cf57de5e873b,
      0x1dcb21889d77bdb2 },
    { 0x1d3937e2bfec568a, 0x7e35a931614963d1, 0x4750b06f3854f2ec, 0x672c9f10f084e2a4,
      0x81d6bda16592e9bb },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (goldens); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
      {
        ReelPcg64 rng;

        reel_pcg64_seed (&rng, goldens[i].seed, goldens[i].n_words);
        reel_pcg64_skip (&rng, numbers[k]);
        g_assert_cmphex (reel_pcg64_uint64 (&rng), ==, words[i][k]);
      }
}

/* ---- the counter-based generator ---- */

/* The formula of the header, written once more. */
static guint64
naive_mix (guint64 z, guint64 fold)
{
  z ^= z >> 30;
  z *= 0xbf58476d1ce4e5b9;
  z ^= fold;
  z ^= z >> 27;
  z *= 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static guint64
naive_word (guint64 seed, gint64 step, gint64 lane)
{
  const guint64 gamma = 0x9e3779b97f4a7c15;
  guint64 start = naive_mix (naive_mix (seed + gamma, 0) + (guint64) step * gamma, 0);

  return naive_mix (start + (guint64) lane * gamma, naive_mix (start + gamma, 0));
}

static void
test_word_is_the_formula (void)
{
  for (guint64 seed = 0; seed < 5; seed++)
    for (gint64 step = -2; step < 5; step++)
      for (gint64 lane = -70; lane < 70; lane++)
        {
          ReelRandomKey key = reel_random_key (seed, step);
          guint64 word = naive_word (seed, step, lane);

          g_assert_cmphex (reel_random_word (key, lane), ==, word);
          g_assert_cmpint (reel_random_below (key, lane, 8), ==, word >> 61);
          g_assert_true (reel_random_double (key, lane) == ldexp (word >> 11, -53));
          g_assert_true (reel_random_float (key, lane) == ldexpf (word >> 40, -24));
          g_assert_cmpint (reel_random_below (key, lane, 2), ==,
                           naive_word (seed, step, lane >> 6) >> (lane & 63) & 1);
        }
}

typedef struct
{
  guint64 words[300];
  double doubles[300];
  float floats[300];
  gint64 bits[300];
  gint64 rows[600];
} Filled;

static void
fill (const ReelRandomKernels *table, ReelRandomKey key, gint64 first, gint64 n, Filled *filled)
{
  table->words (key, first, n, filled->words);
  table->doubles (key, first, n, filled->doubles);
  table->floats (key, first, n, filled->floats);
  table->bits (key, first, n, filled->bits);
  table->one_hot_bits (key, first, n, filled->rows);
}

/* Any range, on any level, gives what single lanes give. */
static void
test_batches_are_single_lanes (void)
{
  ReelRandomKey key = reel_random_key (3, 11);
  Filled filled;

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gint64 first = -3; first < 70; first += 7)
      for (gint64 n = 0; n < 300; n += 23)
        {
          fill (REEL_KERNEL_PICK (reel_random_kernels, isa), key, first, n, &filled);
          for (gint64 i = 0; i < n; i++)
            {
              gint64 bit = reel_random_below (key, first + i, 2);

              g_assert_cmphex (filled.words[i], ==, reel_random_word (key, first + i));
              g_assert_true (filled.doubles[i] == reel_random_double (key, first + i));
              g_assert_true (filled.floats[i] == reel_random_float (key, first + i));
              g_assert_cmpint (filled.bits[i], ==, bit);
              g_assert_cmpint (filled.rows[2 * i], ==, bit ^ 1);
              g_assert_cmpint (filled.rows[2 * i + 1], ==, bit);
            }
        }
}

static void
test_fills_agree (void)
{
  ReelRandomKey key = reel_random_key (9, 2);

  for (gint64 bound = 1; bound < 7; bound++)
    {
      gint64 values[100], rows[600];

      reel_random_fill_below (key, 5, 100, bound, values);
      reel_random_fill_one_hot (key, 5, 100, bound, rows);
      for (gint64 i = 0; i < 100; i++)
        {
          g_assert_cmpint (values[i], ==, reel_random_below (key, 5 + i, bound));
          for (gint64 k = 0; k < bound; k++)
            g_assert_cmpint (rows[i * bound + k], ==, k == values[i]);
        }
    }
}

/* Of any bound, on any level; one-hot rows of more lanes than a chunk. */
static void
test_bounds_are_single_lanes (void)
{
  static const guint32 bounds[] = { 1, 3, 4, 5, 7, 64, 1 << 20, G_MAXUINT32 - 1, G_MAXUINT32 };
  g_autofree gint64 *rows = g_new (gint64, 300 * 64);
  gint64 values[300];

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gsize b = 0; b < G_N_ELEMENTS (bounds); b++)
      for (gint64 first = -3; first < 1000000; first = 3 * first + 70)
        for (gint64 n = 0; n < 300; n += 23)
          {
            const ReelRandomKernels *table = REEL_KERNEL_PICK (reel_random_kernels, isa);
            ReelRandomKey key = reel_random_key (first, n);

            table->below (key, first, n, bounds[b], values);
            if (bounds[b] <= 64)
              table->one_hot (key, first, n, bounds[b], rows);
            for (gint64 i = 0; i < n; i++)
              {
                g_assert_cmpint (values[i], ==, reel_random_below (key, first + i, bounds[b]));
                for (gint64 k = 0; k < bounds[b] && bounds[b] <= 64; k++)
                  g_assert_cmpint (rows[i * bounds[b] + k], ==, k == values[i]);
              }
          }
}

static void
test_large_bounds (void)
{
  static const gint64 bounds[] = { G_MAXUINT32, (gint64) G_MAXUINT32 + 1, 1ll << 40, G_MAXINT64 };
  ReelRandomKey key = reel_random_key (4, 1);
  gint64 values[100];

  for (gsize b = 0; b < G_N_ELEMENTS (bounds); b++)
    {
      reel_random_fill_below (key, 5, 100, bounds[b], values);
      for (gint64 i = 0; i < 100; i++)
        g_assert_cmpint (values[i], ==, reel_random_below (key, 5 + i, bounds[b]));
    }
}

/* Pearson's statistic, as a number of standard deviations above its mean. */
static double
chi_square (const gint64 *counts, gsize n, double expected)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  return (sum - (n - 1)) / sqrt (2 * (n - 1));
}

typedef struct
{
  guint64 seeds;
  gint64 steps, lanes;
} Extent;

/* The upper and the lower byte of every word, and the small integers, are uniform however the keys
 * are laid: many lanes, many steps, many seeds. The draws are fixed, so the test never flickers. */
static void
test_uniform (void)
{
  const Extent extents[] = {
    { 1, 1, 1 << 18 }, { 1, 1 << 18, 1 }, { 1 << 18, 1, 1 }, { 64, 64, 64 }
  };

  for (gsize e = 0; e < G_N_ELEMENTS (extents); e++)
    {
      gint64 high[256] = { 0 }, low[256] = { 0 }, coins[2] = { 0 }, sevenths[7] = { 0 };

      for (guint64 seed = 0; seed < extents[e].seeds; seed++)
        for (gint64 step = 0; step < extents[e].steps; step++)
          {
            ReelRandomKey key = reel_random_key (seed, step);

            for (gint64 lane = 0; lane < extents[e].lanes; lane++)
              {
                guint64 word = reel_random_word (key, lane);

                high[word >> 56]++;
                low[word & 255]++;
                coins[reel_random_below (key, lane, 2)]++;
                sevenths[reel_random_below (key, lane, 7)]++;
              }
          }
      g_assert_cmpfloat (fabs (chi_square (high, 256, 1 << 10)), <, 4);
      g_assert_cmpfloat (fabs (chi_square (low, 256, 1 << 10)), <, 4);
      g_assert_cmpfloat (chi_square (coins, 2, 1 << 17), <, 8);
      g_assert_cmpfloat (chi_square (sevenths, 7, (1 << 18) / 7.0), <, 5);
    }
}

/* Neighbours in lane, step or seed differ in half of their bits, each bit as often as any other. */
static void
test_neighbours_are_unrelated (void)
{
  enum
  {
    N = 1 << 15
  };
  const Extent apart[] = { { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 1, -1 }, { 0, 0, 64 } };

  for (gsize a = 0; a < G_N_ELEMENTS (apart); a++)
    {
      gint64 flips[64] = { 0 };

      for (gint64 i = 0; i < N; i++)
        {
          guint64 seed = i % 5;
          gint64 step = i / 7 % 181, lane = i;
          guint64 one = reel_random_word (reel_random_key (seed, step), lane);
          guint64 other =
              reel_random_word (reel_random_key (seed + apart[a].seeds, step + apart[a].steps),
                                lane + apart[a].lanes);

          for (gint bit = 0; bit < 64; bit++)
            flips[bit] += (one ^ other) >> bit & 1;
        }
      for (gint bit = 0; bit < 64; bit++)
        g_assert_cmpfloat (fabs (flips[bit] - N / 2.0), <, 4.5 * sqrt (N) / 2);
    }
}

/* The coins of one lane over time, and of neighbouring lanes, are uncorrelated at every small lag.
 */
static void
test_coins_are_uncorrelated (void)
{
  enum
  {
    N = 1 << 12,
    LAGS = 64
  };

  for (gint64 lane_lag = 0; lane_lag < 3; lane_lag++)
    for (gint64 step_lag = 0; step_lag < LAGS; step_lag++)
      {
        gint64 sum = 0;

        if (lane_lag == 0 && step_lag == 0)
          continue;
        for (gint64 step = 0; step < N; step++)
          sum +=
              reel_random_below (reel_random_key (0, step), 7, 2)
                      == reel_random_below (reel_random_key (0, step + step_lag), 7 + lane_lag, 2)
                  ? 1
                  : -1;
        g_assert_cmpfloat (fabs ((double) sum), <, 4.5 * sqrt (N));
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/random/seed-sequence-is-numpys", test_seed_sequence);
  g_test_add_func ("/core/random/pcg64-streams-are-numpys", test_pcg64_streams);
  g_test_add_func ("/core/random/pcg64-distributions-are-gymnasiums", test_pcg64_distributions);
  g_test_add_func ("/core/random/pcg64-normals-are-numpys", test_pcg64_normals);
  g_test_add_func ("/core/random/pcg64-below-edges", test_pcg64_below_edges);
  g_test_add_func ("/core/random/pcg64-halves-wait", test_pcg64_halves);
  g_test_add_func ("/core/random/pcg64-skips-are-as-many-draws", test_pcg64_skips);
  g_test_add_func ("/core/random/pcg64-skips-are-numpys", test_pcg64_skips_as_numpy);
  g_test_add_func ("/core/random/word-is-the-formula", test_word_is_the_formula);
  g_test_add_func ("/core/random/batches-are-single-lanes", test_batches_are_single_lanes);
  g_test_add_func ("/core/random/fills-agree", test_fills_agree);
  g_test_add_func ("/core/random/bounds-are-single-lanes", test_bounds_are_single_lanes);
  g_test_add_func ("/core/random/large-bounds", test_large_bounds);
  g_test_add_func ("/core/random/words-are-uniform", test_uniform);
  g_test_add_func ("/core/random/neighbours-are-unrelated", test_neighbours_are_unrelated);
  g_test_add_func ("/core/random/coins-are-uncorrelated", test_coins_are_uncorrelated);
  return g_test_run ();
}
