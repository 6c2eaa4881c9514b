#include "env-rollout.h"

#include "../core/tensordict/lazy-stack.h"
#include "../core/tensordict/shape.h"
#include "../core/tensordict/tensordict-update.h"
#include "../specs/spec-kind.h"
#include "env-lane-mask.h"
#include "env-policy.h"
#include "env-private.h"
#include "mixed-rows.h"

#include <string.h>

typedef struct
{
  ReelEnv *env;
  gint64 n_lanes;
  gint ndim; /* of a step */
  const ReelRolloutOptions *options;
  gint64 max_steps;
  GPtrArray *steps;    /* of ReelTensordict */
  ReelTensor *running; /* with ALL_DONE: lanes that were not done yet; NULL as long as all run */
} Rollout;

/* ---- acting ---- */

static gboolean
act_by_policy (Rollout *self, ReelTensordict *td, GError **error)
{
  gint64 *n_acted = reel_env_is_mixed (self->env)
                        ? &reel_env_get_private (self->env)->mixed->n_acted
                        : &reel_env_get_leaves (self->env)->n_acted;

  if (!reel_env_act (self->env, self->options->policy, *n_acted, td, error))
    return FALSE;
  ++*n_acted;
  return TRUE;
}

static gboolean
act_by_function (Rollout *self, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) acted = self->options->act (td, self->options->act_data, error);

  return acted != NULL && (acted == td || reel_tensordict_update (td, acted, NULL, FALSE, error));
}

static gboolean
act_as_given (Rollout *self, ReelTensordict *td, gint64 step, GError **error)
{
  g_autoptr (ReelTensordict) actions =
      reel_tensordict_select_index (self->options->actions, -1, step, error);

  if (actions == NULL)
    return FALSE;
  if (reel_env_is_mixed (self->env))
    return reel_env_mixed_take_actions (self->env, actions, td, error);
  return reel_tensordict_update (
      td, actions, (const char *const *) reel_env_get_leaves (self->env)->actions.paths, FALSE,
      error);
}

static gboolean
act (Rollout *self, ReelTensordict *td, gint64 step, GError **error)
{
  if (self->options->policy != NULL)
    return act_by_policy (self, td, error);
  if (self->options->act != NULL)
    return act_by_function (self, td, error);
  if (self->options->actions != NULL)
    return act_as_given (self, td, step, error);

  g_autoptr (ReelTensordict) acted = reel_env_rand_action (self->env, td, error);

  return acted != NULL;
}

/* ---- steps ---- */

/* Keeps the step, that of lanes that stand still as it was before. */
static gboolean
keep (Rollout *self, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) step = NULL;

  if (self->running != NULL && reel_env_is_mixed (self->env))
    step = reel_mixed_choose (self->running, td, self->steps->pdata[self->steps->len - 1], error);
  else if (self->running == NULL)
    step = reel_tensordict_clone (td, FALSE, error);
  else
    step =
        reel_tensordict_where (self->running, td, self->steps->pdata[self->steps->len - 1], error);
  if (step == NULL)
    return FALSE;
  g_ptr_array_add (self->steps, g_steal_pointer (&step));
  return TRUE;
}

/* Asks for steps of the lanes that were not done yet; whether there are any. */
static gboolean
go_on_without_done (Rollout *self, ReelTensordict *td, gboolean *goes_on, GError **error)
{
  g_autoptr (ReelTensor) done = NULL;

  *goes_on = TRUE;
  if (!reel_env_done_mask (self->env, td, &done, error))
    return FALSE;
  if (done == NULL)
    return TRUE;

  g_autoptr (ReelTensor) running = reel_tensor_clone (done, error);

  if (running == NULL)
    return FALSE;
  for (gint64 lane = 0; lane < self->n_lanes; lane++)
    running->data[lane] = !done->data[lane] && (self->running == NULL || self->running->data[lane]);
  *goes_on = reel_env_lane_mask_any (running);
  if (memchr (running->data, FALSE, (gsize) self->n_lanes) == NULL)
    return TRUE;
  g_clear_pointer (&self->running, reel_tensor_unref);
  self->running = g_steal_pointer (&running);
  return reel_tensordict_set_tensor (td, "_step", self->running, error);
}

/* The move after a step: @td becomes the start of the next. */
static gboolean
go_on (Rollout *self, ReelTensordict *step, ReelTensordict **td, gboolean *goes_on, GError **error)
{
  g_autoptr (ReelTensordict) next = reel_env_step_mdp (self->env, step, error);
  g_autoptr (ReelTensor) done = NULL;

  *goes_on = TRUE;
  if (next == NULL)
    return FALSE;
  switch (self->options->end)
    {
    case REEL_ROLLOUT_ANY_DONE:
      if (!reel_env_done_mask (self->env, next, &done, error))
        return FALSE;
      *goes_on = !reel_env_lane_mask_any (done);
      break;
    case REEL_ROLLOUT_ALL_DONE:
      if (!go_on_without_done (self, next, goes_on, error))
        return FALSE;
      break;
    case REEL_ROLLOUT_MAX_STEPS:
      if (!reel_env_maybe_reset (self->env, next, error))
        return FALSE;
      break;
    }
  if (*goes_on && self->options->callback != NULL)
    self->options->callback (self->env, self->options->end == REEL_ROLLOUT_MAX_STEPS ? step : next,
                             self->options->callback_data);
  reel_tensordict_unref (*td);
  *td = g_steal_pointer (&next);
  return TRUE;
}

static gboolean
run (Rollout *self, ReelTensordict *begin, GError **error)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_clone (begin, FALSE, error);
  gboolean goes_on = td != NULL;

  for (gint64 i = 0; goes_on && i < self->max_steps; i++)
    {
      if (!act (self, td, i, error) || !reel_env_step (self->env, td, error)
          || !keep (self, td, error))
        return FALSE;
      if (i + 1 < self->max_steps
          && !go_on (self, self->steps->pdata[self->steps->len - 1], &td, &goes_on, error))
        return FALSE;
    }
  return td != NULL;
}

/* ---- the result ---- */

static ReelTensordict *
stack (const Rollout *self, GError **error)
{
  ReelTensordict *const *steps = (ReelTensordict *const *) self->steps->pdata;

  if (reel_env_is_mixed (self->env))
    return reel_mixed_stack_steps (steps, self->steps->len, self->options->lazy, error);
  if (self->options->lazy)
    return reel_lazy_stack_new (steps, self->steps->len, self->ndim, error);

  g_autoptr (ReelTensordict) whole = reel_tensordict_stack (steps, self->steps->len, 0, error);

  if (whole == NULL || self->ndim == 0)
    return g_steal_pointer (&whole);
  return reel_tensordict_transpose (whole, 0, 1, error);
}

/* Sets a flag of the last step; its value in others is that of other readers, too. */
static gboolean
set_last (ReelTensordict *last, const ReelEnvLeaf *leaf, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", leaf->path, NULL);
  g_autoptr (ReelTensor) flag = reel_env_new_leaf (leaf, error);

  if (flag == NULL)
    return FALSE;
  memset (flag->data, TRUE, reel_tensor_nbytes (flag));
  return reel_tensordict_set_tensor (last, path, flag, error);
}

gboolean
reel_env_truncate (ReelEnv *self, ReelTensordict *last, GError **error)
{
  if (reel_env_is_mixed (self))
    return reel_env_mixed_truncate (self, last, error);

  const ReelEnvLeafList *flags = &reel_env_get_leaves (self)->flags;
  gboolean found = FALSE;

  for (gsize i = 0; i < flags->n; i++)
    {
      found |= g_str_has_suffix (flags->paths[i], "truncated");
      if (reel_env_flag_is_of_cuts (flags->paths[i]) && !set_last (last, &flags->list[i], error))
        return FALSE;
    }
  if (!found)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "cannot truncate the last step: %s has no flag \"truncated\"",
                 reel_object_get_id (REEL_OBJECT (self)));
  return found;
}

static ReelTensordict *
finish (const Rollout *self, GError **error)
{
  static const char *const names[] = { "...", "time" };
  ReelTensordict *out = self->options->out;

  if (self->options->set_truncated
      && !reel_env_truncate (self->env, self->steps->pdata[self->steps->len - 1], error))
    return NULL;

  g_autoptr (ReelTensordict) result = stack (self, error);

  if (result == NULL
      || (out != NULL && !reel_tensordict_update_in_place (out, result, NULL, error)))
    return NULL;
  if (out != NULL)
    {
      reel_tensordict_unref (result);
      result = reel_tensordict_ref (out);
    }
  if (!reel_tensordict_refine_names (result, 2, names, error))
    return NULL;
  return g_steal_pointer (&result);
}

/* ---- the whole ---- */

static gboolean
check_actions (Rollout *self, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (self->options->actions, &ndim);

  if (ndim != self->ndim + 1 || (ndim == 2 && size[0] != self->n_lanes) || size[ndim - 1] < 1)
    {
      g_autofree char *given = reel_spec_format_shape (ndim, size, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the actions of a rollout have a batch size of %s, and must have [%ssteps]",
                   given, self->ndim > 0 ? "lanes, " : "");
      return FALSE;
    }
  self->max_steps = MIN (self->max_steps, size[ndim - 1]);
  return TRUE;
}

/* Whether @out has room for as many steps can only be said when they are done. */
static gboolean
check (Rollout *self, GError **error)
{
  const ReelRolloutOptions *options = self->options;
  gint n_acting = (options->policy != NULL) + (options->act != NULL) + (options->actions != NULL);

  if (self->max_steps < 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "a rollout cannot have %" G_GINT64_FORMAT " steps: at least 1", self->max_steps);
  else if (n_acting > 1)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "Cannot pass both `policy` and `actions` to rollout().");
  else if (options->no_reset && options->tensordict == NULL)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "tensordict must be provided when auto_reset is False");
  else
    return (options->actions == NULL || check_actions (self, error))
           && (options->policy == NULL || reel_env_bind_policy (self->env, options->policy, error));
  return FALSE;
}

static ReelTensordict *
begin (const Rollout *self, GError **error)
{
  ReelTensordict *td = self->options->tensordict;

  if (!self->options->no_reset)
    return reel_env_reset (self->env, td, error);
  return reel_env_maybe_reset (self->env, td, error) ? reel_tensordict_ref (td) : NULL;
}

ReelTensordict *
reel_env_rollout (ReelEnv *self, gint64 max_steps, const ReelRolloutOptions *options,
                  GError **error)
{
  static const ReelRolloutOptions defaults;
  g_autoptr (GPtrArray) steps =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  Rollout rollout = { .env = self,
                      .options = options != NULL ? options : &defaults,
                      .max_steps = max_steps,
                      .steps = steps };
  g_autoptr (ReelTensordict) first = NULL;
  ReelTensordict *result = NULL;

  g_return_val_if_fail (REEL_IS_ENV (self), NULL);

  rollout.n_lanes = reel_env_get_num_envs (self);
  rollout.ndim = rollout.n_lanes > 1;
  if (check (&rollout, error))
    first = begin (&rollout, error);
  if (first != NULL && run (&rollout, first, error))
    result = finish (&rollout, error);
  g_clear_pointer (&rollout.running, reel_tensor_unref);
  return result;
}
