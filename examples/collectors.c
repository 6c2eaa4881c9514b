/* Collectors: batches, trajectories, episodes, the background, and a run that continues where it
 * was stopped. */
#include <reel/reel.h>

#include <stdio.h>

static ReelCollector *
make_collector (const char *text, ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelEnv) env =
      reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=4,seed=1", error, NULL);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=1", error, NULL);

  return env && policy ? reel_collector_new (text, env, policy, buffer, error) : NULL;
}

/* Without a buffer each batch is a tensordict, valid until the next one. */
static gboolean
show_batches (const char *text, GError **error)
{
  g_autoptr (ReelCollector) collector = make_collector (text, NULL, error);
  ReelTensordict *batch;
  gint64 n = collector ? 1 : -1;

  printf ("%s\n", text);
  while (n > 0)
    {
      n = reel_collector_next (collector, &batch, error);
      if (n <= 0)
        break;
      gint ndim;
      const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);
      printf ("  %d steps, batch size [%d, %d]\n", (int) n, (int) size[0], (int) size[1]);
    }
  return n == 0;
}

/* Episodes in the order of their ends. */
static gboolean
show_episodes (GError **error)
{
  g_autoptr (ReelCollector) collector =
      make_collector ("sync:total-episodes=3,list-episodes=true", NULL, error);
  gint64 n;

  while (collector && (n = reel_collector_next (collector, NULL, error)) > 0)
    {
      gsize n_episodes;
      const ReelCollectorEpisode *episodes = reel_collector_get_episodes (collector, &n_episodes);

      for (gsize i = 0; i < n_episodes; i++)
        printf ("episode %d: lane %d, %d steps, return %g\n", (int) episodes[i].number,
                (int) episodes[i].lane, (int) episodes[i].length, episodes[i].reward_sum);
      printf ("%d steps of all lanes\n", (int) n);
    }
  return collector && n == 0;
}

/* The buffer of a run in files: made for the first collector, opened for the next ones. */
static ReelReplayBuffer *
open_run (const char *path, GError **error)
{
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autoptr (ReelStorage) files =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:existsok=true,capacity=400,ndim=2",
                                 error, "scratch-dir", storage, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      files ? reel_replay_buffer_new (files, NULL, NULL, 0, error) : NULL;

  return buffer && reel_replay_buffer_loads (buffer, path, error) ? g_steal_pointer (&buffer)
                                                                  : NULL;
}

static gboolean
collect_all (ReelCollector *collector, GError **error)
{
  gint64 n = 1;

  while (n > 0)
    n = reel_collector_next (collector, NULL, error);
  return n == 0 && reel_replay_buffer_close (reel_collector_get_buffer (collector), error);
}

/* A hundred frames, and a hundred more by another collector. */
static gboolean
show_resume (const char *path, GError **error)
{
  g_autoptr (ReelCollector) first =
      reel_collector_new_live (path, 400, "sync:total-frames=100", "CartPole:num-envs=4,seed=1",
                               "random:seed=1", REEL_CHECKPOINT_FORCE, error);

  if (!first || !collect_all (first, error))
    return FALSE;
  g_autoptr (ReelReplayBuffer) run = open_run (path, error);
  g_autoptr (ReelCollector) second =
      run ? make_collector ("sync:total-frames=100,resume=true", run, error) : NULL;

  if (!second || !collect_all (second, error))
    return FALSE;
  printf ("%d rows in the run\n", (int) reel_replay_buffer_get_length (run));
  return TRUE;
}

/* The background collects, and this thread draws what there is meanwhile. */
static gboolean
show_background (GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=10k,ndim=2", NULL, 32, error);
  g_autoptr (ReelCollector) collector =
      buffer ? make_collector ("sync:frames-per-batch=200,total-frames=10k", buffer, error) : NULL;

  if (!collector || !reel_collector_start (collector, error))
    return FALSE;
  while (reel_replay_buffer_get_length (buffer) < 10000)
    {
      g_autoptr (ReelTensordict) batch = NULL;

      if (reel_replay_buffer_get_length (buffer) == 0)
        g_usleep (1000);
      else if (!reel_replay_buffer_sample (buffer, 0, &batch, error))
        return FALSE;
    }
  if (!reel_collector_shutdown (collector, -1, error))
    return FALSE;
  printf ("%d rows in the buffer\n", (int) reel_replay_buffer_get_length (buffer));
  return TRUE;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  if (show_batches ("sync:frames-per-batch=200,total-frames=500", &error)
      && show_batches ("sync:frames-per-batch=200,total-frames=400,split-trajs=true", &error)
      && show_episodes (&error) && show_background (&error)
      && show_resume ("collectors-run", &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
