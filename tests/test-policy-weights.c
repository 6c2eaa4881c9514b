/* New weights of a policy: whole, of one version a batch, from threads, forks and files. */
#include "../src/policies/weights-board.h"
#include "collecting.h"
#include "make-spec.h"
#include "policy-record.h"
#include "scratch.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PENDULUM "Pendulum-v1:num-envs=3,seed=2"

/* A layer of which every number is @value: the action is value × (1 + the sum of what is seen). */
static ReelTensordict *
make_weights (float value, gint64 n_in)
{
  ReelTensordict *td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) weight = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (1, n_in), NULL);
  g_autoptr (ReelTensor) bias = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (1), NULL);

  for (gint64 i = 0; i < n_in; i++)
    ((float *) (gpointer) weight->data)[i] = value;
  *(float *) (gpointer) bias->data = value;
  g_assert_true (reel_tensordict_set_tensor (td, "0/weight", weight, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "0/bias", bias, NULL));
  return td;
}

static void
save (const char *path, float value)
{
  g_autoptr (ReelTensordict) weights = make_weights (value, 3);

  g_assert_true (reel_tensordict_save (weights, path, 0, NULL));
}

static ReelCollector *
make_collector_of (const char *id, const char *path, const char *options)
{
  g_autofree char *policy = g_strdup_printf ("mlp:weights=%s", path);
  g_autofree char *text = g_strdup_printf ("%s:frames-per-batch=60%s", id, options);

  return collecting_make_collector (text, PENDULUM, policy, NULL);
}

static ReelCollector *
make_collector (const char *path, const char *options)
{
  return make_collector_of ("sync", path, options);
}

static void
update (ReelCollector *collector, float value)
{
  g_autoptr (ReelTensordict) weights = make_weights (value, 3);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_collector_update_policy_weights (collector, weights, &error));
  g_assert_no_error (error);
}

static const void *
column (ReelTensordict *td, const char *path)
{
  return reel_tensordict_get_tensor (td, path, NULL)->data;
}

/* All rows of a batch are of one version. */
static void
check_rows (ReelTensordict *td, float value, gint64 version)
{
  const float *seen = column (td, "observation"), *action = column (td, "action");
  const gint64 *before = column (td, "policy_version"), *after = column (td, "next/policy_version");

  for (gsize row = 0; row < 60; row++)
    {
      float sum = 1 + seen[3 * row] + seen[3 * row + 1] + seen[3 * row + 2];

      g_assert_cmpfloat_with_epsilon (action[row], CLAMP (value * sum, -2, 2), 1e-4f);
      g_assert_cmpint (before[row], ==, version);
      g_assert_cmpint (after[row], ==, version);
    }
}

static void
check_batch (ReelCollector *collector, float value, gint64 version)
{
  ReelTensordict *td;

  g_assert_cmpint (collecting_next (collector, &td), ==, 60);
  check_rows (td, value, version);
}

/* T14.8-19: weights that were pushed change later actions. Where the version is tracked, a row has
 * that of the weights that acted. */
static void
test_updates (void)
{
  g_autofree char *path = scratch_path ("weights");

  save (path, 0.5f);
  for (gint threads = 1; threads <= 3; threads += 2)
    {
      g_autofree char *options = g_strdup_printf (",track-policy-version=true,threads=%d", threads);
      g_autoptr (ReelCollector) collector = make_collector (path, options);

      check_batch (collector, 0.5f, 0);
      check_batch (collector, 0.5f, 0);
      update (collector, 0.25f);
      check_batch (collector, 0.25f, 1);
      update (collector, 0.125f);
      update (collector, -0.5f);
      check_batch (collector, -0.5f, 3);
      check_batch (collector, -0.5f, 3);
    }
}

#define WORKERS ",track-policy-version=true,workers=3,kind="

static void
test_workers_take_updates (void)
{
  static const char *const kinds[] = { "threads", "processes" };
  g_autofree char *path = scratch_path ("weights");

  save (path, 0.5f);
  for (gsize kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      g_autofree char *options = g_strconcat (",cat-results=lanes" WORKERS, kinds[kind], NULL);
      g_autoptr (ReelCollector) collector = make_collector_of ("multi-sync", path, options);

      check_batch (collector, 0.5f, 0);
      update (collector, 0.25f);
      update (collector, 0.125f);
      check_batch (collector, 0.125f, 2);
      update (collector, -0.5f);
      check_batch (collector, -0.5f, 3);
    }
}

/* Workers that are ahead hand out batches of the version before. */
static void
test_late_workers_take_updates (void)
{
  static const char *const kinds[] = { "threads", "processes" };
  static const float values[] = { 0.5f, 0.25f, -0.5f };
  g_autofree char *path = scratch_path ("weights");

  save (path, values[0]);
  for (gsize kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      g_autofree char *options = g_strconcat (WORKERS, kinds[kind], NULL);
      g_autoptr (ReelCollector) collector = make_collector_of ("multi-async", path, options);
      gint64 newest = 0, seen = 0;

      for (gint64 batch = 0; seen < 2; batch++)
        {
          ReelTensordict *td;

          g_assert_cmpint (batch, <, 1000);
          g_assert_cmpint (collecting_next (collector, &td), ==, 60);
          seen = *(const gint64 *) column (td, "policy_version");
          g_assert_cmpint (seen, <=, newest);
          check_rows (td, values[seen], seen);
          if (seen == newest && newest < 2)
            update (collector, values[++newest]);
        }
    }
}

static void
test_files_are_read_again (void)
{
  g_autofree char *path = scratch_path ("weights"), *other = scratch_path ("other");
  g_autoptr (GError) error = NULL;

  save (path, 0.5f);
  save (other, 0.75f);

  g_autofree char *text = g_strdup_printf ("mlp:weights=%s", path);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, PENDULUM);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, text);
  g_autoptr (ReelCollector) collector = reel_collector_new (
      "sync:frames-per-batch=60,track-policy-version=true", env, policy, NULL, &error);

  g_assert_true (reel_policy_load_weights (policy, other, &error));
  check_batch (collector, 0.75f, 1);
  save (path, 0.25f);
  g_assert_true (reel_policy_update_weights (policy, NULL, &error));
  check_batch (collector, 0.25f, 2);
  g_assert_cmpint (reel_policy_get_version (policy), ==, 2);
  g_assert_false (reel_policy_load_weights (policy, "nowhere", &error));
  check_batch (collector, 0.25f, 2);
}

/* Nothing is tracked unless it is asked for, and never beside a key of the same name. */
static void
test_version_is_a_key_of_its_own (void)
{
  g_autofree char *path = scratch_path ("weights"), *live = scratch_path ("live");
  ReelTensordict *td;

  save (path, 0.5f);

  g_autoptr (ReelCollector) collector = make_collector (path, "");
  g_autofree char *policy = g_strdup_printf ("mlp:weights=%s", path);
  g_autoptr (GError) error = NULL;

  collecting_next (collector, &td);
  g_assert_false (reel_tensordict_contains (td, "policy_version"));

  g_autoptr (ReelCollector) stored = reel_collector_new_live (
      live, 90, "sync:frames-per-batch=60,track-policy-version=true", PENDULUM, policy, 0, &error);
  g_assert_no_error (error);
  collecting_next (stored, NULL);
  update (stored, 1);
  collecting_next (stored, NULL);
  g_autoptr (ReelTensordict) rows =
      reel_replay_buffer_get_all (reel_collector_get_buffer (stored), &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_contains (rows, "next/policy_version"));
  g_assert_true (reel_replay_buffer_close (reel_collector_get_buffer (stored), &error));
}

/* T14.8-27 */
static void
test_policies_without_weights (void)
{
  g_autoptr (ReelTensordict) weights = make_weights (1, 3);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync", PENDULUM, "random", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_collector_update_policy_weights (collector, weights, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "the random policy has no weights to update");
  g_clear_error (&error);
  g_assert_false (reel_collector_update_policy_weights (collector, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
expect (ReelCollector *collector, ReelTensordict *weights, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_collector_update_policy_weights (collector, weights, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
  g_assert_false (reel_collector_update_policy_weights (collector, weights, NULL));
}

static void
test_weights_that_do_not_fit (void)
{
  g_autofree char *path = scratch_path ("weights");
  g_autoptr (ReelTensordict) wide = make_weights (1, 4);
  g_autoptr (ReelTensordict) whole = make_weights (0.75f, 3);
  g_autoptr (ReelTensordict) half = make_weights (1, 3);
  g_autoptr (ReelTensor) integers = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (1, 3), NULL);

  save (path, 0.5f);

  g_autoptr (ReelCollector) collector = make_collector (path, ",track-policy-version=true");

  expect (collector, wide, REEL_ERROR_VALUE,
          "the new weights: \"0/weight\" is [1, 4], and that of the network is [1, 3]");
  g_assert_true (reel_tensordict_remove (half, "0/weight", NULL));
  expect (collector, half, REEL_ERROR_KEY, "the new weights has no weight \"0/weight\"");
  g_assert_true (reel_tensordict_set_tensor (half, "0/weight", integers, NULL));
  expect (collector, half, REEL_ERROR_TYPE, "weights are floats");
  check_batch (collector, 0.5f, 0);
  g_assert_true (reel_tensordict_set_tensor (whole, "value/0/weight", integers, NULL));
  g_assert_true (reel_collector_update_policy_weights (collector, whole, NULL));
  check_batch (collector, 0.75f, 1);
}

/* ---- several at once ---- */

enum
{
  N_FLOATS = 5000,
  N_VERSIONS = 400,
};

/* Each number of a version is its number. */
static gpointer
write_versions (gpointer board)
{
  float floats[N_FLOATS];

  for (gint version = 1; version <= N_VERSIONS; version++)
    {
      for (gint i = 0; i < N_FLOATS; i++)
        floats[i] = (float) version;
      g_assert_cmpuint (reel_weights_board_write (board, floats), ==, version);
    }
  return NULL;
}

static void
read_versions (ReelWeightsBoard *board)
{
  float floats[N_FLOATS];
  guint64 last = 0;

  while (last < N_VERSIONS)
    {
      guint64 version;

      if (reel_weights_board_get_version (board) == 0)
        continue;
      version = reel_weights_board_read (board, floats);
      g_assert_cmpuint (version, >=, last);
      for (gint i = 0; i < N_FLOATS; i++)
        g_assert_cmpfloat (floats[i], ==, (float) version);
      last = version;
    }
}

static void
test_versions_are_whole (void)
{
  g_autoptr (ReelWeightsBoard) board = reel_weights_board_new (N_FLOATS, NULL);
  GThread *writer = g_thread_new ("learner", write_versions, board);

  read_versions (board);
  g_thread_join (writer);
}

static void
test_forks_share_versions (void)
{
  g_autoptr (ReelWeightsBoard) board = reel_weights_board_new (N_FLOATS, NULL);
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      write_versions (board);
      _exit (0);
    }
  read_versions (board);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

/* A learner that pushes while batches are collected: each is of one version, none goes back. */
static gpointer
push (gpointer collector)
{
  for (gint version = 1; version <= 200; version++)
    update (collector, (float) version / 256);
  return NULL;
}

static void
test_learner_beside_the_collector (void)
{
  g_autofree char *path = scratch_path ("weights");

  save (path, 0);

  g_autoptr (ReelCollector) collector =
      make_collector (path, ",track-policy-version=true,threads=2");
  GThread *learner = g_thread_new ("learner", push, collector);
  ReelTensordict *td;
  gint64 last = 0;

  while (last < 200)
    {
      collecting_next (collector, &td);

      const gint64 *version = column (td, "policy_version");
      const float *seen = column (td, "observation"), *action = column (td, "action");

      for (gsize row = 0; row < 60; row++)
        {
          float sum = 1 + seen[3 * row] + seen[3 * row + 1] + seen[3 * row + 2];

          g_assert_cmpint (version[row], ==, version[0]);
          g_assert_cmpfloat_with_epsilon (action[row],
                                          CLAMP ((float) version[0] / 256 * sum, -2, 2), 1e-4f);
        }
      g_assert_cmpint (version[0], >=, last);
      last = version[0];
    }
  g_thread_join (learner);
}

/* ---- a directory that another process writes ---- */

static void
share (const char *path, float value)
{
  g_autoptr (ReelTensordict) weights = make_weights (value, 3);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_policy_share_weights (path, weights, &error));
  g_assert_no_error (error);
}

/* Sets the version, as a writer does that is at work, or died. */
static void
set_version (const char *path, gint64 version)
{
  g_autoptr (ReelTensordict) shared = reel_tensordict_load (path, REEL_LOAD_SHARED, NULL);

  *(gint64 *) (gpointer) reel_tensordict_get_tensor (shared, "version", NULL)->data = version;
}

static void
test_directory_is_followed (void)
{
  g_autofree char *path = scratch_path ("shared");
  g_autoptr (ReelTensordict) weights = make_weights (1, 3);

  share (path, 0.5f);

  g_autoptr (ReelCollector) collector = make_collector (path, ",track-policy-version=true");

  check_batch (collector, 0.5f, 0);
  share (path, 0.25f);
  check_batch (collector, 0.25f, 1);
  set_version (path, 3); /* at work */
  check_batch (collector, 0.25f, 1);
  share (path, -0.5f); /* by another writer, after that one died */
  check_batch (collector, -0.5f, 2);
  share (path, 0.75f);
  share (path, 0.125f);
  check_batch (collector, 0.125f, 4);
  expect (collector, weights, REEL_ERROR_RUNTIME, "the mlp policy follows the weights in ");
}

static void
test_directory_that_does_not_fit (void)
{
  g_autofree char *path = scratch_path ("shared"), *plain = scratch_path ("plain");
  g_autoptr (ReelTensordict) wide = make_weights (1, 4);
  g_autoptr (GError) error = NULL;

  share (path, 0.5f);
  save (plain, 0.5f);
  g_assert_false (reel_policy_share_weights (path, wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "\"0/weight\" is not of the same type and shape"));
  g_clear_error (&error);
  g_assert_false (reel_policy_share_weights (plain, wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);

  g_autoptr (ReelTensordict) shared = reel_tensordict_load (path, REEL_LOAD_DEFAULT, NULL);
  g_assert_false (reel_policy_share_weights (path, shared, &error));
  g_assert_nonnull (strstr (error->message, "weights may not have a \"version\""));

  g_autoptr (ReelCollector) collector = make_collector (path, ",track-policy-version=true");
  check_batch (collector, 0.5f, 0);
}

/* A learner in another process: batches are of one version each, and the last one comes. */
static void
test_learner_in_another_process (void)
{
  g_autofree char *path = scratch_path ("shared");

  share (path, 0);

  pid_t learner = fork ();
  int status;

  if (learner == 0)
    {
      for (gint version = 1; version <= 50; version++)
        share (path, (float) version / 64);
      _exit (0);
    }

  g_autoptr (ReelCollector) collector = make_collector (path, ",track-policy-version=true");
  gint64 last = 0;

  while (last < 50)
    {
      ReelTensordict *td;

      collecting_next (collector, &td);

      const gint64 *version = column (td, "policy_version");
      const float *seen = column (td, "observation"), *action = column (td, "action");

      for (gsize row = 0; row < 60; row++)
        {
          float sum = 1 + seen[3 * row] + seen[3 * row + 1] + seen[3 * row + 2];

          g_assert_cmpint (version[row], ==, version[0]);
          g_assert_cmpfloat_with_epsilon (action[row], CLAMP ((float) version[0] / 64 * sum, -2, 2),
                                          1e-4f);
        }
      g_assert_cmpint (version[0], >=, last);
      last = version[0];
    }
  g_assert_cmpint (waitpid (learner, &status, 0), ==, learner);
  g_assert_cmpint (status, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_test ("/policies/weights/updates", test_updates);
  scratch_test ("/policies/weights/workers-take-updates", test_workers_take_updates);
  scratch_test ("/policies/weights/late-workers-take-updates", test_late_workers_take_updates);
  scratch_test ("/policies/weights/files-are-read-again", test_files_are_read_again);
  scratch_test ("/policies/weights/version-is-a-key-of-its-own", test_version_is_a_key_of_its_own);
  g_test_add_func ("/policies/weights/policies-without-weights", test_policies_without_weights);
  scratch_test ("/policies/weights/that-do-not-fit", test_weights_that_do_not_fit);
  g_test_add_func ("/policies/weights/versions-are-whole", test_versions_are_whole);
  g_test_add_func ("/policies/weights/forks-share-versions", test_forks_share_versions);
  scratch_test ("/policies/weights/learner-beside-the-collector",
                test_learner_beside_the_collector);
  scratch_test ("/policies/weights/directory-is-followed", test_directory_is_followed);
  scratch_test ("/policies/weights/directory-that-does-not-fit", test_directory_that_does_not_fit);
  scratch_test ("/policies/weights/learner-in-another-process", test_learner_in_another_process);
  return g_test_run ();
}
