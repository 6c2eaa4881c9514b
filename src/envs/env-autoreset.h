/* Simulators that reset themselves, made into what an env promises. Private. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/**
 * ReelEnvAutoreset:
 *
 * The state between the last step of an episode that ended by itself and the reset that follows:
 * the first observation of the next one, or the step that gives it. Different threads may use
 * different lanes.
 */
typedef struct _ReelEnvAutoreset ReelEnvAutoreset;

/**
 * reel_env_autoreset_new:
 * @env: an env whose class resets itself, and that has taken its specs
 * @error: NO_SPACE
 *
 * Returns: (transfer full): nothing waits
 */
ReelEnvAutoreset *reel_env_autoreset_new (ReelEnv *env, GError **error);

/**
 * reel_env_autoreset_free:
 * @self: (transfer full): what waits
 */
void reel_env_autoreset_free (ReelEnvAutoreset *self);

/**
 * reel_env_autoreset_forget:
 * @self: what waits
 * @begin: first lane
 * @end: one past the last
 *
 * Nothing waits any more in these lanes.
 */
void reel_env_autoreset_forget (ReelEnvAutoreset *self, gint64 begin, gint64 end);

/**
 * reel_env_autoreset_begin:
 * @self: what waits
 * @begin: first lane
 * @end: one past the last
 * @io: a step that the class is about to do in these lanes
 *
 * Clears what the class need not set.
 */
void reel_env_autoreset_begin (ReelEnvAutoreset *self, gint64 begin, gint64 end,
                               const ReelEnvIO *io);

/**
 * reel_env_autoreset_look:
 * @self: what waits
 * @begin: first lane
 * @end: one past the last
 * @io: the step, as the class left it
 *
 * Remembers which lanes ended by themselves, before the base sets flags of its own.
 */
void reel_env_autoreset_look (ReelEnvAutoreset *self, gint64 begin, gint64 end,
                              const ReelEnvIO *io);

/**
 * reel_env_autoreset_end:
 * @self: what waits
 * @begin: first lane
 * @end: one past the last
 * @io: the step, whose flags and carried observation the base has set
 *
 * Returns: how many lanes are done
 */
gint64 reel_env_autoreset_end (ReelEnvAutoreset *self, gint64 begin, gint64 end,
                               const ReelEnvIO *io);

/**
 * reel_env_autoreset_reset:
 * @self: what waits
 * @env: its env
 * @lanes: (inout) (array length=n): lanes to reset; those that are left to the class come first
 * @n: how many
 * @observation: (array): where first observations go
 *
 * Returns: how many are left to the class
 */
gsize reel_env_autoreset_reset (ReelEnvAutoreset *self, ReelEnv *env, gint64 *lanes, gsize n,
                                guint8 *const *observation);

/**
 * reel_env_autoreset_state_size:
 * @self: what waits
 *
 * Returns: bytes of it in the state of a lane
 */
gsize reel_env_autoreset_state_size (const ReelEnvAutoreset *self);

/**
 * reel_env_autoreset_get_state:
 * @self: what waits
 * @lane: a lane
 * @state: (out caller-allocates): what waits there
 *
 * Returns: bytes written
 */
gsize reel_env_autoreset_get_state (const ReelEnvAutoreset *self, gint64 lane, guint8 *state);

/**
 * reel_env_autoreset_set_state:
 * @self: what waits
 * @lane: a lane
 * @state: what reel_env_autoreset_get_state() wrote
 *
 * Returns: bytes read
 */
gsize reel_env_autoreset_set_state (ReelEnvAutoreset *self, gint64 lane, const guint8 *state);

G_END_DECLS
