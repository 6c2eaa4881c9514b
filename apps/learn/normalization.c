#include "normalization.h"

#include <math.h>
#include <string.h>

#define ROWS 16384  /* that are drawn, at least */
#define MARGIN 1e-3 /* of a deviation, as the paper has it */

/* Sums of the rows that were drawn, about the first one. */
typedef struct
{
  gint n; /* numbers of a row */
  gint64 n_rows;
  float *first;
  double *sum, *squares;
} Tally;

static void
add (Tally *self, const float *rows, gint64 n_rows)
{
  if (self->n_rows == 0)
    memcpy (self->first, rows, (gsize) self->n * sizeof (float));
  for (gint64 row = 0; row < n_rows; row++, rows += self->n)
    for (gint i = 0; i < self->n; i++)
      {
        double x = (double) rows[i] - (double) self->first[i];

        self->sum[i] += x;
        self->squares[i] += x * x;
      }
  self->n_rows += n_rows;
}

void
normalization_begin (Learner *learner)
{
  Spaces *spaces = &learner->spaces;

  spaces->shift = g_new0 (float, spaces->n_inputs);
  spaces->factor = g_new (float, spaces->n_inputs);
  for (gint i = 0; i < spaces->n_inputs; i++)
    spaces->factor[i] = 1;
}

static void
set_scale (const Tally *self, const Spaces *spaces)
{
  for (gint i = 0; i < self->n; i++)
    {
      double mean = self->sum[i] / (double) self->n_rows;
      double variance = self->squares[i] / (double) self->n_rows - mean * mean;

      spaces->shift[i] = (float) ((double) self->first[i] + mean);
      spaces->factor[i] = (float) (1 / (sqrt (MAX (variance, 0)) + MARGIN));
    }
}

gboolean
normalization_measure (Learner *learner, GError **error)
{
  Spaces *spaces = &learner->spaces;
  gint64 n = (gint64) learner->values[BATCH_SIZE];
  gint width = spaces->n_inputs;
  g_autofree float *rows = g_new (float, n *width), *first = g_new (float, width);
  g_autofree double *sum = g_new0 (double, width), *squares = g_new0 (double, width);
  Tally tally = { width, 0, first, sum, squares };

  while (tally.n_rows < ROWS)
    {
      if (!learner_draw (learner, n, error)
          || !spaces_read_observations (spaces, learner->batch, "", n, rows, error))
        return FALSE;
      add (&tally, rows, n);
    }
  set_scale (&tally, spaces);
  return TRUE;
}

void
normalization_fold (const Spaces *spaces, Network *network)
{
  const Layer *layer = network->layers;
  float *weight = network->parameters + layer->weight, *bias = network->parameters + layer->bias;

  if (!spaces->shift)
    return;
  for (gint o = 0; o < layer->n_out; o++, weight += layer->n_in)
    {
      double moved = (double) bias[o];

      for (gint i = 0; i < layer->n_in; i++)
        {
          weight[i] *= spaces->factor[i];
          moved -= (double) weight[i] * (double) spaces->shift[i];
        }
      bias[o] = (float) moved;
    }
}
