/* Transforms of rewards along time, of rows that follow one another, and of values at fault. */
#include "golden-transforms.h"
#include "make-spec.h"
#include "make-transform.h"

#include "../src/core/tensor/tensor-private.h"

#include <math.h>
#include <string.h>

/* ---- data ---- */

static void
set_values (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, const gint64 *shape,
            const double *values)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; values && i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype), values[i]);
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static void
assert_values (const ReelTensordict *td, const char *path, ReelDtype dtype, const double *values)
{
  g_autoptr (GError) error = NULL;
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (tensor->dtype, ==, dtype);
  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    {
      double value = reel_dtype_load_double (dtype, tensor->data + i * reel_dtype_size (dtype));

      if (!(isnan (values[i]) ? isnan (value) : value == values[i]))
        g_error ("%s: element %" G_GINT64_FORMAT " is %g, not %g", path, i, value, values[i]);
    }
}

static void
assert_refused (const char *text, ReelTensordict *td, gint code, const char *message)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (transform, td, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
assert_write_refused (const char *text, ReelTensordict *td, gint code, const char *message)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) result = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_transform_inverse (transform, td, &result, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

/* Two lanes of four steps. */
static ReelTensordict *
make_lanes (void)
{
  static const gint64 shape[] = { 2, 4, 1 };
  static const char *const names[] = { NULL, "time" };
  ReelTensordict *td = reel_tensordict_new (2, shape);

  set_values (td, "next/reward", REEL_DTYPE_FLOAT32, 3, shape,
              (const double[]){ 1, 2, 3, 4, INFINITY, 6, 7, 8 });
  set_values (td, "next/done", REEL_DTYPE_BOOL, 3, shape,
              (const double[]){ 0, 1, 0, 1, 1, 0, 0, 1 });
  reel_tensordict_set_names (td, names, NULL);
  return td;
}

static GoldenCase
find_golden (const char *id)
{
  g_autoptr (GArray) cases = golden_transforms ();

  for (guint i = 0; i < cases->len; i++)
    if (g_str_equal (g_array_index (cases, GoldenCase, i).id, id))
      return g_array_index (cases, GoldenCase, i);
  g_error ("no case %s", id);
}

/* ---- reward-sum ---- */

/* TorchRL's sums in an environment, which are right: those of stored steps are the same. */
static void
test_sums_of_an_environment (void)
{
  static const struct
  {
    const char *id;
    const char *text;
    const char *key;
  } cases[] = {
    { "reward-sum", "RewardSum:in-keys=next/reward", "next/episode_reward" },
    { "reward-sum-batch", "RewardSum:in-keys=next/reward,out-keys=next/total", "next/total" },
    { "reward-sum-group", "RewardSum:in-keys=next/data/reward", "next/data/episode_reward" },
    { "reward-sum-multi", "RewardSum:in-keys=[next/reward,next/cost],out-keys=[next/sum,next/paid]",
      "next/paid" },
    { "reward-sum-agents", "RewardSum:in-keys=next/agents/reward,out-keys=next/agents/sum",
      "next/agents/sum" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const GoldenCase golden = find_golden (cases[i].id);
      g_autoptr (ReelTensordict) rollout =
          golden_section_data (golden_section (golden.bare, "run"));
      g_autoptr (ReelTensordict) wanted = golden_section_data (golden_section (golden.json, "run"));
      g_autoptr (ReelTransform) transform = make_transform (cases[i].text);
      g_autoptr (ReelTensordict) result = forward (transform, rollout);
      const ReelTensor *ours = reel_tensordict_get_tensor (result, cases[i].key, NULL);
      const ReelTensor *theirs = reel_tensordict_get_tensor (wanted, cases[i].key, NULL);

      g_assert_true (reel_tensor_equal (ours, theirs));
    }
}

/* An infinite reward stays in its episode. */
static void
test_sums_of_lanes (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("reward-sum:in-keys=next/reward");
  g_autoptr (ReelTensordict) td = make_lanes ();
  g_autoptr (ReelTensordict) result = forward (transform, td);

  assert_values (result, "next/episode_reward", REEL_DTYPE_FLOAT32,
                 (const double[]){ 1, 3, 3, 7, INFINITY, 6, 13, 21 });
}

/* Time is where it is named, the flags are of the group around, one a step or one a reward. */
static void
test_sums_of_groups (void)
{
  static const gint64 size[] = { 3, 2 }, agents[] = { 3, 2, 2, 1 }, flags[] = { 3, 2, 1 };
  static const char *const names[] = { "time", NULL };
  static const double counts[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, size);
  g_autoptr (ReelTransform) transform = make_transform ("reward-sum:in-keys=next/agents/reward");

  reel_tensordict_set_names (td, names, NULL);
  set_values (td, "next/agents/reward", REEL_DTYPE_INT32, 4, agents, counts);
  set_values (td, "next/done", REEL_DTYPE_BOOL, 3, flags, (const double[]){ 0, 1, 0, 0, 0, 0 });
  g_autoptr (ReelTensordict) by_step = forward (transform, td);
  assert_values (by_step, "next/agents/episode_reward", REEL_DTYPE_INT64,
                 (const double[]){ 1, 2, 3, 4, 6, 8, 7, 8, 15, 18, 18, 20 });

  set_values (td, "next/agents/done", REEL_DTYPE_BOOL, 4, agents,
              (const double[]){ 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 });
  g_autoptr (ReelTensordict) by_agent = forward (transform, td);
  assert_values (by_agent, "next/agents/episode_reward", REEL_DTYPE_INT64,
                 (const double[]){ 1, 2, 3, 4, 5, 8, 10, 12, 14, 18, 21, 24 });
}

/* Flags of the root say that an episode began before this step, not that it ended with it. */
static void
test_root_flags_do_not_count_for_next (void)
{
  static const gint64 shape[] = { 3 };
  static const char *const names[] = { "time" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape), result = NULL;
  g_autoptr (ReelTransform) transform = make_transform ("reward-sum:in-keys=next/reward");

  reel_tensordict_set_names (td, names, NULL);
  set_values (td, "next/reward", REEL_DTYPE_FLOAT32, 1, shape, (const double[]){ 1, 2, 4 });
  set_values (td, "done", REEL_DTYPE_BOOL, 1, shape, (const double[]){ 1, 0, 0 });
  result = forward (transform, td);
  assert_values (result, "next/episode_reward", REEL_DTYPE_FLOAT32, (const double[]){ 1, 3, 7 });
}

static void
test_sums_of_each_dtype (void)
{
  static const ReelDtype floats[] = { REEL_DTYPE_FLOAT64, REEL_DTYPE_FLOAT16, REEL_DTYPE_BFLOAT16,
                                      REEL_DTYPE_INT64 };
  static const gint64 shape[] = { 3 };
  static const char *const names[] = { "time" };

  for (gsize i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape), result = NULL;
      g_autoptr (ReelTransform) transform = make_transform ("reward-sum");

      reel_tensordict_set_names (td, names, NULL);
      set_values (td, "reward", floats[i], 1, shape, (const double[]){ 1, 2, 4 });
      result = forward (transform, td);
      assert_values (result, "episode_reward", floats[i], (const double[]){ 1, 3, 7 });
    }
}

static void
test_refused_sums (void)
{
  static const gint64 wrong[] = { 2, 4, 3 };
  g_autoptr (ReelTensordict) td = make_lanes (), bare = reel_tensordict_clone (td, FALSE, NULL);
  static const char *const none[] = { NULL, NULL };

  reel_tensordict_set_names (bare, none, NULL);
  assert_refused ("reward-sum:in-keys=next/reward", bare, REEL_ERROR_VALUE,
                  "reward-sum adds up steps along the batch dimension named \"time\", and none has "
                  "that name");
  assert_refused ("reward-sum", td, REEL_ERROR_KEY,
                  "key \"reward\" not found in TensorDict with keys ['next']");
  assert_refused ("reward-sum:in-keys=next/done", td, REEL_ERROR_TYPE,
                  "rewards are expected to be numbers, not of dtype bool");
  set_values (td, "next/done", REEL_DTYPE_BOOL, 3, wrong, NULL);
  assert_refused ("reward-sum:in-keys=next/reward", td, REEL_ERROR_VALUE,
                  "\"next/done\" of shape [2, 4, 3] has neither one flag for each step nor one for "
                  "each reward of shape [2, 4, 1]");
  refuse_transform ("reward-sum:in-keys=[a,b],out-keys=c", REEL_ERROR_VALUE,
                    "The number of in_keys (2) should match the number of out_keys (1).");
  refuse_transform ("reward-sum:in-keys=a,reset-keys=[b,c]", REEL_ERROR_VALUE,
                    "reward-sum has 1 in-keys and 2 reset-keys: give as many");
}

/* Sums belong to what an env reads as to what it gives. */
static void
test_specs_of_sums (void)
{
  static const char *const ids[] = { "reward-sum", "reward-sum-spec", "reward-sum-group",
                                     "reward-sum-agents" };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const GoldenCase golden = find_golden (ids[i]);
      g_autofree char *chain = golden_chain (&golden, FALSE);
      g_autoptr (ReelTransform) transform = make_transform (chain);
      g_autoptr (ReelSpec) bare = golden_env_spec (&golden);
      g_autoptr (ReelSpec) changed = reel_transform_env_spec (transform, bare, &error);
      const json_t *specs = json_object_get (golden.json, "specs");
      g_autofree char *state = NULL;

      g_assert_no_error (error);
      state = reel_spec_to_string (reel_spec_get (changed, "input_spec/full_state_spec", NULL));
      g_assert_cmpstr (state, ==, json_string_value (json_object_get (specs, "state")));
    }
  g_autoptr (ReelTransform) wrong = make_transform ("reward-sum:in-keys=observation");
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_assert_null (reel_transform_env_spec (wrong, spec, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* ---- rewards to come ---- */

/* T12.6-3: each lane needs an end, and what follows the last one is summed up to the end. */
static void
test_rewards_to_go (void)
{
  static const gint64 shape[] = { 2, 4, 1 };
  g_autoptr (ReelTensordict) td = make_lanes (), result = NULL;
  g_autoptr (ReelTransform) transform = make_transform ("reward-to-go:gamma=0.5,out-keys=to_go");

  set_values (td, "next/done", REEL_DTYPE_BOOL, 3, shape,
              (const double[]){ 0, 1, 0, 0, 1, 0, 0, 0 });
  result = inverse (transform, td);
  assert_values (result, "to_go", REEL_DTYPE_FLOAT32,
                 (const double[]){ 2, 2, 5, 4, INFINITY, 11.5, 11, 8 });

  set_values (td, "next/done", REEL_DTYPE_BOOL, 3, shape,
              (const double[]){ 0, 1, 0, 0, 0, 0, 0, 0 });
  assert_write_refused ("reward-to-go", td, REEL_ERROR_RUNTIME,
                        "No episode ends found to calculate the reward to go: each row of "
                        "\"next/done\" needs at least one; write longer rows");
}

/* The dimension named time is that of time, wherever it is. */
static void
test_rewards_to_go_with_time_first (void)
{
  static const gint64 shape[] = { 3, 2, 1 };
  static const char *const names[] = { "time", NULL };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape), result = NULL;
  g_autoptr (ReelTransform) transform = make_transform ("reward-to-go");

  reel_tensordict_set_names (td, names, NULL);
  set_values (td, "next/reward", REEL_DTYPE_FLOAT64, 3, shape,
              (const double[]){ 1, 2, 3, 4, 5, 6 });
  set_values (td, "next/done", REEL_DTYPE_BOOL, 3, shape, (const double[]){ 0, 1, 0, 0, 1, 0 });
  result = inverse (transform, td);
  assert_values (result, "next/reward", REEL_DTYPE_FLOAT64, (const double[]){ 9, 2, 8, 10, 5, 6 });
}

static void
test_refused_rewards_to_go (void)
{
  g_autoptr (ReelTensordict) td = make_lanes (), one = reel_tensordict_new (0, NULL);

  assert_write_refused ("reward-to-go:in-keys=next/nothing", td, REEL_ERROR_KEY,
                        "Could not find any of the input keys [('next', 'nothing')].");
  assert_write_refused ("reward-to-go:done-key=end", td, REEL_ERROR_KEY,
                        "key \"end\" not found in TensorDict with keys ['done', 'reward']");
  assert_write_refused ("reward-to-go", one, REEL_ERROR_RUNTIME,
                        "steps [*B, T] are expected, not one step without a batch size");
}

/* The reward of the last step, for each step of its trajectory. */
static void
test_densify (void)
{
  static const gint64 shape[] = { 10, 1 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape), result = NULL;
  g_autoptr (ReelTransform) transform = make_transform ("DensifyReward");
  g_autofree char *text = reel_transform_to_string (transform);

  set_values (td, "next/reward", REEL_DTYPE_FLOAT32, 2, shape,
              (const double[]){ 0, 0, 0, 3, 0, 0, 0, 7, 0, 0 });
  set_values (td, "next/done", REEL_DTYPE_BOOL, 2, shape,
              (const double[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0, 0 });
  result = forward (transform, td);
  assert_values (result, "next/reward", REEL_DTYPE_FLOAT32,
                 (const double[]){ 3, 3, 3, 3, 7, 7, 7, 7, 0, 0 });
  g_assert_cmpstr (text, ==,
                   "DensifyReward(\n    in_keys=['reward', 'done'],\n    out_keys=['reward'])");
}

static void
test_densify_as_torchrl (void)
{
  const GoldenCase golden = find_golden ("reward-to-go");
  g_autoptr (json_t) table = golden_load ("transforms/golden.json");
  const json_t *result = json_object_get (
      json_object_get (json_object_get (table, "postprocs"), "densify-default"), "sections");
  g_autoptr (ReelTensordict) rollout = golden_section_data (golden_section (golden.bare, "run"));
  g_autoptr (ReelTensordict) wanted = golden_section_data (json_object_get (result, "result"));
  g_autoptr (ReelTransform) transform = make_transform ("DensifyReward");
  g_autoptr (ReelTensordict) made = forward (transform, rollout);

  g_assert_true (reel_tensordict_equal (made, wanted));
}

static void
test_refused_densify (void)
{
  static const gint64 row[] = { 2, 4 };
  g_autoptr (ReelTensordict) td = make_lanes ();

  assert_refused ("densify-reward:reward-key=next/reward", td, REEL_ERROR_KEY,
                  "key \"next/reward\" not found in TensorDict with keys ['done', 'reward']");
  set_values (td, "next/done", REEL_DTYPE_BOOL, 2, row, NULL);
  assert_refused ("densify-reward", td, REEL_ERROR_RUNTIME,
                  "reward and done state are expected to have the same shape, not [2, 4, 1] and "
                  "[2, 4]");
}

/* ---- next-state ---- */

/* Rows of two trajectories. */
static ReelTensordict *
make_rows (void)
{
  static const gint64 shape[] = { 6, 1 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  set_values (td, "observation", REEL_DTYPE_FLOAT32, 2, shape,
              (const double[]){ 0, 1, 2, 3, 4, 5 });
  set_values (td, "n", REEL_DTYPE_INT64, 1, shape, (const double[]){ 0, 1, 2, 3, 4, 5 });
  set_values (td, "collector/traj_ids", REEL_DTYPE_INT64, 1, shape,
              (const double[]){ 7, 7, 7, 8, 8, 8 });
  set_values (td, "step_count", REEL_DTYPE_INT64, 2, shape, (const double[]){ 0, 1, 2, 0, 5, 6 });
  set_values (td, "next/done", REEL_DTYPE_BOOL, 2, shape, (const double[]){ 1, 0, 0, 0, 0, 0 });
  return td;
}

/* T12.6-2: next is the root behind, and NaN after an end and in the last row. */
static void
test_next_states (void)
{
  static const struct
  {
    const char *text;
    double next[6];
  } cases[] = {
    { "next-state", { NAN, 2, NAN, 4, 5, NAN } },
    { "next-state:traj-key=''", { NAN, 2, 3, 4, 5, NAN } },
    { "next-state:done-key=''", { 1, 2, NAN, 4, 5, NAN } },
    { "next-state:step-count-key=step_count", { NAN, 2, NAN, NAN, 5, NAN } },
    { "next-state:fill-value=-1", { -1, 2, -1, 4, 5, -1 } },
    { "next-state:traj-key=nothing,strict=false", { NAN, 2, 3, 4, 5, NAN } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTransform) transform = make_transform (cases[i].text);
      g_autoptr (ReelTensordict) td = make_rows (), result = forward (transform, td);

      assert_values (result, "next/observation", REEL_DTYPE_FLOAT32, cases[i].next);
    }
  g_autoptr (ReelTransform) integers = make_transform ("next-state:keys=n,fill-value=-1");
  g_autoptr (ReelTensordict) td = make_rows (), result = forward (integers, td);
  assert_values (result, "next/n", REEL_DTYPE_INT64, (const double[]){ -1, 2, -1, 4, 5, -1 });
}

static void
test_refused_next_states (void)
{
  static const gint64 none[] = { 0 };
  g_autoptr (ReelTensordict) td = make_rows (), lanes = make_lanes ();
  g_autoptr (ReelTensordict) empty = reel_tensordict_new (1, none);
  g_autoptr (ReelTransform) transform = make_transform ("next-state");
  g_autoptr (ReelTensordict) still_empty = forward (transform, empty);

  assert_refused ("next-state", lanes, REEL_ERROR_VALUE,
                  "next-state takes a flat batch of rows, not one of shape [2, 4]");
  assert_refused ("next-state:traj-key=ids", td, REEL_ERROR_KEY,
                  "next-state: the trajectory key \"ids\" is not among the rows; name another, '' "
                  "for none, or strict=false to do without it");
  assert_refused ("next-state:done-key=end", td, REEL_ERROR_KEY,
                  "next-state: the done key \"end\" is not among the rows; name another, '' for "
                  "none, or strict=false to do without it");
  assert_refused ("next-state:keys=n", td, REEL_ERROR_TYPE,
                  "next-state: \"n\" has the non-floating dtype int64, which has no NaN: give a "
                  "fill-value");
  refuse_transform ("next-state:fill-value=[1,2]", REEL_ERROR_TYPE,
                    "next-state: fill-value is a single number, not a list");
}

/* ---- finite-check ---- */

/* A value at fault is found wherever it is, and the largest numbers are none. */
static void
test_faults (void)
{
  static const ReelDtype floats[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_FLOAT16,
                                      REEL_DTYPE_BFLOAT16 };
  static const double faults[] = { INFINITY, -INFINITY, NAN };
  static const gint64 shape[] = { 5000 };
  g_autoptr (ReelTransform) transform = make_transform ("finite-check");

  for (gsize i = 0; i < G_N_ELEMENTS (floats); i++)
    for (gint64 at = 0; at < shape[0]; at += at < 70 ? 1 : 613)
      {
        g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL), result = NULL;
        g_autoptr (ReelTensor) leaf = reel_tensor_new (floats[i], 1, shape, NULL);
        guint8 *element = leaf->data + at * reel_dtype_size (floats[i]);
        g_autoptr (GError) error = NULL;

        reel_tensor_fill_unchecked (leaf, floats[i] == REEL_DTYPE_FLOAT16 ? 65504 : 3e38);
        reel_tensordict_set_tensor (td, "a/b", leaf, NULL);
        result = forward (transform, td);
        reel_dtype_store_double (floats[i], element, faults[at % 3]);
        g_assert_null (reel_transform_forward (transform, td, &error));
        g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
        g_assert_cmpstr (error->message, ==,
                         "Encountered a non-finite tensor: \"a/b\" of shape [5000] has an infinite "
                         "value or NaN");
      }
}

static void
test_faults_of_complex_numbers (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_COMPLEX32, REEL_DTYPE_COMPLEX64,
                                      REEL_DTYPE_COMPLEX128 };
  static const gint64 shape[] = { 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL), result = NULL;
      g_autoptr (ReelTensor) leaf = reel_tensor_new (dtypes[i], 1, shape, NULL);
      g_autoptr (ReelTransform) transform = make_transform ("finite-check");

      reel_tensordict_set_tensor (td, "z", leaf, NULL);
      result = forward (transform, td);
      memset (leaf->data + reel_tensor_nbytes (leaf) - 4, 0xff, 4);
      g_assert_null (reel_transform_forward (transform, td, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/episodes/sums-of-an-environment", test_sums_of_an_environment);
  g_test_add_func ("/transforms/episodes/sums-of-lanes", test_sums_of_lanes);
  g_test_add_func ("/transforms/episodes/sums-of-groups", test_sums_of_groups);
  g_test_add_func ("/transforms/episodes/root-flags-do-not-count-for-next",
                   test_root_flags_do_not_count_for_next);
  g_test_add_func ("/transforms/episodes/sums-of-each-dtype", test_sums_of_each_dtype);
  g_test_add_func ("/transforms/episodes/refused-sums", test_refused_sums);
  g_test_add_func ("/transforms/episodes/specs-of-sums", test_specs_of_sums);
  g_test_add_func ("/transforms/episodes/rewards-to-go", test_rewards_to_go);
  g_test_add_func ("/transforms/episodes/rewards-to-go-with-time-first",
                   test_rewards_to_go_with_time_first);
  g_test_add_func ("/transforms/episodes/refused-rewards-to-go", test_refused_rewards_to_go);
  g_test_add_func ("/transforms/episodes/densify", test_densify);
  g_test_add_func ("/transforms/episodes/densify-as-torchrl", test_densify_as_torchrl);
  g_test_add_func ("/transforms/episodes/refused-densify", test_refused_densify);
  g_test_add_func ("/transforms/episodes/next-states", test_next_states);
  g_test_add_func ("/transforms/episodes/refused-next-states", test_refused_next_states);
  g_test_add_func ("/transforms/episodes/faults", test_faults);
  g_test_add_func ("/transforms/episodes/faults-of-complex-numbers",
                   test_faults_of_complex_numbers);

  return g_test_run ();
}
