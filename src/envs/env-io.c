/* The specs of an env and its groups of agents. */
#include "env-private.h"

/* ---- making them ---- */

void
reel_env_take_specs (ReelEnv *self, ReelSpec *observation, ReelSpec *action)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  priv->observation_spec = observation;
  priv->action_spec = action;
}

void
reel_env_add_group (ReelEnv *self, const char *key, gint64 n_agents)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (key != NULL && n_agents > 0);
  reel_env_groups_add (&reel_env_get_private (self)->groups, key, n_agents);
}

gboolean
reel_env_take_results (ReelEnv *self, ReelSpec *reward, ReelSpec *done, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  ReelEnvResults *results = &reel_env_get_private (self)->results;

  reel_env_results_clear (results);
  return reel_env_results_init (results, reward, done, error);
}

void
reel_env_take_state (ReelEnv *self, const char *const *keys)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (keys != NULL);

  ReelEnvStates *states = &reel_env_get_private (self)->states;

  g_strfreev (states->keys);
  states->keys = *keys ? g_strdupv ((char **) keys) : NULL;
}

static gboolean
make_reward_and_done_specs (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->results.done == NULL && !reel_env_take_results (self, NULL, NULL, error))
    return FALSE;
  priv->reward_spec = reel_spec_ref (priv->results.reward);
  priv->done_spec = reel_spec_ref (priv->results.done);
  return reel_env_groups_extend_specs (&priv->groups, &priv->reward_spec, &priv->done_spec, error);
}

static gboolean
measure_observation (ReelEnvPrivate *priv, GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (priv->observation_spec);

  priv->n_observations = g_strv_length (leaves);
  priv->observation_row = g_new (gsize, priv->n_observations);
  for (gsize i = 0; i < priv->n_observations; i++)
    {
      const ReelSpec *leaf = reel_spec_get (priv->observation_spec, leaves[i], error);
      gint ndim;

      if (leaf == NULL)
        return FALSE;

      const gint64 *shape = reel_spec_get_shape (leaf, &ndim);
      gsize size = reel_dtype_size (reel_spec_get_dtype (leaf));

      for (gint d = 0; d < ndim; d++)
        size *= (gsize) shape[d];
      priv->observation_row[i] = size;
    }
  return TRUE;
}

gboolean
reel_env_complete_specs (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->observation_spec == NULL || priv->action_spec == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "setup of %s gave no specs: it calls reel_env_take_specs()",
                   reel_object_get_id (REEL_OBJECT (self)));
      return FALSE;
    }
  return make_reward_and_done_specs (self, error) && measure_observation (priv, error);
}

/* ---- what it reads and writes ---- */

const char *const *
reel_env_get_observation_names (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  return REEL_ENV_GET_CLASS (self)->observation_names;
}

const ReelSpec *
reel_env_get_observation_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return reel_env_get_private (self)->observation_spec;
}

const ReelSpec *
reel_env_get_action_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return reel_env_get_private (self)->action_spec;
}

const ReelSpec *
reel_env_get_reward_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return reel_env_get_private (self)->reward_spec;
}

const ReelSpec *
reel_env_get_done_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return reel_env_get_private (self)->done_spec;
}

const ReelSpec *
reel_env_get_state_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return reel_env_get_private (self)->states.spec;
}

gsize
reel_env_get_n_groups (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  return reel_env_get_private (self)->groups.n;
}

const char *
reel_env_get_group (ReelEnv *self, gsize i, gint64 *n_agents)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  g_return_val_if_fail (i < reel_env_get_private (self)->groups.n, NULL);

  const ReelEnvGroup *group = &reel_env_get_private (self)->groups.list[i];

  *n_agents = group->n_agents;
  return group->key;
}
