/* A program that acts: its actions are stored, and whatever it does not do is an error that names
 * key and lane, with nothing left behind. */
#include "collecting.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANES 5
#define STEPS 40

static char *
exec_text (const char *mode, const char *arguments)
{
  g_autofree char *child = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);

  return g_strdup_printf ("exec:'\"%s\" %s'%s", child, mode, arguments);
}

static ReelCollector *
make_collector (const char *mode, const char *arguments, gint64 threads)
{
  g_autofree char *policy = exec_text (mode, arguments);
  g_autofree char *text = collecting_text ("sync", LANES * STEPS, -1, threads);

  return collecting_make_collector (text, "Pendulum:num-envs=5,seed=7,max-episode-steps=13", policy,
                                    NULL);
}

static const void *
column (ReelTensordict *td, const char *path)
{
  g_autoptr (GError) error = NULL;
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, &error);

  g_assert_no_error (error);
  return tensor->data;
}

/* ---- what it writes ---- */

/* Time is the slow dimension in memory. */
static void
check_row (ReelTensordict *td, gint64 row, gint64 count)
{
  const float *seen = column (td, "observation"), *action = column (td, "action");
  const float *score = column (td, "score");
  const gint64 *before = column (td, "count"), *after = column (td, "next/count");

  g_assert_cmpfloat (action[row], ==, seen[3 * row]); /* a cosine, which nothing clips */
  g_assert_cmpfloat (score[row], ==, 2 * seen[3 * row]);
  g_assert_cmpint (before[row], ==, count);
  g_assert_cmpint (after[row], ==, count + 1);
}

static void
test_rows_are_those_of_the_program (void)
{
  g_autoptr (ReelCollector) collector = make_collector ("good", "", 1);
  ReelTensordict *td;

  for (gint64 batch = 0; batch < 2; batch++)
    {
      collecting_next (collector, &td);
      for (gint64 step = 0; step < STEPS; step++)
        for (gint64 lane = 0; lane < LANES; lane++)
          check_row (td, step * LANES + lane, (batch * STEPS + step) % 13);
    }
}

static void
test_actions_are_all_that_it_need_write (void)
{
  g_autoptr (ReelCollector) collector = make_collector ("plain", "", 2);
  ReelTensordict *td;

  collecting_next (collector, &td);
  g_assert_cmpfloat (*(const float *) column (td, "action"), ==,
                     *(const float *) column (td, "observation"));
  g_assert_null (reel_tensordict_get_tensor (td, "score", NULL));
}

/* How the collector wants it to choose. */
static void
test_exploration_is_a_message (void)
{
  static const char *const types[] = { "random", "mode", "mean", "deterministic" };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("sync:frames-per-batch=5,exploration-type=%s", types[i]);
      g_autofree char *policy = exec_text ("message", "");
      g_autoptr (ReelCollector) collector =
          collecting_make_collector (text, "Pendulum:num-envs=5", policy, NULL);
      ReelTensordict *td;

      collecting_next (collector, &td);
      g_assert_cmpfloat (*(const float *) column (td, "score"), ==, "aomd"[i]);
    }
}

static void
test_threads_do_not_matter (void)
{
  g_autoptr (ReelCollector) one = make_collector ("good", "", 1);
  g_autoptr (ReelCollector) three = make_collector ("good", "", 3);
  ReelTensordict *expected, *found;

  collecting_next (one, &expected);
  collecting_next (three, &found);
  g_assert_true (reel_tensordict_equal (expected, found));
}

/* ---- programs that do not keep to the protocol ---- */

/* Those that never answer are not waited for; others may be slow on a busy machine. */
static const char *
choose_timeout (const char *mode)
{
  static const char *const waiting[] = { "silent", "stop", "hang", NULL };

  return g_strv_contains (waiting, mode) ? ",timeout=1" : "";
}

static const char *const beginnings[][2] = {
  { "exit", "its process exited with status 7" },
  { "silent", "its process sent nothing for 1 s" },
  { "half", "its process exited with status 0" },
  { "endless", "its process sent a line of more than 1048576 bytes: \"nonsensenonsense" },
  { "not-json", "the answer of its process" },
  { "no-object", "the answer of its process" },
  { "no-action", "\"action\"" },
  { "no-kind", "the action of its process: " },
  { "text",
    "its process writes float32 as \"action\", and the action of the environment is float32 "
    "[1]" },
  { "float64", "its process writes float64 [1] as \"action\", and the action of the environment is "
               "float32 [1]" },
  { "wide", "its process writes float32 [2] as \"action\", and the action of the environment is "
            "float32 [1]" },
  { "owned", "the policy cannot write \"reward\": it belongs to the environment" },
};

/* Another type or shape is refused. */
static void
test_setup_names_the_fault (void)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "Pendulum:num-envs=3");

  for (guint i = 0; i < G_N_ELEMENTS (beginnings); i++)
    {
      g_autofree char *text = exec_text (beginnings[i][0], choose_timeout (beginnings[i][0]));
      g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, text);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) layout = reel_collector_make_layout (env, policy, &error);

      g_assert_null (layout);
      g_test_message ("%s: %s", beginnings[i][0], error->message);
      g_assert_nonnull (strstr (error->message, beginnings[i][1]));
      if (!g_str_equal (beginnings[i][0], "owned"))
        g_assert_nonnull (strstr (error->message, "exec:'\""));
      g_clear_object (&policy);
      g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
    }
}

static const char *const commands[][2] = {
  { "exec", "exec needs a command, as in exec:'python3 my_policy.py'" },
  { "exec:'a',timeout=0", "timeout" },
  { "exec:comand=true", "did you mean \"command\"?" },
};

static void
test_command_names_the_fault (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, commands[i][0], &error, NULL));
      g_test_message ("%s: %s", commands[i][0], error->message);
      g_assert_nonnull (strstr (error->message, commands[i][1]));
    }
}

static void
test_files_start_no_program (void)
{
  g_autoptr (GError) error = NULL;

  reel_env_forbid_programs (TRUE);
  g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, "exec:true", &error, NULL));
  reel_env_forbid_programs (FALSE);
  g_assert_cmpstr (error->message, ==, "the files of a run may not start a program: \"true\"");
}

static const char *const ends[][2] = {
  { "die", "its process exited with status 3" },
  { "orphan", "its process exited with status 4" },
  { "abort", "signal 6 (Aborted) ended its process" },
  { "kill", "signal 9 (Killed) ended its process" },
  { "stop", "its process sent nothing for 1 s" },
  { "hang", "its process sent nothing for 1 s" },
  { "closed", "its process closed the socket and did not end" },
  { "garbage", "its process answered with the byte 0x7f, where 'a' or '!' and a reason are" },
  { "other", "its process answered with the byte 0x78" },
  { "reason", "its process says: the gripper is stuck" },
  { "half-reason", "its process exited with status 5" },
  { "flood", "its process sent more than was asked for" },
  { "nothing", "its process wrote nothing to \"action\" of lane 0" },
  { "one-nothing", "its process wrote nothing to \"action\" of lane 3" },
  { "outside", "its process wrote \"action\" of lane 3 outside of its spec: element [0, 0] is 99, "
               "not at most 2" },
  { "nan", "its process wrote \"action\" of lane 3 outside of its spec: element [0, 0] is nan" },
  { "no-score", "its process wrote nothing to \"score\" of lane 3" },
  { "nan-score", "the policy wrote NaN to \"score\" of lane 3" },
  { "back", "its process wrote \"next/count\" of lane 3 outside of its spec: element [0] is -7" },
};

/* A policy that writes nothing is named, with key and lane. The steps before the one at
 * fault are stored, and nothing follows it. */
static void
test_end_names_the_fault (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    for (gint64 at = *choose_timeout (ends[i][0]) ? 4 : 1; at <= 4; at += 3)
      {
        gboolean floods = g_str_equal (ends[i][0], "flood");
        g_autofree char *mode = g_strdup_printf ("%s %d", ends[i][0], (int) at);
        g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 1000, 2);
        g_autofree char *policy = exec_text (mode, choose_timeout (ends[i][0]));
        g_autoptr (ReelCollector) collector = collecting_make_collector (
            "sync:frames-per-batch=200", "Pendulum:num-envs=5", policy, buffer);
        g_autoptr (GError) error = NULL, again = NULL;

        g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
        g_test_message ("%s: %s", mode, error->message);
        g_assert_nonnull (strstr (error->message, ends[i][1]));
        g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, (at - 1 + floods) * LANES);
        if (g_str_equal (ends[i][0], "nan-score")) /* the process goes on */
          continue;
        g_assert_cmpint (reel_collector_next (collector, NULL, &again), ==, -1);
        g_assert_cmpstr (again->message, ==, error->message);
      }
}

/* ---- what is left behind ---- */

static gboolean
is_gone (gint64 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%" G_GINT64_FORMAT "/stat", pid);
  g_autofree char *text = NULL;

  /* A process that nobody waits for is done when it is a zombie. */
  return !g_file_get_contents (path, &text, NULL, NULL) || strstr (text, ") Z ") != NULL;
}

/* It is its score. */
static gint64
find_pid (ReelCollector *collector)
{
  ReelTensordict *td;

  collecting_next (collector, &td);
  return (gint64) * (const float *) column (td, "score");
}

static void
test_nothing_runs_after_the_policy (void)
{
  ReelCollector *collector = make_collector ("pid", "", 1);
  gint64 pid = find_pid (collector);

  g_assert_false (is_gone (pid));
  g_object_unref (collector);
  for (int i = 0; i < 6000 && !is_gone (pid); i++)
    g_usleep (10000);
  g_assert_true (is_gone (pid));
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
}

static gpointer
end_later (gpointer pid)
{
  g_usleep ((gulong) g_random_int_range (0, 3000));
  kill (GPOINTER_TO_INT (pid), g_random_boolean () ? SIGKILL : SIGABRT);
  return NULL;
}

/* A signal at any time is an error, never a hang and never rows that nobody wrote. */
static void
test_any_signal_is_an_error (void)
{
  for (int i = 0; i < (g_test_slow () ? 10000 : 20); i++)
    {
      g_autoptr (ReelCollector) collector = make_collector ("pid", "", 1);
      gint64 pid = find_pid (collector);
      GThread *thread = g_thread_new ("end", end_later, GINT_TO_POINTER ((gint) pid));
      g_autoptr (GError) error = NULL;

      while (reel_collector_next (collector, NULL, &error) > 0)
        ;
      g_assert_nonnull (strstr (error->message, "ended its process"));
      g_thread_join (thread);
    }
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/policies/exec/rows-are-those-of-the-program",
                   test_rows_are_those_of_the_program);
  g_test_add_func ("/policies/exec/actions-are-all-that-it-need-write",
                   test_actions_are_all_that_it_need_write);
  g_test_add_func ("/policies/exec/exploration-is-a-message", test_exploration_is_a_message);
  g_test_add_func ("/policies/exec/threads-do-not-matter", test_threads_do_not_matter);
  g_test_add_func ("/policies/exec/setup-names-the-fault", test_setup_names_the_fault);
  g_test_add_func ("/policies/exec/command-names-the-fault", test_command_names_the_fault);
  g_test_add_func ("/policies/exec/files-start-no-program", test_files_start_no_program);
  g_test_add_func ("/policies/exec/end-names-the-fault", test_end_names_the_fault);
  g_test_add_func ("/policies/exec/nothing-runs-after-the-policy",
                   test_nothing_runs_after_the_policy);
  g_test_add_func ("/policies/exec/any-signal-is-an-error", test_any_signal_is_an_error);
  return g_test_run ();
}
