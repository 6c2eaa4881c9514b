#include "run-start.h"

gint64
reel_run_start_count_steps (ReelReplayBuffer *buffer)
{
  ReelStorageView view;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  return view.end_row / view.lanes;
}

/* resume_lanes: by playing the last episodes again. */
static gboolean
resume_lanes (ReelRunStart *self, const ReelCollectorParts *parts, ReelRolloutWorker *rollout,
              GError **error)
{
  g_autoptr (ReelResumedLanes) resumed = reel_resumed_lanes_new (parts->buffer, parts->env, error);

  if (resumed == NULL)
    return FALSE;
  if (resumed->n_steps > 0)
    reel_rollout_worker_resume (rollout, resumed);
  self->n_steps = resumed->n_steps;
  self->begun = resumed->n_steps > 0;
  self->n_episodes = reel_rollout_worker_get_episodes (rollout)->episodes_before;
  return !self->begun || reel_env_check_faults (parts->env, error);
}

/* Rows do not tell what outlasts episodes. It is saved with each commit. */
static gboolean
resume_state (ReelRunStart *self, const ReelCollectorParts *parts, ReelRolloutWorker *rollout,
              GError **error)
{
  gint64 n_steps = reel_run_start_count_steps (parts->buffer);
  const guint8 *state;

  if (n_steps == 0)
    return TRUE;
  if (!reel_collector_check_run (parts->buffer, parts->env, error))
    return FALSE;
  state = reel_run_state_find (self->state, n_steps, error);
  if (state == NULL)
    {
      g_prefix_error (error, "the run cannot be resumed: ");
      return FALSE;
    }
  reel_rollout_worker_set_state (rollout, 0, reel_env_get_num_envs (parts->env), state);
  self->n_steps = n_steps;
  self->begun = TRUE;
  self->n_episodes = reel_rollout_worker_get_episodes (rollout)->episodes_before;
  return reel_env_check_faults (parts->env, error);
}

static gboolean
open_state (ReelRunStart *self, const ReelCollectorParts *parts, const ReelRolloutWorker *rollout,
            GError **error)
{
  gsize bytes = reel_rollout_worker_get_state_size (rollout, reel_env_get_num_envs (parts->env));

  if (!reel_env_has_state (parts->env))
    return TRUE;
  self->state = reel_replay_buffer_open_run_state (
      parts->buffer, bytes, parts->resume && reel_run_start_count_steps (parts->buffer) > 0, error);
  if (self->state == NULL)
    g_prefix_error (error, parts->resume ? "the run cannot be resumed: " : "");
  return self->state != NULL;
}

gboolean
reel_run_start_open (ReelRunStart *self, const ReelCollectorParts *parts,
                     ReelRolloutWorker *rollout, GError **error)
{
  *self = (ReelRunStart){ 0 };
  if (reel_env_outlasts_episodes (parts->env) && !open_state (self, parts, rollout, error))
    return FALSE;
  if (!parts->resume)
    return TRUE;
  if (reel_run_start_count_steps (parts->buffer) > 0
      && !reel_lane_numbers_check (&parts->numbers, parts->buffer, error))
    return FALSE;
  return self->state ? resume_state (self, parts, rollout, error)
                     : resume_lanes (self, parts, rollout, error);
}
