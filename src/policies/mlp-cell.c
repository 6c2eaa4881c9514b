#include "mlp-cell.h"

/* 1 / (1 + e^−x) of each, in its place. */
static void
sigmoid (const ReelExpKernels *exp, double *x, gint64 n)
{
  for (gint64 k = 0; k < n; k++)
    x[k] = -x[k];
  exp->exp (x, n, x);
  for (gint64 k = 0; k < n; k++)
    x[k] = 1 / (1 + x[k]);
}

static void
add (const float *input, const float *recurrent, gint64 n, double *to)
{
  for (gint64 k = 0; k < n; k++)
    to[k] = (double) input[k] + (double) recurrent[k];
}

void
reel_mlp_lstm_step (const ReelExpKernels *exp, gint64 n, const float *input, const float *recurrent,
                    const ReelMlpMemory *before, const ReelMlpMemory *after, double *numbers)
{
  double *i = numbers, *f = i + n, *g = f + n, *o = g + n;

  add (input, recurrent, 4 * n, numbers);
  sigmoid (exp, i, 2 * n);
  exp->tanh (g, n, g);
  sigmoid (exp, o, n);
  for (gint64 k = 0; k < n; k++)
    {
      after->c[k] = (float) (f[k] * (double) before->c[k] + i[k] * g[k]);
      g[k] = (double) after->c[k];
    }
  exp->tanh (g, n, g);
  for (gint64 k = 0; k < n; k++)
    after->h[k] = (float) (o[k] * g[k]);
}

void
reel_mlp_gru_step (const ReelExpKernels *exp, gint64 n, const float *input, const float *recurrent,
                   const ReelMlpMemory *before, const ReelMlpMemory *after, double *numbers)
{
  double *r = numbers, *z = r + n, *m = z + n;

  add (input, recurrent, 2 * n, numbers);
  sigmoid (exp, r, 2 * n);
  for (gint64 k = 0; k < n; k++)
    m[k] = (double) input[2 * n + k] + r[k] * (double) recurrent[2 * n + k];
  exp->tanh (m, n, m);
  for (gint64 k = 0; k < n; k++)
    after->h[k] = (float) ((1 - z[k]) * m[k] + z[k] * (double) before->h[k]);
}
