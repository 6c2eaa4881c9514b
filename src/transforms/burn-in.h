/* The state of a recurrent policy after the first steps of a sequence. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_burn_in_transform_new:
 * @module: (scope notified): what runs over the first steps `[*B, burn_in]` of what is read, time
 *   last; it gives `next` of each out-key, `[*B, burn_in, …]`. Called by any thread that reads
 * @user_data: for @module
 * @destroy: (nullable): called with @user_data when the transform is freed
 * @burn_in: steps that @module gets, at least 1
 * @out_keys: (array zero-terminated=1): keys of the state, such as `memory`
 * @error: VALUE for a @burn_in below 1 or no out-keys; KEY for one that is no path
 *
 * A transform of sequences that a replay buffer gives, TorchRL's `BurnInTransform`: the first steps
 * are left out, and in the first of the others each out-key has the value of `next` in the last
 * step of @module's. The other steps keep what is stored there, zeros where nothing is.
 *
 * Reading fails with VALUE where there is no dimension before that of time, or no step is left;
 * with KEY, TYPE or RUNTIME where the result of @module lacks a key or does not fit. In an
 * environment it is refused: RUNTIME.
 *
 * Returns: (transfer full): a transform of id `burn-in`, which text cannot name, and which cannot
 *   be cloned
 */
REEL_API
ReelTransform *reel_burn_in_transform_new (ReelTransformFunc module, gpointer user_data,
                                           GDestroyNotify destroy, gint64 burn_in,
                                           const char *const *out_keys, GError **error);

G_END_DECLS
