#include "env-private.h"

#include <string.h>

#include "../core/tensordict/lazy-stack.h"
#include "../specs/operations/action-mask.h"
#include "../specs/spec-kind.h"

static void
add_leaf (const ReelEnvLeaves *self, ReelEnvLeafList *leaves, const ReelSpec *specs, char *path)
{
  const ReelSpec *spec = reel_spec_get (specs, path, NULL);
  ReelEnvLeaf *leaf = &leaves->list[leaves->n];
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  leaf->path = path;
  leaf->dtype = reel_spec_get_dtype (spec);
  leaf->ndim = self->ndim + ndim;
  leaf->shape[0] = self->n_lanes;
  memcpy (leaf->shape + self->ndim, shape, (gsize) ndim * sizeof *shape);
  leaf->row_bytes = reel_spec_row_bytes (spec);
  leaves->paths[leaves->n++] = path;
}

static void
make_room (ReelEnvLeafList *leaves, gsize n)
{
  leaves->list = g_new0 (ReelEnvLeaf, n);
  leaves->paths = g_new0 (char *, n + 1);
}

static void
add_all (const ReelEnvLeaves *self, ReelEnvLeafList *leaves, const ReelSpec *specs)
{
  g_autofree char **paths = reel_spec_list_leaves (specs);

  make_room (leaves, g_strv_length (paths));
  for (char **path = paths; *path != NULL; path++)
    add_leaf (self, leaves, specs, *path);
}

/* add_of_groups: the leaves @keys of each group of agents. */
static void
add_of_groups (const ReelEnvLeaves *self, ReelEnvLeafList *leaves, const ReelSpec *specs,
               const char *const *keys, gsize n_keys, ReelEnv *env)
{
  gint64 n_agents;

  for (gsize g = 0; g < self->n_groups; g++)
    for (gsize k = 0; k < n_keys; k++)
      add_leaf (self, leaves, specs,
                g_strconcat (reel_env_get_group (env, g, &n_agents), "/", keys[k], NULL));
}

static void
add_results (const ReelEnvLeaves *self, ReelEnvLeafList *leaves, const ReelSpec *specs,
             const ReelEnvResult *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    add_leaf (self, leaves, specs, g_strdup (list[i].path));
}

static void
add_rewards (ReelEnvLeaves *self, ReelEnv *env)
{
  static const char *const keys[] = { "reward" };
  const ReelSpec *specs = reel_env_get_reward_spec (env);

  make_room (&self->rewards, 1 + self->n_groups + self->results->n_rewards);
  if (self->results->shows_reward)
    add_leaf (self, &self->rewards, specs, g_strdup (*keys));
  add_of_groups (self, &self->rewards, specs, keys, G_N_ELEMENTS (keys), env);
  add_results (self, &self->rewards, specs, self->results->list, self->results->n_rewards);
}

static void
add_flags (ReelEnvLeaves *self, ReelEnv *env)
{
  const ReelEnvResults *results = self->results;
  const ReelSpec *specs = reel_env_get_done_spec (env);

  make_room (&self->flags, REEL_ENV_N_FLAGS * (1 + self->n_groups) + results->n_flags);
  for (gsize i = 0; i < REEL_ENV_N_FLAGS; i++)
    if (results->shows_flag[i])
      add_leaf (self, &self->flags, specs, g_strdup (reel_env_flag_names[i]));
  add_of_groups (self, &self->flags, specs, reel_env_flag_names, REEL_ENV_N_FLAGS, env);
  add_results (self, &self->flags, specs, results->list + results->n_rewards, results->n_flags);
}

static ReelEnvLeaves *
new_leaves (ReelEnv *env)
{
  const ReelSpec *observation = reel_env_get_observation_spec (env);
  ReelEnvLeaves *self = g_new0 (ReelEnvLeaves, 1);
  gint64 seed;

  g_object_get (env, "seed", &seed, NULL);
  self->seed = (guint64) seed;
  self->n_lanes = reel_env_get_num_envs (env);
  self->ndim = self->n_lanes > 1;
  add_all (self, &self->actions, reel_env_get_action_spec (env));
  add_all (self, &self->observations, observation);
  self->states = &reel_env_get_private (env)->states;
  self->results = &reel_env_get_private (env)->results;
  self->n_groups = reel_env_get_n_groups (env);
  add_rewards (self, env);
  add_flags (self, env);
  self->unseen = g_new0 (guint8, (gsize) self->n_lanes * (sizeof (float) + REEL_ENV_N_FLAGS));
  for (gsize i = 0; i < self->observations.n; i++)
    self->observations.list[i].carried = reel_env_carries (env, self->observations.paths[i]);
  self->masks = g_new (gint, self->actions.n + 1);
  for (gsize i = 0; i < self->actions.n; i++)
    self->masks[i] = reel_action_mask_find (observation, self->actions.paths[i]);
  return self;
}

void
reel_env_list_leaves (ReelEnv *env, const ReelSpec *specs, ReelEnvLeafList *leaves)
{
  *leaves = (ReelEnvLeafList){ 0 };
  add_all (reel_env_get_leaves (env), leaves, specs);
}

void
reel_env_leaf_list_clear (ReelEnvLeafList *leaves)
{
  g_strfreev (leaves->paths);
  g_free (leaves->list);
}

void
reel_env_leaves_free (ReelEnvLeaves *self)
{
  reel_env_leaf_list_clear (&self->actions);
  reel_env_leaf_list_clear (&self->observations);
  reel_env_leaf_list_clear (&self->rewards);
  reel_env_leaf_list_clear (&self->flags);
  g_free (self->unseen);
  g_free (self->masks);
  g_free (self);
}

/* ---- what tensordicts hold ---- */

ReelEnvLeaves *
reel_env_get_leaves (ReelEnv *self)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  if (priv->leaves == NULL)
    priv->leaves = new_leaves (self);
  return priv->leaves;
}

gboolean
reel_env_check_batch (ReelEnv *env, const ReelTensordict *td, GError **error)
{
  gint64 n_lanes = reel_env_get_num_envs (env);
  gint ndim, n = n_lanes > 1;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (ndim != n || (ndim == 1 && size[0] != n_lanes))
    {
      g_autofree char *given = reel_spec_format_shape (ndim, size, ", ");
      g_autofree char *expected = reel_spec_format_shape (n, &n_lanes, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Expected a tensordict with shape==env.batch_size, got %s and %s", given,
                   expected);
      return FALSE;
    }
  if (reel_env_is_mixed (env) && reel_lazy_stack_get_dim (td) != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the lanes of %s have unlike specs: it takes a lazy stack of one tensordict a "
                   "lane, as reel_env_reset() returns it and reel_lazy_stack_new() makes it",
                   reel_object_get_id (REEL_OBJECT (env)));
      return FALSE;
    }
  if (reel_tensordict_is_locked (td))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "the env cannot write to a locked tensordict: give it a clone");
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_aligned (const ReelTensor *tensor)
{
  gsize size = reel_dtype_size (tensor->dtype);

  if (reel_dtype_is_complex (tensor->dtype))
    size /= 2;
  return (gsize) tensor->data % size == 0;
}

ReelTensor *
reel_env_ref_leaf (const ReelTensordict *td, const ReelEnvLeaf *leaf, GError **error)
{
  g_autoptr (ReelTensor) tensor = reel_tensordict_ref_tensor (td, leaf->path, error);

  if (tensor == NULL)
    return NULL;
  if (tensor->dtype != leaf->dtype)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s, the env has %s there",
                 leaf->path, reel_dtype_name (tensor->dtype), reel_dtype_name (leaf->dtype));
  else if (tensor->ndim != leaf->ndim
           || memcmp (tensor->shape, leaf->shape, (gsize) leaf->ndim * sizeof (gint64)) != 0)
    {
      g_autofree char *given = reel_spec_format_shape (tensor->ndim, tensor->shape, ", ");
      g_autofree char *expected = reel_spec_format_shape (leaf->ndim, leaf->shape, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "\"%s\" has shape %s, the env has %s",
                   leaf->path, given, expected);
    }
  else
    return is_aligned (tensor) ? reel_tensor_contiguous (tensor, error)
                               : reel_tensor_clone (tensor, error);
  return NULL;
}

ReelTensor *
reel_env_new_leaf (const ReelEnvLeaf *leaf, GError **error)
{
  return reel_tensor_new (leaf->dtype, leaf->ndim, leaf->shape, error);
}

ReelEnvIO
reel_env_leaves_point (const ReelEnvLeaves *self, guint8 *const *rewards, guint8 *const *flags,
                       ReelEnvGroupStep *groups, guint8 **results)
{
  const ReelEnvResults *shown = self->results;
  guint8 *unseen = self->unseen + (gsize) self->n_lanes * sizeof (float), *own[REEL_ENV_N_FLAGS];
  guint8 *reward = shown->shows_reward ? *rewards++ : self->unseen;

  for (gsize i = 0; i < REEL_ENV_N_FLAGS; i++)
    own[i] = shown->shows_flag[i] ? *flags++ : unseen + i * (gsize) self->n_lanes;
  for (gsize g = 0; g < self->n_groups; g++, flags += REEL_ENV_N_FLAGS)
    groups[g] = (ReelEnvGroupStep){
      .reward = (float *) (gpointer) *rewards++,
      .done = flags[0],
      .terminated = flags[1],
      .truncated = flags[2],
    };
  memcpy (results, rewards, shown->n_rewards * sizeof *results);
  memcpy (results + shown->n_rewards, flags, shown->n_flags * sizeof *results);
  return (ReelEnvIO){
    .reward = (float *) (gpointer) reward,
    .done = own[0],
    .terminated = own[1],
    .truncated = own[2],
    .groups = groups,
    .results = results,
  };
}
