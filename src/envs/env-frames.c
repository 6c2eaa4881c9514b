/* Frames of lanes on request. */
#include "env-private.h"

void
reel_env_take_frame_rate (ReelEnv *self, gint rate)
{
  reel_env_get_private (self)->frame_rate = rate;
}

gboolean
reel_env_get_frame (ReelEnv *self, gint64 *width, gint64 *height, gint *rate)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelEnvPrivate *priv = reel_env_get_private (self);
  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  for (guint i = priv->n_parts; i-- > 0;)
    if (!reel_env_get_frame (priv->parts[i].env, width, height, rate))
      return FALSE;
  if (priv->n_parts > 0)
    return TRUE;
  if (klass->frame_width == 0)
    return FALSE;
  *width = priv->width > 0 ? priv->width : klass->frame_width;
  *height = priv->height > 0 ? priv->height : klass->frame_height;
  if (rate != NULL)
    *rate = priv->frame_rate > 0 ? priv->frame_rate : klass->frame_rate;
  return TRUE;
}

gboolean
reel_env_prepare_frames (ReelEnv *self, gint64 width, gint64 height, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);
  const ReelEnvPrivate *priv = reel_env_get_private (self);

  for (guint i = 0; i < priv->n_parts; i++)
    if (!reel_env_prepare_frames (priv->parts[i].env, width, height, error))
      return FALSE;
  g_return_val_if_fail (priv->n_parts > 0 || klass->frame_width > 0, FALSE);
  return priv->mixed != NULL || klass->prepare_frames == NULL
         || klass->prepare_frames (self, width, height, error);
}

void
reel_env_render_lane (ReelEnv *self, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  g_return_if_fail (REEL_IS_ENV (self));

  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);
  const ReelEnvPart *part = reel_env_find_part (self, lane);

  if (part != NULL && (klass->render == NULL || reel_env_is_mixed (self)))
    {
      reel_env_render_lane (part->env, lane - part->first, width, height, pixels);
      return;
    }
  g_return_if_fail (klass->render != NULL && pixels != NULL);
  g_return_if_fail (0 <= lane && lane < reel_env_get_private (self)->num_envs);
  g_return_if_fail (0 < width && width <= REEL_ENV_FRAME_MOST);
  g_return_if_fail (0 < height && height <= REEL_ENV_FRAME_MOST);
  klass->render (self, lane, width, height, pixels);
}

gboolean
reel_env_show_observation (ReelEnv *self, gint64 lane, const guint8 *const *observation,
                           GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);
  g_return_val_if_fail (0 <= lane && lane < reel_env_get_private (self)->num_envs, FALSE);

  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  if (klass->show == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "an observation of %s does not determine its picture",
                   reel_object_get_id (REEL_OBJECT (self)));
      return FALSE;
    }
  klass->show (self, lane, observation);
  return TRUE;
}
