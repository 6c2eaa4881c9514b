/* Plays a stored episode again, step by step, and keeps the states of the environment. */
#include "recorded-states-private.h"

#include <string.h>

#include "../buffers/replay-buffer-private.h"
#include "../core/formats/json.h"
#include "../envs/env-private.h"
#include "../envs/single-lane.h"
#include "lane-numbers.h"

#define PIECE 64 /* steps that are read at once */

/* An episode that is being played again. @rows are those of its steps from @first on, and @at is
 * the one of them that is played now. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelStorageView view;
  ReelTrajectory trajectory;
  ReelSingleLane *lane;
  ReelTensordict *rows;
  gint64 first;
  gint64 n_rows;
  gint64 at;
  GByteArray *states;
  double reward_sum;
} Replay;

static void
clear_replay (Replay *replay)
{
  g_clear_pointer (&replay->rows, reel_tensordict_unref);
  g_clear_pointer (&replay->states, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Replay, clear_replay)

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
read_step (Replay *replay, gint64 step, GError **error)
{
  replay->at = step - replay->first;
  if (replay->at < replay->n_rows)
    return TRUE;
  g_clear_pointer (&replay->rows, reel_tensordict_unref);
  replay->first = step;
  replay->at = 0;
  replay->n_rows = MIN (PIECE, replay->trajectory.n_steps - step);
  replay->rows = reel_replay_buffer_get_lane_rows (
      replay->buffer, replay->trajectory.first_row + step * replay->view.lanes, replay->n_rows,
      error);
  return replay->rows != NULL;
}

/* The value of the step that is played, of @bytes; NULL where there is none of as many. */
static const guint8 *
find_value (const Replay *replay, const ReelTensor *stored, gsize bytes)
{
  return stored->ndim > 0 && stored->shape[0] == replay->n_rows
                 && reel_tensor_nbytes (stored) == bytes * (gsize) replay->n_rows
             ? stored->data + replay->at * stored->strides[0]
             : NULL;
}

static gboolean
read_id (const Replay *replay, gint64 *id, GError **error)
{
  const ReelTensor *stored = reel_tensordict_get_tensor (replay->rows, "collector/traj_ids", NULL);
  const guint8 *value =
      stored && stored->dtype == REEL_DTYPE_INT64 ? find_value (replay, stored, sizeof *id) : NULL;

  if (value == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "\"collector/traj_ids\" does not say which episode a row is of");
      return FALSE;
    }
  memcpy (id, value, sizeof *id);
  return TRUE;
}

/* Brings the env to the beginning of the episode: lane + lanes × number. */
static gboolean
begin (Replay *replay, gint64 id, gint64 seed, const ReelLaneNumbers *numbers, GError **error)
{
  gint64 n_lanes = numbers->all;
  /* Lane l of the env was seeded with seed + l, and a lane draws from its stream in resets alone:
   * as many resets lead to the same state. */
  guint64 of_lane = (guint64) seed + (guint64) (id % n_lanes - numbers->first);
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
is_stored (const Replay *replay, const char *prefix, const char *name, gconstpointer data,
           gsize bytes)
{
  g_autofree char *path = g_strconcat (prefix, name, NULL);
  const ReelTensor *stored = reel_tensordict_get_tensor (replay->rows, path, NULL);
  const guint8 *value = stored ? find_value (replay, stored, bytes) : NULL;

  return stored == NULL || (value && memcmp (value, data, bytes) == 0);
}

static gboolean
check_observation (const Replay *replay, const char *prefix, gint64 step, GError **error)
{
  const ReelSingleLane *lane = replay->lane;

  for (gsize i = 0; lane->observation_paths[i] != NULL; i++)
    {
      const char *name = lane->observation_paths[i];
      const ReelTensor *value = reel_tensordict_get_tensor (lane->observation, name, NULL);

      if (!reel_env_repeats (lane->env, name)
          || is_stored (replay, prefix, name, value->data, reel_tensor_nbytes (value)))
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
are_results_stored (const Replay *replay)
{
  const ReelSingleLane *lane = replay->lane;
  const ReelEnvResults *results = &reel_env_get_private (lane->env)->results;

  if (results->shows_reward && reel_env_repeats (lane->env, "reward")
      && !is_stored (replay, "next/", "reward", &lane->reward, sizeof lane->reward))
    return FALSE;
  if (results->shows_flag[1] && reel_env_repeats (lane->env, "terminated")
      && !is_stored (replay, "next/", "terminated", &lane->terminated, 1))
    return FALSE;
  for (gsize i = 0; i < results->n_rewards + results->n_flags; i++)
    if (reel_env_repeats (lane->env, results->list[i].path)
        && !is_stored (replay, "next/", results->list[i].path, lane->results[i],
                       results->list[i].row_bytes))
      return FALSE;
  return TRUE;
}

static gboolean
check_outcome (const Replay *replay, gint64 step, GError **error)
{
  if (!check_observation (replay, "next/", step, error))
    return FALSE;
  if (are_results_stored (replay))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "played again, step %" G_GINT64_FORMAT
               " of the episode is rewarded or ended otherwise than is stored",
               step);
  return FALSE;
}

static gboolean
take_action (const Replay *replay, GError **error)
{
  const ReelSingleLane *lane = replay->lane;

  for (gsize i = 0; lane->action_paths[i] != NULL; i++)
    {
      const char *name = lane->action_paths[i];
      ReelTensor *to = reel_tensordict_get_tensor (lane->action, name, NULL);
      const ReelTensor *stored = reel_tensordict_get_tensor (replay->rows, name, NULL);
      const guint8 *value = stored && stored->dtype == to->dtype
                                ? find_value (replay, stored, reel_tensor_nbytes (to))
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
keep_state (Replay *replay)
{
  gsize size = reel_env_get_state_size (replay->lane->env), at = replay->states->len;

  g_byte_array_set_size (replay->states, (guint) (at + size));
  reel_env_get_state (replay->lane->env, 0, replay->states->data + at);
}

static gboolean
play (Replay *replay, gint64 seed, const ReelLaneNumbers *numbers, GError **error)
{
  for (gint64 step = 0; step < replay->trajectory.n_steps; step++)
    {
      gint64 id;

      if (!read_step (replay, step, error))
        return FALSE;
      if (step == 0)
        {
          if (!read_id (replay, &id, error) || !begin (replay, id, seed, numbers, error))
            return FALSE;
          keep_state (replay);
        }
      if (!check_observation (replay, "", step, error) || !take_action (replay, error)
          || !reel_single_lane_step (replay->lane, error) || !check_outcome (replay, step, error))
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

  gint64 seed;
  ReelLaneNumbers numbers;
  g_auto (Replay) replay = { .buffer = buffer, .trajectory = *trajectory };

  if (!check_state (env, error) || !read_run (buffer, &seed, &numbers, error)
      || !check_size (trajectory, env, error))
    return NULL;

  g_autoptr (ReelSingleLane) lane = reel_single_lane_new (env, error);

  if (lane == NULL)
    return NULL;
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &replay.view);
  replay.lane = lane;
  replay.states = g_byte_array_new ();
  if (!play (&replay, seed, &numbers, error))
    return NULL;
  *reward_sum = replay.reward_sum;
  return g_byte_array_free_to_bytes (g_steal_pointer (&replay.states));
}

GBytes *
reel_recorded_states_new (ReelReplayBuffer *buffer, const ReelTrajectory *trajectory, ReelEnv *env,
                          GError **error)
{
  double reward_sum;

  return reel_recorded_states_play (buffer, trajectory, env, &reward_sum, error);
}
