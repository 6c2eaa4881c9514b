/* Environments side by side whose specs are unlike: each lane is that of its own environment. */
#include "collecting.h"

#include <string.h>

#define STEPS 40
#define PARTS "['Pendulum:max-episode-steps=7','MountainCarContinuous:max-episode-steps=11']"
#define MIXED "serial:num-envs=5,envs=" PARTS

static const ReelRolloutOptions steps = { .end = REEL_ROLLOUT_MAX_STEPS };

/* The text of @env on workers. */
static char *
on_workers (const char *options, const char *env)
{
  g_autoptr (GString) quoted = g_string_new (env);

  g_string_replace (quoted, "'", "''", 0);
  return g_strdup_printf ("parallel:%s,env='%s'", options, quoted->str);
}

/* The env of @text; on workers, where @options has theirs. */
static ReelEnv *
make_with (const char *options, const char *text)
{
  g_autofree char *whole = options != NULL ? on_workers (options, text) : g_strdup (text);

  return collecting_make (REEL_TYPE_ENV, whole);
}

static ReelEnv *
make_env (const char *text)
{
  return make_with (NULL, text);
}

static ReelTensordict *
roll (ReelEnv *env, gint64 n_steps, const ReelRolloutOptions *options)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_env_rollout (env, n_steps, options, &error);

  g_assert_no_error (error);
  return td;
}

static ReelTensordict *
roll_text (const char *text, const ReelRolloutOptions *options)
{
  g_autoptr (ReelEnv) env = make_env (text);

  return roll (env, STEPS, options);
}

static ReelTensordict *
get_lane (const ReelTensordict *td, gsize lane)
{
  gsize n;
  ReelTensordict *const *lanes = reel_lazy_stack_get_elements (td, &n);

  g_assert_cmpuint (lane, <, n);
  return lanes[lane];
}

/* ---- each lane against its environment alone ---- */

/* The actions of the lanes [@first, @first + @n) of a rollout. */
static ReelTensordict *
take_lanes (const ReelTensordict *td, gsize first, gsize n)
{
  ReelTensordict *lanes[8];

  for (gsize i = 0; i < n; i++)
    lanes[i] = get_lane (td, first + i);
  return n == 1 ? reel_tensordict_ref (lanes[0]) : reel_tensordict_stack (lanes, n, 0, NULL);
}

/* Whether lanes of @td are those of the env @text, seeded by the first of them, for the same
 * actions. */
static void
assert_part (const ReelTensordict *td, gsize first, gsize n, const char *text, ReelRolloutEnd end)
{
  g_autofree char *full =
      g_strdup_printf ("%s,num-envs=%" G_GSIZE_FORMAT ",seed=%" G_GSIZE_FORMAT, text, n, first);
  g_autoptr (ReelEnv) env = make_env (full);
  g_autoptr (ReelTensordict) theirs = take_lanes (td, first, n);
  const ReelRolloutOptions options = { .end = end, .actions = theirs };
  g_autoptr (ReelTensordict) ours = roll (env, STEPS, &options);

  if (end == REEL_ROLLOUT_MAX_STEPS)
    g_assert_true (reel_tensordict_equal (ours, theirs));
}

static void
test_each_lane_is_that_of_its_env (void)
{
  static const char *const workers[] = { NULL, "workers=2", "kind=processes,workers=3" };
  g_autoptr (ReelTensordict) first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    {
      g_autoptr (ReelEnv) env = make_with (workers[i], MIXED);
      g_autoptr (ReelTensordict) td = roll (env, STEPS, &steps);

      assert_part (td, 0, 3, "Pendulum:max-episode-steps=7", REEL_ROLLOUT_MAX_STEPS);
      assert_part (td, 3, 2, "MountainCarContinuous:max-episode-steps=11", REEL_ROLLOUT_MAX_STEPS);
      if (first == NULL)
        first = reel_tensordict_ref (td);
      g_assert_true (reel_tensordict_equal (td, first));
    }
}

/* A rollout until all lanes are done repeats the last step of each. */
static void
test_lanes_stand_still_when_done (void)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_ALL_DONE };
  g_autoptr (ReelTensordict) td = roll_text (MIXED, &options);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  g_assert_cmpint (ndim, ==, 2);
  g_assert_cmpint (size[1], ==, 11);
  for (gsize lane = 0; lane < 5; lane++)
    {
      const ReelTensordict *own = get_lane (td, lane);
      const ReelTensor *done = reel_tensordict_get_tensor (own, "next/done", NULL);

      const float *reward = (gpointer) reel_tensordict_get_tensor (own, "next/reward", NULL)->data;

      for (gint64 t = 0; t < 11; t++)
        g_assert_cmpint (done->data[t], ==, t >= (lane < 3 ? 6 : 10));
      for (gint64 t = 6; lane < 3 && t < 11; t++)
        g_assert_cmpfloat (reward[t], ==, reward[6]);
      g_assert_cmpfloat (reward[6], !=, 0);
    }
}

static void
test_the_last_step_is_truncated (void)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .set_truncated = TRUE };
  g_autoptr (ReelTensordict) td = roll_text (MIXED, &options);

  for (gsize lane = 0; lane < 5; lane++)
    {
      const ReelTensor *flag =
          reel_tensordict_get_tensor (get_lane (td, lane), "next/truncated", NULL);

      g_assert_true (flag->data[STEPS - 1]);
      g_assert_cmpint (flag->data[STEPS - 2], ==, (STEPS - 1) % (lane < 3 ? 7 : 11) == 0);
    }
}

/* A rollout in two halves, the second from where the first ended, is the whole. */
static void
test_rollouts_go_on (void)
{
  g_autoptr (ReelEnv) env = make_env (MIXED), other = make_env (MIXED);
  g_autoptr (ReelTensordict) whole = roll (env, 10, &steps), first = roll (other, 6, &steps);
  g_autoptr (ReelTensordict) last = reel_tensordict_select_index (first, 1, 5, NULL);
  g_autoptr (ReelTensordict) next = reel_env_step_mdp (other, last, NULL), second = NULL;
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS,
                                       .tensordict = next,
                                       .no_reset = TRUE };

  second = roll (other, 4, &options);
  for (gsize lane = 0; lane < 5; lane++)
    {
      g_autoptr (ReelTensordict) theirs =
          reel_tensordict_slice (get_lane (whole, lane), 0, 6, 10, 1, NULL);

      g_assert_true (reel_tensordict_equal (get_lane (second, lane), theirs));
    }
}

/* ---- transforms, states, policies ---- */

static void
test_transforms_inside_and_outside (void)
{
  static const char *const chains[] = {
    "step-counter:max-steps=9",       "reward-sum",
    "frame-skip:frame-skip=3",        "cat-frames:n=3,dim=-1,in-keys=observation,out-keys=last",
    "init-tracker|exclude:keys=done",
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree char *inside = g_strdup_printf (
          "serial:num-envs=5,envs=['Pendulum:max-episode-steps=7|%s','MountainCarContinuous|%s']",
          chains[i], chains[i]);
      g_autofree char *outside = g_strdup_printf (
          "serial:num-envs=5,envs=['Pendulum:max-episode-steps=7','MountainCarContinuous']|%s",
          chains[i]);
      g_autofree char *workers = on_workers (
          "kind=processes,workers=2", "serial:num-envs=5,envs=['Pendulum:max-episode-steps=7',"
                                      "'MountainCarContinuous']");
      g_autofree char *around = g_strdup_printf ("%s|%s", workers, chains[i]);
      g_autoptr (ReelTensordict) a = roll_text (inside, &steps), b = roll_text (outside, &steps);
      g_autoptr (ReelTensordict) c = roll_text (around, &steps);

      g_assert_true (reel_tensordict_equal (a, b));
      g_assert_true (reel_tensordict_equal (a, c));
    }
}

static void
check_states (const char *workers, const char *text)
{
  g_autoptr (ReelEnv) env = make_with (workers, text), other = make_with (workers, text);
  gint64 n = reel_env_get_num_envs (env);
  gsize size = reel_env_get_state_size (env);
  g_autofree guint8 *state = g_malloc (size);
  g_autoptr (ReelTensordict) first = roll (env, 9, &steps);
  g_autoptr (ReelTensordict) last = reel_tensordict_select_index (first, 1, 8, NULL);
  g_autoptr (ReelTensordict) a = reel_env_step_mdp (env, last, NULL);
  g_autoptr (ReelTensordict) b = reel_tensordict_clone (a, TRUE, NULL), c = NULL, d = NULL;
  const ReelRolloutOptions here = { .end = REEL_ROLLOUT_MAX_STEPS,
                                    .tensordict = a,
                                    .no_reset = TRUE };
  ReelRolloutOptions there = { .end = REEL_ROLLOUT_MAX_STEPS, .tensordict = b, .no_reset = TRUE };

  for (gint64 lane = 0; lane < n; lane++)
    {
      reel_env_get_state (env, lane, state);
      reel_env_set_state (other, lane, state);
    }
  c = roll (env, STEPS, &here);
  there.actions = c;
  d = roll (other, STEPS, &there);
  g_assert_true (reel_tensordict_equal (c, d));
}

static void
test_states_go_to_another_env (void)
{
  check_states (NULL, MIXED "|step-counter");
  check_states ("kind=processes,workers=2", MIXED);
}

/* Lanes of a policy are numbered over all parts: no two draw alike. */
static void
test_policies_act_in_each_part (void)
{
  const char *text = "serial:envs=[Pendulum,'MountainCarContinuous','MountainCarContinuous']";
  g_autoptr (ReelEnv) env = make_env (text);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random:seed=3");
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .policy = policy };
  g_autoptr (ReelTensordict) td = roll (env, 5, &options), drawn = roll (env, 5, &steps);
  const ReelTensordict *both[] = { td, drawn };

  for (gint i = 0; i < 2; i++)
    {
      const ReelTensor *b = reel_tensordict_get_tensor (get_lane (both[i], 1), "action", NULL);
      const ReelTensor *c = reel_tensordict_get_tensor (get_lane (both[i], 2), "action", NULL);

      g_assert_cmpint (memcmp (b->data, c->data, reel_tensor_nbytes (b)), !=, 0);
    }

  /* Lane 2 of the policy, as in one env of three lanes. */
  g_autoptr (ReelEnv) three = make_env ("MountainCarContinuous:num-envs=3");
  g_autoptr (ReelPolicy) same = collecting_make (REEL_TYPE_POLICY, "random:seed=3");
  const ReelRolloutOptions alike = { .end = REEL_ROLLOUT_MAX_STEPS, .policy = same };
  g_autoptr (ReelTensordict) other = roll (three, 5, &alike);
  g_autoptr (ReelTensordict) lane = reel_tensordict_select_index (other, 0, 2, NULL);
  g_autoptr (ReelTensor) theirs = reel_tensordict_ref_tensor (lane, "action", NULL);

  g_assert_true (
      reel_tensor_equal (reel_tensordict_get_tensor (get_lane (td, 2), "action", NULL), theirs));
}

/* Envs of unlike lanes among others: their parts are parts of the whole. */
static void
test_mixed_envs_nest (void)
{
  g_autoptr (ReelEnv) nested = make_env ("serial:envs=['serial:envs=[Pendulum,"
                                         "MountainCarContinuous]','CartPole']");
  g_autoptr (ReelEnv) flat = make_env ("serial:envs=[Pendulum,MountainCarContinuous,CartPole]");
  g_autoptr (ReelTensordict) a = roll (nested, STEPS, &steps), b = roll (flat, STEPS, &steps);
  gint64 first;

  g_assert_true (reel_tensordict_equal (a, b));
  reel_serial_env_get_env (REEL_SERIAL_ENV (nested), 1, &first);
  g_assert_cmpint (first, ==, 2);
}

static void
test_envs_are_checked (void)
{
  static const struct
  {
    const char *workers, *text;
  } envs[] = {
    { NULL, MIXED },
    { NULL, MIXED "|step-counter|reward-sum" },
    { "workers=2", MIXED },
    { "kind=processes,workers=2", MIXED "|step-counter" },
    { NULL, "serial:envs=['Pendulum|vec-norm:in-keys=reward','MountainCarContinuous']" },
    { NULL, "serial:envs=['CartPole','Pendulum','Acrobot']" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (envs); i++)
    {
      g_autoptr (ReelEnv) env = make_with (envs[i].workers, envs[i].text);
      g_autoptr (ReelTensordict) fake = reel_env_make_fake (env, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_env_is_mixed (env));
      g_assert_cmpint (reel_lazy_stack_get_dim (fake), ==, 0);
      reel_env_check (env, &error);
      g_assert_no_error (error);
    }
}

/* ---- specs that differ in bounds of observations alone ---- */

/* T14.8-4: such lanes are columns, which are collected. */
static void
test_other_bounds_are_collected (void)
{
  g_autoptr (ReelEnv) env = make_env ("serial:envs=['Pendulum|step-counter:max-steps=2',"
                                      "'Pendulum|step-counter:max-steps=3']");
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:frames-per-batch=100,total-frames=100", env, policy, NULL, &error);
  ReelTensordict *batch;

  g_assert_no_error (error);
  g_assert_false (reel_env_is_mixed (env));
  g_assert_true (reel_env_check (env, NULL));
  g_assert_cmpint (reel_collector_next (collector, &batch, NULL), ==, 100);

  const ReelTensor *truncated = reel_tensordict_get_tensor (batch, "next/truncated", NULL);

  for (gint64 lane = 0; lane < 2; lane++)
    for (gint64 t = 0; t < 50; t++)
      g_assert_cmpint (truncated->data[lane * truncated->strides[0] + t * truncated->strides[1]],
                       ==, (t + 1) % (2 + lane) == 0);
}

/* ---- refusals ---- */

static void
assert_refused (GError *error, int code, const char *words)
{
  g_assert_error (error, REEL_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("\"%s\" is not in: %s", words, error->message);
  g_error_free (error);
}

static void
refuse_text (const char *text, int code, const char *words)
{
  GError *error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  g_assert_null (env);
  assert_refused (error, code, words);
}

static void
test_columns_are_refused (void)
{
  g_autoptr (ReelEnv) env = make_env (MIXED), workers = make_with ("workers=2", MIXED);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_autoptr (ReelTensordict) td = reel_env_reset (workers, NULL, NULL), dense = NULL;
  gint64 n = 5;
  GError *error = NULL;

  g_assert_null (reel_collector_new ("sync", env, policy, NULL, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_VALUE,
                  "the observation of environment 0 is composite:observation=(bounded:low=[-1");
  g_assert_false (reel_env_send (workers, td, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_VALUE, "columns");
  g_assert_null (reel_env_vector_step (env, REEL_AUTORESET_DISABLED, td, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_VALUE, "columns");
  dense = reel_tensordict_new (1, &n);
  g_assert_false (reel_env_step (env, dense, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_RUNTIME, "lazy stack");
  g_assert_null (reel_env_reset (env, dense, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_RUNTIME, "lazy stack");
  n = 4;
  reel_tensordict_unref (dense);
  dense = reel_tensordict_new (1, &n);
  g_assert_false (reel_env_step (env, dense, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_RUNTIME, "got [4] and [5]");
}

static void
test_shared_states_are_refused (void)
{
  g_autofree char *restarting = on_workers ("on-error=restart", MIXED);

  refuse_text (restarting, REEL_ERROR_VALUE, "kind=processes");
  refuse_text (MIXED "|vec-norm", REEL_ERROR_VALUE, "put it behind each");
  refuse_text (MIXED "|traj-counter", REEL_ERROR_VALUE, "put it behind each");
  refuse_text (MIXED "|observation-norm:in-keys=observation,init-frames=10", REEL_ERROR_VALUE,
               "columns");
}

/* An error of a part names it, and leaves the tensordict as it was. */
static void
test_failures_name_the_part (void)
{
  g_autoptr (ReelEnv) env = make_env (MIXED);
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);
  GError *error = NULL;

  g_assert_false (reel_env_step (env, td, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_KEY, "environment 0 of 2: ");
  g_assert_false (reel_tensordict_contains (td, "next"));
  reel_tensordict_unref (reel_env_rand_action (env, td, NULL));
  g_assert_true (reel_tensordict_remove (get_lane (td, 4), "action", NULL));
  g_assert_false (reel_env_step (env, td, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_RUNTIME, "environment 1 of 2: ");
  g_assert_true (reel_tensordict_remove (get_lane (td, 3), "action", NULL));
  g_assert_false (reel_env_step (env, td, &error));
  assert_refused (g_steal_pointer (&error), REEL_ERROR_KEY, "environment 1 of 2: ");
  g_assert_false (reel_tensordict_contains (get_lane (td, 0), "next"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
#define TEST(name, function) g_test_add_func ("/envs/mixed-env/" name, function)
  TEST ("each-lane-is-that-of-its-env", test_each_lane_is_that_of_its_env);
  TEST ("lanes-stand-still-when-done", test_lanes_stand_still_when_done);
  TEST ("the-last-step-is-truncated", test_the_last_step_is_truncated);
  TEST ("rollouts-go-on", test_rollouts_go_on);
  TEST ("transforms-inside-and-outside", test_transforms_inside_and_outside);
  TEST ("states-go-to-another-env", test_states_go_to_another_env);
  TEST ("policies-act-in-each-part", test_policies_act_in_each_part);
  TEST ("mixed-envs-nest", test_mixed_envs_nest);
  TEST ("envs-are-checked", test_envs_are_checked);
  TEST ("other-bounds-are-collected", test_other_bounds_are_collected);
  TEST ("columns-are-refused", test_columns_are_refused);
  TEST ("shared-states-are-refused", test_shared_states_are_refused);
  TEST ("failures-name-the-part", test_failures_name_the_part);
#undef TEST
  return g_test_run ();
}
