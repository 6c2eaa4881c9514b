/* Goals that were achieved later, against a walk over the rows. */
#include "../src/reel.h"
#include "goal-rows.h"

#include <string.h>

static ReelReplayBuffer *
new_buffer (ReelStorage *storage, const char *chain)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "without-replacement", &error, NULL);
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, &error, NULL);
  ReelReplayBuffer *buffer;

  g_assert_no_error (error);
  buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, &error);
  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, &error));
  return buffer;
}

/* Lanes end at other steps than the first does. */
static gboolean
ends_by_pattern (gint64 t, gint64 lane, guint pattern)
{
  return (pattern >> ((t + lane) % 8)) & 1;
}

/* ---- all small cases ---- */

typedef struct
{
  gint64 steps, lanes, written;
  guint pattern;
  const char *strategy;
} Case;

/* The walk: whether a goal at @goal may be given to @row. */
static gboolean
may_have (const Case *c, gint64 row, gint64 goal)
{
  gint64 lane = row % c->lanes, from = row / c->lanes, to = goal / c->lanes, last = from;
  gint64 oldest = MAX (c->written - c->steps, 0);

  if (goal < oldest * c->lanes || goal >= c->written * c->lanes)
    return FALSE;
  if (g_str_equal (c->strategy, "random"))
    return TRUE;
  if (goal % c->lanes != lane)
    return FALSE;
  for (gint64 t = MIN (from, to); t < MAX (from, to); t++)
    if (ends_by_pattern (t, lane, c->pattern))
      return FALSE;
  while (last + 1 < c->written && !ends_by_pattern (last, lane, c->pattern))
    last++;
  if (g_str_equal (c->strategy, "final"))
    return to == last;
  return g_str_equal (c->strategy, "episode") || to >= from;
}

static void
check_row (const Case *c, ReelTensordict *batch, gint64 i, gboolean *seen, gint64 n_rows)
{
  gint64 row = (gint64) goal_get (batch, "achieved_goal", i);
  gint64 goal = (gint64) goal_get (batch, "desired_goal", i);

  g_assert_true (may_have (c, row, goal));
  g_assert_cmpfloat (goal_get (batch, "next/desired_goal", i), ==, (double) goal);
  g_assert_cmpfloat (goal_get (batch, "next/reward", i), ==, goal == row ? 0 : -1);
  seen[row % n_rows * n_rows + goal % n_rows] = TRUE;
}

/* Every goal that may be given is given, and no other; what is stored stays. */
static void
check_case (const Case *c)
{
  g_autoptr (ReelStorage) storage = goal_new_storage (c->lanes > 1 ? 2 : 1, c->steps, c->lanes);
  g_autofree char *chain = g_strdup_printf (
      "hindsight:strategy=%s,ratio=1,threshold=0.5,end-key=next/done", c->strategy);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, chain);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  gint64 n_rows = c->steps * c->lanes, n = MIN (c->written, c->steps) * c->lanes;
  gint64 oldest = MAX (c->written - c->steps, 0) * c->lanes;
  gboolean seen[64] = { FALSE };

  for (gint64 t = 0; t < c->written; t++)
    goal_write_step (storage, t, ends_by_pattern, c->pattern);
  for (gint turn = 0; turn < 150; turn++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, n, &batch, &error));
      g_assert_false (reel_tensordict_contains (batch, REEL_ROW_NUMBERS));
      for (gint64 i = 0; i < n; i++)
        check_row (c, batch, i, seen, n_rows);
    }
  for (gint64 row = oldest; row < oldest + n; row++)
    for (gint64 goal = oldest; goal < oldest + n; goal++)
      g_assert_cmpint (seen[row % n_rows * n_rows + goal % n_rows], ==, may_have (c, row, goal));
  for (gint64 i = 0; i < n; i++)
    g_assert_true (goal_get (reel_storage_get_data (storage), "desired_goal", i) == GOAL_OWN
                   && goal_get (reel_storage_get_data (storage), "next/reward", i) == GOAL_REWARD);
}

static void
test_all_small_cases (void)
{
  static const char *const strategies[] = { "future", "final", "episode", "random" };
  gint64 n_cases = 0;

  for (gint64 lanes = 1; lanes <= 2; lanes++)
    for (gint64 steps = 1; steps <= 4; steps++)
      for (gint64 written = 1; written <= steps + 3; written++)
        for (guint pattern = 0; pattern < 1u << (written + lanes - 1); pattern++)
          for (gsize s = 0; s < G_N_ELEMENTS (strategies); s++)
            if (!g_str_equal (strategies[s], "random") || steps * lanes <= 4)
              {
                check_case (&(Case){ steps, lanes, written, pattern, strategies[s] });
                n_cases++;
              }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 4000);
}

/* ---- what else it says ---- */

static gboolean
ends_never (gint64 t, gint64 lane, guint pattern)
{
  return FALSE;
}

static ReelStorage *
new_filled (gint64 n)
{
  ReelStorage *storage = goal_new_storage (1, n, 1);

  for (gint64 t = 0; t < n; t++)
    goal_write_step (storage, t, ends_never, 0);
  return storage;
}

/* Of 10 rows at 0.75 the first 7, as many as TorchRL's int() gives. */
static void
test_ratio (void)
{
  g_autoptr (ReelStorage) storage = new_filled (10);
  g_autoptr (ReelReplayBuffer) buffer =
      new_buffer (storage, "hindsight:ratio=0.75,strategy=final,end-key=next/done");
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_replay_buffer_sample (buffer, 10, &batch, NULL));
  for (gint64 i = 0; i < 10; i++)
    {
      g_assert_cmpfloat (goal_get (batch, "desired_goal", i), ==, i < 7 ? 9 : GOAL_OWN);
      g_assert_true (i < 7 || goal_get (batch, "next/reward", i) == GOAL_REWARD);
    }
}

/* A goal is reached at the threshold itself. */
static void
test_threshold_is_reached (void)
{
  g_autoptr (ReelStorage) storage = new_filled (10);
  g_autoptr (ReelReplayBuffer) buffer =
      new_buffer (storage, "hindsight:ratio=1,strategy=final,threshold=2,end-key=next/done");
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_replay_buffer_sample (buffer, 10, &batch, NULL));
  for (gint64 i = 0; i < 10; i++)
    g_assert_cmpfloat (goal_get (batch, "next/reward", i), ==,
                       9 - goal_get (batch, "achieved_goal", i) <= 2 ? 0 : -1);
}

/* Row 0 of 8 in one trajectory: each of the 8 as often, within 6 standard deviations of 40000. */
static void
test_future_is_uniform (void)
{
  g_autoptr (ReelStorage) storage = new_filled (8);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, "hindsight:ratio=1,end-key=next/done");
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 counts[8] = { 0 };

  for (gint turn = 0; turn < 40000; turn++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, 8, &batch, NULL));
      for (gint64 i = 0; i < 8; i++)
        if (goal_get (batch, "achieved_goal", i) == 0)
          counts[(gint64) goal_get (batch, "desired_goal", i)]++;
    }
  for (gint i = 0; i < 8; i++)
    g_assert_cmpint (ABS (counts[i] - 5000), <, 6 * 66);
}

/* Batches that are drawn ahead are the same. */
static void
test_prefetch (void)
{
  g_autoptr (ReelStorage) storage = new_filled (10);
  g_autoptr (ReelReplayBuffer) one = new_buffer (storage, "hindsight:end-key=next/done,seed=4");
  g_autoptr (ReelReplayBuffer) other = new_buffer (storage, "hindsight:end-key=next/done,seed=4");

  reel_replay_buffer_set_batch_size (other, 5);
  g_assert_true (reel_replay_buffer_set_prefetch (other, 3, NULL));
  for (gint turn = 0; turn < 50; turn++)
    {
      g_autoptr (ReelTensordict) a = NULL, b = NULL;

      g_assert_true (reel_replay_buffer_sample (one, 5, &a, NULL));
      g_assert_true (reel_replay_buffer_sample (other, 5, &b, NULL));
      g_assert_true (reel_tensordict_equal (a, b));
    }
}

static ReelTensor *
reward_of_goal (ReelTensordict *rows, gpointer user_data, GError **error)
{
  gint64 n = reel_tensordict_get_tensor (rows, "desired_goal", error)->shape[0];
  ReelTensor *reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, error);

  ++*(gint *) user_data;
  for (gint64 i = 0; i < n; i++)
    ((float *) reward->data)[i] = (float) goal_get (rows, "desired_goal", i);
  return reward;
}

static void
test_reward_function (void)
{
  g_autoptr (ReelStorage) storage = new_filled (10);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTransform) transform = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "hindsight:ratio=1,end-key=next/done", NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  gint n_calls = 0;

  reel_hindsight_transform_set_reward (REEL_HINDSIGHT_TRANSFORM (transform), reward_of_goal,
                                       &n_calls, NULL);
  g_assert_null (reel_transform_clone (transform, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  g_assert_true (reel_replay_buffer_sample (buffer, 10, &batch, &error));
  g_assert_no_error (error);
  for (gint64 i = 0; i < 10; i++)
    g_assert_cmpfloat (goal_get (batch, "next/reward", i), ==, goal_get (batch, "desired_goal", i));
  g_assert_cmpint (n_calls, ==, 1);
}

static void
assert_refused (const char *chain, gint code)
{
  g_autoptr (ReelStorage) storage = new_filled (10);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, chain);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_sample (buffer, 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, code);
}

static void
test_refuses (void)
{
  g_autoptr (ReelStorage) storage = new_filled (4);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, "hindsight", NULL, NULL);
  ReelEnsembleOptions options = { .transform = transform };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new (&buffer, 1, &options, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL, ratio = NULL;

  g_assert_false (reel_replay_buffer_ensemble_sample (ensemble, 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  assert_refused ("hindsight:achieved-goal-key=reached,end-key=next/done", REEL_ERROR_KEY);
  assert_refused ("hindsight:goal-key=wanted,end-key=next/done", REEL_ERROR_KEY);
  assert_refused ("hindsight:goal-key=next/done,end-key=next/done", REEL_ERROR_VALUE);
  assert_refused ("hindsight:reward-key=desired_goal,reward=dense,goal-key=next/reward,"
                  "end-key=next/done",
                  REEL_ERROR_VALUE);
  g_assert_null (
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, "hindsight:ratio=1.5", &ratio, NULL));
  g_assert_error (ratio, REEL_ERROR, REEL_ERROR_VALUE);
}

/* Never left as they are because the row numbers are gone; and nothing is asked of who comes
 * behind. */
static void
test_comes_before_what_drops_row_numbers (void)
{
#define OWN "hindsight:ratio=1,end-key=next/done"
#define KEPT "desired_goal,achieved_goal,next/reward,next/desired_goal,next/done"
  static const struct
  {
    const char *chain, *way_out;
  } refused[] = {
    { "select:keys=[" KEPT "]|" OWN, "put hindsight before select" },
    { "exclude:keys=[index_row]|" OWN, "put hindsight before exclude" },
    { "exclude:keys=[index_row]|exclude:keys=[next/done]|" OWN, "transform 0, exclude" },
    { "exclude:keys=[index_row]|(exclude:keys=[next/done]|" OWN ")", "before exclude" },
  };
  static const char *const taken[] = { OWN "|select:keys=[" KEPT "]", OWN "|exclude:keys=[index]",
                                       "exclude:keys=[index]|" OWN, OWN "|" OWN };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (ReelStorage) storage = new_filled (10);
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, refused[i].chain);
      g_autoptr (ReelTensordict) batch = NULL, rows = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_replay_buffer_sample (buffer, 4, &batch, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_nonnull (strstr (error->message, refused[i].way_out));
      rows = reel_replay_buffer_get_rows (buffer, 0, 4, NULL); /* have no numbers to lose */
      g_assert_nonnull (rows);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (taken); i++)
    {
      g_autoptr (ReelStorage) storage = new_filled (10);
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, taken[i]);
      g_autoptr (ReelTensordict) batch = NULL;

      g_assert_true (reel_replay_buffer_sample (buffer, 4, &batch, NULL));
      for (gint64 k = 0; k < 4; k++)
        g_assert_cmpfloat (goal_get (batch, "desired_goal", k), !=, GOAL_OWN);
    }
#undef KEPT
#undef OWN
}

/* Trajectories of 4 and of 2 rows that their numbers alone tell apart. */
static void
test_numbers_of_trajectories (void)
{
  static const char *const keys[] = { "achieved_goal", "desired_goal", "next/desired_goal",
                                      "next/reward" };
  const gint64 shape[] = { 6, 1 };
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=6", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      new_buffer (storage, "hindsight:ratio=1,strategy=final,traj-key=id");
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, shape), batch = NULL;
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      g_autoptr (ReelTensor) leaf = reel_tensor_new (REEL_DTYPE_FLOAT64, 2, shape, NULL);

      for (gint64 i = 0; i < 6; i++)
        ((double *) leaf->data)[i] = k == 0 ? (double) i : GOAL_OWN;
      g_assert_true (reel_tensordict_set_tensor (rows, keys[k], leaf, NULL));
    }
  for (gint64 i = 0; i < 6; i++)
    ((gint64 *) ids->data)[i] = i < 4 ? 8 : 9;
  g_assert_true (reel_tensordict_set_tensor (rows, "id", ids, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  reel_replay_buffer_sample (buffer, 6, &batch, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 6; i++)
    {
      double last = goal_get (batch, "achieved_goal", i) < 4 ? 3 : 5;

      g_assert_cmpfloat (goal_get (batch, "desired_goal", i), ==, last);
      g_assert_cmpfloat (goal_get (batch, "next/desired_goal", i), ==, last);
    }
}

/* Rows read by place are those that were stored. */
static void
test_reads_are_left_alone (void)
{
  g_autoptr (ReelStorage) storage = new_filled (4);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (storage, "hindsight:ratio=1");
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, 0, 4, NULL);

  for (gint64 i = 0; i < 4; i++)
    g_assert_cmpfloat (goal_get (rows, "desired_goal", i), ==, GOAL_OWN);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/buffers/hindsight/" name, func)
  ADD ("all-small-cases", test_all_small_cases);
  ADD ("threshold-is-reached", test_threshold_is_reached);
  ADD ("ratio", test_ratio);
  ADD ("future-is-uniform", test_future_is_uniform);
  ADD ("prefetch", test_prefetch);
  ADD ("reward-function", test_reward_function);
  ADD ("refuses", test_refuses);
  ADD ("comes-before-what-drops-row-numbers", test_comes_before_what_drops_row_numbers);
  ADD ("numbers-of-trajectories", test_numbers_of_trajectories);
  ADD ("reads-are-left-alone", test_reads_are_left_alone);
#undef ADD
  return g_test_run ();
}
