/* The policy of a network: its outputs, actions and log-probabilities against plain formulas. */
#include "collecting.h"
#include "make-spec.h"
#include "policy-record.h"
#include "scratch.h"

#include <math.h>
#include <string.h>

enum
{
  LANES = 300,
  N_IN = 4,
  MOST = 8,
};

static const double infinite = INFINITY;

/* ---- a policy on some lanes ---- */

typedef struct
{
  ReelPolicy *policy;
  float seen[LANES][N_IN];
  guint8 mask[LANES * MOST];
  double action[LANES * MOST]; /* of any type */
  float log_prob[LANES];
  float before[LANES * MOST], after[LANES * MOST];
  ReelExploration exploration;
} Play;

static void
play_clear (Play *play)
{
  g_clear_object (&play->policy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Play, play_clear)

/* With a mask where the action is a class of @n_masked. */
static ReelSpec *
make_observation (gint64 n_masked)
{
  static const char *const keys[] = { "action_mask", "observation" };
  g_autoptr (ReelSpec) seen = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (N_IN));
  g_autoptr (ReelSpec) mask = n_masked > 0 ? make_binary (REEL_DTYPE_BOOL, SHAPE (n_masked)) : NULL;
  ReelSpec *const specs[] = { mask, seen };

  return make_composite (SCALAR, keys + (n_masked == 0), specs + (n_masked == 0),
                         n_masked > 0 ? 2 : 1);
}

static gboolean
begin (Play *play, const char *options, const gint64 *widths, const ReelSpec *leaf, gint64 n_masked,
       GError **error)
{
  static const char *const key = "action";
  g_autofree char *weights = scratch_path ("weights");
  g_autofree char *text = g_strdup_printf ("mlp:weights=%s%s", weights, options);
  g_autoptr (ReelSpec) observation = make_observation (n_masked);
  g_autoptr (ReelSpec) action =
      make_composite (SCALAR, &key, (ReelSpec *[]){ (ReelSpec *) leaf }, 1);

  memset (play, 0, sizeof *play);
  if (widths)
    policy_save_weights (weights, widths);
  for (gint i = 0; i < LANES * N_IN; i++)
    play->seen[i / N_IN][i % N_IN] = (float) (i * 29 % 83) / 40 - 1;
  memset (play->mask, 1, sizeof play->mask);
  play->policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, error, NULL);
  return play->policy && reel_policy_bind (play->policy, observation, action, LANES, error);
}

static gboolean
try (Play *play, gint64 step, gboolean masked, GError **error)
{
  const guint8 *observation[] = { masked ? play->mask : (guint8 *) play->seen,
                                  (guint8 *) play->seen };
  const guint8 *state[] = { (guint8 *) play->before };
  guint8 *action[] = { (guint8 *) play->action }, *output[] = { (guint8 *) play->log_prob },
         *next[] = { (guint8 *) play->after };
  const ReelPolicyIO io = { observation, state, action, output, next, play->exploration };

  return reel_policy_act (play->policy, step, 0, LANES, &io, error);
}

static void
act (Play *play, gint64 step)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (try (play, step, FALSE, &error));
  g_assert_no_error (error);
}

static void
start (Play *play, const char *options, const gint64 *widths, const ReelSpec *leaf)
{
  g_autoptr (GError) error = NULL;

  begin (play, options, widths, leaf, 0, &error);
  g_assert_no_error (error);
}

/* ---- the plain network ---- */

static double
weight_of (gint64 i, gint64 layer)
{
  return (double) ((i * 37 + 2 * layer * 11) % 19 - 9) / 16;
}

static double
activate (const char *name, double x)
{
  if (g_str_equal (name, "tanh"))
    return tanh (x);
  if (g_str_equal (name, "relu"))
    return fmax (x, 0);
  if (g_str_equal (name, "leaky-relu"))
    return x < 0 ? x / 100 : x;
  if (g_str_equal (name, "elu"))
    return x < 0 ? expm1 (x) : x;
  return (g_str_equal (name, "silu") ? x : 1) / (1 + exp (-x));
}

static void
run (const char *name, const gint64 *widths, const float *seen, double *values)
{
  double next[128];

  for (gint k = 0; k < N_IN; k++)
    values[k] = (double) seen[k];
  for (gint64 layer = 0; widths[layer + 1] > 0; layer++)
    {
      for (gint64 o = 0; o < widths[layer + 1]; o++)
        {
          next[o] = weight_of (o, layer);
          for (gint64 k = 0; k < widths[layer]; k++)
            next[o] += values[k] * weight_of (o * widths[layer] + k, layer);
          if (widths[layer + 2] > 0)
            next[o] = activate (name, next[o]);
        }
      memcpy (values, next, sizeof next);
    }
}

/* ---- outputs ---- */

static void
check_network (const char *activation, const gint64 *widths)
{
  g_autofree char *options = g_strdup_printf (",activation=%s", activation);
  g_autoptr (ReelSpec) leaf =
      make_unbounded (REEL_DTYPE_FLOAT64, SHAPE (widths[widths[2] ? widths[3] ? 3 : 2 : 1]));
  g_auto (Play) play;
  double values[128];

  start (&play, options, widths, leaf);
  act (&play, 0);
  for (gint lane = 0; lane < LANES; lane++)
    {
      gint64 n = widths[widths[2] ? widths[3] ? 3 : 2 : 1];

      run (activation, widths, play.seen[lane], values);
      for (gint64 i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon (play.action[lane * n + i], values[i], 3e-5);
    }
}

static void
test_network (void)
{
  static const char *const names[] = { "tanh", "relu", "leaky-relu", "elu", "sigmoid", "silu" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      check_network (names[i], (const gint64[]){ N_IN, 3, 0, 0 });
      check_network (names[i], (const gint64[]){ N_IN, 32, 2, 0, 0 });
      check_network (names[i], (const gint64[]){ N_IN, 33, 65, 5, 0, 0 });
    }
}

/* Each level gives the same bits. */
static void
test_levels (void)
{
  static const char *const levels[] = { "generic", "avx2", "avx512" };
  g_autoptr (PolicyRecord) first = NULL;
  g_autofree char *text = policy_dup_text ("mlp", scratch_directory);

  for (gint i = 0; i < 3; i++)
    {
      g_setenv ("REEL_ISA", levels[i], TRUE);
      g_autoptr (ReelPolicy) policy =
          reel_object_new_from_text (REEL_TYPE_POLICY, text, NULL, NULL);
      if (policy == NULL) /* this machine cannot */
        continue;
      g_autoptr (PolicyRecord) record = policy_act_through (text);
      if (first == NULL)
        first = g_steal_pointer (&record);
      else
        g_assert_true (policy_record_equal (first, record));
    }
  g_unsetenv ("REEL_ISA");
  g_assert_nonnull (first);
}

/* ---- normal heads ---- */

static double
scale_of (const char *scale, double x)
{
  return fmax (g_str_equal (scale, "exp") ? exp (x) : log1p (exp (x + log (M_E - 1))), 1e-4);
}

static void
check_normal (const char *scale, gboolean tanh_of, gboolean explore)
{
  static const gint64 widths[] = { N_IN, 16, 4, 0, 0 };
  g_autofree char *options =
      g_strdup_printf (",head=%s,scale=%s,seed=9,explore=%s", tanh_of ? "tanh-normal" : "normal",
                       scale, explore ? "true" : "false");
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, 3);
  g_autoptr (ReelSpec) reals = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_auto (Play) play;
  double values[128], mean = 0, square = 0;
  guint n = 0;

  start (&play, options, widths, tanh_of ? box : reals);
  for (gint64 step = 0; step < 20; step++)
    {
      act (&play, step);
      for (gint lane = 0; lane < LANES; lane++)
        {
          double log_prob = 0;

          run ("tanh", widths, play.seen[lane], values);
          for (gint i = 0; i < 2; i++)
            {
              double a = (double) ((float *) play.action)[2 * lane + i];
              double y = (a + 1) / 2 - 1, u = tanh_of ? atanh (y) : a;
              double s = scale_of (scale, values[2 + i]), z = (u - values[i]) / s;

              if (tanh_of && fabs (y) > 0.999)
                {
                  log_prob = NAN; /* atanh has too few bits there */
                  break;
                }
              if (!explore)
                g_assert_cmpfloat_with_epsilon (z, 0, 1e-3);
              log_prob -= z * z / 2 + log (s) + log (2 * M_PI) / 2;
              if (tanh_of)
                log_prob -= log1p (-y * y) + log (2);
              mean += z;
              square += z * z;
              n++;
            }
          if (!isnan (log_prob))
            g_assert_cmpfloat_with_epsilon ((double) play.log_prob[lane], log_prob, 2e-3);
        }
    }
  if (!explore || tanh_of)
    return;
  g_assert_cmpfloat (fabs (mean / n), <, 5 / sqrt (n));
  g_assert_cmpfloat (fabs (square / n - 1), <, 8 / sqrt (n));
}

static void
test_normal (void)
{
  for (gint i = 0; i < 8; i++)
    check_normal (i & 1 ? "exp" : "softplus", i & 2, i & 4);
}

/* Draws beyond bounds are stored at the bound, with the density there. */
static void
test_normal_within_bounds (void)
{
  static const gint64 widths[] = { N_IN, 2, 0 };
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (1), -0.25, 0.25);
  g_auto (Play) play;
  guint n_low = 0;

  start (&play, ",head=normal", widths, box);
  act (&play, 3);
  for (gint lane = 0; lane < LANES; lane++)
    {
      double a = (double) ((float *) play.action)[lane], values[128];

      run ("tanh", widths, play.seen[lane], values);
      double s = scale_of ("softplus", values[1]), z = (a - values[0]) / s;
      g_assert_true (fabs (a) <= 0.25);
      g_assert_cmpfloat_with_epsilon ((double) play.log_prob[lane],
                                      -z * z / 2 - log (s) - log (2 * M_PI) / 2, 1e-3);
      n_low += a == -0.25;
    }
  g_assert_cmpuint (n_low, >, 10);
}

/* ---- classes ---- */

static void
test_categorical (void)
{
  static const gint64 widths[] = { N_IN, 16, 5, 0, 0 };
  enum
  {
    STEPS = 3000
  };
  g_autoptr (ReelSpec) leaf = make_categorical (5, REEL_DTYPE_INT64, SCALAR);
  g_auto (Play) play;
  guint counts[5] = { 0 };
  double values[128], total = 0, chi_square = 0;

  start (&play, ",head=categorical", widths, leaf);
  run ("tanh", widths, play.seen[7], values);
  for (gint i = 0; i < 5; i++)
    total += exp (values[i]);
  for (gint64 step = 0; step < STEPS; step++)
    {
      act (&play, step);
      gint64 class = ((gint64 *) play.action)[7];
      counts[class]++;
      g_assert_cmpfloat_with_epsilon ((double) play.log_prob[7], values[class] - log (total), 1e-4);
    }
  for (gint i = 0; i < 5; i++)
    {
      double expected = STEPS * exp (values[i]) / total;
      chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
  g_assert_cmpfloat (chi_square, <, 4 + 6 * sqrt (8));
}

/* Of classes that a mask forbids none is chosen, by any head, and the rest is all there is. */
static void
check_masked (const char *options, gboolean has_log_prob)
{
  static const gint64 widths[] = { N_IN, 16, 5, 0, 0 };
  g_autoptr (ReelSpec) leaf = make_one_hot (5, REEL_DTYPE_INT8, SHAPE (5));
  g_autoptr (GError) error = NULL;
  g_auto (Play) play;
  double values[128];

  begin (&play, options, widths, leaf, 5, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < LANES * 5; i++)
    play.mask[i] = (i % 5 + i / 5) % 3 == 0;
  for (gint64 step = 0; step < 20; step++)
    {
      g_assert_true (try (&play, step, TRUE, &error));
      for (gint lane = 0; lane < LANES; lane++)
        {
          double total = 0;
          gint chosen = -1;

          run ("tanh", widths, play.seen[lane], values);
          for (gint i = 0; i < 5; i++)
            {
              total += play.mask[5 * lane + i] ? exp (values[i]) : 0;
              if (((gint8 *) play.action)[5 * lane + i])
                chosen = i;
            }
          g_assert_true (chosen >= 0 && play.mask[5 * lane + chosen]);
          if (has_log_prob)
            g_assert_cmpfloat_with_epsilon ((double) play.log_prob[lane],
                                            values[chosen] - log (total), 1e-4);
        }
    }
  memset (play.mask + 5 * 41, 0, 5);
  g_assert_false (try (&play, 0, TRUE, &error));
  g_assert_cmpstr (error->message, ==,
                   "lane 41 has no allowed action: all of its \"action_mask\" is false");
}

static void
test_masks (void)
{
  check_masked (",head=categorical", TRUE);
  check_masked (",head=categorical,explore=false", TRUE);
  check_masked ("", FALSE);
  check_masked (",epsilon=0.5", FALSE);
}

/* The greatest value, but for a share of epsilon, which follows its schedule. */
static void
test_epsilon (void)
{
  static const gint64 widths[] = { N_IN, 16, 6, 0, 0 };
  static const double shares[] = { 0.9, 0.5, 0.1, 0.1 };
  g_autoptr (ReelSpec) leaf = make_categorical (6, REEL_DTYPE_INT64, SCALAR);
  g_auto (Play) play;

  start (&play, ",epsilon=0.9,epsilon-end=0.1,epsilon-steps=2000", widths, leaf);
  for (gint part = 0; part < 4; part++)
    {
      guint n_other = 0;
      double expected = shares[part] * 5 / 6;

      for (gint64 step = 1000 * part; step < 1000 * part + 10; step++)
        {
          act (&play, step);
          for (gint lane = 0; lane < LANES; lane++)
            {
              double values[128];
              gint greatest = 0;

              run ("tanh", widths, play.seen[lane], values);
              for (gint i = 1; i < 6; i++)
                if (values[i] > values[greatest])
                  greatest = i;
              n_other += ((gint64 *) play.action)[lane] != greatest;
            }
        }
      g_assert_cmpfloat_with_epsilon (n_other / (10.0 * LANES), expected, 0.05);
    }
}

/* ---- noise ---- */

static void
test_gaussian_noise (void)
{
  static const gint64 widths[] = { N_IN, 16, 2, 0, 0 };
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_FLOAT64, SHAPE (2));
  g_auto (Play) play;

  start (&play, ",sigma=0.5,sigma-end=0.1,sigma-steps=100", widths, leaf);
  for (gint64 step = 0; step <= 100; step += 50)
    {
      double values[128], square = 0, sigma = 0.5 - 0.4 * (double) step / 100;

      act (&play, step);
      for (gint lane = 0; lane < LANES; lane++)
        {
          run ("tanh", widths, play.seen[lane], values);
          for (gint i = 0; i < 2; i++)
            square += pow (play.action[2 * lane + i] - values[i], 2);
        }
      g_assert_cmpfloat_with_epsilon (sqrt (square / 2 / LANES) / sigma, 1, 0.15);
    }
}

/* The process goes on from its state: x − θ x dt, and the same noise. */
static void
test_ou_noise (void)
{
  static const gint64 widths[] = { N_IN, 16, 2, 0, 0 };
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_FLOAT64, SHAPE (2));
  g_auto (Play) play;
  float first[LANES * 2];
  double square = 0;

  start (&play, ",sigma=0.5,noise=ou,theta=2,dt=0.04", widths, leaf);
  act (&play, 5);
  memcpy (first, play.after, sizeof first);
  for (gint i = 0; i < 2 * LANES; i++)
    {
      square += (double) first[i] * (double) first[i];
      play.before[i] = (float) i / 50;
    }
  g_assert_cmpfloat_with_epsilon (sqrt (square / 2 / LANES), 0.5 * 0.2, 0.015);
  act (&play, 5);
  for (gint i = 0; i < 2 * LANES; i++)
    {
      double values[128];

      run ("tanh", widths, play.seen[i / 2], values);
      g_assert_cmpfloat_with_epsilon ((double) play.after[i],
                                      (double) first[i] + (double) play.before[i] * 0.92, 1e-5);
      g_assert_cmpfloat_with_epsilon (play.action[i], values[i % 2] + (double) play.after[i], 1e-4);
    }
}

/* ---- in a collector ---- */

static void
collect (ReelReplayBuffer *buffer, const char *policy, const char *how)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      how, "Pendulum-v1:num-envs=3,seed=2,max-episode-steps=7", policy, buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
}

static void
check_run (const char *policy, const char *key)
{
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", 90, 2);
  g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", 90, 2);

  collect (whole, policy, "sync:total-frames=75,threads=1");
  collect (parts, policy, "sync:total-frames=27,threads=2,frames-per-batch=4");
  collect (parts, policy, "sync:total-frames=48,threads=3,resume=true");
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (whole, NULL);
  g_autoptr (ReelTensordict) others = reel_replay_buffer_get_all (parts, NULL);
  g_assert_true (reel_tensordict_equal (rows, others));
  g_assert_true (reel_tensordict_contains (rows, key));
}

static void
test_runs (void)
{
  g_autofree char *weights = scratch_path ("weights");
  g_autofree char *ou = g_strdup_printf ("mlp:weights=%s,sigma=1,noise=ou,dt=1", weights);
  g_autofree char *drawn = g_strdup_printf ("mlp:weights=%s,head=tanh-normal", weights);

  policy_save_weights (weights, (const gint64[]){ 3, 8, 1, 0 });
  check_run (ou, "next/ou_noise");
  policy_save_weights (weights, (const gint64[]){ 3, 8, 2, 0 });
  check_run (drawn, "action_log_prob");
}

/* ---- files ---- */

/* The weights of policy_save_weights() as safetensors, layer 1 before layer 0. */
static void
save_safetensors (const char *path, const char *prefix)
{
  g_autofree char *header = g_strdup_printf (
      "{\"%s2.bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
      "\"%s2.weight\":{\"dtype\":\"F32\",\"shape\":[2,10],\"data_offsets\":[8,88]},"
      "\"%s0.bias\":{\"dtype\":\"F32\",\"shape\":[10],\"data_offsets\":[88,128]},"
      "\"%s0.weight\":{\"dtype\":\"F32\",\"shape\":[10,4],\"data_offsets\":[128,288]}}",
      prefix, prefix, prefix, prefix);
  static const gint64 sizes[][2] = { { 2, 1 }, { 20, 1 }, { 10, 0 }, { 40, 0 } };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE (strlen (header));

  g_byte_array_append (bytes, (const guint8 *) &length, 8);
  g_byte_array_append (bytes, (const guint8 *) header, (guint) strlen (header));
  for (gint part = 0; part < 4; part++)
    for (gint64 i = 0; i < sizes[part][0]; i++)
      {
        float value = (float) weight_of (i, sizes[part][1]);
        g_byte_array_append (bytes, (const guint8 *) &value, 4);
      }
  g_assert_true (g_file_set_contents (path, (char *) bytes->data, bytes->len, NULL));
}

static void
test_safetensors (void)
{
  static const gint64 widths[] = { N_IN, 10, 2, 0, 0 };
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_autofree char *path = scratch_path ("weights.safetensors");
  g_autoptr (GError) error = NULL;
  g_auto (Play) one, other;

  start (&one, "", widths, leaf);
  act (&one, 0);
  save_safetensors (path, "");
  begin (&other, ".safetensors", NULL, leaf, 0, &error);
  g_assert_no_error (error);
  act (&other, 0);
  g_assert_cmpmem (one.action, sizeof one.action, other.action, sizeof other.action);
  play_clear (&other);
  save_safetensors (path, "actor.net.");
  begin (&other, ".safetensors,prefix=actor/net", NULL, leaf, 0, &error);
  g_assert_no_error (error);
  act (&other, 0);
  g_assert_cmpmem (one.action, sizeof one.action, other.action, sizeof other.action);
}

/* A run is not continued with other weights. */
static void
test_checksum (void)
{
  g_autofree char *text = policy_dup_text ("mlp", scratch_directory);
  g_autofree char *weights = scratch_path ("weights");
  g_autoptr (ReelPolicy) policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (policy);
  g_assert_nonnull (strstr (text, ",checksum="));
  policy_save_weights (weights, (const gint64[]){ 4, 33, 69, 4, 0 });
  g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (g_pattern_match_simple (
      "the weights in * are others than those of checksum *: theirs is *", error->message));
}

/* ---- refusals ---- */

static void
expect (const char *options, const gint64 *widths, const ReelSpec *leaf, int code,
        const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_auto (Play) play;

  g_assert_false (begin (&play, options, widths, leaf, 0, &error));
  g_assert_error (error, REEL_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("\"%s\" is not %s", error->message, pattern);
  play_clear (&play);
  g_assert_false (begin (&play, options, NULL, leaf, 0, NULL));
}

static void
test_refusals (void)
{
  static const gint64 two[] = { N_IN, 8, 2, 0 }, four[] = { N_IN, 8, 4, 0 }, other[] = { 5, 2, 0 };
  g_autoptr (ReelSpec) box = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_autoptr (ReelSpec) class = make_categorical (2, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelSpec) bits = make_binary (REEL_DTYPE_INT8, SHAPE (2));

  expect ("", two, bits, REEL_ERROR_NOT_IMPLEMENTED, "the mlp policy acts by one box of*Binary");
  expect ("", four, box, REEL_ERROR_VALUE,
          "the network has 4 outputs, and head=deterministic of \"action\" takes 2");
  expect (",head=normal", two, box, REEL_ERROR_VALUE,
          "the network has 2 outputs, and head=normal of \"action\" takes 4");
  expect (",head=normal", two, class, REEL_ERROR_VALUE,
          "head=normal is not for \"action\", which is a class: deterministic or categorical");
  expect (",head=categorical", two, box, REEL_ERROR_VALUE,
          "head=categorical is not for \"action\", which is a box: *");
  expect (",head=tanh-normal", four, box, REEL_ERROR_VALUE,
          "head=tanh-normal needs finite bounds*");
  expect (",epsilon=0.1", two, box, REEL_ERROR_VALUE, "epsilon is for a deterministic head*");
  expect (",sigma-end=1,sigma-steps=5", two, class, REEL_ERROR_VALUE, "sigma is for a*");
  expect ("", other, box, REEL_ERROR_VALUE,
          "the network of * has 5 inputs, and the observation 4 numbers; in-keys=*");
  expect (",in-keys=[seen]", two, box, REEL_ERROR_KEY,
          "in-keys: the environment shows no \"seen\"; it shows observation");
  expect (",prefix=critic", two, box, REEL_ERROR_KEY, "* has no weights below critic");
  expect ("-nowhere", two, box, REEL_ERROR_IO, "*-nowhere: there is no such file*");
}

static void
test_other_tensors (void)
{
  g_autoptr (ReelSpec) box = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_autofree char *path = scratch_path ("weights");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) square = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2, 4), NULL);
  g_autoptr (ReelTensor) next = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2, 3), NULL);
  g_autoptr (ReelTensor) line = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (4), NULL);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (td, "0/weight", square, NULL);
  reel_tensordict_set_tensor (td, "log_std", line, NULL);
  g_assert_true (reel_tensordict_save (td, path, 0, NULL));
  expect ("", NULL, box, REEL_ERROR_VALUE,
          "*: \"log_std\" is neither weight nor bias of a linear layer, an LSTM or a GRU*");
  reel_tensordict_remove (td, "log_std", NULL);
  reel_tensordict_set_tensor (td, "0/bias", line, NULL);
  g_assert_true (reel_tensordict_save (td, path, 0, NULL));
  expect ("", NULL, box, REEL_ERROR_VALUE,
          "*: \"0/bias\" must be floats, one for each of 2 outputs");
  reel_tensordict_remove (td, "0/bias", NULL);
  reel_tensordict_set_tensor (td, "10/weight", next, NULL);
  reel_tensordict_set_tensor (td, "2/weight", square, NULL);
  g_assert_true (reel_tensordict_save (td, path, 0, NULL));
  expect ("", NULL, box, REEL_ERROR_VALUE,
          "*: \"2/weight\" takes 4 inputs, and the layer before it has 2 outputs; prefix=NAME*");
  reel_tensordict_set_tensor (td, "2/weight", line, NULL);
  g_assert_true (reel_tensordict_save (td, path, 0, NULL));
  expect ("", NULL, box, REEL_ERROR_VALUE, "*: \"2/weight\" is not the weight of a layer*");
}

/* An output that is not finite is named by lane. */
static void
test_infinite (void)
{
  static const gint64 widths[] = { N_IN, 2, 0 };
  g_autoptr (ReelSpec) leaf = make_categorical (2, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (GError) error = NULL;
  g_auto (Play) play;

  start (&play, "", widths, leaf);
  play.seen[123][2] = (float) infinite;
  g_assert_false (try (&play, 0, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (g_str_has_prefix (error->message,
                                   "output 0 of the network, for \"action\" of lane 123, is "));
}

/* ---- exploration ---- */

typedef struct
{
  const char *options;
  gint64 n_out;
  gboolean classes;
  gint refused; /* a bit for each exploration that has no action */
} Explored;

static void
start_explored (Play *play, const Explored *how, const char *more)
{
  const gint64 widths[] = { N_IN, 16, how->n_out, 0, 0 };
  g_autofree char *options = g_strconcat (how->options, more, NULL);
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, 3);
  g_autoptr (ReelSpec) classes = make_categorical (4, REEL_DTYPE_INT64, SCALAR);

  start (play, options, widths, how->classes ? classes : box);
}

/* A head draws and adds nothing where it does not explore at random, as one that never explores;
 * the state of the noise stays. */
static void
check_exploration (const Explored *how, ReelExploration exploration)
{
  g_auto (Play) play, best;
  g_autoptr (GError) error = NULL;

  start_explored (&play, how, "");
  start_explored (&best, how, ",explore=false");
  play.exploration = exploration;
  for (gint i = 0; i < LANES * MOST; i++)
    play.before[i] = (float) i;
  if (how->refused >> exploration & 1)
    {
      g_assert_false (try (&play, 0, FALSE, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      return;
    }
  act (&play, 3);
  act (&best, 3);
  g_assert_cmpmem (play.action, sizeof play.action, best.action, sizeof best.action);
  g_assert_cmpmem (play.log_prob, sizeof play.log_prob, best.log_prob, sizeof best.log_prob);
  if (strstr (how->options, "noise=ou"))
    g_assert_cmpmem (play.after, LANES * 2 * sizeof (float), play.before,
                     LANES * 2 * sizeof (float));
}

static void
test_exploration (void)
{
  static const Explored cases[] = {
    { ",head=normal,seed=9", 4, FALSE, 0 },
    { ",head=tanh-normal,seed=9", 4, FALSE,
      1 << REEL_EXPLORATION_MODE | 1 << REEL_EXPLORATION_MEAN },
    { ",head=categorical,seed=9", 4, TRUE, 1 << REEL_EXPLORATION_MEAN },
    { ",epsilon=1,seed=9", 4, TRUE, 0 },
    { ",sigma=0.5,seed=9", 2, FALSE, 0 },
    { ",sigma=0.5,noise=ou,seed=9", 2, FALSE, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint exploration = REEL_EXPLORATION_MODE; exploration <= REEL_EXPLORATION_DETERMINISTIC;
         exploration++)
      check_exploration (&cases[i], exploration);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  scratch_test ("/policies/mlp/network", test_network);
  scratch_test ("/policies/mlp/levels", test_levels);
  scratch_test ("/policies/mlp/normal", test_normal);
  scratch_test ("/policies/mlp/normal-within-bounds", test_normal_within_bounds);
  scratch_test ("/policies/mlp/categorical", test_categorical);
  scratch_test ("/policies/mlp/masks", test_masks);
  scratch_test ("/policies/mlp/epsilon", test_epsilon);
  scratch_test ("/policies/mlp/gaussian-noise", test_gaussian_noise);
  scratch_test ("/policies/mlp/ou-noise", test_ou_noise);
  scratch_test ("/policies/mlp/runs", test_runs);
  scratch_test ("/policies/mlp/safetensors", test_safetensors);
  scratch_test ("/policies/mlp/checksum", test_checksum);
  scratch_test ("/policies/mlp/refusals", test_refusals);
  scratch_test ("/policies/mlp/other-tensors", test_other_tensors);
  scratch_test ("/policies/mlp/infinite", test_infinite);
  scratch_test ("/policies/mlp/exploration", test_exploration);
  return g_test_run ();
}
