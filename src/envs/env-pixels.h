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
 * reel_env_pixels_new:
 * @width: pixels
 * @height: pixels
 *
 * Returns: (transfer full): pictures beside the observation
 */
ReelEnvPixels *reel_env_pixels_new (gint64 width, gint64 height);

/**
 * reel_env_pixels_hide:
 * @self: pictures
 * @row_bytes: (array length=n): bytes of one lane in each leaf of the observation
 * @n: how many leaves
 * @lanes: lanes of the env
 * @error: NO_SPACE
 *
 * Makes them stand instead of the observation.
 */
gboolean reel_env_pixels_hide (ReelEnvPixels *self, const gsize *row_bytes, gsize n, gint64 lanes,
                               GError **error);

/**
 * reel_env_pixels_extend_spec:
 * @self: pictures
 * @observation: what the env observes
 * @error: whatever specs say
 *
 * Returns: (transfer full): what is seen of it with the pictures
 */
ReelSpec *reel_env_pixels_extend_spec (const ReelEnvPixels *self, const ReelSpec *observation,
                                       GError **error);

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
 * reel_env_pixels_free:
 * @self: (transfer full): pictures
 */
void reel_env_pixels_free (ReelEnvPixels *self);

G_END_DECLS
