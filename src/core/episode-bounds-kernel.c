#include "episode-bounds-kernel.h"

#include "vector.h"

/* A block is as many words of as many bits. */
#define WORD REEL_EPISODE_WORDS
#define BLOCK (WORD * WORD)

/* Numbers of the bits, bit k of word w is first + 64 w + k. Words without any are passed over by
 * bits of their own: a branch at each word would be mispredicted too often. */
REEL_VECTOR_INLINE gint64 *
put_bits (const guint64 *bits, gint64 first, gint64 *restrict found)
{
  guint64 filled = 0;

  for (gint w = 0; w < WORD; w += REEL_LANES)
    filled |= (guint64) reel_mask_bits (reel_i64s_load ((const gint64 *) bits + w) != 0) << w;
  for (; filled; filled &= filled - 1)
    {
      gint64 w = __builtin_ctzll (filled);

      for (guint64 word = bits[w]; word; word &= word - 1)
        *found++ = first + WORD * w + __builtin_ctzll (word);
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

  for (; (w + 1) * WORD <= n; w++)
    bits[w] = reel_bytes_to_bits (flags + w * WORD);
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
      end = put_bits (bits, first + i, end);
    }
  return end - found;
}

static void
compare_words (const gint64 *a, const gint64 *b, gint64 n, guint64 *bits)
{
  gint64 i = 0;

  memset (bits, 0, WORD * sizeof *bits);
  for (; i + REEL_LANES <= n; i += REEL_LANES)
    bits[i / WORD] |= (guint64) reel_mask_bits (reel_i64s_load (a + i) != reel_i64s_load (b + i))
                      << i % WORD;
  for (; i < n; i++)
    bits[i / WORD] |= (guint64) (a[i] != b[i]) << i % WORD;
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
      end = put_bits (bits, first + i, end);
    }
  return end - found;
}

const ReelEpisodeBoundsKernels REEL_KERNEL_NAME (reel_episode_bounds_kernels) = {
  .flags = flags,
  .changes = changes,
};
