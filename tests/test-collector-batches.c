/* Batches that a collector splits and processes, and episodes that it cuts. */
#include "collecting.h"

#include <string.h>

#define LANES 3

static ReelTensordict *
collect_one (const char *how, const char *env)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (how, env, "random:seed=5", NULL);
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), >, 0);
  g_assert_nonnull (batch);
  return reel_tensordict_ref (batch);
}

static gint64
read_int64 (ReelTensordict *td, const char *path, gint64 row, gint64 step)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (td, path, NULL);
  gint64 value;

  memcpy (&value, leaf->data + row * leaf->strides[0] + step * leaf->strides[1], sizeof value);
  return value;
}

static gboolean
read_flag (ReelTensordict *td, const char *path, gint64 row, gint64 step)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (td, path, NULL);

  return leaf->data[row * leaf->strides[0] + step * leaf->strides[1]];
}

/* ---- episodes that are cut ---- */

static void
test_limit_truncates (void)
{
  g_autoptr (ReelTensordict) batch =
      collect_one ("sync:frames-per-batch=60,max-frames-per-traj=7", "Pendulum:num-envs=3");

  for (gint64 lane = 0; lane < LANES; lane++)
    for (gint64 step = 0; step < 20; step++)
      {
        g_assert_cmpint (read_int64 (batch, "step_count", lane, step), ==, step % 7);
        g_assert_cmpint (read_flag (batch, "next/truncated", lane, step), ==, step % 7 == 6);
        g_assert_cmpint (read_int64 (batch, "collector/traj_ids", lane, step), ==,
                         lane + LANES * (step / 7));
      }
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *how, *env, *part;
  } cases[] = {
    { "sync:max-frames-per-traj=5", "CartPole:num-envs=3|step-counter", "\"step_count\"" },
    { "sync:total-episodes=5,set-truncated=true", "CartPole:num-envs=3", "set-truncated" },
    { "sync:total-episodes=5,reset-at-each-iter=true", "CartPole:num-envs=3", "reset-at" },
    { "multi-sync:workers=3,total-episodes=5,set-truncated=true", "CartPole:num-envs=3",
      "set-truncated" },
    { "multi-sync:workers=3,total-episodes=5,cat-results=-1", "CartPole:num-envs=3",
      "cat-results" },
    { "sync:split-trajs=true,resume=true", "CartPole:num-envs=3", "split, processed" },
    { "sync:postproc=(exclude:keys=action),resume=true", "CartPole:num-envs=3", "processed" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, cases[i].env);
      g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
      gboolean is_long = strstr (cases[i].how, "cat-results") != NULL; /* no buffer takes that */
      g_autoptr (ReelReplayBuffer) buffer =
          is_long ? NULL : collecting_make_buffer ("tensor", 60, 2);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_collector_new (cases[i].how, env, policy, buffer, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE); /* T14.8-11 */
      g_assert_nonnull (strstr (error->message, cases[i].part));
    }
}

/* The end of the Nth episode in a run that has no such limit: its steps. */
static gint64
find_end (gint64 lanes, gint64 n_episodes)
{
  g_autofree char *env = g_strdup_printf ("CartPole:num-envs=%" G_GINT64_FORMAT, lanes);
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=8000,list-episodes=true", env, "random:seed=5", NULL);

  for (;;)
    {
      gsize n;
      const ReelCollectorEpisode *episodes;

      collecting_next (collector, NULL);
      episodes = reel_collector_get_episodes (collector, &n);
      for (gsize i = 0; i < n; i++)
        if (episodes[i].number == n_episodes - 1)
          return episodes[i].n_steps;
    }
}

static void
test_episodes_end_it (void)
{
  static const gint64 lanes[] = { 1, 3, 64 }, n_episodes[] = { 1, 2, 5, 64, 200 };
  static const char *const hows[] = { "sync:threads=1,frames-per-batch=1", "sync:threads=2",
                                      "sync:frames-per-batch=77",
                                      "multi-sync:cat-results=lanes,frames-per-batch=77" };

  for (gsize l = 0; l < G_N_ELEMENTS (lanes); l++)
    for (gsize e = 0; e < G_N_ELEMENTS (n_episodes); e++)
      for (gsize h = 0; h < G_N_ELEMENTS (hows); h++)
        {
          g_autofree char *env = g_strdup_printf ("CartPole:num-envs=%" G_GINT64_FORMAT, lanes[l]);
          g_autofree char *how =
              g_strdup_printf ("%s,total-episodes=%" G_GINT64_FORMAT, hows[h], n_episodes[e]);
          g_autoptr (ReelCollector) collector =
              collecting_make_collector (how, env, "random:seed=5", NULL);
          gint64 n, rows = 0;

          while ((n = collecting_next (collector, NULL)) > 0)
            rows += n;
          g_assert_cmpint (rows, ==, lanes[l] * find_end (lanes[l], n_episodes[e]));
          g_assert_cmpint (collecting_next (collector, NULL), ==, 0);
        }
}

/* Trajectories that are fewer than those of a write are written where the episodes end the run. */
static void
test_episodes_end_writes (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 6000, 1);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync:trajs-per-batch=1,trajs-per-write=7,total-episodes=20",
                                 "CartPole:num-envs=3", "random:seed=5", buffer);
  ReelCollectorStats stats;

  while (collecting_next (collector, NULL) > 0)
    ;
  reel_collector_get_stats (collector, &stats);
  g_assert_cmpint (stats.episodes, >=, 20);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, stats.length_sum);
}

/* ---- batches ---- */

/* T14.8-6, T14.8-22: one id a row, its steps in order, padding behind a mask; a trajectory over the
 * seam is a row in both batches. */
static void
test_rows_are_trajectories (void)
{
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync:frames-per-batch=60,split-trajs=true,max-frames-per-traj=9",
                                 "CartPole:num-envs=3", "random:seed=5", NULL);
  gint64 n_rows = 0;

  for (gint b = 0; b < 3; b++)
    {
      ReelTensordict *batch;
      gint ndim;
      const gint64 *size;
      gint64 valid = 0;

      g_assert_cmpint (collecting_next (collector, &batch), ==, 60);
      size = reel_tensordict_get_batch_size (batch, &ndim);
      g_assert_cmpint (ndim, ==, 2);
      for (gint64 row = 0; row < size[0]; row++)
        for (gint64 step = 0; step < size[1]; step++)
          if (read_flag (batch, "collector/mask", row, step))
            {
              g_assert_cmpint (read_int64 (batch, "collector/traj_ids", row, step), ==,
                               read_int64 (batch, "collector/traj_ids", row, 0));
              g_assert_cmpint (read_int64 (batch, "step_count", row, step), ==,
                               read_int64 (batch, "step_count", row, 0) + step);
              valid++;
            }
          else
            g_assert_cmpint (read_int64 (batch, "step_count", row, step), ==, 0);
      g_assert_cmpint (valid, ==, 60);
      n_rows += size[0];
    }
  g_assert_cmpint (n_rows, >, 9);
}

/* A processed batch is the transform of the batch, and the transform sees it split. */
static void
test_batches_are_processed (void)
{
  static const char *const chains[] = {
    "exclude:keys=[next/observation,action]",
    "reward-scaling:in-keys=next/reward,loc=0,scale=2|rename:in-keys=observation,out-keys=seen",
    "reward-to-go:gamma=0.5,in-keys=next/reward,out-keys=returns",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    for (gint splits = 0; splits < (i == 2 ? 1 : 2); splits++) /* a row that is cut has no end */
      {
        g_autofree char *plain =
            g_strdup_printf ("sync:frames-per-batch=180,max-frames-per-traj=9,split-trajs=%s",
                             splits ? "true" : "false");
        g_autofree char *how = g_strdup_printf ("%s,postproc=(%s)", plain, chains[i]);
        g_autoptr (ReelTensordict) batch = collect_one (plain, "CartPole:num-envs=3");
        g_autoptr (ReelTensordict) ours = collect_one (how, "CartPole:num-envs=3");
        g_autoptr (ReelTransform) chain = collecting_make (REEL_TYPE_TRANSFORM, chains[i]);
        g_autoptr (ReelTensordict) written = NULL, wanted = NULL;

        g_assert_true (reel_transform_inverse (chain, batch, &written, NULL));
        wanted = reel_transform_forward (chain, written, NULL);
        g_assert_nonnull (wanted);
        g_assert_true (reel_tensordict_equal (ours, wanted));
      }
}

/* T14.8-15: a buffer holds what the transform made, and its keys alone. */
static void
test_buffer_gets_processed_rows (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 300, 2);
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=30,total-frames=120,postproc=(exclude:keys=[next/observation]|"
      "reward-scaling:in-keys=next/reward,loc=0,scale=2)",
      "CartPole:num-envs=3", "random:seed=5", buffer);
  g_autoptr (ReelTensordict) rows = NULL;
  const ReelTensor *reward;

  while (collecting_next (collector, NULL) > 0)
    ;
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 120);
  rows = reel_replay_buffer_get_all (buffer, NULL);
  g_assert_false (reel_tensordict_contains (rows, "next/observation"));
  reward = reel_tensordict_get_tensor (rows, "next/reward", NULL);
  for (gint64 i = 0; i < 120; i++)
    g_assert_cmpfloat (((const float *) (gconstpointer) reward->data)[i], ==, 2);
}

/* Steps that a transform holds back come with the next batch. */
static void
test_steps_held_back_follow (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 300, 2);
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", 300, 2);
  g_autoptr (ReelCollector) parts = collecting_make_collector (
      "sync:frames-per-batch=6,total-frames=120,postproc=(multi-step:n-steps=3,gamma=0.9)",
      "CartPole:num-envs=3", "random:seed=5", buffer);
  g_autoptr (ReelCollector) at_once = collecting_make_collector (
      "sync:frames-per-batch=120,total-frames=120,postproc=(multi-step:n-steps=3,gamma=0.9)",
      "CartPole:num-envs=3", "random:seed=5", whole);
  g_autoptr (ReelTensordict) rows = NULL, others = NULL;

  while (collecting_next (parts, NULL) > 0)
    ;
  while (collecting_next (at_once, NULL) > 0)
    ;
  rows = reel_replay_buffer_get_all (buffer, NULL);
  others = reel_replay_buffer_get_all (whole, NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (whole), ==, 111);
  g_assert_true (reel_tensordict_equal (rows, others));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/collectors/batches/limit-truncates", test_limit_truncates);
  g_test_add_func ("/collectors/batches/episodes-end-it", test_episodes_end_it);
  g_test_add_func ("/collectors/batches/episodes-end-writes", test_episodes_end_writes);
  g_test_add_func ("/collectors/batches/refusals", test_refusals);
  g_test_add_func ("/collectors/batches/rows-are-trajectories", test_rows_are_trajectories);
  g_test_add_func ("/collectors/batches/are-processed", test_batches_are_processed);
  g_test_add_func ("/collectors/batches/buffer-gets-processed-rows",
                   test_buffer_gets_processed_rows);
  g_test_add_func ("/collectors/batches/steps-held-back-follow", test_steps_held_back_follow);

  return g_test_run ();
}
