/* The contract of collectors: the bytes of the slow way, in TorchRL's keys, for any cut of the work
 * into threads, blocks and batches. */
#include "../src/core/tensor/tensor-private.h"
#include "collecting.h"
#include "contract.h"
#include "lane-oracle.h"
#include "twin-env.h"

#define POLICY "random:seed=11"
#define CARTPOLE "CartPole-v1:seed=5,max-episode-steps=30"
#define TWIN "Twin-v0:seed=5,max-episode-steps=12"

static char *
env_text (const char *env, gint64 lanes)
{
  return g_strdup_printf ("%s,num-envs=%d", env, (int) lanes);
}

static void
assert_stats (ReelCollector *collector, const ReelCollectorStats *expected)
{
  ReelCollectorStats stats;

  reel_collector_get_stats (collector, &stats);
  g_assert_cmpint (stats.frames, ==, expected->frames);
  g_assert_cmpint (stats.episodes, ==, expected->episodes);
  g_assert_cmpint (stats.length_sum, ==, expected->length_sum);
  g_assert_cmpfloat_with_epsilon (stats.return_sum, expected->return_sum, 1e-6);
  g_assert_cmpfloat (stats.return_min, ==, expected->return_min);
  g_assert_cmpfloat (stats.return_max, ==, expected->return_max);
}

typedef struct
{
  const char *env;
  gint64 lanes;
  gint64 n_steps;
} Stream;

/* check_batches: batches of @frames rows are the stream that the oracle gives. */
static void
check_batches (const char *text, const char *env, const Stream *stream, ReelTensordict *expected,
               const ReelCollectorStats *stats)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, POLICY, NULL);
  ReelTensordict *batch;
  gint64 done = 0;

  for (gint64 rows; (rows = collecting_next (collector, &batch)) > 0; done += rows / stream->lanes)
    lane_oracle_assert_rows (expected, done, batch);
  g_assert_cmpint (done, ==, stream->n_steps);
  g_assert_null (batch);
  assert_stats (collector, stats);
}

/* T14.8-5 */
static void
test_any_cut_gives_the_same_bytes (gconstpointer id)
{
  static const Stream streams[] = {
    { CARTPOLE, 1, 200 }, { CARTPOLE, 3, 150 }, { CARTPOLE, 449, 70 },
    { TWIN, 1, 200 },     { TWIN, 2, 150 },     { TWIN, 449, 70 },
  };
  static const gint64 threads[] = { 1, 2, 7 };
  static const gint64 steps[] = { 1, 10, 20, 1000 };

  for (const Stream *stream = streams; stream < streams + G_N_ELEMENTS (streams); stream++)
    {
      g_autofree char *env = env_text (stream->env, stream->lanes);
      ReelCollectorStats stats;
      g_autoptr (ReelTensordict) expected =
          lane_oracle_collect (env, POLICY, stream->n_steps, &stats);
      g_assert_cmpint (stats.episodes, >, stream->lanes);
      for (gsize t = 0; t < G_N_ELEMENTS (threads); t++)
        for (gsize s = 0; s < G_N_ELEMENTS (steps); s++)
          {
            g_autofree char *text = collecting_text (id, steps[s] * stream->lanes,
                                                     stream->n_steps * stream->lanes, threads[t]);
            check_batches (text, env, stream, expected, &stats);
          }
    }
}

/* ReelCollectorEpisode, of the steps that were done, one by one. */
static GArray *
find_episodes (ReelTensordict *steps, gint64 lanes, gint64 n_steps)
{
  const float *reward =
      (const float *) reel_tensordict_get_tensor (steps, "next/reward", NULL)->data;
  const guint8 *done = reel_tensordict_get_tensor (steps, "next/done", NULL)->data;
  GArray *episodes = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
  g_autofree gint64 *length = g_new0 (gint64, lanes);
  g_autofree double *sum = g_new0 (double, lanes);

  for (gint64 row = 0; row < n_steps * lanes; row++)
    {
      gint64 lane = row % lanes;
      ReelCollectorEpisode episode = { .number = episodes->len,
                                       .lane = lane,
                                       .length = ++length[lane],
                                       .n_steps = row / lanes + 1,
                                       .reward_sum = sum[lane] += reward[row] };

      if (!done[row])
        continue;
      g_array_append_val (episodes, episode);
      length[lane] = 0;
      sum[lane] = 0;
    }
  return episodes;
}

static void
assert_episode (const ReelCollectorEpisode *episode, const ReelCollectorEpisode *expected)
{
  g_assert_cmpint (episode->number, ==, expected->number);
  g_assert_cmpint (episode->lane, ==, expected->lane);
  g_assert_cmpint (episode->length, ==, expected->length);
  g_assert_cmpint (episode->n_steps, ==, expected->n_steps);
  g_assert_cmpfloat (episode->reward_sum, ==, expected->reward_sum);
}

/* Every episode is listed by the batch that holds its end, in order. */
static void
check_episodes (const char *text, const char *env, gint64 lanes, ReelReplayBuffer *buffer,
                const GArray *expected)
{
  g_autofree char *listing = g_strconcat (text, ",list-episodes=true", NULL);
  g_autoptr (ReelCollector) collector = collecting_make_collector (listing, env, POLICY, buffer);
  const ReelCollectorEpisode *episodes;
  gint64 rows, done = 0;
  gsize n, known = 0;

  g_assert_null (reel_collector_get_episodes (collector, &n));
  g_assert_cmpint (n, ==, 0);
  while ((rows = collecting_next (collector, NULL)) > 0)
    {
      done += rows / lanes;
      episodes = reel_collector_get_episodes (collector, &n);
      for (gsize i = 0; i < n; i++, known++)
        assert_episode (&episodes[i], &g_array_index (expected, ReelCollectorEpisode, known));
      if (known < expected->len)
        g_assert_cmpint (g_array_index (expected, ReelCollectorEpisode, known).n_steps, >, done);
    }
  g_assert_cmpint (known, ==, expected->len);
  reel_collector_get_episodes (collector, &n);
  g_assert_cmpint (n, ==, 0);
}

static void
test_episodes_are_those_of_the_rows (gconstpointer id)
{
  static const Stream streams[] = { { CARTPOLE, 1, 200 },
                                    { CARTPOLE, 3, 150 },
                                    { CARTPOLE, 449, 70 },
                                    { TWIN, 1, 200 },
                                    { TWIN, 449, 70 } };
  static const gint64 steps[] = { 1, 10, 1000 };

  for (const Stream *stream = streams; stream < streams + G_N_ELEMENTS (streams); stream++)
    for (gsize s = 0; s < G_N_ELEMENTS (steps); s++)
      for (gint64 threads = 1; threads <= 7; threads += 3)
        {
          g_autofree char *env = env_text (stream->env, stream->lanes);
          g_autofree char *text = collecting_text (id, steps[s] * stream->lanes,
                                                   stream->n_steps * stream->lanes, threads);
          g_autoptr (ReelReplayBuffer) ring =
              collecting_make_buffer ("tensor", 7 * stream->lanes, stream->lanes > 1 ? 2 : 1);
          ReelCollectorStats stats;
          g_autoptr (ReelTensordict) rows =
              lane_oracle_collect (env, POLICY, stream->n_steps, &stats);
          g_autoptr (GArray) expected = find_episodes (rows, stream->lanes, stream->n_steps);

          g_assert_cmpint (expected->len, >, 2 * stream->lanes);
          check_episodes (text, env, stream->lanes, threads == 4 ? NULL : ring, expected);
        }
}

/* soil: what a ring holds before it is written must not matter. */
static void
soil (ReelReplayBuffer *buffer)
{
  guint n;
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint64 steps = reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);

  for (guint c = 0; c < n; c++)
    memset (columns[c].data, 0xa5, columns[c].step_bytes * (gsize) steps);
}

/* check_ring: after every batch the buffer holds the newest steps of the stream. */
static void
check_ring (ReelCollector *collector, ReelReplayBuffer *buffer, const Stream *stream,
            gint64 capacity, ReelTensordict *expected)
{
  gint64 done = 0;

  for (gint64 rows; (rows = collecting_next (collector, NULL)) > 0;)
    {
      g_autoptr (GError) error = NULL;
      done += rows / stream->lanes;
      gint64 held = MIN (done, capacity);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, held * stream->lanes);
      g_autoptr (ReelTensordict) newest =
          reel_replay_buffer_get_rows (buffer, 0, held * stream->lanes, &error);
      g_assert_no_error (error);
      lane_oracle_assert_flat_rows (expected, done - held, stream->lanes, newest);
    }
  g_assert_cmpint (done, ==, stream->n_steps);
}

static void
test_rings_hold_the_newest (gconstpointer id)
{
  static const Stream streams[] = { { CARTPOLE, 1, 100 }, { CARTPOLE, 449, 60 }, { TWIN, 5, 100 } };
  static const gint64 capacities[] = { 1, 7, 16, 64, 200 };
  static const gint64 steps[] = { 1, 5, 30 };

  for (const Stream *stream = streams; stream < streams + G_N_ELEMENTS (streams); stream++)
    {
      g_autofree char *env = env_text (stream->env, stream->lanes);
      ReelCollectorStats stats;
      g_autoptr (ReelTensordict) expected =
          lane_oracle_collect (env, POLICY, stream->n_steps, &stats);
      for (gsize c = 0; c < G_N_ELEMENTS (capacities); c++)
        for (gsize s = 0; s < G_N_ELEMENTS (steps); s++)
          {
            g_autofree char *text = collecting_text (id, steps[s] * stream->lanes,
                                                     stream->n_steps * stream->lanes, 1 + c % 3);
            g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer (
                "tensor", capacities[c] * stream->lanes, stream->lanes > 1 ? 2 : 1);
            g_autoptr (ReelCollector) collector =
                collecting_make_collector (text, env, POLICY, buffer);
            soil (buffer);
            check_ring (collector, buffer, stream, capacities[c], expected);
            assert_stats (collector, &stats);
          }
    }
}

/* T14.8-14: what a buffer is given in place is what extending it with the batches gives. */
static void
test_buffer_equals_extending (gconstpointer id)
{
  static const char env[] = CARTPOLE ",num-envs=4";
  g_autofree char *text = collecting_text (id, 32, 256, 1);
  g_autoptr (ReelReplayBuffer) given = collecting_make_buffer ("tensor", 256, 2);
  g_autoptr (ReelReplayBuffer) extended = collecting_make_buffer ("tensor", 256, 2);
  g_autoptr (ReelCollector) filling = collecting_make_collector (text, env, POLICY, given);
  g_autoptr (ReelCollector) yielding = collecting_make_collector (text, env, POLICY, NULL);
  g_autoptr (GError) error = NULL;

  for (ReelTensordict *batch, *nothing; collecting_next (yielding, &batch) > 0;)
    {
      g_assert_true (reel_replay_buffer_extend (extended, batch, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpint (collecting_next (filling, &nothing), ==, 32);
      g_assert_null (nothing);
      g_autoptr (ReelTensordict) ours = reel_replay_buffer_get_all (given, &error);
      g_autoptr (ReelTensordict) theirs = reel_replay_buffer_get_all (extended, &error);
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (ours, theirs));
    }
  g_assert_cmpint (reel_replay_buffer_get_length (given), ==, 256);
}

/* Two buffers of their own transforms or writers, one filled by a collector, one extended by what
 * another gives. */
static void
check_extending (const char *id, const char *env, ReelReplayBuffer *given,
                 ReelReplayBuffer *extended)
{
  g_autofree char *text = collecting_text (id, 32, 256, 1);
  g_autoptr (ReelCollector) filling = collecting_make_collector (text, env, POLICY, given);
  g_autoptr (ReelCollector) yielding = collecting_make_collector (text, env, POLICY, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_can_reserve (given));
  for (ReelTensordict *batch, *nothing; collecting_next (yielding, &batch) > 0;)
    {
      g_assert_true (reel_replay_buffer_extend (extended, batch, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpint (collecting_next (filling, &nothing), ==, 32);
      g_assert_null (nothing);
      g_autoptr (ReelTensordict) ours = reel_replay_buffer_get_all (given, &error);
      g_autoptr (ReelTensordict) theirs = reel_replay_buffer_get_all (extended, &error);
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (ours, theirs));
    }
  g_assert_cmpint (reel_replay_buffer_get_length (given), >, 0);
}

static void
test_buffers_that_lend_nothing_are_extended (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) given = collecting_make_buffer ("tensor", 256, 2);
  g_autoptr (ReelReplayBuffer) extended = collecting_make_buffer ("tensor", 256, 2);
  g_autoptr (ReelReplayBuffer) best = collecting_make_buffer ("tensor", 20, 1);
  g_autoptr (ReelReplayBuffer) others = collecting_make_buffer ("tensor", 20, 1);

  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTransform) transform =
          reel_object_new_from_text (REEL_TYPE_TRANSFORM, "multi-step:n-steps=3", NULL, NULL);
      g_autoptr (ReelWriter) writer = reel_object_new_from_text (
          REEL_TYPE_WRITER, "max-value:rank-key=observation", NULL, NULL);

      g_assert_true (
          reel_replay_buffer_append_transform (i ? given : extended, transform, FALSE, NULL));
      g_assert_true (reel_replay_buffer_set_writer (i ? best : others, writer, NULL, NULL));
    }
  check_extending (id, CARTPOLE ",num-envs=4", given, extended);
  check_extending (id, CARTPOLE, best, others);
}

/* The properties that samplers of a kind need. */
static const char *
necessary_properties (const char *sampler)
{
  if (strstr (sampler, "lice"))
    return ":slice-len=1";
  return strstr (sampler, "equence") ? ":length=1" : "";
}

/* T3.8-25 */
static void
test_any_sampler_over_two_lanes (gconstpointer id)
{
  gsize n;
  g_autofree const ReelId **samplers = contract_list_kinds (REEL_TYPE_SAMPLER, &n);
  g_autofree char *text = collecting_text (id, 4, 40, 1);
  g_autoptr (ReelWriter) best =
      reel_object_new_from_text (REEL_TYPE_WRITER, "max-value", NULL, NULL);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 10, 2);
      g_autofree char *which =
          g_strconcat (samplers[i]->id, necessary_properties (samplers[i]->id), NULL);
      g_autoptr (ReelSampler) sampler =
          reel_object_new_from_text (REEL_TYPE_SAMPLER, which, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (sampler);
      if (!reel_replay_buffer_set_sampler (buffer, sampler, NULL, NULL))
        continue;
      g_autoptr (ReelCollector) collector =
          collecting_make_collector (text, CARTPOLE ",num-envs=2", POLICY, buffer);
      for (ReelTensordict *nothing; collecting_next (collector, &nothing) > 0;)
        {
          g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, &error);
          gint ndim;
          const gint64 *size = reel_tensordict_get_batch_size (all, &ndim);

          g_assert_no_error (error);
          g_assert_cmpint (ndim, ==, 2);
          g_assert_cmpint (size[0], ==, 2);
          g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, size[0] * size[1]);
        }
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 10);
      g_assert_false (reel_replay_buffer_set_writer (buffer, best, NULL, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
}

/* T14.8-1: as many rows as whole steps need, time last and named; T14.8-2: the keys, without those
 * of a policy that keeps none. */
static void
test_batches_are_ted (gconstpointer id)
{
  static const char *const keys[] = {
    "action",         "observation",        "done",
    "terminated",     "truncated",          "next/observation",
    "next/reward",    "next/done",          "next/terminated",
    "next/truncated", "collector/traj_ids", NULL,
  };
  g_autofree char *text = collecting_text (id, 20, -1, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, CARTPOLE ",num-envs=3", POLICY, NULL);
  ReelTensordict *batch;
  gint ndim;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 21);
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);
  g_assert_cmpint (ndim, ==, 2);
  g_assert_cmpint (size[0], ==, 3);
  g_assert_cmpint (size[1], ==, 7);
  g_assert_null (reel_tensordict_get_name (batch, 0));
  g_assert_cmpstr (reel_tensordict_get_name (batch, 1), ==, "time");
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (batch);
  g_assert_cmpstrv (leaves, keys);
}

static void
test_one_lane_is_unbatched (gconstpointer id)
{
  g_autofree char *text = collecting_text (id, 200, -1, 1);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, CARTPOLE, POLICY, NULL);
  ReelTensordict *batch;
  gint ndim;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 200);
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);
  g_assert_cmpint (ndim, ==, 1);
  g_assert_cmpint (size[0], ==, 200);
  g_assert_cmpstr (reel_tensordict_get_name (batch, 0), ==, "time");
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "action", NULL)->shape[1], ==, 2);
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "collector/traj_ids", NULL)->ndim, ==, 1);
}

/* T14.8-16 */
static void
test_stats_count_what_was_given (gconstpointer id)
{
  static const gint64 frames[] = { 16, 16, 0, 0 };
  g_autofree char *text = collecting_text (id, 16, 31, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, CARTPOLE ",num-envs=4", POLICY, NULL);
  ReelCollectorStats stats;
  gint64 total = 0;

  reel_collector_get_stats (collector, &stats);
  g_assert_cmpint (stats.frames, ==, 0);
  g_assert_cmpint (stats.batches, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (frames); i++)
    {
      g_assert_cmpint (collecting_next (collector, NULL), ==, frames[i]);
      total += frames[i];
      reel_collector_get_stats (collector, &stats);
      g_assert_cmpint (stats.frames, ==, total);
      g_assert_cmpint (stats.batches, ==, MIN (i + 1, 2));
    }
}

static void
test_last_batch_is_short (gconstpointer id)
{
  static const gint64 frames[] = { 16, 16, 8, 0 };
  g_autofree char *text = collecting_text (id, 16, 37, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, CARTPOLE ",num-envs=4", POLICY, NULL);
  ReelTensordict *batch;

  for (gsize i = 0; i < G_N_ELEMENTS (frames); i++)
    {
      g_assert_cmpint (collecting_next (collector, &batch), ==, frames[i]);
      g_assert_cmpint (batch ? reel_tensordict_numel (batch) : 0, ==, frames[i]);
    }
}

static void
test_stop (gconstpointer id)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (id, CARTPOLE, POLICY, NULL);
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 1000);
  reel_collector_stop (collector);
  g_assert_cmpint (collecting_next (collector, &batch), ==, 0);
  g_assert_null (batch);
}

static void
assert_refused (const char *id, const char *env, ReelReplayBuffer *buffer, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) the_env = collecting_make (REEL_TYPE_ENV, env);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, POLICY);

  g_assert_null (reel_collector_new (id, the_env, policy, buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, words));
}

/* Rows of the env, one leaf of which @change makes another. */
static ReelReplayBuffer *
make_changed_buffer (const char *id, void (*change) (ReelTensordict *batch))
{
  g_autofree char *text = collecting_text (id, 8, 8, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, CARTPOLE ",num-envs=2", POLICY, NULL);
  ReelReplayBuffer *buffer = collecting_make_buffer ("tensor", 100, 2);
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 8);
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (batch, TRUE, NULL);
  change (copy);
  g_assert_true (reel_replay_buffer_extend (buffer, copy, NULL, NULL));
  return buffer;
}

static void
widen_observation (ReelTensordict *batch)
{
  g_autoptr (ReelTensor) wide = reel_tensor_convert (
      reel_tensordict_get_tensor (batch, "observation", NULL), REEL_DTYPE_FLOAT64, NULL);

  g_assert_true (reel_tensordict_set_tensor (batch, "observation", wide, NULL));
}

static void
add_key (ReelTensordict *batch)
{
  g_autoptr (ReelTensor) reward =
      reel_tensor_ref ((ReelTensor *) reel_tensordict_get_tensor (batch, "next/reward", NULL));

  g_assert_true (reel_tensordict_set_tensor (batch, "extra", reward, NULL));
}

static void
test_buffers_that_do_not_fit (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) wide = make_changed_buffer (id, widen_observation);
  g_autoptr (ReelReplayBuffer) more = make_changed_buffer (id, add_key);
  g_autoptr (ReelReplayBuffer) steps = collecting_make_buffer ("tensor", 100, 2);

  assert_refused (id, CARTPOLE, steps, "ndim=1");
  assert_refused (id, CARTPOLE ",num-envs=2", wide, "float64");
  assert_refused (id, CARTPOLE ",num-envs=2", more, "extra");
  g_autoptr (ReelCollector) fits =
      collecting_make_collector (id, CARTPOLE ",num-envs=2", POLICY, steps);
  assert_refused (id, CARTPOLE ",num-envs=3", steps, "2 lanes");
  assert_refused (id, TWIN ",num-envs=2", steps, "choice");
  assert_refused (id, CARTPOLE ",num-envs=2,action-encoding=categorical", steps, "action");
}

/* A range of lanes ends at 1024: lanes beyond it begin anew too. */
static void
test_all_of_many_lanes_begin_anew (gconstpointer id)
{
  enum
  {
    LANES = 1500,
    STEPS = 30
  };
  g_autofree char *text = collecting_text (id, LANES * STEPS, LANES * STEPS, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (text, CARTPOLE ",num-envs=1500", POLICY, NULL);
  ReelTensordict *batch;
  gint n_ended = 0;

  g_assert_cmpint (collecting_next (collector, &batch), ==, LANES * STEPS);
  g_autoptr (ReelTensordict) whole = reel_tensordict_contiguous (batch, NULL);
  const guint8 *done = reel_tensordict_get_tensor (whole, "next/done", NULL)->data;
  const gint64 *ids =
      (const gint64 *) reel_tensordict_get_tensor (whole, "collector/traj_ids", NULL)->data;

  for (gint64 lane = 0; lane < LANES; lane++)
    for (gint64 row = lane * STEPS; row < lane * STEPS + STEPS - 1; row++)
      {
        g_assert_true ((ids[row] != ids[row + 1]) == (gboolean) done[row]);
        n_ended += lane >= 1024 && done[row];
      }
  g_assert_cmpint (n_ended, >, 100);
}

static const ContractTest contract[] = {
  { "any-cut-gives-the-same-bytes", test_any_cut_gives_the_same_bytes },
  { "episodes-are-those-of-the-rows", test_episodes_are_those_of_the_rows },
  { "rings-hold-the-newest", test_rings_hold_the_newest },
  { "buffer-equals-extending", test_buffer_equals_extending },
  { "buffers-that-lend-nothing-are-extended", test_buffers_that_lend_nothing_are_extended },
  { "any-sampler-over-two-lanes", test_any_sampler_over_two_lanes },
  { "batches-are-ted", test_batches_are_ted },
  { "one-lane-is-unbatched", test_one_lane_is_unbatched },
  { "stats-count-what-was-given", test_stats_count_what_was_given },
  { "last-batch-is-short", test_last_batch_is_short },
  { "stop", test_stop },
  { "all-of-many-lanes-begin-anew", test_all_of_many_lanes_begin_anew },
  { "refuses-buffers-that-do-not-fit", test_buffers_that_do_not_fit },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_TWIN_ENV);

  /* A batch of multi-async is of one worker's lanes. */
  contract_add_but ("collectors", REEL_TYPE_COLLECTOR, g_type_from_name ("ReelMultiAsyncCollector"),
                    contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
