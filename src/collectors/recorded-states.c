/* Plays a stored episode again, step by step, and keeps the states of the environment. */
#include "recorded-states-private.h"

#include <string.h>

#include "../core/formats/json.h"
#include "../envs/env-private.h"
#include "../envs/single-lane.h"

/* An episode that is being played again. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelStorageView view;
  ReelTrajectory trajectory;
  ReelSingleLane *lane;
  GByteArray *states;
  double reward_sum;
} Replay;

/* ---- where it began ---- */

static gboolean
read_run (ReelReplayBuffer *buffer, gint64 *seed, gint64 *n_lanes, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "env");

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
      && reel_json_get_int64 (run, "the run's environment", "num_envs", 1, G_MAXINT64, n_lanes,
                              error);

  json_decref (run);
  return read;
}

static ReelTensordict *
read_step (const Replay *replay, gint64 step, GError **error)
{
  return reel_replay_buffer_get_numbered_rows (
      replay->buffer, replay->trajectory.first_row + step * replay->view.lanes, 1, error);
}

static gboolean
read_id (ReelTensordict *row, gint64 *id, GError **error)
{
  const ReelTensor *stored = reel_tensordict_get_tensor (row, "collector/traj_ids", NULL);

  if (stored == NULL || stored->dtype != REEL_DTYPE_INT64 || reel_tensor_numel (stored) != 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "\"collector/traj_ids\" does not say which episode a row is of");
      return FALSE;
    }
  memcpy (id, stored->data, sizeof *id);
  return TRUE;
}

/* Brings the env to the beginning of the episode: lane + lanes × number. */
static gboolean
begin (Replay *replay, gint64 id, gint64 seed, gint64 n_lanes, GError **error)
{
  /* Lane l was seeded with seed + l, and a lane draws from its stream in resets alone: as many
   * resets lead to the same state. */
  guint64 of_lane = (guint64) seed + (guint64) (id % n_lanes);
  const guint32 words[] = { (guint32) of_lane, (guint32) (of_lane >> 32) };

  /* A step may end an episode, and a batch that follows it cut the next before its first step. */
  if (id < 0 || id / n_lanes / 2 > replay->view.end_row)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"collector/traj_ids\" says episode %" G_GINT64_FORMAT
                   " of lane %" G_GINT64_FORMAT ", and %" G_GINT64_FORMAT
                   " rows are all that there were: it is damaged, or of more rows than are here",
                   id / n_lanes, id % n_lanes, replay->view.end_row);
      return FALSE;
    }
  reel_env_seed (replay->lane->env, words, G_N_ELEMENTS (words));
  for (gint64 k = 0; k <= id / n_lanes; k++)
    if (!reel_single_lane_reset (replay->lane, error))
      return FALSE;
  return TRUE;
}

/* ---- what came of it ---- */

static gboolean
is_stored (ReelTensordict *row, const char *prefix, const char *name, gconstpointer data,
           gsize bytes)
{
  g_autofree char *path = g_strconcat (prefix, name, NULL);
  ReelTensor *stored = reel_tensordict_get_tensor (row, path, NULL);

  return stored == NULL
         || (reel_tensor_nbytes (stored) == bytes && memcmp (stored->data, data, bytes) == 0);
}

static gboolean
check_observation (const Replay *replay, ReelTensordict *row, const char *prefix, gint64 step,
                   GError **error)
{
  const ReelSingleLane *lane = replay->lane;

  for (gsize i = 0; lane->observation_paths[i] != NULL; i++)
    {
      const char *name = lane->observation_paths[i];
      const ReelTensor *value = reel_tensordict_get_tensor (lane->observation, name, NULL);

      if (!reel_env_repeats (lane->env, name)
          || is_stored (row, prefix, name, value->data, reel_tensor_nbytes (value)))
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
are_results_stored (const ReelSingleLane *lane, ReelTensordict *row)
{
  const ReelEnvResults *results = &reel_env_get_private (lane->env)->results;

  if (results->shows_reward && reel_env_repeats (lane->env, "reward")
      && !is_stored (row, "next/", "reward", &lane->reward, sizeof lane->reward))
    return FALSE;
  if (results->shows_flag[1] && reel_env_repeats (lane->env, "terminated")
      && !is_stored (row, "next/", "terminated", &lane->terminated, 1))
    return FALSE;
  for (gsize i = 0; i < results->n_rewards + results->n_flags; i++)
    if (reel_env_repeats (lane->env, results->list[i].path)
        && !is_stored (row, "next/", results->list[i].path, lane->results[i],
                       results->list[i].row_bytes))
      return FALSE;
  return TRUE;
}

static gboolean
check_outcome (const Replay *replay, ReelTensordict *row, gint64 step, GError **error)
{
  const ReelSingleLane *lane = replay->lane;

  if (!check_observation (replay, row, "next/", step, error))
    return FALSE;
  if (are_results_stored (lane, row))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "played again, step %" G_GINT64_FORMAT
               " of the episode is rewarded or ended otherwise than is stored",
               step);
  return FALSE;
}

static gboolean
take_action (const Replay *replay, ReelTensordict *row, GError **error)
{
  const ReelSingleLane *lane = replay->lane;

  for (gsize i = 0; lane->action_paths[i] != NULL; i++)
    {
      const char *name = lane->action_paths[i];
      ReelTensor *to = reel_tensordict_get_tensor (lane->action, name, NULL);
      const ReelTensor *stored = reel_tensordict_get_tensor (row, name, NULL);

      if (stored == NULL || stored->dtype != to->dtype
          || reel_tensor_nbytes (stored) != reel_tensor_nbytes (to))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "no \"%s\" of the environment's type and shape is stored", name);
          return FALSE;
        }
      memcpy (to->data, stored->data, reel_tensor_nbytes (to));
    }
  return TRUE;
}

/* ---- all of it ---- */

static void
keep_state (Replay *replay)
{
  gsize size = reel_env_get_state_size (replay->lane->env), at = replay->states->len;

  g_byte_array_set_size (replay->states, (guint) (at + size));
  reel_env_get_state (replay->lane->env, 0, replay->states->data + at);
}

static gboolean
play (Replay *replay, gint64 seed, gint64 n_lanes, GError **error)
{
  for (gint64 step = 0; step < replay->trajectory.n_steps; step++)
    {
      g_autoptr (ReelTensordict) row = read_step (replay, step, error);
      gint64 id;

      if (row == NULL)
        return FALSE;
      if (step == 0)
        {
          if (!read_id (row, &id, error) || !begin (replay, id, seed, n_lanes, error))
            return FALSE;
          keep_state (replay);
        }
      if (!check_observation (replay, row, "", step, error) || !take_action (replay, row, error)
          || !reel_single_lane_step (replay->lane, error)
          || !check_outcome (replay, row, step, error))
        return FALSE;
      replay->reward_sum += replay->lane->reward;
      keep_state (replay);
    }
  return TRUE;
}

static gboolean
check_size (const ReelTrajectory *trajectory, ReelEnv *env, GError **error)
{
  gint64 most = (gint64) (G_MAXUINT / 2 / reel_env_get_state_size (env)) - 1;

  if (trajectory->n_steps <= most)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "an episode of %" G_GINT64_FORMAT
               " steps is too long to keep its states: %" G_GINT64_FORMAT " is the most",
               trajectory->n_steps, most);
  return FALSE;
}

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

GBytes *
reel_recorded_states_play (ReelReplayBuffer *buffer, const ReelTrajectory *trajectory, ReelEnv *env,
                           double *reward_sum, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (buffer) && trajectory != NULL, NULL);
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);

  gint64 seed, n_lanes;
  Replay replay = { .buffer = buffer, .trajectory = *trajectory };

  if (!check_state (env, error) || !read_run (buffer, &seed, &n_lanes, error)
      || !check_size (trajectory, env, error))
    return NULL;

  g_autoptr (ReelSingleLane) lane = reel_single_lane_new (env, error);

  if (lane == NULL)
    return NULL;
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &replay.view);
  replay.lane = lane;
  replay.states = g_byte_array_new ();
  if (play (&replay, seed, n_lanes, error))
    {
      *reward_sum = replay.reward_sum;
      return g_byte_array_free_to_bytes (replay.states);
    }
  g_byte_array_unref (replay.states);
  return NULL;
}

GBytes *
reel_recorded_states_new (ReelReplayBuffer *buffer, const ReelTrajectory *trajectory, ReelEnv *env,
                          GError **error)
{
  double reward_sum;

  return reel_recorded_states_play (buffer, trajectory, env, &reward_sum, error);
}
