#include "env-pixels.h"

#include "../core/memory.h"
#include "../specs/spec-keys.h"

/* Leaves begin at lines of the cache. */
#define LINE 64

ReelEnvPixels *
reel_env_pixels_new (gint64 width, gint64 height)
{
  ReelEnvPixels *self = g_new0 (ReelEnvPixels, 1);

  self->width = width;
  self->height = height;
  self->frame_bytes = (gsize) (width * height * 3);
  return self;
}

gboolean
reel_env_pixels_hide (ReelEnvPixels *self, const gsize *row_bytes, gsize n, gint64 lanes,
                      GError **error)
{
  gsize total = 0;

  self->hidden = g_new0 (guint8 *, n + 1);
  for (gsize i = 0; i < n; i++)
    total += (row_bytes[i] * (gsize) lanes + LINE - 1) / LINE * LINE;
  self->memory = reel_memory_new (total, error);
  if (self->memory == NULL)
    return FALSE;

  guint8 *at = reel_memory_get_data (self->memory, NULL);

  for (gsize i = 0; i < n; i++)
    {
      self->hidden[i] = at;
      at += (row_bytes[i] * (gsize) lanes + LINE - 1) / LINE * LINE;
    }
  return TRUE;
}

ReelSpec *
reel_env_pixels_extend_spec (const ReelEnvPixels *self, const ReelSpec *observation, GError **error)
{
  const char *const keys[] = { "pixels" };
  const gint64 shape[] = { self->height, self->width, 3 };
  g_autoptr (ReelSpec) frame = reel_unbounded_spec_new (REEL_DTYPE_UINT8, 3, shape, error);

  if (frame == NULL)
    return NULL;

  g_autoptr (ReelSpec) seen = reel_composite_spec_new (0, NULL, keys, &frame, 1, error);

  if (seen == NULL || self->hidden != NULL)
    return g_steal_pointer (&seen);
  return reel_spec_update (seen, observation, error);
}

void
reel_env_pixels_draw (const ReelEnvPixels *self, ReelEnv *env, gint64 lane, guint8 *frames)
{
  REEL_ENV_GET_CLASS (env)->render (env, lane, self->width, self->height,
                                    frames + (gsize) lane * self->frame_bytes);
}

void
reel_env_pixels_free (ReelEnvPixels *self)
{
  g_clear_pointer (&self->memory, reel_memory_unref);
  g_free (self->hidden);
  g_free (self);
}
