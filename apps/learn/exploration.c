#include "exploration.h"

double
exploration_get_chance (const Learner *learner, guint first)
{
  double start = learner->values[first], end = learner->values[first + 1];
  double fraction = learner->values[first + 2];
  double share = fraction > 0 ? MIN (learner->done / fraction, 1) : 1;

  return start + share * (end - start);
}

void
exploration_choose (const Learner *learner, double chance, const float *outputs, gint64 n,
                    gint64 step, double *actions)
{
  gint64 k = learner->spaces.n_classes;
  ReelRandomKey whether = reel_random_key (learner->seed, 2 * step);
  ReelRandomKey which = reel_random_key (learner->seed, 2 * step + 1);

  for (gint64 lane = 0; lane < n; lane++)
    if (chance > 0 && reel_random_double (whether, lane) < chance)
      actions[lane] = (double) learner_draw_any (outputs + lane * k, k, which, lane);
    else
      actions[lane] = (double) learner_find_greatest (outputs + lane * k, k);
}
