/* Whether an env is what it says it is: TorchRL's `check_env_specs`, and the rest of what env.h
 * asks of a class. */
#pragma once

#include "env-step.h"

G_BEGIN_DECLS

/**
 * reel_env_check:
 * @self: an env; it is seeded and stepped, and must be seeded or reset before it is used again
 * @error: ASSERTION naming the leaf, the lane, the step and what was found; what the env says of
 *   itself
 *
 * For who writes an env of their own: plays it with random actions, some steps at a time, and holds
 * that
 *
 * - rollouts have the keys, types and shapes of the specs, and every value is inside;
 * - the same seed and actions give the same bytes, and every byte of every leaf is written;
 * - ranges of single lanes give the bytes of all lanes at once;
 * - what reel_env_get_state() gave brings every lane back to the bit.
 *
 * More lanes see more: few see nothing of neighbours.
 *
 * Source: of the first, torchrl.envs.check_env_specs.
 *
 * Returns: whether all of it holds
 */
REEL_API
gboolean reel_env_check (ReelEnv *self, GError **error);

G_END_DECLS
