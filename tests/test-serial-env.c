/* Environments side by side: each lane is that of its own environment. */
#include "collecting.h"

#include <string.h>

#define STEPS 60

static const ReelRolloutOptions steps = { .end = REEL_ROLLOUT_MAX_STEPS };

static ReelTensordict *
roll (const char *text, gint64 n_steps)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (GError) error = NULL;
  ReelTensordict *data = reel_env_rollout (env, n_steps, &steps, &error);

  g_assert_no_error (error);
  return data;
}

/* Several of one kind are one of as many lanes, wherever they are cut. */
static void
test_same_envs_are_one (void)
{
  static const char *const cut[] = {
    "serial:num-envs=70,envs=[CartPole,CartPole]",
    "serial:num-envs=70,envs=['CartPole:num-envs=1','CartPole:num-envs=69']",
    "serial:num-envs=70,envs=[CartPole,CartPole,CartPole]",
    "serial:envs=['serial:num-envs=6,envs=[CartPole,CartPole]','CartPole:num-envs=64']",
    "serial:envs=['CartPole:num-envs=70']",
  };
  g_autoptr (ReelTensordict) one = collecting_collect ("CartPole:num-envs=70", 70, STEPS, 1);

  for (guint i = 0; i < G_N_ELEMENTS (cut); i++)
    for (gint64 threads = 1; threads <= 3; threads += 2)
      {
        g_autoptr (ReelTensordict) ours = collecting_collect (cut[i], 70, STEPS, threads);

        g_assert_true (reel_tensordict_equal (ours, one));
      }
}

/* Lanes of other limits end at theirs. */
static void
test_each_lane_has_its_own_limit (void)
{
  g_autoptr (ReelTensordict) both = roll ("serial:num-envs=4,envs=['Pendulum:max-episode-steps=7',"
                                          "'Pendulum:max-episode-steps=11']",
                                          40);
  const ReelTensor *truncated = reel_tensordict_get_tensor (both, "next/truncated", NULL);

  for (gint64 lane = 0; lane < 4; lane++)
    for (gint64 step = 0; step < 40; step++)
      g_assert_cmpint (truncated->data[lane * truncated->strides[0] + step * truncated->strides[1]],
                       ==, (step + 1) % (lane < 2 ? 7 : 11) == 0);
}

/* Properties of the whole are those of each, unless its text sets them. */
static void
test_properties_are_shared (void)
{
  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, "serial:num-envs=5,max-episode-steps=30,action-encoding="
                                      "categorical,envs=[CartPole,'CartPole:max-episode-steps=9']");
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (env));
  gint64 first;

  g_assert_cmpstr (text, ==,
                   "serial:num-envs=5,envs=['CartPole-v1:num-envs=3,max-episode-steps=30,"
                   "action-encoding=categorical','CartPole-v1:num-envs=2,max-episode-steps=9,"
                   "action-encoding=categorical']");
  g_assert_cmpint (reel_serial_env_get_n_envs (REEL_SERIAL_ENV (env)), ==, 2);
  g_assert_cmpint (
      reel_env_get_num_envs (reel_serial_env_get_env (REEL_SERIAL_ENV (env), 1, &first)), ==, 2);
  g_assert_cmpint (first, ==, 3);
}

/* Fewer lanes than environments: one each. */
static void
test_each_has_a_lane (void)
{
  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, "serial:num-envs=1,envs=[CartPole,CartPole,CartPole]");

  g_assert_cmpint (reel_env_get_num_envs (env), ==, 3);
}

/* T12.1-1: the same chain in each environment and around them. Those that lanes share something in
 * differ: see below. */
static void
test_transforms_inside_and_outside (void)
{
  static const char *const chains[] = {
    "cat-frames:n=3,dim=-1,in-keys=observation,out-keys=last",
    "reward-sum",
    "step-counter:max-steps=9",
    "init-tracker",
    "target-return:target-return=20",
    "time-max-pool:t=2",
    "vec-norm-v2:in-keys=[observation,reward],decay=0.9",
    "vec-norm-v2:in-keys=observation,stateful=false",
    "frame-skip:frame-skip=3",
    "noop-reset:noops=4",
    "unsqueeze:dim=-1,in-keys=observation|squeeze:dim=-1,in-keys=observation",
  };
  static const ReelRolloutOptions stop = { .end = REEL_ROLLOUT_ANY_DONE };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    for (gint ends = 0; ends < 2; ends++)
      {
        g_autofree char *inside_text = g_strdup_printf (
            "serial:num-envs=5,envs=['CartPole|%s','CartPole|%s']", chains[i], chains[i]);
        g_autofree char *outside_text =
            g_strdup_printf ("serial:num-envs=5,envs=[CartPole,CartPole]|%s", chains[i]);
        g_autoptr (ReelEnv) inside = collecting_make (REEL_TYPE_ENV, inside_text);
        g_autoptr (ReelEnv) outside = collecting_make (REEL_TYPE_ENV, outside_text);
        g_autoptr (ReelTensordict) a =
            reel_env_rollout (inside, STEPS, ends ? &stop : &steps, NULL);
        g_autoptr (ReelTensordict) b =
            reel_env_rollout (outside, STEPS, ends ? &stop : &steps, NULL);

        g_assert_nonnull (a);
        g_assert_nonnull (b);
        g_assert_true (reel_tensordict_equal (a, b));
      }
}

/* T12.1-1: the episodes of each environment are numbered from 0, those behind them in one row. */
static void
test_numbers_inside_and_outside (void)
{
  g_autoptr (ReelEnv) inside = collecting_make (
      REEL_TYPE_ENV, "serial:num-envs=4,envs=['CartPole|traj-counter','CartPole|traj-counter']");
  g_autoptr (ReelEnv) outside =
      collecting_make (REEL_TYPE_ENV, "serial:num-envs=4,envs=[CartPole,CartPole]|traj-counter");
  g_autoptr (ReelTensordict) a = reel_env_reset (inside, NULL, NULL);
  g_autoptr (ReelTensordict) b = reel_env_reset (outside, NULL, NULL);
  const gint64 *own = (gpointer) reel_tensordict_get_tensor (a, "traj_count", NULL)->data;
  const gint64 *all = (gpointer) reel_tensordict_get_tensor (b, "traj_count", NULL)->data;

  for (gint64 lane = 0; lane < 4; lane++)
    {
      g_assert_cmpint (own[lane], ==, lane % 2);
      g_assert_cmpint (all[lane], ==, lane);
    }
}

/* ---- parts of a batch ---- */

static ReelTensor *
make_mask (const guint8 *lanes, gint64 n)
{
  ReelTensor *mask = reel_tensor_new (REEL_DTYPE_BOOL, 2, (const gint64[]){ n, 1 }, NULL);

  memcpy (mask->data, lanes, (gsize) n);
  return mask;
}

static ReelTensordict *
take_two_steps (ReelEnv *env)
{
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);

  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, NULL);

      g_assert_true (reel_env_step (env, acted, NULL));
      reel_tensordict_unref (td);
      td = reel_env_step_mdp (env, acted, NULL);
    }
  return g_steal_pointer (&td);
}

/* T13.2-2, T13.2-3: lanes that are asked for begin anew, the others keep their values. */
static void
test_some_lanes_are_reset (void)
{
  for (guint bits = 0; bits < 16; bits++)
    {
      const guint8 lanes[] = { bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1 };
      g_autoptr (ReelEnv) env = collecting_make (
          REEL_TYPE_ENV, "serial:num-envs=4,envs=[CartPole,CartPole]|step-counter");
      g_autoptr (ReelTensordict) before = take_two_steps (env);
      g_autoptr (ReelTensor) mask = make_mask (lanes, 4);
      g_autoptr (ReelTensordict) after = NULL;
      g_autoptr (ReelTensordict) asked = reel_tensordict_clone (before, TRUE, NULL);
      const float *was, *is;
      const gint64 *count;

      g_assert_true (reel_tensordict_set_tensor (asked, "_reset", mask, NULL));
      after = reel_env_reset (env, asked, NULL);
      g_assert_nonnull (after);
      was = (gpointer) reel_tensordict_get_tensor (before, "observation", NULL)->data;
      is = (gpointer) reel_tensordict_get_tensor (after, "observation", NULL)->data;
      count = (gpointer) reel_tensordict_get_tensor (after, "step_count", NULL)->data;
      for (gint lane = 0; lane < 4; lane++)
        {
          g_assert_cmpint (memcmp (was + 4 * lane, is + 4 * lane, 4 * sizeof *was) != 0, ==,
                           lanes[lane]);
          g_assert_cmpint (count[lane], ==, lanes[lane] ? 0 : 2);
        }
    }
}

/* T13.2-4: a lane that does not step keeps its observation, and has reward 0. */
static void
test_some_lanes_step (void)
{
  static const guint8 lanes[] = { 1, 0, 1 };
  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, "serial:num-envs=3,envs=[CartPole,CartPole]");
  g_autoptr (ReelTensordict) before = take_two_steps (env);
  g_autoptr (ReelTensordict) td = reel_env_rand_action (env, before, NULL);
  g_autoptr (ReelTensor) mask = make_mask (lanes, 3);
  const float *root, *next, *reward;

  g_assert_true (reel_tensordict_set_tensor (td, "_step", mask, NULL));
  g_assert_true (reel_env_step (env, td, NULL));
  root = (gpointer) reel_tensordict_get_tensor (td, "observation", NULL)->data;
  next = (gpointer) reel_tensordict_get_tensor (td, "next/observation", NULL)->data;
  reward = (gpointer) reel_tensordict_get_tensor (td, "next/reward", NULL)->data;
  for (gint lane = 0; lane < 3; lane++)
    {
      g_assert_cmpint (memcmp (root + 4 * lane, next + 4 * lane, 4 * sizeof *root) != 0, ==,
                       lanes[lane]);
      g_assert_cmpfloat (reward[lane], ==, lanes[lane]);
      g_assert_false (reel_tensordict_get_tensor (td, "next/done", NULL)->data[lane]);
    }
}

/* T13.2-5: each env of TorchRL's batch has the next seed of the chain. */
static void
test_seeds_of_the_chain (void)
{
  static const gint64 seeds[] = { 0, 795726461, 2841183792 };
  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, "serial:num-envs=3,envs=[CartPole,CartPole]");
  g_autoptr (ReelTensordict) all = NULL;

  g_assert_cmpint (reel_env_set_seed (env, 0, REEL_SEEDING_CHAIN), ==, 2309840538);
  all = reel_env_reset (env, NULL, NULL);
  for (gint lane = 0; lane < 3; lane++)
    {
      g_autofree char *text = g_strdup_printf ("CartPole:seed=%" G_GINT64_FORMAT, seeds[lane]);
      g_autoptr (ReelEnv) alone = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (ReelTensordict) one = reel_env_reset (alone, NULL, NULL);

      g_assert_cmpmem (reel_tensordict_get_tensor (all, "observation", NULL)->data + 16 * lane, 16,
                       reel_tensordict_get_tensor (one, "observation", NULL)->data, 16);
    }
}

/* A default is set before a chain, unless the text sets it; a text that does not parse stays. */
static void
test_defaults_of_texts (void)
{
  static const char *const pairs[][2] = {
    { "CartPole", "CartPole:num-envs=8" },
    { "CartPole:seed=1", "CartPole:seed=1,num-envs=8" },
    { "CartPole:num_envs=2,seed=1", "CartPole:num_envs=2,seed=1" },
    { "CartPole|step-counter:max-steps=3", "CartPole:num-envs=8|step-counter:max-steps=3" },
    { "serial:envs=['CartPole:num-envs=2|step-counter']",
      "serial:envs=['CartPole:num-envs=2|step-counter'],num-envs=8" },
    { "CartPole|(step-counter", "CartPole|(step-counter" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *text = reel_object_text_with_default (pairs[i][0], "num-envs", "8");

      g_assert_cmpstr (text, ==, pairs[i][1]);
    }
}

/* ---- refusals ---- */

static void
refuse (const char *text, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, message))
    g_error ("\"%s\" does not contain \"%s\"", error->message, message);
}

static void
refuse_columns (const char *text, const char *message)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_env_check_alike (env, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  if (!strstr (error->message, message))
    g_error ("\"%s\" does not contain \"%s\"", error->message, message);
}

static void
test_unlike_envs_are_refused (void)
{
  refuse ("serial", REEL_ERROR_VALUE, "serial wants environments, as in serial:envs=['CartPole'");
  refuse ("serial:envs=[]", REEL_ERROR_VALUE, "serial wants environments");
  refuse ("serial:envs=[CartPole,CartPoll]", REEL_ERROR_KEY,
          "environment 1 of serial: there is no environment \"CartPoll\"");
  refuse_columns ("serial:envs=[CartPole,Pendulum]",
                  "the observation of environment 0 is composite:observation=(bounded:low=[-4.8,");
  refuse_columns ("serial:envs=[CartPole,'CartPole:action-encoding=categorical']",
                  "the action of environment 0 is composite:action=(one-hot:");
}

static void
test_faults_name_the_env (void)
{
  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, "serial:num-envs=4,envs=[CartPole,"
                                      "'CartPole|noop-reset:noops=500,random=false']");
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_env_reset (env, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, "environment 1 of 2: CartPole-v1: lane 0 "));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/envs/serial/same-envs-are-one", test_same_envs_are_one);
  g_test_add_func ("/envs/serial/each-lane-has-its-own-limit", test_each_lane_has_its_own_limit);
  g_test_add_func ("/envs/serial/properties-are-shared", test_properties_are_shared);
  g_test_add_func ("/envs/serial/each-has-a-lane", test_each_has_a_lane);
  g_test_add_func ("/envs/serial/transforms-inside-and-outside",
                   test_transforms_inside_and_outside);
  g_test_add_func ("/envs/serial/numbers-inside-and-outside", test_numbers_inside_and_outside);
  g_test_add_func ("/envs/serial/some-lanes-are-reset", test_some_lanes_are_reset);
  g_test_add_func ("/envs/serial/some-lanes-step", test_some_lanes_step);
  g_test_add_func ("/envs/serial/seeds-of-the-chain", test_seeds_of_the_chain);
  g_test_add_func ("/envs/serial/defaults-of-texts", test_defaults_of_texts);
  g_test_add_func ("/envs/serial/unlike-envs-are-refused", test_unlike_envs_are_refused);
  g_test_add_func ("/envs/serial/faults-name-the-env", test_faults_name_the_env);
  return g_test_run ();
}
