/* Loads what examples/collect.c wrote, or the directory that is named, and draws from it. */
#include <reel/reel.h>

#include <stdio.h>

#define COLUMN(batch, key, type)                                                                   \
  ((const type *) reel_tensordict_get_tensor (batch, key, NULL)->data)

static ReelReplayBuffer *
load (const char *path, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (
      "tensor:capacity=1008,ndim=2", "slice:num-slices=4,seed=1", 0, error);

  if (!buffer || !reel_replay_buffer_loads (buffer, path, error))
    return NULL;
  printf ("%" G_GINT64_FORMAT " rows of %" G_GINT64_FORMAT "\n",
          reel_replay_buffer_get_length (buffer), reel_replay_buffer_get_capacity (buffer));
  return g_steal_pointer (&buffer);
}

/* Eight steps each of four trajectories, one behind the other. */
static gboolean
draw_slices (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelTensordict) batch = NULL;

  if (!reel_replay_buffer_sample (buffer, 32, &batch, error))
    return FALSE;
  const gint64 *id = COLUMN (batch, "collector/traj_ids", gint64);
  const gint64 *index = COLUMN (batch, "index", gint64);
  for (gint i = 0; i < 32; i += 8)
    printf ("trajectory %2" G_GINT64_FORMAT ": steps %3" G_GINT64_FORMAT " to %3" G_GINT64_FORMAT
            " of lane %" G_GINT64_FORMAT "\n",
            id[i], index[2 * i], index[2 * (i + 7)], index[2 * i + 1]);
  return TRUE;
}

/* Another sampler of the same rows: each of them once, in batches that are filled again. */
static gboolean
iterate (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "without-replacement", error, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  double sum = 0;
  gint64 n = 0;
  gint ndim;

  while (sampler && !reel_sampler_get_ran_out (sampler))
    {
      if (!reel_replay_buffer_sample_with (buffer, sampler, 256, &batch, error))
        return FALSE;
      gint64 n_rows = reel_tensordict_get_batch_size (batch, &ndim)[0];
      const float *reward = COLUMN (batch, "next/reward", float);
      for (gint64 i = 0; i < n_rows; i++)
        sum += reward[i];
      n += n_rows;
      printf ("a batch of %" G_GINT64_FORMAT "\n", n_rows);
    }
  return printf ("%" G_GINT64_FORMAT " rows, rewards of %g\n", n, sum) > 0 && n > 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelReplayBuffer) buffer = load (argc > 1 ? argv[1] : "cartpole-run", &error);
  if (buffer && draw_slices (buffer, &error) && iterate (buffer, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
