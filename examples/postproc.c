/* Collects batches without the observations that follow: a buffer of half the size, from which
 * `next-state` makes them again where a learner reads whole pieces of episodes. */
#include <reel/reel.h>

#include <stdio.h>

/* Each batch loses `next/observation` before the buffer is extended by it. */
static ReelReplayBuffer *
collect (GError **error)
{
  g_autoptr (ReelEnv) env =
      reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=4,seed=1", error, NULL);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=1", error, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (
      "tensor:capacity=1000,ndim=2", "slice:num-slices=2", 16, error);

  if (!env || !policy || !buffer)
    return NULL;
  g_autoptr (ReelCollector) collector = reel_collector_new (
      "sync:frames-per-batch=200,total-frames=1000,postproc=(exclude:keys=next/observation)", env,
      policy, buffer, error);
  gint64 n = collector ? 1 : -1;

  while (n > 0)
    n = reel_collector_next (collector, NULL, error);
  return n < 0 ? NULL : g_steal_pointer (&buffer);
}

/* Slices of 8 steps, with the next observation of each step but the last. */
static gboolean
sample (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelTransform) next =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, "next-state", error, NULL);

  if (!next || !reel_replay_buffer_append_transform (buffer, next, FALSE, error))
    return FALSE;
  g_autoptr (ReelTensordict) batch = NULL;

  if (!reel_replay_buffer_sample (buffer, 0, &batch, error))
    return FALSE;
  g_autofree char *text = reel_tensordict_to_string (batch);
  return puts (text) >= 0;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelReplayBuffer) buffer = collect (&error);
  if (buffer && sample (buffer, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
