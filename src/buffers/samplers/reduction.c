/* The reductions of TorchRL, in double precision; one NaN makes the result NaN. */
#include "reduction.h"

#include <stdlib.h>

static double
reduce_max (double *values, gint64 n)
{
  double result = values[0];

  for (gint64 i = 1; i < n; i++)
    result = values[i] > result || values[i] != values[i] ? values[i] : result;
  return result;
}

static double
reduce_min (double *values, gint64 n)
{
  double result = values[0];

  for (gint64 i = 1; i < n; i++)
    result = values[i] < result || values[i] != values[i] ? values[i] : result;
  return result;
}

static double
reduce_sum (double *values, gint64 n)
{
  double result = 0;

  for (gint64 i = 0; i < n; i++)
    result += values[i];
  return result;
}

static double
reduce_mean (double *values, gint64 n)
{
  return reduce_sum (values, n) / (double) n;
}

static int
compare_reals (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Of two in the middle the lower, as torch.median() has it; NaN where there is one. */
static double
reduce_median (double *values, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (values[i] != values[i])
      return values[i];
  qsort (values, (gsize) n, sizeof *values, compare_reals);
  return values[(n - 1) / 2];
}

ReelReduceFunc
reel_find_reduction (const char *name, GError **error)
{
  static const struct
  {
    const char *name;
    ReelReduceFunc func;
  } reductions[] = {
    { "max", reduce_max },       { "min", reduce_min }, { "mean", reduce_mean },
    { "median", reduce_median }, { "sum", reduce_sum },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (reductions); i++)
    if (g_str_equal (reductions[i].name, name))
      return reductions[i].func;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "a reduction is max, min, mean, median or sum, not \"%s\"", name);
  return NULL;
}
