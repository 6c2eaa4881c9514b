/* Policies that see all lanes at once, and policies that fail: what was complete stays, and nothing
 * is lost or done twice where the collector can go on. */
#include "collecting.h"
#include "lane-oracle.h"
#include "twin-env.h"

#define POLICY "random:seed=11"
#define TWIN "Twin-v0:seed=5,max-episode-steps=12"
#define CARTPOLE "CartPole-v1:seed=5"
#define LANES 449
#define N_STEPS 90

/* The actions of a random policy, for all lanes, but for one step at which it fails once, and one
 * after which it asks the collector to stop. */
typedef struct
{
  ReelPolicy *policy;
  gint64 fails_at;
  gint64 stops_at;
  ReelCollector *collector;
} Script;

static gboolean
act (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  Script *script = user_data;

  if (step == script->fails_at)
    {
      script->fails_at = -1;
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "no idea");
      return FALSE;
    }
  if (step == script->stops_at)
    reel_collector_stop (script->collector);
  return reel_policy_act (script->policy, step, 0, n_lanes, io, error);
}

static ReelCollector *
make_scripted (const char *text, const char *env, Script *script, ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) the_env = collecting_make (REEL_TYPE_ENV, env);
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act, script, NULL);

  script->policy = collecting_make (REEL_TYPE_POLICY, POLICY);
  g_assert_true (reel_env_bind_policy (the_env, script->policy, &error));
  script->collector = reel_collector_new (text, the_env, policy, buffer, &error);
  g_assert_no_error (error);
  return script->collector;
}

static void
check_all_lanes (const char *env, gint64 lanes, gint64 frames, gint64 threads)
{
  g_autofree char *env_text = g_strdup_printf ("%s,num-envs=%d", env, (int) lanes);
  g_autofree char *text = collecting_text ("sync", frames * lanes, N_STEPS * lanes, threads);
  Script script = { .fails_at = -1, .stops_at = -1 };
  ReelCollectorStats stats;
  g_autoptr (ReelTensordict) expected = lane_oracle_collect (env_text, POLICY, N_STEPS, &stats);
  g_autoptr (ReelCollector) collector = make_scripted (text, env_text, &script, NULL);
  g_autoptr (ReelPolicy) policy = script.policy;
  ReelTensordict *batch;
  gint64 done = 0;

  for (gint64 rows; (rows = collecting_next (collector, &batch)) > 0; done += rows / lanes)
    lane_oracle_assert_rows (expected, done, batch);
  g_assert_cmpint (done, ==, N_STEPS);
}

static void
test_all_lanes_at_once (void)
{
  for (gint64 threads = 1; threads <= 3; threads++)
    for (gint64 frames = 1; frames <= 100; frames *= 10)
      {
        check_all_lanes (TWIN, LANES, frames, threads);
        check_all_lanes (TWIN, 1, frames, threads);
        check_all_lanes (CARTPOLE, LANES, frames, threads);
      }
}

static void
test_failure_keeps_what_was_complete (void)
{
  static const char env[] = TWIN ",num-envs=3";
  Script script = { .fails_at = 17, .stops_at = -1 };
  ReelCollectorStats stats;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) expected = lane_oracle_collect (env, POLICY, 50, &stats);
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 600, 2);
  g_autoptr (ReelCollector) collector =
      make_scripted ("sync:frames-per-batch=30,total-frames=150", env, &script, buffer);
  g_autoptr (ReelPolicy) policy = script.policy;

  g_assert_cmpint (collecting_next (collector, NULL), ==, 30);
  g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_clear_error (&error);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 17 * 3);
  reel_collector_get_stats (collector, &stats);
  g_assert_cmpint (stats.frames, ==, 17 * 3);

  while (collecting_next (collector, NULL) > 0)
    ;
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_numel (all), ==, 150);
  lane_oracle_assert_rows (expected, 0, all);
}

static void
test_stop_ends_after_the_step (void)
{
  static const char env[] = TWIN ",num-envs=3";
  Script script = { .fails_at = -1, .stops_at = 13 };
  ReelCollectorStats stats;
  g_autoptr (ReelTensordict) expected = lane_oracle_collect (env, POLICY, 50, &stats);
  g_autoptr (ReelCollector) collector =
      make_scripted ("sync:frames-per-batch=60", env, &script, NULL);
  g_autoptr (ReelPolicy) policy = script.policy;
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 14 * 3);
  lane_oracle_assert_rows (expected, 0, batch);
  g_assert_cmpint (collecting_next (collector, &batch), ==, 0);
}

/* A policy that acts lane by lane and fails in one lane's step. */
struct _TornPolicy
{
  ReelPolicy parent_instance;
};

#define TYPE_TORN_POLICY (torn_policy_get_type ())
G_DECLARE_FINAL_TYPE (TornPolicy, torn_policy, TORN, POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (TornPolicy, torn_policy, REEL_TYPE_POLICY)

static gboolean
torn_act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
          GError **error)
{
  gint64 (*choice)[1] = (gint64 (*)[1]) io->action[0];

  for (gint64 lane = begin; lane < end; lane++)
    {
      choice[lane][0] = 1;
      memset (io->action[1] + lane * 12, 0, 12);
    }
  if (step < 25 || begin > 200 || end <= 200)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "lane 200 is lost");
  return FALSE;
}

static void
torn_policy_class_init (TornPolicyClass *klass)
{
  static const ReelId ids[] = { { "torn", NULL, "fails in lane 200" }, { NULL } };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_POLICY_CLASS (klass)->lanewise = TRUE;
  REEL_POLICY_CLASS (klass)->act = torn_act;
}

static void
torn_policy_init (TornPolicy *self)
{
}

static void
test_failure_in_a_lane_is_the_end (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 100 * LANES, 2);
  g_autofree char *text = collecting_text ("sync", 10 * LANES, -1, 3);
  g_autofree char *listing = g_strconcat (text, ",list-episodes=true", NULL);
  g_autofree char *env = g_strdup_printf ("%s,num-envs=%d", TWIN, LANES);
  g_autoptr (ReelCollector) collector = collecting_make_collector (listing, env, "torn", buffer);
  gsize n;

  g_assert_cmpint (collecting_next (collector, NULL), ==, 10 * LANES);
  g_assert_cmpint (collecting_next (collector, NULL), ==, 10 * LANES);
  for (gint i = 0; i < 2; i++)
    {
      g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
      g_clear_error (&error);
      reel_collector_get_episodes (collector, &n); /* others ended at step 24 */
      g_assert_cmpint (n, ==, 0);
    }
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 20 * LANES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_TWIN_ENV);
  g_type_ensure (TYPE_TORN_POLICY);

  g_test_add_func ("/collectors/policies/all-lanes-at-once", test_all_lanes_at_once);
  g_test_add_func ("/collectors/policies/failure-keeps-what-was-complete",
                   test_failure_keeps_what_was_complete);
  g_test_add_func ("/collectors/policies/stop-ends-after-the-step", test_stop_ends_after_the_step);
  g_test_add_func ("/collectors/policies/failure-in-a-lane-is-the-end",
                   test_failure_in_a_lane_is_the_end);
  return g_test_run ();
}
