/* Environments side by side. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/**
 * ReelSerialEnv:
 *
 * Envs of one kind or several, whose lanes follow one another as the lanes of one batch, as by
 * TorchRL's `SerialEnv`: other numbers of the physics, other limits, other transforms. In text it
 * is `serial:envs=['CartPole','CartPole:max-episode-steps=20']`. Those that do not set `num-envs`
 * share what the whole has of it; `seed` counts lanes on, so that a lane's bytes are those of the
 * same lane of one env. Threads of a collector step it like any.
 *
 * Where their specs differ in more than the bounds of observations, the lanes are unlike:
 * reel_env_is_mixed().
 *
 * Ids: `serial` (`SerialEnv`).
 */
#define REEL_TYPE_SERIAL_ENV (reel_serial_env_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelSerialEnv, reel_serial_env, REEL, SERIAL_ENV, ReelEnv)

/**
 * reel_serial_env_new:
 * @envs: (array length=n): (transfer none): envs, which are stepped through the result alone from
 *   now on; their lanes are seeded anew, from 0 on
 * @n: how many, at least 1
 * @error: NO_SPACE
 *
 * Returns: (transfer full): their lanes as one batch, not reset yet
 */
REEL_API
ReelEnv *reel_serial_env_new (ReelEnv *const *envs, guint n, GError **error);

/**
 * reel_serial_env_get_n_envs:
 * @self: envs side by side
 *
 * Returns: how many
 */
REEL_API
guint reel_serial_env_get_n_envs (ReelSerialEnv *self);

/**
 * reel_serial_env_get_env:
 * @self: envs side by side
 * @i: which, below reel_serial_env_get_n_envs()
 * @first: (out) (optional): its first lane in the batch
 *
 * Returns: (transfer none): that env
 */
REEL_API
ReelEnv *reel_serial_env_get_env (ReelSerialEnv *self, guint i, gint64 *first);

G_END_DECLS
