/* The network of a learner as a policy, and its mean return. */
#pragma once

#include "learner.h"

G_BEGIN_DECLS

/* A policy that acts by the learner's present network; one that does not explore takes what it
 * holds for best. It refers to the learner, which must outlive it. */
ReelPolicy *acting_policy_new (const Learner *learner, gboolean explore);

/* The returns of some episodes. */
typedef struct
{
  gint64 n;
  double mean, length, least, most;
} Evaluation;

/* Plays at least so many episodes in the environment without exploring. Each lane counts its first
 * ones, so that short ones do not come more often. */
gboolean evaluate (const Learner *learner, ReelEnv *env, gint64 n_episodes, Evaluation *result,
                   GError **error);

G_END_DECLS
