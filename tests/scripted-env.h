/* Envs whose ends are told beforehand: what lanes observe says which step it is, and nothing else
 * happens. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Ids `Scripted-v0`; `ScriptedNext-v0` and `ScriptedSame-v0`, which reset themselves in the next
 * step, or the same, where they end. Observes int64 [2]: the number of the episode, the step in it.
 * The reward is how many steps the lane did. Any action does. */
void scripted_envs_init (void);

/* In step k of a lane, counted from when it was seeded, bit k of its word says that it terminates;
 * of the second word, which is for those that reset themselves, that it is truncated. */
void scripted_env_tell (ReelEnv *env, gint64 lane, guint32 terminated, guint32 truncated);

G_END_DECLS
