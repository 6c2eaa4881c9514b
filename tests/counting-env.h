/* TorchRL's mocks CountingEnv, CountingBatchedEnv, NestedCountingEnv and AutoResettingCountingEnv:
 * an action adds to a count, and an episode ends when the count is above a number. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Ids `Counting-v0`; `NestedCounting-v0`, whose agents count below `data`, each for itself;
 * `AutoResettingCounting-v0`, which resets itself in the step that ends an episode. Properties
 * `max-steps`, one for all lanes or one a lane, `start-val`, and `agents`. */
#define REEL_TYPE_COUNTING_ENV (reel_counting_env_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelCountingEnv, reel_counting_env, REEL, COUNTING_ENV, ReelEnv)

struct _ReelCountingEnvClass
{
  ReelEnvClass parent_class;
};

GType reel_auto_resetting_counting_env_get_type (void);

G_END_DECLS
