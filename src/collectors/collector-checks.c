#include "collector-checks.h"

#include "../specs/spec.h"

#include <string.h>

gboolean
reel_collector_changes_batches (const ReelCollectorParts *parts)
{
  return parts->split_trajs || parts->postproc != NULL || parts->trajs_per_batch > 0;
}

gboolean
reel_collector_writes_in_place (const ReelCollectorParts *parts)
{
  gint ndim = parts->step_lanes > 1 ? 2 : 1;

  return parts->buffer && reel_replay_buffer_can_reserve (parts->buffer)
         && !reel_collector_changes_batches (parts)
         && (!parts->extend_buffer
             || reel_storage_get_ndim (reel_replay_buffer_get_storage (parts->buffer)) == ndim);
}

/* ---- properties ---- */

static gboolean
refuse (GError **error, ReelError code, const char *message)
{
  g_set_error_literal (error, REEL_ERROR, code, message);
  return FALSE;
}

static gboolean
check_ids (const ReelCollectorParts *parts, GError **error)
{
  if (parts->track_traj_ids)
    return TRUE;
  if (parts->split_trajs)
    return refuse (error, REEL_ERROR_VALUE,
                   "split-trajs=true needs trajectory ids: track-traj-ids=true");
  if (parts->trajs_per_batch > 0)
    return refuse (error, REEL_ERROR_KEY,
                   "trajs-per-batch needs \"collector/traj_ids\": track-traj-ids=true");
  if (parts->resume)
    return refuse (error, REEL_ERROR_VALUE,
                   "resume=true needs trajectory ids: track-traj-ids=true");
  return TRUE;
}

/* Rows that other collectors have are not counted. */
static gboolean
check_numbers (const ReelCollectorParts *parts, GError **error)
{
  const ReelLaneNumbers *numbers = &parts->numbers;
  gint64 lanes = reel_env_get_num_envs (parts->env);

  if (numbers->all == 0 && numbers->first == 0)
    return TRUE;
  if (numbers->all > 0 && parts->init_random_frames > 0)
    return refuse (error, REEL_ERROR_VALUE,
                   "init-random-frames counts the rows of all lanes, and all-lanes is for a "
                   "collector that has some of them: leave one of them out");
  if (numbers->first <= numbers->all - lanes)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "first-lane=%" G_GINT64_FORMAT ",all-lanes=%" G_GINT64_FORMAT
               ": there are no %" G_GINT64_FORMAT " lanes from there on",
               numbers->first, numbers->all, lanes);
  return FALSE;
}

static gboolean
check_trajectories (const ReelCollectorParts *parts, GError **error)
{
  if (parts->trajs_per_batch == 0)
    return parts->traj_format == REEL_TRAJ_NONE
           || refuse (error, REEL_ERROR_VALUE,
                      "traj-format has no effect unless batches are whole trajectories: set "
                      "trajs-per-batch");
  if (parts->set_truncated)
    return refuse (error, REEL_ERROR_VALUE,
                   "set-truncated=true ends trajectories where batches of steps do, and "
                   "trajs-per-batch puts whole ones together: leave one of them out");
  if (!parts->extend_buffer)
    return refuse (error, REEL_ERROR_VALUE,
                   "extend-buffer=false writes steps as they come, and trajs-per-batch whole "
                   "trajectories: leave one of them out");
  return TRUE;
}

static gboolean
check_written (const ReelCollectorParts *parts, GError **error)
{
  if (parts->buffer == NULL)
    return TRUE;
  if (parts->return_same_td)
    return refuse (error, REEL_ERROR_TYPE,
                   "return-same-td=true is for batches that are handed out, and those of a "
                   "collector with a buffer are not: leave it out");
  if (parts->extend_buffer)
    return TRUE;
  if (parts->postproc)
    return refuse (error, REEL_ERROR_TYPE,
                   "postproc changes whole batches, and extend-buffer=false writes each step for "
                   "itself: extend-buffer=true, or append the transform to the buffer");
  if (parts->split_trajs)
    return refuse (error, REEL_ERROR_TYPE,
                   "split-trajs=true splits whole batches, and extend-buffer=false writes each "
                   "step for itself: extend-buffer=true");
  return TRUE;
}

static gboolean
check_truncated (const ReelCollectorParts *parts, GError **error)
{
  g_auto (GStrv) flags = reel_spec_list_leaves (reel_env_get_done_spec (parts->env));

  if (!parts->set_truncated)
    return TRUE;
  if (parts->resume)
    return refuse (error, REEL_ERROR_VALUE,
                   "resume=true needs flags as the environment set them: a run with "
                   "set-truncated=true cannot be resumed");
  for (char **flag = flags; *flag; flag++)
    if (g_str_equal (*flag, "truncated") || g_str_has_suffix (*flag, "/truncated"))
      return TRUE;
  return refuse (
      error, REEL_ERROR_RUNTIME,
      "set-truncated=true needs a flag \"truncated\", and the environment has none: give "
      "it one, as max-frames-per-traj or a step-counter does, or leave it out");
}

static gboolean
check_resumable (const ReelCollectorParts *parts, GError **error)
{
  if (!parts->resume)
    return TRUE;
  if (reel_collector_changes_batches (parts))
    return refuse (error, REEL_ERROR_VALUE,
                   "resume=true needs rows as the environment was stepped: a run whose batches are "
                   "split, processed or put together cannot be resumed");
  if (parts->buffer && reel_replay_buffer_can_reserve (parts->buffer)
      && (parts->extend_buffer || parts->step_lanes == 1
          || reel_storage_get_ndim (reel_replay_buffer_get_storage (parts->buffer)) == 2))
    return TRUE;
  return refuse (error, REEL_ERROR_VALUE,
                 "resume=true needs a buffer with a storage that a collector writes in place");
}

gboolean
reel_collector_check_properties (const ReelCollectorParts *parts, GError **error)
{
  return check_ids (parts, error) && check_numbers (parts, error)
         && check_trajectories (parts, error) && check_written (parts, error)
         && check_truncated (parts, error) && check_resumable (parts, error);
}

/* ---- the buffer ---- */

static gboolean
refuse_ndim (const ReelCollectorParts *parts, const char *needs, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the buffer's storage has ndim=%d, but %s of %" G_GINT64_FORMAT " lanes needs %s",
               reel_storage_get_ndim (reel_replay_buffer_get_storage (parts->buffer)),
               reel_object_get_id (REEL_OBJECT (parts->env)), parts->step_lanes, needs);
  return FALSE;
}

/* Rows `[T]` have one length, and so have batches then. */
static gboolean
check_length (const ReelCollectorParts *parts, GError **error)
{
  gint64 lanes = parts->step_lanes;
  gint64 batch = (parts->frames_per_batch + lanes - 1) / lanes * lanes;

  if (parts->total_frames < 0 || parts->split_trajs
      || (parts->total_frames + lanes - 1) / lanes * lanes % batch == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the buffer's storage has ndim=1, so each lane of a batch is a row of it, and the "
               "last batch would be shorter than the others: total-frames must be a multiple of "
               "%" G_GINT64_FORMAT ", or ndim=2",
               batch);
  return FALSE;
}

gboolean
reel_collector_check_storage (const ReelCollectorParts *parts, GError **error)
{
  gint ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (parts->buffer));
  gboolean lanes = parts->step_lanes > 1;

  if (parts->trajs_per_batch > 0)
    return ndim == 1 || refuse_ndim (parts, "ndim=1: trajs-per-batch writes a row a step", error);
  if (ndim > (lanes || parts->split_trajs ? 2 : 1))
    return refuse_ndim (parts, lanes ? "ndim=2" : "ndim=1", error);
  if (parts->resume && ndim != (lanes ? 2 : 1))
    return refuse_ndim (parts, "ndim=2: resume=true", error);
  return ndim == 2 || !lanes || !parts->extend_buffer || check_length (parts, error);
}

gboolean
reel_collector_check_episodes (const ReelCollectorParts *parts, gint64 total_episodes,
                               GError **error)
{
  if (total_episodes == 0 || (!parts->reset_at_each_iter && !parts->set_truncated))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "total-episodes counts the episodes that the environment ends, and %s=true ends "
               "others: leave one of them out",
               parts->reset_at_each_iter ? "reset-at-each-iter" : "set-truncated");
  return FALSE;
}
