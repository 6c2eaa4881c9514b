#include "token-draw.h"

double
reel_token_draw_weigh (ReelTokenDraw *self, const float *logits, double *log_sum)
{
  float largest = logits[0];
  double sum = 0;

  for (gint64 i = 1; i < self->n; i++)
    largest = MAX (largest, logits[i]);
  for (gint64 i = 0; i < self->n; i++)
    self->weights[i] = (double) logits[i] - (double) largest;
  self->kernels->exp (self->weights, self->n, self->weights);
  for (gint64 i = 0; i < self->n; i++)
    sum += self->weights[i];
  self->kernels->log (&sum, 1, log_sum);
  *log_sum += (double) largest;
  return sum;
}

/* Sums of roundings may end before the part: the last token that has a weight is it then. */
gint64
reel_token_draw_pick (const ReelTokenDraw *self, double part)
{
  gint64 last = 0;

  for (gint64 i = 0; i < self->n; i++)
    if (self->weights[i] > 0)
      {
        last = i;
        part -= self->weights[i];
        if (part < 0)
          break;
      }
  return last;
}

gint64
reel_token_draw_likeliest (const ReelTokenDraw *self)
{
  gint64 best = 0;

  for (gint64 i = 1; i < self->n; i++)
    if (self->weights[i] > self->weights[best])
      best = i;
  return best;
}
