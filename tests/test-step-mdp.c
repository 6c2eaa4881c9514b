/* The start of the next step. */
#include "golden-tensor.h"

static gboolean
flag (const json_t *json, const char *name)
{
  return json_is_true (json_object_get (json, name));
}

static ReelStepMdpFlags
read_flags (const json_t *json)
{
  return (flag (json, "keep_other") ? 0 : REEL_STEP_MDP_DROP_OTHER)
         | (flag (json, "exclude_reward") ? 0 : REEL_STEP_MDP_KEEP_REWARD)
         | (flag (json, "exclude_done") ? REEL_STEP_MDP_DROP_DONE : 0)
         | (flag (json, "exclude_action") ? 0 : REEL_STEP_MDP_KEEP_ACTION);
}

static const char *const nested_reward[] = { "data/reward", NULL };
static const char *const nested_done[] = { "data/done", NULL };
static const char *const nested_action[] = { "data/action", NULL };
static const ReelStepMdpKeys nested_keys = { nested_reward, nested_done, nested_action };

static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("step-mdp.json");
  const json_t *json;
  gsize i;

  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 32);
  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    g_autoptr (ReelTensordict) td = golden_tensordict (json_object_get (json, "input"));
    g_autoptr (ReelTensordict) expected = golden_tensordict (json_object_get (json, "output"));
    gboolean nested =
        g_str_has_prefix (json_string_value (json_object_get (json, "case")), "nested1");
    g_autoptr (ReelTensordict) found =
        reel_step_mdp (td, nested ? &nested_keys : NULL, read_flags (json), NULL, NULL);
    g_assert_true (reel_tensordict_equal (found, expected));
  }
}

/* ---- all switches ---- */

static void
set_number (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape, double value)
{
  g_autoptr (ReelTensor) one = reel_tensor_new (REEL_DTYPE_FLOAT32, 0, NULL, NULL);

  reel_dtype_store_double (REEL_DTYPE_FLOAT32, one->data, value);
  g_autoptr (ReelTensor) tensor = reel_tensor_expand (one, ndim, shape, NULL);
  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static ReelTensordict *
make_step (gint ndim, const gint64 *shape)
{
  const char *const keys[] = { "reward", "done",        "ledzep",      "beatles",
                               "action", "next/ledzep", "next/reward", "next/done" };
  ReelTensordict *td = reel_tensordict_new (ndim, shape);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    set_number (td, keys[i], ndim, shape, (double) i);
  return td;
}

/* Whether the entry is there, and the very tensor that is expected. */
static void
assert_entry (const ReelTensordict *found, const char *path, gboolean there,
              const ReelTensordict *td, const char *source)
{
  g_assert_cmpint (reel_tensordict_contains (found, path), ==, there);
  if (there)
    g_assert_true (reel_tensordict_get_tensor (found, path, NULL)
                   == reel_tensordict_get_tensor (td, source, NULL));
}

static void
check_switches (ReelStepMdpFlags flags, gboolean given)
{
  g_autoptr (ReelTensordict) td = make_step (0, NULL);
  g_autoptr (ReelTensordict) next_td = given ? reel_tensordict_new (0, NULL) : NULL;

  reel_tensordict_lock (td);
  g_autoptr (ReelTensordict) found = reel_step_mdp (td, NULL, flags, next_td, NULL);
  g_assert_true (!given || found == next_td);
  assert_entry (found, "ledzep", TRUE, td, "next/ledzep");
  assert_entry (found, "beatles", !(flags & REEL_STEP_MDP_DROP_OTHER), td, "beatles");
  assert_entry (found, "reward", flags & REEL_STEP_MDP_KEEP_REWARD ? TRUE : FALSE, td,
                "next/reward");
  assert_entry (found, "done", !(flags & REEL_STEP_MDP_DROP_DONE), td, "next/done");
  assert_entry (found, "action", flags & REEL_STEP_MDP_KEEP_ACTION ? TRUE : FALSE, td, "action");
  g_assert_false (reel_tensordict_contains (found, "next"));
  g_assert_false (reel_tensordict_is_locked (found));
}

/* T2.2-1 */
static void
test_switches (void)
{
  for (guint flags = 0; flags < 16; flags++)
    for (gint given = 0; given < 2; given++)
      check_switches ((ReelStepMdpFlags) flags, given);
}

static void
check_nested_switches (ReelStepMdpFlags flags, gboolean given)
{
  const gint64 shape[2] = { 4, 3 };
  gint ndim;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) next = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) data = make_step (2, shape);
  g_autoptr (ReelTensordict) next_td = given ? reel_tensordict_new (1, shape) : NULL;
  g_autoptr (ReelTensordict) next_data =
      reel_tensordict_ref (reel_tensordict_get_tensordict (data, "next", NULL));

  g_assert_true (reel_tensordict_remove (data, "next", NULL));
  g_assert_true (reel_tensordict_set_tensordict (next, "data", next_data, NULL));
  g_assert_true (reel_tensordict_set_tensordict (td, "data", data, NULL));
  g_assert_true (reel_tensordict_set_tensordict (td, "next", next, NULL));
  g_autoptr (ReelTensordict) found = reel_step_mdp (td, &nested_keys, flags, next_td, NULL);
  g_assert_true (!given || found == next_td);
  assert_entry (found, "data/ledzep", TRUE, td, "next/data/ledzep");
  assert_entry (found, "data/beatles", !(flags & REEL_STEP_MDP_DROP_OTHER), td, "data/beatles");
  assert_entry (found, "data/reward", flags & REEL_STEP_MDP_KEEP_REWARD ? TRUE : FALSE, td,
                "next/data/reward");
  assert_entry (found, "data/done", !(flags & REEL_STEP_MDP_DROP_DONE), td, "next/data/done");
  assert_entry (found, "data/action", flags & REEL_STEP_MDP_KEEP_ACTION ? TRUE : FALSE, td,
                "data/action");
  ReelTensordict *level = reel_tensordict_get_tensordict (found, "data", NULL);
  g_assert_cmpint (reel_tensordict_get_batch_size (level, &ndim)[1], ==, 3);
  g_assert_cmpint (ndim, ==, 2);
  g_assert_true (level != reel_tensordict_get_tensordict (td, "data", NULL));
}

/* T2.2-2 */
static void
test_nested_switches (void)
{
  for (guint flags = 0; flags < 16; flags++)
    for (gint given = 0; given < 2; given++)
      check_nested_switches ((ReelStepMdpFlags) flags, given);
}

/* T2.2-2: of `next/agents` only flags and rewards are there, and both are left behind. */
static void
test_nothing_remains (void)
{
  const char *const reward[] = { "agents/reward", NULL }, *const done[] = { "agents/done", NULL };
  const ReelStepMdpKeys keys = { reward, done, NULL };
  const gint64 shape[1] = { 4 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);

  set_number (td, "next/agents/reward", 1, shape, 1);
  set_number (td, "next/agents/done", 1, shape, 1);
  set_number (td, "next/reward", 1, shape, 2);
  g_autoptr (ReelTensordict) found = reel_step_mdp (td, &keys, REEL_STEP_MDP_DROP_DONE, NULL, NULL);
  g_assert_false (reel_tensordict_contains (found, "agents"));
  g_assert_true (reel_tensordict_contains (found, "reward"));
}

/* ---- lazy stacks ---- */

static gboolean
has (ReelTensordict *td, const char *path)
{
  return reel_tensordict_contains (td, path);
}

/* T2.2-3: each element has its own keys, and those of others not, given a result or not. */
static void
test_lazy (void)
{
  for (gint given = 0; given < 2; given++)
    {
      gsize n;
      ReelTensordict *steps[2], *results[2];
      for (gint i = 0; i < 2; i++)
        {
          steps[i] = make_step (0, NULL);
          set_number (steps[i], i == 0 ? "next/first" : "next/second", 0, NULL, 1);
          set_number (steps[i], i == 0 ? "one/own" : "two/own", 0, NULL, 2);
          results[i] = reel_tensordict_new (0, NULL);
        }
      g_autoptr (ReelTensordict) td = reel_lazy_stack_new (steps, 2, 0, NULL);
      g_autoptr (ReelTensordict) next_td = given ? reel_lazy_stack_new (results, 2, 0, NULL) : NULL;
      g_autoptr (ReelTensordict) found = reel_step_mdp (td, NULL, 0, next_td, NULL);
      ReelTensordict *const *elements = reel_lazy_stack_get_elements (found, &n);

      g_assert_cmpint (n, ==, 2);
      g_assert_true (!given || found == next_td);
      g_assert_true (has (elements[0], "first") && !has (elements[0], "second"));
      g_assert_true (has (elements[1], "second") && !has (elements[1], "first"));
      g_assert_true (has (elements[0], "one/own") && has (elements[1], "two/own"));
      g_assert_true (has (found, "ledzep") && !has (found, "first") && !has (found, "action"));
      assert_entry (elements[1], "ledzep", TRUE, steps[1], "next/ledzep");
      for (gint i = 0; i < 2; i++)
        {
          reel_tensordict_unref (steps[i]);
          reel_tensordict_unref (results[i]);
        }
    }
}

/* Agents with keys of their own below a step: at the root, in `next`, or in both. */
static void
check_agents (gboolean at_root, gboolean in_next)
{
  const gint64 shape[1] = { 2 };
  gsize n;
  ReelTensordict *agents[2], *next_agents[2];
  g_autoptr (ReelTensordict) td = make_step (0, NULL);

  for (gint i = 0; i < 2; i++)
    {
      agents[i] = reel_tensordict_new (0, NULL);
      next_agents[i] = reel_tensordict_new (0, NULL);
      set_number (agents[i], i == 0 ? "map" : "list", 0, NULL, 3);
      set_number (next_agents[i], i == 0 ? "left" : "right", 0, NULL, 4);
    }
  g_autoptr (ReelTensordict) root = reel_lazy_stack_new (agents, 2, 0, NULL);
  g_autoptr (ReelTensordict) next = reel_lazy_stack_new (next_agents, 2, 0, NULL);
  g_autoptr (ReelTensordict) dense = reel_tensordict_new (1, shape);
  set_number (dense, "obs", 1, shape, 5);
  reel_tensordict_set_tensordict (td, "agents", at_root ? root : dense, NULL);
  reel_tensordict_set_tensordict (td, "next/agents", in_next ? next : dense, NULL);
  g_autoptr (ReelTensordict) found = reel_step_mdp (td, NULL, 0, NULL, NULL);
  g_autoptr (ReelTensordict) stack = reel_tensordict_ref_tensordict (found, "agents", NULL);
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (stack, &n);

  g_assert_cmpint (n, ==, 2);
  g_assert_cmpint (has (elements[0], "map"), ==, at_root);
  g_assert_cmpint (has (elements[1], "list"), ==, at_root);
  g_assert_cmpint (has (elements[0], "left"), ==, in_next);
  g_assert_cmpint (has (elements[1], "right"), ==, in_next);
  g_assert_cmpint (has (elements[1], "obs"), ==, !at_root || !in_next);
  g_assert_false (has (elements[1], "map") || has (elements[1], "left"));
  /* The input of the step is as it was. */
  g_assert_false (has (agents[0], "left") || has (next_agents[0], "map"));
  for (gint i = 0; i < 2; i++)
    {
      reel_tensordict_unref (agents[i]);
      reel_tensordict_unref (next_agents[i]);
    }
}

static void
test_lazy_agents (void)
{
  check_agents (TRUE, TRUE);
  check_agents (TRUE, FALSE);
  check_agents (FALSE, TRUE);
}

/* ---- what is kept ---- */

static void
test_names_and_values (void)
{
  const gint64 shape[2] = { 2, 3 };
  const char *const names[2] = { NULL, "time" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape);

  set_number (td, "next/obs", 2, shape, 1);
  g_assert_true (reel_tensordict_set_value (td, "task", g_variant_new_string ("jump"), NULL));
  g_assert_true (reel_tensordict_set_value (td, "next/said", g_variant_new_int64 (7), NULL));
  g_assert_true (reel_tensordict_set_names (td, names, NULL));
  g_assert_true (reel_tensordict_set_device (td, "cpu", NULL));
  g_autoptr (ReelTensordict) found = reel_step_mdp (td, NULL, 0, NULL, NULL);
  g_autoptr (GVariant) task = reel_tensordict_dup_value (found, "task", NULL);
  g_autoptr (GVariant) said = reel_tensordict_dup_value (found, "said", NULL);

  g_assert_cmpstr (g_variant_get_string (task, NULL), ==, "jump");
  g_assert_cmpint (g_variant_get_int64 (said), ==, 7);
  g_assert_cmpstr (reel_tensordict_get_name (found, 1), ==, "time");
  g_assert_cmpstr (reel_tensordict_get_device (found), ==, "cpu");
}

/* Other keys of the tensordict that is given stay; its nested one is the same as before. */
static void
test_given_keeps_its_own (void)
{
  g_autoptr (ReelTensordict) td = make_step (0, NULL);
  g_autoptr (ReelTensordict) next_td = reel_tensordict_new (0, NULL);

  set_number (td, "next/pixels/left", 0, NULL, 5);
  set_number (next_td, "pixels/right", 0, NULL, 6);
  set_number (next_td, "floyd", 0, NULL, 7);
  ReelTensordict *pixels = reel_tensordict_get_tensordict (next_td, "pixels", NULL);
  g_autoptr (ReelTensordict) found = reel_step_mdp (td, NULL, 0, next_td, NULL);
  g_assert_true (reel_tensordict_get_tensordict (found, "pixels", NULL) == pixels);
  g_assert_true (reel_tensordict_contains (found, "pixels/left"));
  g_assert_true (reel_tensordict_contains (found, "pixels/right"));
  g_assert_true (reel_tensordict_contains (found, "floyd"));
}

static void
test_refusals (void)
{
  g_autoptr (ReelTensordict) td = make_step (0, NULL);
  g_autoptr (ReelTensordict) locked = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) bare = reel_tensordict_new (0, NULL);
  GError *error = NULL;

  reel_tensordict_lock (locked);
  g_assert_null (reel_step_mdp (td, NULL, 0, locked, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_step_mdp (bare, NULL, 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/step-mdp/golden", test_golden);
  g_test_add_func ("/core/step-mdp/all-switches", test_switches);
  g_test_add_func ("/core/step-mdp/all-switches-nested", test_nested_switches);
  g_test_add_func ("/core/step-mdp/nothing-remains", test_nothing_remains);
  g_test_add_func ("/core/step-mdp/lazy-stacks", test_lazy);
  g_test_add_func ("/core/step-mdp/lazy-stacks-below", test_lazy_agents);
  g_test_add_func ("/core/step-mdp/names-device-and-values", test_names_and_values);
  g_test_add_func ("/core/step-mdp/given-keeps-its-own", test_given_keeps_its_own);
  g_test_add_func ("/core/step-mdp/refusals", test_refusals);

  return g_test_run ();
}
