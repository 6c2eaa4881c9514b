/* Random actions of an env, and its seeds. */
#include "../core/math/random.h"
#include "../core/tensordict/tensordict-update.h"
#include "../specs/operations/action-mask.h"
#include "../specs/spec-kind.h"
#include "env-leaves.h"
#include "env-step.h"
#include "mixed-env.h"

/* The mask of an action, where @td has one. */
static gboolean
take_mask (ReelEnv *self, gsize action, const ReelTensordict *td, ReelTensor **mask, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  gint which = leaves->masks[action];
  const ReelSpec *observations = reel_env_get_observation_spec (self);
  const char *path = leaves->actions.paths[action];

  *mask = NULL;
  if (which < 0 || td == NULL || !reel_tensordict_contains (td, leaves->observations.paths[which]))
    return TRUE;
  if (!reel_action_mask_check (
          reel_spec_get (reel_env_get_action_spec (self), path, NULL), path,
          reel_spec_get (observations, leaves->observations.paths[which], NULL),
          leaves->observations.paths[which], error))
    return FALSE;
  *mask = reel_env_ref_leaf (td, &leaves->observations.list[which], error);
  return *mask != NULL;
}

static gboolean
draw (ReelEnv *self, gsize action, const ReelTensordict *td, ReelTensordict *result, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  const char *path = leaves->actions.paths[action];
  const ReelSpec *spec = reel_spec_get (reel_env_get_action_spec (self), path, NULL);
  guint64 seed = reel_spec_leaf_seed (leaves->seed, (gint64) action);
  g_autoptr (ReelTensor) mask = NULL;
  g_autoptr (ReelTensor) drawn = reel_env_new_leaf (&leaves->actions.list[action], error);

  if (drawn == NULL || !take_mask (self, action, td, &mask, error))
    return FALSE;
  if (mask == NULL)
    reel_spec_rand_rows (spec, seed, leaves->n_drawn, 0, leaves->n_lanes, drawn->data);
  else if (!reel_action_mask_draw (spec, path, seed, leaves->n_drawn, 0, leaves->n_lanes,
                                   mask->data, drawn->data, error))
    return FALSE;
  return reel_tensordict_set_tensor (result, path, drawn, error);
}

ReelTensordict *
reel_env_rand_action (ReelEnv *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_rand_action (self, td, error);

  ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autoptr (ReelTensordict) actions = reel_tensordict_new (leaves->ndim, &leaves->n_lanes);

  if (td != NULL && !reel_env_check_batch (self, td, error))
    return NULL;
  for (gsize i = 0; i < leaves->actions.n; i++)
    if (!draw (self, i, td, actions, error))
      return NULL;
  leaves->n_drawn++;
  if (td == NULL)
    return g_steal_pointer (&actions);
  return reel_tensordict_update (td, actions, NULL, FALSE, error) ? reel_tensordict_ref (td) : NULL;
}

gboolean
reel_env_rand_step (ReelEnv *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (td != NULL, FALSE);

  g_autoptr (ReelTensordict) acted = reel_env_rand_action (self, td, error);

  return acted != NULL && reel_env_step (self, td, error);
}

/* ---- seeds ---- */

static void
seed_lane (ReelEnv *self, gint64 lane, guint64 seed)
{
  const guint32 words[] = { (guint32) seed, (guint32) (seed >> 32) };

  reel_env_seed_lane (self, lane, words, G_N_ELEMENTS (words));
}

static void
seed_actions (ReelEnv *self, guint64 seed)
{
  if (reel_env_is_mixed (self))
    {
      reel_env_mixed_set_seed (self, seed);
      return;
    }

  ReelEnvLeaves *leaves = reel_env_get_leaves (self);

  leaves->seed = seed;
  leaves->n_drawn = leaves->n_acted = 0;
}

guint64
reel_env_set_seed (ReelEnv *self, guint64 seed, ReelSeeding seeding)
{
  g_return_val_if_fail (REEL_IS_ENV (self), seed);

  const guint32 words[] = { (guint32) seed, (guint32) (seed >> 32) };
  guint64 next = seed;

  seed_actions (self, seed);
  if (seeding == REEL_SEEDING_LANES)
    {
      reel_env_seed (self, words, G_N_ELEMENTS (words));
      return reel_next_seed (seed);
    }
  for (gint64 lane = 0; lane < reel_env_get_num_envs (self); lane++)
    {
      seed_lane (self, lane, next);
      next = seeding == REEL_SEEDING_CHAIN ? reel_next_seed (next) : seed;
    }
  return next;
}
