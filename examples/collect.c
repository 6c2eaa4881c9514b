/* Collects 1000 steps of CartPole into a directory that TorchRL opens, and prints its name. */
#include <reel/reel.h>

#include <stdio.h>

int
main (void)
{
  const char *path = "cartpole-run";
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelCollector) collector =
      reel_collector_new_live (path, 1008, "sync:total-frames=1000", "CartPole:num-envs=8,seed=1",
                               "random:seed=1", REEL_CHECKPOINT_FORCE, &error);
  while (collector && reel_collector_next (collector, NULL, &error) > 0)
    ;
  if (!error && reel_replay_buffer_close (reel_collector_get_buffer (collector), &error))
    return puts (path) < 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
