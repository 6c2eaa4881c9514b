/* Envs by tensordicts: steps, resets of some lanes, seeds, agents, masks, what is refused. */
#include "counting-env.h"
#include "env-steps.h"
#include "golden-tensor.h"
#include "mock-envs.h"
#include "scripted-env.h"

#include <string.h>

/* ---- specs ---- */

static void
assert_spec (const ReelSpec *specs, const char *path, ReelDtype dtype, gint ndim,
             const gint64 *shape)
{
  g_autoptr (GError) error = NULL;
  const ReelSpec *spec = reel_spec_get (specs, path, &error);
  gint found;
  const gint64 *extents;

  g_assert_no_error (error);
  extents = reel_spec_get_shape (spec, &found);
  g_assert_cmpint (reel_spec_get_dtype (spec), ==, dtype);
  g_assert_cmpmem (extents, (gsize) found * sizeof *shape, shape, (gsize) ndim * sizeof *shape);
}

static void
test_specs (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("NestedCounting:num-envs=2,agents=3");
  g_autoptr (ReelSpec) specs = reel_env_make_specs (env, NULL);
  static const gint64 lane[] = { 2, 1 }, agents[] = { 2, 3, 1 };
  static const char *const flags[] = { "done", "terminated", "truncated" };
  g_autoptr (ReelTensordict) fake = reel_env_make_fake (env, NULL);

  assert_spec (specs, "input_spec/full_action_spec/data/action", REEL_DTYPE_INT8, 3, agents);
  assert_spec (specs, "output_spec/full_observation_spec/data/states", REEL_DTYPE_INT32, 3, agents);
  assert_spec (specs, "output_spec/full_reward_spec/reward", REEL_DTYPE_FLOAT32, 2, lane);
  assert_spec (specs, "output_spec/full_reward_spec/data/reward", REEL_DTYPE_FLOAT32, 3, agents);
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autofree char *own = g_strconcat ("output_spec/full_done_spec/", flags[i], NULL);
      g_autofree char *of_agents = g_strconcat ("output_spec/full_done_spec/data/", flags[i], NULL);

      assert_spec (specs, own, REEL_DTYPE_BOOL, 2, lane);
      assert_spec (specs, of_agents, REEL_DTYPE_BOOL, 3, agents);
    }
  g_assert_true (
      reel_spec_is_composite (reel_spec_get (specs, "input_spec/full_state_spec", NULL)));
  g_assert_true (reel_spec_is_in_tensordict (
      reel_spec_get (specs, "output_spec/full_done_spec", NULL), fake, NULL));
  ASSERT_NUMBERS (fake, "next/data/terminated", 0, 0, 0, 0, 0, 0);
}

/* ---- steps ---- */

/* T13.1-1 */
static void
test_flags_are_completed (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2,max-steps=[0,1]");
  g_autoptr (ReelTensordict) td = env_steps_reset (env);

  ASSERT_NUMBERS (td, "observation", 0, 0);
  ASSERT_NUMBERS (td, "done", 0, 0);
  env_steps_set_action (env, td, 1);
  env_steps_step (env, td);
  ASSERT_NUMBERS (td, "next/terminated", 1, 0);
  ASSERT_NUMBERS (td, "next/done", 1, 0);
  ASSERT_NUMBERS (td, "next/truncated", 0, 0);
  ASSERT_NUMBERS (td, "next/observation", 1, 1);
  ASSERT_NUMBERS (td, "next/reward", 0, 0);
  ASSERT_NUMBERS (td, "observation", 0, 0);
}

/* T13.1-2 */
static void
test_some_lanes_are_reset (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=3,max-steps=[0,1,0]");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), next = NULL, kept = NULL;

  env_steps_set_action (env, td, 1);
  env_steps_step (env, td);
  next = reel_env_step_mdp (env, td, NULL);
  ASSERT_NUMBERS (next, "observation", 1, 1, 1);
  ASSERT_NUMBERS (next, "done", 1, 0, 1);
  env_steps_set_flags (next, "_reset", 3, (guint8[]){ 1, 0, 0 });
  kept = reel_env_reset (env, next, NULL);
  g_assert_true (kept == next);
  g_assert_false (reel_tensordict_contains (next, "_reset"));
  ASSERT_NUMBERS (next, "observation", 0, 1, 1);
  ASSERT_NUMBERS (next, "done", 0, 0, 1);
  ASSERT_NUMBERS (next, "terminated", 0, 0, 1);
  /* Results handed out before stay. */
  ASSERT_NUMBERS (td, "next/observation", 1, 1, 1);
  ASSERT_NUMBERS (td, "next/done", 1, 0, 1);
  g_assert_true (reel_env_maybe_reset (env, next, NULL));
  ASSERT_NUMBERS (next, "observation", 0, 1, 0);
  ASSERT_NUMBERS (next, "done", 0, 0, 0);
}

/* The mask of a reset is no part of its result, nor of a refused one. */
static void
test_no_mask_is_left (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2,max-steps=[0,5]");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), next = NULL;
  g_autoptr (GError) error = NULL;

  env_steps_set_action (env, td, 1);
  env_steps_set_flags (td, "_reset", 2, (guint8[]){ 1, 0 });
  env_steps_step (env, td);
  g_assert_true (reel_tensordict_contains (td, "_reset"));
  next = reel_env_step_mdp (env, td, NULL);
  g_assert_false (reel_tensordict_contains (next, "_reset"));
  reel_tensordict_remove (next, "observation", NULL);
  g_assert_false (reel_env_maybe_reset (env, next, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_false (reel_tensordict_contains (next, "_reset"));
}

/* Other keys of the root are kept, and are zero where another episode began. */
static void
test_other_keys_go_along (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2,max-steps=[0,5]");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), next = NULL, whole = NULL;
  const gint64 shape[] = { 2, 2 };
  g_autoptr (ReelTensor) hidden = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);

  for (gint i = 0; i < 4; i++)
    ((float *) (gpointer) hidden->data)[i] = (float) (i + 1);
  reel_tensordict_set_tensor (td, "next/hidden", hidden, NULL);
  reel_tensordict_set_tensor (td, "memory/of/more", hidden, NULL);
  env_steps_set_action (env, td, 1);
  next = reel_env_step_and_maybe_reset (env, td, NULL);
  ASSERT_NUMBERS (td, "next/hidden", 1, 2, 3, 4);
  ASSERT_NUMBERS (next, "hidden", 0, 0, 3, 4);
  ASSERT_NUMBERS (next, "memory/of/more", 0, 0, 3, 4);
  ASSERT_NUMBERS (next, "observation", 0, 1);
  ASSERT_NUMBERS (hidden && td ? td : NULL, "memory/of/more", 1, 2, 3, 4);
  g_assert_false (reel_tensordict_contains (next, "reward"));
  g_assert_true (reel_tensordict_contains (next, "action"));
  /* Without a mask it is metadata, and stays. */
  whole = reel_env_reset (env, next, NULL);
  ASSERT_NUMBERS (whole, "hidden", 0, 0, 3, 4);
  ASSERT_NUMBERS (whole, "observation", 0, 0);
}

/* T13.2-2: a mask of nothing changes nothing, random streams included. */
static void
test_no_lane_is_reset (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("CartPole:num-envs=3,seed=4");
  g_autoptr (ReelEnv) other = env_steps_open ("CartPole:num-envs=3,seed=4");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), before = NULL, same = NULL;
  g_autoptr (ReelTensordict) first = env_steps_reset (other), next = NULL, expected = NULL;

  before = reel_tensordict_clone (td, TRUE, NULL);
  env_steps_set_flags (td, "_reset", 3, (guint8[]){ 0, 0, 0 });
  same = reel_env_reset (env, td, NULL);
  g_assert_true (same == td);
  g_assert_true (reel_tensordict_equal (td, before));
  next = env_steps_reset (env);
  expected = env_steps_reset (other);
  g_assert_true (reel_tensordict_equal (next, expected));
}

/* T13.2-3: every other lane begins anew, the others keep values and flags. */
static void
test_every_other_lane_is_reset (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=6,max-steps=[1,1,1,1,9,9]");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), next = NULL, again = NULL;

  for (gint i = 0; i < 2; i++)
    {
      env_steps_set_action (env, next ? next : td, 1);
      env_steps_step (env, next ? next : td);
      g_autoptr (ReelTensordict) last = g_steal_pointer (&next);
      next = reel_env_step_mdp (env, last ? last : td, NULL);
    }
  ASSERT_NUMBERS (next, "observation", 2, 2, 2, 2, 2, 2);
  ASSERT_NUMBERS (next, "done", 1, 1, 1, 1, 0, 0);
  env_steps_set_flags (next, "_reset", 6, (guint8[]){ 1, 0, 1, 0, 1, 0 });
  again = reel_env_reset (env, next, NULL);
  ASSERT_NUMBERS (again, "observation", 0, 2, 0, 2, 0, 2);
  ASSERT_NUMBERS (again, "done", 0, 1, 0, 1, 0, 0);
  ASSERT_NUMBERS (again, "terminated", 0, 1, 0, 1, 0, 0);
  ASSERT_NUMBERS (again, "truncated", 0, 0, 0, 0, 0, 0);
}

/* T13.2-4: a lane that is left out shows what it showed, without reward and end. */
static void
test_lanes_left_out_have_no_reward (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("MockSerial:num-envs=3,seed=100");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), next = NULL;

  env_steps_set_action (env, td, 1);
  env_steps_step (env, td);
  next = reel_env_step_mdp (env, td, NULL);
  gint64 seen = env_steps_number (next, "observation", 1);

  env_steps_set_action (env, next, 1);
  env_steps_set_flags (next, "_step", 3, (guint8[]){ 1, 0, 1 });
  env_steps_step (env, next);
  g_assert_cmpint (env_steps_number (next, "next/observation", 1), ==, seen);
  g_assert_cmpint (env_steps_number (next, "next/observation", 0), ==,
                   env_steps_number (next, "observation", 0) + 1);
  g_assert_cmpint (env_steps_number (next, "next/reward", 0), >, 0);
  g_assert_cmpint (env_steps_number (next, "next/reward", 1), ==, 0);
  ASSERT_NUMBERS (next, "next/done", 0, 0, 0);
}

static void
test_some_lanes_step (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=4,start-val=3,max-steps=[3,9,9,9]");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), next = NULL;

  env_steps_set_action (env, td, 1);
  env_steps_set_flags (td, "_step", 4, (guint8[]){ 1, 0, 1, 0 });
  env_steps_step (env, td);
  g_assert_false (reel_tensordict_contains (td, "_step"));
  ASSERT_NUMBERS (td, "next/observation", 4, 3, 4, 3);
  ASSERT_NUMBERS (td, "next/done", 1, 0, 0, 0);
  next = reel_env_step_mdp (env, td, NULL);
  env_steps_set_flags (next, "_step", 4, (guint8[]){ 0, 0, 0, 0 });
  env_steps_step (env, next);
  ASSERT_NUMBERS (next, "next/observation", 4, 3, 4, 3);
  ASSERT_NUMBERS (next, "next/done", 1, 0, 0, 0);
}

/* ---- agents ---- */

static void
test_agents_end_by_themselves (void)
{
  g_autoptr (ReelEnv) env =
      env_steps_open ("NestedCounting:num-envs=2,agents=2,max-steps=[1,9],max-episode-steps=3");
  g_autoptr (ReelTensordict) td = env_steps_reset (env);

  for (gint t = 0; t < 3; t++)
    {
      ReelTensordict *next;
      ReelTensor *action;

      env_steps_set_action (env, td, 1);
      action = reel_tensordict_get_tensor (td, "data/action", NULL);
      action->data[1] = t > 0; /* the second agent of the first lane waits */
      next = reel_env_step_and_maybe_reset (env, td, NULL);
      ASSERT_NUMBERS (td, "next/data/reward", 0, 1, 0, 1);
      if (t == 0)
        ASSERT_NUMBERS (td, "next/data/done", 0, 0, 0, 0);
      if (t == 1)
        {
          ASSERT_NUMBERS (td, "next/data/done", 1, 0, 0, 0);
          ASSERT_NUMBERS (td, "next/done", 0, 0);
          ASSERT_NUMBERS (next, "data/done", 1, 0, 0, 0);
        }
      if (t == 2)
        {
          ASSERT_NUMBERS (td, "data/done", 1, 0, 0, 0);
          ASSERT_NUMBERS (td, "next/data/terminated", 1, 1, 0, 0);
          ASSERT_NUMBERS (td, "next/data/truncated", 1, 1, 1, 1);
          ASSERT_NUMBERS (td, "next/data/done", 1, 1, 1, 1);
          ASSERT_NUMBERS (next, "data/done", 0, 0, 0, 0);
          ASSERT_NUMBERS (next, "data/states", 0, 0, 0, 0);
        }
      reel_tensordict_unref (td);
      td = next;
    }
}

/* ---- one that resets itself ---- */

/* Until both lanes wait for their resets, the first after two episodes, the second after one; the
 * observation says which episode of the lane it is, and its step. */
static ReelTensordict *
play_until_both_wait (ReelEnv *env)
{
  ReelTensordict *td;

  scripted_env_tell (env, 0, 0x5, 0);
  scripted_env_tell (env, 1, 0x4, 0);
  td = env_steps_reset (env);
  for (gint t = 0; t < 3; t++)
    {
      ReelTensordict *next;

      env_steps_set_action (env, td, 1);
      env_steps_step (env, td);
      next = reel_env_step_mdp (env, td, NULL);
      reel_tensordict_unref (td);
      td = next;
      if (t < 2)
        g_assert_true (reel_env_maybe_reset (env, td, NULL));
    }
  ASSERT_NUMBERS (td, "done", 1, 1);
  return td;
}

/* The waiting part of a lane moves with its state, for any that waits when it is set. */
static void
test_autoreset_keeps_state (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:num-envs=2", (const char *) id);
  g_autoptr (ReelEnv) env = env_steps_open (text);
  gsize size = reel_env_get_state_size (env);
  g_autofree guint8 *waiting = g_malloc (2 * size), *begun = g_malloc (2 * size);
  g_autoptr (ReelTensordict) td = play_until_both_wait (env);

  for (gint64 lane = 0; lane < 2; lane++)
    reel_env_get_state (env, lane, waiting + (gsize) lane * size);
  for (gint round = 0; round < 2; round++)
    {
      g_autoptr (ReelTensordict) reset = reel_tensordict_clone (td, FALSE, NULL);

      g_assert_true (reel_env_maybe_reset (env, reset, NULL));
      ASSERT_NUMBERS (reset, "observation", 2, 0, 1, 0);
      for (gint64 lane = 0; lane < 2; lane++)
        {
          reel_env_get_state (env, lane, begun + (gsize) lane * size);
          reel_env_set_state (env, lane, waiting + (gsize) lane * size);
        }
    }
  /* Nothing waits in a lane of which an episode has begun: another begins. */
  for (gint64 lane = 0; lane < 2; lane++)
    reel_env_set_state (env, lane, begun + (gsize) lane * size);
  g_assert_true (reel_env_maybe_reset (env, td, NULL));
  ASSERT_NUMBERS (td, "observation", 3, 0, 2, 0);
}

/* The observation that waits for a reset is part of the state: another env has none of its own. */
static void
test_autoreset_state_in_another_env (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:num-envs=2", (const char *) id);
  g_autoptr (ReelEnv) env = env_steps_open (text), other = env_steps_open (text);
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (env));
  g_autoptr (ReelTensordict) td = play_until_both_wait (env), begun = env_steps_reset (other);

  scripted_env_tell (other, 0, 0x5, 0);
  scripted_env_tell (other, 1, 0x4, 0);
  for (gint64 lane = 0; lane < 2; lane++)
    {
      reel_env_get_state (env, lane, state);
      reel_env_set_state (other, lane, state);
    }
  g_assert_true (reel_env_maybe_reset (other, td, NULL));
  ASSERT_NUMBERS (td, "observation", 2, 0, 1, 0);
}

/* A class that never truncates need not say so; other lanes are not looked at. */
static void
test_autoreset_clears_truncated (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("AutoResettingCounting:num-envs=4");
  g_autoptr (ReelTensordict) td = env_steps_reset (env);
  gint8 action[] = { 1, 1, 1, 1 };
  gint32 seen[4];
  float reward[4];
  guint8 terminated[4], truncated[] = { 1, 1, 1, 1 }, done[4] = { 0 };
  const ReelEnvIO io = { .action = (const guint8 *const[]){ (guint8 *) action },
                         .observation = (guint8 *const[]){ (guint8 *) seen },
                         .reward = reward,
                         .terminated = terminated,
                         .truncated = truncated,
                         .done = done };

  g_assert_cmpint (reel_env_step_lanes (env, 1, 3, &io), ==, 0);
  g_assert_cmpmem (truncated, 4, ((guint8[]){ 1, 0, 0, 1 }), 4);
  g_assert_cmpmem (done, 4, ((guint8[]){ 0, 0, 0, 0 }), 4);
}

/* ---- seeds ---- */

static void
test_seeds_are_chained (void)
{
  g_autoptr (json_t) file = golden_load ("rollouts.json");
  const json_t *seeds = json_object_get (file, "seeds"), *chain, *seed;
  const json_t *cartpole = json_object_get (seeds, "cartpole"), *number;
  g_autoptr (ReelEnv) env = env_steps_open ("CartPole-v1:num-envs=3");
  gsize i, k;

  json_array_foreach (json_object_get (seeds, "chains"), i, chain)
      json_array_foreach (chain, k, seed) if (k > 0) g_assert_cmpuint (
          reel_next_seed ((guint64) json_integer_value (json_array_get (chain, k - 1))), ==,
          (guint64) json_integer_value (seed));

  /* TorchRL seeds a GymEnv by a reset, so that the first one asked for is the second. */
  g_assert_cmpuint (reel_env_set_seed (env, 5, REEL_SEEDING_CHAIN), ==,
                    (guint64) json_integer_value (json_object_get (cartpole, "next")));
  g_autoptr (ReelTensordict) first = env_steps_reset (env), second = env_steps_reset (env);
  const float *seen =
      (const float *) (gpointer) reel_tensordict_get_tensor (second, "observation", NULL)->data;

  json_array_foreach (json_object_get (cartpole, "observation"), i, number)
      g_assert_cmpfloat (seen[i], ==, (float) json_real_value (number));
  g_assert_cmpuint (i, ==, 12);
}

/* T13.2-5, T12.1-4: lanes are chained as the workers of a batched env, through transforms too. */
static void
test_seeds_returned (void)
{
  const char *const texts[] = { "Counting:num-envs=%d", "Counting:num-envs=%d|step-counter",
                                "Counting:num-envs=%d|step-counter|reward-sum" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_auto (GStrv) halves = g_strsplit (texts[i], "%d", 2);
      g_autofree char *single = g_strjoinv ("1", halves), *several = g_strjoinv ("3", halves);
      g_autoptr (ReelEnv) one = env_steps_open (single), three = env_steps_open (several);

      g_assert_cmpuint (reel_env_set_seed (one, 0, REEL_SEEDING_CHAIN), ==, 795726461);
      g_assert_cmpuint (reel_env_set_seed (one, 795726461, REEL_SEEDING_CHAIN), ==, 2841183792);
      g_assert_cmpuint (reel_env_set_seed (one, 5, REEL_SEEDING_STATIC), ==, 5);
      g_assert_cmpuint (reel_env_set_seed (three, 0, REEL_SEEDING_CHAIN), ==, 2309840538);
      g_assert_cmpuint (reel_env_set_seed (three, 0, REEL_SEEDING_STATIC), ==, 0);
    }
}

/* Lane i begins with the i-th seed of the chain. */
static void
test_lanes_begin_with_the_chain (void)
{
  const guint64 chain[] = { 0, 795726461, 2841183792 };
  g_autoptr (ReelEnv) three = env_steps_open ("CartPole:num-envs=3|step-counter");
  g_autoptr (ReelTensordict) all = NULL;

  reel_env_set_seed (three, 0, REEL_SEEDING_CHAIN);
  all = env_steps_reset (three);
  for (gsize i = 0; i < G_N_ELEMENTS (chain); i++)
    {
      g_autoptr (ReelEnv) one = env_steps_open ("CartPole|step-counter");
      g_autoptr (ReelTensordict) alone = NULL;

      reel_env_set_seed (one, chain[i], REEL_SEEDING_CHAIN);
      alone = env_steps_reset (one);
      g_assert_cmpmem (reel_tensordict_get_tensor (alone, "observation", NULL)->data, 16,
                       reel_tensordict_get_tensor (all, "observation", NULL)->data + 16 * i, 16);
    }
}

static void
test_seeds_of_lanes (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("CartPole-v1:num-envs=2");
  g_autoptr (ReelEnv) other = env_steps_open ("CartPole-v1:num-envs=2,seed=7");
  g_autoptr (ReelTensordict) fresh = env_steps_reset (other), seeded = NULL, same = NULL;

  g_assert_cmpuint (reel_env_set_seed (env, 7, REEL_SEEDING_LANES), ==, reel_next_seed (7));
  seeded = env_steps_reset (env);
  g_assert_true (reel_tensordict_equal (fresh, seeded));
  g_assert_cmpuint (reel_env_set_seed (env, 7, REEL_SEEDING_STATIC), ==, 7);
  same = env_steps_reset (env);
  ReelTensor *observation = reel_tensordict_get_tensor (same, "observation", NULL);
  g_assert_cmpmem (observation->data, 16, observation->data + 16, 16);
}

/* ---- random actions ---- */

static void
test_random_actions (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("ContinuousActionVecMock:num-envs=2,seed=3");
  const ReelSpec *spec = reel_spec_get (reel_env_get_action_spec (env), "action", NULL);
  g_autoptr (ReelTensordict) td = env_steps_reset (env), alone = NULL, again = NULL;
  g_autoptr (ReelTensor) first = NULL;
  g_autoptr (GError) error = NULL;

  for (gint t = 0; t < 20; t++)
    {
      g_assert_true (reel_env_rand_step (env, td, &error));
      g_assert_no_error (error);
      ReelTensor *action = reel_tensordict_get_tensor (td, "action", NULL);
      g_assert_true (reel_spec_is_in (spec, action, NULL));
      g_assert_false (first != NULL && reel_tensor_equal (first, action));
      if (first == NULL)
        first = reel_tensor_ref (action);
    }
  reel_env_set_seed (env, 3, REEL_SEEDING_LANES);
  alone = reel_env_rand_action (env, NULL, &error);
  g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (alone, "action", NULL), first));
  again = reel_env_rand_action (env, NULL, &error);
  g_assert_false (reel_tensordict_equal (alone, again));
}

/* ---- what is refused ---- */

typedef ReelTensordict *(*Prepare) (ReelEnv *env);

static ReelTensordict *
without_action (ReelEnv *env)
{
  return env_steps_reset (env);
}

static ReelTensordict *
of_another_batch (ReelEnv *env)
{
  const gint64 one = 1;

  return reel_tensordict_new (1, &one);
}

static ReelTensordict *
with_action (ReelEnv *env, ReelDtype dtype, gint ndim)
{
  const gint64 shape[] = { 2, 1, 1 };
  ReelTensordict *td = env_steps_reset (env);
  g_autoptr (ReelTensor) action = reel_tensor_new (dtype, ndim, shape, NULL);

  reel_tensordict_set_tensor (td, "action", action, NULL);
  return td;
}

static ReelTensordict *
of_another_dtype (ReelEnv *env)
{
  return with_action (env, REEL_DTYPE_INT64, 2);
}

static ReelTensordict *
of_another_shape (ReelEnv *env)
{
  return with_action (env, REEL_DTYPE_INT8, 3);
}

static ReelTensordict *
locked (ReelEnv *env)
{
  ReelTensordict *td = with_action (env, REEL_DTYPE_INT8, 2);

  reel_tensordict_lock (td);
  return td;
}

static ReelTensordict *
with_a_wide_mask (ReelEnv *env)
{
  const gint64 shape[] = { 2, 3 };
  ReelTensordict *td = with_action (env, REEL_DTYPE_INT8, 2);
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);

  reel_tensordict_set_tensor (td, "_step", mask, NULL);
  reel_tensordict_set_tensor (td, "_reset", mask, NULL);
  return td;
}

static ReelTensordict *
with_a_mask_of_numbers (ReelEnv *env)
{
  const gint64 shape[] = { 2, 1 };
  ReelTensordict *td = with_action (env, REEL_DTYPE_INT8, 2);
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_INT8, 2, shape, NULL);

  reel_tensordict_set_tensor (td, "_step", mask, NULL);
  reel_tensordict_set_tensor (td, "_reset", mask, NULL);
  return td;
}

static ReelTensordict *
after_a_seed (ReelEnv *env)
{
  ReelTensordict *td = with_action (env, REEL_DTYPE_INT8, 2);

  reel_env_set_seed (env, 1, REEL_SEEDING_LANES);
  return td;
}

static ReelTensordict *
without_observation (ReelEnv *env)
{
  ReelTensordict *td = with_action (env, REEL_DTYPE_INT8, 2);

  reel_tensordict_remove (td, "observation", NULL);
  env_steps_set_flags (td, "_step", 2, (guint8[]){ 1, 0 });
  env_steps_set_flags (td, "_reset", 2, (guint8[]){ 1, 0 });
  return td;
}

static void
test_refusals (void)
{
  static const struct
  {
    Prepare prepare;
    ReelError step, reset; /* REEL_ERROR_IO: is not refused */
    const char *text;
  } cases[] = {
    { without_action, REEL_ERROR_KEY, REEL_ERROR_IO, "*action*" },
    { of_another_batch, REEL_ERROR_RUNTIME, REEL_ERROR_RUNTIME,
      "Expected a tensordict with shape==env.batch_size, got [1] and [2]" },
    { of_another_dtype, REEL_ERROR_TYPE, REEL_ERROR_IO, "*\"action\" is int64*int8*" },
    { of_another_shape, REEL_ERROR_RUNTIME, REEL_ERROR_IO, "*\"action\"*[2, 1, 1]*[2, 1]*" },
    { locked, REEL_ERROR_RUNTIME, REEL_ERROR_RUNTIME, "*locked*clone*" },
    { with_a_wide_mask, REEL_ERROR_RUNTIME, REEL_ERROR_RUNTIME, "*[2, 3]*[2, 1]*" },
    { with_a_mask_of_numbers, REEL_ERROR_TYPE, REEL_ERROR_TYPE, "*int8*bool*" },
    { after_a_seed, REEL_ERROR_RUNTIME, REEL_ERROR_IO, "*lane 0 was not reset*" },
    { without_observation, REEL_ERROR_KEY, REEL_ERROR_KEY, "*keep their values*observation*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelEnv) env = env_steps_open ("Counting:num-envs=2");
      g_autoptr (ReelTensordict) td = cases[i].prepare (env), before = NULL, reset = NULL;
      g_autoptr (GError) error = NULL, other = NULL;

      before = reel_tensordict_clone (td, FALSE, NULL);
      g_assert_false (reel_env_step (env, td, &error));
      g_assert_error (error, REEL_ERROR, (gint) cases[i].step);
      if (!g_pattern_match_simple (cases[i].text, error->message))
        g_error ("\"%s\" is not \"%s\"", error->message, cases[i].text);
      g_assert_true (reel_tensordict_equal (td, before));
      reset = reel_env_reset (env, td, &other);
      if (cases[i].reset == REEL_ERROR_IO)
        {
          g_assert_no_error (other);
          continue;
        }
      g_assert_error (other, REEL_ERROR, (gint) cases[i].reset);
      g_assert_true (reel_tensordict_equal (td, before));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_COUNTING_ENV);
  g_type_ensure (reel_auto_resetting_counting_env_get_type ());
  mock_envs_init ();
  scripted_envs_init ();

  g_test_add_func ("/envs/step/specs-are-those-of-all-lanes", test_specs);
  g_test_add_func ("/envs/step/flags-are-completed", test_flags_are_completed);
  g_test_add_func ("/envs/step/some-lanes-are-reset", test_some_lanes_are_reset);
  g_test_add_func ("/envs/step/no-mask-is-left-behind", test_no_mask_is_left);
  g_test_add_func ("/envs/step/other-keys-go-along", test_other_keys_go_along);
  g_test_add_func ("/envs/step/no-lane-is-reset", test_no_lane_is_reset);
  g_test_add_func ("/envs/step/every-other-lane-is-reset", test_every_other_lane_is_reset);
  g_test_add_func ("/envs/step/lanes-left-out-have-no-reward", test_lanes_left_out_have_no_reward);
  g_test_add_func ("/envs/step/some-lanes-step", test_some_lanes_step);
  g_test_add_func ("/envs/step/agents-end-by-themselves", test_agents_end_by_themselves);
  g_test_add_data_func ("/envs/step/autoreset-is-part-of-the-state/next-step", "ScriptedNext",
                        test_autoreset_keeps_state);
  g_test_add_data_func ("/envs/step/autoreset-is-part-of-the-state/same-step", "ScriptedSame",
                        test_autoreset_keeps_state);
  g_test_add_data_func ("/envs/step/autoreset-state-in-another-env/next-step", "ScriptedNext",
                        test_autoreset_state_in_another_env);
  g_test_add_data_func ("/envs/step/autoreset-state-in-another-env/same-step", "ScriptedSame",
                        test_autoreset_state_in_another_env);
  g_test_add_func ("/envs/step/autoreset-clears-what-classes-need-not-set",
                   test_autoreset_clears_truncated);
  g_test_add_func ("/envs/step/seeds-are-chained", test_seeds_are_chained);
  g_test_add_func ("/envs/step/seeds-returned", test_seeds_returned);
  g_test_add_func ("/envs/step/lanes-begin-with-the-chain", test_lanes_begin_with_the_chain);
  g_test_add_func ("/envs/step/seeds-of-lanes", test_seeds_of_lanes);
  g_test_add_func ("/envs/step/random-actions", test_random_actions);
  g_test_add_func ("/envs/step/refusals", test_refusals);
  return g_test_run ();
}
