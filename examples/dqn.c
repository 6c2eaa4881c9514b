/* Double DQN on CartPole: a collector fills a prioritised replay buffer, a small network learns
 * from it and acts. Prints what the network reaches without exploring. Needs a CBLAS. After van
 * Hasselt et al., "Deep reinforcement learning with double Q-learning" (2015). */
#include <reel/reel.h>

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 128
#define LANES 8
#define WIDTH 64
#define SIZE 4610 /* weights of the network */

static const struct
{
  int in, out, weights, bias;
} layers[] = { { 4, WIDTH, 0, 256 }, { WIDTH, WIDTH, 320, 4416 }, { WIDTH, 2, 4480, 4608 } };

typedef float Values[4][BATCH * WIDTH]; /* what goes into each layer, and comes out of the last */

typedef struct
{
  float net[SIZE], target[SIZE], gradient[SIZE], mean[SIZE], square[SIZE];
  Values now, next, late, wrong;
  double n_updates, explore;
} Agent;

static const float *
forward (const float *net, int n, const float *x, Values v)
{
  memcpy (v[0], x, (gsize) n * 4 * sizeof *x);
  for (int l = 0; l < 3; l++)
    {
      int in = layers[l].in, out = layers[l].out;
      for (int i = 0; i < n * out; i++)
        v[l + 1][i] = net[layers[l].bias + i % out];
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, n, out, in, 1, v[l], in,
                   net + layers[l].weights, out, 1, v[l + 1], out);
      for (int i = 0; l < 2 && i < n * out; i++)
        v[l + 1][i] = fmaxf (v[l + 1][i], 0);
    }
  return v[3];
}

/* From what is wrong with the values, in wrong[3], to what is wrong with the weights, a step back.
 */
static void
improve (Agent *a)
{
  double t = ++a->n_updates;
  float rate = (float) (1e-3 * sqrt (1 - pow (0.999, t)) / (1 - pow (0.9, t)));

  for (int l = 2; l >= 0; l--)
    {
      int in = layers[l].in, out = layers[l].out;
      float *bias = a->gradient + layers[l].bias, *wrong = a->wrong[l + 1];
      cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, in, out, BATCH, 1, a->now[l], in, wrong,
                   out, 0, a->gradient + layers[l].weights, out);
      for (int i = 0; i < BATCH * out; i++)
        bias[i % out] = wrong[i] + (i < out ? 0 : bias[i % out]);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, BATCH, in, out, 1, wrong, out,
                   a->net + layers[l].weights, out, 0, a->wrong[l], in);
      for (int i = 0; i < BATCH * in; i++)
        a->wrong[l][i] = a->now[l][i] > 0 ? a->wrong[l][i] : 0;
    }
  /* Adam; the target follows slowly. */
  for (int i = 0; i < SIZE; i++)
    {
      a->mean[i] += 0.1f * (a->gradient[i] - a->mean[i]);
      a->square[i] += 0.001f * (a->gradient[i] * a->gradient[i] - a->square[i]);
      a->net[i] -= rate * a->mean[i] / (sqrtf (a->square[i]) + 1e-8f);
      a->target[i] += 0.01f * (a->net[i] - a->target[i]);
    }
}

#define COLUMN(key, type) ((const type *) reel_tensordict_get_tensor (*batch, key, NULL)->data)

static gboolean
learn (Agent *a, ReelReplayBuffer *buffer, ReelTensordict **batch, GError **error)
{
  g_autoptr (ReelTensor) priority =
      reel_tensor_new (REEL_DTYPE_FLOAT32, 1, (gint64[]){ BATCH }, error);

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
act (G_GNUC_UNUSED gint64 step, gint64 n, const ReelPolicyIO *io, gpointer user_data,
     G_GNUC_UNUSED GError **error)
{
  Agent *a = user_data;
  const float *values = forward (a->net, (int) n, (const float *) io->observation[0], a->late);

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) io->action[0])[i] = g_random_double () < a->explore
                                        ? g_random_int_range (0, 2)
                                        : values[2 * i + 1] > values[2 * i];
  return TRUE;
}

static ReelCollector *
new_collector (Agent *a, int lanes, guint32 seed, const char *text, ReelReplayBuffer *buffer,
               GError **error)
{
  g_autofree char *env_text =
      g_strdup_printf ("CartPole-v1:num-envs=%d,seed=%u,action-encoding=categorical", lanes, seed);
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, env_text, error, NULL);
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act, a, NULL);

  return env ? reel_collector_new (text, env, policy, buffer, error) : NULL;
}

/* 1000 steps of 100 lanes, without exploring; of the mean of what ended short episodes are more. */
static gboolean
evaluate (Agent *a, guint32 seed, gint64 frames, GError **error)
{
  g_autoptr (ReelCollector) collector =
      new_collector (a, 100, 1000, "sync:frames-per-batch=100k", NULL, error);
  ReelCollectorStats stats;

  a->explore = 0;
  if (!collector || reel_collector_next (collector, NULL, error) < 0)
    return FALSE;
  reel_collector_get_stats (collector, &stats);
  printf ("seed %u, %" G_GINT64_FORMAT " frames: mean return %.1f\n", seed, frames,
          stats.return_sum / (double) MAX (stats.episodes, 1));
  return TRUE;
}

static void
run (Agent *a, guint32 seed, gint64 frames, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new_from_text (
      "tensor:capacity=50k,ndim=2", "prioritized:max-capacity=50k,alpha=0.6,beta=0.4", BATCH,
      error);
  g_autoptr (ReelCollector) collector =
      buffer ? new_collector (a, LANES, seed * LANES, "sync:frames-per-batch=8", buffer, error)
             : NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  gboolean done = collector != NULL;

  for (gint64 n = LANES; done && n <= frames; n += LANES)
    {
      a->explore = MAX (0.02, 1 - (double) n / 10000);
      done = reel_collector_next (collector, NULL, error) > 0;
      for (int i = 0; done && n >= 1000 && i < LANES / 2; i++)
        done = learn (a, buffer, &batch, error);
      if (done && n % 10000 == 0)
        done = evaluate (a, seed, n, error);
    }
}

/* dqn [FRAMES [SEEDS]] */
int
main (int argc, char **argv)
{
  gint64 frames = argc > 1 ? atoll (argv[1]) : 50000, n_seeds = argc > 2 ? atoll (argv[2]) : 5;
  g_autoptr (GError) error = NULL;

  reel_init ();
  for (guint32 seed = 0; !error && seed < n_seeds; seed++)
    {
      g_autofree Agent *a = g_new0 (Agent, 1);
      g_random_set_seed (seed);
      for (int l = 0; l < 3; l++)
        for (int i = layers[l].weights; i < layers[l].bias; i++)
          a->net[i] = (float) (g_random_double_range (-1, 1) / sqrt (layers[l].in));
      memcpy (a->target, a->net, sizeof a->net);
      run (a, seed, frames, &error);
    }
  if (error)
    fprintf (stderr, "%s\n", error->message);
  return error != NULL;
}
