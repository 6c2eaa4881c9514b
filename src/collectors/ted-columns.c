#include "ted-columns.h"

#include "../envs/env-policy.h"
#include "../envs/env-private.h"
#include "../envs/env-step.h"
#include "../specs/spec-keys.h"
#include "collector.h"

#include <string.h>

static gboolean
set_traj_ids (ReelTensordict *step, gint ndim, const gint64 *lanes, GError **error)
{
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, ndim, lanes, error);

  return ids && reel_tensordict_set_tensor (step, "collector/traj_ids", ids, error);
}

/* set_written: zeros of what a policy writes, of all lanes, below @prefix. */
static gboolean
set_written (ReelTensordict *step, const char *prefix, const ReelSpec *specs, gint ndim,
             const gint64 *lanes, GError **error)
{
  g_autoptr (ReelTensordict) zeros = reel_spec_zero_tensordict (specs, ndim, lanes, error);
  g_auto (GStrv) leaves = reel_spec_list_leaves (specs);

  for (char **leaf = leaves; zeros && *leaf; leaf++)
    {
      g_autofree char *path = g_strconcat (prefix, *leaf, NULL);

      if (!reel_tensordict_set_tensor (step, path, reel_tensordict_get_tensor (zeros, *leaf, NULL),
                                       error))
        return FALSE;
    }
  return zeros != NULL;
}

/* set_policy: what @policy reads and writes beside the leaves of the env. */
static gboolean
set_policy (ReelTensordict *step, ReelPolicy *policy, gint ndim, const gint64 *lanes,
            GError **error)
{
  const ReelSpec *state = reel_policy_get_state_spec (policy);

  return set_written (step, "", reel_policy_get_output_spec (policy), ndim, lanes, error)
         && set_written (step, "", state, ndim, lanes, error)
         && set_written (step, "next/", state, ndim, lanes, error);
}

ReelTensordict *
reel_collector_make_layout (ReelEnv *env, ReelPolicy *policy, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);
  g_return_val_if_fail (policy == NULL || REEL_IS_POLICY (policy), NULL);

  gint64 lanes = reel_env_get_num_envs (env);
  g_autoptr (ReelTensordict) step =
      reel_env_check_alike (env, error) && (!policy || reel_env_bind_policy (env, policy, error))
          ? reel_env_make_fake (env, error)
          : NULL;

  if (!step || (policy && !set_policy (step, policy, lanes > 1, &lanes, error))
      || !set_traj_ids (step, lanes > 1, &lanes, error))
    return NULL;
  return g_steal_pointer (&step);
}

static const char *const version_paths[] = { "policy_version", "next/policy_version" };

gboolean
reel_ted_layout_add_versions (ReelTensordict *layout, gint64 n_lanes, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (version_paths); i++)
    {
      g_autoptr (ReelTensor) zeros =
          reel_tensor_new (REEL_DTYPE_INT64, n_lanes > 1, &n_lanes, error);

      if (zeros && reel_tensordict_contains (layout, version_paths[i]))
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "track-policy-version writes \"%s\", which the environment or the policy has "
                     "already",
                     version_paths[i]);
      else if (zeros && reel_tensordict_set_tensor (layout, version_paths[i], zeros, error))
        continue;
      return FALSE;
    }
  return TRUE;
}

static guint
append (GPtrArray *paths, char *path)
{
  g_ptr_array_add (paths, path);
  return paths->len - 1;
}

static guint
append_leaves (GPtrArray *paths, const char *prefix, const ReelSpec *specs)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (specs);

  for (char **leaf = leaves; *leaf; leaf++)
    append (paths, g_strconcat (prefix, *leaf, NULL));
  return g_strv_length (leaves);
}

/* append_group_leaves: the leaves @names of each group of agents. */
static void
append_group_leaves (GPtrArray *paths, const char *prefix, ReelEnv *env, const char *const *names,
                     guint n_names)
{
  gint64 n_agents;

  for (gsize g = 0; g < reel_env_get_n_groups (env); g++)
    for (guint i = 0; i < n_names; i++)
      append (paths,
              g_strconcat (prefix, reel_env_get_group (env, g, &n_agents), "/", names[i], NULL));
}

static void
append_results (GPtrArray *paths, const char *prefix, const ReelEnvResult *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    append (paths, g_strconcat (prefix, list[i].path, NULL));
}

#define UNSEEN G_MAXUINT /* until all columns have their numbers */

/* number_outcome: reward and flags of the lane, where the env shows them. */
static void
number_outcome (ReelTedColumns *self, GPtrArray *paths, const ReelEnvResults *results)
{
  const gboolean *shown = results->shows_flag;

  self->next_reward = results->shows_reward ? append (paths, g_strdup ("next/reward")) : UNSEEN;
  self->next_done = shown[0] ? append (paths, g_strdup ("next/done")) : UNSEEN;
  self->next_terminated = shown[1] ? append (paths, g_strdup ("next/terminated")) : UNSEEN;
  self->next_truncated = shown[2] ? append (paths, g_strdup ("next/truncated")) : UNSEEN;
}

static void
number_unseen (ReelTedColumns *self, guint first)
{
  guint *const outcome[] = { &self->next_reward, &self->next_done, &self->next_terminated,
                             &self->next_truncated, &self->traj_ids };

  for (gsize i = 0; i < G_N_ELEMENTS (outcome); i++)
    if (*outcome[i] == UNSEEN)
      *outcome[i] = first + self->n_unseen++;
}

/* range_since: the columns from @first to the last one. */
static ReelTedRange
range_since (const GPtrArray *paths, guint first)
{
  return (ReelTedRange){ first, paths->len - first };
}

static gsize
row_bytes (ReelTensordict *layout, const char *path, gint64 n_lanes)
{
  return reel_tensor_nbytes (reel_tensordict_get_tensor (layout, path, NULL)) / n_lanes;
}

/* has_versions: those of reel_ted_layout_add_versions(), not a key of env or policy. */
static gboolean
has_versions (ReelEnv *env, ReelPolicy *policy, ReelTensordict *layout)
{
  const ReelSpec *const others[] = { reel_env_get_observation_spec (env),
                                     reel_policy_get_output_spec (policy),
                                     reel_policy_get_state_spec (policy) };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (reel_spec_contains (others[i], version_paths[0]))
      return FALSE;
  return reel_tensordict_contains (layout, version_paths[1]);
}

/* number_steps: what is before a step, and the same after it. */
static void
number_steps (ReelTedColumns *self, GPtrArray *paths, ReelEnv *env, const ReelSpec *state)
{
  const ReelSpec *observation = reel_env_get_observation_spec (env);
  const ReelEnvResults *results = &reel_env_get_private (env)->results;
  const ReelEnvResult *own_flags = results->list + results->n_rewards;
  guint first = paths->len;

  self->n_observations = append_leaves (paths, "", observation);
  self->n_states = append_leaves (paths, "", state);
  append_group_leaves (paths, "", env, reel_env_flag_names, REEL_TED_N_FLAGS);
  append_results (paths, "", own_flags, results->n_flags);
  self->root = range_since (paths, first);

  first = paths->len;
  append_leaves (paths, "next/", observation);
  append_leaves (paths, "next/", state);
  append_group_leaves (paths, "next/", env, reel_env_flag_names, REEL_TED_N_FLAGS);
  append_results (paths, "next/", own_flags, results->n_flags);
  self->next = range_since (paths, first);
}

/* number_rewards: those of groups, and those that the env has beside them. */
static void
number_rewards (ReelTedColumns *self, GPtrArray *paths, ReelEnv *env)
{
  static const char *const reward[] = { "reward" };
  const ReelEnvResults *results = &reel_env_get_private (env)->results;
  guint first = paths->len;

  append_group_leaves (paths, "next/", env, reward, G_N_ELEMENTS (reward));
  self->group_rewards = range_since (paths, first);
  first = paths->len;
  append_results (paths, "next/", results->list, results->n_rewards);
  self->own_rewards = range_since (paths, first);
}

/* number_columns: in the order that the struct describes. */
static void
number_columns (ReelTedColumns *self, GPtrArray *paths, ReelEnv *env, ReelPolicy *policy,
                gboolean numbers_trajectories, gboolean tracks_version)
{
  const ReelEnvResults *results = &reel_env_get_private (env)->results;

  append_leaves (paths, "", reel_env_get_action_spec (env));
  self->actions = range_since (paths, 0);

  guint first = paths->len;
  append_leaves (paths, "", reel_policy_get_output_spec (policy));
  self->outputs = range_since (paths, first);
  number_steps (self, paths, env, reel_policy_get_state_spec (policy));
  number_outcome (self, paths, results);
  number_rewards (self, paths, env);
  self->traj_ids = numbers_trajectories ? append (paths, g_strdup ("collector/traj_ids")) : UNSEEN;

  first = paths->len;
  for (gsize i = 0; tracks_version && i < G_N_ELEMENTS (version_paths); i++)
    append (paths, g_strdup (version_paths[i]));
  self->versions = range_since (paths, first);

  first = paths->len;
  for (guint i = 0; i < REEL_TED_N_FLAGS; i++)
    if (results->shows_flag[i])
      append (paths, g_strdup (reel_env_flag_names[i]));
  self->flags = range_since (paths, first);
  number_unseen (self, paths->len);
}

ReelTedColumns *
reel_ted_columns_new (ReelEnv *env, ReelPolicy *policy, ReelTensordict *layout)
{
  ReelTedColumns *self = g_new0 (ReelTedColumns, 1);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  self->n_lanes = reel_env_get_num_envs (env);
  number_columns (self, paths, env, policy, reel_tensordict_contains (layout, "collector/traj_ids"),
                  has_versions (env, policy, layout));
  self->n_columns = paths->len;

  g_ptr_array_add (paths, NULL);
  self->paths = (char **) g_ptr_array_steal (paths, NULL);
  self->row_bytes = g_new (gsize, self->n_columns);
  for (guint c = 0; c < self->n_columns; c++)
    self->row_bytes[c] = row_bytes (layout, self->paths[c], self->n_lanes);
  return self;
}

void
reel_ted_columns_free (ReelTedColumns *self)
{
  g_strfreev (self->paths);
  g_free (self->row_bytes);
  g_free (self);
}

/* describe: dtype and shape of a leaf without its first @skip dimensions, `float32 [4]`. */
static char *
describe (const ReelTensor *leaf, gint skip)
{
  GString *text = g_string_new (reel_dtype_name (leaf->dtype));

  for (gint i = skip; i < leaf->ndim; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == skip ? " [" : ", ", leaf->shape[i]);
  return g_string_free (g_string_append (text, leaf->ndim > skip ? "]" : ""), FALSE);
}

/* check_leaf: whether each step of the storage's @data holds what @layout has at @path. */
static gboolean
check_leaf (ReelTensordict *layout, ReelTensordict *data, const char *path, GError **error)
{
  const ReelTensor *ours = reel_tensordict_get_tensor (layout, path, NULL);
  const ReelTensor *theirs = reel_tensordict_get_tensor (data, path, NULL);

  if (theirs && theirs->dtype == ours->dtype && theirs->ndim == ours->ndim + 1
      && memcmp (theirs->shape + 1, ours->shape, ours->ndim * sizeof *ours->shape) == 0)
    return TRUE;

  g_autofree char *given = describe (ours, 0);
  g_autofree char *held = theirs ? describe (theirs, 1) : g_strdup ("nothing");
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_VALUE,
      "the buffer holds %s at \"%s\", where each step of env and policy has %s; collect into a "
      "new buffer",
      held, path, given);
  return FALSE;
}

guint *
reel_ted_columns_find (const ReelTedColumns *self, ReelTensordict *layout, ReelStorage *storage,
                       GError **error)
{
  g_autofree guint *found = g_new (guint, self->n_columns);
  ReelTensordict *data = reel_storage_get_data (storage);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (layout, &ndim);
  gint64 lanes = reel_storage_get_lanes (storage), ours = ndim > 0 ? size[0] : 1;
  guint n;

  /* A row of a storage without a dimension of lanes is a step of all. */
  if (lanes != ours && reel_storage_get_ndim (storage) > 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the buffer holds %" G_GINT64_FORMAT " lanes a step, the env has "
                   "%" G_GINT64_FORMAT "; collect into a new buffer",
                   lanes, ours);
      return NULL;
    }
  for (guint c = 0; c < self->n_columns; c++)
    {
      if (!check_leaf (layout, data, self->paths[c], error))
        return NULL;
      found[c] = reel_storage_find_column (storage, self->paths[c], NULL);
    }

  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  for (guint i = 0; i < n; i++)
    if (!g_strv_contains ((const char *const *) self->paths, columns[i].path))
      {
        g_set_error (
            error, REEL_ERROR, REEL_ERROR_VALUE,
            "the buffer has a key \"%s\", which neither env nor policy writes; collect into a "
            "new buffer",
            columns[i].path);
        return NULL;
      }
  return g_steal_pointer (&found);
}
