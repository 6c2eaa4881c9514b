/* NumPy's SeedSequence and PCG64, and the counter-based generator by the kernels of the machine. */
#include "random.h"
#include "random-kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "isa.h"
#include "pcg64.h"

/* ---- SeedSequence: hashmix(), mix() and the constants of numpy/random/bit_generator.pyx ---- */

static guint32
hash (guint32 value, guint32 *constant, guint32 multiplier)
{
  value ^= *constant;
  *constant *= multiplier;
  value *= *constant;
  return value ^ value >> 16;
}

static guint32
mix_words (guint32 x, guint32 y)
{
  guint32 mixed = 0xca01f9ddu * x - 0x4973f715u * y;

  return mixed ^ mixed >> 16;
}

void
reel_seed_sequence_init (ReelSeedSequence *sequence, const guint32 *words, gsize n_words)
{
  const guint32 multiplier = 0x931e8875u;
  guint32 constant = 0x43b0d7e5u;
  guint32 *pool = sequence->pool;

  for (gsize i = 0; i < 4; i++)
    pool[i] = hash (i < n_words ? words[i] : 0, &constant, multiplier);
  for (gsize from = 0; from < 4; from++)
    for (gsize to = 0; to < 4; to++)
      if (to != from)
        pool[to] = mix_words (pool[to], hash (pool[from], &constant, multiplier));
  for (gsize i = 4; i < n_words; i++)
    for (gsize to = 0; to < 4; to++)
      pool[to] = mix_words (pool[to], hash (words[i], &constant, multiplier));
}

void
reel_seed_sequence_generate (const ReelSeedSequence *sequence, guint64 *words, gsize n_words)
{
  const guint32 multiplier = 0x58f38dedu;
  guint32 constant = 0x8b51f9ddu;

  for (gsize i = 0; i < n_words; i++)
    {
      guint64 low = hash (sequence->pool[2 * i % 4], &constant, multiplier);
      guint64 high = hash (sequence->pool[(2 * i + 1) % 4], &constant, multiplier);

      words[i] = high << 32 | low;
    }
}

/* ---- PCG64 ---- */

void
reel_pcg64_seed (ReelPcg64 *rng, const guint32 *words, gsize n_words)
{
  ReelSeedSequence sequence;
  guint64 seed[4];

  reel_seed_sequence_init (&sequence, words, n_words);
  reel_seed_sequence_generate (&sequence, seed, 4);

  /* pcg64_srandom_r() of NumPy's pcg64.h: one step from state 0, which is inc, plus the seed, and a
   * second step. */
  ReelUint128 inc = REEL_UINT128 (seed[2], seed[3]) << 1 | 1;
  ReelUint128 state = reel_pcg64_advance (inc + REEL_UINT128 (seed[0], seed[1]), inc);

  *rng = (ReelPcg64){
    .state_high = (guint64) (state >> 64),
    .state_low = (guint64) state,
    .inc_high = (guint64) (inc >> 64),
    .inc_low = (guint64) inc,
  };
}

static ReelUint128
advance (ReelPcg64 *rng)
{
  ReelUint128 state = reel_pcg64_advance (REEL_UINT128 (rng->state_high, rng->state_low),
                                          REEL_UINT128 (rng->inc_high, rng->inc_low));

  rng->state_high = (guint64) (state >> 64);
  rng->state_low = (guint64) state;
  return state;
}

void
reel_pcg64_skip (ReelPcg64 *rng, guint64 n)
{
  ReelUint128 state = reel_pcg64_jump (REEL_UINT128 (rng->state_high, rng->state_low),
                                       REEL_UINT128 (rng->inc_high, rng->inc_low), n);

  rng->state_high = (guint64) (state >> 64);
  rng->state_low = (guint64) state;
}

guint64
reel_pcg64_uint64 (ReelPcg64 *rng)
{
  return reel_pcg64_output (advance (rng));
}

guint32
reel_pcg64_uint32 (ReelPcg64 *rng)
{
  /* NumPy's pcg64_next32(): the lower half of a word first, the upper half in the next call. */
  if (rng->has_uint32)
    {
      rng->has_uint32 = 0;
      return rng->uint32;
    }

  guint64 draw = reel_pcg64_uint64 (rng);

  rng->has_uint32 = 1;
  rng->uint32 = (guint32) (draw >> 32);
  return (guint32) draw;
}

double
reel_pcg64_double (ReelPcg64 *rng)
{
  return reel_pcg64_output_double (advance (rng));
}

double
reel_pcg64_uniform (ReelPcg64 *rng, double low, double high)
{
  return low + (high - low) * reel_pcg64_double (rng);
}

/* Lemire, "Fast random integer generation in an interval" (2019), as NumPy has it. */
static guint32
below_uint32 (ReelPcg64 *rng, guint32 n)
{
  guint64 product = (guint64) reel_pcg64_uint32 (rng) * n;

  if ((guint32) product < n)
    {
      guint32 threshold = -n % n;

      while ((guint32) product < threshold)
        product = (guint64) reel_pcg64_uint32 (rng) * n;
    }
  return (guint32) (product >> 32);
}

static guint64
below_uint64 (ReelPcg64 *rng, guint64 n)
{
  ReelUint128 product = (ReelUint128) reel_pcg64_uint64 (rng) * n;

  if ((guint64) product < n)
    {
      guint64 threshold = -n % n;

      while ((guint64) product < threshold)
        product = (ReelUint128) reel_pcg64_uint64 (rng) * n;
    }
  return (guint64) (product >> 64);
}

guint64
reel_pcg64_below (ReelPcg64 *rng, guint64 n)
{
  g_return_val_if_fail (n > 0, 0);

  if (n == 1)
    return 0;
  if (n <= G_MAXUINT32)
    return below_uint32 (rng, (guint32) n);
  if (n == (guint64) G_MAXUINT32 + 1)
    return reel_pcg64_uint32 (rng);
  return below_uint64 (rng, n);
}

/* ---- the counter-based generator ---- */

/* Which level serves callers without an object of their own; every level gives the same bits. */
static const ReelRandomKernels *
kernels (void)
{
  static const ReelRandomKernels *_Atomic chosen;
  const ReelRandomKernels *table = atomic_load_explicit (&chosen, memory_order_relaxed);

  if (G_UNLIKELY (table == NULL))
    {
      ReelIsa isa;

      reel_isa_choose (&isa, NULL);
      table = REEL_KERNEL_PICK (reel_random_kernels, isa);
      atomic_store_explicit (&chosen, table, memory_order_relaxed);
    }
  return table;
}

static guint64
mix (guint64 z)
{
  z = (z ^ z >> 30) * REEL_RANDOM_FIRST;
  z = (z ^ z >> 27) * REEL_RANDOM_SECOND;
  return z ^ z >> 31;
}

ReelRandomKey
reel_random_key (guint64 seed, gint64 step)
{
  guint64 start = mix (mix (seed + REEL_RANDOM_GAMMA) + (guint64) step * REEL_RANDOM_GAMMA);

  return (ReelRandomKey){ start, mix (start + REEL_RANDOM_GAMMA) };
}

guint64
reel_random_word (ReelRandomKey key, gint64 lane)
{
  return reel_random_mix (key, (guint64) lane);
}

gint64
reel_random_below (ReelRandomKey key, gint64 lane, gint64 n)
{
  g_return_val_if_fail (n > 0, 0);

  if (n == 2)
    /* One word serves 64 lanes, as in the kernels. */
    return reel_random_mix (key, (guint64) (lane >> 6)) >> (lane & 63) & 1;
  return (gint64) ((ReelUint128) reel_random_mix (key, (guint64) lane) * (guint64) n >> 64);
}

double
reel_random_double (ReelRandomKey key, gint64 lane)
{
  return (double) (gint64) (reel_random_word (key, lane) >> 11) * 0x1p-53;
}

float
reel_random_float (ReelRandomKey key, gint64 lane)
{
  return (float) (gint64) (reel_random_word (key, lane) >> 40) * 0x1p-24f;
}

void
reel_random_fill_words (ReelRandomKey key, gint64 first, gint64 n, guint64 *words)
{
  kernels ()->words (key, first, n, words);
}

void
reel_random_fill_doubles (ReelRandomKey key, gint64 first, gint64 n, double *values)
{
  kernels ()->doubles (key, first, n, values);
}

void
reel_random_fill_floats (ReelRandomKey key, gint64 first, gint64 n, float *values)
{
  kernels ()->floats (key, first, n, values);
}

void
reel_random_fill_below (ReelRandomKey key, gint64 first, gint64 n, gint64 bound, gint64 *values)
{
  g_return_if_fail (bound > 0);

  if (bound == 2)
    {
      kernels ()->bits (key, first, n, values);
      return;
    }
  if (bound <= G_MAXUINT32)
    {
      kernels ()->below (key, first, n, (guint32) bound, values);
      return;
    }
  kernels ()->words (key, first, n, (guint64 *) values);
  for (gint64 i = 0; i < n; i++)
    values[i] = (gint64) ((ReelUint128) (guint64) values[i] * (guint64) bound >> 64);
}

void
reel_random_fill_one_hot (ReelRandomKey key, gint64 first, gint64 n, gint64 bound, gint64 *rows)
{
  g_return_if_fail (bound > 0);

  if (bound == 2)
    {
      kernels ()->one_hot_bits (key, first, n, rows);
      return;
    }
  if (bound <= G_MAXUINT32)
    {
      kernels ()->one_hot (key, first, n, (guint32) bound, rows);
      return;
    }
  memset (rows, 0, (gsize) (n * bound) * sizeof *rows);
  for (gint64 i = 0; i < n; i++)
    rows[i * bound + reel_random_below (key, first + i, bound)] = 1;
}

guint64
reel_next_seed (guint64 seed)
{
  const guint32 words[] = { (guint32) seed, (guint32) (seed >> 32) };
  ReelPcg64 rng;

  reel_pcg64_seed (&rng, words, words[1] ? 2 : 1);
  return GUINT64_SWAP_LE_BE (reel_pcg64_uint64 (&rng)) % G_MAXUINT32;
}
