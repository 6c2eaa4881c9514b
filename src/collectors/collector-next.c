/* One batch after the other: what is asked of the kind, and what becomes of its steps. */
#include "collector-fields.h"

#include "../core/tensordict/shape.h"
#include "finished-batch.h"

/* ---- the end of collecting ---- */

void
reel_collector_stop (ReelCollector *self)
{
  /* No check of the type: it takes locks that a signal's handler may not. */
  atomic_store_explicit (&reel_collector_get_private (self)->stopped, TRUE, memory_order_relaxed);
}

void
reel_collector_interrupt (ReelCollector *self)
{
  atomic_store_explicit (&reel_collector_get_private (self)->interrupted, TRUE,
                         memory_order_relaxed);
}

gboolean
reel_collector_is_stopped (ReelCollector *self)
{
  return atomic_load_explicit (&reel_collector_get_private (self)->stopped, memory_order_relaxed);
}

gboolean
reel_collector_ends_batch (ReelCollector *self, gint64 n_steps)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);

  return reel_collector_is_stopped (self)
         || (n_steps > 0 && atomic_load_explicit (&priv->interrupted, memory_order_relaxed));
}

/* is_at_end: whether it was stopped, and no batch that was begun before is still to come. */
static gboolean
is_at_end (ReelCollector *self)
{
  const ReelCollectorClass *klass = REEL_COLLECTOR_GET_CLASS (self);

  return reel_collector_is_stopped (self)
         && (klass->is_under_way == NULL || !klass->is_under_way (self));
}

/* ---- hooks ---- */

void
reel_collector_set_hooks (ReelCollector *self, ReelCollectorPreHook pre, ReelCollectorPostHook post,
                          gpointer user_data, GDestroyNotify destroy)
{
  g_return_if_fail (REEL_IS_COLLECTOR (self));

  ReelCollectorHooks *hooks = &reel_collector_get_private (self)->hooks, old = *hooks;

  *hooks = (ReelCollectorHooks){ pre, post, user_data, destroy };
  if (old.destroy)
    old.destroy (old.data);
}

static gboolean
call_pre (ReelCollector *self, GError **error)
{
  const ReelCollectorHooks *hooks = &reel_collector_get_private (self)->hooks;

  return hooks->pre == NULL || hooks->pre (self, hooks->data, error);
}

static gboolean
call_post (ReelCollector *self, ReelTensordict *batch, GError **error)
{
  const ReelCollectorHooks *hooks = &reel_collector_get_private (self)->hooks;

  return hooks->post == NULL || batch == NULL || hooks->post (self, batch, hooks->data, error);
}

/* read_written: the last @n_steps of a buffer that is written in place, as far as it has them. */
static ReelTensordict *
read_written (ReelCollectorPrivate *priv, gint64 n_steps, GError **error)
{
  static const char *const names[] = { NULL, "time" };
  ReelReplayBuffer *buffer = priv->parts.buffer;
  ReelStorageView view;
  g_autoptr (ReelTensordict) rows = NULL, steps = NULL, lanes = NULL;
  gint64 first;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  first = MAX (view.end_row - n_steps * view.lanes, view.first_row);
  rows = reel_replay_buffer_get_numbered_rows (buffer, first, view.end_row - first, error);
  if (rows == NULL || view.lanes == 1)
    return g_steal_pointer (&rows);
  steps = reel_tensordict_unflatten (
      rows, 0, 2, (const gint64[]){ (view.end_row - first) / view.lanes, view.lanes }, error);
  lanes = steps ? reel_tensordict_transpose (steps, 0, 1, error) : NULL;
  if (lanes == NULL || !reel_tensordict_set_names (lanes, names, error))
    return NULL;
  return g_steal_pointer (&lanes);
}

static gboolean
show_written (ReelCollector *self, gint64 n_steps, GError **error)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  g_autoptr (ReelTensordict) steps = NULL;

  if (priv->hooks.post == NULL)
    return TRUE;
  steps = read_written (priv, n_steps, error);
  return steps && call_post (self, steps, error);
}

/* ---- steps as they are ---- */

/* extend: by steps as rows, where each is written for itself. */
static gboolean
extend (const ReelCollectorPrivate *priv, ReelTensordict *steps, GError **error)
{
  g_autoptr (ReelTensordict) rows = NULL;

  if (priv->parts.extend_buffer || priv->n_lanes == 1
      || reel_storage_get_ndim (reel_replay_buffer_get_storage (priv->parts.buffer)) == 2)
    return reel_replay_buffer_extend (priv->parts.buffer, steps, NULL, error);
  rows = reel_tensordict_transpose (steps, 0, 1, error);
  return rows && reel_replay_buffer_extend (priv->parts.buffer, rows, NULL, error);
}

/* keep: what is handed out and not the kind's. */
static void
keep (ReelCollectorPrivate *priv, ReelTensordict *batch)
{
  g_clear_pointer (&priv->batch, reel_tensordict_unref);
  priv->batch = batch;
}

/* hand_steps: to the buffer, or out; a batch that was cut short is padded to @task then. */
static gboolean
hand_steps (ReelCollector *self, ReelTensordict *steps, gint64 n_missing, ReelTensordict **batch,
            GError **error)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  const ReelCollectorParts *parts = &priv->parts;
  g_autoptr (ReelTensordict) made = NULL;

  if (parts->buffer == NULL && batch == NULL && priv->hooks.post == NULL
      && !reel_collector_changes_batches (parts))
    return TRUE;
  if (!reel_collector_finish_batch (parts, steps, parts->buffer ? 0 : n_missing, &made, error)
      || (parts->buffer && made && !extend (priv, made, error)) || !call_post (self, made, error))
    return FALSE;
  if (parts->buffer)
    return TRUE;
  if (batch)
    *batch = made;
  if (made != steps)
    keep (priv, g_steal_pointer (&made));
  return TRUE;
}

/* ---- whole trajectories ---- */

static ReelTensordict *
take_whole (ReelCollectorPrivate *priv, gint64 n, gint64 *n_steps, GError **error)
{
  g_autoptr (ReelTensordict) steps = reel_whole_trajectories_take (priv->whole, n, error);
  ReelTensordict *result;

  if (steps == NULL)
    return NULL;
  *n_steps = reel_tensordict_numel (steps);
  return reel_collector_finish_trajectories (&priv->parts, steps, &result, error) ? result : NULL;
}

/* write_whole: as many at a time as are asked for; @all also those that are fewer. */
static gboolean
write_whole (ReelCollectorPrivate *priv, gboolean all, GError **error)
{
  gint64 n = MAX (priv->parts.trajs_per_write, 1), left, n_steps;

  while ((left = reel_whole_trajectories_count (priv->whole)) >= n || (all && left > 0))
    {
      g_autoptr (ReelTensordict) rows = take_whole (priv, MIN (n, left), &n_steps, error);

      if (rows == NULL || !reel_replay_buffer_extend (priv->parts.buffer, rows, NULL, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
gather_whole (ReelCollector *self, ReelTensordict *steps, GError **error)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);

  return reel_whole_trajectories_add (priv->whole, steps, error)
         && (priv->parts.buffer == NULL || write_whole (priv, FALSE, error))
         && call_post (self, steps, error);
}

static gint64
hand_whole (ReelCollectorPrivate *priv, ReelTensordict **batch, GError **error)
{
  gint64 n_steps;
  ReelTensordict *made = take_whole (priv, priv->parts.trajs_per_batch, &n_steps, error);

  if (made == NULL)
    return -1;
  keep (priv, made);
  if (batch)
    *batch = made;
  return n_steps;
}

/* ---- a batch ---- */

static gint64
count_frames (const ReelCollectorPrivate *priv)
{
  ReelReplayBuffer *buffer = priv->parts.buffer;
  gint64 lanes;

  if (buffer == NULL)
    return priv->n_steps * priv->n_lanes;
  lanes = MAX (reel_storage_get_lanes (reel_replay_buffer_get_storage (buffer)), 1);
  return reel_replay_buffer_get_write_count (buffer) * lanes;
}

/* returns_same: the buffer copies what it gets, and nobody else sees it. */
static gboolean
returns_same (const ReelCollectorPrivate *priv)
{
  const ReelCollectorParts *parts = &priv->parts;

  return parts->return_same_td
         || (parts->buffer && !priv->hooks.post && !reel_collector_changes_batches (parts));
}

/* plan: the next batch. One that begins in the middle, after a failure or in a run that was
 * stopped there, is the rest of it: what is decided by batch is decided as it was. */
static ReelCollectorTask
plan (const ReelCollectorPrivate *priv)
{
  const ReelCollectorParts *parts = &priv->parts;
  gint64 n_steps = priv->steps_left > 0 ? priv->steps_left : priv->batch_steps;
  gint64 begun = priv->batch_steps - n_steps;

  if (parts->total_frames >= 0)
    n_steps =
        MIN (n_steps, (parts->total_frames + priv->n_lanes - 1) / priv->n_lanes - priv->n_steps);
  return (ReelCollectorTask){
    .n_steps = n_steps,
    .is_random =
        parts->random && count_frames (priv) - begun * priv->n_lanes < parts->init_random_frames,
    .restarts =
        priv->restarts
        || (parts->reset_at_each_iter && begun == 0 && priv->first_step + priv->n_steps > 0),
    .truncates = parts->set_truncated,
    .returns_same = returns_same (priv),
  };
}

/* hand: steps that were collected, to wherever they go. */
static gboolean
hand (ReelCollector *self, ReelTensordict *steps, gint64 n_steps, gint64 n_missing,
      ReelTensordict **batch, GError **error)
{
  if (n_steps == 0)
    return TRUE;
  if (steps == NULL)
    return show_written (self, n_steps, error);
  if (reel_collector_get_private (self)->whole)
    return gather_whole (self, steps, error);
  return hand_steps (self, steps, n_missing, batch, error);
}

/* count_missing: steps of a batch that was cut short, which are to be padding. */
static gint64
count_missing (ReelCollector *self, const ReelCollectorTask *task, gint64 n_steps)
{
  atomic_int *interrupted = &reel_collector_get_private (self)->interrupted;

  atomic_store_explicit (interrupted, FALSE, memory_order_relaxed);
  return reel_collector_is_stopped (self) ? 0 : MAX (task->n_steps - n_steps, 0);
}

static void
begin (ReelCollectorPrivate *priv, const ReelCollectorTask *task)
{
  if (priv->whole && task->restarts)
    reel_whole_trajectories_drop (priv->whole, FALSE);
  priv->restarts = FALSE;
}

/* collect: a batch of steps, which was planned. */
static gint64
collect (ReelCollector *self, const ReelCollectorTask *task, ReelTensordict **batch, GError **error)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  ReelTensordict *steps = NULL;
  gint64 n_steps = 0;
  gboolean done;

  begin (priv, task);
  done = reel_policy_take_weights (priv->parts.policy, error)
         && REEL_COLLECTOR_GET_CLASS (self)->collect (self, task, &n_steps, &steps, error);
  priv->n_steps += n_steps;
  if (!done)
    {
      priv->steps_left = (priv->steps_left > 0 ? priv->steps_left : priv->batch_steps) - n_steps;
      /* Steps that were complete before the failure are stored all the same. */
      if ((priv->parts.buffer || priv->whole) && steps)
        hand (self, steps, n_steps, 0, NULL, NULL);
      return -1;
    }
  priv->steps_left = 0;
  if (!hand (self, steps, n_steps, count_missing (self, task, n_steps), batch, error))
    return -1;
  priv->n_batches += n_steps > 0;
  return n_steps * priv->n_lanes;
}

static gint64
end (ReelCollectorPrivate *priv, GError **error)
{
  return priv->whole && priv->parts.buffer && !write_whole (priv, TRUE, error) ? -1 : 0;
}

gint64
reel_collector_next_batch (ReelCollector *self, ReelTensordict **batch, GError **error)
{
  ReelCollectorPrivate *priv = reel_collector_get_private (self);
  gboolean hands_whole = priv->whole && priv->parts.buffer == NULL;
  gint64 rows = 0;

  if (batch)
    *batch = NULL;
  do
    {
      const ReelCollectorTask task = plan (priv);

      if (hands_whole && reel_whole_trajectories_count (priv->whole) >= priv->parts.trajs_per_batch)
        return hand_whole (priv, batch, error);
      priv->collected = task.n_steps > 0 && !is_at_end (self);
      if (!priv->collected)
        return end (priv, error);
      if (!call_pre (self, error))
        return -1;
      rows = collect (self, &task, batch, error);
    }
  while (hands_whole && rows > 0);
  return rows == 0 ? end (priv, error) : rows;
}

gboolean
reel_collector_check_free (ReelCollector *self, GError **error)
{
  const ReelCollectorPrivate *priv = reel_collector_get_private (self);

  if (priv->is_shut)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "the collector was shut down: make a new one");
  else if (reel_collector_background_is_busy (priv->background))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "the collector collects in the background: pause it first");
  else
    return TRUE;
  return FALSE;
}

gint64
reel_collector_next (ReelCollector *self, ReelTensordict **batch, GError **error)
{
  g_return_val_if_fail (REEL_IS_COLLECTOR (self), -1);

  if (batch)
    *batch = NULL;
  return reel_collector_check_free (self, error) ? reel_collector_next_batch (self, batch, error)
                                                 : -1;
}
