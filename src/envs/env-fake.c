/* The inputs and outputs of an env, as specs and as an example. */
#include "../specs/kinds/env-spec.h"
#include "../specs/spec-shape.h"
#include "env-leaves.h"
#include "env-step.h"
#include "mixed-env.h"

ReelSpec *
reel_env_make_specs (ReelEnv *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  gint64 lanes = reel_env_get_num_envs (self);
  g_autoptr (ReelSpec) one =
      reel_env_spec_new (reel_env_get_observation_spec (self), reel_env_get_action_spec (self),
                         reel_env_get_reward_spec (self), reel_env_get_done_spec (self), error);

  g_autoptr (ReelSpec) all =
      one != NULL ? reel_env_spec_set_state (one, reel_env_get_state_spec (self), error) : NULL;

  if (all == NULL || reel_env_is_mixed (self))
    return g_steal_pointer (&all);
  return reel_spec_batch (all, lanes > 1, &lanes, error);
}

static gboolean
set_zeros (ReelTensordict *td, const char *prefix, const ReelEnvLeafList *list, GError **error)
{
  for (gsize i = 0; i < list->n; i++)
    {
      g_autofree char *path = g_strconcat (prefix, list->paths[i], NULL);
      g_autoptr (ReelTensor) zeros = reel_env_new_leaf (&list->list[i], error);

      if (zeros == NULL || !reel_tensordict_set_tensor (td, path, zeros, error))
        return FALSE;
    }
  return TRUE;
}

ReelTensordict *
reel_env_make_fake (ReelEnv *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_make_fake (self, error);

  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (leaves->ndim, &leaves->n_lanes);

  if (!set_zeros (td, "", &leaves->actions, error)
      || !set_zeros (td, "", &leaves->observations, error)
      || !set_zeros (td, "", &leaves->flags, error)
      || !set_zeros (td, "next/", &leaves->observations, error)
      || !set_zeros (td, "next/", &leaves->rewards, error)
      || !set_zeros (td, "next/", &leaves->flags, error))
    return NULL;
  return g_steal_pointer (&td);
}
