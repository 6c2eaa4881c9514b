/* Envs side by side, and on workers, against TorchRL's SerialEnv and ParallelEnv, which gave the
 * same data: tests/data/parallel. Lanes follow one another here, where TorchRL has a dimension of
 * workers. */
#include <string.h>

#include "table-env.h"

/* How the lanes are stepped. */
typedef enum
{
  SERIAL,
  THREADS,
  PROCESSES,
  N_KINDS,
} Kind;

static const char *const kinds[] = { "side by side", "on threads", "on processes" };

static json_t *golden;

static const json_t *
find_case (const char *name)
{
  if (golden == NULL)
    golden = golden_load ("parallel/golden.json");
  return json_object_get (json_object_get (golden, "cases"), name);
}

/* open_parts: the envs of these names, NULL-terminated, as one. */
static ReelEnv *
open_parts (const char *const *names, Kind kind, GError **error)
{
  g_autoptr (GPtrArray) envs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (ReelEnv) serial = NULL;

  for (; *names; names++)
    g_ptr_array_add (envs, table_env_new (golden_env_table (*names)));
  for (guint i = 0; i < envs->len; i++)
    table_env_follow_seeds (envs->pdata[i]);
  serial = reel_serial_env_new ((ReelEnv *const *) envs->pdata, envs->len, error);
  if (serial == NULL || kind == SERIAL)
    return g_steal_pointer (&serial);
  return reel_parallel_env_new (serial,
                                kind == THREADS ? REEL_PARALLEL_THREADS : REEL_PARALLEL_PROCESSES,
                                2, REEL_ON_ERROR_FAIL, error);
}

static ReelEnv *
open_case (const json_t *json, Kind kind)
{
  const json_t *envs = json_object_get (json, "envs");
  const char *names[8] = { NULL };
  g_autoptr (GError) error = NULL;
  ReelEnv *env;

  for (gsize i = 0; i < json_array_size (envs); i++)
    names[i] = json_string_value (json_array_get (envs, i));
  env = open_parts (names, kind, &error);
  g_assert_no_error (error);
  reel_env_set_seed (env, 0, REEL_SEEDING_STATIC);
  return env;
}

/* ---- data without the dimension of workers ---- */

/* join_workers: [workers, lanes, …] as [workers × lanes, …], and [1, …] as […]. */
static ReelTensordict *
join_workers (ReelTensordict *td, const json_t *json)
{
  const json_t *envs = json_object_get (json, "envs");
  const json_t *table = golden_env_table (json_string_value (json_array_get (envs, 0)));

  if (json_array_size (envs) == 1)
    return reel_tensordict_select_index (td, 0, 0, NULL);
  if (json_array_size (json_object_get (table, "batch_size")) == 0)
    return reel_tensordict_ref (td);
  return reel_tensordict_flatten (td, 0, 1, NULL);
}

static ReelTensordict *
get_section (const json_t *json, const char *name)
{
  const json_t *section = golden_section (json, name);
  g_autoptr (ReelTensordict) td = section ? golden_tensordict (section) : NULL;

  g_assert_nonnull (td);
  return join_workers (td, json);
}

/* assert_worker: the lanes of worker @i. */
static void
assert_worker (const char *what, ReelTensordict *ours, const json_t *json, const char *section,
               gint64 i)
{
  g_autofree char *name = g_strdup_printf ("%s-worker%" G_GINT64_FORMAT, section, i);
  g_autofree char *text = g_strdup_printf ("%s %s", name, what);
  g_autoptr (ReelTensordict) theirs = golden_tensordict (golden_section (json, name)), rows = NULL;
  gint ndim, n;
  const gint64 *size = reel_tensordict_get_batch_size (theirs, &n);

  reel_tensordict_get_batch_size (ours, &ndim);
  if (n > 0)
    rows = reel_tensordict_slice (ours, 0, i * size[0], (i + 1) * size[0], 1, NULL);
  else
    rows = ndim > 0 ? reel_tensordict_select_index (ours, 0, i, NULL) : reel_tensordict_ref (ours);
  golden_assert_same (text, rows, theirs, 0);
}

/* ---- rollouts ---- */

static void
check_rollout (const char *name, Kind kind, const char *section, ReelRolloutEnd end)
{
  const json_t *json = find_case (name);
  g_autofree char *what = g_strdup_printf ("%s of %s %s", section, name, kinds[kind]);
  g_autoptr (ReelTensordict) all = get_section (json, "run"), theirs = get_section (json, section);
  g_autoptr (ReelEnv) env = open_case (json, kind);
  const ReelRolloutOptions options = { .end = end, .actions = all };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) ours = reel_env_rollout (env, 14, &options, &error);

  g_assert_no_error (error);
  golden_assert_same (what, ours, theirs, 0);
}

static void
test_rollouts_are_those_of_torchrl (void)
{
  static const char *const names[] = { "same", "two", "one", "batches", "pixels", "groups" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (Kind kind = SERIAL; kind < N_KINDS; kind++)
      {
        check_rollout (names[i], kind, "run", REEL_ROLLOUT_MAX_STEPS);
        if (!g_str_equal (names[i], "pixels"))
          check_rollout (names[i], kind, "stop", REEL_ROLLOUT_ANY_DONE);
      }
}

/* ---- seeds: T13.2-5 ---- */

typedef struct
{
  const char *call, *section;
  guint64 seed;
  ReelSeeding seeding;
} Seed;

static const Seed seeds[] = {
  { "set_seed(0)", "reset-after-seed-0", 0, REEL_SEEDING_CHAIN },
  { "set_seed(1234)", "reset-after-seed-1234", 1234, REEL_SEEDING_CHAIN },
  { "set_seed(9, static_seed=True)", "reset-after-seed-9-static", 9, REEL_SEEDING_STATIC },
};

static void
check_seed (const json_t *json, ReelEnv *env, const Seed *seed, const char *what)
{
  gint64 next =
      json_integer_value (json_object_get (json_object_get (json, "set_seed"), seed->call));
  g_autoptr (ReelTensordict) td = NULL;

  g_assert_cmpuint (reel_env_set_seed (env, seed->seed, seed->seeding), ==, (guint64) next);
  td = reel_env_reset (env, NULL, NULL);
  for (gint64 i = 0; i < (gint64) json_array_size (json_object_get (json, "envs")); i++)
    assert_worker (what, td, json, seed->section, i);
}

static void
test_each_worker_gets_its_seed (void)
{
  static const char *const names[] = { "same", "two", "one", "groups" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (Kind kind = SERIAL; kind < N_KINDS; kind++)
      {
        const json_t *json = find_case (names[i]);
        g_autofree char *what = g_strdup_printf ("of %s %s", names[i], kinds[kind]);
        g_autoptr (ReelEnv) env = open_case (json, kind);

        for (guint k = 0; k < G_N_ELEMENTS (seeds); k++)
          check_seed (json, env, &seeds[k], what);
      }
}

/* ---- partial resets: T13.2-2 and T13.2-3 ---- */

/* step_twice: the root after two steps. */
static ReelTensordict *
step_twice (const json_t *json, ReelEnv *env)
{
  g_autoptr (ReelTensordict) all = get_section (json, "run");
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);

  for (int t = 0; t < 2; t++)
    {
      g_autoptr (ReelTensordict) actions = reel_tensordict_select_index (all, -1, t, NULL);
      ReelTensordict *next;

      g_assert_true (reel_tensordict_update (td, actions, (const char *const[]){ "action", NULL },
                                             TRUE, NULL));
      g_assert_true (reel_env_step (env, td, NULL));
      next = reel_env_step_mdp (env, td, NULL);
      reel_tensordict_unref (td);
      td = next;
    }
  return reel_tensordict_exclude_keys (td, (const char *const[]){ "action", NULL });
}

static void
set_mask (ReelTensordict *td, const char *key, gint64 n, guint set)
{
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ n, 1 }, NULL);

  for (gint64 i = 0; i < n; i++)
    mask->data[i] = set >> i & 1;
  g_assert_true (reel_tensordict_set_tensor (td, key, mask, NULL));
}

static void
check_partial_reset (const char *name, Kind kind)
{
  const json_t *json = find_case (name);
  g_autoptr (ReelEnv) env = open_case (json, kind);
  gint64 n_lanes = reel_env_get_num_envs (env);
  g_autoptr (ReelTensordict) td = step_twice (json, env);
  g_autoptr (ReelTensordict) none = reel_tensordict_clone (td, TRUE, NULL), kept = NULL;
  g_autoptr (ReelTensordict) some = reel_tensordict_clone (td, TRUE, NULL), reset = NULL;

  set_mask (none, "_reset", n_lanes, 0);
  kept = reel_env_reset (env, none, NULL);
  g_assert_true (reel_tensordict_equal (kept, td));
  set_mask (some, "_reset", n_lanes, 0x55);
  reset = reel_env_reset (env, some, NULL);
  for (gint64 i = 0; i < (gint64) json_array_size (json_object_get (json, "envs")); i++)
    {
      assert_worker (kinds[kind], td, json, "before-partial", i);
      assert_worker (kinds[kind], reset, json, "after-partial", i);
    }
}

static void
test_some_lanes_are_reset (void)
{
  for (Kind kind = SERIAL; kind < N_KINDS; kind++)
    {
      check_partial_reset ("same", kind);
      check_partial_reset ("batches", kind);
    }
}

/* T13.2-4. TorchRL leaves the mask where it was. */
static void
test_some_lanes_step (void)
{
  const json_t *json = find_case ("same");
  g_autoptr (ReelTensordict) section = get_section (json, "partial-step");
  g_autoptr (ReelTensordict) theirs =
      reel_tensordict_exclude_keys (section, (const char *const[]){ "_step", NULL });

  for (Kind kind = SERIAL; kind < N_KINDS; kind++)
    {
      g_autoptr (ReelEnv) env = open_case (json, kind);
      g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);

      g_assert_true (
          reel_tensordict_update (td, theirs, (const char *const[]){ "action", NULL }, TRUE, NULL));
      set_mask (td, "_step", 3, 5);
      g_assert_true (reel_env_step (env, td, NULL));
      golden_assert_same ("partial-step", td, theirs, 0);
    }
}

/* ---- refusals ---- */

#define ACCEPTED -1
#define NO_SUCH_CALL -2

/* Whether Reel does as TorchRL, and if not, why. */
static const struct
{
  const char *what;
  int ours;
  const char *why;
} answers[] = {
  { "SerialEnv(3, two factories)", NO_SUCH_CALL, "the list says how many there are" },
  { "SerialEnv(2, [vec, vec], create_env_kwargs of one)", NO_SUCH_CALL, "texts have arguments" },
  { "SerialEnv(0, vec)", REEL_ERROR_VALUE, "nothing was indexed" },
  { "SerialEnv(2, 3)", REEL_ERROR_KEY, "texts name envs" },
  { "SerialEnv(2, an env object)", ACCEPTED, "envs need not be sent to other processes" },
  { "SerialEnv(2, memmap and shared_memory)", NO_SUCH_CALL, "memory is shared where it must be" },
  { "SerialEnv([vec, vec3])", ACCEPTED, "lanes follow one another" },
  { "SerialEnv([vec, group])", ACCEPTED, NULL },
  { "SerialEnv.step of the wrong batch", REEL_ERROR_RUNTIME, NULL },
  { "SerialEnv.add_truncated_keys", NO_SUCH_CALL, "every env has them" },
  { "SerialEnv(1, vec) batch", ACCEPTED, NULL },
  { "ParallelEnv(1, vec, serial_for_single=True)", NO_SUCH_CALL, "kind=threads,workers=1" },
  { "step before reset", REEL_ERROR_RUNTIME, "its data would be those of no episode" },
  { "set_seed before start", ACCEPTED, NULL },
};

static int
code_of (GError *error)
{
  int code = error ? error->code : ACCEPTED;

  g_clear_error (&error);
  return code;
}

static int
try_text (const char *text)
{
  GError *error = NULL;
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  return code_of (error);
}

static int
try_parts (const char *const *names)
{
  GError *error = NULL;
  g_autoptr (ReelEnv) env = open_parts (names, SERIAL, &error);

  return code_of (error);
}

static int
try_step (gint64 n, gboolean reset)
{
  GError *error = NULL;
  g_autoptr (ReelEnv) env = open_parts ((const char *const[]){ "vec", "vec", NULL }, SERIAL, NULL);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) action = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (gint64[]){ n, 2 }, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, "action", action, NULL));
  reel_env_set_seed (env, 0, REEL_SEEDING_CHAIN);
  if (reset)
    reel_tensordict_unref (reel_env_reset (env, NULL, NULL));
  g_assert_false (reel_env_step (env, td, &error));
  return code_of (error);
}

static int
try_call (const char *what)
{
  static const char *const unlike[] = { "vec", "group", NULL }, *const lanes[] = { "vec", "vec3",
                                                                                   NULL };
  static const char *const two[] = { "vec", "vec", NULL };

  if (strstr (what, "(0, "))
    return try_text ("serial");
  if (strstr (what, "(2, 3)"))
    return try_text ("serial:envs=[3]");
  if (strstr (what, "group"))
    return try_parts (unlike);
  if (strstr (what, "vec3"))
    return try_parts (lanes);
  if (strstr (what, "wrong batch"))
    return try_step (3, TRUE);
  if (strstr (what, "before reset"))
    return try_step (2, FALSE);
  return try_parts (two);
}

/* Each call that TorchRL was asked has its answer above. */
static void
test_refusals_are_those_of_torchrl_or_have_a_reason (void)
{
  const json_t *errors = json_object_get (golden, "errors");

  g_assert_cmpuint (json_array_size (errors), ==, G_N_ELEMENTS (answers));
  for (gsize i = 0; i < json_array_size (errors); i++)
    {
      const json_t *theirs = json_array_get (errors, i);
      int code = json_object_get (theirs, "accepted") ? ACCEPTED : golden_error (theirs);

      g_assert_cmpstr (json_string_value (json_object_get (theirs, "what")), ==, answers[i].what);
      if (answers[i].why == NULL)
        g_assert_cmpint (answers[i].ours, ==, code);
      else
        g_test_message ("%s: %s", answers[i].what, answers[i].why);
      if (answers[i].ours != NO_SUCH_CALL)
        g_assert_cmpint (try_call (answers[i].what), ==, answers[i].ours);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
#define TEST(name, function) g_test_add_func ("/envs/parallel-golden/" name, function)
  TEST ("rollouts-are-those-of-torchrl", test_rollouts_are_those_of_torchrl);
  TEST ("each-worker-gets-its-seed", test_each_worker_gets_its_seed);
  TEST ("some-lanes-are-reset", test_some_lanes_are_reset);
  TEST ("some-lanes-step", test_some_lanes_step);
  TEST ("refusals-are-those-of-torchrl-or-have-a-reason",
        test_refusals_are_those_of_torchrl_or_have_a_reason);
#undef TEST
  return g_test_run ();
}
