#include "standardize.h"

#include "../core/tensor/mapped-memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BLOCK 128 /* of NumPy's pairwise sums */
#define WIDTH 8

typedef struct
{
  const ReelTensor *table;
  gint64 n_columns;
  double *means;   /* that are subtracted first */
  gboolean square; /* whether the differences are squared */
} Sum;

static double
get (const Sum *self, const double *column, gint64 row, gint64 c)
{
  double value = column[row * self->table->shape[1]] - self->means[c];

  return self->square ? value * value : value;
}

/* Eight partial sums, as NumPy adds a block. */
static double
sum_block (const Sum *self, const double *column, gint64 n, gint64 c)
{
  double part[WIDTH], sum = 0;
  gint64 i;

  if (n < WIDTH)
    {
      for (i = 0; i < n; i++)
        sum += get (self, column, i, c);
      return sum;
    }
  for (i = 0; i < WIDTH; i++)
    part[i] = get (self, column, i, c);
  for (; i < n - n % WIDTH; i++)
    part[i % WIDTH] += get (self, column, i, c);
  sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (; i < n; i++)
    sum += get (self, column, i, c);
  return sum;
}

/* Adds halves, each a multiple of eight rows but for the last. */
static void
add_up (const Sum *self, gint64 first, gint64 n, double *sums)
{
  const gint64 n_all = self->table->shape[1], half = n / 2 - (n / 2) % WIDTH;

  if (n <= BLOCK)
    {
      double *rows = (double *) self->table->data + first * n_all;

      for (gint64 c = 0; c < self->n_columns; c++)
        sums[c] = sum_block (self, rows + c, n, c);
      reel_memory_let_go (self->table->memory, (guint8 *) rows, (gsize) (n * n_all) * sizeof *rows);
      return;
    }
  g_autofree double *more = g_new (double, self->n_columns);
  add_up (self, first, half, sums);
  add_up (self, first + half, n - half, more);
  for (gint64 c = 0; c < self->n_columns; c++)
    sums[c] += more[c];
}

/* A column of one value has a variance that is rounding alone. */
static double
find_scale (double variance, double mean, double n)
{
  double rounding = n * mean * DBL_EPSILON;

  return variance <= n * DBL_EPSILON * variance + rounding * rounding ? 1 : sqrt (variance);
}

static void
scale (const ReelTensor *table, gint64 n_columns, const double *means, const double *scales)
{
  const gint64 n_all = table->shape[1];

  for (gint64 i = 0; i < table->shape[0]; i++)
    {
      double *row = (double *) table->data + i * n_all;

      for (gint64 c = 0; c < n_columns; c++)
        row[c] = (row[c] - means[c]) / scales[c];
      if (i % BLOCK == BLOCK - 1)
        reel_memory_let_go (table->memory, (guint8 *) (row - (BLOCK - 1) * n_all),
                            (gsize) (BLOCK * n_all) * sizeof *row);
    }
}

void
reel_standardize (const ReelTensor *table, gint64 n_columns)
{
  const gint64 n = table->shape[0];
  g_autofree double *means = g_new0 (double, MAX (n_columns, 1));
  g_autofree double *rest = g_new (double, MAX (n_columns, 1));
  g_autofree double *squares = g_new (double, MAX (n_columns, 1));
  Sum sum = { table, n_columns, means, FALSE };

  if (n_columns == 0)
    return;
  add_up (&sum, 0, n, squares);
  for (gint64 c = 0; c < n_columns; c++)
    means[c] = squares[c] / (double) n;
  add_up (&sum, 0, n, rest);
  sum.square = TRUE;
  add_up (&sum, 0, n, squares);
  for (gint64 c = 0; c < n_columns; c++)
    {
      double variance = (squares[c] - rest[c] * rest[c] / (double) n) / (double) n;

      squares[c] = find_scale (variance, means[c], (double) n);
    }
  scale (table, n_columns, means, squares);
}
