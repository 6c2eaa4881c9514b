/* Random numbers: NumPy's generator, bit for bit, and a counter-based one for whole batches. */
#pragma once

#include "../object/macros.h"

G_BEGIN_DECLS

/**
 * ReelSeedSequence:
 * @pool: 128 bits of mixed entropy
 *
 * NumPy's `SeedSequence`: spreads a seed of any size over as many words as a generator needs. A
 * plain value. Source: numpy/random/bit_generator.pyx.
 */
typedef struct
{
  guint32 pool[4];
} ReelSeedSequence;

/**
 * reel_seed_sequence_init:
 * @sequence: (out caller-allocates): the sequence
 * @words: (array length=n_words): a seed in base 2^32, least significant word first, without zero
 *   words at its end but for the seed 0 itself: NumPy's seeds have none
 * @n_words: how many, at least 1
 *
 * `SeedSequence (seed)`. Any thread.
 */
REEL_API
void reel_seed_sequence_init (ReelSeedSequence *sequence, const guint32 *words, gsize n_words);

/**
 * reel_seed_sequence_generate:
 * @sequence: a sequence
 * @words: (out caller-allocates) (array length=n_words): what `generate_state (n_words, uint64)`
 *   gives
 * @n_words: how many
 *
 * Any thread.
 */
REEL_API
void reel_seed_sequence_generate (const ReelSeedSequence *sequence, guint64 *words, gsize n_words);

/**
 * ReelPcg64:
 * @state_high: upper half of the 128-bit state
 * @state_low: lower half
 * @inc_high: upper half of the odd increment, which tells streams apart
 * @inc_low: lower half
 * @has_uint32: 1 when half of a 64-bit draw waits in @uint32
 * @uint32: that half
 *
 * NumPy's default generator, PCG64 (XSL-RR 128/64), with the same draws from the same state. A
 * plain value of 40 bytes: to copy it is to save it. One thread at a time uses one. Source:
 * numpy/random/src/pcg64.
 */
typedef struct
{
  guint64 state_high;
  guint64 state_low;
  guint64 inc_high;
  guint64 inc_low;
  guint32 has_uint32;
  guint32 uint32;
} ReelPcg64;

/**
 * reel_pcg64_seed:
 * @rng: (out caller-allocates): the generator
 * @words: (array length=n_words): a seed, as for reel_seed_sequence_init()
 * @n_words: how many, at least 1
 *
 * `PCG64 (SeedSequence (seed))`, which is what `default_rng (seed)` and Gymnasium's `np_random`
 * hold.
 */
REEL_API
void reel_pcg64_seed (ReelPcg64 *rng, const guint32 *words, gsize n_words);

/**
 * reel_pcg64_uint64:
 * @rng: a generator
 *
 * Returns: the next 64 bits; a waiting half of an earlier draw stays
 */
REEL_API
guint64 reel_pcg64_uint64 (ReelPcg64 *rng);

/**
 * reel_pcg64_uint32:
 * @rng: a generator
 *
 * Returns: 32 bits: the half that waits, or the lower half of a fresh draw, whose upper half waits
 */
REEL_API
guint32 reel_pcg64_uint32 (ReelPcg64 *rng);

/**
 * reel_pcg64_skip:
 * @rng: a generator
 * @n: how many draws of 64 bits
 *
 * Leaves @rng as @n calls of reel_pcg64_uint64(), reel_pcg64_double() or reel_pcg64_uniform() do,
 * in a time that grows with the logarithm of @n. NumPy's `advance (n)`, which forgets a waiting
 * half of an earlier draw, too. Other draws take a number of 64 bits that depends on their values.
 */
REEL_API
void reel_pcg64_skip (ReelPcg64 *rng, guint64 n);

/**
 * reel_pcg64_double:
 * @rng: a generator
 *
 * Returns: `random ()`: 53 bits in [0, 1)
 */
REEL_API
double reel_pcg64_double (ReelPcg64 *rng);

/**
 * reel_pcg64_uniform:
 * @rng: a generator
 * @low: least value
 * @high: upper end
 *
 * Returns: `uniform (low, high)`: @low + (@high − @low) × reel_pcg64_double()
 */
REEL_API
double reel_pcg64_uniform (ReelPcg64 *rng, double low, double high);

/**
 * reel_pcg64_normal:
 * @rng: a generator
 *
 * Uses the C library's exp() and log1p() for one draw in a hundred, as NumPy does.
 *
 * Returns: `standard_normal ()`: a ziggurat of 256 layers. Source:
 *   numpy/random/src/distributions/distributions.c
 */
REEL_API
double reel_pcg64_normal (ReelPcg64 *rng);

/**
 * reel_pcg64_below:
 * @rng: a generator
 * @n: at least 1
 *
 * Returns: `integers (n)`, in [0, @n): Lemire's method, on 32-bit draws where @n allows; n = 1
 *   draws nothing
 */
REEL_API
guint64 reel_pcg64_below (ReelPcg64 *rng, guint64 n);

/**
 * reel_next_seed:
 * @seed: a seed
 *
 * Source: torchrl's `seed_generator`: 8 bytes of `default_rng (seed)`, read from the end, modulo
 * 2^32 − 1.
 *
 * Returns: the seed that follows @seed in TorchRL's chain
 */
REEL_API
guint64 reel_next_seed (guint64 seed);

/**
 * ReelRandomKey:
 * @start: where the step's sequence begins
 * @fold: what tells it from a shifted sequence of another step
 *
 * One step of the counter-based generator, in which every (seed, step, lane) has a 64-bit word that
 * depends on these three alone, not on how calls are cut or on which thread makes them:
 *
 *     mix (z) = { z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb;
 *                 z ^ z >> 31 }                                            (SplitMix64's finaliser)
 *     start   = mix (mix (seed + G) + step × G),   G = 0x9e3779b97f4a7c15
 *     fold    = mix (start + G)
 *     word    : z = start + lane × G; z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= fold;
 *               z ^= z >> 27; z *= 0x94d049bb133111eb; z ^ z >> 31
 *
 * all modulo 2^64. Within a step two lanes never have the same word. It is for actions, sampling
 * and the like, never for secrets.
 */
typedef struct
{
  guint64 start;
  guint64 fold;
} ReelRandomKey;

/**
 * reel_random_key:
 * @seed: which stream; give uses that must not be related streams of their own
 * @step: which step of it
 *
 * Returns: the key of the step. Any thread.
 */
REEL_API
ReelRandomKey reel_random_key (guint64 seed, gint64 step);

/**
 * reel_random_word:
 * @key: a step's key
 * @lane: a lane, or any other index
 *
 * Returns: the 64 random bits of that lane
 */
REEL_API
guint64 reel_random_word (ReelRandomKey key, gint64 lane);

/**
 * reel_random_below:
 * @key: a step's key
 * @lane: a lane
 * @n: at least 1
 *
 * For n = 2 one word serves 64 lanes: bit (lane mod 64) of the word of index ⌊lane / 64⌋. Otherwise
 * the upper 64 bits of word × @n: exactly uniform when @n is a power of two, else each value's
 * probability is off by less than 2^−64.
 *
 * Returns: an integer in [0, @n)
 */
REEL_API
gint64 reel_random_below (ReelRandomKey key, gint64 lane, gint64 n);

/**
 * reel_random_double:
 * @key: a step's key
 * @lane: a lane
 *
 * Returns: the upper 53 bits of the word × 2^−53, in [0, 1)
 */
REEL_API
double reel_random_double (ReelRandomKey key, gint64 lane);

/**
 * reel_random_float:
 * @key: a step's key
 * @lane: a lane
 *
 * Returns: the upper 24 bits of the word × 2^−24, in [0, 1)
 */
REEL_API
float reel_random_float (ReelRandomKey key, gint64 lane);

/**
 * reel_random_fill_words:
 * @key: a step's key
 * @first: the first lane
 * @n: how many lanes
 * @words: (out caller-allocates) (array length=n): reel_random_word() of each
 *
 * Vectorised. Any thread.
 */
REEL_API
void reel_random_fill_words (ReelRandomKey key, gint64 first, gint64 n, guint64 *words);

/**
 * reel_random_fill_doubles:
 * @key: a step's key
 * @first: the first lane
 * @n: how many lanes
 * @values: (out caller-allocates) (array length=n): reel_random_double() of each
 *
 * Vectorised. Any thread.
 */
REEL_API
void reel_random_fill_doubles (ReelRandomKey key, gint64 first, gint64 n, double *values);

/**
 * reel_random_fill_floats:
 * @key: a step's key
 * @first: the first lane
 * @n: how many lanes
 * @values: (out caller-allocates) (array length=n): reel_random_float() of each
 *
 * Vectorised. Any thread.
 */
REEL_API
void reel_random_fill_floats (ReelRandomKey key, gint64 first, gint64 n, float *values);

/**
 * reel_random_fill_below:
 * @key: a step's key
 * @first: the first lane
 * @n: how many lanes
 * @bound: at least 1
 * @values: (out caller-allocates) (array length=n): reel_random_below() of each
 *
 * Vectorised. Any thread.
 */
REEL_API
void reel_random_fill_below (ReelRandomKey key, gint64 first, gint64 n, gint64 bound,
                             gint64 *values);

/**
 * reel_random_fill_one_hot:
 * @key: a step's key
 * @first: the first lane
 * @n: how many lanes
 * @bound: at least 1
 * @rows: (out caller-allocates): @n rows of @bound zeros and a 1 at reel_random_below()
 *
 * The one-hot form of what reel_random_fill_below() draws. Vectorised. Any thread.
 */
REEL_API
void reel_random_fill_one_hot (ReelRandomKey key, gint64 first, gint64 n, gint64 bound,
                               gint64 *rows);

G_END_DECLS
