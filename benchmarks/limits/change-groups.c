#include "memory-limits.h"

#define GROUP 16 /* two cache lines */

double
limit_change_groups (double *values, const int64_t *at, int64_t n)
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
