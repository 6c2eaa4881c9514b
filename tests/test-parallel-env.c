/* Lanes on worker threads and processes are those of the env alone, whatever becomes of a worker,
 * and no process is left behind. */
#include "collecting.h"
#include "forked-children.h"
#include "fragile-env.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANES 7
#define STEPS 60

/* The kind of the workers, with their number. */
static const char *const workers[] = {
  "workers=1",
  "workers=3",
  "kind=processes,workers=1",
  "kind=processes,workers=2",
  "kind=processes,workers=9,on-error=restart",
};

static const ReelRolloutOptions steps = { .end = REEL_ROLLOUT_MAX_STEPS };

static ReelEnv *
open_fragile (const char *arguments)
{
  g_autofree char *text = g_strdup_printf (
      "parallel:'Fragile-v0:num-envs=%d',kind=processes,workers=3%s", LANES, arguments);

  return collecting_make (REEL_TYPE_ENV, text);
}

static ReelTensordict *
roll_text (const char *text, gint64 n_steps)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (GError) error = NULL;
  ReelTensordict *data = reel_env_rollout (env, n_steps, &steps, &error);

  g_assert_no_error (error);
  return data;
}

/* ---- the same bytes ---- */

static const char *const envs[] = {
  "CartPole",
  "Pendulum:max-episode-steps=9",
  "CartPole|cat-frames:n=3,dim=-1,in-keys=observation,out-keys=last|reward-sum",
  "Acrobot|frame-skip:frame-skip=2",
  "serial:num-envs=7,envs=[MountainCar,''MountainCar:max-episode-steps=5'']",
  "CartPole:from-pixels=true,width=40,height=30",
  "parallel:''Fragile-v0'',workers=2",
};

static void
test_data_are_those_of_the_env (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (envs); i++)
    {
      g_autoptr (ReelTensordict) expected = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (workers); k++)
        for (gint64 threads = 1; threads <= 3; threads += 2)
          {
            g_autofree char *text =
                g_strdup_printf ("parallel:'%s',num-envs=%d,%s", envs[i], LANES, workers[k]);
            g_autofree char *bare = g_strdup_printf ("parallel:'%s',num-envs=%d", envs[i], LANES);
            g_autoptr (ReelEnv) whole = collecting_make (REEL_TYPE_ENV, bare);
            g_autofree char *inner = reel_object_to_text (
                REEL_OBJECT (reel_parallel_env_get_env (REEL_PARALLEL_ENV (whole))));
            g_autoptr (ReelTensordict) ours = collecting_collect (text, LANES, STEPS, threads);

            if (expected == NULL)
              expected = collecting_collect (inner, LANES, STEPS, 1);
            g_test_message ("%s, %s", text, inner);
            g_assert_true (reel_tensordict_equal (ours, expected));
          }
    }
}

/* A rollout steps all lanes in one call; those that are done are reset by themselves. */
static void
test_rollouts_are_those_of_the_env (void)
{
  static const char *const kinds[] = { "", ",kind=processes", ",kind=processes,on-error=restart" };
  g_autoptr (ReelTensordict) expected = roll_text ("Fragile-v0:num-envs=7", STEPS);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("parallel:Fragile-v0,num-envs=7,workers=3%s", kinds[i]);
      g_autofree char *outside = g_strconcat (text, "|step-counter", NULL);
      g_autofree char *inside =
          g_strdup_printf ("parallel:'Fragile-v0|step-counter',num-envs=7,workers=2%s", kinds[i]);
      g_autoptr (ReelTensordict) ours = roll_text (text, STEPS);
      g_autoptr (ReelTensordict) behind = roll_text (outside, STEPS);
      g_autoptr (ReelTensordict) before = roll_text (inside, STEPS);

      g_assert_true (reel_tensordict_equal (ours, expected));
      g_assert_true (reel_tensordict_equal (behind, before));
    }
}

static void
test_env_holds_its_contract (void)
{
  static const char *const texts[] = { "parallel:CartPole,num-envs=5",
                                       "parallel:CartPole,num-envs=5,kind=processes,workers=2",
                                       "parallel:Fragile-v0,num-envs=3,kind=processes,"
                                       "on-error=restart" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, texts[i]);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_env_check (env, &error));
      g_assert_no_error (error);
      g_assert_true (reel_env_has_state (env));
    }
}

/* Seeds before the processes start, and after. */
static void
test_seeds_reach_processes (void)
{
  static const guint32 seed[] = { 5, 0, 2 };
  g_autoptr (ReelEnv) ours = open_fragile ("");
  g_autoptr (ReelEnv) bare = collecting_make (REEL_TYPE_ENV, "Fragile-v0:num-envs=7");

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (ReelTensordict) a = NULL, b = NULL;

      reel_env_seed (ours, seed, (gsize) i + 1);
      reel_env_seed (bare, seed, (gsize) i + 1);
      g_assert_cmpint (reel_env_get_elapsed (ours, 6), ==, -1);
      a = reel_env_rollout (ours, 20, &steps, NULL);
      b = reel_env_rollout (bare, 20, &steps, NULL);
      g_assert_true (reel_tensordict_equal (a, b));
      g_assert_cmpint (reel_env_get_elapsed (ours, 6), ==, reel_env_get_elapsed (bare, 6));
    }
}

/* A state of the env alone is one of its lane here, and the other way round. */
static void
test_states_are_those_of_the_env (void)
{
  for (int kept = 0; kept < 2; kept++)
    {
      g_autoptr (ReelEnv) ours = open_fragile (kept ? ",on-error=restart" : "");
      g_autoptr (ReelEnv) bare = collecting_make (REEL_TYPE_ENV, "Fragile-v0:num-envs=7");
      gsize size = reel_env_get_state_size (ours);
      g_autofree gpointer a = g_malloc (size), b = g_malloc (size);
      g_autoptr (ReelTensordict) first = reel_env_rollout (ours, 11, &steps, NULL);

      g_assert_cmpuint (size, ==, reel_env_get_state_size (bare));
      for (gint64 lane = 0; lane < LANES; lane++)
        {
          reel_env_get_state (ours, lane, a);
          reel_env_set_state (bare, (lane + 2) % LANES, a);
          reel_env_get_state (bare, (lane + 2) % LANES, b);
          g_assert_cmpmem (a, size, b, size);
        }
      for (gint64 lane = 0; lane < LANES; lane++)
        {
          reel_env_get_state (bare, lane, a);
          reel_env_set_state (ours, lane, a);
          reel_env_get_state (ours, lane, b);
          g_assert_cmpmem (a, size, b, size);
          g_assert_cmpint (reel_env_get_elapsed (ours, lane), ==,
                           reel_env_get_elapsed (bare, lane));
        }
      g_assert_true (reel_env_check_faults (ours, NULL));
    }
}

static void
test_picture_is_that_of_the_lane (void)
{
  static const char *const texts[] = { "CartPole:num-envs=3", "parallel:'CartPole:num-envs=3'",
                                       "parallel:'CartPole:num-envs=3',kind=processes,workers=2" };
  guint8 pictures[3][3][40 * 60 * 3];

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, texts[i]);
      g_autoptr (ReelTensordict) data = NULL;

      g_assert_true (reel_env_prepare_frames (env, 60, 40, NULL));
      data = reel_env_rollout (env, 9, &steps, NULL);
      for (gint64 lane = 0; lane < 3; lane++)
        reel_env_render_lane (env, lane, 60, 40, pictures[i][lane]);
      g_assert_cmpmem (pictures[i], sizeof pictures[i], pictures[0], sizeof pictures[0]);
    }
  g_assert_cmpint (memcmp (pictures[0][0], pictures[0][1], sizeof pictures[0][0]), !=, 0);
}

/* ---- what is refused ---- */

static const char *const refusals[][2] = {
  { "parallel", "parallel needs an environment, as in parallel:'HalfCheetah'" },
  { "parallel:CartPol", "did you mean \"CartPole" },
  { "parallel:CartPole,workers=2000", "workers" },
  { "parallel:CartPole,on-error=restart", "set kind=processes" },
  { "parallel:'parallel:CartPole,kind=processes|step-counter',kind=processes",
    "its lanes are in worker processes already; use kind=threads" },
  { "parallel:CartPole,kind=process", "\"processes\"" },
};

static void
test_refusals_name_the_fault (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, refusals[i][0], &error, NULL));
      g_test_message ("%s: %s", refusals[i][0], error->message);
      g_assert_nonnull (strstr (error->message, refusals[i][1]));
    }
}

static void
test_program_is_not_forked (void)
{
  g_autofree char *child = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);
  g_autofree char *text = g_strdup_printf ("exec:'\"%s\" good'", child);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (GError) error = NULL;

  g_assert_null (
      reel_parallel_env_new (env, REEL_PARALLEL_PROCESSES, 2, REEL_ON_ERROR_FAIL, &error));
  g_assert_nonnull (strstr (error->message, "use kind=threads"));
}

/* ---- workers that fail where they are told to ---- */

static const struct
{
  FragileHow how;
  const char *what;
} ways[] = {
  { FRAGILE_ABORT, "signal 6 (Aborted) ended its worker process" },
  { FRAGILE_EXIT, "its worker process exited with status 7" },
  { FRAGILE_HANG, "its worker process did not answer for 1 s" },
};

/* Lane 4 is in the second process, of lanes 3 to 5. */
static void
test_end_names_lane_step_and_seed (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (ReelEnv) env = open_fragile (ways[i].how == FRAGILE_HANG ? ",timeout=1" : "");
      g_autoptr (GError) error = NULL, again = NULL;

      fragile_env_break (ways[i].how, 4, 3);
      g_assert_null (reel_env_rollout (env, STEPS, &steps, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "lane 3 could not be simulated in step 3"));
      g_assert_nonnull (strstr (error->message, ways[i].what));
      g_assert_nonnull (strstr (error->message, "the seed of the lane was 3"));
      g_assert_null (reel_env_rollout (env, STEPS, &steps, &again));
      g_assert_nonnull (strstr (again->message, ways[i].what));
      fragile_env_break (FRAGILE_NOWHERE, 0, 0);
    }
}

/* The error of a lane is that of the env alone. */
static void
test_fault_is_that_of_the_env (void)
{
  static const char *const texts[] = { "Fragile-v0:num-envs=7", "parallel:Fragile-v0,num-envs=7",
                                       "parallel:Fragile-v0,num-envs=7,kind=processes,workers=3" };

  fragile_env_break (FRAGILE_REPORT, 4, 3);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, texts[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_env_rollout (env, STEPS, &steps, &error));
      g_assert_cmpstr (error->message, ==,
                       "Fragile-v0: lane 4 could not be simulated in step 3 of its episode: it was "
                       "told to");
    }
  fragile_env_break (FRAGILE_NOWHERE, 0, 0);
}

/* One that fails at the same place each time is not restarted for ever. */
static void
test_restart_gives_up_at_the_second_end (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (ReelEnv) env = open_fragile (",on-error=restart");
      g_autoptr (GError) error = NULL;

      fragile_env_break (i ? FRAGILE_ABORT_RESET : FRAGILE_ABORT, 4, 2);
      g_assert_null (reel_env_rollout (env, STEPS, &steps, &error));
      g_assert_nonnull (strstr (error->message, "twice in the same place: signal 6"));
      g_assert_cmpint (reel_env_get_n_restarts (env), ==, 1);
      fragile_env_break (FRAGILE_NOWHERE, 0, 0);
    }
}

static const void *
column (ReelTensordict *td, const char *path)
{
  g_autoptr (GError) error = NULL;
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, &error);

  g_assert_no_error (error);
  return tensor->data;
}

/* The lanes of the process are cut at the step, and begin anew; the others are as ever. */
static void
test_drop_cuts_episodes (void)
{
  g_autoptr (ReelEnv) env = open_fragile (",on-error=drop");
  g_autoptr (ReelTensordict) expected = roll_text ("Fragile-v0:num-envs=7", STEPS);
  g_autoptr (ReelTensordict) ours = NULL;
  g_autoptr (GError) error = NULL;

  fragile_env_break (FRAGILE_ABORT, 4, 3);
  ours = reel_env_rollout (env, STEPS, &steps, &error);
  g_assert_no_error (error);
  fragile_env_break (FRAGILE_NOWHERE, 0, 0);

  const float *place = column (ours, "place"), *next = column (ours, "next/place");
  const float *as_ever = column (expected, "place"), *reward = column (ours, "next/reward");
  const gint64 *count = column (ours, "count"), *next_count = column (ours, "next/count");
  const guint8 *truncated = column (ours, "next/truncated"), *done = column (ours, "next/done");
  const guint8 *terminated = column (ours, "next/terminated");

  for (gint64 step = 0; step < STEPS; step++)
    for (gint64 lane = 0; lane < LANES; lane++)
      {
        gint64 row = step * LANES + lane;
        gboolean dropped = 3 <= lane && lane <= 5;

        g_assert_cmpint (truncated[row], ==, dropped && step == 2);
        if (!dropped)
          g_assert_cmpfloat (place[2 * row], ==, as_ever[2 * row]);
        else if (step > 2)
          g_assert_cmpfloat (place[2 * row], ==, (float) (1000 + lane));
        if (!truncated[row])
          continue;
        g_assert_true (isnan (next[2 * row]) && isnan (next[2 * row + 1]));
        g_assert_cmpint (next_count[row], ==, -1);
        g_assert_cmpfloat (reward[row], ==, 0);
        g_assert_true (done[row] && !terminated[row]);
        g_assert_cmpint (count[row + LANES], ==, 0);
      }
  g_assert_cmpint (reel_env_get_n_restarts (env), ==, 1);
}

/* An end in the reset of a lane loses the episodes of its neighbours, which their next steps say;
 * the lane that was reset begins like any. */
static void
test_drop_in_a_reset_cuts_the_neighbours (void)
{
  g_autoptr (ReelEnv) env = open_fragile (",on-error=drop");
  g_autoptr (ReelTensordict) ours = NULL;
  g_autoptr (GError) error = NULL;

  fragile_env_break (FRAGILE_ABORT_RESET, 4, 2);
  ours = reel_env_rollout (env, STEPS, &steps, &error);
  g_assert_no_error (error);
  fragile_env_break (FRAGILE_NOWHERE, 0, 0);

  const gint64 *count = column (ours, "count"), *next_count = column (ours, "next/count");
  const guint8 *truncated = column (ours, "next/truncated"), *done = column (ours, "next/done");

  for (gint64 step = 0; step < STEPS; step++)
    for (gint64 lane = 0; lane < LANES; lane++)
      {
        gint64 row = step * LANES + lane;

        g_assert_cmpint (next_count[row], ==, truncated[row] ? -1 : count[row] + 1);
        if (step + 1 < STEPS)
          g_assert_cmpint (count[row + LANES], ==, done[row] ? 0 : next_count[row]);
        gboolean reset = step > 0 && done[row - LANES];
        gboolean lost = step > 0 && (lane == 3 || lane == 5) && done[row - lane - LANES + 4];

        g_assert_cmpint (truncated[row], ==, lost && !reset);
      }
  /* Each time that lane 4 ends, after 11 steps. */
  g_assert_cmpint (reel_env_get_n_restarts (env), ==, 5);
}

/* ---- signals at any time ---- */

static gpointer
end_later (gpointer unused)
{
  static const int signals[] = { SIGKILL, SIGABRT, SIGSEGV };
  g_autoptr (GArray) pids = NULL;

  (void) unused;
  g_usleep ((gulong) g_random_int_range (0, 3000));
  pids = forked_children (getpid ());
  if (pids->len > 0)
    kill (g_array_index (pids, pid_t, g_random_int_range (0, (gint) pids->len)),
          signals[g_random_int_range (0, G_N_ELEMENTS (signals))]);
  return NULL;
}

/* Whenever a process ends, the data are those of a run in which none did. */
static void
test_restart_repeats_the_step (void)
{
  gint64 n = 40, n_restarts = 0;
  g_autoptr (ReelTensordict) expected = roll_text ("Fragile-v0:num-envs=7", 300);

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelEnv) env = open_fragile (",on-error=restart,timeout=30");
      GThread *thread = g_thread_new ("end", end_later, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) ours = reel_env_rollout (env, 300, &steps, &error);

      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (ours, expected));
      g_thread_join (thread);
      n_restarts += reel_env_get_n_restarts (env);
    }
  g_test_message ("%" G_GINT64_FORMAT " processes of %" G_GINT64_FORMAT " were restarted",
                  n_restarts, n);
  forked_children_assert_none ();
}

static void
test_stopped_process_is_replaced (void)
{
  g_autoptr (ReelEnv) env = open_fragile (",on-error=restart,timeout=1");
  g_autoptr (ReelEnv) bare = collecting_make (REEL_TYPE_ENV, "Fragile-v0:num-envs=7");
  g_autoptr (ReelTensordict) first = reel_env_rollout (env, 1, &steps, NULL);
  g_autoptr (ReelTensordict) same = reel_env_rollout (bare, 1, &steps, NULL);
  g_autoptr (ReelTensordict) ours = NULL, expected = NULL;
  g_autoptr (GArray) pids = forked_children (getpid ());
  g_autoptr (GError) error = NULL;
  static const guint32 zero[] = { 0 };

  g_assert_cmpuint (pids->len, ==, 3);
  kill (g_array_index (pids, pid_t, 1), SIGSTOP);
  reel_env_seed (env, zero, 1);
  reel_env_seed (bare, zero, 1);
  expected = reel_env_rollout (bare, 20, &steps, NULL);
  ours = reel_env_rollout (env, 20, &steps, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (ours, expected));
  g_assert_cmpint (reel_env_get_n_restarts (env), ==, 1);
}

/* ---- nothing is left behind ---- */

static void
test_nothing_runs_after_the_env (void)
{
  ReelEnv *env = open_fragile ("");
  g_autoptr (ReelTensordict) data = reel_env_rollout (env, 3, &steps, NULL);
  g_autoptr (GArray) before = forked_children (getpid ()), after = NULL;

  g_assert_cmpuint (before->len, ==, 3);
  g_object_unref (env);
  after = forked_children (getpid ());
  g_assert_cmpuint (after->len, ==, 0);
  forked_children_assert_none ();
}

/* One worker hangs in its step meanwhile. */
static void
test_processes_die_with_their_parent (void)
{
  g_autoptr (GArray) pids = NULL;
  pid_t parent = fork ();

  if (parent == 0)
    {
      g_autoptr (ReelEnv) env = open_fragile ("");
      g_autoptr (ReelTensordict) data = NULL;

      fragile_env_break (FRAGILE_HANG, 4, 3);
      data = reel_env_rollout (env, 10, &steps, NULL);
      _exit (1);
    }
  for (int i = 0; i < 1000; i++)
    {
      g_clear_pointer (&pids, g_array_unref);
      pids = forked_children (parent);
      if (pids->len == 3)
        break;
      g_usleep (10000);
    }
  g_assert_cmpuint (pids->len, ==, 3);
  kill (parent, SIGKILL);
  g_assert_cmpint (waitpid (parent, NULL, 0), ==, parent);
  forked_children_await_end (pids);
}

static gpointer
begin_in_thread (gpointer unused)
{
  ReelEnv *env = open_fragile ("");
  g_autoptr (ReelTensordict) data = reel_env_rollout (env, 3, &steps, NULL);

  (void) unused;
  g_assert_nonnull (data);
  return env;
}

/* The system kills children when the thread that forked them ends: that is not the caller's. */
static void
test_processes_outlive_the_thread (void)
{
  g_autoptr (ReelEnv) env = g_thread_join (g_thread_new ("begins", begin_in_thread, NULL));
  g_autoptr (ReelTensordict) data = NULL;
  g_autoptr (GError) error = NULL;

  g_usleep (50000);
  data = reel_env_rollout (env, 3, &steps, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_FRAGILE_ENV);
#define TEST(name, function) g_test_add_func ("/envs/parallel/" name, function)
  TEST ("data-are-those-of-the-env", test_data_are_those_of_the_env);
  TEST ("rollouts-are-those-of-the-env", test_rollouts_are_those_of_the_env);
  TEST ("env-holds-its-contract", test_env_holds_its_contract);
  TEST ("seeds-reach-processes", test_seeds_reach_processes);
  TEST ("states-are-those-of-the-env", test_states_are_those_of_the_env);
  TEST ("picture-is-that-of-the-lane", test_picture_is_that_of_the_lane);
  TEST ("refusals-name-the-fault", test_refusals_name_the_fault);
  TEST ("program-is-not-forked", test_program_is_not_forked);
  TEST ("end-names-lane-step-and-seed", test_end_names_lane_step_and_seed);
  TEST ("fault-is-that-of-the-env", test_fault_is_that_of_the_env);
  TEST ("restart-gives-up-at-the-second-end", test_restart_gives_up_at_the_second_end);
  TEST ("drop-cuts-episodes", test_drop_cuts_episodes);
  TEST ("drop-in-a-reset-cuts-the-neighbours", test_drop_in_a_reset_cuts_the_neighbours);
  TEST ("restart-repeats-the-step", test_restart_repeats_the_step);
  TEST ("stopped-process-is-replaced", test_stopped_process_is_replaced);
  TEST ("nothing-runs-after-the-env", test_nothing_runs_after_the_env);
  TEST ("processes-die-with-their-parent", test_processes_die_with_their_parent);
  TEST ("processes-outlive-the-thread", test_processes_outlive_the_thread);
#undef TEST
  return g_test_run ();
}
