/* A collector writes what a rollout gives, agents that are rewarded and end by themselves included;
 * random actions keep to what is allowed. */
#include "collecting.h"
#include "counting-env.h"
#include "env-steps.h"
#include "masked-env.h"

#include <string.h>

#define STEPS 23

static ReelTensordict *
roll (const char *id, const char *policy_text)
{
  g_autoptr (ReelEnv) env = env_steps_open (id);
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, policy_text, NULL, NULL);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .policy = policy };
  g_autoptr (GError) error = NULL;
  ReelTensordict *td = reel_env_rollout (env, STEPS, &options, &error);

  g_assert_no_error (error);
  return td;
}

/* In batches of a few steps, by some threads. */
static void
check (const char *id, gint64 lanes, const ReelTensordict *expected, gint64 frames, gint64 threads)
{
  static const char *const ours[] = { "collector", NULL };
  g_autofree char *text = collecting_text ("sync", frames * lanes, STEPS * lanes, threads);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, id, "random:seed=4", NULL);
  ReelTensordict *batch;
  gint64 at = 0;

  for (gint64 rows; (rows = collecting_next (collector, &batch)) > 0; at += rows / lanes)
    {
      g_autoptr (ReelTensordict) part =
          reel_tensordict_slice ((ReelTensordict *) expected, -1, at, at + rows / lanes, 1, NULL);
      g_autoptr (ReelTensordict) seen = reel_tensordict_exclude_keys (batch, ours);

      g_assert_true (reel_tensordict_equal (seen, part));
    }
  g_assert_cmpint (at, ==, STEPS);
}

static void
test_as_rollouts (gconstpointer id)
{
  static const gint64 lanes[] = { 1, 2, 449 }, frames[] = { 1, 5, 23 }, threads[] = { 1, 3 };

  for (gsize l = 0; l < G_N_ELEMENTS (lanes); l++)
    {
      g_autofree char *text = g_strdup_printf ("%s,num-envs=%d", (const char *) id, (int) lanes[l]);
      g_autoptr (ReelTensordict) expected = roll (text, "random:seed=4");

      for (gsize f = 0; f < G_N_ELEMENTS (frames); f++)
        for (gsize t = 0; t < G_N_ELEMENTS (threads); t++)
          check (text, lanes[l], expected, frames[f], threads[t]);
    }
}

/* A lane that is stepped by itself gives the rewards and flags of its agents too. */
static void
test_one_lane (void)
{
  const char *id = "NestedCounting:agents=3,max-steps=[2]";
  g_autoptr (ReelEnv) env = env_steps_open (id);
  g_autoptr (ReelTensordict) expected = roll (id, "random:seed=4");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSingleLane) lane = reel_single_lane_new (env, &error);
  ReelTensor *rewards = reel_tensordict_get_tensor (expected, "next/data/reward", NULL);
  ReelTensor *ends = reel_tensordict_get_tensor (expected, "next/data/done", NULL);
  ReelTensor *actions = reel_tensordict_get_tensor (expected, lane->action_paths[0], NULL);
  const gsize action_bytes = reel_tensor_nbytes (actions) / STEPS;

  for (gsize t = 0; t < STEPS; t++)
    {
      if (t == 0 || lane->done)
        g_assert_true (reel_single_lane_reset (lane, &error));
      memcpy (lane->action_data[0], actions->data + t * action_bytes, action_bytes);
      g_assert_true (reel_single_lane_step (lane, &error));
      g_assert_cmpmem (lane->groups[0].reward, 3 * sizeof (float), (float *) rewards->data + 3 * t,
                       3 * sizeof (float));
      g_assert_cmpmem (lane->groups[0].done, 3, ends->data + 3 * t, 3);
    }
}

/* ---- masks ---- */

/* T12.5-3 */
static void
test_masks_are_kept_to (gconstpointer id)
{
  g_autofree char *text = g_strconcat (id, ",num-envs=50", NULL);
  g_autoptr (ReelEnv) env = env_steps_open (text);
  const ReelRolloutOptions by_env = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (ReelTensordict) own = NULL, by_policy = roll (text, "random:seed=4");
  g_autoptr (GError) error = NULL;

  own = reel_env_rollout (env, 200, &by_env, &error);
  g_assert_no_error (error);
  masked_env_assert_allowed (env, own);
  g_clear_pointer (&own, reel_tensordict_unref);
  own = reel_env_rollout (env, 200, NULL, &error);
  g_assert_cmpint (reel_tensordict_numel (own), ==, 50 * 4);
  masked_env_assert_allowed (env, by_policy);
}

static void
test_nothing_allowed (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Masked:num-envs=2,goes-on=true");
  g_autoptr (ReelTensordict) td = NULL;
  g_autoptr (GError) error = NULL, other = NULL;
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync", "Masked:num-envs=2,goes-on=true", "random", NULL);

  td = reel_env_rollout (env, 50, &options, &error);
  g_assert_null (td);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "lane 0 cannot act at step 4: all of its \"action_mask\" is false");
  g_assert_cmpint (reel_collector_next (collector, NULL, &other), ==, -1);
  g_assert_error (other, REEL_ERROR, REEL_ERROR_RUNTIME);
}

int
main (int argc, char **argv)
{
  static const char *const ids[] = { "NestedCounting:agents=3,max-steps=[2],max-episode-steps=6",
                                     "NestedCounting:agents=1,max-steps=[1]",
                                     "AutoResettingCounting:max-steps=[1]",
                                     "CartPole:max-episode-steps=9", "Masked:seed=0" };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_COUNTING_ENV);
  g_type_ensure (reel_auto_resetting_counting_env_get_type ());
  g_type_ensure (REEL_TYPE_MASKED_ENV);

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *path = g_strdup_printf ("/collectors/agents/as-rollouts/%s", ids[i]);

      g_test_add_data_func (path, ids[i], test_as_rollouts);
    }
  g_test_add_func ("/collectors/agents/one-lane", test_one_lane);
  g_test_add_data_func ("/collectors/agents/masks/one-hot", "Masked:seed=0",
                        test_masks_are_kept_to);
  g_test_add_data_func ("/collectors/agents/masks/categorical",
                        "Masked:action-encoding=categorical", test_masks_are_kept_to);
  g_test_add_func ("/collectors/agents/masks/nothing-is-allowed", test_nothing_allowed);
  return g_test_run ();
}
