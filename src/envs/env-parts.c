/* Envs that show the lanes of others. */
#include <stdatomic.h>
#include <string.h>

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

/* ---- lanes and states of parts ---- */

void
reel_env_seed_part_lane (ReelEnv *self, gint64 lane, const guint32 *words, gsize n_words)
{
  const ReelEnvPart *part = reel_env_find_part (self, lane);

  reel_env_seed_lane (part->env, lane - part->first, words, n_words);
}

gsize
reel_env_get_part_state_size (ReelEnv *self)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  gsize most = 0;

  for (guint i = 0; i < priv->n_parts; i++)
    most = MAX (most, reel_env_get_state_size (priv->parts[i].env));
  return most;
}

void
reel_env_get_part_state (ReelEnv *self, gint64 lane, gpointer state)
{
  const ReelEnvPart *part = reel_env_find_part (self, lane);

  memset (state, 0, reel_env_get_part_state_size (self));
  reel_env_get_state (part->env, lane - part->first, state);
}

void
reel_env_set_part_state (ReelEnv *self, gint64 lane, gconstpointer state)
{
  const ReelEnvPart *part = reel_env_find_part (self, lane);

  reel_env_set_state (part->env, lane - part->first, state);
}

/* ---- making them from text ---- */

static void
share_number (GPtrArray *pairs, const char *name, gint64 *value)
{
  if (*value == 0)
    return;
  g_ptr_array_add (pairs, g_strdup (name));
  g_ptr_array_add (pairs, g_strdup_printf ("%" G_GINT64_FORMAT, *value));
  *value = 0;
}

static void
share_flag (GPtrArray *pairs, const char *name, gboolean *value)
{
  if (!*value)
    return;
  g_ptr_array_add (pairs, g_strdup (name));
  g_ptr_array_add (pairs, g_strdup ("true"));
  *value = FALSE;
}

GPtrArray *
reel_env_share_properties (ReelEnv *self)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);
  GPtrArray *pairs = g_ptr_array_new_with_free_func (g_free);

  share_number (pairs, "max-episode-steps", &priv->max_episode_steps);
  share_flag (pairs, "from-pixels", &priv->from_pixels);
  share_flag (pairs, "pixels-only", &priv->pixels_only);
  share_number (pairs, "width", &priv->width);
  share_number (pairs, "height", &priv->height);
  if (priv->action_encoding == REEL_ACTION_CATEGORICAL)
    {
      g_ptr_array_add (pairs, g_strdup ("action-encoding"));
      g_ptr_array_add (pairs, g_strdup ("categorical"));
      priv->action_encoding = REEL_ACTION_ONE_HOT;
    }
  return pairs;
}

ReelEnv *
reel_env_new_part (const char *text, gint64 n_lanes, const GPtrArray *pairs, GError **error)
{
  g_autofree char *lanes = g_strdup_printf ("%" G_GINT64_FORMAT, n_lanes);
  g_autofree char *full = reel_object_text_with_default (text, "num-envs", lanes);

  for (guint i = 0; i < pairs->len; i += 2)
    {
      char *more = reel_object_text_with_default (full, pairs->pdata[i], pairs->pdata[i + 1]);

      g_free (full);
      full = more;
    }
  return reel_object_new_from_text (REEL_TYPE_ENV, full, error, NULL);
}

gboolean
reel_env_take_part_specs (ReelEnv *self, ReelEnv *part, GError **error)
{
  const ReelEnvResults *results = &reel_env_get_private (part)->results;

  for (gsize i = 0; i < reel_env_get_n_groups (part); i++)
    {
      gint64 n_agents;
      const char *key = reel_env_get_group (part, i, &n_agents);

      reel_env_add_group (self, key, n_agents);
    }
  reel_env_take_specs (self, reel_spec_ref (reel_env_get_observation_spec (part)),
                       reel_spec_ref (reel_env_get_action_spec (part)));
  if (reel_env_get_private (part)->states.keys != NULL)
    reel_env_take_state (self, (const char *const *) reel_env_get_private (part)->states.keys);
  return reel_env_take_results (self, reel_spec_ref (results->reward),
                                reel_spec_ref (results->done), error);
}

/* ---- answers of the parts ---- */

gint64
reel_env_get_elapsed (ReelEnv *self, gint64 lane)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  g_return_val_if_fail (0 <= lane && lane < reel_env_get_private (self)->num_envs, 0);

  const ReelEnvPart *part = reel_env_find_part (self, lane);
  const gint64 *elapsed = reel_env_get_private (self)->elapsed;

  if (elapsed != NULL)
    return elapsed[lane];
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

gint64
reel_env_get_reset_most (ReelEnv *self)
{
  return reel_env_joins_lanes (self) ? reel_env_get_num_envs (self) : REEL_ENV_RESET_CHUNK;
}

gboolean
reel_env_outlasts_episodes (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelEnvPrivate *priv = reel_env_get_private (self);

  for (guint i = 0; i < priv->n_parts; i++)
    if (reel_env_outlasts_episodes (priv->parts[i].env))
      return TRUE;
  return priv->unrepeated != NULL;
}

gboolean
reel_env_repeats (ReelEnv *self, const char *path)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->unrepeated != NULL)
    return !g_strv_contains ((const char *const *) priv->unrepeated, path);
  for (guint i = 0; i < priv->n_parts; i++)
    if (!reel_env_repeats (priv->parts[i].env, path))
      return FALSE;
  return TRUE;
}

gint64
reel_env_get_n_restarts (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  ReelEnvPrivate *priv = reel_env_get_private (self);
  gint64 n = atomic_load (&priv->n_restarts);

  for (guint i = 0; i < priv->n_parts; i++)
    n += reel_env_get_n_restarts (priv->parts[i].env);
  return n;
}

gint64
reel_env_count_sent (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  const ReelEnvPrivate *priv = reel_env_get_private (self);
  gint64 n = priv->n_sent;

  for (guint i = 0; i < priv->n_parts; i++)
    n += reel_env_count_sent (priv->parts[i].env);
  return n;
}

const char *
reel_env_find_fork_obstacle (ReelEnv *self, gboolean tears)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  const char *found = NULL;

  if (!reel_env_has_state (self))
    return "the state of its lanes cannot be copied, as where a program simulates them already";
  if (tears && reel_env_outlasts_episodes (self) && reel_env_joins_lanes (self))
    return "its lanes share the state of a transform, such as the statistics of vec-norm, which "
           "serves behind the workers: 'parallel:ENV,kind=processes|vec-norm'";
  if (priv->elapsed != NULL)
    return "its lanes are in worker processes already";
  if (priv->pixels != NULL && REEL_ENV_GET_CLASS (self)->prepare_frames != NULL)
    return "OpenGL draws its pictures, which works in one process alone";
  for (guint i = 0; i < priv->n_parts && found == NULL; i++)
    found = reel_env_find_fork_obstacle (priv->parts[i].env, tears);
  return found;
}
