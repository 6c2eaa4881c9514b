/* Random actions of a learner of values: fewer and fewer of them. */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* The chance of a random class: from start to end in a line, in a share of the run. */
typedef struct
{
  double start, end, share;
} Exploration;

double exploration_get_chance (const Exploration *self, const Learner *learner);

/* The greatest output of each lane, or by that chance a random class. */
void exploration_choose (const Learner *learner, double chance, const float *outputs, gint64 n,
                         gint64 step, double *actions);

G_END_DECLS
