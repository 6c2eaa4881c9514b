/* Collectors and buffers on several ranks, for tests/test-ranks.sh, which starts it by mpirun:
 * rank-tests collect|drop|async-drop|fail|apart|buffer. Rank 0 runs the tests. The others say which
 * process they are in files, so that it can kill them, and work for it. Without mpirun, rank-tests
 * same WHOLE DIR… compares the run of one process with those of its ranks. */
#include "../src/reel.h"
#include "../src/ranks/mpi-library.h"
#include "collecting.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gint n_ranks;

/* ---- sync ---- */

typedef struct
{
  const char *env, *policy, *more; /* more of the collector's properties */
} Case;

static const Case cases[] = {
  { "CartPole-v1:seed=5,max-episode-steps=30,num-envs=8", "random:seed=11", "" },
  { "CartPole-v1:seed=5,num-envs=5", "random:seed=11", ",threads=2" },
  { "Pendulum-v1:seed=1,num-envs=7,max-episode-steps=9", "random:seed=2", "" },
  { "CartPole-v1:seed=3,num-envs=4|step-counter|reward-sum", "random:seed=4", "" },
  { "CartPole-v1:seed=5,num-envs=9", "random:seed=11", ",max-frames-per-traj=7" },
  { "CartPole-v1:seed=5,num-envs=6", "random:seed=11", ",split-trajs=true" },
  { "CartPole-v1:seed=5,num-envs=6", "random:seed=11", ",reset-at-each-iter=true" },
  { "CartPole-v1:seed=5,num-envs=6|step-counter", "random:seed=11", ",set-truncated=true" },
  { "CartPole-v1:seed=5,num-envs=4", "random:seed=11", ",track-traj-ids=false" },
  { "CartPole-v1:seed=5,num-envs=6", "random:seed=11", ",postproc=(multi-step:n-steps=3)" },
};

static ReelCollector *
make (const char *kind, const Case *at, const char *more, ReelReplayBuffer *buffer)
{
  g_autofree char *text =
      g_strdup_printf ("%sframes-per-batch=100,list-episodes=true%s%s", kind, at->more, more);

  return collecting_make_collector (text, at->env, at->policy, buffer);
}

static void
assert_same_stats (ReelCollector *a, ReelCollector *b)
{
  ReelCollectorStats one, other;

  reel_collector_get_stats (a, &one);
  reel_collector_get_stats (b, &other);
  g_assert_cmpint (one.frames, ==, other.frames);
  g_assert_cmpint (one.batches, ==, other.batches);
  g_assert_cmpint (one.episodes, ==, other.episodes);
  g_assert_cmpint (one.length_sum, ==, other.length_sum);
  g_assert_cmpfloat_with_epsilon (one.return_sum, other.return_sum, 1e-6);
  g_assert_cmpfloat (one.return_min, ==, other.return_min);
  g_assert_cmpfloat (one.return_max, ==, other.return_max);
}

static void
assert_same_episodes (ReelCollector *a, ReelCollector *b)
{
  gsize n, m;
  const ReelCollectorEpisode *one = reel_collector_get_episodes (a, &n);
  const ReelCollectorEpisode *other = reel_collector_get_episodes (b, &m);

  g_assert_cmpmem (one, n * sizeof *one, other, m * sizeof *other);
}

/* next_is_same: the next batch of both; whether there was one. */
static gboolean
next_is_same (ReelCollector *ours, ReelCollector *theirs)
{
  ReelTensordict *batch, *expected;
  gint64 rows = collecting_next (ours, &batch);

  g_assert_cmpint (rows, ==, collecting_next (theirs, &expected));
  if (rows > 0 && expected)
    g_assert_true (reel_tensordict_equal (batch, expected));
  else
    g_assert_null (batch);
  assert_same_episodes (ours, theirs);
  return rows > 0;
}

static void
test_batches_are_those_of_one_process (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelCollector) ours = make ("ranks:", &cases[i], ",total-frames=450", NULL);
      g_autoptr (ReelCollector) theirs = make ("sync:", &cases[i], ",total-frames=450", NULL);

      while (next_is_same (ours, theirs))
        ;
      assert_same_stats (ours, theirs);
    }
}

/* fill: rows of a fresh buffer, whose ring is passed. */
static ReelReplayBuffer *
fill (const char *kind, const Case *at, const char *storage)
{
  ReelReplayBuffer *buffer = collecting_make_buffer (storage, 216, 2);
  g_autoptr (ReelCollector) collector = make (kind, at, ",total-frames=450", buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
  return buffer;
}

static void
assert_same_rows (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = reel_replay_buffer_get_all (a, NULL);
  g_autoptr (ReelTensordict) other = reel_replay_buffer_get_all (b, NULL);

  g_assert_true (reel_tensordict_equal (one, other));
  g_assert_cmpint (reel_replay_buffer_get_cursor (a), ==, reel_replay_buffer_get_cursor (b));
}

static void
test_buffers_are_those_of_one_process (void)
{
  static const char *const storages[] = { "tensor", "records" };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (storages); i++)
    {
      const Case *at = &cases[i / G_N_ELEMENTS (storages) * 3]; /* 8 and 4 lanes */
      const char *storage = storages[i % G_N_ELEMENTS (storages)];
      g_autoptr (ReelReplayBuffer) ours = fill ("ranks:", at, storage);
      g_autoptr (ReelReplayBuffer) theirs = fill ("sync:", at, storage);

      assert_same_rows (ours, theirs);
    }
}

/* collect_into: @total rows more. */
static void
collect_into (ReelReplayBuffer *buffer, const char *kind, const char *more)
{
  g_autoptr (ReelCollector) collector = make (kind, &cases[0], more, buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
}

static void
test_runs_resume_on_ranks_and_off (void)
{
  g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", 2000, 2);

  collect_into (whole, "sync:", ",total-frames=900");
  for (gint on = 0; on < 2; on++)
    {
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", 2000, 2);

      collect_into (parts, on ? "ranks:" : "sync:", ",total-frames=328");
      collect_into (parts, on ? "sync:" : "ranks:", ",resume=true,total-frames=272");
      collect_into (parts, "ranks:", ",resume=true,total-frames=300");
      g_assert_cmpint (reel_replay_buffer_get_write_count (parts), ==, 113);
      g_autoptr (ReelTensordict) some = reel_replay_buffer_get_rows (parts, 0, 896, NULL);
      g_autoptr (ReelTensordict) all = reel_replay_buffer_get_rows (whole, 0, 896, NULL);
      g_assert_true (reel_tensordict_equal (some, all));
    }
}

/* ---- weights ---- */

/* make_weights: of a layer whose numbers are all @value. */
static ReelTensordict *
make_weights (float value)
{
  ReelTensordict *td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) weight = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (gint64[]){ 1, 3 }, NULL);
  g_autoptr (ReelTensor) bias = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, (gint64[]){ 1 }, NULL);

  for (gint i = 0; i < 3; i++)
    ((float *) (gpointer) weight->data)[i] = value;
  *(float *) (gpointer) bias->data = value;
  reel_tensordict_set_tensor (td, "0/weight", weight, NULL);
  reel_tensordict_set_tensor (td, "0/bias", bias, NULL);
  return td;
}

static ReelCollector *
make_weighted (const char *kind, gint num_envs)
{
  g_autoptr (ReelTensordict) weights = make_weights (0.125f);
  g_autofree char *env = g_strdup_printf ("Pendulum-v1:seed=1,num-envs=%d", num_envs);
  g_autofree char *text = g_strdup_printf (
      "%sframes-per-batch=70,total-frames=700,track-policy-version=true,list-episodes=true", kind);

  g_assert_true (reel_tensordict_save (weights, "weights", 0, NULL));
  return collecting_make_collector (text, env, "mlp:weights=weights", NULL);
}

static void
update (ReelCollector *collector, float value)
{
  g_autoptr (ReelTensordict) weights = make_weights (value);

  g_assert_true (reel_collector_update_policy_weights (collector, weights, NULL));
}

static gint64
first_version (ReelTensordict *batch)
{
  return *(gint64 *) reel_tensordict_get_tensor (batch, "policy_version", NULL)->data;
}

/* Weights that were there before the first batch, and others later. */
static void
test_weights_reach_every_rank (void)
{
  g_autoptr (ReelCollector) ours = make_weighted ("ranks:", 7);
  g_autoptr (ReelCollector) theirs = make_weighted ("sync:", 7);
  gint n = 0;

  do
    if (n == 0 || n == 1 || n == 4)
      {
        update (ours, 0.25f * (float) (n + 1));
        update (theirs, 0.25f * (float) (n + 1));
      }
  while (next_is_same (ours, theirs) && ++n);
  g_assert_cmpint (n, ==, 10);
}

/* Of each rank, the batches that it was asked for after the update. */
static void
test_async_weights_reach_every_rank (void)
{
  g_autoptr (ReelCollector) ours = make_weighted ("ranks:mode=async,", 7);
  ReelTensordict *batch;
  gint n_old = 0, n_new = 0;

  g_assert_cmpint (collecting_next (ours, &batch), ==, 70);
  g_assert_cmpint (first_version (batch), ==, 0);
  update (ours, 0.5f);
  while (collecting_next (ours, &batch) > 0)
    if (first_version (batch) == 0)
      n_old++;
    else
      n_new++;
  g_assert_cmpint (n_old, <=, n_ranks - 1);
  g_assert_cmpint (n_old + n_new, ==, 9);
}

/* ---- ranks that are killed ---- */

static void
kill_rank (gint rank)
{
  g_autofree char *file = g_strdup_printf ("rank-%d", rank);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpint (kill ((pid_t) g_ascii_strtoll (text, NULL, 10), SIGKILL), ==, 0);
}

/* ---- async ---- */

#define ASYNC_LANES 3

/* Rows by lane of all ranks, in the order in which they came. */
typedef struct
{
  gint64 n_all;
  gint64 *counts;
} Lanes;

/* assert_row: row t of lane b of a batch is the next one of a lane of the oracle. */
static void
assert_row (Lanes *lanes, ReelTensordict *batch, ReelTensordict *oracle, gint64 b, gint64 t)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (batch);
  const ReelTensor *ids = reel_tensordict_get_tensor (batch, "collector/traj_ids", NULL);
  const gint64 place[] = { b, t };
  gint64 lane = *(gint64 *) reel_tensor_element (ids, place) % lanes->n_all;
  const gint64 expected[] = { lane, lanes->counts[lane]++ };

  for (char **leaf = leaves; *leaf; leaf++)
    {
      ReelTensor *ours = reel_tensordict_get_tensor (batch, *leaf, NULL);
      ReelTensor *theirs = reel_tensordict_get_tensor (oracle, *leaf, NULL);
      g_autoptr (ReelTensor) our_lane = reel_tensor_select (ours, 0, place[0], NULL);
      g_autoptr (ReelTensor) our_row = reel_tensor_select (our_lane, 0, place[1], NULL);
      g_autoptr (ReelTensor) their_lane = reel_tensor_select (theirs, 0, expected[0], NULL);
      g_autoptr (ReelTensor) their_row = reel_tensor_select (their_lane, 0, expected[1], NULL);

      g_assert_true (reel_tensor_equal (our_row, their_row));
    }
}

/* check_async: batches that come in any order are those of one process with the lanes of all ranks,
 * lane by lane. @kill_after batches, the last rank is killed, if that is not negative. */
static void
check_async (const char *more, gint64 total, gint kill_after)
{
  gint64 n_all = ASYNC_LANES * (n_ranks - 1), done = 0;
  g_autofree gint64 *counts = g_new0 (gint64, n_all);
  Lanes lanes = { n_all, counts };
  g_autofree char *all = g_strdup_printf ("CartPole-v1:seed=5,num-envs=%d", (int) n_all);
  g_autofree char *text =
      g_strdup_printf ("ranks:mode=async,frames-per-batch=30,list-episodes=true,total-frames=%d%s",
                       (int) total, more);
  g_autofree char *whole = collecting_text ("sync", n_all * total, n_all * total, 1);
  g_autoptr (ReelCollector) theirs = collecting_make_collector (whole, all, "random:seed=11", NULL);
  g_autoptr (ReelCollector) ours =
      collecting_make_collector (text, "CartPole-v1:seed=5,num-envs=3", "random:seed=11", NULL);
  ReelTensordict *batch, *oracle;
  ReelCollectorStats stats;

  collecting_next (theirs, &oracle);
  for (gint64 rows, n = 0; (rows = collecting_next (ours, &batch)) > 0; n++)
    {
      done += rows;
      if (n == kill_after)
        kill_rank (n_ranks - 1);
      for (gint64 b = 0; b < ASYNC_LANES; b++)
        for (gint64 t = 0; t < rows / ASYNC_LANES; t++)
          assert_row (&lanes, batch, oracle, b, t);
    }
  g_assert_cmpint (done, ==, total);
  reel_collector_get_stats (ours, &stats);
  g_assert_cmpint (stats.frames, ==, total);
  g_assert_cmpint (stats.episodes, >, 0);
}

static void
test_async_lanes_are_those_of_one_process (void)
{
  check_async ("", 900, -1);
}

static void
test_async_goes_on_without_a_rank (void)
{
  g_auto (GStrv) warnings = NULL;

  check_async (",on-rank-error=drop", 900, 3);
  warnings = reel_ranks_dup_warnings ();
  g_assert_cmpuint (g_strv_length (warnings), ==, 1);
  g_assert_nonnull (strstr (warnings[0], "with lanes 3 to 5, ended"));
}

static void
test_async_fills_a_buffer (void)
{
  const Case at = { "CartPole-v1:seed=5,num-envs=3", "random:seed=11", "" };
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 3000, 2);
  g_autoptr (ReelCollector) collector =
      make ("ranks:mode=async,", &at, ",total-frames=1200", buffer);
  gint64 rows = 0;

  for (gint64 n; (n = collecting_next (collector, NULL)) > 0;)
    rows += n;
  g_assert_cmpint (rows, ==, 1200);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 400);
}

/* ---- what cannot be ---- */

static void
assert_refused (const char *text, const char *env, ReelPolicy *policy, const char *why)
{
  g_autoptr (ReelEnv) the_env = collecting_make (REEL_TYPE_ENV, env);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_collector_new (text, the_env, policy, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  if (strstr (error->message, why) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, why);
}

static gboolean
never (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data, GError **error)
{
  g_assert_not_reached ();
}

static void
test_refusals_name_the_cause (void)
{
  g_autoptr (ReelPolicy) random = collecting_make (REEL_TYPE_POLICY, "random");
  g_autoptr (ReelPolicy) callback = reel_policy_new_callback (never, NULL, NULL);

  assert_refused ("ranks", "CartPole:num-envs=2", random, "cannot collect 2 lanes on 4 ranks");
  assert_refused ("ranks", "CartPole:num-envs=8", callback, "all lanes at once");
  assert_refused ("ranks", "CartPole:num-envs=8|vec-norm", random, "statistics of vec-norm");
  assert_refused ("ranks:init-random-frames=9", "CartPole:num-envs=8", random,
                  "init-random-frames");
  assert_refused ("ranks:extend-buffer=false", "CartPole:num-envs=8", random, "whole batches");
  assert_refused ("ranks:mode=async,resume=true", "CartPole:num-envs=8", random, "resume=true");
}

/* ---- MPI ---- */

/* A message that MPI refuses has not been sent, and none has come. */
static void
test_refused_messages (void)
{
  guint8 byte = 0;
  gint tag = -5; /* there is none */
  gpointer requests[] = { reel_mpi_send (&byte, 1, 0, tag), reel_mpi_receive (&byte, 1, 0, tag) };

  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    {
      g_assert_null (requests[i]);
      g_assert_cmpint (reel_mpi_test (&requests[i], 1), ==, REEL_MPI_FAILED);
      reel_mpi_drop (&requests[i], 1);
    }
}

/* ---- ranks that end ---- */

static void
test_others_take_the_lanes_over (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 216, 2);
  g_autoptr (ReelReplayBuffer) expected = collecting_make_buffer ("tensor", 216, 2);
  g_autoptr (ReelCollector) ours =
      make ("ranks:on-rank-error=drop,", &cases[0], ",total-frames=1200", buffer);
  g_autoptr (ReelCollector) theirs = make ("sync:", &cases[0], ",total-frames=1200", expected);
  g_auto (GStrv) warnings = NULL;

  for (gint n = 0; next_is_same (ours, theirs); n++)
    if (n == 2)
      kill_rank (2);
    else if (n == 5)
      kill_rank (1);
  assert_same_rows (buffer, expected);
  assert_same_stats (ours, theirs);
  warnings = reel_ranks_dup_warnings ();
  g_assert_cmpuint (g_strv_length (warnings), ==, 2);
  g_assert_nonnull (strstr (warnings[0], "rank 2 on "));
  g_assert_nonnull (strstr (warnings[0], "with lanes 5 to 7, ended"));
  g_assert_nonnull (strstr (warnings[1], "rank 1 on "));
  g_assert_nonnull (strstr (warnings[1], "with lanes 4 to 7, ended"));
}

static void
test_a_rank_that_ends_is_named (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 2000, 2);
  g_autoptr (ReelCollector) collector = make ("ranks:", &cases[0], "", buffer);

  for (gint n = 0; n < 3; n++)
    g_assert_cmpint (collecting_next (collector, NULL), ==, 104);
  kill_rank (1);
  for (gint again = 0; again < 2; again++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (reel_collector_next (collector, NULL, &error), ==, -1);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_nonnull (strstr (error->message, "rank 1 on "));
      g_assert_nonnull (strstr (error->message, "with lanes 2 to 4, ended"));
    }
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 39);
}

/* ---- a buffer for all ---- */

#define SENT_ROWS 20

static void
test_serves_a_buffer (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 1000, 1);
  g_autoptr (GError) error = NULL;
  gint64 seen[16] = { 0 };

  g_assert_true (reel_ranks_serve_buffer (buffer, &error));
  g_assert_no_error (error);

  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, &error);
  const ReelTensor *rank = reel_tensordict_get_tensor (all, "rank", NULL);
  const ReelTensor *number = reel_tensordict_get_tensor (all, "inner/number", NULL);

  g_assert_cmpint (all ? rank->shape[0] : 0, ==, 3 * SENT_ROWS * (n_ranks - 1));
  for (gint64 i = 0; i < rank->shape[0]; i++)
    {
      gint64 from = ((gint64 *) rank->data)[i];

      g_assert_cmpint (((gint64 *) number->data)[i], ==, seen[from]++); /* in its order */
    }
}

static ReelTensordict *
make_rows (gint rank, gint64 first)
{
  const gint64 n = SENT_ROWS;
  ReelTensordict *rows = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) ranks = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) numbers = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    {
      ((gint64 *) ranks->data)[i] = rank;
      ((gint64 *) numbers->data)[i] = first + i;
    }
  reel_tensordict_set_tensor (rows, "rank", ranks, NULL);
  reel_tensordict_set_tensor (rows, "inner/number", numbers, NULL);
  return rows;
}

/* ---- ranks that work apart ---- */

static GError *
make_failure (gint rank)
{
  return g_error_new (REEL_ERROR, REEL_ERROR_NO_SPACE, "the disk of %d is full", rank);
}

/* wait_for_failure: of whom. */
static gint
wait_for_failure (const char *why)
{
  g_autoptr (GError) error = NULL;
  gint rank;

  while (!reel_ranks_find_failure (&rank, &error))
    g_usleep (1000);
  if (strstr (error->message, why) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, why);
  return rank;
}

/* agree_with_numbers: all can continue, and rank 0 gets the sum. */
static void
agree_with_numbers (gint rank)
{
  g_autoptr (GError) error = NULL;
  gint64 sum = 10 + rank;

  g_assert_true (reel_ranks_agree (NULL, &sum, &error));
  g_assert_no_error (error);
  if (rank == 0)
    g_assert_cmpint (sum, ==, 10 + 11 + 12);
}

/* disagree: rank 1 cannot begin, which all hear. */
static void
disagree (gint rank)
{
  g_autoptr (GError) own = rank == 1 ? make_failure (1) : NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_ranks_agree (own, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_true (g_str_has_suffix (error->message, "the disk of 1 is full"));
  g_assert_cmpint (g_str_has_prefix (error->message, "rank 1 on "), ==, rank != 1);
}

/* fail_between: rank 1 fails while the others work. Rank 0 finds it, and stops rank 2. */
static void
fail_between (gint rank)
{
  g_autoptr (GError) own = rank == 1 ? make_failure (1) : NULL;
  g_autoptr (GError) error = NULL;

  if (rank == 0)
    {
      g_assert_cmpint (wait_for_failure ("the disk of 1"), ==, 1);
      g_assert_false (reel_ranks_find_failure (NULL, &error));
      reel_ranks_stop_others ("one is enough");
    }
  else if (rank == 2)
    g_assert_cmpint (wait_for_failure ("one is enough"), ==, -1);
  g_assert_cmpint (reel_ranks_agree (own, NULL, &error), ==, rank != 1); /* it was told */
  g_clear_error (&error);
}

/* work_apart: what every rank does. */
static void
work_apart (gint rank)
{
  agree_with_numbers (rank);
  disagree (rank);
  fail_between (rank);
  disagree (rank);
  agree_with_numbers (rank);
}

static void
test_ranks_agree (void)
{
  work_apart (0);
}

static void
test_shares_are_neighbours (void)
{
  for (gint64 n = 0; n < 30; n++)
    for (gint ranks = 1; ranks < 12; ranks++)
      {
        gint64 next = 0;

        for (gint rank = 0; rank < ranks; rank++)
          {
            gint64 begin, end;

            reel_ranks_cut (n, rank, ranks, &begin, &end);
            g_assert_cmpint (begin, ==, next);
            g_assert_cmpint (end - begin, >=, n / ranks);
            g_assert_cmpint (end - begin, <=, (n + ranks - 1) / ranks);
            next = end;
          }
        g_assert_cmpint (next, ==, n);
      }
}

static void
use_buffer (gint rank)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelRemoteBuffer) buffer = reel_remote_buffer_new (&error);
  ReelReplayBufferStats stats;

  g_assert_no_error (error);
  for (gint turn = 0; turn < 3; turn++)
    {
      g_autoptr (ReelTensordict) rows = make_rows (rank, turn * SENT_ROWS);
      g_autoptr (ReelTensor) index = NULL;

      g_assert_true (reel_remote_buffer_extend (buffer, rows, &index, &error));
      g_assert_cmpint (reel_tensor_numel (index), ==, SENT_ROWS);

      g_autoptr (ReelTensordict) batch = reel_remote_buffer_sample (buffer, 7, &error);
      g_assert_no_error (error);
      g_assert_cmpint (reel_tensor_numel (reel_tensordict_get_tensor (batch, "inner/number", NULL)),
                       ==, 7);
      g_assert_true (reel_tensordict_contains (batch, "index"));
    }
  g_assert_true (reel_remote_buffer_get_stats (buffer, &stats, &error));
  g_assert_cmpint (stats.size, >=, 3 * SENT_ROWS);
  g_assert_cmpint (stats.capacity, ==, 1000);

  /* A refusal of the buffer is an error here, and nothing there. */
  g_autoptr (ReelTensordict) other = reel_tensordict_new (1, (gint64[]){ 2 });
  g_autoptr (ReelTensor) strange = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, (gint64[]){ 2 }, NULL);
  reel_tensordict_set_tensor (other, "strange", strange, NULL);
  g_assert_false (reel_remote_buffer_extend (buffer, other, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_null (reel_remote_buffer_sample (buffer, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  reel_tensordict_set_value (other, "text", g_variant_new_string ("no tensor"), NULL);
  g_assert_false (reel_remote_buffer_extend (buffer, other, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

/* ---- the runs of ranks apart ---- */

static ReelReplayBuffer *
open_run (const char *path)
{
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);

  g_assert_no_error (error);
  return buffer;
}

/* assert_lanes: all leaves of a run are the lanes of another from @first on, to the bit. Returns
 * how many they are. */
static gint64
assert_lanes (ReelReplayBuffer *whole, ReelReplayBuffer *part, gint64 first)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (whole, NULL);
  g_autoptr (ReelTensordict) some = reel_replay_buffer_get_all (part, NULL);
  gint ndim;
  gint64 lanes = reel_tensordict_get_batch_size (some, &ndim)[0];
  g_autoptr (ReelTensordict) expected =
      reel_tensordict_slice (all, 0, first, first + lanes, 1, NULL);

  g_assert_nonnull (expected);
  g_assert_true (reel_tensordict_contains (some, "collector/traj_ids"));
  g_assert_true (reel_tensordict_equal (some, expected));
  return lanes;
}

/* compare_runs: the run at @paths[0] with the lanes of those behind it. */
static int
compare_runs (char **paths)
{
  g_autoptr (ReelReplayBuffer) whole = open_run (paths[0]);
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (whole, NULL);
  gint ndim;
  gint64 lanes = reel_tensordict_get_batch_size (all, &ndim)[0], first = 0;

  for (char **path = paths + 1; *path; path++)
    {
      g_autoptr (ReelReplayBuffer) part = open_run (*path);

      first += assert_lanes (whole, part, first);
    }
  g_assert_cmpint (first, ==, lanes);
  g_print ("the lanes are the same\n");
  return 0;
}

/* ---- the ranks ---- */

static void
work (gint rank, const char *what)
{
  g_autofree char *file = g_strdup_printf ("rank-%d", rank);
  g_autofree char *pid = g_strdup_printf ("%d", (int) getpid ());
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (file, pid, -1, NULL));
  g_assert_true (reel_ranks_open (NULL, NULL, &error));
  if (strcmp (what, "buffer") == 0)
    use_buffer (rank);
  else if (strcmp (what, "apart") == 0)
    work_apart (rank);
  else
    g_assert_true (reel_ranks_serve (&error));
  reel_ranks_close ();
}

static void
add_tests (const char *what)
{
  if (strcmp (what, "collect") == 0)
    {
      g_test_add_func ("/ranks/sync/batches-are-those-of-one-process",
                       test_batches_are_those_of_one_process);
      g_test_add_func ("/ranks/sync/buffers-are-those-of-one-process",
                       test_buffers_are_those_of_one_process);
      g_test_add_func ("/ranks/sync/runs-resume-on-ranks-and-off",
                       test_runs_resume_on_ranks_and_off);
      g_test_add_func ("/ranks/async/lanes-are-those-of-one-process",
                       test_async_lanes_are_those_of_one_process);
      g_test_add_func ("/ranks/async/fills-a-buffer", test_async_fills_a_buffer);
      g_test_add_func ("/ranks/sync/weights-reach-every-rank", test_weights_reach_every_rank);
      g_test_add_func ("/ranks/async/weights-reach-every-rank",
                       test_async_weights_reach_every_rank);
      g_test_add_func ("/ranks/refusals-name-the-cause", test_refusals_name_the_cause);
      g_test_add_func ("/ranks/refused-messages-are-not-sent", test_refused_messages);
    }
  else if (strcmp (what, "apart") == 0)
    {
      g_test_add_func ("/ranks/apart/agree", test_ranks_agree);
      g_test_add_func ("/ranks/apart/shares-are-neighbours", test_shares_are_neighbours);
    }
  else if (strcmp (what, "async-drop") == 0)
    g_test_add_func ("/ranks/async/goes-on-without-a-rank", test_async_goes_on_without_a_rank);
  else if (strcmp (what, "drop") == 0)
    g_test_add_func ("/ranks/sync/others-take-the-lanes-over", test_others_take_the_lanes_over);
  else if (strcmp (what, "fail") == 0)
    g_test_add_func ("/ranks/sync/a-rank-that-ends-is-named", test_a_rank_that_ends_is_named);
  else
    g_test_add_func ("/ranks/buffer/is-one-for-all", test_serves_a_buffer);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const char *what = argc > 1 ? argv[1] : "";
  gint rank;

  reel_init ();
  if (strcmp (what, "same") == 0)
    return compare_runs (argv + 2);
  reel_ranks_count_launched (&rank);
  if (rank > 0)
    {
      work (rank, what);
      return 0;
    }
  g_test_init (&argc, &argv, NULL);
  if (!reel_ranks_open (NULL, &n_ranks, &error))
    g_error ("%s", error->message);
  add_tests (what);

  int status = g_test_run ();

  reel_ranks_close ();
  return status;
}
