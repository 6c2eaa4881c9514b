/* One row for each trajectory. */
#include "golden-tensor.h"

#include <string.h>

static ReelTensordict *
split (ReelTensordict *td, const ReelSplitKeys *keys)
{
  GError *error = NULL;
  ReelTensordict *found = reel_split_trajectories (td, keys, FALSE, &error);

  g_assert_no_error (error);
  return found;
}

static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("split-trajectories.json");
  const json_t *json;
  gsize i;

  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 14);
  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    ReelSplitKeys keys = { json_string_value (json_object_get (json, "prefix")), NULL, NULL };
    g_autoptr (ReelTensordict) td = golden_tensordict (json_object_get (json, "input"));
    g_autoptr (ReelTensordict) copy = reel_tensordict_clone (td, TRUE, NULL);
    g_autoptr (ReelTensordict) expected = golden_tensordict (json_object_get (json, "output"));
    reel_tensordict_lock (td);
    g_autoptr (ReelTensordict) found = split (td, &keys);
    g_autoptr (ReelTensordict) found_by_default = split (td, NULL);
    g_assert_true (reel_tensordict_equal (found, expected));
    g_assert_true (reel_tensordict_equal (found_by_default, expected));
    g_assert_true (reel_tensordict_equal (td, copy));
  }
}

/* ---- data ---- */

static ReelTensor *
set_new (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  return reel_tensordict_get_tensor (td, path, NULL);
}

static ReelTensordict *
make_done (const char *path)
{
  const gint64 shape[2] = { 3, 1 };
  ReelTensordict *td = reel_tensordict_new (1, shape);

  set_new (td, path, REEL_DTYPE_BOOL, 2, shape)->data[0] = TRUE;
  return td;
}

/* ---- workers ---- */

#define MAX_WORKERS 33
#define MAX_STEPS 97

/* Trajectory k of each worker lasts k + 1 steps. Time is the slow dimension in memory, as in what
 * is collected. */
static ReelTensordict *
collect (gint64 workers, gint64 steps)
{
  const gint64 shape[3] = { steps, workers, 1 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape);
  gint64 *ids = (gint64 *) set_new (td, "collector/traj_ids", REEL_DTYPE_INT64, 2, shape)->data;
  gint64 *counts = (gint64 *) set_new (td, "step_count", REEL_DTYPE_INT64, 3, shape)->data;
  gint64 *who = (gint64 *) set_new (td, "worker", REEL_DTYPE_INT64, 3, shape)->data;
  guint8 *done = set_new (td, "next/done", REEL_DTYPE_BOOL, 3, shape)->data;

  for (gint64 w = 0; w < workers; w++)
    for (gint64 t = 0, k = 0, count = 0; t < steps; t++)
      {
        gint64 at = t * workers + w;
        ids[at] = w + workers * k;
        counts[at] = count++;
        who[at] = w;
        done[at] = count == k + 1;
        if (done[at])
          count = 0, k++;
      }
  /* Dense ids, in order of their first steps. */
  gint64 n = 0;
  gint64 dense[MAX_WORKERS * MAX_STEPS];
  for (gint64 i = 0; i < workers * steps; i++)
    if (counts[i] == 0)
      dense[ids[i]] = n++;
  for (gint64 i = 0; i < workers * steps; i++)
    ids[i] = dense[ids[i]];
  return reel_tensordict_transpose (td, 0, 1, NULL);
}

static gint64
max_of (const ReelTensor *tensor)
{
  g_autoptr (ReelTensor) dense = reel_tensor_clone (tensor, NULL);
  gint64 max = 0;

  for (gint64 i = 0; i < reel_tensor_numel (dense); i++)
    max = MAX (max, ((const gint64 *) dense->data)[i]);
  return max;
}

static const void *
column (const ReelTensordict *td, const char *path)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  g_assert_true (reel_tensor_is_contiguous (tensor));
  return tensor->data;
}

static void
check_rows (const ReelTensordict *found, gint64 n, gint64 longest, gint64 workers, gint64 steps)
{
  const guint8 *mask = column (found, "collector/mask"), *done = column (found, "next/done");
  const gint64 *ids = column (found, "collector/traj_ids"), *who = column (found, "worker");
  g_autofree gint64 *frames = g_new0 (gint64, workers);

  for (gint64 k = 0; k < n; k++)
    {
      gint64 ends = 0;
      for (gint64 i = k * longest; i < (k + 1) * longest; i++)
        {
          g_assert_true (mask[i] || (ids[i] == 0 && who[i] == 0 && done[i] == 0));
          g_assert_true (!mask[i] || ids[i] == ids[k * longest]);
          ends += done[i];
          frames[who[i]] += mask[i];
        }
      g_assert_cmpint (ends, <=, 1);
    }
  for (gint64 w = 0; w < workers; w++)
    g_assert_cmpint (frames[w], ==, steps);
}

/* T2.3-1 */
static void
test_workers (void)
{
  const gint64 steps[] = { 10, 17, 50, MAX_STEPS };

  for (gint64 workers = 3; workers <= MAX_WORKERS; workers++)
    for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
      {
        gint ndim;
        g_autoptr (ReelTensordict) td = collect (workers, steps[i]);
        g_autoptr (ReelTensordict) found = split (td, NULL);
        const gint64 *shape = reel_tensordict_get_batch_size (found, &ndim);
        g_assert_cmpint (ndim, ==, 2);
        g_assert_cmpint (shape[0], ==,
                         max_of (reel_tensordict_get_tensor (td, "collector/traj_ids", NULL)) + 1);
        g_assert_cmpint (shape[1], ==,
                         max_of (reel_tensordict_get_tensor (td, "step_count", NULL)) + 1);
        check_rows (found, shape[0], shape[1], workers, steps[i]);
      }
}

/* ---- every cut ---- */

/* Of [2, 2, T] flags: the rows that a loop over the steps makes, of values 1, 2, 3, … */
static void
check_flags (gint64 steps, guint pattern)
{
  const gint64 shape[4] = { 2, 2, steps, 1 };
  gint64 n = 4 * steps, row = -1, at = 0, longest = 0;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (3, shape);
  guint8 *done = set_new (td, "next/done", REEL_DTYPE_BOOL, 4, shape)->data;
  gint64 *x = (gint64 *) set_new (td, "x", REEL_DTYPE_INT64, 3, shape)->data;
  gint64 rows[16][16] = { { 0 } }, ids[16];

  for (gint64 i = 0; i < n; i++)
    {
      done[i] = pattern >> i & 1;
      x[i] = i + 1;
      if (i % steps == 0 || done[i - 1])
        row++, at = 0;
      rows[row][at++] = x[i];
      ids[i] = row;
      longest = MAX (longest, at);
    }
  g_autoptr (ReelTensordict) found = split (td, NULL);
  const gint64 *values = column (found, "x"), *numbers = column (found, "traj_ids");
  const guint8 *mask = column (found, "mask");
  if (row == 3)
    g_assert_true (values == x);
  else
    g_assert_cmpint (reel_tensordict_get_batch_size (found, &(gint){ 0 })[0], ==, row + 1);
  for (gint64 i = 0; i < (row + 1) * longest; i++)
    {
      gint64 value = rows[i / longest][i % longest];
      g_assert_cmpint (values[i], ==, value);
      g_assert_cmpint (mask[i], ==, value > 0);
      g_assert_cmpint (numbers[i], ==, value > 0 ? ids[value - 1] : 0);
    }
}

static void
test_every_cut (void)
{
  for (gint64 steps = 1; steps <= 3; steps++)
    for (guint pattern = 0; pattern < 1u << (4 * steps); pattern++)
      check_flags (steps, pattern);
}

/* Equal ids of two lanes are two trajectories, and those that come back another one. */
static void
test_runs (void)
{
  const gint64 shape[2] = { 2, 3 }, marks[6] = { 0, 0, 1, 1, 0, 1 };
  const gint64 expected[8] = { 1, 2, 3, 0, 4, 0, 5, 0 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape);
  gint64 *x = (gint64 *) set_new (td, "x", REEL_DTYPE_INT64, 2, shape)->data;

  memcpy (set_new (td, "episode", REEL_DTYPE_INT64, 2, shape)->data, marks, sizeof marks);
  for (gint i = 0; i < 6; i++)
    x[i] = i + 1;
  g_autoptr (ReelTensordict) found = split (td, &(ReelSplitKeys){ .trajectory_key = "episode" });
  g_assert_cmpint (reel_tensordict_get_batch_size (found, &(gint){ 0 })[0], ==, 5);
  g_assert_cmpmem (column (found, "x"), sizeof expected, expected, sizeof expected);
  g_assert_true (reel_tensordict_contains (found, "mask"));
  g_assert_false (reel_tensordict_contains (found, "traj_ids"));
}

/* ---- nested ---- */

/* The padded row of a trajectory begins with it, and the rest of it is zero. */
static void
assert_padded (ReelTensordict *row, ReelTensordict *padded, const guint8 *mask, gint64 longest)
{
  gint64 n = reel_tensordict_numel (row);
  g_autoptr (ReelTensordict) begin = reel_tensordict_slice (padded, 0, 0, n, 1, NULL);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (row);

  for (guint i = 0; leaves[i]; i++)
    {
      ReelTensor *leaf = reel_tensordict_get_tensor (row, leaves[i], NULL);
      g_assert_true (reel_tensor_equal (leaf, reel_tensordict_get_tensor (begin, leaves[i], NULL)));
    }
  for (gint64 t = 0; t < longest; t++)
    g_assert_cmpint (mask[t], ==, t < n);
}

/* T2.3-2: nested and then padded is padded; what is nested is where it was. */
static void
test_nested (void)
{
  for (gint64 workers = 1; workers <= 4; workers++)
    {
      g_autoptr (ReelTensordict) td = collect (workers, 17);
      g_autoptr (ReelTensordict) padded = split (td, NULL);
      g_autoptr (ReelTensordict) nested = reel_split_trajectories (td, NULL, TRUE, NULL);
      const gint64 *shape = reel_tensordict_get_batch_size (padded, &(gint){ 0 });
      const guint8 *mask = column (padded, "collector/mask");
      gsize n;
      ReelTensordict *const *rows = reel_lazy_stack_get_elements (nested, &n);

      g_assert_cmpint (n, ==, shape[0]);
      g_assert_cmpint (reel_tensordict_get_batch_size (nested, &(gint){ 0 })[1], ==, -1);
      g_assert_false (reel_tensordict_contains (nested, "collector/mask"));
      g_assert_true (reel_tensordict_get_tensor (rows[0], "worker", NULL)->data
                     == reel_tensordict_get_tensor (td, "worker", NULL)->data);
      for (gsize k = 0; k < n; k++)
        {
          g_autoptr (ReelTensordict) row = reel_tensordict_select_index (padded, 0, k, NULL);
          assert_padded (rows[k], row, mask + k * shape[1], shape[1]);
        }
    }
}

/* ---- lazy stacks ---- */

/* Two lanes stacked lazily, and agents of different shapes in each step. */
static void
test_lazy (void)
{
  const gint64 shape[3] = { 3, 1, 2 }, wide[3] = { 3, 1, 4 };
  gint ndim;
  ReelTensordict *lanes[2], *agents[2];

  for (gint i = 0; i < 2; i++)
    {
      lanes[i] = make_done ("next/done");
      agents[i] = reel_tensordict_new (1, shape);
      set_new (agents[i], "obs", REEL_DTYPE_FLOAT32, 3, i == 0 ? shape : wide);
    }
  g_autoptr (ReelTensordict) both = reel_lazy_stack_new (agents, 2, 1, NULL);
  g_assert_true (reel_tensordict_set_tensordict (lanes[0], "agents", both, NULL));
  g_autoptr (ReelTensordict) one = split (lanes[0], NULL);
  g_autoptr (ReelTensordict) padded = reel_tensordict_ref_tensordict (one, "agents", NULL);
  g_assert_cmpint (reel_lazy_stack_get_dim (padded), ==, 2);
  const gint64 *batch = reel_tensordict_get_batch_size (padded, &ndim);
  g_assert_cmpint (ndim, ==, 3);
  g_assert_true (batch[0] == 2 && batch[1] == 2 && batch[2] == 2);

  g_assert_true (reel_tensordict_remove (lanes[0], "agents", NULL));
  g_autoptr (ReelTensordict) td = reel_lazy_stack_new (lanes, 2, 0, NULL);
  g_autoptr (ReelTensordict) rows = split (td, NULL);
  g_assert_cmpint (reel_tensordict_get_batch_size (rows, &ndim)[0], ==, 4);
  for (gint i = 0; i < 2; i++)
    {
      reel_tensordict_unref (lanes[i]);
      reel_tensordict_unref (agents[i]);
    }
}

/* ---- keys ---- */

static void
test_keys (void)
{
  const struct
  {
    ReelSplitKeys keys;
    const char *ids, *mask;
  } cases[] = {
    { { NULL, NULL, NULL }, "traj_ids", "mask" },
    { { "a", NULL, NULL }, "a/traj_ids", "a/mask" },
    { { "a/b", NULL, NULL }, "a/b/traj_ids", "a/b/mask" },
    { { NULL, "t", NULL }, "t", "mask" },
    { { "a", "b/t", NULL }, "b/t", "b/mask" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) td = make_done ("next/done");
      g_autoptr (ReelTensordict) found = split (td, &cases[i].keys);
      g_assert_true (reel_tensordict_contains (found, cases[i].ids));
      g_assert_true (reel_tensordict_contains (found, cases[i].mask));
      g_assert_false (reel_tensordict_contains (td, cases[i].ids));
    }
  g_autoptr (ReelTensordict) td = make_done ("next/agents/over");
  g_autoptr (ReelTensordict) found = split (td, &(ReelSplitKeys){ .done_key = "agents/over" });
  g_assert_cmpint (reel_tensordict_get_batch_size (found, &(gint){ 0 })[0], ==, 2);
}

/* ---- other entries ---- */

static void
test_values_and_levels (void)
{
  const gint64 shape[3] = { 3, 2, 4 };
  const char *words[4] = { "a", "b", "c", NULL };
  gint ndim;
  GError *error = NULL;
  g_autoptr (ReelTensordict) td = make_done ("next/done");
  g_autoptr (ReelTensordict) agents = reel_tensordict_new (2, shape);

  set_new (agents, "obs", REEL_DTYPE_FLOAT32, 3, shape);
  g_assert_true (reel_tensordict_set_tensordict (td, "agents", agents, NULL));
  g_assert_true (reel_tensordict_set_value (td, "task", g_variant_new_string ("jump"), NULL));
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("av"));
  for (gint i = 0; words[i]; i++)
    g_variant_builder_add (&list, "v", g_variant_new_string (words[i]));
  g_autoptr (ReelNonTensor) said =
      reel_non_tensor_new_from_list (g_variant_builder_end (&list), 1, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_set_non_tensor (td, "said", said, NULL));

  g_autoptr (ReelTensordict) found = split (td, NULL);
  ReelTensordict *level = reel_tensordict_get_tensordict (found, "agents", NULL);
  const gint64 *batch = reel_tensordict_get_batch_size (level, &ndim);
  g_assert_cmpint (ndim, ==, 3);
  g_assert_cmpint (batch[0], ==, 2);
  g_assert_cmpint (batch[1], ==, 2);
  g_assert_cmpint (batch[2], ==, 2);
  g_autoptr (GVariant) rows = reel_tensordict_dup_value (found, "said", NULL);
  g_autofree char *text = g_variant_print (rows, FALSE);
  g_assert_cmpstr (text, ==, "[<[<'a'>, <@mv nothing>]>, <[<'b'>, <'c'>]>]");
  g_autoptr (GVariant) tasks = reel_tensordict_dup_value (found, "task", NULL);
  g_autofree char *task = g_variant_print (tasks, FALSE);
  g_assert_cmpstr (task, ==, "[<[<'jump'>, <@mv nothing>]>, <[<'jump'>, <'jump'>]>]");
}

/* One lane without an end is handed on as it lies, behind a dimension of one. */
static void
test_one_lane (void)
{
  const gint64 shape[2] = { 3, 1 };
  const char *names[] = { "time" };
  GError *error = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);

  set_new (td, "next/done", REEL_DTYPE_BOOL, 2, shape);
  g_assert_true (reel_tensordict_set_names (td, names, &error));
  g_autoptr (ReelTensordict) found = split (td, NULL);
  ReelTensordict *level = reel_tensordict_get_tensordict (found, "next", NULL);

  g_assert_null (reel_tensordict_get_name (level, 0));
  g_assert_cmpstr (reel_tensordict_get_name (level, 1), ==, "time");
  g_assert_true (reel_tensordict_get_tensor (found, "next/done", NULL)->data
                 == reel_tensordict_get_tensor (td, "next/done", NULL)->data);
  g_assert_false (reel_tensordict_contains (td, "mask"));
}

static void
test_nothing (void)
{
  const gint64 shapes[][3] = { { 0, 3, 1 }, { 2, 0, 1 } };

  for (gint i = 0; i < 2; i++)
    for (gint ndim = 1; ndim <= 2; ndim++)
      {
        g_autoptr (ReelTensordict) td = reel_tensordict_new (ndim, shapes[i]);
        set_new (td, "next/done", REEL_DTYPE_BOOL, 3, shapes[i]);
        if (reel_tensordict_numel (td) > 0)
          continue;
        g_autoptr (ReelTensordict) found = split (td, NULL);
        g_assert_cmpint (reel_tensordict_numel (found), ==, 0);
        g_assert_true (reel_tensordict_contains (found, "mask"));
      }
}

/* ---- refusals ---- */

static void
assert_refused (ReelTensordict *td, gint code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_split_trajectories (td, NULL, FALSE, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
}

static void
test_refusals (void)
{
  const gint64 shape[2] = { 3, 2 };
  g_autoptr (ReelTensordict) scalar = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) bare = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) wide = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) real = reel_tensordict_new (1, shape);

  assert_refused (scalar, REEL_ERROR_RUNTIME,
                  "a tensordict without batch dimensions has no time to split");
  assert_refused (bare, REEL_ERROR_KEY, "key \"next/done\" not found in TensorDict with keys []");
  set_new (wide, "next/done", REEL_DTYPE_BOOL, 2, shape);
  assert_refused (wide, REEL_ERROR_VALUE,
                  "\"next/done\" of shape [3, 2] does not have one element for each step of a "
                  "batch [3]");
  set_new (real, "traj_ids", REEL_DTYPE_FLOAT32, 1, shape);
  assert_refused (real, REEL_ERROR_TYPE, "ids of an integer dtype are expected, not float32");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/split-trajectories/golden", test_golden);
  g_test_add_func ("/core/split-trajectories/workers", test_workers);
  g_test_add_func ("/core/split-trajectories/every-cut", test_every_cut);
  g_test_add_func ("/core/split-trajectories/runs-of-ids", test_runs);
  g_test_add_func ("/core/split-trajectories/nested", test_nested);
  g_test_add_func ("/core/split-trajectories/lazy-stacks", test_lazy);
  g_test_add_func ("/core/split-trajectories/keys", test_keys);
  g_test_add_func ("/core/split-trajectories/values-and-levels", test_values_and_levels);
  g_test_add_func ("/core/split-trajectories/one-lane", test_one_lane);
  g_test_add_func ("/core/split-trajectories/nothing", test_nothing);
  g_test_add_func ("/core/split-trajectories/refusals", test_refusals);

  return g_test_run ();
}
