/* The source pixels of each pixel of the result and their weights, as
 * torch's interpolate() has them. */
#include "resampling.h"

#include <math.h>

/* ---- what a source weighs, at a distance ---- */

static double
triangle (double x)
{
  x = fabs (x);
  return x < 1 ? 1 - x : 0;
}

/* Keys' cubic; torch takes a = −1/2 where it antialiases, as Pillow does, and −3/4 elsewhere. */
static double
cubic (double x, double a)
{
  x = fabs (x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/* ---- the sources of one pixel ---- */

static gint64
nearest (gint64 i, gint64 n_in, gint64 n, float shift)
{
  /* In float32, as torch has it: more digits would pick other pixels now and then. */
  float scale = (float) n_in / (float) n;
  gint64 at = (gint64) floorf (((float) i + shift) * scale);

  return MIN (at, n_in - 1);
}

static void
choose_nearest (ReelResampling *self, gint64 i, float shift)
{
  self->first[i] = (gint32) nearest (i, self->n_in, self->n, shift);
  self->count[i] = 1;
  self->weights[i * self->most] = 1;
}

/* Beyond an edge is the pixel at the edge. */
static void
choose_neighbours (ReelResampling *self, gint64 i, gint64 from, const double *weights, gint64 n)
{
  gint64 first = CLAMP (from, 0, self->n_in - 1), last = CLAMP (from + n - 1, 0, self->n_in - 1);
  double *to = self->weights + i * self->most;

  self->first[i] = (gint32) first;
  self->count[i] = (gint32) (last - first + 1);
  for (gint64 k = 0; k < n; k++)
    to[CLAMP (from + k, 0, self->n_in - 1) - first] += weights[k];
}

static void
choose_two (ReelResampling *self, gint64 i)
{
  double at = ((double) i + 0.5) * (double) self->n_in / (double) self->n - 0.5;
  double inside = MAX (at, 0), part = inside - floor (inside);
  const double weights[2] = { 1 - part, part };

  choose_neighbours (self, i, (gint64) floor (inside), weights, 2);
}

static void
choose_four (ReelResampling *self, gint64 i)
{
  double at = ((double) i + 0.5) * (double) self->n_in / (double) self->n - 0.5;
  double part = at - floor (at);
  const double weights[4] = { cubic (part + 1, -0.75), cubic (part, -0.75), cubic (1 - part, -0.75),
                              cubic (2 - part, -0.75) };

  choose_neighbours (self, i, (gint64) floor (at) - 1, weights, 4);
}

/* All within @reach source pixels of the middle, of fewer pixels that many times more. */
static void
choose_window (ReelResampling *self, gint64 i, ReelInterpolation how, double reach)
{
  double scale = (double) self->n_in / (double) self->n, wide = MAX (scale, 1);
  double middle = scale * ((double) i + 0.5), sum = 0;
  gint64 first = MAX ((gint64) (middle - reach * wide + 0.5), 0);
  gint64 end = MIN ((gint64) (middle + reach * wide + 0.5), self->n_in);
  double *weights = self->weights + i * self->most;

  self->first[i] = (gint32) first;
  self->count[i] = (gint32) (end - first);
  for (gint64 k = 0; k < end - first; k++)
    {
      double x = ((double) (k + first) - middle + 0.5) / wide;

      weights[k] = how == REEL_BILINEAR ? triangle (x) : cubic (x, -0.5);
      sum += weights[k];
    }
  for (gint64 k = 0; sum != 0 && k < end - first; k++)
    weights[k] /= sum;
  while (self->count[i] > 1 && weights[self->count[i] - 1] == 0) /* 0 × infinity is NaN */
    self->count[i]--;
}

static void
choose_area (ReelResampling *self, gint64 i)
{
  gint64 first = i * self->n_in / self->n;
  gint64 end = ((i + 1) * self->n_in + self->n - 1) / self->n;

  self->first[i] = (gint32) first;
  self->count[i] = (gint32) (end - first);
  for (gint64 k = 0; k < end - first; k++)
    self->weights[i * self->most + k] = 1 / (double) (end - first);
}

/* ---- all ---- */

static gint64
count_sources (const ReelResampling *self, ReelInterpolation how, gboolean antialias)
{
  double wide = MAX ((double) self->n_in / (double) self->n, 1);

  switch (how)
    {
    case REEL_AREA: return self->n_in / self->n + 2;
    case REEL_BILINEAR: return antialias ? (gint64) ceil (wide) * 2 + 1 : 2;
    case REEL_BICUBIC: return antialias ? (gint64) ceil (2 * wide) * 2 + 1 : 4;
    default: return 1;
    }
}

void
reel_resampling_init (ReelResampling *self, ReelInterpolation how, gboolean antialias, gint64 n_in,
                      gint64 n)
{
  *self = (ReelResampling){ .n_in = n_in, .n = n };
  self->most = count_sources (self, how, antialias);
  self->first = g_new (gint32, n);
  self->count = g_new (gint32, n);
  self->weights = g_new0 (double, n * self->most);
  for (gint64 i = 0; i < n; i++)
    switch (how)
      {
      case REEL_NEAREST: choose_nearest (self, i, 0); break;
      case REEL_NEAREST_EXACT: choose_nearest (self, i, 0.5f); break;
      case REEL_AREA: choose_area (self, i); break;
      case REEL_BILINEAR:
        if (antialias)
          choose_window (self, i, how, 1);
        else
          choose_two (self, i);
        break;
      case REEL_BICUBIC:
        if (antialias)
          choose_window (self, i, how, 2);
        else
          choose_four (self, i);
        break;
      }
}

void
reel_resampling_clear (ReelResampling *self)
{
  g_free (self->first);
  g_free (self->count);
  g_free (self->weights);
}
