/* Outputs and state of policies: their places in batches, buffers, files and rollouts, and what is
 * refused. */
#include "../src/core/system/directories.h"
#include "collecting.h"
#include "lane-oracle.h"
#include "make-spec.h"
#include "policy-record.h"
#include "scribe-policy.h"
#include "twin-env.h"

#include <string.h>

#define TWIN "Twin-v0:seed=5,max-episode-steps=12"
#define CARTPOLE "CartPole-v1:seed=5"
#define STEPS 90

static void
check_batches (const char *env, gint64 lanes, gint64 frames, gint64 threads)
{
  g_autofree char *env_text = g_strdup_printf ("%s,num-envs=%d", env, (int) lanes);
  g_autofree char *text = collecting_text ("sync", frames * lanes, STEPS * lanes, threads);
  ReelCollectorStats stats;
  g_autoptr (ReelTensordict) expected = lane_oracle_collect (env_text, "scribe", STEPS, &stats);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env_text, "scribe", NULL);
  ReelTensordict *batch;
  gint64 done = 0;

  for (gint64 rows; (rows = collecting_next (collector, &batch)) > 0; done += rows / lanes)
    lane_oracle_assert_rows (expected, done, batch);
  g_assert_cmpint (done, ==, STEPS);
}

/* The same bytes as by one lane at a time, for any threads and batches. */
static void
test_batches (void)
{
  for (gint64 threads = 1; threads <= 3; threads++)
    for (gint64 frames = 1; frames <= 100; frames *= 10)
      {
        check_batches (TWIN, 449, frames, threads);
        check_batches (TWIN, 1, frames, threads);
        check_batches (CARTPOLE, 449, frames, threads);
      }
}

/* T14.8-2: its keys are in a batch, the state at the root and below next. */
static void
test_keys (void)
{
  static const char *const keys[] = { "action_log_prob", "value/deep", "age",
                                      "hidden/mood",     "next/age",   "next/hidden/mood" };
  static const char *const not_below[] = { "next/action_log_prob", "next/value" };
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=60", CARTPOLE ",num-envs=3", "scribe", NULL);
  ReelTensordict *batch;

  collecting_next (collector, &batch);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (reel_tensordict_contains (batch, keys[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (not_below); i++)
    g_assert_false (reel_tensordict_contains (batch, not_below[i]));
}

/* The state is that of the step before, and zero where an episode begins. */
static void
test_state_is_carried (void)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=900", CARTPOLE ",num-envs=3,max-episode-steps=17", "scribe", NULL);
  ReelTensordict *batch;
  gint64 expected[3] = { 0 };
  guint n_begun = 0;

  collecting_next (collector, &batch);
  const ReelTensor *age = reel_tensordict_get_tensor (batch, "age", NULL);
  const ReelTensor *next = reel_tensordict_get_tensor (batch, "next/age", NULL);
  const ReelTensor *done = reel_tensordict_get_tensor (batch, "next/done", NULL);
  for (gint64 t = 0; t < 300; t++)
    for (gint64 lane = 0; lane < 3; lane++)
      {
        gint64 now = *(gint64 *) (age->data + lane * age->strides[0] + t * age->strides[1]);
        gint64 then = *(gint64 *) (next->data + lane * next->strides[0] + t * next->strides[1]);

        g_assert_cmpint (now, ==, expected[lane]);
        g_assert_cmpint (then, ==, now + 1);
        n_begun += now == 0;
        expected[lane] = done->data[lane * done->strides[0] + t * done->strides[1]] ? 0 : then;
      }
  g_assert_cmpuint (n_begun, >, 30);
}

static void
run (ReelReplayBuffer *buffer, const char *how)
{
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (how, CARTPOLE ",num-envs=3,max-episode-steps=9", "scribe", buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
}

static ReelTensordict *
get_rows (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows = reel_replay_buffer_get_all (buffer, &error);

  g_assert_no_error (error);
  return rows;
}

/* A run that goes on after any number of steps has the rows of one that never stopped: its state is
 * that of the last rows. */
static void
test_resumes (void)
{
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", 90, 2);

  run (whole, "sync:frames-per-batch=12,total-frames=75,threads=1");
  g_autoptr (ReelTensordict) rows = get_rows (whole);
  for (int cut = 0; cut <= 25; cut++)
    {
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", 90, 2);
      g_autofree char *first = g_strdup_printf ("sync:total-frames=%d,threads=2", 3 * cut);
      g_autofree char *rest =
          g_strdup_printf ("sync:total-frames=%d,threads=3,resume=true", 75 - 3 * cut);

      run (parts, first);
      run (parts, rest);
      g_autoptr (ReelTensordict) others = get_rows (parts);
      g_assert_true (reel_tensordict_equal (rows, others));
    }
}

/* Files contain the columns, and a buffer without them is refused. */
static void
test_files (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_dir_make_tmp ("reel-outputs-XXXXXX", NULL);
  g_autofree char *dump = g_build_filename (path, "run", NULL);
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 90, 2);
  g_autoptr (ReelReplayBuffer) plain = collecting_make_buffer ("tensor", 90, 2);

  run (buffer, "sync:total-frames=75");
  reel_replay_buffer_dumps (buffer, dump, REEL_CHECKPOINT_DEFAULT, &error);
  g_assert_no_error (error);
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensordict) rows = get_rows (buffer), there = get_rows (opened);
  g_assert_true (reel_tensordict_contains (there, "next/hidden/mood"));
  g_assert_true (reel_tensordict_equal (rows, there));

  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, CARTPOLE ",num-envs=3,max-episode-steps=9");
  g_autoptr (ReelPolicy) random = collecting_make (REEL_TYPE_POLICY, "random");
  g_assert_null (reel_collector_new ("sync", env, random, buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (
      error->message, ==,
      "the buffer has a key \"next/age\", which neither env nor policy writes; collect "
      "into a new buffer");
  g_clear_error (&error);

  g_autoptr (ReelPolicy) scribe = collecting_make (REEL_TYPE_POLICY, "scribe");
  g_autoptr (ReelCollector) first = reel_collector_new ("sync", env, random, plain, &error);
  g_assert_no_error (error);
  g_assert_null (reel_collector_new ("sync", env, scribe, plain, &error));
  g_assert_cmpstr (error->message, ==,
                   "the buffer holds nothing at \"action_log_prob\", where each step of env and "
                   "policy has float32 [3]; collect into a new buffer");
  g_assert_true (reel_directory_remove (path, NULL));
}

/* Rows by tensordicts are those of a collector. */
static void
test_rollouts (void)
{
  static const char env_text[] = CARTPOLE ",num-envs=3,max-episode-steps=9";
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, env_text);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "scribe");
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync:frames-per-batch=75", env_text, "scribe", NULL);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .policy = policy };
  g_autoptr (ReelTensordict) rollout = reel_env_rollout (env, 25, &options, &error);
  ReelTensordict *batch;

  g_assert_no_error (error);
  collecting_next (collector, &batch);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rollout);
  guint n = 0;
  for (char **leaf = leaves; *leaf; leaf++, n++)
    g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (rollout, *leaf, NULL),
                                      reel_tensordict_get_tensor (batch, *leaf, NULL)));
  g_auto (GStrv) collected = reel_tensordict_list_leaves (batch);
  g_assert_cmpuint (n, ==, g_strv_length (collected) - 1); /* but for collector/traj_ids */
}

static void
expect_nan (const char *how, gint where, gint64 lane, gint64 step, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, CARTPOLE ",num-envs=70");
  g_autoptr (ReelPolicy) policy = scribe_policy_new_with_nan (where, lane, step);
  g_autoptr (ReelCollector) collector = reel_collector_new (how, env, policy, NULL, &error);

  g_assert_no_error (error);
  while (reel_collector_next (collector, NULL, &error) > 0)
    ;
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, message);
}

/* A NaN ends the run and is named. */
static void
test_nan (void)
{
  expect_nan ("sync:total-frames=700", 0, 33, 7,
              "the policy wrote NaN to \"value/deep\" of lane 33");
  expect_nan ("sync:total-frames=700,threads=3", 1, 69, 9,
              "the policy wrote NaN to \"next/hidden/mood\" of lane 69");
  expect_nan ("sync:total-frames=700,threads=3", 0, 0, 0,
              "the policy wrote NaN to \"value/deep\" of lane 0");
}

/* It is looked for in the lanes that acted alone. */
static void
test_nan_of_a_range (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) observation = policy_make_observation_spec ();
  g_autoptr (ReelSpec) action = policy_make_action_spec ();
  g_autoptr (ReelPolicy) policy = scribe_policy_new_with_nan (0, 33, 2);

  g_assert_true (reel_policy_bind (policy, observation, action, N_LANES, NULL));
  g_autoptr (PolicyRecord) record = policy_record_new (policy, 0);
  g_assert_true (policy_try (policy, record, 2, 0, 33, &error));
  g_assert_true (policy_try (policy, record, 2, 34, N_LANES, &error));
  g_assert_false (policy_try (policy, record, 2, 30, 40, &error));
  g_assert_cmpstr (error->message, ==, "the policy wrote NaN to \"value/deep\" of lane 33");
}

/* ---- functions that declare ---- */

static gboolean
say (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  for (gint64 lane = 0; lane < n_lanes; lane++)
    {
      ((gint64 *) io->action[0])[2 * lane] = 1;
      ((gint64 *) io->action[0])[2 * lane + 1] = 0;
      ((float *) io->output[0])[lane] = (float) (100 * step + lane);
      ((float *) io->next_state[0])[lane] = ((const float *) io->state[0])[lane] + 2;
    }
  return TRUE;
}

static gboolean
bind_callback (const char *output, const char *state, ReelDtype dtype, GError **error)
{
  g_autoptr (ReelEnv) env = collecting_make (
      REEL_TYPE_ENV,
      "CartPole-v1:num-envs=2|primer:primers=(composite:primed=(unbounded:shape=[1]))");
  g_autoptr (ReelSpec) leaf = reel_unbounded_spec_new (dtype, 0, NULL, NULL);
  g_autoptr (ReelSpec) outputs = make_composite (SCALAR, &output, &leaf, output ? 1 : 0);
  g_autoptr (ReelSpec) states = make_composite (SCALAR, &state, &leaf, state ? 1 : 0);
  g_autoptr (ReelPolicy) policy =
      reel_policy_new_callback_with_outputs (outputs, states, say, NULL, NULL);

  return reel_env_bind_policy (env, policy, error);
}

static void
test_callback (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env =
      collecting_make (REEL_TYPE_ENV, "CartPole-v1:num-envs=2,max-episode-steps=4");
  g_autoptr (ReelSpec) scalar = make_unbounded (REEL_DTYPE_FLOAT32, SCALAR);
  const char *const output_key = "score", *const state_key = "twice";
  g_autoptr (ReelSpec) outputs = make_composite (SCALAR, &output_key, &scalar, 1);
  g_autoptr (ReelSpec) state = make_composite (SCALAR, &state_key, &scalar, 1);
  g_autoptr (ReelPolicy) policy =
      reel_policy_new_callback_with_outputs (outputs, state, say, NULL, NULL);
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:frames-per-batch=20", env, policy, NULL, &error);
  ReelTensordict *batch;

  g_assert_no_error (error);
  collecting_next (collector, &batch);
  const ReelTensor *score = reel_tensordict_get_tensor (batch, "score", NULL);
  const ReelTensor *twice = reel_tensordict_get_tensor (batch, "next/twice", NULL);
  for (gint64 t = 0; t < 10; t++)
    for (gint64 lane = 0; lane < 2; lane++)
      {
        gint64 at = t * score->strides[1] + lane * score->strides[0];

        g_assert_cmpfloat (*(float *) (score->data + at), ==, (float) (100 * t + lane));
        g_assert_cmpfloat (*(float *) (twice->data + at), ==, (float) (2 * (t % 4) + 2));
      }
}

static void
expect_refusal (const char *output, const char *state, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (bind_callback (output, state, REEL_DTYPE_FLOAT32, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, message);
  g_assert_false (bind_callback (output, state, REEL_DTYPE_FLOAT32, NULL));
}

#define TAKEN "is taken: observations, actions, outputs and state each have keys of their own"

/* T14.8-8: keys that would be private are refused when they are declared. */
static void
test_refusals (void)
{
  expect_refusal ("action", NULL, "the policy cannot write \"action\": it " TAKEN);
  expect_refusal (NULL, "observation", "the policy cannot write \"observation\": it " TAKEN);
  expect_refusal (NULL, "primed", "the policy cannot write \"primed\": it " TAKEN);
  expect_refusal ("one", "one", "the policy cannot write \"one\": it " TAKEN);
  expect_refusal ("_dummy", NULL,
                  "the policy cannot write \"_dummy\": it begins with \"_\", and private keys are "
                  "not stored");
  expect_refusal ("next", NULL,
                  "the policy cannot write \"next\": it is below \"next\": declare it as "
                  "state, under its key at the root");
  expect_refusal ("collector", NULL,
                  "the policy cannot write \"collector\": it belongs to the collector");
  expect_refusal (NULL, "done",
                  "the policy cannot write \"done\": it belongs to the environment: it is a result "
                  "of the step");
  g_assert_true (bind_callback ("actions", "observations", REEL_DTYPE_COMPLEX64, NULL));
  g_assert_true (bind_callback ("rewards", NULL, REEL_DTYPE_INT8, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_TWIN_ENV);
  g_type_ensure (TYPE_SCRIBE_POLICY);

  g_test_add_func ("/policies/outputs/batches", test_batches);
  g_test_add_func ("/policies/outputs/keys", test_keys);
  g_test_add_func ("/policies/outputs/state-is-carried", test_state_is_carried);
  g_test_add_func ("/policies/outputs/resumes", test_resumes);
  g_test_add_func ("/policies/outputs/files", test_files);
  g_test_add_func ("/policies/outputs/rollouts", test_rollouts);
  g_test_add_func ("/policies/outputs/nan", test_nan);
  g_test_add_func ("/policies/outputs/nan-of-a-range", test_nan_of_a_range);
  g_test_add_func ("/policies/outputs/callback", test_callback);
  g_test_add_func ("/policies/outputs/refusals", test_refusals);
  return g_test_run ();
}
