#include "env-policy.h"

#include <string.h>

#include "env-private.h"

gboolean
reel_env_bind_policy (ReelEnv *self, ReelPolicy *policy, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self) && REEL_IS_POLICY (policy), FALSE);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_bind_policy (self, policy, error);
  return reel_policy_bind (policy, reel_env_get_observation_spec (self),
                           reel_env_get_action_spec (self), reel_env_get_num_envs (self), error);
}

/* Leaves of one kind, and the tensors of one step. Where lanes of the policy that are not of the
 * env come first, @data are columns with room for these. */
typedef struct
{
  ReelEnvLeafList leaves;
  GPtrArray *tensors;
  GPtrArray *columns;
  guint8 **data;
  gint64 first;
} Leaves;

static void
leaves_init (Leaves *self, ReelEnv *env, const ReelSpec *specs, gint64 first)
{
  reel_env_list_leaves (env, specs, &self->leaves);
  self->first = first;
  self->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  self->columns = g_ptr_array_new_with_free_func (g_free);
  self->data = g_new0 (guint8 *, self->leaves.n + 1);
}

static void
leaves_clear (Leaves *self)
{
  reel_env_leaf_list_clear (&self->leaves);
  g_ptr_array_unref (self->tensors);
  g_ptr_array_unref (self->columns);
  g_free (self->data);
}

/* The columns of a policy in one step. */
typedef struct
{
  Leaves observations, actions, outputs, state, next_state;
} Columns;

static void
columns_init (Columns *self, ReelEnv *env, ReelPolicy *policy, gint64 first)
{
  const ReelSpec *state = reel_policy_get_state_spec (policy);

  leaves_init (&self->observations, env, reel_env_get_observation_spec (env), first);
  leaves_init (&self->actions, env, reel_env_get_action_spec (env), first);
  leaves_init (&self->outputs, env, reel_policy_get_output_spec (policy), first);
  leaves_init (&self->state, env, state, first);
  leaves_init (&self->next_state, env, state, first);
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

/* Where the rows of the env begin in a column. */
static gsize
skipped_bytes (const Leaves *self, gsize i)
{
  return (gsize) self->first * self->leaves.list[i].row_bytes;
}

static guint8 *
make_column (Leaves *self, gsize i, const ReelTensor *tensor)
{
  gsize skipped = skipped_bytes (self, i);
  guint8 *column = g_malloc0 (skipped + reel_tensor_nbytes (tensor));

  memcpy (column + skipped, tensor->data, reel_tensor_nbytes (tensor));
  g_ptr_array_add (self->columns, column);
  return column;
}

static gboolean
take (Leaves *self, gsize i, ReelTensor *tensor)
{
  if (tensor == NULL)
    return FALSE;
  g_ptr_array_add (self->tensors, tensor);
  self->data[i] = self->first > 0 ? make_column (self, i, tensor) : tensor->data;
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

/* Copies columns that were written to their tensors. */
static void
fetch_leaves (const Leaves *self)
{
  for (gsize i = 0; self->first > 0 && i < self->leaves.n; i++)
    {
      ReelTensor *tensor = self->tensors->pdata[i];

      memcpy (tensor->data, self->data[i] + skipped_bytes (self, i), reel_tensor_nbytes (tensor));
    }
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
reel_env_act_in_lanes (ReelEnv *self, ReelPolicy *policy, gint64 first, gint64 step,
                       ReelTensordict *td, GError **error)
{
  gint64 end = first + reel_env_get_num_envs (self);
  g_auto (Columns) columns;

  columns_init (&columns, self, policy, first);
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

  if (!reel_policy_act (policy, step, first, end, &io, error))
    return FALSE;
  fetch_leaves (&columns.actions);
  fetch_leaves (&columns.outputs);
  fetch_leaves (&columns.next_state);
  return set_leaves (&columns.actions, "", td, error)
         && set_leaves (&columns.outputs, "", td, error)
         && set_leaves (&columns.state, "", td, error)
         && set_leaves (&columns.next_state, "next/", td, error);
}

gboolean
reel_env_act (ReelEnv *self, ReelPolicy *policy, gint64 step, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self) && REEL_IS_POLICY (policy), FALSE);
  g_return_val_if_fail (td != NULL, FALSE);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_act (self, policy, step, td, error);
  return reel_env_act_in_lanes (self, policy, 0, step, td, error);
}
