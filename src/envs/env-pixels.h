/* Pictures among the observations of an env: TorchRL's `from_pixels`. Private. */
#pragma once

#include "env.h"

G_BEGIN_DECLS

/**
 * ReelEnvPixels:
 * @width: pixels
 * @height: pixels
 * @frame_bytes: height × width × 3
 * @hidden: (nullable) (array): where the rest of the observation goes when nothing but pixels is
 *   wanted, one pointer a leaf, each to all lanes
 * @memory: (nullable): what @hidden points into
 *
 * The leaf `pixels` is the first of the observation; the others follow, unless they are hidden.
 */
typedef struct
{
  gint64 width, height;
  gsize frame_bytes;
  guint8 **hidden;
  ReelMemory *memory;
} ReelEnvPixels;

/**
 * reel_env_pixels_rest:
 * @self: pictures
 * @observation: (array): by leaf, the pixels first
 *
 * Returns: (transfer none): where the leaves that are not pixels are written
 */
static inline guint8 *const *
reel_env_pixels_rest (const ReelEnvPixels *self, guint8 *const *observation)
{
  return self->hidden ? self->hidden : observation + 1;
}

/**
 * reel_env_pixels_draw:
 * @self: pictures
 * @env: their env
 * @lane: a lane
 * @frames: frames of all lanes
 *
 * Draws one of them. Any thread, for disjoint lanes.
 */
void reel_env_pixels_draw (const ReelEnvPixels *self, ReelEnv *env, gint64 lane, guint8 *frames);

/**
 * reel_env_pixels_leave_out:
 * @self: pictures
 * @io: a step with pictures
 *
 * Returns: it as the class sees it: without them, and without what nobody asked for
 */
ReelEnvIO reel_env_pixels_leave_out (const ReelEnvPixels *self, const ReelEnvIO *io);

/**
 * reel_env_pixels_draw_step:
 * @self: pictures
 * @env: their env
 * @begin: first lane
 * @end: one past the last
 * @io: a step that these lanes took
 *
 * Draws what each of them looks like now. Any thread, for disjoint lanes.
 */
void reel_env_pixels_draw_step (const ReelEnvPixels *self, ReelEnv *env, gint64 begin, gint64 end,
                                const ReelEnvIO *io);

/**
 * reel_env_pixels_free:
 * @self: (transfer full): pictures
 */
void reel_env_pixels_free (ReelEnvPixels *self);

G_END_DECLS
