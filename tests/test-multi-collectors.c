/* Collectors with several workers: data that depend on no number or kind of them. */
#include "collecting.h"

#include <string.h>

#define LANES 4
#define STEPS 23

static const char *const kinds[] = { "threads", "processes" };

/* ---- digests ---- */

static void
add_leaf (GChecksum *sum, ReelTensordict *td, const char *path)
{
  g_autoptr (ReelTensor) dense =
      reel_tensor_contiguous (reel_tensordict_get_tensor (td, path, NULL), NULL);

  g_checksum_update (sum, (const guchar *) path, -1);
  g_checksum_update (sum, dense->data, (gssize) reel_tensor_nbytes (dense));
}

/* add_batch: its rows in the order of lanes, then of time. */
static void
add_batch (GChecksum *sum, ReelTensordict *batch)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (batch);

  for (char **leaf = leaves; *leaf; leaf++)
    add_leaf (sum, batch, *leaf);
}

/* digest_batches: of all batches of a run, and how many episodes ended in it. */
static char *
digest_batches (const char *how, const char *env, const char *policy)
{
  g_autofree char *text =
      g_strdup_printf ("%s,frames-per-batch=%d,total-frames=%d,list-episodes=true", how,
                       LANES * STEPS, LANES * STEPS * 3 - LANES * 2);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, policy, NULL);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  ReelTensordict *batch;
  ReelCollectorStats stats;
  gsize n;

  while (collecting_next (collector, &batch) > 0)
    {
      const ReelCollectorEpisode *episodes = reel_collector_get_episodes (collector, &n);

      add_batch (sum, batch);
      g_checksum_update (sum, (const guchar *) episodes, (gssize) (n * sizeof *episodes));
    }
  reel_collector_get_stats (collector, &stats);
  return g_strdup_printf ("%s %d %d %.17g %.17g", g_checksum_get_string (sum), (int) stats.frames,
                          (int) stats.episodes, stats.return_sum, stats.return_max);
}

static char *
digest_buffer (ReelReplayBuffer *buffer)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  ReelStorageView view;
  g_autoptr (ReelTensordict) rows = NULL;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  rows = reel_replay_buffer_get_numbered_rows (buffer, view.first_row,
                                               view.end_row - view.first_row, NULL);
  g_assert_nonnull (rows);
  add_batch (sum, rows);
  return g_strdup_printf ("%s %d %d", g_checksum_get_string (sum), (int) view.first_row,
                          (int) view.end_row);
}

static const char *const envs[] = {
  "CartPole:num-envs=4,seed=3",
  "CartPole:num-envs=4,seed=3,max-episode-steps=9|step-counter",
  "serial:envs=['CartPole:num-envs=2','CartPole:num-envs=2,max-episode-steps=5'],seed=3",
};

static const char *const policies[] = { "random:seed=5", "constant:value=1" };

static void
test_batches_are_those_of_sync (void)
{
  for (gsize e = 0; e < G_N_ELEMENTS (envs); e++)
    for (gsize p = 0; p < G_N_ELEMENTS (policies); p++)
      {
        g_autofree char *wanted = digest_batches ("sync:threads=1", envs[e], policies[p]);

        for (gint workers = 1; workers <= LANES; workers++)
          for (gint kind = 0; kind < 2; kind++)
            {
              g_autofree char *how = g_strdup_printf (
                  "multi-sync:workers=%d,kind=%s,cat-results=lanes", workers, kinds[kind]);
              g_autofree char *found = digest_batches (how, envs[e], policies[p]);

              g_assert_cmpstr (found, ==, wanted);
            }
      }
}

/* Random batches, restarts, marks, limits: workers do as they are asked. */
static void
test_arguments_are_those_of_sync (void)
{
  static const char *const arguments[] = {
    "reset-at-each-iter=true",
    "set-truncated=true",
    "init-random-frames=100",
    "max-frames-per-traj=6,reset-at-each-iter=true,set-truncated=true,init-random-frames=1",
    "track-traj-ids=false",
    "split-trajs=true",
    "trajs-per-batch=3,max-frames-per-traj=8",
  };

  for (gsize a = 0; a < G_N_ELEMENTS (arguments); a++)
    {
      g_autofree char *sync = g_strdup_printf ("sync:threads=1,%s", arguments[a]);
      g_autofree char *wanted = digest_batches (sync, envs[0], "random:seed=9");

      for (gint workers = 1; workers <= 3; workers++)
        for (gint kind = 0; kind < 2; kind++)
          {
            g_autofree char *how =
                g_strdup_printf ("multi-sync:workers=%d,kind=%s,cat-results=lanes,%s", workers,
                                 kinds[kind], arguments[a]);
            g_autofree char *found = digest_batches (how, envs[0], "random:seed=9");

            g_assert_cmpstr (found, ==, wanted);
          }
    }
}

/* ---- shapes ---- */

typedef struct
{
  const char *how, *env;
  gint ndim;
  gint64 shape[3];
} ShapeCase;

static void
test_shapes (void)
{
  static const ShapeCase cases[] = {
    { "workers=2", "num-envs=2", 2, { 2, 12 } },
    { "workers=2,cat-results=stack", "num-envs=4", 3, { 2, 2, 6 } },
    { "workers=2,cat-results=0", "num-envs=4", 2, { 4, 6 } },
    { "workers=3,cat-results=0", "num-envs=4", 2, { 4, 6 } },
    { "workers=2,cat-results=-1", "num-envs=4", 2, { 2, 12 } },
    { "workers=2,cat-results=0", "num-envs=2", 1, { 24 } },
    { "workers=1,cat-results=-1", "num-envs=4", 2, { 4, 6 } },
    { "workers=1", "num-envs=1", 1, { 24 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint kind = 0; kind < 2; kind++)
      {
        g_autofree char *how = g_strdup_printf ("multi-sync:%s,kind=%s,frames-per-batch=24",
                                                cases[i].how, kinds[kind]);
        g_autofree char *env = g_strdup_printf ("CartPole:%s,seed=1", cases[i].env);
        g_autoptr (ReelCollector) collector = collecting_make_collector (how, env, "random", NULL);
        ReelTensordict *batch;
        gint ndim;
        const gint64 *size;

        g_assert_cmpint (collecting_next (collector, &batch), ==, 24);
        size = reel_tensordict_get_batch_size (batch, &ndim);
        g_assert_cmpint (ndim, ==, cases[i].ndim);
        g_assert_cmpmem (size, ndim * sizeof *size, cases[i].shape, ndim * sizeof *size);
        /* T14.8-1 */
        g_assert_cmpstr (reel_tensordict_get_name (batch, ndim - 1), ==, "time");
      }
}

/* ---- buffers ---- */

static char *
fill (const char *how, const char *env, const char *storage, gint64 total, gboolean resume,
      ReelReplayBuffer *given)
{
  g_autofree char *text = g_strdup_printf ("%s,frames-per-batch=12,total-frames=%d,resume=%s", how,
                                           (int) total, resume ? "true" : "false");
  g_autoptr (ReelReplayBuffer) buffer =
      given ? g_object_ref (given) : collecting_make_buffer (storage, 20 * LANES, 2);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, env, "random:seed=5", buffer);
  ReelTensordict *batch;

  while (collecting_next (collector, &batch) > 0)
    g_assert_null (batch); /* T14.8-14 */
  g_clear_object (&collector);
  return digest_buffer (buffer);
}

static void
test_buffers_are_those_of_sync (void)
{
  for (gsize e = 0; e < G_N_ELEMENTS (envs); e++)
    for (gint64 total = 0; total <= 128; total += 64)
      {
        g_autofree char *wanted = fill ("sync:threads=1", envs[e], "tensor", total, FALSE, NULL);

        for (gint workers = 1; workers <= LANES; workers++)
          {
            g_autofree char *one = g_strdup_printf ("multi-sync:workers=%d", workers);
            g_autofree char *other = g_strdup_printf ("%s,kind=processes", one);
            g_autofree char *threads =
                fill (one, envs[e], workers % 2 ? "records" : "tensor", total, FALSE, NULL);
            g_autofree char *processes =
                fill (other, envs[e], "tensor:shared=true", total, FALSE, NULL);

            g_assert_cmpstr (threads, ==, wanted);
            g_assert_cmpstr (processes, ==, wanted);
          }
      }
}

/* A run that goes on with other workers. */
static void
test_resume (void)
{
  static const char *const ways[] = { "sync:threads=2", "multi-sync:workers=2",
                                      "multi-sync:workers=2,kind=processes" };
  static const char *const resumed[] = {
    "CartPole:num-envs=4,seed=3,max-episode-steps=7",
    "serial:envs=['CartPole:num-envs=2,max-episode-steps=7|vec-norm','CartPole:num-envs=2,"
    "max-episode-steps=5|vec-norm']",
  };

  for (gsize e = 0; e < G_N_ELEMENTS (resumed); e++)
    for (gint64 cut = 0; cut <= 32; cut += LANES * 2)
      for (gsize first = 0; first < G_N_ELEMENTS (ways); first++)
        for (gsize second = 0; second < G_N_ELEMENTS (ways); second++)
          {
            g_autoptr (ReelReplayBuffer) buffer =
                collecting_make_buffer ("tensor:shared=true", 20 * LANES, 2);
            g_autofree char *wanted = fill (ways[0], resumed[e], "tensor", 48, FALSE, NULL);
            g_autofree char *part = fill (ways[first], resumed[e], NULL, cut, FALSE, buffer);
            g_autofree char *whole = fill (ways[second], resumed[e], NULL, 48 - cut, TRUE, buffer);

            g_assert_cmpstr (whole, ==, wanted);
          }
}

/* ---- the rest ---- */

/* T14.8-12: 3 workers of 2 lanes; no two lanes share an id. */
static void
test_ids_are_unique (void)
{
  static const char *const cats[] = { "stack", "0" };

  for (gsize c = 0; c < G_N_ELEMENTS (cats); c++)
    {
      g_autofree char *how =
          g_strdup_printf ("multi-sync:workers=3,frames-per-batch=900,cat-results=%s", cats[c]);
      g_autoptr (ReelCollector) collector = collecting_make_collector (
          how, "CartPole:num-envs=6,max-episode-steps=20", "random", NULL);
      g_autoptr (GHashTable) lanes = g_hash_table_new (NULL, NULL);
      g_autoptr (ReelTensor) ids = NULL;
      ReelTensordict *batch;

      collecting_next (collector, &batch);
      ids = reel_tensor_contiguous (reel_tensordict_get_tensor (batch, "collector/traj_ids", NULL),
                                    NULL);
      g_assert_cmpint (reel_tensor_numel (ids), ==, 900);
      for (gint64 row = 0; row < 900; row++)
        {
          gint64 id = ((const gint64 *) (gconstpointer) ids->data)[row], lane = row / 150 + 1;
          gpointer seen = g_hash_table_lookup (lanes, GSIZE_TO_POINTER (id + 1));

          g_assert_true (seen == NULL || GPOINTER_TO_SIZE (seen) == (gsize) lane);
          g_hash_table_insert (lanes, GSIZE_TO_POINTER (id + 1), GSIZE_TO_POINTER (lane));
        }
      g_assert_cmpuint (g_hash_table_size (lanes), >, 40);
    }
}

/* T14.8-30: seeds are the env's, chained from worker to worker. */
static void
test_seeds (void)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "serial:envs=['CartPole','CartPole']");

  g_assert_cmpuint (reel_env_set_seed (env, 0, REEL_SEEDING_CHAIN), ==, 2841183792);
  g_assert_cmpuint (reel_env_set_seed (env, 0, REEL_SEEDING_STATIC), ==, 0);
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *how, *env, *storage, *part;
  } cases[] = {
    { "frames-per-batch=[4],workers=3,cat-results=nothing", "num-envs=3", NULL, "cat-results" },
    { "frames-per-batch=[4,7,1],workers=2", "num-envs=2", NULL, "3 numbers for 2 workers" },
    { "frames-per-batch=[4,7],workers=2", "num-envs=2", NULL, "side by side" },
    { "frames-per-batch=0", "num-envs=2", NULL, "whole number" },
    { "frames-per-batch=-3", "num-envs=2", NULL, "whole number" },
    { "frames-per-batch=2.5", "num-envs=2", NULL, "whole number" },
    { "preemptive-threshold=1.5", "num-envs=2", NULL, "preemptive-threshold" },
    { "preemptive-threshold=-1", "num-envs=2", NULL, "preemptive-threshold" },
    { "preemptive-threshold=0.5,workers=2", "num-envs=2", "tensor", "a buffer would store" },
    { "preemptive-threshold=0.5,workers=2,split-trajs=true", "num-envs=2", NULL, "split-trajs" },
    { "workers=3", "num-envs=2", NULL, "3 workers are more than the 2 lanes" },
    { "workers=2", "num-envs=3", NULL, "cat-results=stack needs as many lanes" },
    { "workers=2,cat-results=-1", "num-envs=3", NULL, "cat-results=-1 needs as many lanes" },
    { "workers=2,cat-results=-1", "num-envs=4", "tensor", "a buffer takes steps of all lanes" },
    { "workers=2,threads=3", "num-envs=4", NULL, "set workers alone" },
    { "workers=2,kind=processes", "num-envs=4", "tensor", "shared=true" },
    { "workers=2", "num-envs=4|vec-norm", NULL, "depend on one another" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *how = g_strconcat ("multi-sync:", cases[i].how, NULL);
      g_autofree char *text = g_strconcat ("CartPole:", cases[i].env, NULL);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
      g_autoptr (ReelReplayBuffer) buffer =
          cases[i].storage ? collecting_make_buffer (cases[i].storage, 60, 2) : NULL;
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_collector_new (how, env, policy, buffer, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      if (!strstr (error->message, cases[i].part))
        g_error ("%s: %s", how, error->message);
    }
}

static gboolean
act (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  gint64 *most = user_data;

  *most = MAX (*most, n_lanes);
  for (gint64 lane = 0; lane < n_lanes; lane++)
    {
      gint64 *action = (gint64 *) (gpointer) io->action[0] + 2 * lane;

      action[0] = ((const float *) (gconstpointer) io->observation[0])[4 * lane + 2] < 0;
      action[1] = !action[0];
    }
  return TRUE;
}

static char *
digest_function (const char *how, gint64 *most)
{
  g_autofree char *text = g_strconcat (how, ",frames-per-batch=9000,total-frames=9000", NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=3000,seed=3");
  g_autoptr (ReelPolicy) policy = reel_policy_new_callback (act, most, NULL);
  g_autoptr (ReelCollector) collector = reel_collector_new (text, env, policy, NULL, NULL);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  ReelTensordict *batch;

  *most = 0;
  g_assert_cmpint (collecting_next (collector, &batch), ==, 9000);
  add_batch (sum, batch);
  return g_strdup (g_checksum_get_string (sum));
}

/* A policy that sees the lanes of a worker sees all of them in each step, however many they are. */
static void
test_functions_see_all_lanes (void)
{
  gint64 most;
  g_autofree char *wanted = digest_function ("sync:threads=1", &most);

  for (gint workers = 1; workers <= 2; workers++)
    {
      g_autofree char *how = g_strdup_printf ("multi-sync:cat-results=lanes,workers=%d", workers);
      g_autofree char *found = digest_function (how, &most);

      g_assert_cmpint (most, ==, 3000 / workers);
      g_assert_cmpstr (found, ==, wanted);
    }
}

/* The layout that a live buffer is made of: of all lanes, or of one worker. */
static void
test_steps (void)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=6");
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  static const struct
  {
    const char *how;
    gint64 lanes;
  } cases[] = {
    { "sync", 6 },
    { "sync:max-frames-per-traj=5", 6 },
    { "multi-sync:workers=3", 6 },
    { "multi-async:workers=3", 2 },
    { "multi-async:workers=6", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) step =
          reel_collector_make_step (cases[i].how, env, policy, &error);
      gint ndim;
      const gint64 *size;

      g_assert_no_error (error);
      size = reel_tensordict_get_batch_size (step, &ndim);
      g_assert_cmpint (ndim, ==, cases[i].lanes > 0);
      g_assert_true (ndim == 0 || size[0] == cases[i].lanes);
      g_assert_cmpint (reel_tensordict_contains (step, "step_count"), ==,
                       strstr (cases[i].how, "max-frames") != NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/collectors/multi/batches-are-those-of-sync", test_batches_are_those_of_sync);
  g_test_add_func ("/collectors/multi/arguments-are-those-of-sync",
                   test_arguments_are_those_of_sync);
  g_test_add_func ("/collectors/multi/shapes", test_shapes);
  g_test_add_func ("/collectors/multi/buffers-are-those-of-sync", test_buffers_are_those_of_sync);
  g_test_add_func ("/collectors/multi/resume", test_resume);
  g_test_add_func ("/collectors/multi/ids-are-unique", test_ids_are_unique);
  g_test_add_func ("/collectors/multi/seeds", test_seeds);
  g_test_add_func ("/collectors/multi/refusals", test_refusals);
  g_test_add_func ("/collectors/multi/functions-see-all-lanes", test_functions_see_all_lanes);
  g_test_add_func ("/collectors/multi/steps", test_steps);
  return g_test_run ();
}
