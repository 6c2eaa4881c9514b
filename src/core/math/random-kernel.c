/* The loops of the counter-based generator. Each lane depends on its number alone, so that loops
 * may be cut anywhere. */
#include "random-kernel.h"

#include <string.h>

#define CHUNK 256 /* lanes whose classes are on the stack */

static void
words (ReelRandomKey key, gint64 first, gint64 n, guint64 *restrict values)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = reel_random_mix (key, (guint64) (first + i));
}

static void
doubles (ReelRandomKey key, gint64 first, gint64 n, double *restrict values)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = (double) (gint64) (reel_random_mix (key, (guint64) (first + i)) >> 11) * 0x1p-53;
}

static void
floats (ReelRandomKey key, gint64 first, gint64 n, float *restrict values)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (gint32) (reel_random_mix (key, (guint64) (first + i)) >> 40) * 0x1p-24f;
}

/* Bits up to the end of the word that lane first stands in, or to n. */
static gint64
run_of_bits (ReelRandomKey key, gint64 first, gint64 n, guint64 *word)
{
  *word = reel_random_mix (key, (guint64) (first >> 6)) >> (first & 63);
  return MIN (64 - (first & 63), n);
}

static void
bits (ReelRandomKey key, gint64 first, gint64 n, gint64 *restrict values)
{
  while (n > 0)
    {
      guint64 word;
      gint64 run = run_of_bits (key, first, n, &word);

      for (gint64 i = 0; i < run; i++)
        values[i] = word >> i & 1;
      values += run;
      first += run;
      n -= run;
    }
}

static void
one_hot_bits (ReelRandomKey key, gint64 first, gint64 n, gint64 *restrict rows)
{
  while (n > 0)
    {
      guint64 word;
      gint64 run = run_of_bits (key, first, n, &word);

      for (gint64 i = 0; i < run; i++)
        {
          gint64 bit = word >> i & 1;

          rows[2 * i] = bit ^ 1;
          rows[2 * i + 1] = bit;
        }
      rows += 2 * run;
      first += run;
      n -= run;
    }
}

/* floor (word × bound / 2^64) by halves, which vectors multiply. */
static inline guint64
scale (guint64 word, guint32 bound)
{
  guint64 high = (word >> 32) * (guint64) bound, low = (word & G_MAXUINT32) * (guint64) bound;

  return (high + (low >> 32)) >> 32;
}

static void
below (ReelRandomKey key, gint64 first, gint64 n, guint32 bound, gint64 *restrict values)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = (gint64) scale (reel_random_mix (key, (guint64) (first + i)), bound);
}

static void
put_three (const gint64 *restrict classes, gint64 n, gint64 *restrict rows)
{
  for (gint64 i = 0; i < n; i++)
    {
      rows[3 * i] = classes[i] == 0;
      rows[3 * i + 1] = classes[i] == 1;
      rows[3 * i + 2] = classes[i] == 2;
    }
}

static void
one_hot (ReelRandomKey key, gint64 first, gint64 n, guint32 bound, gint64 *restrict rows)
{
  gint64 classes[CHUNK], count;

  for (gint64 at = 0; at < n; at += count, rows += count * bound)
    {
      count = MIN (CHUNK, n - at);
      below (key, first + at, count, bound, classes);
      /* Three comparisons a row are vectors; zeros with a store a row are not. */
      if (bound == 3)
        {
          put_three (classes, count, rows);
          continue;
        }
      memset (rows, 0, (gsize) (count * bound) * sizeof *rows);
      for (gint64 i = 0; i < count; i++)
        rows[i * bound + classes[i]] = 1;
    }
}

const ReelRandomKernels REEL_KERNEL_NAME (reel_random_kernels) = {
  .words = words,
  .doubles = doubles,
  .floats = floats,
  .bits = bits,
  .one_hot_bits = one_hot_bits,
  .below = below,
  .one_hot = one_hot,
};
