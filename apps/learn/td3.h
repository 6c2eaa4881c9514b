/* A policy of one action for each observation, with two critics: the part that TD3 and TD3+BC
 * share. */
#pragma once

#include "critics.h"

G_BEGIN_DECLS

/* Settings that both have, in this order, behind those of all learners. */
enum
{
  TD3_GAMMA = N_COMMON_SETTINGS,
  TD3_TAU,
  TD3_DELAY,
  TD3_SMOOTHING,
  TD3_SMOOTHING_CLIP,
  N_TD3_SETTINGS,
};

/* The scalars of both. */
enum
{
  TD3_CRITIC_LOSS,
  TD3_ACTOR_LOSS,
};

typedef struct
{
  Learner base;
  Critics critics;
  Network *online, *target; /* policies */
  Trace *trace;
  Adam *adam;
  float *actions, *slopes;
  float *log_scales; /* of the exported policy */
} Td3;

/* Makes networks. A policy that is exported explores by noise of this deviation. */
void td3_begin (Td3 *self, double noise);
void td3_clear (Learner *learner);
void td3_list_state (Learner *learner, StateList *list);

/* One update. The policy climbs the values; with a weight, it also keeps to the actions of the
   batch, and values count by the weight over their mean size, as TD3+BC has it. */
gboolean td3_improve (Td3 *self, double weight, GError **error);

const Network *td3_get_policy (const Learner *self, const char **arguments);
const float *td3_get_log_scales (const Learner *self);

G_END_DECLS
