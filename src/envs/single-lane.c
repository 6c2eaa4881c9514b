#include "single-lane.h"

#include <string.h>

#include "../specs/spec-keys.h"
#include "env-policy.h"
#include "env-private.h"
#include "transformed-env.h"

#include <string.h>

static gboolean
make_data (const ReelSpec *spec, ReelTensordict **values, guint8 ***data, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);

  *values = reel_spec_zero_tensordict (spec, 0, NULL, error);
  if (*values == NULL)
    return FALSE;
  *data = g_new0 (guint8 *, g_strv_length (paths) + 1);
  for (gsize i = 0; paths[i] != NULL; i++)
    {
      ReelTensor *value = reel_tensordict_get_tensor (*values, paths[i], error);

      if (value == NULL)
        return FALSE;
      (*data)[i] = value->data;
    }
  return TRUE;
}

static gboolean
make_values (const ReelSpec *spec, ReelTensordict **values, char ***paths, guint8 ***data,
             GError **error)
{
  *paths = reel_spec_list_leaves (spec);
  return make_data (spec, values, data, error);
}

static void
drop_policy (ReelSingleLane *self)
{
  g_clear_object (&self->policy);
  g_clear_pointer (&self->output, reel_tensordict_unref);
  g_clear_pointer (&self->state, reel_tensordict_unref);
  g_clear_pointer (&self->next_state, reel_tensordict_unref);
  g_clear_pointer (&self->output_data, g_free);
  g_clear_pointer (&self->state_data, g_free);
  g_clear_pointer (&self->next_state_data, g_free);
}

static void
make_groups (ReelSingleLane *self)
{
  gsize n = reel_env_get_n_groups (self->env);

  self->groups = n > 0 ? g_new0 (ReelEnvGroupStep, n) : NULL;
  for (gsize i = 0; i < n; i++)
    {
      gint64 n_agents;

      reel_env_get_group (self->env, i, &n_agents);
      self->groups[i] = (ReelEnvGroupStep){ .reward = g_new0 (float, n_agents),
                                            .terminated = g_new0 (guint8, n_agents),
                                            .truncated = g_new0 (guint8, n_agents),
                                            .done = g_new0 (guint8, n_agents) };
    }
}

static void
free_groups (ReelSingleLane *self)
{
  for (gsize i = 0; self->groups && i < reel_env_get_n_groups (self->env); i++)
    {
      g_free (self->groups[i].reward);
      g_free (self->groups[i].terminated);
      g_free (self->groups[i].truncated);
      g_free (self->groups[i].done);
    }
  g_free (self->groups);
}

static gsize
count_results (const ReelSingleLane *self)
{
  const ReelEnvResults *results = &reel_env_get_private (self->env)->results;

  return results->n_rewards + results->n_flags;
}

static void
make_results (ReelSingleLane *self)
{
  const ReelEnvResult *list = reel_env_get_private (self->env)->results.list;
  gsize n = count_results (self);

  self->results = g_new0 (guint8 *, n + 1);
  for (gsize i = 0; i < n; i++)
    self->results[i] = g_malloc0 (MAX (list[i].row_bytes, 1));
}

static void
free_results (ReelSingleLane *self)
{
  for (gsize i = 0; self->results && i < count_results (self); i++)
    g_free (self->results[i]);
  g_free (self->results);
}

static void
make_state (ReelSingleLane *self)
{
  const ReelEnvStates *states = &reel_env_get_private (self->env)->states;

  self->env_state = g_new0 (guint8 *, states->n + 1);
  for (gsize i = 0; i < states->n; i++)
    self->env_state[i] = g_malloc0 (MAX (states->row_bytes[i], 1));
}

/* keep_state: a step writes over the observations that it reads. */
static void
keep_state (ReelSingleLane *self)
{
  const ReelEnvStates *states = &reel_env_get_private (self->env)->states;

  for (gsize i = 0; i < states->n; i++)
    memcpy (self->env_state[i], self->observation_data[states->leaves[i]], states->row_bytes[i]);
}

static void
free_state (ReelSingleLane *self)
{
  for (gsize i = 0; self->env_state && i < reel_env_get_private (self->env)->states.n; i++)
    g_free (self->env_state[i]);
  g_free (self->env_state);
}

ReelSingleLane *
reel_single_lane_new (ReelEnv *env, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);

  if (reel_env_get_num_envs (env) != 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "one episode is played in one lane: num-envs is %" G_GINT64_FORMAT ", not 1",
                   reel_env_get_num_envs (env));
      return NULL;
    }

  g_autoptr (ReelSingleLane) self = g_new0 (ReelSingleLane, 1);

  self->env = g_object_ref (env);
  if (!make_values (reel_env_get_observation_spec (env), &self->observation,
                    &self->observation_paths, &self->observation_data, error)
      || !make_values (reel_env_get_action_spec (env), &self->action, &self->action_paths,
                       &self->action_data, error))
    return NULL;
  make_groups (self);
  make_results (self);
  make_state (self);
  return g_steal_pointer (&self);
}

void
reel_single_lane_free (ReelSingleLane *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->observation, reel_tensordict_unref);
  g_clear_pointer (&self->action, reel_tensordict_unref);
  g_strfreev (self->observation_paths);
  g_strfreev (self->action_paths);
  g_free (self->observation_data);
  g_free (self->action_data);
  free_groups (self);
  free_results (self);
  free_state (self);
  drop_policy (self);
  g_object_unref (self->env);
  g_free (self);
}

gboolean
reel_single_lane_reset (ReelSingleLane *self, GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);

  self->reward = 0;
  self->terminated = self->truncated = self->done = FALSE;
  reel_single_lane_begin_policy (self);
  reel_env_reset_lanes (self->env, 0, 1, NULL, self->observation_data);
  return reel_env_check_faults (self->env, error);
}

gboolean
reel_single_lane_step (ReelSingleLane *self, GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);

  const ReelEnvIO io = {
    .action = (const guint8 *const *) self->action_data,
    .observation = self->observation_data,
    .reward = &self->reward,
    .terminated = &self->terminated,
    .truncated = &self->truncated,
    .done = &self->done,
    .groups = self->groups,
    .results = self->results,
    .state = (const guint8 *const *) self->env_state,
  };

  keep_state (self);
  reel_env_step_lanes (self->env, 0, 1, &io);
  return reel_env_check_faults (self->env, error);
}

gboolean
reel_single_lane_take_policy (ReelSingleLane *self, ReelPolicy *policy, GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (REEL_IS_POLICY (policy), FALSE);

  drop_policy (self);
  self->policy = g_object_ref (policy);
  return reel_env_bind_policy (self->env, policy, error)
         && make_data (reel_policy_get_output_spec (policy), &self->output, &self->output_data,
                       error)
         && make_data (reel_policy_get_state_spec (policy), &self->state, &self->state_data, error)
         && make_data (reel_policy_get_state_spec (policy), &self->next_state,
                       &self->next_state_data, error);
}

void
reel_single_lane_begin_policy (ReelSingleLane *self)
{
  g_return_if_fail (self != NULL);

  if (self->policy == NULL)
    return;

  g_auto (GStrv) paths = reel_spec_list_leaves (reel_policy_get_state_spec (self->policy));

  for (gsize i = 0; paths[i] != NULL; i++)
    memset (self->state_data[i], 0,
            reel_tensor_nbytes (reel_tensordict_get_tensor (self->state, paths[i], NULL)));
}

gboolean
reel_single_lane_act (ReelSingleLane *self, gint64 step, GError **error)
{
  g_return_val_if_fail (self != NULL && self->policy != NULL, FALSE);

  const ReelPolicyIO io = {
    .observation = (const guint8 *const *) self->observation_data,
    .state = (const guint8 *const *) self->state_data,
    .action = self->action_data,
    .output = self->output_data,
    .next_state = self->next_state_data,
  };
  ReelTensordict *state = self->state;
  guint8 **data = self->state_data;

  if (!reel_policy_act (self->policy, step, 0, 1, &io, error))
    return FALSE;
  self->state = self->next_state;
  self->state_data = self->next_state_data;
  self->next_state = state;
  self->next_state_data = data;
  return TRUE;
}

char *
reel_single_lane_dup_text (ReelEnv *env, gint64 lane)
{
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);
  g_return_val_if_fail (0 <= lane && lane < reel_env_get_num_envs (env), NULL);

  const ReelEnvPart *part = reel_env_find_part (env, lane);

  if (part == NULL)
    return reel_object_to_text (REEL_OBJECT (env));

  g_autofree char *text = reel_single_lane_dup_text (part->env, lane - part->first);

  if (!REEL_IS_TRANSFORMED_ENV (env))
    return g_steal_pointer (&text);

  ReelCompose *chain = reel_transformed_env_get_transform (REEL_TRANSFORMED_ENV (env));
  g_autofree char *links = reel_object_to_text (REEL_OBJECT (chain));

  return g_strconcat (text, "|", links, NULL);
}
