/* Batches of the real TorchRL's collectors with several workers, and those of ours of the same
 * environments and policy. Workers there race for trajectory ids, which are compared up to their
 * names. */
#include "table-env.h"

#include <string.h>

#define IDS "collector/traj_ids"

/* The collector of ours for each case. */
static const struct
{
  const char *id, *how;
} ways[] = {
  { "multi-sync-stack", "multi-sync:frames-per-batch=10,total-frames=20,cat-results=stack" },
  { "multi-sync-cat0", "MultiSyncCollector:frames-per-batch=10,total-frames=20,cat-results=0" },
  { "multi-sync-cat-last", "multi-sync:frames-per-batch=10,total-frames=20,cat-results=-1" },
  { "multi-sync-default", "MultiSyncDataCollector:frames-per-batch=10,total-frames=20" },
  { "multi-sync-batched", "multi-sync:frames-per-batch=24,total-frames=24,cat-results=0" },
  { "multi-sync-batched-stack", "multi-sync:frames-per-batch=24,total-frames=24" },
  { "multi-sync-split", "multi-sync:frames-per-batch=14,total-frames=14,split-trajs=true" },
  { "multi-sync-uneven",
    "multi-sync:frames-per-batch=[4,7],total-frames=22,cat-results=0" }, /* T14.8-28 */
  { "multi-sync-weights", "multi-sync:frames-per-batch=8,total-frames=24" },
  { "multi-async-one", "AsyncCollector:frames-per-batch=8,total-frames=24" },
  { "multi-async-same", "MultiaSyncDataCollector:frames-per-batch=6,total-frames=24" },
};

/* ---- the policy: a gain, clipped ---- */

static gboolean
act (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  const float *gain = user_data;

  for (gint64 lane = 0; lane < n_lanes; lane++)
    for (gint i = 0; i < 2; i++)
      {
        const float *seen = (const float *) (gconstpointer) io->observation[0]; /* before echo */

        ((float *) (gpointer) io->action[0])[2 * lane + i] =
            CLAMP (*gain * seen[4 * lane + i], -1.0f, 1.0f);
      }
  return TRUE;
}

/* ---- environments ---- */

static ReelEnv *
make_env (const json_t *golden)
{
  const json_t *names = json_object_get (golden, "env");
  const json_t *seeds = json_object_get (golden, "seeds");
  ReelEnv *envs[2] = { NULL };
  gsize n = json_array_size (names);
  ReelEnv *env;

  for (gsize i = 0; i < n; i++)
    envs[i] = table_env_new (golden_env_table (json_string_value (json_array_get (names, i))));
  env = n > 1 ? reel_serial_env_new (envs, n, NULL) : g_object_ref (envs[0]);
  for (gsize i = 0; i < n; i++)
    {
      if (seeds)
        {
          table_env_follow_seeds (envs[i]);
          reel_env_set_seed (envs[i], (guint64) json_integer_value (json_array_get (seeds, i)),
                             REEL_SEEDING_STATIC);
        }
      g_object_unref (envs[i]);
    }
  g_assert_nonnull (env);
  return env;
}

/* ---- batches ---- */

static ReelTensordict *
without_ids (ReelTensordict *td)
{
  ReelTensordict *copy = reel_tensordict_clone (td, TRUE, NULL);

  g_assert_true (reel_tensordict_remove (copy, IDS, NULL));
  return copy;
}

static gboolean
equal_rows (ReelTensordict *ours, gint64 i, ReelTensordict *theirs, gint64 j)
{
  g_autoptr (ReelTensordict) a = reel_tensordict_slice (ours, 0, i, i + 1, 1, NULL);
  g_autoptr (ReelTensordict) b = reel_tensordict_slice (theirs, 0, j, j + 1, 1, NULL);

  return reel_tensordict_equal (a, b);
}

/* assert_same_rows: in any order. */
static void
assert_same_rows (ReelTensordict *ours, ReelTensordict *theirs)
{
  gint ndim;
  gint64 n = reel_tensordict_get_batch_size (theirs, &ndim)[0];
  g_autofree gboolean *used = g_new0 (gboolean, n);

  g_assert_cmpint (reel_tensordict_get_batch_size (ours, &ndim)[0], ==, n);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 j = 0;

      while (j < n && (used[j] || !equal_rows (ours, i, theirs, j)))
        j++;
      g_assert_cmpint (j, <, n);
      used[j] = TRUE;
    }
}

static void
append_ids (GArray *ids, ReelTensordict *td)
{
  g_autoptr (ReelTensor) dense =
      reel_tensor_contiguous (reel_tensordict_get_tensor (td, IDS, NULL), NULL);

  g_array_append_vals (ids, dense->data, (guint) reel_tensor_numel (dense));
}

static void
assert_renamed (const GArray *ours, const GArray *theirs)
{
  g_assert_cmpint (ours->len, ==, theirs->len);
  for (guint i = 0; i < ours->len; i++)
    for (guint j = 0; j < i; j++)
      g_assert_cmpint (g_array_index (ours, gint64, i) == g_array_index (ours, gint64, j), ==,
                       g_array_index (theirs, gint64, i) == g_array_index (theirs, gint64, j));
}

static void
assert_names (ReelTensordict *ours, const json_t *theirs)
{
  const json_t *names = json_object_get (theirs, "names");

  for (gsize i = 0; i < json_array_size (names); i++)
    g_assert_cmpstr (reel_tensordict_get_name (ours, (gint) i), ==,
                     json_string_value (json_array_get (names, i)));
}

/* find_batch: the batch of theirs that ours, the @n-th one, is to be: of one worker's batches the
 * next, where workers come in any order. */
static const json_t *
find_batch (const json_t *golden, gboolean any_order, ReelTensordict *ours, gsize n, gsize *counts)
{
  const json_t *batches = json_object_get (golden, "batches");
  gint64 id;
  gsize next;

  if (!any_order)
    return json_array_get (batches, n);
  memcpy (&id, reel_tensordict_get_tensor (ours, IDS, NULL)->data, sizeof id);
  next = counts[id % 2]++;
  for (gsize i = 0; i < json_array_size (batches); i++)
    {
      g_autoptr (ReelTensordict) theirs = golden_tensordict (json_array_get (batches, i));
      g_autoptr (ReelTensordict) first = golden_tensordict (json_array_get (batches, 0));
      g_autoptr (ReelTensordict) a = without_ids (theirs), b = without_ids (first);

      /* Both workers play the same tables: what differs from the first batch is a later one. */
      if (next == 0 ? i == 0 : !reel_tensordict_equal (a, b))
        return json_array_get (batches, i);
    }
  return NULL;
}

static const json_t *
find_case (const json_t *file, const char *id)
{
  json_t *golden;
  gsize i;

  json_array_foreach (json_object_get (file, "cases"), i, golden)
  {
    if (g_str_equal (json_string_value (json_object_get (golden, "id")), id))
      return golden;
  }
  g_error ("no case %s", id);
}

static void
check (gconstpointer data, const char *kind)
{
  gsize way = GPOINTER_TO_SIZE (data), counts[2] = { 0 }, n = 0;
  g_autoptr (json_t) file = golden_load ("multi-collectors.json");
  const json_t *golden = find_case (file, ways[way].id);
  gboolean any_order = g_str_equal (ways[way].id, "multi-async-same");
  float gain = 0.25f;
  g_autoptr (ReelEnv) env = make_env (golden);
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act, &gain, NULL);
  g_autofree char *how = g_strdup_printf ("%s,kind=%s", ways[way].how, kind);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCollector) collector = reel_collector_new (how, env, policy, NULL, &error);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) golden_ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  ReelTensordict *batch;

  g_assert_no_error (error);
  for (; reel_collector_next (collector, &batch, &error) > 0; n++)
    {
      const json_t *wanted = find_batch (golden, any_order, batch, n, counts);
      g_autoptr (ReelTensordict) theirs = wanted ? golden_tensordict (wanted) : NULL;
      g_autoptr (ReelTensordict) ours = without_ids (batch);
      g_autoptr (ReelTensordict) rest = theirs ? without_ids (theirs) : NULL;

      if (g_str_equal (ways[way].id, "multi-sync-weights"))
        gain = -0.5f;
      if (any_order && counts[0] + counts[1] > 0 && MAX (counts[0], counts[1]) > 2)
        continue; /* TorchRL's file has two batches of each worker */
      g_assert_nonnull (theirs);
      if (strstr (how, "split-trajs"))
        {
          assert_same_rows (ours, rest);
          continue;
        }
      assert_names (batch, wanted);
      g_assert_true (reel_tensordict_equal (ours, rest));
      append_ids (ids, batch);
      append_ids (golden_ids, theirs);
    }
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, json_array_size (json_object_get (golden, "batches")));
  if (!any_order)
    assert_renamed (ids, golden_ids);
}

static void
test_on_threads (gconstpointer data)
{
  check (data, "threads");
}

/* A process has its copy of what the policy reads, as it was at the first batch. */
static void
test_on_processes (gconstpointer data)
{
  if (g_str_equal (ways[GPOINTER_TO_SIZE (data)].id, "multi-sync-weights"))
    g_test_skip ("weights of a C function are its own");
  else
    check (data, "processes");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *threads = g_strdup_printf ("/collectors/golden/%s/threads", ways[i].id);
      g_autofree char *processes = g_strdup_printf ("/collectors/golden/%s/processes", ways[i].id);

      g_test_add_data_func (threads, GSIZE_TO_POINTER (i), test_on_threads);
      g_test_add_data_func (processes, GSIZE_TO_POINTER (i), test_on_processes);
    }
  return g_test_run ();
}
