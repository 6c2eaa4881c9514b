/* The policy that repeats the actions of a run. */
#include "../src/core/system/directories.h"
#include "collecting.h"
#include "scratch.h"

#define ENV "CartPole-v1:seed=5,max-episode-steps=13,num-envs="

static void
record (const char *lanes, gint64 capacity, const char *how, const char *policy, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *env = g_strconcat (ENV, lanes, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      collecting_make_buffer ("tensor", capacity, g_str_equal (lanes, "1") ? 1 : 2);
  g_autoptr (ReelCollector) collector = collecting_make_collector (how, env, policy, buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
  reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error);
  g_assert_no_error (error);
}

static char *
text_of (const char *path)
{
  return g_strdup_printf ("recorded:directory='%s'", path);
}

static ReelTensordict *
load (const char *path)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);

  return reel_replay_buffer_get_all (buffer, NULL);
}

/* With the seed of the run its rows come again, for any threads and batches. */
static void
check_repeats (const char *lanes, const char *how)
{
  g_autofree char *one = scratch_path ("one"), *other = scratch_path ("other");
  g_autofree char *again = text_of (one);

  record (lanes, 90, "sync:total-frames=60", "random:seed=8", one);
  record (lanes, 90, how, again, other);

  g_autoptr (ReelTensordict) rows = load (one), others = load (other);
  g_assert_true (reel_tensordict_equal (rows, others));
  reel_directory_remove (one, NULL);
  reel_directory_remove (other, NULL);
}

static void
test_repeats (void)
{
  check_repeats ("3", "sync:total-frames=60,threads=1");
  check_repeats ("3", "sync:total-frames=60,threads=3,frames-per-batch=7");
  check_repeats ("1", "sync:total-frames=60,frames-per-batch=1");
}

/* Rows before the end of the actions are stored, and the end is an error that says where. */
static void
test_ends (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = scratch_path ("run"), *text = text_of (path);

  record ("3", 90, "sync:total-frames=60", "random:seed=8", path);
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 300, 2);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync:frames-per-batch=45", ENV "3", text, buffer);
  g_assert_cmpint (collecting_next (collector, NULL), ==, 45);
  g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_autofree char *expected = g_strdup_printf (
      "the actions in %s end after 20 steps of each environment: --frames 60 is the most", path);
  g_assert_cmpstr (error->message, ==, expected);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 60);
}

static void
expect (const char *env, const char *text, int code, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) the_env = collecting_make (REEL_TYPE_ENV, env);
  g_autoptr (ReelPolicy) policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL);

  if (policy)
    g_assert_false (reel_env_bind_policy (the_env, policy, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_true (g_pattern_match_simple (pattern, error->message));
}

static void
test_refuses_what_does_not_fit (void)
{
  g_autofree char *path = scratch_path ("run"), *text = text_of (path);
  g_autofree char *ring = scratch_path ("ring"), *ring_text = text_of (ring);
  g_autofree char *nowhere = text_of (scratch_directory);

  record ("3", 90, "sync:total-frames=60", "random:seed=8", path);
  record ("3", 30, "sync:total-frames=60", "random:seed=8", ring);
  expect (ENV "4", text, REEL_ERROR_VALUE,
          "* contains the actions of 3 environments at once, and there are 4: num-envs must be 3");
  expect ("Pendulum-v1:num-envs=3", text, REEL_ERROR_VALUE,
          "* has no \"action\" of float32 [1], as the environment takes it");
  expect ("CartPole-v1:num-envs=3,action-encoding=categorical", text, REEL_ERROR_VALUE,
          "* has no \"action\" of int64 [], as the environment takes it");
  expect (ENV "3", ring_text, REEL_ERROR_VALUE,
          "* lacks the first 10 steps, which newer ones overwrote: record with a larger capacity");
  expect (ENV "3", "recorded", REEL_ERROR_VALUE, "the recorded policy needs directory=DIR*");
  expect (ENV "3", nowhere, REEL_ERROR_DAMAGED, "*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  scratch_test ("/policies/recorded/repeats", test_repeats);
  scratch_test ("/policies/recorded/ends", test_ends);
  scratch_test ("/policies/recorded/refuses-what-does-not-fit", test_refuses_what_does_not_fit);
  return g_test_run ();
}
