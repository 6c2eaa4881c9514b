/* Collectors that fill a buffer in the background. */
#include "collecting.h"

#define LANES 3

static ReelCollector *
make (const char *how, ReelReplayBuffer *buffer)
{
  g_autofree char *text = g_strconcat ("sync:frames-per-batch=12", how, NULL);

  return collecting_make_collector (text, "CartPole:seed=5,num-envs=3", "random:seed=2", buffer);
}

static ReelReplayBuffer *
make_buffer (gint64 capacity)
{
  return collecting_make_buffer ("tensor", capacity, 2);
}

/* wait_for: so many steps, for a minute at most. */
static void
wait_for (ReelReplayBuffer *buffer, gint64 steps)
{
  for (gint i = 0; i < 6000 && reel_replay_buffer_get_write_count (buffer) < steps; i++)
    g_usleep (10000);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), >=, steps);
}

/* It fills the buffer, stands still while it pauses, and goes on. */
static void
test_pause_and_go_on (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (300);
  g_autoptr (ReelCollector) collector = make ("", buffer);
  g_autoptr (GError) error = NULL;
  gint64 paused = 0;

  for (gint i = 0; i < 3; i++)
    {
      g_assert_true (reel_collector_start (collector, &error));
      g_assert_true (reel_collector_start (collector, &error));
      wait_for (buffer, paused + 16);
      reel_collector_pause (collector, &error);
      g_assert_no_error (error);
      paused = reel_replay_buffer_get_write_count (buffer);
      g_usleep (20000);
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, paused);
      g_assert_cmpint (paused % 4, ==, 0);
    }
  g_assert_cmpint (collecting_next (collector, NULL), ==, 12);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, paused + 4);
}

/* The same rows as in the foreground, however often it pauses. */
static void
test_rows_are_the_same (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (600), other = make_buffer (600);
  g_autoptr (ReelCollector) background = make (",total-frames=600", buffer);
  g_autoptr (ReelCollector) foreground = make (",total-frames=600", other);
  g_autoptr (ReelTensordict) ours = NULL, wanted = NULL;
  ReelCollectorStats stats;

  while (collecting_next (foreground, NULL) > 0)
    ;
  for (gint i = 0; i < 5; i++)
    {
      g_assert_true (reel_collector_start (background, NULL));
      g_assert_true (reel_collector_pause (background, NULL));
    }
  g_assert_true (reel_collector_start (background, NULL));
  wait_for (buffer, 200);
  g_assert_true (reel_collector_pause (background, NULL));
  reel_collector_get_stats (background, &stats);
  g_assert_cmpint (stats.frames, ==, 600);
  g_assert_true (stats.completed);
  ours = reel_replay_buffer_get_all (buffer, NULL);
  wanted = reel_replay_buffer_get_all (other, NULL);
  g_assert_true (reel_tensordict_equal (ours, wanted));
}

static void
test_learner_samples_meanwhile (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (3000);
  g_autoptr (ReelCollector) collector = make ("", buffer);

  g_assert_true (reel_collector_start (collector, NULL));
  wait_for (buffer, 16);
  for (gint i = 0; i < 50; i++)
    {
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_sample (buffer, 8, &batch, &error);
      g_assert_no_error (error);
    }
  /* Freed at work: it ends after the batch. */
}

/* ---- refusals ---- */

static void
test_refusals (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (300);
  g_autoptr (ReelCollector) without = make ("", NULL), collector = make ("", buffer);
  g_autoptr (ReelTensordict) state = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_collector_start (without, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_collector_pause (collector, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);

  g_assert_true (reel_collector_start (collector, NULL));
  g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_collector_reset (collector, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  state = reel_collector_dup_state (collector, &error);
  g_assert_null (state);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_shutdown (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (300);
  g_autoptr (ReelCollector) collector = make ("", buffer);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_collector_start (collector, NULL));
  for (gint i = 0; i < 2; i++)
    g_assert_true (reel_collector_shutdown (collector, -1, &error));
  g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_collector_start (collector, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* ---- failures ---- */

typedef struct
{
  gint waits; /* atomic: whether the step waits for the test */
} Slow;

static gboolean
act_slowly (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  Slow *slow = user_data;

  memset (io->action[0], 0, (gsize) n_lanes * 2 * sizeof (gint64));
  while (step == 6 && g_atomic_int_get (&slow->waits))
    g_usleep (1000);
  if (step != 9)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "no idea");
  return FALSE;
}

static ReelCollector *
make_slow (Slow *slow, ReelReplayBuffer *buffer)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=3");
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act_slowly, slow, NULL);

  return reel_collector_new ("sync:frames-per-batch=12", env, policy, buffer, NULL);
}

static void
test_failure_is_told (void)
{
  Slow slow = { FALSE };
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (300);
  g_autoptr (ReelCollector) collector = make_slow (&slow, buffer);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_collector_start (collector, NULL));
  wait_for (buffer, 9);
  /* It may be on its way to the step that fails. */
  while (reel_collector_pause (collector, &error))
    g_assert_true (reel_collector_start (collector, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 9);
  g_assert_true (reel_collector_shutdown (collector, -1, NULL));
}

static void
test_shutdown_that_takes_too_long (void)
{
  Slow slow = { TRUE };
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (300);
  g_autoptr (ReelCollector) collector = make_slow (&slow, buffer);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_collector_start (collector, NULL));
  wait_for (buffer, 4);
  g_assert_false (reel_collector_shutdown (collector, 1000, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT);
  g_atomic_int_set (&slow.waits, FALSE);
  g_assert_true (reel_collector_shutdown (collector, -1, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define TEST(path, function) g_test_add_func ("/collectors/background/" path, function)
  TEST ("pause-and-go-on", test_pause_and_go_on);
  TEST ("rows-are-the-same", test_rows_are_the_same);
  TEST ("learner-samples-meanwhile", test_learner_samples_meanwhile);
  TEST ("refusals", test_refusals);
  TEST ("shutdown", test_shutdown);
  TEST ("failure-is-told", test_failure_is_told);
  TEST ("shutdown-that-takes-too-long", test_shutdown_that_takes_too_long);
  return g_test_run ();
}
