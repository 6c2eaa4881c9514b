/* The work of a policy on the lanes of an env with many leaves. */
#pragma once

#include "../src/reel.h"

enum
{
  N_LANES = 449,
  N_STEPS = 7,
};

/* Some steps of all lanes, without an end of an episode between them. */
typedef struct
{
  ReelTensordict *actions[N_STEPS];
  ReelTensordict *outputs[N_STEPS];
  ReelTensordict *states[N_STEPS + 1]; /* before each step, and after the last */
  guint8 **action[N_STEPS];            /* push, steer, car/gear, car/lamps */
  guint8 **output[N_STEPS];
  guint8 **state[N_STEPS + 1];
  const guint8 *observation[1];
} PolicyRecord;

/* For a policy that is bound to these specs. All bytes that it writes are @filler before. */
PolicyRecord *policy_record_new (ReelPolicy *policy, guint8 filler);
void policy_record_free (PolicyRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PolicyRecord, policy_record_free)

gboolean policy_record_equal (const PolicyRecord *a, const PolicyRecord *b);

/* Leaves: one-hot, bounded apart for each element, and one level down categorical and binary. */
ReelSpec *policy_make_action_spec (void);
ReelSpec *policy_make_observation_spec (void);

/* The text of a policy that has all that its id must be told; files are made in @directory. */
char *policy_dup_text (const char *id, const char *directory);

/* A policy from text, bound to these specs and N_LANES. */
ReelPolicy *policy_make (const char *text);

/* Has it act on a range of lanes; the second must not fail. */
gboolean policy_try (ReelPolicy *policy, PolicyRecord *record, gint64 step, gint64 begin,
                     gint64 end, GError **error);
void policy_act (ReelPolicy *policy, PolicyRecord *record, gint64 step, gint64 begin, gint64 end);

/* All steps of all lanes by a policy from text. */
PolicyRecord *policy_act_through (const char *text);
PolicyRecord *policy_act_through_filled (const char *text, guint8 filler);
