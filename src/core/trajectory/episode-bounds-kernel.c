#include "episode-bounds-kernel.h"

#include "../math/vector.h"

/* A block is as many words of as many bits. */
#define WORD REEL_EPISODE_WORDS
#define BLOCK (WORD * WORD)

/* The lowest bit of a word; anything where there is none, which costs no branch where the machine
 * counts zeros of it too. */
REEL_VECTOR_INLINE gint64
lowest_bit (guint64 word)
{
#if defined(__BMI__)
  return (gint64) _tzcnt_u64 (word);
#else
  return word ? __builtin_ctzll (word) : 0;
#endif
}

/* Numbers of the bits of a word, bit k is first + k: @at_once of them are written however many it
 * has, since a branch at each would be mispredicted too often. */
REEL_VECTOR_INLINE gint64 *
put_word (guint64 word, gint64 first, gint at_once, gint64 *restrict found)
{
  gint64 *end = found + __builtin_popcountll (word);

  for (gint i = 0; i < at_once; i++, word &= word - 1)
    found[i] = first + lowest_bit (word);
  for (found += at_once; word; word &= word - 1)
    *found++ = first + lowest_bit (word);
  return end;
}

/* Bit k of word w is first + 64 w + k. Where episodes are long, most words have none and are passed
 * over by bits of their own. */
REEL_VECTOR_INLINE gint64 *
put_bits (const guint64 *bits, gint n_words, gint64 first, gint64 *restrict found)
{
  guint64 filled = 0;

  for (gint w = 0; w < n_words; w += REEL_SIMD_WIDTH)
    filled |=
        (guint64) reel_i64s_differ (reel_i64s_load ((const gint64 *) bits + w), (ReelI64s){ 0 })
        << w;
  if (2 * __builtin_popcountll (filled) > n_words)
    for (gint w = 0; w < n_words; w++)
      found = put_word (bits[w], first + WORD * w, REEL_EPISODE_SPARE, found);
  else
    for (; filled; filled &= filled - 1)
      {
        gint w = __builtin_ctzll (filled);
        found = put_word (bits[w], first + WORD * w, 2, found);
      }
  return found;
}

/* Bits of the rows that end among n numbers. */
REEL_VECTOR_INLINE void
add_row_ends (gint64 n, gint64 first, ReelRowEnds *rows)
{
  for (; rows->last < first + n; rows->last += rows->length)
    rows->bits[(rows->last - first) / WORD] |= (guint64) 1 << (rows->last - first) % WORD;
}

static void
test_flags (const guint8 *flags, gint64 n, guint64 *bits)
{
  guint8 rest[WORD] = { 0 };
  gint64 w = 0;

  /* The next part is loaded while numbers are written. */
  for (; (w + 1) * WORD <= n; w++)
    {
      __builtin_prefetch (flags + w * WORD + BLOCK);
      bits[w] = reel_bytes_to_bits (flags + w * WORD);
    }
  if (w == WORD)
    return;
  memcpy (rest, flags + w * WORD, n - w * WORD);
  bits[w++] = reel_bytes_to_bits (rest);
  for (; w < WORD; w++)
    bits[w] = 0;
}

static gint64
flags (const guint8 *flags, gint64 n, gint64 first, ReelRowEnds *rows, gint64 *restrict found)
{
  guint64 *bits = rows->bits;
  gint64 *end = found;

  for (gint64 i = 0; i < n; i += BLOCK)
    {
      test_flags (flags + i, MIN (BLOCK, n - i), bits);
      add_row_ends (MIN (BLOCK, n - i), first + i, rows);
      end = put_bits (bits, WORD, first + i, end);
    }
  return end - found;
}

/* Bit k of the word is whether a and b differ at k < n. */
REEL_VECTOR_INLINE guint64
compare_ids (const gint64 *a, const gint64 *b, gint64 n)
{
  guint64 word = 0;
  gint64 k = 0;

  for (; k + REEL_SIMD_WIDTH <= n; k += REEL_SIMD_WIDTH)
    word |= (guint64) reel_i64s_differ (reel_i64s_load (a + k), reel_i64s_load (b + k)) << k;
  for (; k < n; k++)
    word |= (guint64) (a[k] != b[k]) << k;
  return word;
}

REEL_VECTOR_INLINE void
compare_words (const gint64 *a, const gint64 *b, gint64 n, guint64 *bits)
{
  for (gint64 w = 0; w < WORD; w++, a += WORD, b += WORD, n -= WORD)
    bits[w] = n >= WORD ? compare_ids (a, b, WORD) : n > 0 ? compare_ids (a, b, n) : 0;
}

static gint64
changes (const gint64 *a, const gint64 *b, gint64 n, gint64 first, ReelRowEnds *rows,
         gint64 *restrict found)
{
  guint64 *bits = rows->bits;
  gint64 *end = found;

  for (gint64 i = 0; i < n; i += BLOCK)
    {
      compare_words (a + i, b + i, MIN (BLOCK, n - i), bits);
      add_row_ends (MIN (BLOCK, n - i), first + i, rows);
      end = put_bits (bits, WORD, first + i, end);
    }
  return end - found;
}

/* ---- rows to columns ---- */

/* Columns turned at a time. */
#define WIDTH ((gint) sizeof (ReelBytes))

/* Bits of eight flags, which lie @row apart, in every byte. */
REEL_VECTOR_INLINE ReelBytes
turn_eight (const guint8 *flags, gint64 row)
{
  ReelBytes sum = reel_bytes_load_flags (flags + 7 * row);

  for (gint k = 6; k >= 0; k--)
    sum = sum + sum + reel_bytes_load_flags (flags + k * row);
  return sum;
}

/* The bytes of eight vectors to words. Column c of each 16 is in vector c / 2. */
REEL_VECTOR_INLINE void
turn_bytes (ReelBytes bytes[8])
{
  ReelBytes twos[8], fours[8];

  for (gint i = 0; i < 4; i++)
    reel_bytes_interleave (bytes[2 * i], bytes[2 * i + 1], 1, &twos[i], &twos[i + 4]);
  for (gint i = 0; i < 8; i += 2)
    reel_bytes_interleave (twos[i], twos[i + 1], 2, &fours[i], &fours[i + 1]);
  for (gint i = 0; i < 8; i += 4)
    for (gint k = 0; k < 2; k++)
      reel_bytes_interleave (fours[i + k], fours[i + k + 2], 4, &bytes[i + 2 * k],
                             &bytes[i + 2 * k + 1]);
}

/* Words as turn_bytes () leaves them, in the order of columns. */
REEL_VECTOR_INLINE void
put_columns (const guint64 *words, gint64 n, guint64 *bits, gint64 apart)
{
  for (gint64 c = 0, at = 0; at < REEL_SIMD_WIDTH; at += 2)
    for (gint i = 0; i < 8 && c < n; i++, c += 2)
      {
        bits[c * apart] = words[i * REEL_SIMD_WIDTH + at];
        if (c + 1 < n)
          bits[(c + 1) * apart] = words[i * REEL_SIMD_WIDTH + at + 1];
      }
}

/* Of 64 rows of 64 flags, the bits of each column: a word at every @apart. */
REEL_VECTOR_INLINE void
turn_tile (const guint8 *flags, gint64 row, gint64 n_columns, guint64 *bits, gint64 apart)
{
  for (gint64 first = 0; first < n_columns; first += WIDTH)
    {
      ReelBytes bytes[8];
      guint64 words[WIDTH];

      for (gint e = 0; e < 8; e++)
        bytes[e] = turn_eight (flags + 8 * e * row + first, row);
      turn_bytes (bytes);
      for (gint i = 0; i < 8; i++)
        reel_bytes_store ((guint8 *) (words + i * REEL_SIMD_WIDTH), bytes[i]);
      put_columns (words, n_columns - first, bits + first * apart, apart);
    }
}

static void
turn_flags (const guint8 *flags, gint64 lanes, gint64 rows, guint64 *bits, gint64 apart)
{
  for (gint64 c = 0; c < lanes; c += WORD, bits += WORD * apart)
    {
      gint64 n = MIN (WORD, lanes - c);
      guint8 tile[WORD][WORD];

      if (n == WORD && rows == WORD)
        {
          turn_tile (flags + c, lanes, WORD, bits, apart);
          continue;
        }
      memset (tile, 0, sizeof tile);
      for (gint64 r = 0; r < rows; r++)
        memcpy (tile[r], flags + r * lanes + c, n);
      turn_tile (tile[0], WORD, n, bits, apart);
    }
}

static void
turn_changes (const gint64 *ids, gint64 lanes, gint64 rows, guint64 *bits, gint64 apart)
{
  for (gint64 c = 0; c < lanes; c += WORD, bits += WORD * apart)
    {
      gint64 n = MIN (WORD, lanes - c);
      guint8 tile[WORD][WORD];

      memset (tile[rows % WORD], 0, (WORD - rows) * WORD);
      for (gint64 r = 0; r < rows; r++)
        {
          const gint64 *row = ids + r * lanes + c;
          reel_bits_to_bytes (compare_ids (row, row + lanes, n), tile[r]);
        }
      turn_tile (tile[0], WORD, n, bits, apart);
    }
}

static gint64
list_bits (const guint64 *bits, gint64 n_words, gint64 first, gint64 *restrict found)
{
  gint64 *end = found;

  for (gint64 w = 0; w < n_words; w += WORD)
    end = put_bits (bits + w, MIN (WORD, n_words - w), first + w * WORD, end);
  return end - found;
}

const ReelEpisodeBoundsKernels REEL_KERNEL_NAME (reel_episode_bounds_kernels) = {
  .flags = flags,
  .changes = changes,
  .turn_flags = turn_flags,
  .turn_changes = turn_changes,
  .list_bits = list_bits,
};
