/* The memory of lanes, and their states. */
#include <string.h>

#include "../core/tensor/memory.h"
#include "env-private.h"

/* ---- lanes that the base keeps ---- */

gboolean
reel_env_make_lanes (ReelEnv *self, gsize bytes, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  ReelEnvPrivate *priv = reel_env_get_private (self);
  gsize all;

  g_return_val_if_fail (priv->lanes == NULL, FALSE);

  if (!g_size_checked_mul (&all, (gsize) priv->num_envs, bytes))
    all = G_MAXSIZE;
  priv->lane_bytes = bytes;
  priv->lane_memory = reel_memory_new (all, error);
  if (priv->lane_memory == NULL)
    return FALSE;
  priv->lanes = reel_memory_get_data (priv->lane_memory, NULL);
  return TRUE;
}

gpointer
reel_env_get_lane (ReelEnv *self, gint64 lane)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  return priv->lanes + (gsize) lane * priv->lane_bytes;
}

static gsize
lane_size (ReelEnv *self)
{
  return reel_env_get_private (self)->lane_bytes;
}

static void
get_lane_state (ReelEnv *self, gint64 lane, gpointer state)
{
  memcpy (state, reel_env_get_lane (self, lane), reel_env_get_private (self)->lane_bytes);
}

static void
set_lane_state (ReelEnv *self, gint64 lane, gconstpointer state)
{
  memcpy (reel_env_get_lane (self, lane), state, reel_env_get_private (self)->lane_bytes);
}

void
reel_env_use_own_lanes (ReelEnvClass *klass)
{
  klass->state_size = lane_size;
  klass->get_state = get_lane_state;
  klass->set_state = set_lane_state;
}

/* ---- the state of a lane: the steps of its episode, what waits of the next one, then what the
 * class keeps; an env that shows others has the states of these alone ---- */

gboolean
reel_env_has_state (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelEnvPrivate *priv = reel_env_get_private (self);

  for (guint i = 0; i < priv->n_parts; i++)
    if (!reel_env_has_state (priv->parts[i].env))
      return FALSE;
  return REEL_ENV_GET_CLASS (self)->state_size != NULL;
}

gsize
reel_env_get_state_size (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  if (!reel_env_has_state (self))
    return 0;

  const ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->mixed != NULL)
    return reel_env_get_part_state_size (self);

  gsize waiting = priv->autoreset != NULL ? reel_env_autoreset_state_size (priv->autoreset) : 0;

  return (priv->n_parts > 0 ? 0 : sizeof (gint64)) + waiting
         + REEL_ENV_GET_CLASS (self)->state_size (self);
}

void
reel_env_get_state (ReelEnv *self, gint64 lane, gpointer state)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = reel_env_get_private (self);

  g_return_if_fail (0 <= lane && lane < priv->num_envs && state != NULL);
  g_return_if_fail (reel_env_has_state (self));

  if (priv->mixed != NULL)
    {
      reel_env_get_part_state (self, lane, state);
      return;
    }

  gint64 elapsed = reel_lane_clocks_get (&priv->clocks, lane);
  guint8 *at = state;

  if (priv->n_parts == 0)
    at = (guint8 *) memcpy (at, &elapsed, sizeof elapsed) + sizeof elapsed;
  if (priv->autoreset != NULL)
    at += reel_env_autoreset_get_state (priv->autoreset, lane, at);
  REEL_ENV_GET_CLASS (self)->get_state (self, lane, at);
}

void
reel_env_set_state (ReelEnv *self, gint64 lane, gconstpointer state)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = reel_env_get_private (self);

  g_return_if_fail (0 <= lane && lane < priv->num_envs && state != NULL);
  g_return_if_fail (reel_env_has_state (self));

  if (priv->mixed != NULL)
    {
      reel_env_set_part_state (self, lane, state);
      return;
    }

  const guint8 *at = state;
  gint64 elapsed;

  if (priv->n_parts == 0)
    {
      memcpy (&elapsed, at, sizeof elapsed);
      reel_lane_clocks_set (&priv->clocks, lane, elapsed);
      at += sizeof elapsed;
    }
  if (priv->autoreset != NULL)
    at += reel_env_autoreset_set_state (priv->autoreset, lane, at);
  REEL_ENV_GET_CLASS (self)->set_state (self, lane, at);
}
