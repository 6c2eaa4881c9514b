#include "memory-limits.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define WORD 64
#define AT_ONCE 64
#define GROUP 16 /* two cache lines */

static uint64_t
read_bytes (const uint64_t *words, size_t n)
{
  uint64_t sums[AT_ONCE] = { 0 };
  uint64_t sum = 0;
  size_t i = 0;

  for (; i + AT_ONCE <= n; i += AT_ONCE)
    for (size_t k = 0; k < AT_ONCE; k++)
      sums[k] |= words[i + k];
  for (; i < n; i++)
    sum |= words[i];
  for (size_t k = 0; k < AT_ONCE; k++)
    sum |= sums[k];
  return sum;
}

/* Bit k is whether flag k is set. */
static inline uint64_t
flag_bits (const uint8_t *flags)
{
#if defined(__AVX512BW__)
  __m512i bytes = _mm512_loadu_si512 (flags);

  return _mm512_test_epi8_mask (bytes, bytes);
#elif defined(__AVX2__)
  __m256i low = _mm256_loadu_si256 ((const __m256i *) flags);
  __m256i high = _mm256_loadu_si256 ((const __m256i *) (flags + 32));

  return (uint32_t) _mm256_movemask_epi8 (_mm256_slli_epi16 (low, 7))
         | (uint64_t) (uint32_t) _mm256_movemask_epi8 (_mm256_slli_epi16 (high, 7)) << 32;
#else
  uint64_t bits = 0, eight;

  for (int k = 0; k < 8; k++)
    {
      memcpy (&eight, flags + 8 * k, sizeof eight);
      bits |= eight * 0x0102040810204080 >> 56 << (8 * k);
    }
  return bits;
#endif
}

/* Some places are written without asking, since how many a word has cannot be predicted. */
static inline __attribute__ ((always_inline)) int64_t *
list_word (uint64_t bits, int64_t first, int spare, int64_t *places)
{
  int64_t *end = places + __builtin_popcountll (bits);

  for (int k = 0; k < spare; k++, bits &= bits - 1)
    places[k] = first + __builtin_ctzll (bits | 1ull << 63);
  for (places += spare; bits != 0; bits &= bits - 1)
    *places++ = first + __builtin_ctzll (bits);
  return end;
}

/* Words by the dozen: where few have any flag, the others are passed over. */
static int64_t
list_flags (const uint8_t *flags, int64_t n, int64_t *places)
{
  int64_t *place = places;

  for (int64_t first = 0; first + WORD <= n; first += WORD * WORD)
    {
      int64_t n_words = (n - first) / WORD < WORD ? (n - first) / WORD : WORD;
      uint64_t words[WORD], filled = 0;

      for (int64_t w = 0; w < n_words; w++)
        {
          words[w] = flag_bits (flags + first + w * WORD);
          filled |= (uint64_t) (words[w] != 0) << w;
        }
      if (__builtin_popcountll (filled) > WORD / 2)
        for (int64_t w = 0; w < n_words; w++)
          place = list_word (words[w], first + w * WORD, 3, place);
      else
        for (; filled != 0; filled &= filled - 1)
          {
            int w = __builtin_ctzll (filled);

            place = list_word (words[w], first + w * WORD, 1, place);
          }
    }
  return place - places;
}

static double
change_groups (double *values, const int64_t *at, int64_t n)
{
  double sum = 0;

  for (int64_t i = 0; i < n; i++)
    {
      const double *group = values + at[i] / GROUP * GROUP;

      __builtin_prefetch (group, 1);
      __builtin_prefetch (group + GROUP / 2, 1);
    }
  for (int64_t i = 0; i < n; i++)
    {
      const double *group = values + at[i] / GROUP * GROUP;

      for (int k = 0; k < GROUP; k++)
        sum += group[k];
      values[at[i]] = sum;
    }
  return sum;
}

const LimitReads LIMIT_NAME (limit_reads) = { read_bytes, list_flags, change_groups };
