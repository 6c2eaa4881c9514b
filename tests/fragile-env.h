/* An env that fails at one lane and step, as it is told. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* Where it fails. */
typedef enum
{
  FRAGILE_NOWHERE,
  FRAGILE_ABORT,
  FRAGILE_EXIT,
  FRAGILE_HANG,
  FRAGILE_REPORT,      /* a fault of the lane */
  FRAGILE_ABORT_RESET, /* in the reset that begins the episode of that number */
} FragileHow;

/* fragile_env_break: from now on, in this process and those that it forks. */
void fragile_env_break (FragileHow how, gint64 lane, gint64 step);

/* Id `Fragile-v0`: observes `count` int64 [1], the steps of the episode, and `place` float32 [2]:
 * its seed, and the number of the episode. Its episodes end after 7 steps and more, by lane. */
#define REEL_TYPE_FRAGILE_ENV (reel_fragile_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelFragileEnv, reel_fragile_env, REEL, FRAGILE_ENV, ReelEnv)

G_END_DECLS
