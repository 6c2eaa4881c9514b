/* An env of which each action may be done once: an `action_mask` says which are left. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Id `Masked-v0`. An episode ends when nothing is left, or, with `goes-on`, does not. */
#define REEL_TYPE_MASKED_ENV (reel_masked_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelMaskedEnv, reel_masked_env, REEL, MASKED_ENV, ReelEnv)

/* Asserts that every action of a rollout was allowed, and that each of them was done. */
void masked_env_assert_allowed (ReelEnv *env, ReelTensordict *rollout);

G_END_DECLS
