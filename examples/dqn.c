/* Double DQN (van Hasselt et al. 2015) on CartPole: a collector fills a prioritised replay buffer,
 * a network learns from it and acts. Prints the mean return of the episodes that ended in each
 * 10,000 frames. Needs a CBLAS. */
#include <cblas.h>
#include <math.h>
#include <reel/reel.h>
#include <stdio.h>
#include <string.h>

#define BATCH 128
#define WIDTH 64
#define SIZE 4610

/* A layer has its weights [in, out] at a place of the network, and behind them its biases. */
static const int ins[] = { 4, WIDTH, WIDTH }, outs[] = { WIDTH, WIDTH, 2 }, at[] = { 0, 320, 4480 };

typedef struct
{
  float net[SIZE], target[SIZE], gradient[SIZE], mean[SIZE], square[SIZE];
  /* The input of each layer, and the output of the last; what is wrong with them. */
  float now[4][BATCH * WIDTH], next[4][BATCH * WIDTH], late[4][BATCH * WIDTH];
  float wrong[4][BATCH * WIDTH];
  double n_updates, explore;
} Agent;

static const float *
forward (const float *net, int n, const float *x, float (*v)[BATCH * WIDTH])
{
  memcpy (v[0], x, (gsize) n * 4 * sizeof *x);
  for (int l = 0; l < 3; l++)
    {
      for (int i = 0; i < n * outs[l]; i++)
        v[l + 1][i] = net[at[l] + ins[l] * outs[l] + i % outs[l]];
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, n, outs[l], ins[l], 1, v[l], ins[l],
                   net + at[l], outs[l], 1, v[l + 1], outs[l]);
      for (int i = 0; l < 2 && i < n * outs[l]; i++)
        v[l + 1][i] = fmaxf (v[l + 1][i], 0);
    }
  return v[3];
}

/* From what is wrong with the values, in wrong[3], to that of the weights, and a step of Adam. */
static void
improve (Agent *a)
{
  double t = ++a->n_updates, rate = 1e-3 * sqrt (1 - pow (0.999, t)) / (1 - pow (0.9, t));
  for (int l = 2; l >= 0; l--)
    {
      int in = ins[l], out = outs[l];
      float *weights = a->gradient + at[l], *wrong = a->wrong[l + 1];
      cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, in, out, BATCH, 1, a->now[l], in, wrong,
                   out, 0, weights, out);
      for (int i = 0; i < BATCH * out; i++)
        weights[in * out + i % out] = wrong[i] + (i < out ? 0 : weights[in * out + i % out]);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, BATCH, in, out, 1, wrong, out,
                   a->net + at[l], out, 0, a->wrong[l], in);
      for (int i = 0; i < BATCH * in; i++)
        a->wrong[l][i] = a->now[l][i] > 0 ? a->wrong[l][i] : 0;
    }
  for (int i = 0; i < SIZE; i++)
    {
      a->mean[i] += 0.1f * (a->gradient[i] - a->mean[i]);
      a->square[i] += 0.001f * (a->gradient[i] * a->gradient[i] - a->square[i]);
      a->net[i] -= (float) rate * a->mean[i] / (sqrtf (a->square[i]) + 1e-8f);
      a->target[i] += 0.01f * (a->net[i] - a->target[i]);
    }
}

#define COLUMN(key, type) ((const type *) reel_tensordict_get_tensor (*batch, key, NULL)->data)

static gboolean
learn (Agent *a, ReelReplayBuffer *buffer, ReelTensordict **batch, GError **error)
{
  gint64 n = BATCH;
  g_autoptr (ReelTensor) priority = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, error);

  if (!priority || !reel_replay_buffer_sample (buffer, BATCH, batch, error))
    return FALSE;
  const gint64 *action = COLUMN ("action", gint64);
  const float *reward = COLUMN ("next/reward", float), *weight = COLUMN ("priority_weight", float);
  const float *after = COLUMN ("next/observation", float);
  const guint8 *terminated = COLUMN ("next/terminated", guint8);
  const float *late = forward (a->target, BATCH, after, a->late);
  const float *next = forward (a->net, BATCH, after, a->next);
  const float *now = forward (a->net, BATCH, COLUMN ("observation", float), a->now);
  for (int i = 0; i < BATCH; i++)
    {
      float value = late[2 * i + (next[2 * i + 1] > next[2 * i])];
      float off = now[2 * i + action[i]] - reward[i] - (terminated[i] ? 0 : 0.99f * value);
      ((float *) priority->data)[i] = fabsf (off);
      a->wrong[3][2 * i + action[i]] = weight[i] * CLAMP (off, -1, 1) / BATCH;
      a->wrong[3][2 * i + !action[i]] = 0;
    }
  improve (a);
  return reel_replay_buffer_update_priority (
      buffer, reel_tensordict_get_tensor (*batch, "index", NULL), priority, error);
}

static gboolean
act (gint64 step G_GNUC_UNUSED, gint64 n, const ReelPolicyIO *io, gpointer user_data,
     GError **error G_GNUC_UNUSED)
{
  Agent *a = user_data;
  const float *values = forward (a->net, (int) n, (const float *) io->observation[0], a->late);

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) io->action[0])[i] = g_random_double () < a->explore
                                        ? g_random_int_range (0, 2)
                                        : values[2 * i + 1] > values[2 * i];
  return TRUE;
}

int
main (int argc, char **argv)
{
  gint64 frames = argc > 1 ? g_ascii_strtoll (argv[1], NULL, 10) : 50000;
  ReelCollectorStats stats, old = { 0 };
  g_autofree Agent *a = g_new0 (Agent, 1);
  g_autoptr (GError) error = NULL;
  reel_init ();
  g_random_set_seed (0);
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < ins[l] * outs[l]; i++)
      a->net[at[l] + i] = (float) (g_random_double_range (-1, 1) / sqrt (ins[l]));
  memcpy (a->target, a->net, sizeof a->net);
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act, a, NULL);
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, "CartPole-v1:num-envs=8,action-encoding=categorical", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (
      "tensor:capacity=50k,ndim=2", "prioritized:max-capacity=50k,alpha=0.6,beta=0.4", BATCH, NULL);
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:frames-per-batch=8", env, policy, buffer, &error);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 n = 8; !error && n <= frames; n += 8)
    {
      a->explore = MAX (0.02, 1 - (double) n / 10000);
      reel_collector_next (collector, NULL, &error);
      for (int i = 0; !error && n >= 1000 && i < 4; i++)
        learn (a, buffer, &batch, &error);
      if (n % 10000 != 0 || error)
        continue;
      reel_collector_get_stats (collector, &stats);
      printf ("%" G_GINT64_FORMAT " frames: mean return %.1f\n", n,
              (stats.return_sum - old.return_sum) / (double) (stats.episodes - old.episodes));
      old = stats;
    }
  return error ? fprintf (stderr, "%s\n", error->message) > 0 : 0;
}
