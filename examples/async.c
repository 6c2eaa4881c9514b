/* Steps of some lanes at a time, as they are ready: a slow lane holds up no other. */
#include <reel/reel.h>

#include <stdio.h>

#define LANES 8
#define BATCH 3
#define STEPS 200

/* The cart follows the pole. */
static gboolean
act (ReelTensordict *td, GError **error)
{
  const ReelTensor *observation = reel_tensordict_get_tensor (td, "observation", NULL);
  const float *at = (const float *) observation->data;
  g_autoptr (ReelTensor) action = reel_tensor_new (REEL_DTYPE_INT64, 1, observation->shape, error);

  for (gint64 i = 0; action && i < action->shape[0]; i++)
    ((gint64 *) action->data)[i] = at[4 * i + 2] > 0;
  return action && reel_tensordict_set_tensor (td, "action", action, error);
}

/* Lanes that have not done all their steps go on. */
static gboolean
send_on (ReelEnv *env, ReelTensordict *begin, gint *steps, GError **error)
{
  const ReelTensor *index = reel_tensordict_get_tensor (begin, "env_index", NULL);
  const gint64 *lanes = (const gint64 *) index->data;
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, index->shape, error);

  for (gint64 i = 0; mask && i < mask->shape[0]; i++)
    mask->data[i] = ++steps[lanes[i]] < STEPS;
  g_autoptr (ReelTensordict) td = mask ? reel_tensordict_masked_select (begin, mask, error) : NULL;
  return td && act (td, error) && reel_env_send (env, td, error);
}

/* All lanes are sent at first; then those that were received, while the others are at work. */
static gboolean
run (ReelEnv *env, ReelReplayBuffer *buffer, GError **error)
{
  gint steps[LANES] = { 0 };
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, error);

  if (!td || !act (td, error) || !reel_env_send (env, td, error))
    return FALSE;
  for (gint64 n; (n = reel_env_count_sent (env)) > 0;)
    {
      g_autoptr (ReelTensordict) begin = NULL;
      g_autoptr (ReelTensordict) step = reel_env_recv (env, MIN (n, BATCH), -1, &begin, error);
      if (!step || !reel_replay_buffer_extend (buffer, step, NULL, error)
          || !send_on (env, begin, steps, error))
        return FALSE;
    }
  return TRUE;
}

/* The steps as they arrived: those of a lane follow one another, with others in between. */
static gboolean
report (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, error);
  gint ends[LANES] = { 0 };

  if (!all)
    return FALSE;
  const gint64 *lane = (const gint64 *) reel_tensordict_get_tensor (all, "env_index", NULL)->data;
  const guint8 *done = reel_tensordict_get_tensor (all, "next/done", NULL)->data;
  for (gint64 i = 0; i < LANES * STEPS; i++)
    ends[lane[i]] += done[i];
  printf ("%d rows; episodes of each lane:", (int) reel_replay_buffer_get_length (buffer));
  for (gint i = 0; i < LANES; i++)
    printf (" %d", ends[i]);
  return puts ("") >= 0;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, "parallel:'CartPole:num-envs=8,action-encoding=categorical',workers=2", &error,
      NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      env ? reel_replay_buffer_new_from_text ("tensor:capacity=1600", NULL, 0, &error) : NULL;
  if (buffer && run (env, buffer, &error) && report (buffer, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
