/* The index of trajectories against a walk over the valid rows: every small storage. */
#include "../src/buffers/storages/storage-private.h"
#include "episode-rows.h"

#define MOST_ROWS 10

static const char *const two_flags[] = { "next/terminated", "missing", "next/truncated", NULL };
static const char *const one_flag[] = { "next/done", NULL };

static void
assert_same (const ReelTrajectoryIndex *index, const EpisodeOracle *oracle, gboolean are_ids)
{
  ReelTrajectory expected[MOST_ROWS], found;
  gint64 n = episode_oracle_list (oracle, are_ids, expected);

  g_assert_cmpint (reel_trajectory_index_get_n (index), ==, n);
  for (gint64 k = 0; k < n; k++)
    {
      reel_trajectory_index_get (index, k, &found);
      g_assert_cmpint (found.first_row, ==, expected[k].first_row);
      g_assert_cmpint (found.n_steps, ==, expected[k].n_steps);
    }
  for (gint64 row = oracle->view.first_row - 1; row <= oracle->view.end_row; row++)
    {
      gboolean inside = row >= oracle->view.first_row && row < oracle->view.end_row;
      ReelTrajectory one = inside ? episode_oracle_find (oracle, row) : (ReelTrajectory){ 0, 0 };

      g_assert_cmpint (row >= 0 && reel_trajectory_index_find (index, row, &found), ==,
                       one.n_steps >= oracle->min_length);
      if (one.n_steps < oracle->min_length)
        continue;
      g_assert_cmpint (found.first_row, ==, one.first_row);
      g_assert_cmpint (found.n_steps, ==, one.n_steps);
    }
}

/* ---- every small storage ---- */

static const ReelTrajectoryKeys ways[] = {
  { NULL },
  { .ends = one_flag },
  { .ends = two_flags },
  { .trajectory = "episode" },
  { .trajectory = "small" },
};

/* Writes n steps from step @begin on; looks after every @stride. Returns how often it looked. */
static gint64
check_sequence (ReelStorage *storage, gsize way, gint64 begin, const gboolean *ends, gint64 n,
                gint64 stride, gint64 min_length)
{
  gint64 ids[MOST_ROWS] = { 0 }, lanes = reel_storage_get_lanes (storage), n_looks = 0;
  EpisodeOracle oracle = { .ends = ends, .first_row = begin * lanes, .min_length = min_length };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTrajectoryIndex) index = NULL;

  reel_storage_restore (storage, begin, begin);
  index = reel_trajectory_index_new (storage, &ways[way], &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    {
      episode_write_step (storage, ends + i * lanes, ids);
      if ((i + 1) % stride != 0 && i + 1 < n)
        continue;
      reel_storage_get_view (storage, &oracle.view);
      g_assert_true (reel_trajectory_index_follow (index, &oracle.view, min_length, &error));
      assert_same (index, &oracle, way != 1 && way != 2);
      n_looks++;
    }
  return n_looks;
}

static gint64
check_storage (gint64 steps, gint64 lanes)
{
  g_autoptr (ReelStorage) storage = episode_new_storage (lanes > 1 ? 2 : 1, steps, lanes);
  gboolean ends[MOST_ROWS];
  gint64 n_looks = 0;

  for (gint64 n = 1; n * lanes <= MOST_ROWS; n++)
    for (guint pattern = 0; pattern < 1u << (n * lanes); pattern++)
      {
        for (gint64 i = 0; i < n * lanes; i++)
          ends[i] = pattern >> i & 1;
        for (gint64 begin = 0; begin < steps; begin++)
          for (gint64 stride = 1; stride <= 3; stride++)
            n_looks += check_sequence (storage, (gsize) (n + begin + stride) % G_N_ELEMENTS (ways),
                                       begin, ends, n, stride, 1 + (pattern + begin) % 3);
      }
  return n_looks;
}

static void
test_every_small_storage (void)
{
  gint64 n_looks = 0;

  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 steps = 1; steps * lanes <= MOST_ROWS; steps++)
      n_looks += check_storage (steps, lanes);
  g_test_message ("%" G_GINT64_FORMAT " looks", n_looks);
  g_assert_cmpint (n_looks, >, 1000000);
}

/* ---- long ones ---- */

/* Many laps of a larger ring, seen now and then, against the walk; a look after whole laps were
 * missed, and another least length. Steps over the block of the queue and of the scan. */
static void
test_long_run (void)
{
  static const gint64 lanes_of[] = { 1, 2, 7 };

  for (gsize i = 0; i < G_N_ELEMENTS (lanes_of); i++)
    {
      gint64 lanes = lanes_of[i], n = 60000 / lanes, ids[8] = { 0 };
      g_autoptr (ReelStorage) storage =
          episode_new_storage (lanes > 1 ? 2 : 1, 20000 / lanes, lanes);
      g_autofree gboolean *ends = g_new0 (gboolean, n * lanes);
      g_autoptr (ReelTrajectoryIndex) index =
          reel_trajectory_index_new (storage, &ways[i % 2], NULL);
      g_autofree ReelTrajectory *expected = g_new (ReelTrajectory, 20000 + lanes);
      EpisodeOracle oracle = { .ends = ends };

      for (gint64 step = 0, look = 0; step < n; step++)
        {
          for (gint64 lane = 0; lane < lanes; lane++)
            ends[step * lanes + lane] =
                g_test_rand_int_range (0, step % 20000 < 15000 ? 4 : 50) == 0;
          episode_write_step (storage, ends + step * lanes, ids);
          if (step < look)
            continue;
          look = step + g_test_rand_int_range (0, 7000);
          oracle.min_length = step % 3 == 0 ? 2 : 1;
          reel_storage_get_view (storage, &oracle.view);
          g_assert_true (
              reel_trajectory_index_follow (index, &oracle.view, oracle.min_length, NULL));
          gint64 count = episode_oracle_list (&oracle, i % 2 == 0, expected);
          g_assert_cmpint (reel_trajectory_index_get_n (index), ==, count);
          for (gint64 k = 0; k < count; k++)
            {
              ReelTrajectory found;
              reel_trajectory_index_get (index, k, &found);
              g_assert_cmpmem (&found, sizeof found, &expected[k], sizeof found);
            }
        }
    }
}

/* ---- changes in place, rings that are set back ---- */

static void
assert_trajectories (ReelTrajectoryIndex *index, ReelStorage *storage, const gint64 *lengths,
                     gint64 n)
{
  ReelStorageView view;
  ReelTrajectory found;

  reel_storage_get_view (storage, &view);
  g_assert_true (reel_trajectory_index_follow (index, &view, 1, NULL));
  g_assert_cmpint (reel_trajectory_index_get_n (index), ==, n);
  for (gint64 k = 0; k < n; k++)
    {
      reel_trajectory_index_get (index, k, &found);
      g_assert_cmpint (found.n_steps, ==, lengths[k]);
    }
}

static void
test_changes_in_place (void)
{
  g_autoptr (ReelStorage) storage = episode_new_storage (1, 8, 1);
  g_autoptr (ReelTrajectoryIndex) index = reel_trajectory_index_new (storage, &ways[1], NULL);
  gint column = reel_storage_find_column (storage, "next/done", NULL);
  gint64 ids[1] = { 0 };
  guint n;

  for (gint64 i = 0; i < 6; i++)
    episode_write_step (storage, &(gboolean){ i == 1 }, ids);
  assert_trajectories (index, storage, (gint64[]){ 2, 4 }, 2);
  reel_storage_begin_change (storage);
  reel_storage_get_columns (storage, &n)[column].data[3] = TRUE;
  reel_storage_end_change (storage);
  assert_trajectories (index, storage, (gint64[]){ 2, 2, 2 }, 3);
  reel_storage_empty (storage);
  assert_trajectories (index, storage, NULL, 0);
  episode_write_step (storage, &(gboolean){ FALSE }, ids);
  assert_trajectories (index, storage, (gint64[]){ 1 }, 1);
  reel_storage_restore (storage, 0, 4);
  assert_trajectories (index, storage, (gint64[]){ 2, 2 }, 2);
}

/* ---- keys ---- */

static void
assert_refused (ReelStorage *storage, const ReelTrajectoryKeys *keys, ReelError code,
                const char *pattern)
{
  g_autoptr (GError) error = NULL;
  ReelTrajectoryIndex *index = reel_trajectory_index_new (storage, keys, &error);

  g_assert_null (index);
  g_assert_error (error, REEL_ERROR, (gint) code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("\"%s\" is not \"%s\"", error->message, pattern);
}

static void
test_refuses (void)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=6", NULL, NULL);
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_BOOL, 1, (gint64[]){ 5 }, NULL);
  g_autoptr (ReelTensor) real = reel_tensor_new (REEL_DTYPE_FLOAT32, 0, NULL, NULL);
  const char *const wide_key[] = { "wide", NULL }, *const real_key[] = { "real", NULL };
  const char *const no_key[] = { "none", NULL };

  assert_refused (storage, NULL, REEL_ERROR_RUNTIME, "Could not get a tensordict*");
  g_assert_true (reel_tensordict_set_tensor (step, "wide", wide, NULL));
  g_assert_true (reel_tensordict_set_tensor (step, "real", real, NULL));
  g_assert_true (reel_storage_allocate (storage, step, NULL));
  assert_refused (storage, NULL, REEL_ERROR_KEY,
                  "*\"collector/traj_ids\", \"episode\", \"next/done\"*which has \"*");
  assert_refused (storage, &(ReelTrajectoryKeys){ .trajectory = "none", .ends = no_key },
                  REEL_ERROR_KEY, "*none of \"none\", \"none\"*");
  assert_refused (storage, &(ReelTrajectoryKeys){ .ends = real_key }, REEL_ERROR_TYPE,
                  "*real*float32*");
  assert_refused (storage, &(ReelTrajectoryKeys){ .ends = wide_key }, REEL_ERROR_RUNTIME,
                  "Expected the end-of-trajectory signal to be 1-dimensional. Got a tensor with "
                  "shape?1?=2 instead*");
  assert_refused (storage, &(ReelTrajectoryKeys){ .end_flags = wide }, REEL_ERROR_RUNTIME,
                  "ends must have one element for each of the 6 rows*not 5");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/trajectory-index/every-small-storage", test_every_small_storage);
  g_test_add_func ("/trajectory-index/long-run", test_long_run);
  g_test_add_func ("/trajectory-index/changes-in-place", test_changes_in_place);
  g_test_add_func ("/trajectory-index/refuses", test_refuses);

  return g_test_run ();
}
