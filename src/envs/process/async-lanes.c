#include "async-lanes.h"

#include <string.h>

#include "../env-private.h"

/* ---- columns ---- */

/* add_columns: leaves of all lanes, also of an env of a single one, which has no batch size. */
static gboolean
add_columns (ReelTensordict *td, const ReelEnvLeaves *leaves, const ReelEnvLeafList *list,
             guint8 **pointers, GError **error)
{
  for (gsize i = 0; i < list->n; i++)
    {
      g_autoptr (ReelTensor) made = reel_env_new_leaf (&list->list[i], error);
      g_autoptr (ReelTensor) column = NULL;

      if (made == NULL)
        return FALSE;
      column = leaves->ndim == 0 ? reel_tensor_unsqueeze (made, 0, error) : reel_tensor_ref (made);
      if (column == NULL || !reel_tensordict_set_tensor (td, list->paths[i], column, error))
        return FALSE;
      pointers[i] = column->data;
    }
  return TRUE;
}

/* point: rewards and flags are those of the lane, then those of each group. */
static void
point (ReelAsyncLanes *self, guint8 *const *rewards, guint8 *const *flags, gsize n)
{
  for (gsize i = 0; i < n; i++)
    self->groups[i] = (ReelEnvGroupStep){
      .reward = (float *) (gpointer) rewards[i],
      .done = flags[3 * i],
      .terminated = flags[3 * i + 1],
      .truncated = flags[3 * i + 2],
    };
  self->io = (ReelEnvIO){
    .action = self->actions,
    .observation = self->observation,
    .reward = self->groups[0].reward,
    .terminated = self->groups[0].terminated,
    .truncated = self->groups[0].truncated,
    .done = self->groups[0].done,
    .groups = self->groups + 1,
  };
}

static gboolean
make_columns (ReelAsyncLanes *self, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self->env);
  g_autofree guint8 **rewards = g_new (guint8 *, leaves->rewards.n);
  g_autofree guint8 **flags = g_new (guint8 *, leaves->flags.n);

  self->action = reel_tensordict_new (1, &self->n_lanes);
  self->next = reel_tensordict_new (1, &self->n_lanes);
  self->first = reel_tensordict_new (1, &self->n_lanes);
  self->actions = g_new0 (const guint8 *, leaves->actions.n + 1);
  self->observation = g_new0 (guint8 *, leaves->observations.n + 1);
  self->first_observation = g_new0 (guint8 *, leaves->observations.n + 1);
  self->groups = g_new0 (ReelEnvGroupStep, leaves->rewards.n);
  if (!add_columns (self->action, leaves, &leaves->actions, (guint8 **) self->actions, error)
      || !add_columns (self->next, leaves, &leaves->observations, self->observation, error)
      || !add_columns (self->next, leaves, &leaves->rewards, rewards, error)
      || !add_columns (self->next, leaves, &leaves->flags, flags, error)
      || !add_columns (self->first, leaves, &leaves->observations, self->first_observation, error))
    return FALSE;
  point (self, rewards, flags, leaves->rewards.n);
  return TRUE;
}

/* ---- threads ---- */

static gint64
end_of (const ReelAsyncLanes *self, gint64 unit)
{
  return MIN ((unit + 1) * self->unit, self->n_lanes);
}

/* work: a step of the lanes of a unit, and the resets that follow it. */
static void
work (gpointer data, gint64 unit)
{
  ReelAsyncLanes *self = data;
  gint64 begin = unit * self->unit, end = end_of (self, unit);
  gint64 *listed = self->listed + begin;
  gsize n = 0;

  self->work.step (self->work.data, begin, end, &self->io);
  for (gint64 lane = begin; lane < end; lane++)
    if (self->io.done[lane])
      listed[n++] = lane;
  if (n > 0)
    self->work.reset (self->work.data, listed, n, self->first_observation);
}

/* ---- lanes on their way ---- */

void
reel_async_lanes_post (ReelAsyncLanes *self, gint64 lane)
{
  gint64 unit = lane / self->unit;

  self->states[lane] = REEL_ASYNC_SENT;
  reel_env_get_private (self->env)->n_sent++;
  if (--self->n_missing[unit] > 0)
    return;
  self->n_working += end_of (self, unit) - unit * self->unit;
  reel_errands_send (self->errands, unit);
}

static void
arrive (ReelAsyncLanes *self, gint64 unit)
{
  gint64 begin = unit * self->unit, end = end_of (self, unit);

  for (gint64 lane = begin; lane < end; lane++)
    {
      self->states[lane] = REEL_ASYNC_READY;
      self->ready[self->n_ready++] = lane;
    }
  self->n_missing[unit] = end - begin;
  self->n_working -= end - begin;
}

/* look: whether all lanes that arrived were simulated. */
static gboolean
look (ReelAsyncLanes *self)
{
  return reel_env_check_faults (self->env, self->failure == NULL ? &self->failure : NULL);
}

gboolean
reel_async_lanes_await (ReelAsyncLanes *self, gint64 n, gint64 deadline)
{
  while (self->n_ready < n)
    {
      gint64 unit = reel_errands_take (self->errands, deadline);

      if (unit < 0)
        return FALSE;
      arrive (self, unit);
      if (!look (self))
        return FALSE;
    }
  return TRUE;
}

void
reel_async_lanes_settle (ReelAsyncLanes *self)
{
  if (self->n_working == 0)
    return;
  while (self->n_working > 0)
    arrive (self, reel_errands_take (self->errands, -1));
  look (self);
}

/* ---- lanes that are idle again ---- */

static void
clear (ReelAsyncLanes *self, gint64 lane)
{
  self->states[lane] = REEL_ASYNC_IDLE;
  reel_env_get_private (self->env)->n_sent--;
  g_clear_pointer (&self->rows[lane], reel_tensordict_unref);
}

void
reel_async_lanes_release (ReelAsyncLanes *self, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    clear (self, self->ready[i]);
  self->n_ready -= n;
  memmove (self->ready, self->ready + n, (gsize) self->n_ready * sizeof *self->ready);
}

void
reel_async_lanes_forget (ReelAsyncLanes *self, const gint64 *lanes, gsize n)
{
  gint64 n_kept = 0;

  if (reel_env_get_private (self->env)->n_sent == 0)
    return;
  reel_async_lanes_settle (self);
  for (gsize i = 0; i < n; i++)
    if (self->states[lanes[i]] != REEL_ASYNC_IDLE)
      {
        self->n_missing[lanes[i] / self->unit] += self->states[lanes[i]] == REEL_ASYNC_SENT;
        clear (self, lanes[i]);
      }
  for (gint64 i = 0; i < self->n_ready; i++)
    if (self->states[self->ready[i]] == REEL_ASYNC_READY)
      self->ready[n_kept++] = self->ready[i];
  self->n_ready = n_kept;
  if (reel_env_get_private (self->env)->n_sent == 0)
    g_clear_error (&self->failure);
}

/* ---- the whole ---- */

ReelAsyncLanes *
reel_async_lanes_new (ReelEnv *env, gint64 unit, gint n_threads, const ReelAsyncWork *does,
                      GError **error)
{
  ReelAsyncLanes *self = g_new0 (ReelAsyncLanes, 1);
  gint64 n_units;

  self->env = env;
  self->n_lanes = reel_env_get_num_envs (env);
  self->unit = MIN (unit, self->n_lanes);
  self->work = *does;
  n_units = (self->n_lanes + self->unit - 1) / self->unit;
  self->rows = g_new0 (ReelTensordict *, self->n_lanes);
  self->states = g_new0 (guint8, self->n_lanes);
  self->ready = g_new (gint64, self->n_lanes);
  self->listed = g_new (gint64, self->n_lanes);
  self->n_missing = g_new (gint64, n_units);
  for (gint64 i = 0; i < n_units; i++)
    self->n_missing[i] = end_of (self, i) - i * self->unit;
  if (make_columns (self, error))
    self->errands = reel_errands_new ((gint) MIN (n_threads, n_units), n_units, work, self, error);
  if (self->errands != NULL)
    return self;
  reel_async_lanes_free (self);
  return NULL;
}

void
reel_async_lanes_free (ReelAsyncLanes *self)
{
  if (self == NULL)
    return;
  reel_errands_free (self->errands);
  reel_env_get_private (self->env)->n_sent = 0;
  for (gint64 lane = 0; lane < self->n_lanes; lane++)
    g_clear_pointer (&self->rows[lane], reel_tensordict_unref);
  g_clear_pointer (&self->action, reel_tensordict_unref);
  g_clear_pointer (&self->next, reel_tensordict_unref);
  g_clear_pointer (&self->first, reel_tensordict_unref);
  g_clear_error (&self->failure);
  g_free (self->actions);
  g_free (self->observation);
  g_free (self->first_observation);
  g_free (self->groups);
  g_free (self->rows);
  g_free (self->states);
  g_free (self->n_missing);
  g_free (self->ready);
  g_free (self->listed);
  g_free (self);
}
