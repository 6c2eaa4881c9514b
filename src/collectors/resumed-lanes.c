/* Brings the lanes of an environment to the states after the last stored row, by playing their last
 * episodes again. */
#include "resumed-lanes.h"

#include "../envs/env-private.h"
#include "../envs/single-lane.h"

#include "../buffers/samplers/trajectory-index.h"
#include "episode-player.h"

#include <string.h>

#define FIRST_LOOK 256 /* steps */

/* A run whose lanes are being put where they stood. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelStorageView view;
  ReelTrajectoryIndex *index;
  ReelEnv *env;
  const ReelEnv *simulator;  /* of the lane at work */
  ReelEnv *alone;            /* the same of one lane, without pictures */
  char *alone_text;          /* of which it was made */
  ReelEpisodePlayer *player; /* in which it is; NULL before its first episode */
  guint8 *state;
} Run;

static void
forget_alone (Run *run)
{
  g_clear_pointer (&run->player, reel_episode_player_free);
  g_clear_object (&run->alone);
  g_clear_pointer (&run->alone_text, g_free);
}

static void
clear_run (Run *run)
{
  g_clear_pointer (&run->index, reel_trajectory_index_free);
  forget_alone (run);
  g_free (run->state);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, clear_run)

/* Without pictures, which no step needs; transforms may. */
static ReelEnv *
make_alone (const char *text, GError **error)
{
  if (strchr (text, '|'))
    return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "num-envs", "1", NULL);
  return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "num-envs", "1", "from-pixels",
                                    "false", "pixels-only", "false", "width", "0", "height", "0",
                                    NULL);
}

static const ReelEnv *
find_simulator (ReelEnv *env, gint64 lane)
{
  const ReelEnvPart *part;

  while ((part = reel_env_find_part (env, lane)))
    {
      env = part->env;
      lane -= part->first;
    }
  return env;
}

/* find_alone: an env of one lane like @lane, which lanes of one kind share. */
static gboolean
find_alone (Run *run, gint64 lane, GError **error)
{
  const ReelEnv *simulator = find_simulator (run->env, lane);
  g_autofree char *text = NULL;

  if (simulator == run->simulator)
    return TRUE;
  run->simulator = simulator;
  text = reel_single_lane_dup_text (run->env, lane);
  if (g_strcmp0 (text, run->alone_text) == 0)
    return TRUE;
  forget_alone (run);
  run->alone_text = g_steal_pointer (&text);
  run->alone = make_alone (run->alone_text, error);
  if (run->alone == NULL)
    return FALSE;
  if (reel_env_get_state_size (run->alone) == reel_env_get_state_size (run->env))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "cannot resume %s: its state with one lane differs from that with %" G_GINT64_FORMAT,
               reel_object_get_id (REEL_OBJECT (run->env)), run->view.lanes);
  return FALSE;
}

/* The trajectories of the newest steps, all others left out. */
static gboolean
index_newest (Run *run, const ReelStorageView *newest, GError **error)
{
  g_clear_pointer (&run->index, reel_trajectory_index_free);
  run->index =
      reel_trajectory_index_new (reel_replay_buffer_get_storage (run->buffer), NULL, error);
  return run->index != NULL && reel_trajectory_index_follow (run->index, newest, 1, error);
}

/* Whether the last trajectory of a lane may have begun before the rows of @newest. */
static gboolean
is_cut (const Run *run, const ReelStorageView *newest)
{
  ReelTrajectory episode;

  for (gint64 lane = 0; lane < run->view.lanes; lane++)
    if (reel_trajectory_index_find (run->index, run->view.end_row - run->view.lanes + lane,
                                    &episode)
        && episode.first_row < newest->first_row + run->view.lanes)
      return TRUE;
  return FALSE;
}

/* Looks no further back than the last episodes reach: not at all of a long run. */
static gboolean
open_run (Run *run, GError **error)
{
  ReelStorageView newest = run->view;

  for (gint64 n_rows = FIRST_LOOK * run->view.lanes;; n_rows *= 8)
    {
      newest.first_row = MAX (run->view.first_row, run->view.end_row - n_rows);
      if (!index_newest (run, &newest, error))
        return FALSE;
      if (newest.first_row == run->view.first_row || !is_cut (run, &newest))
        return TRUE;
    }
}

/* The rest of the message for a lane that differs. */
static const char *
explain (const Run *run, const ReelTrajectory *episode)
{
  gint64 oldest = run->view.first_row / run->view.lanes;

  return oldest > 0 && episode->first_row / run->view.lanes == oldest
             ? "the ring holds no more than the end of its episode: "
             : "";
}

static gboolean
play (Run *run, const ReelTrajectory *episode, double *total, GError **error)
{
  if (run->player == NULL)
    run->player = reel_episode_player_new (run->buffer, run->alone, error);
  return run->player && reel_episode_player_play (run->player, episode, NULL, total, error);
}

static gboolean
resume_lane (Run *run, gint64 lane, ReelResumedLane *resumed, GError **error)
{
  ReelTrajectory episode;

  if (!find_alone (run, lane, error))
    return FALSE;
  /* The last row of every lane is of a trajectory, be it the only one. */
  reel_trajectory_index_find (run->index, run->view.end_row - run->view.lanes + lane, &episode);
  if (!play (run, &episode, &resumed->total, error))
    {
      g_prefix_error (error, "environment %" G_GINT64_FORMAT " cannot continue from its state: %s",
                      lane, explain (run, &episode));
      return FALSE;
    }
  reel_env_get_state (run->alone, 0, run->state);
  reel_env_set_state (run->env, lane, run->state);
  resumed->begun = episode.first_row / run->view.lanes;
  return TRUE;
}

/* read_done: whether episodes end in the last rows. */
static const ReelTensor *
read_done (const Run *run, ReelTensordict *last, GError **error)
{
  const char *key = reel_env_results_find_done (&reel_env_get_private (run->env)->results);
  g_autofree char *path = key ? g_strconcat ("next/", key, NULL) : NULL;

  if (path)
    return reel_tensordict_get_tensor (last, path, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "cannot resume %s: its rows have no flag that says where episodes end",
               reel_object_get_id (REEL_OBJECT (run->env)));
  return NULL;
}

/* The values of the last rows. */
static gboolean
read_last (const Run *run, ReelResumedLanes *self, GError **error)
{
  const ReelTensor *ids, *done;

  self->last = reel_replay_buffer_get_numbered_rows (
      run->buffer, run->view.end_row - run->view.lanes, run->view.lanes, error);
  ids = self->last ? reel_tensordict_get_tensor (self->last, "collector/traj_ids", error) : NULL;
  done = ids ? read_done (run, self->last, error) : NULL;
  if (done == NULL)
    return FALSE;
  for (gint64 lane = 0; lane < run->view.lanes; lane++)
    {
      memcpy (&self->lanes[lane].id, (const gint64 *) ids->data + lane, sizeof (gint64));
      self->lanes[lane].done = ((const guint8 *) done->data)[lane];
    }
  return TRUE;
}

ReelResumedLanes *
reel_resumed_lanes_new (ReelReplayBuffer *buffer, ReelEnv *env, GError **error)
{
  g_autoptr (ReelResumedLanes) self = g_new0 (ReelResumedLanes, 1);
  g_auto (Run) run = { .buffer = buffer, .env = env };

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &run.view);
  self->n_steps = run.view.end_row / run.view.lanes;
  self->lanes = g_new0 (ReelResumedLane, run.view.lanes);
  if (self->n_steps == 0)
    return g_steal_pointer (&self);
  if (run.view.first_row == run.view.end_row)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "the run cannot be resumed: none of its rows is whole; start a new run");
      return NULL;
    }
  if (!open_run (&run, error) || !read_last (&run, self, error))
    return NULL;
  run.state = g_malloc (reel_env_get_state_size (env));
  for (gint64 lane = 0; lane < run.view.lanes; lane++)
    if (!resume_lane (&run, lane, &self->lanes[lane], error))
      return NULL;
  return g_steal_pointer (&self);
}

void
reel_resumed_lanes_free (ReelResumedLanes *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->last, reel_tensordict_unref);
  g_free (self->lanes);
  g_free (self);
}
