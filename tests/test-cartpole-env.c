/* CartPole against trajectories of Gymnasium 1.4.0, which tests/data/gymnasium holds. */
#include "../src/reel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../src/core/isa.h"

/* What a lane's state begins with: the steps of the episode, then the physics. */
typedef struct
{
  gint64 elapsed;
  double physics[4];
} StateHead;

typedef struct
{
  const char *name;
  const char *text;
  guint32 seed[4];
  gsize n_words;
} Case;

static const Case cases[] = {
  { "CartPole-v0-balance", "CartPole-v0", { 3 }, 1 },
  { "CartPole-v0-seed0", "CartPole-v0", { 0 }, 1 },
  { "CartPole-v0-seed1", "CartPole-v0", { 1 }, 1 },
  { "CartPole-v0-seed42", "CartPole-v0", { 42 }, 1 },
  { "CartPole-v1-balance", "CartPole-v1", { 3 }, 1 },
  { "CartPole-v1-limit50", "CartPole-v1:max-episode-steps=50", { 5 }, 1 },
  { "CartPole-v1-lowhigh", "CartPole-v1:reset-low=-0.1,reset-high=0.02", { 6 }, 1 },
  { "CartPole-v1-seed0", "CartPole-v1", { 0 }, 1 },
  { "CartPole-v1-seed1", "CartPole-v1", { 1 }, 1 },
  { "CartPole-v1-seed2p100", "CartPole-v1", { 7, 0, 0, 16 }, 4 },
  { "CartPole-v1-seed2p40", "CartPole-v1", { 5, 256 }, 2 },
  { "CartPole-v1-seed42", "CartPole-v1", { 42 }, 1 },
  { "CartPole-v1-sutton", "CartPole-v1:sutton-barto-reward=true", { 5 }, 1 },
};

/* ---- the golden files ---- */

typedef struct
{
  char *bytes;
  gint64 n_steps, n_resets;
  const gint64 *reset_at, *action;
  const float *reset_obs, *next_obs;
  const double *reward, *state, *reset_state;
  const guint8 *terminated, *truncated;
} Golden;

static gconstpointer
find_array (const char *table, const Golden *golden, const char *name, const char *array,
            gint64 *rows)
{
  g_autofree char *start = g_strdup_printf ("\n%s\t%s\t", name, array);
  const char *line = strstr (table, start);
  gint64 shape, offset;

  g_assert_nonnull (line);
  line += strlen (start); /* dtype, shape, offset, bytes */
  g_assert_cmpint (sscanf (line, "%*s %" G_GINT64_FORMAT, &shape), ==, 1);
  g_assert_cmpint (sscanf (line, "%*s %*s %" G_GINT64_FORMAT, &offset), ==, 1);
  if (rows != NULL)
    *rows = shape;
  return golden->bytes + offset;
}

static void
golden_load (Golden *golden, const char *name)
{
  g_autofree char *table_path =
      g_test_build_filename (G_TEST_DIST, "data", "gymnasium", "cases.tsv", NULL);
  g_autofree char *file = g_strconcat (name, ".bin", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "gymnasium", file, NULL);
  g_autofree char *table = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (table_path, &table, NULL, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &golden->bytes, NULL, &error);
  g_assert_no_error (error);
  golden->reset_at = find_array (table, golden, name, "reset_at", &golden->n_resets);
  golden->action = find_array (table, golden, name, "action", &golden->n_steps);
  golden->reset_obs = find_array (table, golden, name, "reset_obs", NULL);
  golden->next_obs = find_array (table, golden, name, "next_obs", NULL);
  golden->reward = find_array (table, golden, name, "reward", NULL);
  golden->terminated = find_array (table, golden, name, "terminated", NULL);
  golden->truncated = find_array (table, golden, name, "truncated", NULL);
  golden->state = find_array (table, golden, name, "state", NULL);
  golden->reset_state = find_array (table, golden, name, "reset_state", NULL);
}

/* ---- one env, one lane ---- */

typedef struct
{
  ReelEnv *env;
  gint64 action[2];
  float observation[4], reward;
  guint8 terminated, truncated, done;
} Lane;

static void
lane_open (Lane *lane, const char *text, const char *math)
{
  g_autoptr (GError) error = NULL;

  lane->env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, "math", math, NULL);
  g_assert_no_error (error);
}

static void
lane_reset (Lane *lane)
{
  guint8 *const observation[] = { (guint8 *) lane->observation };

  reel_env_reset_lanes (lane->env, 0, 1, NULL, observation);
}

static void
lane_step (Lane *lane, gint64 action)
{
  const guint8 *const actions[] = { (const guint8 *) lane->action };
  guint8 *const observation[] = { (guint8 *) lane->observation };
  const ReelEnvStep io = {
    .action = actions,
    .observation = observation,
    .reward = &lane->reward,
    .terminated = &lane->terminated,
    .truncated = &lane->truncated,
    .done = &lane->done,
  };

  lane->action[0] = action == 0;
  lane->action[1] = action == 1;
  g_assert_cmpint (reel_env_step_lanes (lane->env, 0, 1, &io), ==, lane->done);
  g_assert_cmpint (lane->done, ==, lane->terminated | lane->truncated);
}

static void
lane_get_head (Lane *lane, StateHead *head)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (lane->env));

  reel_env_get_state (lane->env, 0, state);
  memcpy (head, state, sizeof *head);
}

/* Puts the lane into a state of the physics, episode and stream as they are. */
static void
lane_set_physics (Lane *lane, const double *physics)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (lane->env));

  reel_env_get_state (lane->env, 0, state);
  memcpy (state + offsetof (StateHead, physics), physics, 4 * sizeof *physics);
  reel_env_set_state (lane->env, 0, state);
}

/* ---- math=libm is Gymnasium, bit for bit ---- */

static gboolean
libm_is_the_recorded_one (void)
{
#if defined(__x86_64__) && defined(__GLIBC__)
  return __builtin_cpu_supports ("fma");
#else
  return FALSE;
#endif
}

/* glibc without FMA instructions rounds a few sines otherwise: 2e-13 in the state at most. */
static void
assert_same_state (const StateHead *head, const double *expected)
{
  if (libm_is_the_recorded_one ())
    g_assert_cmpmem (head->physics, sizeof head->physics, expected, 4 * sizeof *expected);
  else
    for (gint i = 0; i < 4; i++)
      g_assert_cmpfloat_with_epsilon (head->physics[i], expected[i], 1e-12);
}

static void
assert_same_observation (const float *observation, const float *expected)
{
  if (libm_is_the_recorded_one ())
    g_assert_cmpmem (observation, 16, expected, 16);
  else
    for (gint i = 0; i < 4; i++)
      g_assert_cmpfloat_with_epsilon (observation[i], expected[i], 1e-6);
}

static void
assert_same_outcome (const Lane *lane, const Golden *golden, gint64 t)
{
  g_assert_true (lane->reward == golden->reward[t]);
  g_assert_cmpint (lane->terminated, ==, golden->terminated[t]);
  g_assert_cmpint (lane->truncated, ==, golden->truncated[t]);
}

static void
test_libm_follows (gconstpointer data)
{
  const Case *test = data;
  Golden golden;
  StateHead head;
  Lane lane;
  gint64 episode = 0;

  golden_load (&golden, test->name);
  lane_open (&lane, test->text, "libm");
  reel_env_seed (lane.env, test->seed, test->n_words);
  for (gint64 t = 0; t < golden.n_steps; t++)
    {
      if (episode < golden.n_resets && golden.reset_at[episode] == t)
        {
          lane_reset (&lane);
          lane_get_head (&lane, &head);
          g_assert_cmpint (head.elapsed, ==, 0);
          g_assert_cmpmem (head.physics, 32, golden.reset_state + 4 * episode, 32);
          g_assert_cmpmem (lane.observation, 16, golden.reset_obs + 4 * episode, 16);
          episode++;
        }
      lane_step (&lane, golden.action[t]);
      lane_get_head (&lane, &head);
      assert_same_state (&head, golden.state + 4 * t);
      assert_same_observation (lane.observation, golden.next_obs + 4 * t);
      assert_same_outcome (&lane, &golden, t);
    }
  g_assert_cmpint (episode, ==, golden.n_resets);
  g_object_unref (lane.env);
  g_free (golden.bytes);
}

/* ---- the default maths is within 1e-6 of it, step by step ---- */

static gboolean
is_at_a_limit (const double *state)
{
  return fabs (fabs (state[0]) - 2.4) < 1e-9 || fabs (fabs (state[2]) - 12 * 2 * G_PI / 360) < 1e-9;
}

static void
test_portable_follows (gconstpointer data)
{
  const Case *test = data;
  Golden golden;
  Lane lane;
  gint64 episode = 0;

  golden_load (&golden, test->name);
  lane_open (&lane, test->text, "portable");
  reel_env_seed (lane.env, test->seed, test->n_words);
  for (gint64 t = 0; t < golden.n_steps; t++)
    {
      if (episode < golden.n_resets && golden.reset_at[episode] == t)
        {
          lane_reset (&lane);
          g_assert_cmpmem (lane.observation, 16, golden.reset_obs + 4 * episode, 16);
          episode++;
        }
      else
        lane_set_physics (&lane, golden.state + 4 * (t - 1));
      lane_step (&lane, golden.action[t]);
      for (gint i = 0; i < 4; i++)
        g_assert_cmpfloat_with_epsilon (lane.observation[i], golden.next_obs[4 * t + i], 1e-6);
      if (is_at_a_limit (golden.state + 4 * t))
        continue;
      assert_same_outcome (&lane, &golden, t);
    }
  g_object_unref (lane.env);
  g_free (golden.bytes);
}

/* ---- what the recorded trajectories do not reach ---- */

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
      g_object_unref (portable.env);
      g_object_unref (libm.env);
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
        g_object_unref (lane.env);
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
        g_object_unref (lane.env);
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
      g_object_unref (lane.env);
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
      g_object_unref (lane.env);
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
  golden_load (&golden, "CartPole-v1-seed42");
  g_assert_cmpmem (observations + 4 * 42, 16, golden.reset_obs, 16);
  g_free (golden.bytes);

  reel_env_seed (env, (const guint32[]){ G_MAXUINT32 - 1, G_MAXUINT32, 0 }, 3);
  reel_env_reset_lanes (env, 0, 43, NULL, observation);
  lane_open (&lane, "CartPole", "portable");
  for (guint32 l = 2; l < 43; l += 8)
    {
      reel_env_seed (lane.env, (const guint32[]){ l - 2, 0, 1 }, 3);
      lane_reset (&lane);
      g_assert_cmpmem (observations + 4 * l, 16, lane.observation, 16);
    }
  g_object_unref (lane.env);
}

static void
test_categorical_is_one_hot (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, "CartPole:num-envs=70,action-encoding=categorical", &error, NULL);
  g_autoptr (ReelEnv) one_hot =
      reel_object_new_from_text (REEL_TYPE_ENV, "CartPole:num-envs=70", &error, NULL);

  g_assert_no_error (error);
  for (gint t = 0; t < 10; t++)
    {
      gint64 action[70], rows[140];
      float seen[280], seen_too[280], reward[70];
      guint8 terminated[70], truncated[70], done[70];
      guint8 *const observation[] = { (guint8 *) seen }, *const too[] = { (guint8 *) seen_too };
      const guint8 *const actions[] = { (guint8 *) action }, *const hot[] = { (guint8 *) rows };
      ReelEnvStep io = { actions, observation, NULL, reward, terminated, truncated, done };

      if (t == 0)
        {
          reel_env_reset_lanes (env, 0, 70, NULL, observation);
          reel_env_reset_lanes (one_hot, 0, 70, NULL, too);
        }
      reel_random_fill_below (reel_random_key (0, t), 0, 70, 2, action);
      reel_random_fill_one_hot (reel_random_key (0, t), 0, 70, 2, rows);
      reel_env_step_lanes (env, 0, 70, &io);
      io.action = hot;
      io.observation = too;
      reel_env_step_lanes (one_hot, 0, 70, &io);
      g_assert_cmpmem (seen, sizeof seen, seen_too, sizeof seen_too);
    }
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
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *libm =
          g_strconcat ("/envs/cartpole/libm-is-gymnasium/", cases[i].name, NULL);
      g_autofree char *near = g_strconcat ("/envs/cartpole/portable-is-near/", cases[i].name, NULL);

      g_test_add_data_func (libm, &cases[i], test_libm_follows);
      g_test_add_data_func (near, &cases[i], test_portable_follows);
    }
  g_test_add_func ("/envs/cartpole/maths-agree-at-any-angle", test_maths_agree);
  g_test_add_func ("/envs/cartpole/integrators-are-the-formula", test_integrators);
  g_test_add_func ("/envs/cartpole/reward-past-the-end", test_reward_past_the_end);
  g_test_add_func ("/envs/cartpole/both-flags-may-be-true", test_both_flags_may_be_true);
  g_test_add_func ("/envs/cartpole/limits-are-inside", test_limits_are_inside);
  g_test_add_func ("/envs/cartpole/lanes-are-seeds", test_lanes_are_seeds);
  g_test_add_func ("/envs/cartpole/categorical-is-one-hot", test_categorical_is_one_hot);
  g_test_add_func ("/envs/cartpole/bad-values-are-refused", test_bad_values_are_refused);
  g_test_add_func ("/envs/cartpole/bad-isa-is-refused", test_bad_isa_is_refused);
  g_test_add_func ("/envs/cartpole/specs-are-torchrls", test_specs);
  return g_test_run ();
}
