/* A run that goes on where it ended gives the rows of one that never stopped. */
#include "collecting.h"
#include "counting-env.h"
#include "env-text.h"
#include "masked-env.h"

#include <string.h>

#define LANES 3
#define STEPS 16

static ReelCollector *
begin (const char *env, ReelReplayBuffer *buffer, gint64 steps, gint64 threads, gboolean resume)
{
  g_autofree char *how =
      g_strdup_printf ("sync:frames-per-batch=%d,total-frames=%d,threads=%d,resume=%s", 4 * LANES,
                       (int) steps * LANES, (int) threads, resume ? "true" : "false");

  return collecting_make_collector (how, env, "random:seed=5", buffer);
}

static void
run (const char *env, ReelReplayBuffer *buffer, gint64 steps, gint64 threads, gboolean resume,
     ReelCollectorStats *stats)
{
  g_autoptr (ReelCollector) collector = begin (env, buffer, steps, threads, resume);

  while (collecting_next (collector, NULL) > 0)
    ;
  reel_collector_get_stats (collector, stats);
}

static void
assert_same_rows (ReelReplayBuffer *one, ReelReplayBuffer *other)
{
  ReelStorageView view, there;
  g_autoptr (GError) error = NULL;

  reel_storage_get_view (reel_replay_buffer_get_storage (one), &view);
  reel_storage_get_view (reel_replay_buffer_get_storage (other), &there);
  g_assert_cmpmem (&view, sizeof view, &there, sizeof there);
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_numbered_rows (
      one, view.first_row, view.end_row - view.first_row, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensordict) others = reel_replay_buffer_get_numbered_rows (
      other, view.first_row, view.end_row - view.first_row, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (rows, others));
}

/* The counts of two parts of a run are those of the whole. */
static void
assert_same_stats (const ReelCollectorStats *whole, const ReelCollectorStats *first,
                   const ReelCollectorStats *second)
{
  g_assert_cmpint (first->frames + second->frames, ==, whole->frames);
  g_assert_cmpint (first->episodes + second->episodes, ==, whole->episodes);
  g_assert_cmpint (first->length_sum + second->length_sum, ==, whole->length_sum);
  g_assert_cmpfloat_with_epsilon (first->return_sum + second->return_sum, whole->return_sum, 1e-6);
  g_assert_cmpfloat (MIN (first->return_min, second->return_min), ==, whole->return_min);
  g_assert_cmpfloat (MAX (first->return_max, second->return_max), ==, whole->return_max);
}

/* Ended after any number of steps, none and all included. */
static void
check_cuts (const char *env, gint64 capacity)
{
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", capacity * LANES, 2);
  ReelCollectorStats stats, first, second;

  run (env, whole, STEPS, 1, FALSE, &stats);
  for (gint64 cut = 0; cut <= STEPS; cut++)
    {
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", capacity * LANES, 2);

      run (env, parts, cut, 1, FALSE, &first);
      run (env, parts, STEPS - cut, 2, TRUE, &second);
      assert_same_rows (whole, parts);
      assert_same_stats (&stats, &first, &second);
    }
}

static void
test_all (gconstpointer id)
{
  g_autofree char *text = env_text (id, "num-envs=3,seed=11,max-episode-steps=7");

  check_cuts (text, STEPS);
}

static void
test_mock (gconstpointer id)
{
  g_autofree char *text = g_strconcat (id, ",num-envs=3", NULL);

  check_cuts (text, STEPS);
}

/* Chains whose states follow from more than the last episodes. */
static void
test_chain (gconstpointer text)
{
  check_cuts (text, STEPS);
  if (!strstr (text, "stateful=false"))
    check_cuts (text, 3); /* a ring of less than an episode */
}

/* In a ring that has begun to overwrite, where it holds the last episode of every lane: at most 7
 * steps. */
static void
test_ring (void)
{
  for (gint64 capacity = 7; capacity < STEPS; capacity++)
    check_cuts ("CartPole-v1:num-envs=3,seed=11,max-episode-steps=7", capacity);
}

/* Stopped again and again. */
static void
test_many_times (void)
{
  const char *env = "Acrobot-v1:num-envs=3,seed=11,max-episode-steps=7";
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", STEPS * LANES, 2);
  g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", STEPS * LANES, 2);
  ReelCollectorStats stats;

  run (env, whole, STEPS, 1, FALSE, &stats);
  for (gint64 step = 0; step < STEPS; step++)
    run (env, parts, 1, 1, TRUE, &stats);
  assert_same_rows (whole, parts);
}

/* Appends what ended in the next @steps to @episodes. */
static void
list_episodes (const char *env, ReelReplayBuffer *buffer, gint64 steps, GArray *episodes)
{
  g_autofree char *how = g_strdup_printf (
      "sync:total-frames=%d,resume=true,list-episodes=true,threads=2", (int) steps * LANES);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (how, env, "random:seed=5", buffer);

  while (collecting_next (collector, NULL) > 0)
    {
      gsize n;
      const ReelCollectorEpisode *ended = reel_collector_get_episodes (collector, &n);

      g_array_append_vals (episodes, ended, (guint) n);
    }
}

/* The list of a run that stopped is that of one that did not. */
static void
test_episodes (void)
{
  const char *env = "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7";
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", STEPS * LANES, 2);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));

  list_episodes (env, whole, STEPS, all);
  g_assert_cmpint (all->len, >=, 2 * LANES);
  for (gint64 cut = 0; cut <= STEPS; cut++)
    {
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", STEPS * LANES, 2);
      g_autoptr (GArray) episodes = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));

      list_episodes (env, parts, cut, episodes);
      list_episodes (env, parts, STEPS - cut, episodes);
      g_assert_cmpmem (episodes->data, episodes->len * sizeof (ReelCollectorEpisode), all->data,
                       all->len * sizeof (ReelCollectorEpisode));
    }
}

static void
test_one_lane (void)
{
  const char *env = "CartPole-v1:seed=11";
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", 90, 1);
  g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", 90, 1);
  ReelCollectorStats stats;

  run (env, whole, 30, 1, FALSE, &stats);
  for (gint64 third = 0; third < 3; third++)
    run (env, parts, 10, 1, TRUE, &stats);
  assert_same_rows (whole, parts);
}

static void
test_pixels (void)
{
  check_cuts ("CartPole-v1:num-envs=3,max-episode-steps=5,from-pixels=true,width=9,height=6",
              STEPS);
  check_cuts ("CartPole-v1:num-envs=3,max-episode-steps=5,from-pixels=true,pixels-only=true,"
              "width=9,height=6",
              STEPS);
}

/* ---- what cannot go on ---- */

static void
expect_error (const char *env, ReelReplayBuffer *buffer, int code, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) the_env = collecting_make (REEL_TYPE_ENV, env);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random:seed=5");
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:resume=true", the_env, policy, buffer, &error);

  g_assert_null (collector);
  g_assert_error (error, REEL_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("\"%s\" is not as %s", error->message, pattern);
}

/* A ring goes on where it holds the last episode of every lane whole, else it says that it does
 * not. No episode of these ends before its limit. */
static void
test_overwritten (void)
{
  const char *env = "Pendulum-v1:num-envs=3,max-episode-steps=7";

  for (gint64 capacity = 1; capacity < 9; capacity++)
    for (gint64 steps = 1; steps <= STEPS; steps++)
      {
        g_autoptr (ReelReplayBuffer) ring = collecting_make_buffer ("tensor", capacity * LANES, 2);
        ReelCollectorStats stats;

        run (env, ring, steps, 1, FALSE, &stats);
        if ((steps - 1) % 7 < capacity)
          run (env, ring, 1, 1, TRUE, &stats);
        else
          expect_error (env, ring, REEL_ERROR_RUNTIME,
                        "environment 0 cannot continue*no more than the end of its episode*");
      }
}

static void
test_other_run (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", STEPS * LANES, 2);
  ReelCollectorStats stats;

  run ("CartPole-v1:num-envs=3,seed=11", buffer, 10, 1, FALSE, &stats);
  g_autofree char *before = reel_replay_buffer_dup_info (buffer, "env");
  expect_error ("CartPole-v1:num-envs=3,seed=11,gravity=9", buffer, REEL_ERROR_RUNTIME,
                "environment 0 cannot continue*");
  expect_error ("Acrobot-v1:num-envs=3,seed=11", buffer, REEL_ERROR_VALUE, "*");
  g_autofree char *after = reel_replay_buffer_dup_info (buffer, "env");
  g_assert_cmpstr (before, ==, after);
  run ("CartPole-v1:num-envs=3,seed=11", buffer, 1, 1, TRUE, &stats);
}

static void
test_nowhere (void)
{
  g_autoptr (ReelReplayBuffer) list = collecting_make_buffer ("list", 10, 1);

  expect_error ("CartPole-v1", NULL, REEL_ERROR_VALUE, "resume=true needs a buffer*");
  expect_error ("CartPole-v1", list, REEL_ERROR_VALUE, "resume=true needs a buffer*");
}

/* A program keeps its state to itself. */
static void
test_no_state (void)
{
  g_autofree char *text = env_text ("exec", "num-envs=3,seed=11,max-episode-steps=7");
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", STEPS * LANES, 2);
  ReelCollectorStats stats;

  run (text, buffer, 5, 1, FALSE, &stats);
  expect_error (text, buffer, REEL_ERROR_NOT_IMPLEMENTED,
                "*the program that simulates exec does not save states: begin a run in another "
                "directory*");
}

int
main (int argc, char **argv)
{
  static const char *const mocks[] = { "NestedCounting:agents=3,max-steps=[2],max-episode-steps=6",
                                       "NestedCounting:agents=1,max-steps=[1]",
                                       "AutoResettingCounting:max-steps=[1]", "Masked:seed=0" };
  static const char *const chains[] = {
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7|vec-norm:decay=0.9",
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7|vec-norm|cat-frames:n=3,dim=-1,"
    "in-keys=observation|reward-sum",
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7|vec-norm-v2:in-keys=[observation,reward]",
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7|vec-norm-v2:in-keys=observation,"
    "reduce-batch-dims=true,decay=1",
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7|vec-norm-v2:in-keys=observation,"
    "stateful=false",
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=1|cat-frames:n=3,dim=-1,"
    "in-keys=observation|reward-sum|step-counter",
    "Pendulum-v1:num-envs=3,seed=11,max-episode-steps=2|noop-reset:noops=2",
    "CartPole-v1:num-envs=3,seed=11,max-episode-steps=7|traj-counter|step-counter:max-steps=5",
    "serial:num-envs=3,envs=['CartPole-v1:num-envs=2,max-episode-steps=7|vec-norm',"
    "'CartPole-v1:num-envs=1,max-episode-steps=5|vec-norm']|traj-counter",
    "parallel:'CartPole-v1:num-envs=3,max-episode-steps=7|vec-norm',workers=2",
    "parallel:'CartPole-v1:num-envs=3,max-episode-steps=7|vec-norm-v2:in-keys=observation',"
    "kind=processes,workers=2|vec-norm:in-keys=reward",
  };
  gsize n;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_COUNTING_ENV);
  g_type_ensure (reel_auto_resetting_counting_env_get_type ());
  g_type_ensure (REEL_TYPE_MASKED_ENV);
  for (gsize i = 0; i < G_N_ELEMENTS (mocks); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/collectors/resume/agents-masks-and-the-like/%" G_GSIZE_FORMAT, i);
      g_test_add_data_func (path, mocks[i], test_mock);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/collectors/resume/what-outlasts-episodes/%" G_GSIZE_FORMAT, i);
      g_test_add_data_func (path, chains[i], test_chain);
    }
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_ENV, &n);
  for (gsize i = 0; i < n; i++)
    {
      if (!env_text_has_state (ids[i]->id))
        continue;

      g_autofree char *path =
          g_strdup_printf ("/collectors/resume/as-if-never-stopped/%s", ids[i]->id);
      g_test_add_data_func (path, ids[i]->id, test_all);
    }
  g_test_add_func ("/collectors/resume/in-a-ring-that-wrapped", test_ring);
  g_test_add_func ("/collectors/resume/many-times", test_many_times);
  g_test_add_func ("/collectors/resume/episodes", test_episodes);
  g_test_add_func ("/collectors/resume/one-lane", test_one_lane);
  g_test_add_func ("/collectors/resume/pictures", test_pixels);
  g_test_add_func ("/collectors/resume/not-from-the-middle-of-an-episode", test_overwritten);
  g_test_add_func ("/collectors/resume/not-another-run", test_other_run);
  g_test_add_func ("/collectors/resume/not-without-states", test_no_state);
  g_test_add_func ("/collectors/resume/not-without-rows-in-place", test_nowhere);
  return g_test_run ();
}
