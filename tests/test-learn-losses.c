/* Slopes of losses against finite differences; advantages and n-step targets against their
 * definitions, for all ends of short episodes. */
#include "../apps/learn/learner.h"
#include "../apps/learn/losses.h"

#include <math.h>
#include <string.h>

#define ROWS 6
#define K 3

typedef double (*Loss) (const float *outputs, float *slopes);

static void
fill (float *values, gint n, guint32 seed)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, &seed, 1);
  for (gint i = 0; i < n; i++)
    values[i] = (float) reel_pcg64_normal (&random);
}

static void
check_slopes (Loss loss, gint n, double tolerance)
{
  g_autofree float *outputs = g_new (float, n), *slopes = g_new (float, n);
  g_autofree float *unused = g_new (float, n);

  fill (outputs, n, 5);
  loss (outputs, slopes);
  for (gint i = 0; i < n; i++)
    {
      const float before = outputs[i], change = 1e-2f;
      double above, below;

      outputs[i] = before + change;
      above = loss (outputs, unused);
      outputs[i] = before - change;
      below = loss (outputs, unused);
      outputs[i] = before;
      g_assert_cmpfloat_with_epsilon ((above - below) / (2 * (double) change), slopes[i],
                                      tolerance);
    }
}

static double
cross_entropy (const float *outputs, float *slopes)
{
  static const gint64 classes[ROWS] = { 0, 1, 2, 2, 1, 0 };

  return loss_cross_entropy (outputs, classes, ROWS, K, slopes);
}

static double
squares (const float *outputs, float *slopes)
{
  float targets[ROWS * K];

  fill (targets, ROWS * K, 6);
  return loss_squares (outputs, targets, ROWS, K, 0.7, slopes);
}

static double
conservative (const float *outputs, float *slopes)
{
  static const gint64 classes[ROWS] = { 0, 1, 2, 2, 1, 0 };
  static const float weights[ROWS] = { 1, 0.5f, 2, 1, 0, 3 };

  memset (slopes, 0, ROWS * K * sizeof (float));
  return loss_conservative (outputs, classes, weights, ROWS, K, 0.7, slopes);
}

/* Targets below and above the outputs. */
static double
expectile (const float *outputs, float *slopes)
{
  static const float weights[ROWS] = { 1, 0.5f, 2, 1, 0, 3 };
  float targets[ROWS];

  fill (targets, ROWS, 6);
  return loss_expectile (outputs, targets, weights, ROWS, 0.8, slopes);
}

static double
weighted_squares (const float *outputs, float *slopes)
{
  static const float weights[ROWS] = { 1, 0.5f, 2, 1, 0, 3 };
  float targets[ROWS * K];

  fill (targets, ROWS * K, 6);
  return loss_weighted_squares (outputs, targets, weights, ROWS, K, slopes);
}

/* Ratios below, within and above the clip, for good and bad actions. */
static double
clipped (const float *outputs, float *slopes)
{
  static const float classes[ROWS] = { 0, 1, 2, 2, 1, 0 };
  static const float old[ROWS] = { -3, -0.2f, -2, -0.1f, -1.1f, -1 };
  static const float advantage[ROWS] = { 1, 2, -1, -0.5f, 0.3f, -0.7f };
  ClippedStats stats;

  return loss_clipped (outputs, &(TakenActions){ classes, old, advantage }, ROWS, K, 0.2, 0.05,
                       slopes, &stats);
}

/* Numbers within the bounds, and at them; the last outputs are the scales. */
static double
clipped_normal (const float *outputs, float *slopes)
{
  static const float actions[ROWS * K] = { 0.5f, -1, 1,    0,     0.3f, -0.9f, 1, 1,     -0.2f,
                                           -1,   0,  0.9f, -0.7f, 0.6f, 1,     0, -0.1f, -1 };
  static const float advantage[ROWS] = { 1, 2, -1, -0.5f, 0.3f, -0.7f };
  static const float shifts[ROWS] = { -1, 0.05f, -0.1f, 1, 0.1f, -1 };
  float old[ROWS], first[(ROWS + 1) * K];
  ClippedStats stats;

  fill (first, (ROWS + 1) * K, 5); /* the outputs that slopes are asked of */
  normal_log_p (first, first + ROWS * K, actions, ROWS, K, old);
  for (gint i = 0; i < ROWS; i++)
    old[i] += shifts[i];
  return loss_clipped_normal (outputs, outputs + ROWS * K,
                              &(TakenActions){ actions, old, advantage }, ROWS, K, 0.2, 0.05,
                              slopes, slopes + ROWS * K, &stats);
}

/* The distance of bent actions to others, less a linear function of them. */
static double
bent (const float *outputs, float *slopes)
{
  float actions[ROWS * K], others[ROWS * K], linear[ROWS * K], action_slopes[ROWS * K];
  double sum;

  fill (others, ROWS * K, 7);
  fill (linear, ROWS * K, 8);
  bend (outputs, ROWS * K, actions);
  sum = loss_squares (actions, others, ROWS, K, 2.0 / K, action_slopes);
  for (gint i = 0; i < ROWS * K; i++)
    {
      sum -= (double) linear[i] * (double) actions[i];
      action_slopes[i] -= linear[i];
    }
  bend_back (actions, action_slopes, ROWS * K, slopes);
  return sum;
}

/* α log p less a linear function of the actions, as the actor's loss has it. */
static double
squashed (const float *outputs, float *slopes)
{
  const double alpha = 0.3;
  float noise[ROWS * K], actions[ROWS * K], log_p[ROWS], linear[ROWS * K];
  double sum = 0;

  fill (noise, ROWS * K, 7);
  fill (linear, ROWS * K, 8);
  squash (outputs, noise, ROWS, K, actions, log_p);
  for (gint i = 0; i < ROWS; i++)
    sum += alpha * (double) log_p[i];
  for (gint i = 0; i < ROWS * K; i++)
    sum += (double) linear[i] * (double) actions[i];
  squash_back (outputs, noise, actions, ROWS, K, linear, K, alpha, slopes);
  return sum;
}

static void
test_slopes (void)
{
  check_slopes (cross_entropy, ROWS * K, 1e-3);
  check_slopes (squares, ROWS * K, 1e-3);
  check_slopes (expectile, ROWS, 1e-3);
  check_slopes (weighted_squares, ROWS * K, 1e-3);
  check_slopes (clipped, ROWS * K, 2e-3);
  check_slopes (conservative, ROWS * K, 1e-3);
  check_slopes (clipped_normal, (ROWS + 1) * K, 5e-3);
  check_slopes (bent, ROWS * K, 2e-3);
  check_slopes (squashed, 2 * ROWS * K, 5e-3);
  for (double x = -3; x < 3; x += 0.25)
    {
      double slope, unused;

      loss_huber (x, &slope);
      g_assert_cmpfloat_with_epsilon (
          (loss_huber (x + 1e-6, &unused) - loss_huber (x - 1e-6, &unused)) / 2e-6, slope, 1e-5);
    }
}

/* Outputs that have the least loss: the mean of numbers, and of the distances to an expectile those
 * from above outweigh those from below by its share. */
static void
test_expectile (void)
{
  static const float targets[] = { 0, 0.1f, 0.3f, 0.7f, 2, 5 };
  static const float weights[] = { 1, 1, 1, 1, 1, 1 };

  for (double share = 0.1; share < 0.95; share += 0.1)
    {
      float outputs[ROWS], slopes[ROWS];
      double output = 1, above = 0, below = 0;

      for (gint step = 0; step < 1000; step++)
        {
          for (gint i = 0; i < ROWS; i++)
            outputs[i] = (float) output;
          loss_expectile (outputs, targets, weights, ROWS, share, slopes);
          for (gint i = 0; i < ROWS; i++)
            output -= 0.5 * (double) slopes[i];
        }
      for (gint i = 0; i < ROWS; i++)
        {
          above += MAX ((double) targets[i] - output, 0);
          below += MAX (output - (double) targets[i], 0);
        }
      g_assert_cmpfloat_with_epsilon (share * above, (1 - share) * below, 1e-4);
      if (fabs (share - 0.5) < 1e-9)
        g_assert_cmpfloat_with_epsilon (output, 1.35, 1e-4);
    }
}

/* The probability of tanh of a normal draw integrates to 1. */
static void
test_squashed_density (void)
{
  const float outputs[] = { 0.4f, -0.5f };
  double sum = 0, before = -1;

  for (double z = -8; z <= 8; z += 1e-3)
    {
      float noise = (float) z, action, log_p;

      squash (outputs, &noise, 1, 1, &action, &log_p);
      sum += exp ((double) log_p) * ((double) action - before);
      before = (double) action;
    }
  g_assert_cmpfloat_with_epsilon (sum, 1, 1e-2);
}

/* A loss with a forbidden class is that of the others. */
static void
test_forbidden (void)
{
  static const float few_classes[ROWS] = { 0, 1, 1, 0, 1, 0 };
  static const float old[ROWS] = { -0.5f, -0.7f, -2, -0.1f, -1.1f, -1 };
  static const float advantage[ROWS] = { 1, 2, -1, -0.5f, 0.3f, -0.7f };
  float few[ROWS * 2], many[ROWS * 3], classes[ROWS], few_slopes[ROWS * 2], many_slopes[ROWS * 3];
  ClippedStats stats, many_stats;

  fill (few, ROWS * 2, 12);
  for (gint row = 0; row < ROWS; row++)
    {
      classes[row] = 2 * few_classes[row]; /* the one between is forbidden */
      many[3 * row] = few[2 * row];
      many[3 * row + 1] = FORBIDDEN;
      many[3 * row + 2] = few[2 * row + 1];
    }
  g_assert_cmpfloat_with_epsilon (loss_clipped (many, &(TakenActions){ classes, old, advantage },
                                                ROWS, 3, 0.2, 0.05, many_slopes, &many_stats),
                                  loss_clipped (few, &(TakenActions){ few_classes, old, advantage },
                                                ROWS, 2, 0.2, 0.05, few_slopes, &stats),
                                  1e-6);
  g_assert_cmpfloat_with_epsilon (many_stats.entropy, stats.entropy, 1e-6);
  for (gint row = 0; row < ROWS; row++)
    {
      g_assert_cmpfloat (many_slopes[3 * row + 1], ==, 0);
      g_assert_cmpfloat_with_epsilon (many_slopes[3 * row], few_slopes[2 * row], 1e-6);
      g_assert_cmpfloat_with_epsilon (many_slopes[3 * row + 2], few_slopes[2 * row + 1], 1e-6);
    }
}

/* All that is stored of a normal draw: its density between the bounds, and what is at them. */
static void
test_stored_normal (void)
{
  const float bounds[] = { -1, 1 }, means[] = { 0.3f, 0, -0.9f, 5 },
              log_scales[] = { 0, -1, -2, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (means); i++)
    {
      const double step = 1e-3;
      double sum = 0;
      float log_p;

      for (guint b = 0; b < 2; b++)
        {
          normal_log_p (&means[i], &log_scales[i], &bounds[b], 1, 1, &log_p);
          sum += exp ((double) log_p);
        }
      for (gint at = 0; at < 2000; at++)
        {
          float action = (float) (-1 + (at + 0.5) * step);

          normal_log_p (&means[i], &log_scales[i], &action, 1, 1, &log_p);
          sum += exp ((double) log_p) * step;
        }
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-3);
    }
}

/* On the far tail log p is finite, and goes on as it began. */
static void
test_far_tail (void)
{
  const float bound = 1, log_scale = 0;
  float before = 0, log_p;

  for (double mean = 0; mean > -60; mean -= 0.5)
    {
      normal_log_p (&(float){ (float) mean }, &log_scale, &bound, 1, 1, &log_p);
      g_assert_cmpfloat (log_p, <, before);
      if (mean < -20)
        g_assert_cmpfloat_with_epsilon (before - log_p, 0.5 * (1 - mean), 0.2);
      before = log_p;
    }
}

/* ---- advantages ---- */

#define STEPS 4
#define LANES 2
#define ENDS 3 /* none, terminated, truncated */

/* Σ (γλ)^l δ of the steps up to the end of the episode. */
static double
define_advantage (const ValuedSteps *steps, gint t, gint lane, double gamma, double lambda)
{
  double sum = 0, weight = 1;

  for (gint at = t; at < STEPS; at++, weight *= gamma * lambda)
    {
      gint i = at * LANES + lane;
      double after = steps->terminated[i] ? 0 : (double) steps->next_value[i];

      sum += weight * ((double) steps->reward[i] + gamma * after - (double) steps->value[i]);
      if (steps->done[i])
        break;
    }
  return sum;
}

static void
test_advantages (void)
{
  float reward[STEPS * LANES], value[STEPS * LANES], next[STEPS * LANES];
  float advantage[STEPS * LANES];
  guint8 terminated[STEPS * LANES], done[STEPS * LANES];
  const ValuedSteps steps = { reward, value, next, terminated, done };

  fill (reward, STEPS * LANES, 9);
  fill (value, STEPS * LANES, 10);
  fill (next, STEPS * LANES, 11);
  for (gint ends = 0; ends < 6561; ends++) /* ENDS to the power of STEPS × LANES */
    {
      for (gint i = 0, rest = ends; i < STEPS * LANES; i++, rest /= ENDS)
        {
          terminated[i] = rest % ENDS == 1;
          done[i] = rest % ENDS > 0;
        }
      estimate_advantages (&steps, STEPS, LANES, 0.9, 0.8, advantage);
      for (gint i = 0; i < STEPS * LANES; i++)
        g_assert_cmpfloat_with_epsilon (
            advantage[i], define_advantage (&steps, i / LANES, i % LANES, 0.9, 0.8), 1e-5);
    }
}

/* ---- n-step targets ---- */

#define WRITTEN 6

/* Steps whose observation is their number, and whose reward is 2 to its power. */
static ReelTensordict *
make_steps (const gint *ends)
{
  const gint64 n = WRITTEN;
  ReelTensordict *steps = reel_tensordict_new (1, &n);
  static const char *const floats[] = { "observation", "next/observation", "next/reward" };
  static const char *const flags[] = { "next/done", "next/terminated", "next/truncated" };

  for (guint k = 0; k < 3; k++)
    {
      g_autoptr (ReelTensor) numbers =
          reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (gint64[]){ n, 1 }, NULL);
      g_autoptr (ReelTensor) bools = reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ n, 1 }, NULL);

      for (gint t = 0; t < WRITTEN; t++)
        {
          ((float *) (gpointer) numbers->data)[t] = k == 0   ? (float) t
                                                    : k == 1 ? (float) t + 0.5f
                                                             : (float) (1 << t);
          bools->data[t] = k == 0 ? ends[t] > 0 : ends[t] == (gint) k;
        }
      g_assert_true (reel_tensordict_set_tensor (steps, floats[k], numbers, NULL));
      g_assert_true (reel_tensordict_set_tensor (steps, flags[k], bools, NULL));
    }
  return steps;
}

static void
check_row (ReelTensordict *rows, gint t, const gint *ends, gint n)
{
  const double gamma = 0.5;
  double reward = 0, weight = 1;
  gint last = t;
  float got[4];
  guint8 terminated;
  g_autoptr (ReelTensordict) row = reel_tensordict_slice (rows, 0, t, t + 1, 1, NULL);

  for (gint at = t; at < t + n; at++, weight *= gamma)
    {
      reward += weight * (double) (1 << at);
      last = at;
      if (ends[at] > 0)
        {
          weight *= gamma;
          break;
        }
    }
  g_assert_true (spaces_read (row, "observation", 1, 1, got, NULL));
  g_assert_true (spaces_read (row, "next/observation", 1, 1, got + 1, NULL));
  g_assert_true (spaces_read (row, "next/reward", 1, 1, got + 2, NULL));
  g_assert_true (spaces_read (row, "gamma", 1, 1, got + 3, NULL));
  g_assert_true (spaces_read_flags (row, "next/terminated", 1, 1, &terminated, NULL));
  g_assert_cmpfloat (got[0], ==, t);
  g_assert_cmpfloat (got[1], ==, last + 0.5);
  g_assert_cmpfloat_with_epsilon (got[2], reward, 1e-6);
  g_assert_cmpfloat_with_epsilon (got[3], weight, 1e-6);
  g_assert_cmpint (terminated, ==, ends[last] == 1);
}

/* Every end of every step, written in two parts; the newest rows wait for those that follow. */
static void
test_n_step (void)
{
  for (gint n = 1; n <= 3; n++)
    for (gint code = 0; code < 729; code++)
      {
        gint ends[WRITTEN];
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelReplayBuffer) buffer =
            reel_replay_buffer_new_from_text ("tensor:capacity=20", NULL, 1, &error);
        g_autoptr (ReelTransform) transform = learner_make_n_step (n, 0.5, &error);

        for (gint t = 0, rest = code; t < WRITTEN; t++, rest /= 3)
          ends[t] = rest % 3;
        g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, &error));
        g_autoptr (ReelTensordict) steps = make_steps (ends);
        for (gint part = 0; part < 2; part++)
          {
            g_autoptr (ReelTensordict) some =
                reel_tensordict_slice (steps, 0, part ? 4 : 0, part ? WRITTEN : 4, 1, &error);
            g_assert_true (reel_replay_buffer_extend (buffer, some, NULL, &error));
          }
        gint64 length = reel_replay_buffer_get_length (buffer);
        g_assert_cmpint (length, >=, WRITTEN - n);
        g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, 0, length, &error);
        g_assert_no_error (error);
        for (gint t = 0; t < length; t++)
          check_row (rows, t, ends, n);
      }
}

/* The root of a value, by its definition, and back. */
static void
test_rescaled (void)
{
  for (double value = -300; value <= 300; value += 0.37)
    {
      double size = sqrt (fabs (value) + 1) - 1;

      g_assert_cmpfloat_with_epsilon (rescale_value (value),
                                      (value < 0 ? -size : size) + value / 1000, 1e-12);
      g_assert_cmpfloat_with_epsilon (rescale_back (rescale_value (value)), value, 1e-8);
    }
  g_assert_cmpfloat_with_epsilon (rescale_back (0), 0, 1e-12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/apps/learn/losses/slopes", test_slopes);
  g_test_add_func ("/apps/learn/losses/expectiles", test_expectile);
  g_test_add_func ("/apps/learn/losses/squashed-density", test_squashed_density);
  g_test_add_func ("/apps/learn/losses/rescaled-values", test_rescaled);
  g_test_add_func ("/apps/learn/losses/forbidden-classes", test_forbidden);
  g_test_add_func ("/apps/learn/losses/stored-normal-density", test_stored_normal);
  g_test_add_func ("/apps/learn/losses/far-tail", test_far_tail);
  g_test_add_func ("/apps/learn/losses/advantages", test_advantages);
  g_test_add_func ("/apps/learn/losses/n-step-targets", test_n_step);

  return g_test_run ();
}
