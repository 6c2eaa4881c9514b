/* Collects 1000 steps of CartPole into a directory that TorchRL opens, and prints its name. */
#include <reel/reel.h>

#include <stdio.h>

static gboolean
run (GError **error)
{
  const char *path = "cartpole-run";
  g_autoptr (ReelEnv) env =
      reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=8,seed=1", error, NULL);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=1", error, NULL);
  g_autoptr (ReelTensordict) step = env ? reel_collector_make_layout (env, error) : NULL;
  g_autoptr (ReelReplayBuffer) buffer =
      step ? reel_replay_buffer_create_live (path, 1008, step, REEL_CHECKPOINT_FORCE, error) : NULL;
  g_autoptr (ReelCollector) collector =
      policy && buffer ? reel_collector_new ("sync:total-frames=1000", env, policy, buffer, error)
                       : NULL;
  gint64 rows = collector ? 1 : -1;

  while (rows > 0)
    rows = reel_collector_next (collector, NULL, error);
  return rows == 0 && reel_replay_buffer_close (buffer, error) && puts (path) >= 0;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  if (run (&error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
