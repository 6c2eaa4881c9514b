/* `Twin-v0`, for tests of what must not depend on how many leaves an env has. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

#define REEL_TYPE_TWIN_ENV (reel_twin_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelTwinEnv, reel_twin_env, REEL, TWIN_ENV, ReelEnv)

G_END_DECLS
