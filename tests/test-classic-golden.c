/* Classic control against trajectories of Gymnasium 1.4.0. */
#include "classic-lane.h"
#include "golden-env.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *text;
  guint32 seed[4];
  gsize n_words;
} Case;

#define GOAL "goal-velocity=0.05"

static const Case cases[] = {
  { "Acrobot-v1-lowhigh", "Acrobot-v1:reset-low=-0.5,reset-high=0.5", { 6 }, 1 },
  { "Acrobot-v1-seed0", "Acrobot-v1", { 0 }, 1 },
  { "Acrobot-v1-seed1", "Acrobot-v1", { 1 }, 1 },
  { "Acrobot-v1-seed42", "Acrobot-v1", { 42 }, 1 },
  { "Acrobot-v1-swing", "Acrobot-v1", { 3 }, 1 },
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
  { "MountainCar-v0-goalvelocity", "MountainCar-v0:" GOAL, { 5 }, 1 },
  { "MountainCar-v0-lowhigh", "MountainCar-v0:reset-low=-0.9,reset-high=-0.7", { 6 }, 1 },
  { "MountainCar-v0-pump", "MountainCar-v0", { 3 }, 1 },
  { "MountainCar-v0-seed0", "MountainCar-v0", { 0 }, 1 },
  { "MountainCar-v0-seed1", "MountainCar-v0", { 1 }, 1 },
  { "MountainCar-v0-seed42", "MountainCar-v0", { 42 }, 1 },
  { "MountainCarContinuous-v0-goalvelocity", "MountainCarContinuous-v0:" GOAL, { 5 }, 1 },
  { "MountainCarContinuous-v0-pump", "MountainCarContinuous-v0", { 3 }, 1 },
  { "MountainCarContinuous-v0-seed0", "MountainCarContinuous-v0", { 0 }, 1 },
  { "MountainCarContinuous-v0-seed1", "MountainCarContinuous-v0", { 1 }, 1 },
  { "MountainCarContinuous-v0-seed42", "MountainCarContinuous-v0", { 42 }, 1 },
  { "MountainCarContinuous-v0-wide", "MountainCarContinuous-v0", { 4 }, 1 },
  { "Pendulum-v1-g981", "Pendulum-v1:g=9.81", { 5 }, 1 },
  { "Pendulum-v1-init", "Pendulum-v1:x-init=0.3,y-init=0.2", { 6 }, 1 },
  { "Pendulum-v1-seed0", "Pendulum-v1", { 0 }, 1 },
  { "Pendulum-v1-seed1", "Pendulum-v1", { 1 }, 1 },
  { "Pendulum-v1-seed42", "Pendulum-v1", { 42 }, 1 },
  { "Pendulum-v1-wide", "Pendulum-v1", { 4 }, 1 },
};

static double
golden_action (const Golden *golden, const Lane *lane, gint64 t)
{
  return lane->n_actions > 0 ? (double) ((const gint64 *) golden->action)[t]
                             : (double) ((const float *) golden->action)[t];
}

static void
assert_near (double value, double expected, double epsilon)
{
  g_assert_cmpfloat_with_epsilon (value, expected, epsilon * (1 + fabs (expected) / 10));
}

static void
assert_same_flags (const Lane *lane, const Golden *golden, gint64 t)
{
  g_assert_cmpint (lane->terminated, ==, golden->terminated[t]);
  g_assert_cmpint (lane->truncated, ==, golden->truncated[t]);
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
assert_same_doubles (const double *values, const double *expected, gint n)
{
  if (libm_is_the_recorded_one ())
    g_assert_cmpmem (values, (gsize) n * sizeof *values, expected, (gsize) n * sizeof *values);
  else
    for (gint i = 0; i < n; i++)
      assert_near (values[i], expected[i], 1e-12);
}

static void
assert_same_floats (const float *values, const float *expected, gint n)
{
  if (libm_is_the_recorded_one ())
    g_assert_cmpmem (values, (gsize) n * sizeof *values, expected, (gsize) n * sizeof *values);
  else
    for (gint i = 0; i < n; i++)
      assert_near ((double) values[i], (double) expected[i], 1e-6);
}

static void
begin_episode (Lane *lane, const Golden *golden, gint64 episode)
{
  StateHead head;

  lane_reset (lane);
  lane_get_head (lane, &head);
  g_assert_cmpint (head.elapsed, ==, 0);
  g_assert_cmpmem (head.physics, (gsize) lane->n_state * sizeof (double),
                   golden->reset_state + lane->n_state * episode,
                   (gsize) lane->n_state * sizeof (double));
}

static void
test_libm_follows (gconstpointer data)
{
  const Case *test = data;
  Golden golden;
  StateHead head;
  Lane lane;
  gint64 episode = 0;

  golden_env_load (&golden, test->name);
  lane_open (&lane, test->text, "libm");
  reel_env_seed (lane.env, test->seed, test->n_words);
  for (gint64 t = 0; t < golden.n_steps; t++)
    {
      if (episode < golden.n_resets && golden.reset_at[episode] == t)
        {
          begin_episode (&lane, &golden, episode);
          assert_same_floats (lane.observation, golden.reset_obs + lane.n_observed * episode,
                              lane.n_observed);
          episode++;
        }
      lane_step (&lane, golden_action (&golden, &lane, t));
      lane_get_head (&lane, &head);
      assert_same_doubles (head.physics, golden.state + lane.n_state * t, lane.n_state);
      assert_same_floats (lane.observation, golden.next_obs + lane.n_observed * t, lane.n_observed);
      const float reward = (float) golden.reward[t];
      assert_same_floats (&lane.reward, &reward, 1);
      assert_same_flags (&lane, &golden, t);
    }
  g_assert_cmpint (episode, ==, golden.n_resets);
  lane_close (&lane);
  golden_env_clear (&golden);
}

/* ---- the default maths is within 1e-6 of it, step by step ---- */

static void
assert_near_observation (const Lane *lane, const float *expected)
{
  for (gint i = 0; i < lane->n_observed; i++)
    g_assert_cmpfloat_with_epsilon ((double) lane->observation[i], (double) expected[i], 1e-6);
}

static void
test_portable_follows (gconstpointer data)
{
  const Case *test = data;
  Golden golden;
  Lane lane;
  gint64 episode = 0;

  golden_env_load (&golden, test->name);
  lane_open (&lane, test->text, "portable");
  reel_env_seed (lane.env, test->seed, test->n_words);
  for (gint64 t = 0; t < golden.n_steps; t++)
    {
      if (episode < golden.n_resets && golden.reset_at[episode] == t)
        {
          begin_episode (&lane, &golden, episode);
          assert_near_observation (&lane, golden.reset_obs + lane.n_observed * episode);
          episode++;
        }
      else
        lane_set_physics (&lane, golden.state + lane.n_state * (t - 1));
      lane_step (&lane, golden_action (&golden, &lane, t));
      assert_near_observation (&lane, golden.next_obs + lane.n_observed * t);
      assert_near ((double) lane.reward, golden.reward[t], 1e-6);
      assert_same_flags (&lane, &golden, t);
    }
  lane_close (&lane);
  golden_env_clear (&golden);
}

static void
add_case (const Case *test)
{
  g_autofree char *libm = g_strconcat ("/envs/classic/libm-is-gymnasium/", test->name, NULL);
  g_autofree char *near = g_strconcat ("/envs/classic/portable-is-near/", test->name, NULL);

  g_test_add_data_func (libm, test, test_libm_follows);
  g_test_add_data_func (near, test, test_portable_follows);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_auto (GStrv) listed = gymnasium_cases_list (".");
  const gsize n = g_strv_length (listed);
  g_autofree Case *arguments = g_new (Case, n);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    add_case (&cases[i]);
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) words = g_strsplit (listed[i], "\t", 2);

      arguments[i] = (Case){ g_intern_string (words[0]), g_intern_string (words[1]), { 7 }, 1 };
      add_case (&arguments[i]);
    }
  return g_test_run ();
}
