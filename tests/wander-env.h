/* An environment whose steps go on from the place that a row says, without rewards. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/**
 * wander_env_get_type:
 *
 * `Wander-v0`: observes `place`, float32 `[2]`, which is its state, and `draws`, int64 `[1]`, how
 * often its lane was reset. A step gives place × 0.75 + action, both elements alike; `end/done` and
 * `end/terminated` are its flags, where the sum of the place exceeds 2 or falls below −2. There is
 * no reward.
 */
GType wander_env_get_type (void);

/* wander_place: an element of the place after one of @place. */
float wander_place (float place, float action);

G_END_DECLS
