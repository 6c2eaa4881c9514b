/* Worker processes that get a signal at any time: each is answered as on-error says, and nothing is
 * left behind. With -m slow there are 10,000 signals. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collecting.h"
#include "forked-children.h"
#include "fragile-env.h"

#define LANES 7
#define STEPS 60

static const ReelRolloutOptions steps = { .end = REEL_ROLLOUT_MAX_STEPS };
static const char *const reactions[] = { "fail", "restart", "drop" };

/* ---- one signal ---- */

/* A signal that a worker gets while its env is stepped. */
typedef struct
{
  const char *on_error;
  int n_workers;
  int number;
  gulong after; /* µs */
  atomic_int is_sent;
} Shot;

static gpointer
shoot (gpointer data)
{
  Shot *shot = data;
  g_autoptr (GArray) pids = NULL;

  g_usleep (shot->after);
  do
    {
      g_clear_pointer (&pids, g_array_unref);
      pids = forked_children (getpid ());
    }
  while (pids->len == 0);
  kill (g_array_index (pids, pid_t, shot->after % pids->len), shot->number);
  atomic_store (&shot->is_sent, TRUE);
  return NULL;
}

static ReelEnv *
open_env (const Shot *shot)
{
  /* The others have to answer too, on a machine that is busy. */
  g_autofree char *text = g_strdup_printf (
      "parallel:'Fragile-v0:num-envs=%d',kind=processes,workers=%d,on-error=%s,timeout=%d", LANES,
      shot->n_workers, shot->on_error, shot->number == SIGSTOP ? 1 : 60);

  return collecting_make (REEL_TYPE_ENV, text);
}

static const void *
column (ReelTensordict *td, const char *path)
{
  return reel_tensordict_get_tensor (td, path, NULL)->data;
}

/* find_lost: lanes whose episodes were cut, or whose stream is another one. */
static void
find_lost (ReelTensordict *td, gboolean *lost)
{
  const float *place = column (td, "place"), *next = column (td, "next/place");
  const float *reward = column (td, "next/reward");
  const guint8 *truncated = column (td, "next/truncated"), *done = column (td, "next/done");

  for (gint64 at = 0; at < STEPS * LANES; at++)
    {
      lost[at % LANES] |= truncated[at] || place[2 * at] >= 1000;
      if (truncated[at])
        g_assert_true (done[at] && reward[at] == 0 && isnan (next[2 * at]));
    }
}

static void
assert_others_equal (ReelTensordict *ours, ReelTensordict *expected, const gboolean *lost)
{
  for (gint64 lane = 0; lane < LANES; lane++)
    {
      g_autoptr (ReelTensordict) a = reel_tensordict_select_index (ours, 0, lane, NULL);
      g_autoptr (ReelTensordict) b = reel_tensordict_select_index (expected, 0, lane, NULL);

      g_assert_true (lost[lane] || reel_tensordict_equal (a, b));
    }
}

static void
assert_named (const GError *error, int number)
{
  const char *what = number == SIGKILL   ? "signal 9 (Killed) ended its worker process"
                     : number == SIGABRT ? "signal 6 (Aborted) ended its worker process"
                                         : "its worker process did not answer for 1 s";

  g_assert_nonnull (strstr (error->message, "could not be simulated in step "));
  g_assert_nonnull (strstr (error->message, what));
  g_assert_nonnull (strstr (error->message, "the seed of the lane was "));
}

/* roll: one rollout more, as it must be; whether the env goes on. */
static gboolean
roll (ReelEnv *env, ReelEnv *bare, const Shot *shot, gboolean *lost)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) expected = reel_env_rollout (bare, STEPS, &steps, NULL);
  g_autoptr (ReelTensordict) ours = reel_env_rollout (env, STEPS, &steps, &error);

  if (ours == NULL)
    {
      g_assert_cmpstr (shot->on_error, ==, "fail");
      assert_named (error, shot->number);
      return FALSE;
    }
  if (g_str_equal (shot->on_error, "drop"))
    find_lost (ours, lost);
  assert_others_equal (ours, expected, lost);
  return TRUE;
}

/* assert_answered: one worker was replaced, with its lanes; a stop may have been noticed of
 * several, where the machine had no time for the rest. */
static void
assert_answered (ReelEnv *env, const Shot *shot, const gboolean *lost)
{
  gint64 n = reel_env_get_n_restarts (env), n_lost = 0;
  gint64 share = (LANES + shot->n_workers - 1) / shot->n_workers;

  for (gint64 lane = 0; lane < LANES; lane++)
    n_lost += lost[lane];
  g_assert_cmpint (n, >=, 1);
  if (shot->number == SIGSTOP)
    return;
  g_assert_cmpint (n, ==, 1);
  if (g_str_equal (shot->on_error, "drop"))
    g_assert_true (n_lost == share || n_lost == LANES - (shot->n_workers - 1) * share);
}

static void
play (Shot *shot)
{
  g_autoptr (ReelEnv) env = open_env (shot);
  g_autoptr (ReelEnv) bare = collecting_make (REEL_TYPE_ENV, "Fragile-v0:num-envs=7");
  GThread *thread = g_thread_new ("shoots", shoot, shot);
  gboolean lost[LANES] = { 0 }, goes_on = TRUE;

  while (goes_on && !atomic_load (&shot->is_sent))
    goes_on = roll (env, bare, shot, lost);
  g_thread_join (thread);
  /* Nobody looked at a worker whose signal came behind its last answer. */
  goes_on = goes_on && roll (env, bare, shot, lost);
  if (!g_str_equal (shot->on_error, "fail"))
    {
      g_assert_true (goes_on);
      assert_answered (env, shot, lost);
    }
  else
    g_assert_false (goes_on || roll (env, bare, shot, lost));
}

/* ---- many ---- */

static guint
count_open (void)
{
  g_autoptr (GDir) files = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (files) != NULL)
    n++;
  return n;
}

/* count_mapped: mappings of this process with @name. */
static guint
count_mapped (const char *name)
{
  g_autofree char *maps = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  for (const char *at = maps; (at = strstr (at, name)) != NULL; at++)
    n++;
  return n;
}

/* Memory that workers share has no name, so that it ends with those who map it. */
#define SHARED "/dev/zero (deleted)"

static void
test_every_signal_is_answered (void)
{
  int n = g_test_slow () ? 10000 : 40, counts[3][3] = { 0 };
  guint n_open = count_open (), n_shared = count_mapped (SHARED);
  /* An answer to a stop takes the second of its deadline. */
  static const int numbers[] = { SIGKILL, SIGABRT, SIGSTOP };

  for (int i = 0; i < n; i++)
    {
      int which = i % 20 == 19 ? 2 : g_test_rand_int_range (0, 2);
      int how = i / 20 % 3 == 0 || which < 2 ? g_test_rand_int_range (0, 3) : i / 20 % 3;
      Shot shot = { .on_error = reactions[how],
                    .n_workers = g_test_rand_int_range (1, 5),
                    .number = numbers[which],
                    .after = (gulong) g_test_rand_int_range (0, 4000) };

      play (&shot);
      counts[which][how]++;
      forked_children_assert_none ();
      g_assert_cmpuint (count_mapped (SHARED), ==, n_shared);
      g_assert_cmpuint (count_mapped ("/dev/shm/"), ==, 0);
    }
  for (int which = 0; which < 3; which++)
    g_test_message ("signal %d: %d with fail, %d with restart, %d with drop", numbers[which],
                    counts[which][0], counts[which][1], counts[which][2]);
  g_assert_cmpuint (count_open (), ==, n_open);
}

/* A parent that is killed at any time takes its workers along. */
static void
test_workers_end_with_their_parent (void)
{
  int n = g_test_slow () ? 500 : 10;

  for (int i = 0; i < n; i++)
    {
      const Shot shot = { .on_error = reactions[i % 3], .n_workers = 3 };
      gulong after = (gulong) g_test_rand_int_range (0, 4000);
      g_autoptr (GArray) pids = NULL;
      pid_t parent = fork ();

      if (parent == 0)
        {
          g_autoptr (ReelEnv) env = open_env (&shot);

          for (;;)
            reel_tensordict_unref (reel_env_rollout (env, STEPS, &steps, NULL));
        }
      do
        {
          g_clear_pointer (&pids, g_array_unref);
          pids = forked_children (parent);
        }
      while (pids->len < 3);
      g_usleep (after);
      kill (parent, SIGKILL);
      g_assert_cmpint (waitpid (parent, NULL, 0), ==, parent);
      forked_children_await_end (pids);
    }
  forked_children_assert_none ();
}

int
main (int argc, char **argv)
{
  const struct rlimit none = { 0, 0 };

  setrlimit (RLIMIT_CORE, &none);
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_FRAGILE_ENV);
  g_test_add_func ("/envs/parallel/workers-end-with-their-parent",
                   test_workers_end_with_their_parent);
  g_test_add_func ("/envs/parallel/every-signal-is-answered", test_every_signal_is_answered);
  return g_test_run ();
}
