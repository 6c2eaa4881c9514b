/* Random actions of a learner of values: fewer and fewer of them. */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* The chance of a random class: from start to end in a line, in a share of the run. These are three
 * settings that follow each other, from `first` on. */
double exploration_get_chance (const Learner *learner, guint first);

/* The greatest output of each lane, or by that chance a random class. */
void exploration_choose (const Learner *learner, double chance, const float *outputs, gint64 n,
                         gint64 step, double *actions);

G_END_DECLS
