#include <string.h>

#include "../core/tensor/memory.h"
#include "../specs/spec-keys.h"
#include "env-private.h"

/* Leaves begin at lines of the cache. */
#define LINE 64

static ReelEnvPixels *
new_pixels (gint64 width, gint64 height)
{
  ReelEnvPixels *self = g_new0 (ReelEnvPixels, 1);

  self->width = width;
  self->height = height;
  self->frame_bytes = (gsize) (width * height * 3);
  return self;
}

/* Bytes that all lanes of a leaf of the observation take. */
static gsize
leaf_bytes (const ReelEnvPrivate *priv, gsize i)
{
  return (priv->observation_row[i] * (gsize) priv->num_envs + LINE - 1) / LINE * LINE;
}

/* The class observes into memory that nobody reads. */
static gboolean
hide_the_rest (ReelEnvPixels *self, const ReelEnvPrivate *priv, GError **error)
{
  gsize total = 0;

  self->hidden = g_new0 (guint8 *, priv->n_observations + 1);
  for (gsize i = 0; i < priv->n_observations; i++)
    total += leaf_bytes (priv, i);
  self->memory = reel_memory_new (total, error);
  if (self->memory == NULL)
    return FALSE;

  guint8 *at = reel_memory_get_data (self->memory, NULL);

  for (gsize i = 0; i < priv->n_observations; i++)
    {
      self->hidden[i] = at;
      at += leaf_bytes (priv, i);
    }
  return TRUE;
}

/* The part of @observation that remains with pictures. */
static ReelSpec *
extend_spec (const ReelEnvPixels *self, const ReelSpec *observation, GError **error)
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

static gboolean
refuse (ReelEnv *self, ReelError code, const char *why, GError **error)
{
  g_set_error (error, REEL_ERROR, (gint) code, "%s%s", reel_object_get_id (REEL_OBJECT (self)),
               why);
  return FALSE;
}

gboolean
reel_env_add_pixels (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);
  gint64 width, height;

  if (!priv->from_pixels)
    return (!priv->pixels_only && priv->width == 0 && priv->height == 0)
           || refuse (self, REEL_ERROR_VALUE,
                      ": pixels-only, width and height speak of pixels; add from-pixels=true",
                      error);
  if (!reel_env_get_frame (self, &width, &height, NULL))
    return refuse (self, REEL_ERROR_NOT_IMPLEMENTED, " has no pictures; leave from-pixels out",
                   error);
  if (priv->autoreset != NULL)
    return refuse (self, REEL_ERROR_NOT_IMPLEMENTED,
                   " resets itself, so its last pictures are lost; leave from-pixels out", error);
  if (!reel_env_prepare_frames (self, width, height, error))
    return FALSE;
  priv->pixels = new_pixels (width, height);
  if (priv->pixels_only && !hide_the_rest (priv->pixels, priv, error))
    return FALSE;

  g_autoptr (ReelSpec) own = priv->observation_spec;

  priv->observation_spec = extend_spec (priv->pixels, own, error);
  return priv->observation_spec != NULL;
}

void
reel_env_pixels_draw (const ReelEnvPixels *self, ReelEnv *env, gint64 lane, guint8 *frames)
{
  REEL_ENV_GET_CLASS (env)->render (env, lane, self->width, self->height,
                                    frames + (gsize) lane * self->frame_bytes);
}

ReelEnvIO
reel_env_pixels_leave_out (const ReelEnvPixels *self, const ReelEnvIO *io)
{
  ReelEnvIO inner = *io;

  inner.observation = reel_env_pixels_rest (self, io->observation);
  inner.carry = self->hidden != NULL || io->carry == NULL ? NULL : io->carry + 1;
  return inner;
}

void
reel_env_pixels_draw_step (const ReelEnvPixels *self, ReelEnv *env, gint64 begin, gint64 end,
                           const ReelEnvIO *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      gsize at = (gsize) lane * self->frame_bytes;

      reel_env_pixels_draw (self, env, lane, io->observation[0]);
      if (io->carry != NULL)
        memcpy (io->carry[0] + at, io->observation[0] + at, self->frame_bytes);
    }
}

void
reel_env_pixels_free (ReelEnvPixels *self)
{
  g_clear_pointer (&self->memory, reel_memory_unref);
  g_free (self->hidden);
  g_free (self);
}
