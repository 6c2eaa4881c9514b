/* Envs that show the lanes of others. */
#include "env-private.h"

void
reel_env_take_parts (ReelEnv *self, ReelEnv *const *envs, guint n)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);
  gint64 first = 0;

  priv->parts = g_new (ReelEnvPart, n);
  priv->n_parts = n;
  for (guint i = 0; i < n; i++)
    {
      gint64 after = first + reel_env_get_num_envs (envs[i]);

      priv->parts[i] = (ReelEnvPart){ envs[i], first, after };
      first = after;
    }
  priv->num_envs = first;
}

const ReelEnvPart *
reel_env_find_part (ReelEnv *self, gint64 lane)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  guint low = 0, high = priv->n_parts;

  if (high == 0)
    return NULL;
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (priv->parts[middle].first <= lane)
        low = middle;
      else
        high = middle;
    }
  return &priv->parts[low];
}

/* ---- answers of the parts ---- */

gint64
reel_env_get_elapsed (ReelEnv *self, gint64 lane)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  g_return_val_if_fail (0 <= lane && lane < reel_env_get_private (self)->num_envs, 0);

  const ReelEnvPart *part = reel_env_find_part (self, lane);

  return part != NULL ? reel_env_get_elapsed (part->env, lane - part->first)
                      : reel_lane_clocks_get (&reel_env_get_private (self)->clocks, lane);
}

const char *
reel_env_get_source (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  const ReelEnvPrivate *priv = reel_env_get_private (self);

  return priv->n_parts == 1 ? reel_env_get_source (priv->parts->env)
                            : REEL_ENV_GET_CLASS (self)->source;
}

gint64
reel_env_get_lane_multiple (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 1);

  const ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->lane_multiple > 0)
    return priv->lane_multiple;
  if (priv->n_parts > 0)
    return reel_env_get_lane_multiple (priv->parts->env);
  return priv->pixels != NULL ? 1 : REEL_ENV_GET_CLASS (self)->lane_multiple;
}

gboolean
reel_env_joins_lanes (ReelEnv *self)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);

  for (guint i = 0; i < priv->n_parts; i++)
    if (reel_env_joins_lanes (priv->parts[i].env))
      return TRUE;
  return priv->n_parts <= 1 && priv->lane_multiple > 1;
}
