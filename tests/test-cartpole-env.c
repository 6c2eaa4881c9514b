/* Cases beyond the recorded trajectories of CartPole. */
#include "../src/reel.h"

#include <math.h>
#include <string.h>

#include "classic-lane.h"
#include "golden-env.h"

static const char *const both_maths[] = { "portable", "libm" };

/* From the same state, both maths agree however far the pole has turned. */
static void
test_maths_agree (void)
{
  static const char *const integrators[] = { "euler", "semi-implicit-euler" };
  static const double reach[] = { 0.21, 0.23, 3, 100, 1e5, 1e6, 1e7 };

  for (gsize n = 0; n < G_N_ELEMENTS (integrators); n++)
    {
      g_autofree char *text = g_strdup_printf (
          "CartPole-v1:kinematics-integrator=%s,gravity=3.7,mass-cart=2,mass-pole=0.3,length=0.8,"
          "force-mag=4,tau=0.01",
          integrators[n]);
      Lane portable, libm;

      lane_open (&portable, text, "portable");
      lane_open (&libm, text, "libm");
      lane_reset (&portable);
      lane_reset (&libm);
      for (gint i = 0; i < 7000; i++)
        {
          ReelRandomKey key = reel_random_key (1, i);
          double theta = (2 * reel_random_double (key, 0) - 1) * reach[i % 7];
          const double physics[4] = { reel_random_double (key, 1),
                                      reel_random_double (key, 2) - 0.5, theta,
                                      4 * reel_random_double (key, 3) - 2 };
          StateHead one, other;

          lane_set_physics (&portable, physics);
          lane_set_physics (&libm, physics);
          lane_step (&portable, i & 1);
          lane_step (&libm, i & 1);
          lane_get_head (&portable, &one);
          lane_get_head (&libm, &other);
          for (gint k = 0; k < 4; k++)
            g_assert_cmpfloat_with_epsilon (one.physics[k], other.physics[k],
                                            4e-16 * (4 + fabs (theta)));
        }
      lane_close (&portable);
      lane_close (&libm);
    }
}

/* One step of each integrator, worked out here. */
static void
test_integrators (void)
{
  const double start[4] = { 0.1, 0.2, 0.05, -0.3 };
  const double c = cos (start[2]), s = sin (start[2]);
  const double temp = (10 + 0.05 * start[3] * start[3] * s) / 1.1;
  const double theta_acc = (9.8 * s - c * temp) / (0.5 * (4.0 / 3 - 0.1 * c * c / 1.1));
  const double x_acc = temp - 0.05 * theta_acc * c / 1.1;
  const double velocity[2] = { start[1] + 0.02 * x_acc, start[3] + 0.02 * theta_acc };

  for (gsize m = 0; m < 2; m++)
    for (gint semi = 0; semi < 2; semi++)
      {
        StateHead head;
        Lane lane;

        lane_open (&lane, semi ? "CartPole:kinematics-integrator=semi-implicit-euler" : "CartPole",
                   both_maths[m]);
        lane_reset (&lane);
        lane_set_physics (&lane, start);
        lane_step (&lane, 1);
        lane_get_head (&lane, &head);
        g_assert_cmpfloat_with_epsilon (head.physics[0],
                                        start[0] + 0.02 * (semi ? velocity[0] : start[1]), 1e-15);
        g_assert_cmpfloat_with_epsilon (head.physics[1], velocity[0], 1e-15);
        g_assert_cmpfloat_with_epsilon (head.physics[2],
                                        start[2] + 0.02 * (semi ? velocity[1] : start[3]), 1e-15);
        g_assert_cmpfloat_with_epsilon (head.physics[3], velocity[1], 1e-15);
        lane_close (&lane);
      }
}

/* Gymnasium: 1 on the terminating step, 0 on those after; with sutton_barto_reward −1 on both. */
static void
test_reward_past_the_end (void)
{
  static const double fallen[4] = { 0, 0, 0.5, 0 }, upright[4] = { 0, 0, 0, 0 };

  for (gsize m = 0; m < 2; m++)
    for (gint sutton = 0; sutton < 2; sutton++)
      {
        Lane lane;

        lane_open (&lane, sutton ? "CartPole:sutton-barto-reward=true" : "CartPole", both_maths[m]);
        lane_reset (&lane);
        lane_set_physics (&lane, fallen);
        lane_step (&lane, 0);
        g_assert_true (lane.terminated && lane.reward == (sutton ? -1 : 1));
        lane_step (&lane, 0);
        g_assert_true (lane.terminated && lane.reward == (sutton ? -1 : 0));
        lane_set_physics (&lane, upright);
        lane_step (&lane, 0);
        g_assert_true (!lane.terminated && lane.reward == (sutton ? 0 : 1));
        lane_set_physics (&lane, fallen);
        lane_reset (&lane);
        lane_set_physics (&lane, fallen);
        lane_step (&lane, 0);
        g_assert_true (lane.terminated && lane.reward == (sutton ? -1 : 1));
        lane_close (&lane);
      }
}

static void
test_both_flags_may_be_true (void)
{
  static const double fallen[4] = { 0, 0, 0.5, 0 };

  for (gsize m = 0; m < 2; m++)
    {
      Lane lane;

      lane_open (&lane, "CartPole:max-episode-steps=3", both_maths[m]);
      lane_reset (&lane);
      lane_step (&lane, 0);
      lane_step (&lane, 1);
      g_assert_false (lane.done);
      lane_set_physics (&lane, fallen);
      lane_step (&lane, 0);
      g_assert_true (lane.terminated && lane.truncated && lane.done);
      lane_reset (&lane);
      lane_step (&lane, 0);
      g_assert_false (lane.done);
      lane_close (&lane);
    }
}

/* At the limit itself the episode goes on. */
static void
test_limits_are_inside (void)
{
  static const double at[4] = { 2.4, 0, 12 * 2 * G_PI / 360, 0 };
  static const double beyond[2][4] = { { 2.4000000000000004, 0, 0, 0 },
                                       { 0, 0, -0.20943951023931956, 0 } };

  for (gsize m = 0; m < 2; m++)
    {
      Lane lane;

      lane_open (&lane, "CartPole", both_maths[m]);
      lane_reset (&lane);
      lane_set_physics (&lane, at);
      lane_step (&lane, 0);
      g_assert_false (lane.terminated);
      for (gsize k = 0; k < 2; k++)
        {
          lane_set_physics (&lane, beyond[k]);
          lane_step (&lane, 0);
          g_assert_true (lane.terminated);
        }
      lane_close (&lane);
    }
}

/* Lane l of a batch is the env of seed + l, past the word's end too. */
static void
test_lanes_are_seeds (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env =
      reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=43", &error, NULL);
  float observations[43 * 4];
  guint8 *const observation[] = { (guint8 *) observations };
  Golden golden;
  Lane lane;

  g_assert_no_error (error);
  reel_env_reset_lanes (env, 0, 43, NULL, observation);
  golden_env_load (&golden, "CartPole-v1-seed42");
  g_assert_cmpmem (observations + 4 * 42, 16, golden.reset_obs, 16);
  golden_env_clear (&golden);

  reel_env_seed (env, (const guint32[]){ G_MAXUINT32 - 1, G_MAXUINT32, 0 }, 3);
  reel_env_reset_lanes (env, 0, 43, NULL, observation);
  lane_open (&lane, "CartPole", "portable");
  for (guint32 l = 2; l < 43; l += 8)
    {
      reel_env_seed (lane.env, (const guint32[]){ l - 2, 0, 1 }, 3);
      lane_reset (&lane);
      g_assert_cmpmem (observations + 4 * l, 16, lane.observation, 16);
    }

  /* Zeros above are no part of a seed. */
  reel_env_seed (env, (const guint32[]){ 42, 0, 0, 0, 0, 0 }, 6);
  reel_env_reset_lanes (env, 0, 43, NULL, observation);
  reel_env_seed (lane.env, (const guint32[]){ 42 }, 1);
  lane_reset (&lane);
  g_assert_cmpmem (observations, 16, lane.observation, 16);

  /* The carry of the highest word is a word more. */
  reel_env_seed (env, (const guint32[]){ G_MAXUINT32 }, 1);
  reel_env_reset_lanes (env, 0, 43, NULL, observation);
  for (guint32 l = 1; l < 43; l += 8)
    {
      reel_env_seed (lane.env, (const guint32[]){ l - 1, 1 }, 2);
      lane_reset (&lane);
      g_assert_cmpmem (observations + 4 * l, 16, lane.observation, 16);
    }
  lane_close (&lane);
}

/* However many they are. */
static void
test_all_lanes_are_reset (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, "CartPole:num-envs=2100,reset-low=0.01", &error, NULL);
  g_autofree float *observations = g_new0 (float, 2100 * 4);
  guint8 *const observation[] = { (guint8 *) observations };

  g_assert_no_error (error);
  reel_env_reset_lanes (env, 0, 2100, NULL, observation);
  for (gint i = 0; i < 2100 * 4; i++)
    g_assert_true (observations[i] >= 0.01f);
}

static void
test_bad_values_are_refused (void)
{
  static const struct
  {
    const char *text, *words;
  } bad[] = {
    { "CartPole:reset-low=0.2", "reset-low=0.2 is above reset-high=0.05" },
    { "CartPole:mass-cart=0", "mass-cart" },
    { "CartPole:length=-1", "length" },
    { "CartPole:num-envs=0", "num-envs" },
    { "CartPole:math=fast", "math" },
  };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_clear_error (&error);
      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, bad[i].text, &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, bad[i].words));
    }
}

/* The level is read where the env is made, and a wrong one is said there. */
static void
test_bad_isa_is_refused (void)
{
  g_autofree char *saved = g_strdup (g_getenv ("REEL_ISA"));
  g_autoptr (GError) error = NULL;

  g_setenv ("REEL_ISA", "mmx", TRUE);
  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, "CartPole", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "REEL_ISA=mmx"));
  if (saved != NULL)
    g_setenv ("REEL_ISA", saved, TRUE);
  else
    g_unsetenv ("REEL_ISA");
}

static void
test_specs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, "CartPole", &error, NULL);
  const gint64 four[] = { 4 }, two[] = { 2 };
  const double high[] = { 4.8, INFINITY, 0.41887902047863906, INFINITY };
  const double low[] = { -4.8, -INFINITY, -0.41887902047863906, -INFINITY };

  g_assert_no_error (error);

  g_autoptr (ReelSpec) box =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, four, low, 4, high, 4, NULL);
  g_autoptr (ReelSpec) one_hot = reel_one_hot_spec_new (2, REEL_DTYPE_INT64, 1, two, NULL);

  g_assert_true (reel_spec_equal (
      reel_spec_get (reel_env_get_observation_spec (env), "observation", NULL), box));
  g_assert_true (
      reel_spec_equal (reel_spec_get (reel_env_get_action_spec (env), "action", NULL), one_hot));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/envs/cartpole/maths-agree-at-any-angle", test_maths_agree);
  g_test_add_func ("/envs/cartpole/integrators-are-the-formula", test_integrators);
  g_test_add_func ("/envs/cartpole/reward-past-the-end", test_reward_past_the_end);
  g_test_add_func ("/envs/cartpole/both-flags-may-be-true", test_both_flags_may_be_true);
  g_test_add_func ("/envs/cartpole/limits-are-inside", test_limits_are_inside);
  g_test_add_func ("/envs/cartpole/lanes-are-seeds", test_lanes_are_seeds);
  g_test_add_func ("/envs/cartpole/all-lanes-are-reset", test_all_lanes_are_reset);
  g_test_add_func ("/envs/cartpole/bad-values-are-refused", test_bad_values_are_refused);
  g_test_add_func ("/envs/cartpole/bad-isa-is-refused", test_bad_isa_is_refused);
  g_test_add_func ("/envs/cartpole/specs-are-torchrls", test_specs);
  return g_test_run ();
}
