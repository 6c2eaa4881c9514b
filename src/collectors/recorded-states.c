/* Keeps the states of an environment that plays a stored episode again. */
#include "recorded-states.h"

#include "episode-player.h"

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

GBytes *
reel_recorded_states_new (ReelReplayBuffer *buffer, const ReelTrajectory *trajectory, ReelEnv *env,
                          GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (buffer) && trajectory != NULL, NULL);
  g_return_val_if_fail (trajectory->n_steps > 0, NULL);
  g_return_val_if_fail (REEL_IS_ENV (env), NULL);

  g_autoptr (ReelEpisodePlayer) player = reel_episode_player_new (buffer, env, error);
  g_autoptr (GByteArray) states = g_byte_array_new ();
  double reward_sum;

  if (player == NULL || !check_size (trajectory, env, error)
      || !reel_episode_player_play (player, trajectory, states, &reward_sum, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&states));
}
