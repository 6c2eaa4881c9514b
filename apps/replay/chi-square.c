#include "chi-square.h"

#include <math.h>

#define LEAST 10 /* expected of a bin */
#define MOST_TERMS 10000000

/* x^a e^−x / Γ(a) */
static double
scale (double a, double x)
{
  return exp (a * log (x) - x - lgamma (a));
}

/* The regularised incomplete gamma functions: below a + 1 the series of the lower one converges
 * fast, above it the continued fraction of the upper one (Abramowitz and Stegun 6.5.29, 6.5.31). */
static double
lower_by_series (double a, double x)
{
  double term = 1 / a, sum = term;

  for (gint i = 1; i < MOST_TERMS && term > sum * 1e-15; i++)
    {
      term *= x / (a + i);
      sum += term;
    }
  return sum * scale (a, x);
}

/* Evaluated from the front by Lentz's method. */
static double
upper_by_fraction (double a, double x)
{
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, value = d;

  for (gint i = 1; i < MOST_TERMS; i++)
    {
      double numerator = -i * (i - a), factor;

      b += 2;
      d = numerator * d + b;
      d = 1 / (fabs (d) < tiny ? tiny : d);
      c = b + numerator / c;
      c = fabs (c) < tiny ? tiny : c;
      factor = c * d;
      value *= factor;
      if (fabs (factor - 1) < 1e-15)
        break;
    }
  return value * scale (a, x);
}

double
chi_square_tail (double degrees, double statistic)
{
  double a = degrees / 2, x = statistic / 2;

  if (degrees <= 0 || x <= 0)
    return 1;
  if (isinf (x))
    return 0;
  return x < a + 1 ? 1 - lower_by_series (a, x) : upper_by_fraction (a, x);
}

/* One that cannot be drawn needs no bin, and is infinitely wrong where it was. */
static void
add_bin (ChiSquare *test, double expected, gint64 seen)
{
  double difference = (double) seen - expected;

  if (expected > 0)
    test->statistic += difference * difference / expected;
  else if (seen > 0)
    test->statistic = INFINITY;
  test->n_bins++;
}

ChiSquare
chi_square_test (const double *chances, const gint64 *seen, gint64 n)
{
  ChiSquare test = { 0, 0, 1 };
  double total = 0, left = 0, expected = 0;
  gint64 count = 0;

  for (gint64 i = 0; i < n; i++)
    {
      total += (double) seen[i];
      left += chances[i];
    }
  for (gint64 i = 0; i < n; i++)
    {
      expected += chances[i] * total;
      count += seen[i];
      left -= chances[i];
      if (chances[i] <= 0 && seen[i] > 0)
        test.statistic = INFINITY;
      if (i + 1 < n && (expected < LEAST || left * total < LEAST))
        continue;
      add_bin (&test, expected, count);
      expected = 0;
      count = 0;
    }
  test.p = chi_square_tail ((double) test.n_bins - 1, test.statistic);
  return test;
}
