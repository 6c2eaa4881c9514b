#include "mixed-env.h"

#include <string.h>

#include "../core/tensordict/lazy-stack.h"
#include "../core/tensordict/tensordict-update.h"
#include "../policies/policy-share.h"
#include "../specs/spec-stack.h"
#include "env-lane-mask.h"
#include "env-policy.h"
#include "env-step.h"
#include "mixed-rows.h"

/* ---- making ---- */

typedef const ReelSpec *(*GetSpec) (ReelEnv *);

/* The spec of each lane, as a stack. */
static gboolean
stack_specs (ReelEnv *self, GetSpec get, ReelSpec **spec, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autoptr (GPtrArray) members = g_ptr_array_new ();

  for (guint i = 0; i < priv->n_parts; i++)
    for (gint64 lane = priv->parts[i].first; lane < priv->parts[i].after; lane++)
      g_ptr_array_add (members, (gpointer) get (priv->parts[i].env));
  *spec = reel_spec_stack ((ReelSpec *const *) members->pdata, members->len, 0, error);
  return *spec != NULL;
}

/* The parts of envs that have unlike lanes themselves, in their place. */
static GPtrArray *
list_parts (ReelEnv *const *envs, guint n)
{
  GPtrArray *parts = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      const ReelEnvPrivate *inner = reel_env_get_private (envs[i]);

      if (inner->mixed == NULL)
        g_ptr_array_add (parts, envs[i]);
      for (guint k = 0; inner->mixed != NULL && k < inner->n_parts; k++)
        g_ptr_array_add (parts, inner->parts[k].env);
    }
  return parts;
}

gboolean
reel_env_mix (ReelEnv *self, ReelEnv *const *envs, guint n, const char *difference,
              ReelWorkers *workers, GError **error)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autoptr (GPtrArray) parts = list_parts (envs, n);

  reel_env_take_parts (self, (ReelEnv *const *) parts->pdata, parts->len);
  priv->mixed = g_new0 (ReelMixed, 1);
  priv->mixed->difference = g_strdup (difference);
  priv->mixed->workers = workers;
  return stack_specs (self, reel_env_get_observation_spec, &priv->observation_spec, error)
         && stack_specs (self, reel_env_get_action_spec, &priv->action_spec, error)
         && stack_specs (self, reel_env_get_reward_spec, &priv->reward_spec, error)
         && stack_specs (self, reel_env_get_done_spec, &priv->done_spec, error)
         && stack_specs (self, reel_env_get_state_spec, &priv->states.spec, error);
}

void
reel_mixed_free (ReelMixed *mixed)
{
  g_clear_object (&mixed->policy);
  g_clear_pointer (&mixed->policies, g_ptr_array_unref);
  g_free (mixed->difference);
  g_free (mixed);
}

gboolean
reel_env_is_mixed (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);
  return reel_env_get_private (self)->mixed != NULL;
}

gboolean
reel_env_check_alike (ReelEnv *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelMixed *mixed = reel_env_get_private (self)->mixed;

  if (mixed != NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "environments side by side need equal specs where their values are columns: %s",
                 mixed->difference);
  return mixed == NULL;
}

/* ---- parts, one after the other or side by side ---- */

/* Changes the rows of @part, or makes them; @i is its place. */
typedef gboolean (*PartFunc) (const ReelEnvPart *part, guint i, ReelTensordict **rows,
                              gpointer data, GError **error);

typedef struct
{
  const ReelEnvPrivate *priv;
  PartFunc func;
  gpointer data;
  ReelTensordict **rows;
  GError **errors;
  ReelWorkersClaim claim;
} Run;

static void
run_share (gpointer data, gint worker, gint n_workers)
{
  Run *run = data;
  gint64 begin, end;

  (void) worker;
  (void) n_workers;
  while (reel_workers_claim (&run->claim, &begin, &end))
    for (guint i = (guint) begin; i < (guint) end; i++)
      run->func (&run->priv->parts[i], i, &run->rows[i], run->data, &run->errors[i]);
}

/* The first error, in the order of the parts; the others are freed. */
static gboolean
settle_errors (GError **errors, guint n, GError **error)
{
  gboolean sound = TRUE;

  for (guint i = 0; i < n; i++)
    {
      if (errors[i] == NULL)
        continue;
      if (sound)
        g_propagate_prefixed_error (error, errors[i], "environment %u of %u: ", i, n);
      else
        g_error_free (errors[i]);
      sound = FALSE;
    }
  return sound;
}

static gboolean
run_parts (ReelEnv *self, PartFunc func, gpointer data, GPtrArray *rows, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autofree GError **errors = g_new0 (GError *, priv->n_parts);
  Run run = { priv, func, data, (ReelTensordict **) rows->pdata, errors, { 0 } };

  reel_workers_claim_init (&run.claim, priv->n_parts, 1);
  if (priv->mixed->workers != NULL)
    reel_workers_run (priv->mixed->workers, run_share, &run);
  else
    run_share (&run, 0, 1);
  return settle_errors (errors, priv->n_parts, error);
}

static void
free_rows (gpointer rows)
{
  if (rows != NULL)
    reel_tensordict_unref (rows);
}

/* New rows of all parts; the specs of each say which. */
static ReelTensordict *
make (ReelEnv *self, PartFunc func, gpointer data, GError **error)
{
  guint n = reel_env_get_private (self)->n_parts;
  g_autoptr (GPtrArray) rows = g_ptr_array_new_full (n, free_rows);

  g_ptr_array_set_size (rows, (gint) n);
  return run_parts (self, func, data, rows, error) ? reel_mixed_join (self, rows, error) : NULL;
}

/* The rows of @td after @func, in @td. */
static gboolean
change (ReelEnv *self, ReelTensordict *td, const char *asked, PartFunc func, gpointer data,
        GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (!reel_env_check_batch (self, td, error))
    return FALSE;
  rows = reel_mixed_take (self, td, error);
  return rows != NULL && run_parts (self, func, data, rows, error)
         && reel_mixed_give (self, rows, td, asked, error);
}

static ReelTensordict *
make_or_change (ReelEnv *self, ReelTensordict *td, const char *asked, PartFunc func, gpointer data,
                GError **error)
{
  if (td == NULL)
    return make (self, func, data, error);
  return change (self, td, asked, func, data, error) ? reel_tensordict_ref (td) : NULL;
}

/* Puts @made in the place of @rows. */
static gboolean
replace (ReelTensordict **rows, ReelTensordict *made)
{
  if (made == NULL)
    return FALSE;
  free_rows (*rows);
  *rows = made;
  return TRUE;
}

/* ---- resets and steps ---- */

static gboolean
reset_part (const ReelEnvPart *part, guint i, ReelTensordict **rows, gpointer data, GError **error)
{
  (void) i;
  (void) data;
  return replace (rows, reel_env_reset (part->env, *rows, error));
}

ReelTensordict *
reel_env_mixed_reset (ReelEnv *self, ReelTensordict *td, GError **error)
{
  return make_or_change (self, td, "_reset", reset_part, NULL, error);
}

static gboolean
step_part (const ReelEnvPart *part, guint i, ReelTensordict **rows, gpointer data, GError **error)
{
  (void) i;
  (void) data;
  return reel_env_step (part->env, *rows, error);
}

gboolean
reel_env_mixed_step (ReelEnv *self, ReelTensordict *td, GError **error)
{
  return change (self, td, "_step", step_part, NULL, error);
}

ReelTensordict *
reel_env_mixed_step_mdp (ReelEnv *self, const ReelTensordict *td, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autoptr (GPtrArray) rows =
      reel_env_check_batch (self, td, error) ? reel_mixed_take (self, td, error) : NULL;

  for (guint i = 0; rows != NULL && i < rows->len; i++)
    if (!replace ((ReelTensordict **) &rows->pdata[i],
                  reel_env_step_mdp (priv->parts[i].env, rows->pdata[i], error)))
      return NULL;
  return rows != NULL ? reel_mixed_join (self, rows, error) : NULL;
}

static gboolean
fake_part (const ReelEnvPart *part, guint i, ReelTensordict **rows, gpointer data, GError **error)
{
  (void) i;
  (void) data;
  return replace (rows, reel_env_make_fake (part->env, error));
}

ReelTensordict *
reel_env_mixed_make_fake (ReelEnv *self, GError **error)
{
  return make (self, fake_part, NULL, error);
}

/* ---- flags ---- */

static gboolean
truncate_part (const ReelEnvPart *part, guint i, ReelTensordict **rows, gpointer data,
               GError **error)
{
  (void) i;
  (void) data;
  return reel_env_truncate (part->env, *rows, error);
}

gboolean
reel_env_mixed_truncate (ReelEnv *self, ReelTensordict *last, GError **error)
{
  return change (self, last, NULL, truncate_part, NULL, error);
}

/* The lanes of @part that are done, in their places of @all. */
static gboolean
copy_done (const ReelEnvPart *part, const ReelTensordict *rows, ReelTensor *all, gboolean *any_flag,
           GError **error)
{
  g_autoptr (ReelTensor) done = NULL;

  if (!reel_env_done_mask (part->env, rows, &done, error))
    return FALSE;
  if (done == NULL)
    return TRUE;
  *any_flag = TRUE;
  memcpy (all->data + part->first, done->data, (gsize) (part->after - part->first));
  return TRUE;
}

gboolean
reel_env_mixed_done_mask (ReelEnv *self, const ReelTensordict *td, ReelTensor **mask,
                          GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autoptr (ReelTensor) all = reel_tensor_new (REEL_DTYPE_BOOL, 1, &priv->num_envs, error);
  g_autoptr (GPtrArray) rows = all != NULL && reel_env_check_batch (self, td, error)
                                   ? reel_mixed_take (self, td, error)
                                   : NULL;
  gboolean any_flag = FALSE;

  *mask = NULL;
  for (guint i = 0; rows != NULL && i < rows->len; i++)
    if (!copy_done (&priv->parts[i], rows->pdata[i], all, &any_flag, error))
      return FALSE;
  if (rows != NULL && any_flag)
    *mask = g_steal_pointer (&all);
  return rows != NULL;
}

/* ---- actions ---- */

void
reel_env_mixed_set_seed (ReelEnv *self, guint64 seed)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);

  priv->mixed->n_acted = 0;
  for (guint i = 0; i < priv->n_parts; i++)
    {
      ReelEnvLeaves *leaves = reel_env_get_leaves (priv->parts[i].env);

      leaves->seed = seed + (guint64) priv->parts[i].first;
      leaves->n_drawn = leaves->n_acted = 0;
    }
}

static gboolean
draw_part (const ReelEnvPart *part, guint i, ReelTensordict **rows, gpointer data, GError **error)
{
  (void) i;
  (void) data;
  return replace (rows, reel_env_rand_action (part->env, *rows, error));
}

ReelTensordict *
reel_env_mixed_rand_action (ReelEnv *self, ReelTensordict *td, GError **error)
{
  return make_or_change (self, td, NULL, draw_part, NULL, error);
}

gboolean
reel_env_mixed_take_actions (ReelEnv *self, ReelTensordict *actions, ReelTensordict *td,
                             GError **error)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (td, &n);

  for (gsize lane = 0; lane < n; lane++)
    {
      ReelEnv *part = reel_env_find_part (self, (gint64) lane)->env;
      const ReelEnvLeaves *leaves = reel_env_get_leaves (part);
      g_autoptr (ReelTensordict) own =
          reel_tensordict_select_index (actions, 0, (gint64) lane, error);

      if (own == NULL
          || !reel_tensordict_update (elements[lane], own,
                                      (const char *const *) leaves->actions.paths, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

static ReelPolicy *
copy_policy (ReelPolicy *policy, const ReelEnvPart *part, GError **error)
{
  if (REEL_POLICY_GET_CLASS (policy)->take_weights) /* the copies take new weights, too */
    return reel_policy_new_share (policy, reel_env_get_observation_spec (part->env),
                                  reel_env_get_action_spec (part->env), 0, part->after, error);

  g_autofree char *text = reel_object_to_text (REEL_OBJECT (policy));
  g_autoptr (ReelPolicy) copy = reel_object_new_from_text (REEL_TYPE_POLICY, text, error, NULL);
  gboolean bound = copy != NULL
                   && reel_policy_bind (copy, reel_env_get_observation_spec (part->env),
                                        reel_env_get_action_spec (part->env), part->after, error);

  return bound ? g_steal_pointer (&copy) : NULL;
}

gboolean
reel_env_mixed_bind_policy (ReelEnv *self, ReelPolicy *policy, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < priv->n_parts; i++)
    {
      ReelPolicy *copy = copy_policy (policy, &priv->parts[i], error);

      if (copy == NULL)
        {
          g_prefix_error (error, "environment %u of %u: ", i, priv->n_parts);
          return FALSE;
        }
      g_ptr_array_add (copies, copy);
    }
  g_set_object (&priv->mixed->policy, policy);
  g_clear_pointer (&priv->mixed->policies, g_ptr_array_unref);
  priv->mixed->policies = g_steal_pointer (&copies);
  return TRUE;
}

typedef struct
{
  const ReelMixed *mixed;
  gint64 step;
} Act;

static gboolean
act_part (const ReelEnvPart *part, guint i, ReelTensordict **rows, gpointer data, GError **error)
{
  const Act *act = data;

  return reel_env_act_in_lanes (part->env, act->mixed->policies->pdata[i], part->first, act->step,
                                *rows, error);
}

gboolean
reel_env_mixed_act (ReelEnv *self, ReelPolicy *policy, gint64 step, ReelTensordict *td,
                    GError **error)
{
  const ReelMixed *mixed = reel_env_get_private (self)->mixed;
  Act act = { mixed, step };

  if (mixed->policy != policy && !reel_env_mixed_bind_policy (self, policy, error))
    return FALSE;
  return change (self, td, NULL, act_part, &act, error);
}
