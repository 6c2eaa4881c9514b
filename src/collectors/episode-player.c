#include "episode-player.h"

#include <string.h>

#include "../buffers/lane-rows.h"
#include "../buffers/replay-buffer.h"
#include "../core/formats/json.h"
#include "../envs/env-private.h"
#include "../envs/single-lane.h"
#include "lane-numbers.h"

#define PIECE 64 /* steps that are read at once */

/* @rows are those of the steps of the episode from @first on, and @at is the one of them that is
 * played now. */
struct _ReelEpisodePlayer
{
  ReelReplayBuffer *buffer;
  gint64 seed; /* of the run */
  ReelLaneNumbers numbers;
  ReelSingleLane *lane;
  ReelLaneRows *reader;

  ReelStorageView view;
  ReelTrajectory trajectory;
  ReelTensordict *rows;
  gint64 first;
  gint64 n_rows;
  gint64 at;
};

/* ---- where it began ---- */

static gboolean
read_run (ReelReplayBuffer *buffer, gint64 *seed, ReelLaneNumbers *numbers, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "env");
  gint64 n_lanes;

  if (text == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the run's environment and seed are not recorded");
      return FALSE;
    }

  json_t *run = reel_json_parse ("the run's environment", text, strlen (text), error);
  gboolean read =
      run != NULL
      && reel_json_get_int64 (run, "the run's environment", "seed", 0, G_MAXINT64, seed, error)
      && reel_json_get_int64 (run, "the run's environment", "num_envs", 1, G_MAXINT64, &n_lanes,
                              error)
      && reel_lane_numbers_read (numbers, buffer, error);

  json_decref (run);
  if (numbers->all == 0)
    numbers->all = n_lanes;
  return read;
}

static gboolean
read_step (ReelEpisodePlayer *self, gint64 step, GError **error)
{
  self->at = step - self->first;
  if (self->at < self->n_rows)
    return TRUE;
  self->first = step;
  self->at = 0;
  self->n_rows = MIN (PIECE, self->trajectory.n_steps - step);
  self->rows = reel_lane_rows_read (
      self->reader, self->trajectory.first_row + step * self->view.lanes, self->n_rows, error);
  return self->rows != NULL;
}

/* The value of the step that is played, of @bytes; NULL where there is none of as many. */
static const guint8 *
find_value (const ReelEpisodePlayer *self, const ReelTensor *stored, gsize bytes)
{
  return stored->ndim > 0 && stored->shape[0] >= self->n_rows
                 && reel_tensor_nbytes (stored) == bytes * (gsize) stored->shape[0]
             ? stored->data + self->at * stored->strides[0]
             : NULL;
}

static gboolean
read_id (const ReelEpisodePlayer *self, gint64 *id, GError **error)
{
  const ReelTensor *stored = reel_tensordict_get_tensor (self->rows, "collector/traj_ids", NULL);
  const guint8 *value =
      stored && stored->dtype == REEL_DTYPE_INT64 ? find_value (self, stored, sizeof *id) : NULL;

  if (value == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "\"collector/traj_ids\" does not say which episode a row is of");
      return FALSE;
    }
  memcpy (id, value, sizeof *id);
  return TRUE;
}

/* A lane draws from its stream in resets alone: as many resets lead to the same state. */
static gboolean
reset_to (ReelSingleLane *lane, guint64 seed, gint64 number, GError **error)
{
  const guint32 words[] = { (guint32) seed, (guint32) (seed >> 32) };

  reel_env_seed (lane->env, words, G_N_ELEMENTS (words));
  for (gint64 k = reel_env_skip_resets (lane->env, 0, number) ? number : 0; k < number; k++)
    if (!reel_single_lane_reset (lane, error))
      return FALSE;
  return reel_single_lane_reset (lane, error);
}

/* Brings the env to the beginning of the episode: lane + lanes × number. */
static gboolean
begin_episode (ReelEpisodePlayer *self, gint64 id, GError **error)
{
  gint64 n_lanes = self->numbers.all;
  /* Lane l of the env was seeded with seed + l. */
  guint64 of_lane = (guint64) self->seed + (guint64) (id % n_lanes - self->numbers.first);

  /* A step may end an episode, and a batch that follows it cut the next before its first step. */
  if (id < 0 || id / n_lanes / 2 > self->view.end_row)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"collector/traj_ids\" says episode %" G_GINT64_FORMAT
                   " of lane %" G_GINT64_FORMAT ", and %" G_GINT64_FORMAT
                   " rows are all that there were: it is damaged, or of more rows than are here",
                   id / n_lanes, id % n_lanes, self->view.end_row);
      return FALSE;
    }
  return reset_to (self->lane, of_lane, id / n_lanes, error);
}

/* ---- what came of it ---- */

static gboolean
is_stored (const ReelEpisodePlayer *self, const char *prefix, const char *name, gconstpointer data,
           gsize bytes)
{
  g_autofree char *path = g_strconcat (prefix, name, NULL);
  const ReelTensor *stored = reel_tensordict_get_tensor (self->rows, path, NULL);
  const guint8 *value = stored ? find_value (self, stored, bytes) : NULL;

  return stored == NULL || (value && memcmp (value, data, bytes) == 0);
}

static gboolean
check_observation (const ReelEpisodePlayer *self, const char *prefix, gint64 step, GError **error)
{
  const ReelSingleLane *lane = self->lane;

  for (gsize i = 0; lane->observation_paths[i] != NULL; i++)
    {
      const char *name = lane->observation_paths[i];
      const ReelTensor *value = reel_tensordict_get_tensor (lane->observation, name, NULL);

      if (!reel_env_repeats (lane->env, name)
          || is_stored (self, prefix, name, value->data, reel_tensor_nbytes (value)))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "played again, the episode shows another \"%s\" in step %" G_GINT64_FORMAT
                   " than is stored",
                   name, step);
      return FALSE;
    }
  return TRUE;
}

static gboolean
are_results_stored (const ReelEpisodePlayer *self)
{
  const ReelSingleLane *lane = self->lane;
  const ReelEnvResults *results = &reel_env_get_private (lane->env)->results;

  if (results->shows_reward && reel_env_repeats (lane->env, "reward")
      && !is_stored (self, "next/", "reward", &lane->reward, sizeof lane->reward))
    return FALSE;
  if (results->shows_flag[1] && reel_env_repeats (lane->env, "terminated")
      && !is_stored (self, "next/", "terminated", &lane->terminated, 1))
    return FALSE;
  for (gsize i = 0; i < results->n_rewards + results->n_flags; i++)
    if (reel_env_repeats (lane->env, results->list[i].path)
        && !is_stored (self, "next/", results->list[i].path, lane->results[i],
                       results->list[i].row_bytes))
      return FALSE;
  return TRUE;
}

static gboolean
check_outcome (const ReelEpisodePlayer *self, gint64 step, GError **error)
{
  if (!check_observation (self, "next/", step, error))
    return FALSE;
  if (are_results_stored (self))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "played again, step %" G_GINT64_FORMAT
               " of the episode is rewarded or ended otherwise than is stored",
               step);
  return FALSE;
}

static gboolean
take_action (const ReelEpisodePlayer *self, GError **error)
{
  const ReelSingleLane *lane = self->lane;

  for (gsize i = 0; lane->action_paths[i] != NULL; i++)
    {
      const char *name = lane->action_paths[i];
      ReelTensor *to = reel_tensordict_get_tensor (lane->action, name, NULL);
      const ReelTensor *stored = reel_tensordict_get_tensor (self->rows, name, NULL);
      const guint8 *value = stored && stored->dtype == to->dtype
                                ? find_value (self, stored, reel_tensor_nbytes (to))
                                : NULL;

      if (value == NULL)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "no \"%s\" of the environment's type and shape is stored", name);
          return FALSE;
        }
      memcpy (to->data, value, reel_tensor_nbytes (to));
    }
  return TRUE;
}

/* ---- all of it ---- */

static void
keep_state (ReelEpisodePlayer *self, GByteArray *states)
{
  gsize size = reel_env_get_state_size (self->lane->env), at;

  if (states == NULL)
    return;
  at = states->len;
  g_byte_array_set_size (states, (guint) (at + size));
  reel_env_get_state (self->lane->env, 0, states->data + at);
}

static gboolean
play_step (ReelEpisodePlayer *self, gint64 step, GError **error)
{
  return check_observation (self, "", step, error) && take_action (self, error)
         && reel_single_lane_step (self->lane, error) && check_outcome (self, step, error);
}

/* The first row says which episode it is. */
static gboolean
begin (ReelEpisodePlayer *self, GError **error)
{
  gint64 id;

  self->first = self->n_rows = 0;
  return read_step (self, 0, error) && read_id (self, &id, error)
         && begin_episode (self, id, error);
}

gboolean
reel_episode_player_play (ReelEpisodePlayer *self, const ReelTrajectory *trajectory,
                          GByteArray *states, double *reward_sum, GError **error)
{
  self->trajectory = *trajectory;
  reel_storage_get_view (reel_replay_buffer_get_storage (self->buffer), &self->view);
  *reward_sum = 0;
  if (!begin (self, error))
    return FALSE;
  keep_state (self, states);
  for (gint64 step = 0; step < trajectory->n_steps; step++)
    {
      if (!read_step (self, step, error) || !play_step (self, step, error))
        return FALSE;
      *reward_sum += self->lane->reward;
      keep_state (self, states);
    }
  return TRUE;
}

/* ---- the player ---- */

static gboolean
check_state (ReelEnv *env, GError **error)
{
  if (reel_env_has_state (env))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "the program that simulates %s does not save states: begin a run in another "
               "directory",
               reel_object_get_id (REEL_OBJECT (env)));
  return FALSE;
}

ReelEpisodePlayer *
reel_episode_player_new (ReelReplayBuffer *buffer, ReelEnv *env, GError **error)
{
  g_autoptr (ReelEpisodePlayer) self = g_new0 (ReelEpisodePlayer, 1);

  self->buffer = g_object_ref (buffer);
  self->reader = reel_lane_rows_new (buffer, PIECE);
  if (!check_state (env, error) || !read_run (buffer, &self->seed, &self->numbers, error))
    return NULL;
  self->lane = reel_single_lane_new (env, error);
  return self->lane ? g_steal_pointer (&self) : NULL;
}

void
reel_episode_player_free (ReelEpisodePlayer *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->lane, reel_single_lane_free);
  g_clear_pointer (&self->reader, reel_lane_rows_free);
  g_object_unref (self->buffer);
  g_free (self);
}
