/* The work of a policy on the lanes of an env with many leaves. */
#pragma once

#include "../src/reel.h"

enum
{
  N_LANES = 449,
  N_STEPS = 7,
  N_LEAVES = 4,
};

typedef struct
{
  ReelTensordict *steps[N_STEPS];
  guint8 *leaves[N_STEPS][N_LEAVES]; /* push, steer, car/gear, car/lamps */
  const guint8 *observation[1];
} PolicyRecord;

/* Zeros, until something acts. */
PolicyRecord *policy_record_new (void);
void policy_record_free (PolicyRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PolicyRecord, policy_record_free)

gboolean policy_record_equal (const PolicyRecord *a, const PolicyRecord *b);

/* Leaves: one-hot, bounded apart for each element, and one level down categorical and binary. */
ReelSpec *policy_make_action_spec (void);
ReelSpec *policy_make_observation_spec (void);

/* A policy from text, bound to these specs and N_LANES. */
ReelPolicy *policy_make (const char *text);

/* Has it act on a range of lanes, which must not fail. */
void policy_act (ReelPolicy *policy, PolicyRecord *record, gint64 step, gint64 begin, gint64 end);

/* All steps of all lanes by a policy from text. */
PolicyRecord *policy_act_through (const char *text);
