/* Rewards and flags of other keys, types and shapes, or none: the same data by steps, collectors,
 * threads, processes and after resuming. */
#include "collecting.h"

#include <string.h>

#define LANES 5
#define STEPS 40

static const struct
{
  const char *env; /* with LANES lanes */
  const char *chain;
} envs[] = {
  { "CartPole", "rename:in-keys=reward,out-keys=score" },
  { "CartPole", "rename:in-keys=[terminated,truncated],out-keys=[game_over,time_out]" },
  { "CartPole", "rename:in-keys=[done,terminated],out-keys=[end/done,end/terminated]" },
  { "CartPole", "select:keys=observation,keep-rewards=false" },
  { "CartPole", "frame-skip:frame-skip=2|rename:in-keys=reward,out-keys=score" },
  { "CartPole", "step-counter:max-steps=7,truncated-key=cut" },
  { "CartPole", "reward-sum:reward-spec=true" },
  { "Pendulum:max-episode-steps=9", "binarize-reward" },
  { "Pendulum:max-episode-steps=9",
    "reward-clipping:clamp-min=-2,clamp-max=0,out-keys=clipped|binarize-reward:out-keys=won" },
  { "Pendulum:max-episode-steps=9", "rename:in-keys=reward,out-keys=r/a|exclude:keys=truncated" },
};

static char *
make_text (gconstpointer data, const char *form)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autofree char *env = g_strdup_printf ("%s|%s", envs[i].env, envs[i].chain);

  if (form == NULL)
    return g_strdup_printf ("%s%snum-envs=%d|%s", envs[i].env,
                            strchr (envs[i].env, ':') ? "," : ":", LANES, envs[i].chain);
  return g_strdup_printf (form, env, env);
}

/* ---- one env ---- */

static void
test_is_sound (gconstpointer data)
{
  g_autofree char *text = make_text (data, NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (GError) error = NULL;

  reel_env_check (env, &error);
  g_assert_no_error (error);
}

/* Columns that a collector fills are those that one thread and steps by hand fill. */
static void
test_threads_and_kinds_are_alike (gconstpointer data)
{
  static const char *const forms[] = {
    "serial:num-envs=5,envs=['%s','%s']",
    "parallel:'%s',num-envs=5,workers=2",
    "parallel:'%s',num-envs=5,workers=2,kind=processes,on-error=restart",
  };
  g_autofree char *text = make_text (data, NULL);
  g_autoptr (ReelTensordict) one = collecting_collect (text, LANES, STEPS, 1);

  for (gint64 threads = 2; threads <= 3; threads++)
    {
      g_autoptr (ReelTensordict) ours = collecting_collect (text, LANES, STEPS, threads);

      g_assert_true (reel_tensordict_equal (ours, one));
    }
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *form = make_text (data, forms[i]);
      g_autoptr (ReelTensordict) ours = collecting_collect (form, LANES, STEPS, 2);

      g_assert_true (reel_tensordict_equal (ours, one));
    }
}

/* A rollout by the actions that a collector took has its rows. */
static void
test_rollouts_have_rows_of_collectors (gconstpointer data)
{
  g_autofree char *text = make_text (data, NULL);
  g_autoptr (ReelTensordict) rows = collecting_collect (text, LANES, STEPS, 1), ours = NULL;
  g_autoptr (ReelTensordict) actions =
      reel_tensordict_select_keys (rows, (const char *const[]){ "action", NULL }, TRUE, NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .actions = actions };
  g_autoptr (GError) error = NULL;

  ours = reel_env_rollout (env, STEPS, &options, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_remove (rows, "collector", NULL));
  g_assert_true (reel_tensordict_equal (ours, rows));
}

/* ---- runs ---- */

static void
collect (const char *env, ReelReplayBuffer *buffer, gint64 steps, gboolean resume,
         ReelCollectorStats *stats)
{
  g_autofree char *how =
      g_strdup_printf ("sync:frames-per-batch=%d,total-frames=%d,threads=2,resume=%s", 4 * LANES,
                       (int) steps * LANES, resume ? "true" : "false");
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (how, env, "random:seed=5", buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
  reel_collector_get_stats (collector, stats);
}

static void
test_runs_go_on (gconstpointer data)
{
  g_autofree char *text = make_text (data, NULL);
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", STEPS * LANES, 2);
  ReelCollectorStats stats, first, second;

  collect (text, whole, STEPS, FALSE, &stats);
  for (gint64 cut = 1; cut < STEPS; cut += 6)
    {
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", STEPS * LANES, 2);
      g_autoptr (ReelTensordict) rows = NULL, others = NULL;

      collect (text, parts, cut, FALSE, &first);
      collect (text, parts, STEPS - cut, TRUE, &second);
      rows = reel_replay_buffer_get_all (whole, NULL);
      others = reel_replay_buffer_get_all (parts, NULL);
      g_assert_true (reel_tensordict_equal (rows, others));
      g_assert_cmpint (first.episodes + second.episodes, ==, stats.episodes);
      g_assert_cmpfloat_with_epsilon (first.return_sum + second.return_sum, stats.return_sum, 1e-6);
    }
}

/* ---- what counts, whether it is shown or not ---- */

static void
get_stats (const char *env, ReelCollectorStats *stats)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", STEPS * LANES, 2);

  collect (env, buffer, STEPS, FALSE, stats);
}

static void
test_hidden_ones_count (void)
{
  static const char *const chains[] = {
    "rename:in-keys=reward,out-keys=score",     "select:keys=observation,keep-rewards=false",
    "select:keys=observation,keep-dones=false", "binarize-reward", /* each is 1 */
    "exclude:keys=[terminated,truncated]",
  };
  ReelCollectorStats bare, stats;

  get_stats ("CartPole:num-envs=5", &bare);
  g_assert_cmpint (bare.episodes, >, 3);
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree char *text = g_strconcat ("CartPole:num-envs=5|", chains[i], NULL);

      get_stats (text, &stats);
      g_assert_cmpmem (&stats, sizeof stats, &bare, sizeof bare);
    }
}

/* Skipped frames count, too, where their reward has no key. */
static void
test_hidden_sums_count (void)
{
  ReelCollectorStats shown, hidden;

  get_stats ("Pendulum:num-envs=5,max-episode-steps=9|frame-skip:frame-skip=2", &shown);
  get_stats ("Pendulum:num-envs=5,max-episode-steps=9|select:keys=observation,keep-rewards=false|"
             "frame-skip:frame-skip=2",
             &hidden);
  g_assert_cmpmem (&hidden, sizeof hidden, &shown, sizeof shown);
}

static void
test_last_step_is_truncated (void)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .set_truncated = TRUE };
  g_autoptr (ReelEnv) without = collecting_make (REEL_TYPE_ENV, "CartPole|exclude:keys=truncated");
  g_autoptr (ReelEnv) nested = collecting_make (
      REEL_TYPE_ENV, "CartPole|rename:in-keys=[done,truncated],out-keys=[end/done,end/truncated]");
  g_autoptr (ReelTensordict) td = reel_env_rollout (nested, 3, &options, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_tensordict_get_tensor (td, "next/end/done", NULL)->data[2], ==, TRUE);
  g_assert_cmpint (reel_tensordict_get_tensor (td, "next/end/truncated", NULL)->data[2], ==, TRUE);
  g_assert_cmpint (reel_tensordict_get_tensor (td, "next/terminated", NULL)->data[2], ==, FALSE);
  g_assert_null (reel_env_rollout (without, 3, &options, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "\"truncated\""));
}

typedef struct
{
  const char *name;
  void (*run) (gconstpointer data);
} Test;

int
main (int argc, char **argv)
{
  static const Test tests[] = {
    { "is-sound", test_is_sound },
    { "threads-and-kinds-are-alike", test_threads_and_kinds_are_alike },
    { "rollouts-have-rows-of-collectors", test_rollouts_have_rows_of_collectors },
    { "runs-go-on", test_runs_go_on },
  };

  g_test_init (&argc, &argv, NULL);
  reel_init ();

  for (gsize t = 0; t < G_N_ELEMENTS (tests); t++)
    for (gsize i = 0; i < G_N_ELEMENTS (envs); i++)
      {
        g_autofree char *path =
            g_strdup_printf ("/envs/results/%s/%" G_GSIZE_FORMAT, tests[t].name, i);

        g_test_add_data_func (path, GSIZE_TO_POINTER (i), tests[t].run);
      }
  g_test_add_func ("/envs/results/hidden-ones-count", test_hidden_ones_count);
  g_test_add_func ("/envs/results/hidden-sums-count", test_hidden_sums_count);
  g_test_add_func ("/envs/results/last-step-is-truncated", test_last_step_is_truncated);

  return g_test_run ();
}
