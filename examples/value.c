/* Learns the value of a policy from the run of examples/collect.c, or from the directory that is
 * named. */
#include <reel/reel.h>

#include <stdio.h>

#define N 6
#define BATCH 256
#define COLUMN(batch, key, type)                                                                   \
  ((const type *) reel_tensordict_get_tensor (batch, key, NULL)->data)

/* Linear in the squares of position, speed, angle and its speed. */
static double
value (const double *weights, const float *x, double *features)
{
  const double f[N] = {
    1, x[0] * x[0], x[1] * x[1], 20 * x[2] * x[2], x[3] * x[3], 5 * x[2] * x[3]
  };
  double sum = 0;

  for (int i = 0; i < N; i++)
    sum += weights[i] * (features[i] = f[i]);
  return sum;
}

/* One step of temporal-difference learning. */
static void
learn (double *weights, ReelTensordict *batch)
{
  const float *now = COLUMN (batch, "observation", float);
  const float *next = COLUMN (batch, "next/observation", float);
  const float *reward = COLUMN (batch, "next/reward", float);
  const guint8 *terminated = COLUMN (batch, "next/terminated", guint8);
  double change[N] = { 0 }, f[N], unused[N];

  for (int i = 0; i < BATCH; i++)
    {
      double after = terminated[i] ? 0 : value (weights, next + 4 * i, unused);
      double error = reward[i] + 0.95 * after - value (weights, now + 4 * i, f);
      for (int k = 0; k < N; k++)
        change[k] += error * f[k] / BATCH;
    }
  for (int k = 0; k < N; k++)
    weights[k] += 0.1 * change[k];
}

int
main (int argc, char **argv)
{
  const float upright[4] = { 0 };
  double weights[N] = { 0 }, features[N];
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_open (argc > 1 ? argv[1] : "cartpole-run", REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelTensordict) batch = NULL;

  for (int i = 0; buffer && i < 20000; i++)
    {
      if (!reel_replay_buffer_sample (buffer, BATCH, &batch, &error))
        break;
      learn (weights, batch);
    }
  if (error)
    return fprintf (stderr, "%s\n", error->message) > 0;
  printf ("value of the upright pole: %.1f\n", value (weights, upright, features));
  return 0;
}
