/* `scribe`, a policy that writes outputs and a state beside its actions, for tests of where they
 * go. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

#define TYPE_SCRIBE_POLICY (scribe_policy_get_type ())
G_DECLARE_FINAL_TYPE (ScribePolicy, scribe_policy, SCRIBE, POLICY, ReelPolicy)

/* A scribe that writes NaN to `value/deep` (0), `next/hidden/mood` (1) or nothing (−1) in lane
 * @lane at step @step. */
ReelPolicy *scribe_policy_new_with_nan (gint where, gint64 lane, gint64 step);

G_END_DECLS
