/* Envs and tensordicts for tests of the interface that takes these. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* An env, which must be one. */
ReelEnv *env_steps_open (const char *text);

/* A column of one number a lane, as an int64. */
gint64 env_steps_number (const ReelTensordict *td, const char *path, gint64 i);

/* Asserts that the leaf holds these numbers, in row-major order of its memory. */
void env_steps_assert (const ReelTensordict *td, const char *path, gsize n, const gint64 *numbers);

#define ASSERT_NUMBERS(td, path, ...)                                                              \
  env_steps_assert (td, path, G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), (gint64[]){ __VA_ARGS__ })

/* Sets a bool column of the batch size, [1] more. */
void env_steps_set_flags (ReelTensordict *td, const char *path, gsize n, const guint8 *flags);

/* Sets every element of the action leaf `path` to a number; `like` has the leaf. */
void env_steps_set_action (ReelEnv *env, ReelTensordict *td, double value);

/* Resets everything. */
ReelTensordict *env_steps_reset (ReelEnv *env);

/* Steps, which must succeed. */
void env_steps_step (ReelEnv *env, ReelTensordict *td);

/* Every action is 1. */
ReelTensordict *env_steps_act_one (ReelTensordict *td, gpointer env, GError **error);

G_END_DECLS
