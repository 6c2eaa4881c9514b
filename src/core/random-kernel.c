#include "random-kernel.h"

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

const ReelRandomKernels REEL_KERNEL_NAME (reel_random_kernels) = {
  .words = words,
  .doubles = doubles,
  .floats = floats,
  .bits = bits,
  .one_hot_bits = one_hot_bits,
};
