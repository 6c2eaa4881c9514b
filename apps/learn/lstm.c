#include "lstm.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

Lstm *
lstm_new (gint n_hidden, gint most)
{
  Lstm *self = g_new0 (Lstm, 1);
  gsize n = (gsize) n_hidden * (gsize) most;

  self->n_hidden = n_hidden;
  self->begins = g_new (guint8, most);
  memset (self->begins, TRUE, (gsize) most);
  self->set_h = g_new0 (float, n);
  self->set_c = g_new0 (float, n);
  self->before_h = g_new0 (float, n);
  self->before_c = g_new0 (float, n);
  self->gates = g_new0 (float, 4 * n);
  self->c = g_new0 (float, n);
  self->tanh_c = g_new0 (float, n);
  self->gate_slopes = g_new0 (float, 4 * n);
  self->carry_h = g_new0 (float, n);
  self->carry_c = g_new0 (float, n);
  return self;
}

void
lstm_free (Lstm *self)
{
  if (!self)
    return;
  g_free (self->begins);
  g_free (self->set_h);
  g_free (self->set_c);
  g_free (self->before_h);
  g_free (self->before_c);
  g_free (self->gates);
  g_free (self->c);
  g_free (self->tanh_c);
  g_free (self->gate_slopes);
  g_free (self->carry_h);
  g_free (self->carry_c);
  g_free (self);
}

/* ---- forward ---- */

/* Chooses the memory of n rows before a step; the step before has its own n rows behind. */
static void
remember (Lstm *self, gsize first, gint n, const float *h)
{
  gsize width = (gsize) self->n_hidden;

  for (gsize row = first; row < first + (gsize) n; row++)
    {
      gboolean begins = first == 0 || self->begins[row];
      gsize from = (begins ? row : row - (gsize) n) * width;

      memcpy (self->before_h + row * width, (begins ? self->set_h : h) + from,
              width * sizeof (float));
      memcpy (self->before_c + row * width, (begins ? self->set_c : self->c) + from,
              width * sizeof (float));
    }
}

static float
sigmoid (float x)
{
  return 1 / (1 + expf (-x));
}

/* To 1e-7, in a third of the time of tanhf(). */
static float
squash (float x)
{
  return 1 - 2 / (1 + expf (2 * x));
}

/* One row: gates from sums, and the memory after it. */
static void
open_gates (const Lstm *self, const float *bias, gsize row, float *h)
{
  gint n = self->n_hidden;
  gsize at = row * (gsize) n;
  float *i = self->gates + 4 * at, *f = i + n, *g = f + n, *o = g + n;

  for (gint k = 0; k < n; k++)
    {
      i[k] = sigmoid (i[k] + bias[k]);
      f[k] = sigmoid (f[k] + bias[n + k]);
      g[k] = squash (g[k] + bias[2 * n + k]);
      o[k] = sigmoid (o[k] + bias[3 * n + k]);
      self->c[at + (gsize) k] = f[k] * self->before_c[at + (gsize) k] + i[k] * g[k];
      self->tanh_c[at + (gsize) k] = squash (self->c[at + (gsize) k]);
      h[at + (gsize) k] = o[k] * self->tanh_c[at + (gsize) k];
    }
}

void
lstm_run (Lstm *self, const float *weight, const float *bias, gint n, gint n_steps, float *h)
{
  gint n_hidden = self->n_hidden, n_rows = n / n_steps;

  for (gint step = 0; step < n_steps; step++)
    {
      gsize first = (gsize) step * (gsize) n_rows, at = first * (gsize) n_hidden;

      remember (self, first, n_rows, h);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, n_rows, 4 * n_hidden, n_hidden, 1,
                   self->before_h + at, n_hidden, weight, n_hidden, 1, self->gates + 4 * at,
                   4 * n_hidden);
      for (gsize row = first; row < first + (gsize) n_rows; row++)
        open_gates (self, bias, row, h);
    }
}

/* ---- backward ---- */

/* One row: slopes of its sums, from those of h and of the memory that it left; and what it passes
 * to the memory c before it. */
static void
pass_gates (const Lstm *self, gsize row, const float *slopes, const float *carry_h, float *carry_c)
{
  gint n = self->n_hidden;
  gsize at = row * (gsize) n;
  const float *i = self->gates + 4 * at, *f = i + n, *g = f + n, *o = g + n;
  float *to = self->gate_slopes + 4 * at;

  for (gint k = 0; k < n; k++)
    {
      float tanh_c = self->tanh_c[at + (gsize) k], dh = slopes[at + (gsize) k] + carry_h[k];
      float dc = carry_c[k] + dh * o[k] * (1 - tanh_c * tanh_c);

      to[k] = dc * g[k] * i[k] * (1 - i[k]);
      to[n + k] = dc * self->before_c[at + (gsize) k] * f[k] * (1 - f[k]);
      to[2 * n + k] = dc * i[k] * (1 - g[k] * g[k]);
      to[3 * n + k] = dh * tanh_c * o[k] * (1 - o[k]);
      carry_c[k] = dc * f[k];
    }
}

/* Nothing is passed to a memory that was set. */
static void
drop_carries (Lstm *self, gsize first, gint n)
{
  gsize bytes = (gsize) self->n_hidden * sizeof (float);

  for (gsize lane = 0; lane < (gsize) n; lane++)
    if (self->begins[first + lane])
      {
        memset (self->carry_h + lane * (gsize) self->n_hidden, 0, bytes);
        memset (self->carry_c + lane * (gsize) self->n_hidden, 0, bytes);
      }
}

void
lstm_pass (Lstm *self, const float *weight, const float *slopes, gint n, gint n_steps,
           gint n_warm_up)
{
  gint n_hidden = self->n_hidden, n_rows = n / n_steps;
  gsize n_carried = (gsize) n_rows * (gsize) n_hidden;

  memset (self->gate_slopes, 0, (gsize) n_warm_up * 4 * n_carried * sizeof (float));
  memset (self->carry_h, 0, n_carried * sizeof (float));
  memset (self->carry_c, 0, n_carried * sizeof (float));
  for (gint step = n_steps; step-- > n_warm_up;)
    {
      gsize first = (gsize) step * (gsize) n_rows;

      for (gsize lane = 0; lane < (gsize) n_rows; lane++)
        pass_gates (self, first + lane, slopes, self->carry_h + lane * (gsize) n_hidden,
                    self->carry_c + lane * (gsize) n_hidden);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, n_rows, n_hidden, 4 * n_hidden, 1,
                   self->gate_slopes + 4 * first * (gsize) n_hidden, 4 * n_hidden, weight, n_hidden,
                   0, self->carry_h, n_hidden);
      drop_carries (self, first, n_rows);
    }
}

void
lstm_differentiate (const Lstm *self, gint n, float *weight_slopes, float *bias_slopes)
{
  gint n_hidden = self->n_hidden;

  cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, 4 * n_hidden, n_hidden, n, 1,
               self->gate_slopes, 4 * n_hidden, self->before_h, n_hidden, 0, weight_slopes,
               n_hidden);
  memset (bias_slopes, 0, 4 * (gsize) n_hidden * sizeof (float));
  for (gsize row = 0; row < (gsize) n; row++)
    for (gint k = 0; k < 4 * n_hidden; k++)
      bias_slopes[k] += self->gate_slopes[row * 4 * (gsize) n_hidden + (gsize) k];
}
