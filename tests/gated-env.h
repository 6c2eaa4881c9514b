/* An env whose lanes wait in their steps until they are let through: a slow simulator that is as
 * slow as a test says. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* The most lanes. */
#define GATED_LANES 64

/* gated_env_init: registers the id `Gated-v0`, and shuts no gate. */
void gated_env_init (void);

/* gated_env_shut: from now on each step of @lane, in any process, waits to be let through. */
void gated_env_shut (gint64 lane);

/* gated_env_let_through: one step of @lane, at work or to come. */
void gated_env_let_through (gint64 lane);

/* gated_env_open: all steps of all lanes. */
void gated_env_open (void);

/* Id `Gated-v0`: observes `count` int64 [1], the steps of the episode; its reward is the action,
 * int64 of 3, and its episodes end after 3 + lane steps. */
#define REEL_TYPE_GATED_ENV (reel_gated_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelGatedEnv, reel_gated_env, REEL, GATED_ENV, ReelEnv)

G_END_DECLS
