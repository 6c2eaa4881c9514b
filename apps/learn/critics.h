/* Two critics that value actions, and the rows that they learn from: the part that SAC, TD3 and IQL
 * share. The lesser of two values is less of an overestimate. Fujimoto et al. (2018). */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* The value of an action, as it is learned. */
typedef struct
{
  Network *online, *target;
  Trace *trace;
  Adam *adam;
} Critic;

typedef struct
{
  Learner *learner;
  Critic each[2];
  gint n, width, k; /* rows of a batch, numbers of an observation and of an action */

  /* Of the rows of the batch. */
  float *observation, *next, *taken;
  float *reward, *gamma, *weight;
  guint8 *terminated;

  float *target, *off;          /* values that are learned, and the distance from them */
  float *value, *action_slopes; /* of critics_judge() and critics_differentiate() */
} Critics;

void critics_init (Critics *self, Learner *learner);
void critics_clear (Critics *self);
void critics_list_state (Critics *self, StateList *list);

/* Draws the next batch. */
gboolean critics_read (Critics *self, double gamma, GError **error);

/* The values of actions: the lesser one of the target networks. */
void critics_judge (Critics *self, const float *observation, const float *actions);

/* The target of each row, from the value behind it. */
void critics_aim (Critics *self, const float *after);

/* The same from actions behind it. A policy with entropy gives log p of the actions, and its
   weight; NULL without. */
void critics_set_targets (Critics *self, const float *actions, const float *log_p, double alpha);

/* One step of both towards the targets. Returns the sum of their losses. */
double critics_improve (Critics *self);

/* One step of the target networks towards the online ones. */
void critics_follow (Critics *self, double tau);

/* The values of actions for the observations of the batch, each the least of the first critics, and
   the slopes of −mean value by the actions. */
void critics_differentiate (Critics *self, const float *actions, guint n_critics);

G_END_DECLS
