/* The values of classes and the rows that they learn from: the part that DQN and CQL share. Mnih et
 * al. (2015); double: van Hasselt et al. (2015). */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* How values learn. */
typedef struct
{
  double gamma, tau, max_norm;
  gint64 target_every;
  gboolean twice;      /* the online network chooses the class of a target */
  double conservatism; /* weight of CQL's term, or 0 */
} ValueRules;

/* Means over the rows of a batch. */
typedef struct
{
  double loss, value, conservative;
} ValueStats;

typedef struct
{
  Learner *learner;
  gint n, k; /* rows of a batch, classes */
  Network *online, *target;
  Trace *now, *next, *late;
  Adam *adam;
  gint64 *classes;
  float *reward, *gamma, *weight, *off;
  guint8 *terminated, *next_masks; /* the latter NULL where all classes are allowed */
} ClassValues;

void class_values_init (ClassValues *self, Learner *learner);
void class_values_clear (ClassValues *self);
void class_values_list_state (ClassValues *self, StateList *list);

/* One update by the next batch. */
gboolean class_values_improve (ClassValues *self, const ValueRules *rules, ValueStats *stats,
                               GError **error);

G_END_DECLS
