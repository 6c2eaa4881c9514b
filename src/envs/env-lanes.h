/* Resets of lanes that are listed already. Private. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/**
 * reel_env_reset_listed:
 * @self: an env
 * @lanes: (inout) (array length=n): which lanes, each once; in another order afterwards, perhaps
 * @n: how many
 * @observation: (array): as in #ReelEnvIO; written for these lanes
 *
 * As reel_env_reset_lanes(). Any thread, for different lanes.
 */
void reel_env_reset_listed (ReelEnv *self, gint64 *lanes, gsize n, guint8 *const *observation);

G_END_DECLS
