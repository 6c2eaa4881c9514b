/* The word of a list that is closest to another. */
#include "object.h"

#include <string.h>

/* `a_b`, `A-B` and `a-b` are the same to somebody who types. */
static char *
fold (const char *word)
{
  char *folded = g_ascii_strdown (word, -1);

  return g_strdelimit (folded, "_", '-');
}

/* Optimal string alignment: insertions, deletions, substitutions, neighbours exchanged. */
static gsize
distance (const char *a, const char *b)
{
  gsize n = strlen (a);
  gsize m = strlen (b);
  gsize width = m + 1;
  g_autofree gsize *cost = g_new (gsize, (n + 1) * width);

  for (gsize i = 0; i <= n; i++)
    cost[i * width] = i;
  for (gsize j = 0; j <= m; j++)
    cost[j] = j;

  for (gsize i = 1; i <= n; i++)
    for (gsize j = 1; j <= m; j++)
      {
        gsize *here = &cost[i * width + j];
        gsize substituted = here[-(gssize) width - 1] + (a[i - 1] != b[j - 1]);
        gsize shifted = MIN (here[-1], here[-(gssize) width]) + 1;

        *here = MIN (substituted, shifted);
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          *here = MIN (*here, cost[(i - 2) * width + j - 2] + 1);
      }

  return cost[n * width + m];
}

const char *
reel_closest_word (const char *word, const char *const *words)
{
  g_autofree char *typed = fold (word);
  const char *closest = NULL;
  gsize least = strlen (typed) / 3 + 1;

  for (; *words; words++)
    {
      g_autofree char *candidate = fold (*words);
      gsize apart = distance (typed, candidate);

      if (apart < least)
        {
          least = apart;
          closest = *words;
        }
    }

  return closest;
}
