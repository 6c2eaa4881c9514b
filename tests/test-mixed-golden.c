/* Lanes of unlike specs, side by side and on workers, against TorchRL's SerialEnv and ParallelEnv:
 * tests/data/parallel/mixed.json. T13.2-1. TorchRL's SerialEnv does not take over a key that only
 * some of the envs have; where it differs, the data are those of ParallelEnv. */
#include <string.h>

#include "table-env.h"

#define N_LANES 3

/* How the lanes are stepped. */
typedef enum
{
  SERIAL,
  THREADS,
  PROCESSES,
  N_KINDS,
} Kind;

static json_t *golden;

static const char *
get_text (const char *object, const char *name)
{
  return json_string_value (json_object_get (json_object_get (golden, object), name));
}

static ReelEnv *
open_env (Kind kind)
{
  const json_t *names = json_object_get (golden, "envs");
  g_autoptr (GPtrArray) envs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;
  ReelEnv *env;

  for (gsize i = 0; i < json_array_size (names); i++)
    {
      const char *name = json_string_value (json_array_get (names, i));

      g_ptr_array_add (envs, table_env_new (golden_env_table (name)));
      table_env_follow_seeds (envs->pdata[i]);
    }
  env = reel_serial_env_new ((ReelEnv *const *) envs->pdata, envs->len, &error);
  g_assert_no_error (error);
  if (kind != SERIAL)
    {
      g_autoptr (ReelEnv) serial = env;

      env = reel_parallel_env_new (
          serial, kind == THREADS ? REEL_PARALLEL_THREADS : REEL_PARALLEL_PROCESSES, 2,
          REEL_ON_ERROR_FAIL, &error);
      g_assert_no_error (error);
    }
  g_assert_true (reel_env_is_mixed (env));
  reel_env_set_seed (env, 0, REEL_SEEDING_STATIC);
  return env;
}

/* Of worker @i. */
static ReelTensordict *
get_section (const char *name, gsize i)
{
  g_autofree char *section = g_strdup_printf ("%s-worker%" G_GSIZE_FORMAT, name, i);

  return golden_tensordict (golden_section (golden, section));
}

static void
assert_lanes (const ReelTensordict *ours, const char *section, const char *const *without)
{
  gsize n;
  ReelTensordict *const *lanes = reel_lazy_stack_get_elements (ours, &n);

  g_assert_cmpuint (n, ==, N_LANES);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) section_data = get_section (section, i);
      g_autoptr (ReelTensordict) theirs = reel_tensordict_exclude_keys (section_data, without);
      g_autoptr (ReelTensordict) lane = reel_tensordict_exclude_keys (lanes[i], without);

      golden_assert_same (section, lane, theirs, 0);
    }
}

/* TorchRL's envs print their device. */
static void
assert_prints (const ReelTensordict *ours, const char *name)
{
  g_autofree char *printed = reel_tensordict_to_string (ours);
  g_autoptr (GString) theirs = g_string_new (get_text ("prints", name));

  g_string_replace (theirs, "device=cpu,\n", "device=None,\n", 0);
  g_assert_cmpstr (printed, ==, theirs->str);
}

/* ---- rollouts ---- */

static ReelTensordict *
stack_actions (void)
{
  ReelTensordict *lanes[N_LANES], *stack;

  for (gsize i = 0; i < N_LANES; i++)
    lanes[i] = get_section ("run", i);
  stack = reel_lazy_stack_new (lanes, N_LANES, 0, NULL);
  for (gsize i = 0; i < N_LANES; i++)
    reel_tensordict_unref (lanes[i]);
  return stack;
}

static void
check_rollout (Kind kind, const char *section, ReelRolloutEnd end, gboolean lazy)
{
  const char *const stale[] = { end == REEL_ROLLOUT_ANY_DONE ? "extra" : NULL, NULL };
  g_autoptr (ReelEnv) env = open_env (kind);
  g_autoptr (ReelTensordict) actions = stack_actions ();
  const ReelRolloutOptions options = { .end = end, .actions = actions, .lazy = lazy };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) ours = reel_env_rollout (env, 14, &options, &error);

  g_assert_no_error (error);
  assert_lanes (ours, section, stale);
  if (!lazy)
    assert_prints (ours, section);
}

static void
test_rollouts_are_those_of_torchrl (void)
{
  for (Kind kind = SERIAL; kind < N_KINDS; kind++)
    for (gboolean lazy = FALSE; lazy <= TRUE; lazy++)
      {
        check_rollout (kind, "run", REEL_ROLLOUT_MAX_STEPS, lazy);
        check_rollout (kind, "stop", REEL_ROLLOUT_ANY_DONE, lazy);
      }
}

/* ---- specs, resets and seeds ---- */

static void
test_specs_print_as_those_of_torchrl (void)
{
  static const char *const parts[] = { "observation", "action", "reward", "done" };
  g_autoptr (ReelEnv) env = open_env (SERIAL);
  g_autoptr (ReelSpec) specs = reel_env_make_specs (env, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *printed = reel_spec_to_string (reel_env_spec_get_part (specs, parts[i]));
      g_autoptr (GString) ours = g_string_new (printed);

      g_string_replace (ours, "device=None", "device=cpu", 0);
      g_assert_cmpstr (ours->str, ==, get_text ("specs", parts[i]));
    }
}

static void
test_resets_print_as_those_of_torchrl (void)
{
  g_autoptr (ReelEnv) env = open_env (SERIAL);
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);

  assert_prints (td, "reset");
}

static void
check_seed (ReelEnv *env, const char *call, const char *section, guint64 seed, ReelSeeding seeding)
{
  json_t *next = json_object_get (json_object_get (golden, "set_seed"), call);
  g_autoptr (ReelTensordict) td = NULL;

  g_assert_cmpuint (reel_env_set_seed (env, seed, seeding), ==,
                    (guint64) json_integer_value (next));
  td = reel_env_reset (env, NULL, NULL);
  assert_lanes (td, section, (const char *const[]){ NULL });
}

static void
test_each_worker_gets_its_seed (void)
{
  for (Kind kind = SERIAL; kind < N_KINDS; kind++)
    {
      g_autoptr (ReelEnv) env = open_env (kind);

      check_seed (env, "set_seed(0)", "reset-after-seed-0", 0, REEL_SEEDING_CHAIN);
      check_seed (env, "set_seed(1234)", "reset-after-seed-1234", 1234, REEL_SEEDING_CHAIN);
      check_seed (env, "set_seed(9, static_seed=True)", "reset-after-seed-9-static", 9,
                  REEL_SEEDING_STATIC);
    }
}

/* The root after two steps, without the action. */
static ReelTensordict *
step_twice (ReelEnv *env)
{
  g_autoptr (ReelTensordict) actions = stack_actions (), td = reel_env_reset (env, NULL, NULL);
  gsize n;

  for (int t = 0; t < 2; t++)
    {
      ReelTensordict *next;

      for (gsize i = 0; i < N_LANES; i++)
        {
          ReelTensordict *lane = reel_lazy_stack_get_elements (actions, &n)[i];
          g_autoptr (ReelTensordict) step = reel_tensordict_select_index (lane, 0, t, NULL);

          g_assert_true (reel_tensordict_update (reel_lazy_stack_get_elements (td, &n)[i], step,
                                                 (const char *const[]){ "action", NULL }, TRUE,
                                                 NULL));
        }
      g_assert_true (reel_env_step (env, td, NULL));
      next = reel_env_step_mdp (env, td, NULL);
      reel_tensordict_unref (td);
      td = next;
    }
  g_assert_true (reel_tensordict_remove (td, "action", NULL));
  return g_steal_pointer (&td);
}

static void
test_some_lanes_are_reset (void)
{
  for (Kind kind = SERIAL; kind < N_KINDS; kind++)
    for (gint some = 0; some < 2; some++)
      {
        g_autoptr (ReelEnv) env = open_env (kind);
        g_autoptr (ReelTensordict) td = step_twice (env), reset = NULL;
        g_autoptr (ReelTensor) mask =
            reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ N_LANES, 1 }, NULL);

        assert_lanes (td, "before-partial", (const char *const[]){ NULL });
        mask->data[0] = mask->data[2] = (guint8) some;
        g_assert_true (reel_tensordict_set_tensor (td, "_reset", mask, NULL));
        reset = reel_env_reset (env, td, NULL);
        g_assert_true (reset == td);
        assert_lanes (reset, some ? "after-partial" : "before-partial",
                      (const char *const[]){ NULL });
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  golden = golden_load ("parallel/mixed.json");
#define TEST(name, function) g_test_add_func ("/envs/mixed-golden/" name, function)
  TEST ("rollouts-are-those-of-torchrl", test_rollouts_are_those_of_torchrl);
  TEST ("specs-print-as-those-of-torchrl", test_specs_print_as_those_of_torchrl);
  TEST ("resets-print-as-those-of-torchrl", test_resets_print_as_those_of_torchrl);
  TEST ("each-worker-gets-its-seed", test_each_worker_gets_its_seed);
  TEST ("some-lanes-are-reset", test_some_lanes_are_reset);
#undef TEST
  return g_test_run ();
}
