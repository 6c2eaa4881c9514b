#include "env-policy.h"

#include "env-private.h"

gboolean
reel_env_bind_policy (ReelEnv *self, ReelPolicy *policy, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self) && REEL_IS_POLICY (policy), FALSE);

  return reel_policy_bind (policy, reel_env_get_observation_spec (self),
                           reel_env_get_action_spec (self), reel_env_get_num_envs (self), error);
}

/* Leaves of one kind, and the tensors of one step. */
typedef struct
{
  ReelEnvLeafList leaves;
  GPtrArray *tensors;
  guint8 **data;
} Leaves;

static void
leaves_init (Leaves *self, ReelEnv *env, const ReelSpec *specs)
{
  reel_env_list_leaves (env, specs, &self->leaves);
  self->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  self->data = g_new0 (guint8 *, self->leaves.n + 1);
}

static void
leaves_clear (Leaves *self)
{
  reel_env_leaf_list_clear (&self->leaves);
  g_ptr_array_unref (self->tensors);
  g_free (self->data);
}

/* The columns of a policy in one step. */
typedef struct
{
  Leaves observations, actions, outputs, state, next_state;
} Columns;

static void
columns_init (Columns *self, ReelEnv *env, ReelPolicy *policy)
{
  const ReelSpec *state = reel_policy_get_state_spec (policy);

  leaves_init (&self->observations, env, reel_env_get_observation_spec (env));
  leaves_init (&self->actions, env, reel_env_get_action_spec (env));
  leaves_init (&self->outputs, env, reel_policy_get_output_spec (policy));
  leaves_init (&self->state, env, state);
  leaves_init (&self->next_state, env, state);
}

static void
columns_clear (Columns *self)
{
  leaves_clear (&self->observations);
  leaves_clear (&self->actions);
  leaves_clear (&self->outputs);
  leaves_clear (&self->state);
  leaves_clear (&self->next_state);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Columns, columns_clear)

static gboolean
take (Leaves *self, gsize i, ReelTensor *tensor)
{
  if (tensor == NULL)
    return FALSE;
  g_ptr_array_add (self->tensors, tensor);
  self->data[i] = tensor->data;
  return TRUE;
}

/* The leaves of @td, and zeros for those that it lacks where @may_lack. */
static gboolean
read_leaves (Leaves *self, const ReelTensordict *td, gboolean may_lack, GError **error)
{
  for (gsize i = 0; i < self->leaves.n; i++)
    {
      const ReelEnvLeaf *leaf = &self->leaves.list[i];
      gboolean lacks = may_lack && !reel_tensordict_contains (td, leaf->path);

      if (!take (self, i,
                 lacks ? reel_env_new_leaf (leaf, error) : reel_env_ref_leaf (td, leaf, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
make_leaves (Leaves *self, GError **error)
{
  for (gsize i = 0; i < self->leaves.n; i++)
    if (!take (self, i, reel_env_new_leaf (&self->leaves.list[i], error)))
      return FALSE;
  return TRUE;
}

static gboolean
set_leaves (const Leaves *self, const char *prefix, ReelTensordict *td, GError **error)
{
  for (gsize i = 0; i < self->leaves.n; i++)
    {
      g_autofree char *path = g_strconcat (prefix, self->leaves.paths[i], NULL);

      if (!reel_tensordict_set_tensor (td, path, self->tensors->pdata[i], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_env_act (ReelEnv *self, ReelPolicy *policy, gint64 step, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self) && REEL_IS_POLICY (policy), FALSE);
  g_return_val_if_fail (td != NULL, FALSE);

  g_auto (Columns) columns;

  columns_init (&columns, self, policy);
  if (!reel_env_check_batch (self, td, error)
      || !read_leaves (&columns.observations, td, FALSE, error)
      || !read_leaves (&columns.state, td, TRUE, error) || !make_leaves (&columns.actions, error)
      || !make_leaves (&columns.outputs, error) || !make_leaves (&columns.next_state, error))
    return FALSE;

  const ReelPolicyIO io = {
    .observation = (const guint8 *const *) columns.observations.data,
    .state = (const guint8 *const *) columns.state.data,
    .action = columns.actions.data,
    .output = columns.outputs.data,
    .next_state = columns.next_state.data,
  };

  return reel_policy_act (policy, step, 0, reel_env_get_num_envs (self), &io, error)
         && set_leaves (&columns.actions, "", td, error)
         && set_leaves (&columns.outputs, "", td, error)
         && set_leaves (&columns.state, "", td, error)
         && set_leaves (&columns.next_state, "next/", td, error);
}
