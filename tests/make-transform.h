/* Transforms by their text, and data to put through them. */
#pragma once

#include "../src/reel.h"

/* The transform of @text, which must not fail. */
gpointer make_transform (const char *text);

/* @text makes no transform, and the error has this code and message. */
void refuse_transform (const char *text, gint code, const char *message);

/* A call that must not fail. */
ReelTensordict *forward (ReelTransform *transform, ReelTensordict *td);
ReelTensordict *inverse (ReelTransform *transform, ReelTensordict *td);

/* Sets elements that count up from 0; of flags every fifth is True. */
void set_leaf (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim,
               const gint64 *shape);

/* [4, 8], 8 steps of 4 lanes: a, b, observation, pixels, act, reward, done, and next. */
ReelTensordict *make_steps (void);

/* The specs of an env with such steps, of one lane. */
ReelSpec *make_env_spec (void);
