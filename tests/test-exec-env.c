/* Lanes that a program simulates: each is as the program says, and a program that does not keep to
 * the protocol is an error that names what it did, with nothing left behind. */
#include "collecting.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANES 5
#define STEPS 40

static const ReelRolloutOptions steps = { .end = REEL_ROLLOUT_MAX_STEPS };

static char *
exec_text (const char *mode, const char *arguments)
{
  g_autofree char *child = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);

  return g_strdup_printf ("exec:'\"%s\" %s'%s", child, mode, arguments);
}

static ReelEnv *
open_env (const char *mode, const char *arguments)
{
  g_autofree char *text = exec_text (mode, arguments);

  return collecting_make (REEL_TYPE_ENV, text);
}

static ReelTensordict *
roll (ReelEnv *env, gint64 n_steps)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *data = reel_env_rollout (env, n_steps, &steps, &error);

  g_assert_no_error (error);
  return data;
}

static const void *
column (ReelTensordict *td, const char *path)
{
  g_autoptr (GError) error = NULL;
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, &error);

  g_assert_no_error (error);
  return tensor->data;
}

/* ---- lanes ---- */

/* check_lane: the rows of a lane, against the rules of the program; time is the slow dimension in
 * memory. */
static void
check_lane (ReelTensordict *td, gint64 lane, gint64 seed, gint64 limit, gboolean one_hot)
{
  const gint64 *action = column (td, "action"), *count = column (td, "count");
  const gint64 *next_count = column (td, "next/count");
  const float *x = column (td, "place/x"), *reward = column (td, "next/reward");
  const guint8 *terminated = column (td, "next/terminated"), *done = column (td, "next/done");
  const guint8 *truncated = column (td, "next/truncated");
  gint64 episode = 0, n = 0;

  for (gint64 step = 0; step < STEPS; step++)
    {
      gint64 row = step * LANES + lane, own = 3 + (seed + episode) % 5;
      gint64 choice = one_hot ? action[3 * row + 1] + 2 * action[3 * row + 2] : action[row];

      g_assert_cmpint (count[row], ==, n);
      g_assert_cmpfloat (x[2 * row], ==, (float) seed + 0.5f * (float) episode);
      g_assert_cmpfloat (x[2 * row + 1], ==, (float) n);
      g_assert_cmpint (next_count[row], ==, ++n);
      g_assert_cmpfloat (reward[row], ==, (float) choice + 1);
      g_assert_cmpint (terminated[row], ==, n >= own && own % 2 == 0);
      g_assert_cmpint (truncated[row], ==, (n >= own && own % 2 == 1) || n >= limit);
      g_assert_cmpint (done[row], ==, terminated[row] | truncated[row]);
      if (!done[row])
        continue;
      episode++;
      n = 0;
    }
}

static void
test_rows_are_those_of_the_program (void)
{
  static const char *const arguments[] = { "", ",action-encoding=categorical",
                                           ",max-episode-steps=4" };

  for (guint i = 0; i < G_N_ELEMENTS (arguments); i++)
    {
      g_autofree char *all = g_strdup_printf (",num-envs=%d,seed=7%s", LANES, arguments[i]);
      g_autoptr (ReelEnv) env = open_env ("good", all);
      g_autoptr (ReelTensordict) td = roll (env, STEPS);

      for (gint64 lane = 0; lane < LANES; lane++)
        check_lane (td, lane, 7 + lane, i == 2 ? 4 : G_MAXINT64, i != 1);
    }
}

static void
test_env_holds_its_contract (void)
{
  g_autoptr (ReelEnv) env = open_env ("good", ",num-envs=4");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_env_check (env, &error));
  g_assert_no_error (error);
  g_assert_false (reel_env_has_state (env));
}

/* A step or a reset of some lanes leaves the others where they are. */
static void
test_lanes_step_alone (void)
{
  g_autoptr (ReelEnv) env = open_env ("good", ",num-envs=3,action-encoding=categorical");
  const gint64 action[3] = { 2, 1, 0 };
  gint64 count[3] = { 0 };
  float x[6], reward[3] = { 0 };
  guint8 terminated[3], truncated[3], done[3];
  const ReelEnvIO io = { .action = (const guint8 *const[]){ (const guint8 *) action },
                         .observation = (guint8 *const[]){ (guint8 *) count, (guint8 *) x },
                         .reward = reward,
                         .terminated = terminated,
                         .truncated = truncated,
                         .done = done };
  g_autoptr (GError) error = NULL;

  reel_env_reset_lanes (env, 0, 3, NULL, io.observation);
  for (int i = 0; i < 2; i++)
    reel_env_step_lanes (env, 1, 2, &io);
  reel_env_step_lanes (env, 2, 3, &io);
  g_assert_cmpint (count[0], ==, 0);
  g_assert_cmpint (count[1], ==, 2);
  g_assert_cmpint (count[2], ==, 1);
  g_assert_cmpfloat (reward[1], ==, 2);
  g_assert_cmpfloat (reward[0], ==, 0);
  reel_env_reset_lanes (env, 0, 3, (const guint8[]){ 0, 0, 1 }, io.observation);
  g_assert_cmpint (count[1], ==, 2);
  g_assert_cmpint (count[2], ==, 0);
  g_assert_cmpfloat (x[5], ==, 0);
  g_assert_cmpfloat (x[4], ==, 2.5f);
  reel_env_step_lanes (env, 1, 2, &io);
  g_assert_cmpint (count[1], ==, 3);
  g_assert_true (reel_env_check_faults (env, &error));
}

/* Lanes of two programs, on one thread or more, are those of one; so behind a transform. */
static void
test_processes_share_lanes (void)
{
  g_autofree char *child = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);
  g_autofree char *one = g_strdup_printf ("exec:'\"%s\"',num-envs=6|step-counter", child);
  g_autofree char *two = g_strdup_printf (
      "serial:num-envs=6,envs=['exec:''\"%s\"''','exec:''\"%s\"''']|step-counter", child, child);
  g_autoptr (ReelTensordict) expected = collecting_collect (one, 6, STEPS, 1);

  for (gint64 threads = 1; threads <= 3; threads++)
    {
      g_autoptr (ReelTensordict) ours = collecting_collect (two, 6, STEPS, threads);

      g_assert_true (reel_tensordict_equal (ours, expected));
    }
}

static void
test_long_seed_is_refused (void)
{
  static const guint32 most[] = { 0xffffffff, 0x7ffffffd }, more[] = { 0, 0x80000000 };
  g_autoptr (ReelEnv) env = open_env ("good", ",num-envs=2");
  g_autoptr (GError) error = NULL;

  reel_env_seed (env, most, 2);
  g_assert_true (reel_env_check_faults (env, &error));
  reel_env_seed (env, more, 2);
  g_assert_false (reel_env_check_faults (env, &error));
  g_assert_nonnull (strstr (error->message, "seeds of at most 63 bits"));
}

/* ---- programs that do not keep to the protocol ---- */

static const char *const beginnings[][2] = {
  { "exit", "its process exited with status 7" },
  { "silent", "its process sent nothing for 1 s" },
  { "half", "its process exited with status 0" },
  { "endless", "its process sent a line of more than 1048576 bytes: \"nonsensenonsense" },
  { "not-json", "the answer of its process" },
  { "no-object", "the answer of its process" },
  { "no-action", "\"action\"" },
  { "no-kind", "the observation of its process: " },
  { "text", "\"observation\" is a non-tensor" },
  { "huge", "cannot allocate 64000000000000000 bytes" },
  { "ragged", "\"observation\" of its process has a dimension without an extent" },
  { "reward", "the observation of its process has \"reward\", which is taken" },
  { "twice", "the observation of its process has \"action\", which is taken" },
};

/* Those that never answer are not waited for; others may be slow on a busy machine. */
static char *
open_arguments (const char *mode)
{
  gboolean waits = g_str_has_prefix (mode, "silent") || g_str_has_prefix (mode, "stop")
                   || g_str_has_prefix (mode, "hang");

  return g_strdup_printf (",num-envs=3,seed=4,timeout=%d", waits ? 1 : 60);
}

static void
test_setup_names_the_fault (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (beginnings); i++)
    {
      g_autofree char *arguments = open_arguments (beginnings[i][0]);
      g_autofree char *text = exec_text (beginnings[i][0], arguments);
      g_autoptr (GError) error = NULL;
      ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

      g_test_message ("%s: %s", beginnings[i][0], error ? error->message : "taken");
      g_assert_null (env);
      g_assert_true (g_str_has_prefix (error->message, "exec:'"));
      g_assert_nonnull (strstr (error->message, beginnings[i][0]));
      g_assert_nonnull (strstr (error->message, beginnings[i][1]));
      g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
    }
}

static const char *const commands[][2] = {
  { "exec", "exec needs a command, as in exec:'python3 my_env.py'" },
  { "exec:'/nowhere/program'", "cannot run \"/nowhere/program\"" },
  { "exec:'no-such-program'", "cannot run \"no-such-program\"" },
  { "exec:no-such-program x", "cannot run \"no-such-program\"" },
  { "exec:'a \"b'", "cannot read the command" },
  { "exec:true,false", "\"false\" sets no property" },
  { "exec:comand=true", "did you mean \"command\"?" },
};

static void
test_command_names_the_fault (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, commands[i][0], &error, NULL));
      g_test_message ("%s: %s", commands[i][0], error->message);
      g_assert_nonnull (strstr (error->message, commands[i][1]));
    }
}

/* Text of a file, wherever it names a program. */
static void
test_files_start_no_program (void)
{
  static const char *const texts[] = { "exec:true", "serial:envs=[CartPole,'exec:true']",
                                       "exec:true|step-counter" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      reel_env_forbid_programs (TRUE);
      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, texts[i], &error, NULL));
      reel_env_forbid_programs (FALSE);
      g_assert_nonnull (
          strstr (error->message, "the files of a run may not start a program: \"true\""));
    }
}

static const char *const ends[][2] = {
  { "die", "its process exited with status 3" },
  { "orphan", "its process exited with status 4" },
  { "abort", "signal 6 (Aborted) ended its process" },
  { "kill", "signal 9 (Killed) ended its process" },
  { "stop", "its process sent nothing for 1 s" },
  { "hang", "its process sent nothing for 1 s" },
  { "closed", "its process closed the socket and did not end" },
  { "garbage", "its process answered with the byte 0x7f" },
  { "other", "its process answered with the byte 0x78" },
  { "reason", "its process says: the gripper is stuck" },
  { "outside", "its process wrote \"count\" outside of its spec" },
  { "flag", "its process wrote 7 as the flag \"terminated\" of lane 0" },
  { "flood", "its process sent more than was asked for" },
};

/* The first message resets, the third steps all lanes for the second time. */
static void
test_end_names_the_fault (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    for (gint at = g_str_equal (ends[i][0], "flag") ? 3 : 1; at <= 3; at += 2)
      {
        g_autofree char *mode = g_strdup_printf ("%s %d", ends[i][0], at);
        g_autofree char *arguments = open_arguments (mode);
        g_autoptr (ReelEnv) env = open_env (mode, arguments);
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensordict) td = reel_env_rollout (env, 20, &steps, &error);

        g_test_message ("%s: %s", mode, error ? error->message : "no error");
        g_assert_null (td);
        g_assert_nonnull (strstr (error->message, "lane 0"));
        g_assert_nonnull (strstr (error->message, ends[i][1]));
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

static gint64
first_count (ReelEnv *env)
{
  g_autoptr (ReelTensordict) td = roll (env, 1);

  return *(const gint64 *) column (td, "count");
}

static void
assert_goes (gint64 pid)
{
  for (int i = 0; i < 1000 && !is_gone (pid); i++)
    g_usleep (10000);
  g_assert_true (is_gone (pid));
}

/* The process, one that it forked, and one that does not answer any more. */
static void
test_nothing_runs_after_the_env (void)
{
  static const char *const modes[] = { "pid", "fork" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      ReelEnv *env = open_env (modes[i], "");
      gint64 pid = first_count (env);

      g_assert_false (is_gone (pid));
      g_object_unref (env);
      assert_goes (pid);
      g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
    }
}

static gpointer
end_later (gpointer pid)
{
  g_usleep ((gulong) g_random_int_range (0, 3000));
  kill (GPOINTER_TO_INT (pid), g_random_boolean () ? SIGKILL : SIGABRT);
  return NULL;
}

/* A signal at any time is an error within the next step, never a hang and never rows. */
static void
test_any_signal_is_an_error (void)
{
  for (int i = 0; i < (g_test_slow () ? 10000 : 30); i++)
    {
      g_autoptr (ReelEnv) env = open_env ("pid", ",num-envs=2,timeout=20");
      gint64 pid = first_count (env);
      GThread *thread = g_thread_new ("end", end_later, GINT_TO_POINTER ((gint) pid));
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_env_rollout (env, 1000000, &steps, &error));
      g_assert_nonnull (strstr (error->message, "ended its process"));
      g_thread_join (thread);
    }
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
}

static void
test_process_dies_with_its_parent (void)
{
  int ends_of_pipe[2];
  gint64 pid;
  pid_t parent;

  g_assert_cmpint (pipe (ends_of_pipe), ==, 0);
  parent = fork ();
  if (parent == 0)
    {
      g_autoptr (ReelEnv) env = open_env ("pid", "");

      pid = first_count (env);
      if (write (ends_of_pipe[1], &pid, sizeof pid) == sizeof pid)
        for (;;)
          pause ();
      _exit (1);
    }
  g_assert_cmpint (read (ends_of_pipe[0], &pid, sizeof pid), ==, sizeof pid);
  g_assert_false (is_gone (pid));
  kill (parent, SIGKILL);
  g_assert_cmpint (waitpid (parent, NULL, 0), ==, parent);
  assert_goes (pid);
  close (ends_of_pipe[0]);
  close (ends_of_pipe[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/envs/exec/rows-are-those-of-the-program", test_rows_are_those_of_the_program);
  g_test_add_func ("/envs/exec/env-holds-its-contract", test_env_holds_its_contract);
  g_test_add_func ("/envs/exec/lanes-step-alone", test_lanes_step_alone);
  g_test_add_func ("/envs/exec/processes-share-lanes", test_processes_share_lanes);
  g_test_add_func ("/envs/exec/long-seed-is-refused", test_long_seed_is_refused);
  g_test_add_func ("/envs/exec/setup-names-the-fault", test_setup_names_the_fault);
  g_test_add_func ("/envs/exec/command-names-the-fault", test_command_names_the_fault);
  g_test_add_func ("/envs/exec/files-start-no-program", test_files_start_no_program);
  g_test_add_func ("/envs/exec/end-names-the-fault", test_end_names_the_fault);
  g_test_add_func ("/envs/exec/nothing-runs-after-the-env", test_nothing_runs_after_the_env);
  g_test_add_func ("/envs/exec/any-signal-is-an-error", test_any_signal_is_an_error);
  g_test_add_func ("/envs/exec/process-dies-with-its-parent", test_process_dies_with_its_parent);
  return g_test_run ();
}
