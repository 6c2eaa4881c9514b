/* Whether counts are what chances would give. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How far counts are from what was expected. */
typedef struct
{
  gint64 n_bins;
  double statistic;
  double p; /* the chance of counts that are as far away or further */
} ChiSquare;

/* The chance of a value above `statistic` in a chi-square distribution of so many degrees. */
double chi_square_tail (double degrees, double statistic);

/* Pearson's test of `seen`, of which category i has the chance `chances[i]`; neighbours share a bin
 * where less than 10 are expected of one. */
ChiSquare chi_square_test (const double *chances, const gint64 *seen, gint64 n);

G_END_DECLS
