/* From priorities to weights and back. */
#include "priorities-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

double
reel_priorities_round (const ReelPriorities *self, double priority)
{
  return self->dtype == REEL_PRIORITY_FLOAT32 ? (double) (float) priority : priority;
}

void
reel_priorities_round_all (const ReelPriorities *self, double *values, gint64 n)
{
  if (self->dtype == REEL_PRIORITY_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      values[i] = (float) values[i];
}

void
reel_priorities_raise (const ReelPriorities *self, double *weights, gint64 n, double exponent)
{
  self->kernels->power (weights, n, exponent, weights);
  reel_priorities_round_all (self, weights, n);
}

void
reel_priorities_weigh (const ReelPriorities *self, double *priorities, gint64 n)
{
  if (self->dtype == REEL_PRIORITY_FLOAT32)
    for (gint64 i = 0; i < n; i++)
      priorities[i] = (float) priorities[i] + (float) self->eps;
  else
    self->loops->add (priorities, n, self->eps);
  reel_priorities_raise (self, priorities, n, self->applied_alpha);
}

/* The inverse of the power of @alpha, which may be next to nothing. */
static double
invert (double alpha)
{
  return MIN (1 / alpha, G_MAXDOUBLE);
}

double
reel_priorities_weigh_back (const ReelPriorities *self, double weight)
{
  reel_priorities_raise (self, &weight, 1, invert (self->applied_alpha));
  weight = self->dtype == REEL_PRIORITY_FLOAT32 ? (double) ((float) weight - (float) self->eps)
                                                : weight - self->eps;
  return MAX (weight, 0);
}

static gboolean
check_weight (const ReelPriorities *self, double priority, double weight, GError **error)
{
  if (G_LIKELY (weight <= G_MAXDOUBLE))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a priority of %g with eps=%g has no finite weight with alpha=%g: choose a smaller "
               "alpha or eps",
               priority, self->eps, self->alpha);
  return FALSE;
}

gboolean
reel_priorities_check_default (const ReelPriorities *self, GError **error)
{
  double priority = reel_priorities_default (self);
  double weight = reel_priorities_round (self, priority);

  reel_priorities_weigh (self, &weight, 1);
  return check_weight (self, priority, weight, error);
}

double
reel_priorities_find_greatest_weight (const ReelPriorities *self, gint64 *slot)
{
  const double *weights = reel_priority_tree_weights (self->tree);
  gint64 size = reel_priority_tree_size (self->tree);

  *slot = 0;
  for (gint64 i = 1; i < size; i++)
    if (weights[i] > weights[*slot])
      *slot = i;
  return weights[*slot];
}

/* In place: weights that were made with another alpha. */
static void
weigh_anew (const ReelPriorities *self, double *weights, gint64 n, double old)
{
  self->kernels->power (weights, n, invert (old), weights);
  for (gint64 i = 0; i < n; i++)
    weights[i] = MAX (weights[i] - self->eps, 0) + self->eps;
  self->kernels->power (weights, n, self->alpha, weights);
  reel_priorities_round_all (self, weights, n);
}

static gboolean
check_alpha (const ReelPriorities *self, double old, GError **error)
{
  gint64 slot;
  /* Weights grow with priorities: where the new weight of the greatest is finite, all are. */
  double greatest = reel_priorities_find_greatest_weight (self, &slot), weight = greatest;

  weigh_anew (self, &weight, 1, old);
  return greatest == 0
         || check_weight (self, reel_priorities_weigh_back (self, greatest), weight, error);
}

/* Of alpha 0 all weights are 1, and stay so until they are updated: nothing tells what they were
 * made of. */
gboolean
reel_priorities_apply_alpha (ReelPriorities *self, GError **error)
{
  const double *weights = reel_priority_tree_weights (self->tree);
  gint64 size = reel_priority_tree_size (self->tree);
  double old = self->applied_alpha, chunk[REEL_PRIORITIES_CHUNK];

  if (old != 0 && !check_alpha (self, old, error))
    return FALSE;
  self->applied_alpha = self->alpha;
  for (gint64 begin = 0, n; begin < size && old != 0; begin += n)
    {
      n = MIN (REEL_PRIORITIES_CHUNK, size - begin);
      memcpy (chunk, weights + begin, (gsize) n * sizeof *chunk);
      weigh_anew (self, chunk, n, old);
      for (gint64 i = 0; i < n; i++)
        /* A weight of 0 stays 0: weighed anew it would be that of eps. */
        chunk[i] = weights[begin + i] == 0 ? 0 : chunk[i];
      reel_priority_tree_assign (self->tree, begin, begin + n, chunk);
    }
  return TRUE;
}

void
reel_priorities_find_greatest (ReelPriorities *self)
{
  if (self->applied_alpha == 0)
    return;
  self->greatest = reel_priorities_weigh_back (
      self, reel_priorities_find_greatest_weight (self, &self->greatest_slot));
}
