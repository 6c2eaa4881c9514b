/* Rollouts: what TorchRL gives, and every switch. */
#include "counting-env.h"
#include "env-steps.h"
#include "golden-tensor.h"
#include "mock-envs.h"

#include <string.h>

static ReelTensordict *
roll (ReelEnv *env, gint64 max_steps, const ReelRolloutOptions *options)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_env_rollout (env, max_steps, options, &error);
  gint ndim;

  g_assert_no_error (error);
  reel_tensordict_get_batch_size (td, &ndim);
  /* T13.1-5 */
  g_assert_cmpstr (reel_tensordict_get_name (td, ndim - 1), ==, "time");
  return td;
}

/* ---- the real library's ---- */

/* Steps slowest. */
static void
assert_column (const ReelTensordict *td, const char *path, const json_t *numbers)
{
  g_autoptr (ReelTensordict) by_time = NULL;
  gint ndim;
  gsize i;
  const json_t *number;

  reel_tensordict_get_batch_size (td, &ndim);
  by_time = ndim == 2 ? reel_tensordict_transpose ((ReelTensordict *) td, 0, 1, NULL)
                      : reel_tensordict_ref ((ReelTensordict *) td);
  g_assert_cmpint (reel_tensor_numel (reel_tensordict_get_tensor (td, path, NULL)), ==,
                   (gint64) json_array_size (numbers));
  g_assert_true (reel_tensor_is_contiguous (reel_tensordict_get_tensor (by_time, path, NULL)));
  json_array_foreach (numbers, i, number) g_assert_cmpint (
      env_steps_number (by_time, path, (gint64) i), ==, (gint64) json_number_value (number));
}

static void
assert_golden (const ReelTensordict *td, const json_t *expected)
{
  static const char *const columns[][2] = {
    { "observation", "observation" },           { "done", "done" },
    { "next/observation", "next_observation" }, { "next/done", "next_done" },
    { "next/terminated", "next_terminated" },   { "action", "action" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    if (json_object_get (expected, columns[i][1]) != NULL)
      assert_column (td, columns[i][0], json_object_get (expected, columns[i][1]));
}

static ReelRolloutEnd
golden_end (const json_t *json)
{
  const char *end = json_string_value (json_object_get (json, "end"));

  return g_str_equal (end, "any")   ? REEL_ROLLOUT_ANY_DONE
         : g_str_equal (end, "all") ? REEL_ROLLOUT_ALL_DONE
                                    : REEL_ROLLOUT_MAX_STEPS;
}

/* The actions that make-rollouts.py gives: bit (t + lane) mod 4 of the pattern. */
static ReelTensordict *
golden_actions (gint64 lanes, gint64 n_steps, gint64 pattern)
{
  const gint64 shape[] = { lanes, n_steps, 1 };
  gint drop = lanes == 1;
  g_autoptr (ReelTensor) action = reel_tensor_new (REEL_DTYPE_INT8, 3 - drop, shape + drop, NULL);
  ReelTensordict *td = reel_tensordict_new (2 - drop, shape + drop);

  for (gint64 lane = 0; lane < lanes; lane++)
    for (gint64 t = 0; t < n_steps; t++)
      action->data[lane * n_steps + t] = pattern >> (t + lane) % 4 & 1;
  g_assert_true (reel_tensordict_set_tensor (td, "action", action, NULL));
  return td;
}

static void
check_counting (const json_t *json)
{
  json_t *limits = json_object_get (json, "limits");
  gint64 lanes = (gint64) json_array_size (limits);
  g_autofree char *list = json_dumps (limits, JSON_COMPACT);
  g_autofree char *text =
      g_strdup_printf ("Counting:num-envs=%d,max-steps=%s,start-val=%d", (int) lanes, list,
                       (int) json_integer_value (json_object_get (json, "start")));
  g_autoptr (ReelEnv) env = env_steps_open (text);
  g_autoptr (ReelTensordict) actions =
      golden_actions (lanes, 9, json_integer_value (json_object_get (json, "pattern")));
  const ReelRolloutOptions options = { .end = golden_end (json), .actions = actions };
  g_autoptr (ReelTensordict) td = roll (env, 100, &options);

  assert_golden (td, json);
}

static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("rollouts.json");
  const json_t *json;
  gsize i;

  json_array_foreach (json_object_get (file, "counting"), i, json) check_counting (json);
  g_test_message ("%d rollouts of TorchRL", (int) i);
  g_assert_cmpuint (i, >, 50);
}

/* T13.1-3 */
static void
test_golden_serial (void)
{
  g_autoptr (json_t) file = golden_load ("rollouts.json");
  const json_t *json;
  gsize i;

  json_array_foreach (json_object_get (file, "serial"), i, json)
  {
    g_autoptr (ReelEnv) env = env_steps_open ("MockSerial");
    guint64 seed = (guint64) json_integer_value (json_object_get (json, "seed"));
    g_autoptr (ReelTensordict) td = NULL;
    gint ndim;

    reel_env_set_seed (env, seed, REEL_SEEDING_LANES);
    td = roll (env, 200, NULL);
    assert_golden (td, json);
    g_assert_cmpint (reel_tensordict_get_batch_size (td, &ndim)[0], ==, 100);
    for (gint64 t = 0; t < 100; t++)
      {
        g_assert_cmpint (env_steps_number (td, "observation", t), ==, (gint64) (seed % 17) + t);
        g_assert_cmpint (env_steps_number (td, "next/reward", t), ==,
                         env_steps_number (td, "next/observation", t));
      }
  }
}

/* T13.4-1 */
static void
test_golden_autoreset (void)
{
  g_autoptr (json_t) file = golden_load ("rollouts.json");
  const json_t *json;
  gsize i;

  json_array_foreach (json_object_get (file, "auto_resetting"), i, json)
  {
    g_autoptr (ReelEnv) env = env_steps_open ("AutoResettingCounting:max-steps=[4]");
    const ReelRolloutOptions options = { .end = golden_end (json),
                                         .act = env_steps_act_one,
                                         .act_data = env };
    g_autoptr (ReelTensordict) td = roll (env, 20, &options);

    assert_golden (td, json);
  }
}

/* ---- the switches ---- */

/* T13.1-4 */
static void
test_rollouts_are_chained (void)
{
  static const char *const ids[] = { "Counting:num-envs=2,max-steps=[2,3]",
                                     "Counting:max-steps=[2]",
                                     "CartPole:num-envs=3,max-episode-steps=7",
                                     "NestedCounting:num-envs=2,agents=2,max-steps=[1,3]" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (ReelEnv) whole_env = env_steps_open (ids[i]), env = env_steps_open (ids[i]);
      g_autoptr (ReelPolicy) policy =
          reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=4", NULL, NULL);
      ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .policy = policy };
      g_autoptr (ReelTensordict) whole = roll (whole_env, 24, &options);
      g_autoptr (ReelTensordict) known = NULL;

      for (gint64 at = 0, n = 1; at < 24; at += n, n = MIN (n + 2, 24 - at))
        {
          g_autoptr (ReelTensordict) part = NULL, last = NULL, expected = NULL;

          options.tensordict = known;
          options.no_reset = known != NULL;
          part = roll (env, n, &options);
          expected = reel_tensordict_slice (whole, -1, at, at + n, 1, NULL);
          g_assert_true (reel_tensordict_equal (part, expected));
          last = reel_tensordict_select_index (part, -1, -1, NULL);
          g_clear_pointer (&known, reel_tensordict_unref);
          known = reel_env_step_mdp (env, last, NULL);
        }
    }
}

/* T13.1-6 */
static void
test_seeds_repeat (void)
{
  static const char *const ids[] = { "CartPole:num-envs=3", "Pendulum", "MockSerial:num-envs=2",
                                     "ContinuousActionVecMock",
                                     "DiscreteActionVecMock:num-envs=4" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (ReelEnv) env = env_steps_open (ids[i]);
      ReelTensordict *rollouts[3];

      for (gint k = 0; k < 3; k++)
        {
          reel_env_set_seed (env, k < 2 ? 100 : 110, REEL_SEEDING_LANES);
          rollouts[k] = roll (env, 5, NULL);
        }
      g_assert_true (reel_tensordict_equal (rollouts[0], rollouts[1]));
      g_assert_false (reel_tensordict_equal (rollouts[0], rollouts[2]));
      for (gint k = 0; k < 3; k++)
        reel_tensordict_unref (rollouts[k]);
    }
}

/* A recurrent policy: what it writes below next is at the root of the next step. */
static ReelTensordict *
act_and_remember (ReelTensordict *td, gpointer env, GError **error)
{
  const gint64 shape[] = { 2, 1 };
  ReelTensordict *acted = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) before = reel_tensordict_contains (td, "memory")
                                      ? reel_tensordict_ref_tensor (td, "memory", NULL)
                                      : reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelTensor) after = reel_tensor_clone (before, NULL);

  for (gint lane = 0; lane < 2; lane++)
    ((gint64 *) (gpointer) after->data)[lane]++;
  env_steps_set_action (env, acted, 1);
  reel_tensordict_set_tensor (acted, "memory", before, NULL);
  reel_tensordict_set_tensor (acted, "next/memory", after, NULL);
  return acted;
}

static void
test_recurrent_state (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2,max-steps=[1,9]");
  ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS,
                                 .act = act_and_remember,
                                 .act_data = env };
  g_autoptr (ReelTensordict) td = roll (env, 5, &options), all = NULL;
  g_autoptr (ReelTensordict) by_time = reel_tensordict_transpose (td, 0, 1, NULL);

  ASSERT_NUMBERS (by_time, "memory", 0, 0, 1, 1, 0, 2, 1, 3, 0, 4);
  ASSERT_NUMBERS (by_time, "next/memory", 1, 1, 2, 2, 1, 3, 2, 4, 1, 5);
}

typedef struct
{
  GString *seen;
  gboolean steps;
} Calls;

static void
note (ReelEnv *env, ReelTensordict *td, gpointer user_data)
{
  Calls *calls = user_data;

  g_assert_true (REEL_IS_ENV (env));
  g_assert_cmpint (reel_tensordict_contains (td, "next"), ==, calls->steps);
  g_string_append_printf (calls->seen, "%d ", (int) env_steps_number (td, "observation", 0));
}

static void
test_callback (void)
{
  static const char *const expected[] = { "1 2 3 ", "1 2 3 ", "0 1 2 3 0 " };

  for (ReelRolloutEnd end = REEL_ROLLOUT_ANY_DONE; end <= REEL_ROLLOUT_MAX_STEPS; end++)
    {
      g_autoptr (ReelEnv) env = env_steps_open ("Counting:max-steps=[3]");
      g_autoptr (GString) seen = g_string_new (NULL);
      Calls calls = { seen, end == REEL_ROLLOUT_MAX_STEPS };
      const ReelRolloutOptions options = { .end = end,
                                           .act = env_steps_act_one,
                                           .act_data = env,
                                           .callback = note,
                                           .callback_data = &calls };
      g_autoptr (ReelTensordict) td = roll (env, 6, &options);

      g_assert_cmpstr (seen->str, ==, expected[end]);
    }
}

static void
test_set_truncated (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("NestedCounting:num-envs=2,agents=2");
  const ReelRolloutOptions options = { .act = env_steps_act_one,
                                       .act_data = env,
                                       .set_truncated = TRUE };
  g_autoptr (ReelTensordict) td = roll (env, 2, &options);
  g_autoptr (ReelTensordict) by_time = reel_tensordict_transpose (td, 0, 1, NULL);

  ASSERT_NUMBERS (by_time, "next/truncated", 0, 0, 1, 1);
  ASSERT_NUMBERS (by_time, "next/done", 0, 0, 1, 1);
  ASSERT_NUMBERS (by_time, "next/terminated", 0, 0, 0, 0);
  ASSERT_NUMBERS (by_time, "next/data/truncated", 0, 0, 0, 0, 1, 1, 1, 1);
  ASSERT_NUMBERS (by_time, "next/data/done", 0, 0, 0, 0, 1, 1, 1, 1);
  ASSERT_NUMBERS (by_time, "done", 0, 0, 0, 0);
}

/* A lazy stack has the same steps; `out` is filled with them. */
static void
test_lazy_and_out (void)
{
  for (ReelRolloutEnd end = REEL_ROLLOUT_ANY_DONE; end <= REEL_ROLLOUT_MAX_STEPS; end++)
    {
      g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2,max-steps=[1,3]");
      ReelRolloutOptions options = { .end = end, .act = env_steps_act_one, .act_data = env };
      g_autoptr (ReelTensordict) dense = roll (env, 7, &options), lazy = NULL, made = NULL;
      g_autoptr (ReelTensordict) out = NULL, filled = NULL, wrong = NULL;
      g_autoptr (GError) error = NULL;

      options.lazy = TRUE;
      lazy = roll (env, 7, &options);
      g_assert_cmpint (reel_lazy_stack_get_dim (lazy), ==, 1);
      made = reel_tensordict_contiguous (lazy, NULL);
      g_assert_true (reel_tensordict_equal (made, dense));

      options.lazy = FALSE;
      out = reel_tensordict_clone (dense, TRUE, NULL);
      memset (reel_tensordict_get_tensor (out, "next/observation", NULL)->data, 77, 4);
      options.out = out;
      filled = roll (env, 7, &options);
      g_assert_true (filled == out);
      g_assert_true (reel_tensordict_equal (out, dense));

      wrong = reel_tensordict_slice (dense, 1, 0, 1, 1, NULL);
      options.out = wrong;
      g_assert_null (reel_env_rollout (env, 7, &options, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
    }
}

static ReelTensordict *
fail (ReelTensordict *td, gpointer user_data, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TIMEOUT, "no idea");
  return NULL;
}

static void
test_refusals (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2");
  g_autoptr (ReelTensordict) actions = golden_actions (2, 3, 15), few = golden_actions (1, 3, 1);
  const struct
  {
    ReelRolloutOptions options;
    gint64 max_steps;
    ReelError code;
    const char *text;
  } cases[] = {
    { { 0 }, 0, REEL_ERROR_VALUE, "*0 steps*" },
    { { .act = fail, .actions = actions },
      3,
      REEL_ERROR_VALUE,
      "Cannot pass both `policy` and `actions` to rollout()." },
    { { .no_reset = TRUE },
      3,
      REEL_ERROR_RUNTIME,
      "tensordict must be provided when auto_reset is False" },
    { { .actions = few }, 3, REEL_ERROR_RUNTIME, "*[lanes, steps]*" },
    { { .act = fail }, 3, REEL_ERROR_TIMEOUT, "no idea" },
    { { .tensordict = few }, 3, REEL_ERROR_RUNTIME, "Expected a tensordict with shape*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_env_rollout (env, cases[i].max_steps, &cases[i].options, &error));
      g_assert_error (error, REEL_ERROR, (gint) cases[i].code);
      if (!g_pattern_match_simple (cases[i].text, error->message))
        g_error ("\"%s\" is not \"%s\"", error->message, cases[i].text);
    }
}

/* ---- a policy's steps are counted from the seed on ---- */

static ReelTensor *
draw_actions (ReelEnv *env, ReelPolicy *policy)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .policy = policy };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_env_rollout (env, 2, &options, &error);

  g_assert_no_error (error);
  return reel_tensordict_ref_tensor (td, "action", NULL);
}

static void
test_policies_count_steps (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("CartPole:num-envs=64,action-encoding=categorical");
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  gint n_equal = 0;

  reel_env_set_seed (env, 5, REEL_SEEDING_LANES);
  g_autoptr (ReelTensor) first = draw_actions (env, policy);
  g_autoptr (ReelTensor) later = draw_actions (env, policy);
  reel_env_set_seed (env, 5, REEL_SEEDING_LANES);
  g_autoptr (ReelTensor) again = draw_actions (env, policy);

  g_assert_true (reel_tensor_equal (first, again));
  g_assert_false (reel_tensor_equal (first, later));
  for (gint lane = 0; lane < 64; lane++)
    {
      const guint8 *at = first->data + lane * first->strides[0];

      n_equal += at[0] == at[first->strides[1]];
    }
  g_assert_cmpint (n_equal, <, 64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_COUNTING_ENV);
  g_type_ensure (reel_auto_resetting_counting_env_get_type ());
  mock_envs_init ();

  g_test_add_func ("/envs/rollout/as-torchrl", test_golden);
  g_test_add_func ("/envs/rollout/mock-serial-env", test_golden_serial);
  g_test_add_func ("/envs/rollout/env-that-resets-itself", test_golden_autoreset);
  g_test_add_func ("/envs/rollout/are-chained", test_rollouts_are_chained);
  g_test_add_func ("/envs/rollout/seeds-repeat", test_seeds_repeat);
  g_test_add_func ("/envs/rollout/recurrent-state", test_recurrent_state);
  g_test_add_func ("/envs/rollout/callback", test_callback);
  g_test_add_func ("/envs/rollout/set-truncated", test_set_truncated);
  g_test_add_func ("/envs/rollout/lazy-and-out", test_lazy_and_out);
  g_test_add_func ("/envs/rollout/refusals", test_refusals);
  g_test_add_func ("/envs/rollout/policies-count-steps", test_policies_count_steps);
  return g_test_run ();
}
