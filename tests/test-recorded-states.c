/* Episodes that are played again: what was, to the bit, or nothing. */
#include "collecting.h"
#include "env-text.h"

#include <string.h>

#define LANES 3
#define STEPS 60

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelStorage *storage;
  ReelTrajectoryIndex *index;
  ReelStorageView view;
  ReelEnv *env; /* one lane of its own */
} Run;

/* Every env that there is, some steps of three lanes. */
static void
run_open (Run *run, const char *id, const char *arguments, gint64 capacity)
{
  g_autofree char *all = g_strconcat ("num-envs=3,seed=11,max-episode-steps=17", arguments, NULL);
  g_autofree char *text = env_text (id, all);
  g_autoptr (ReelEnv) several = collecting_make (REEL_TYPE_ENV, text);
  g_autofree char *lane = reel_single_lane_dup_text (several, 0);
  g_autofree char *how = collecting_text ("sync", 12 * LANES, STEPS * LANES, 1);
  g_autoptr (GError) error = NULL;

  run->buffer = collecting_make_buffer ("tensor", capacity * LANES, 2);
  run->storage = reel_replay_buffer_get_storage (run->buffer);
  g_autoptr (ReelCollector) collector =
      collecting_make_collector (how, text, "random:seed=5", run->buffer);
  while (collecting_next (collector, NULL) > 0)
    ;
  run->index = reel_trajectory_index_new (run->storage, NULL, &error);
  g_assert_no_error (error);
  reel_storage_get_view (run->storage, &run->view);
  reel_trajectory_index_follow (run->index, &run->view, 1, &error);
  g_assert_no_error (error);
  run->env = reel_object_new_from_text (REEL_TYPE_ENV, lane, &error, "num-envs", "1", NULL);
  g_assert_no_error (error);
}

static void
run_close (Run *run)
{
  g_object_unref (run->env);
  reel_trajectory_index_free (run->index);
  g_object_unref (run->buffer);
}

static ReelTensordict *
read_row (const Run *run, const ReelTrajectory *episode, gint64 step)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *row = reel_replay_buffer_get_numbered_rows (
      run->buffer, episode->first_row + step * run->view.lanes, 1, &error);

  g_assert_no_error (error);
  return row;
}

static void
assert_stored (ReelTensordict *row, const char *path, gconstpointer data, gsize bytes)
{
  const ReelTensor *stored = reel_tensordict_get_tensor (row, path, NULL);

  g_assert_nonnull (stored);
  g_assert_cmpmem (stored->data, reel_tensor_nbytes (stored), data, bytes);
}

/* From each state the stored action gives what is stored of the step. */
static void
check_states (const Run *run, const ReelTrajectory *episode, GBytes *states)
{
  gsize size = reel_env_get_state_size (run->env);
  const guint8 *state = g_bytes_get_data (states, NULL);
  g_autoptr (ReelSingleLane) lane = reel_single_lane_new (run->env, NULL);

  g_assert_cmpuint (g_bytes_get_size (states), ==, size * (gsize) (episode->n_steps + 1));
  for (gint64 step = episode->n_steps - 1; step >= 0; step--)
    {
      g_autoptr (ReelTensordict) row = read_row (run, episode, step);
      const ReelTensor *action = reel_tensordict_get_tensor (row, "action", NULL);
      const ReelTensor *seen = reel_tensordict_get_tensor (lane->observation, "observation", NULL);
      g_autofree guint8 *after = g_malloc (size);

      reel_env_set_state (run->env, 0, state + (gsize) step * size);
      memcpy (lane->action_data[0], action->data, reel_tensor_nbytes (action));
      g_assert_true (reel_single_lane_step (lane, NULL));
      assert_stored (row, "next/observation", seen->data, reel_tensor_nbytes (seen));
      assert_stored (row, "next/reward", &lane->reward, sizeof lane->reward);
      reel_env_get_state (run->env, 0, after);
      g_assert_cmpmem (after, size, state + (gsize) (step + 1) * size, size);
    }
}

static void
test_all (gconstpointer id)
{
  Run run;

  run_open (&run, id, "", STEPS);
  for (gint64 k = 0; k < reel_trajectory_index_get_n (run.index); k++)
    {
      ReelTrajectory episode;
      g_autoptr (GError) error = NULL;

      reel_trajectory_index_get (run.index, k, &episode);
      g_autoptr (GBytes) states = reel_recorded_states_new (run.buffer, &episode, run.env, &error);
      g_assert_no_error (error);
      check_states (&run, &episode, states);
    }
  run_close (&run);
}

/* ---- what is otherwise ---- */

static void
expect_error (const Run *run, const ReelTrajectory *episode, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) states = reel_recorded_states_new (run->buffer, episode, run->env, &error);

  g_assert_null (states);
  g_assert_error (error, REEL_ERROR, code);
}

static guint8 *
find_cell (const Run *run, const ReelTrajectory *episode, const char *path, gint64 step)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (run->storage, &n);
  const ReelColumn *column = &columns[reel_storage_find_column (run->storage, path, NULL)];
  gint64 row = episode->first_row + step * run->view.lanes;

  return column->data + (gsize) (row % run->view.capacity) * column->row_stride;
}

/* Any bit of any step that is not what was. */
static void
test_other_data (void)
{
  static const char *const paths[] = { "observation", "next/observation", "next/reward",
                                       "next/terminated", "action" };
  Run run;
  ReelTrajectory episode;

  run_open (&run, "CartPole-v1", "", STEPS);
  reel_trajectory_index_get (run.index, 4, &episode);
  for (guint p = 0; p < G_N_ELEMENTS (paths); p++)
    for (gint64 step = 0; step < episode.n_steps; step++)
      {
        guint8 *cell = find_cell (&run, &episode, paths[p], step);
        guint8 *other = p == 4 ? cell + sizeof (gint64) : cell;

        /* Another action, or the lowest bit of a number. */
        *cell ^= 1;
        if (p == 4)
          *other ^= 1;
        expect_error (&run, &episode, REEL_ERROR_RUNTIME);
        *cell ^= 1;
        if (p == 4)
          *other ^= 1;
      }
  g_autoptr (GBytes) states = reel_recorded_states_new (run.buffer, &episode, run.env, NULL);
  g_assert_nonnull (states);
  run_close (&run);
}

static void
test_begun_before (void)
{
  Run run;
  ReelTrajectory episode, late;

  run_open (&run, "CartPole-v1", "", STEPS);
  reel_trajectory_index_get (run.index, 4, &episode);
  for (gint64 cut = 1; cut < episode.n_steps; cut++)
    {
      late = (ReelTrajectory){ episode.first_row + cut * run.view.lanes, episode.n_steps - cut };
      expect_error (&run, &late, REEL_ERROR_RUNTIME);
    }
  run_close (&run);
}

static void
test_overwritten (void)
{
  Run run;
  ReelTrajectory gone = { 0, 5 };

  run_open (&run, "CartPole-v1", "", 24);
  expect_error (&run, &gone, REEL_ERROR_INDEX);
  run_close (&run);
}

static void
test_other_env (void)
{
  Run run;
  ReelTrajectory episode;

  run_open (&run, "CartPole-v1", "", STEPS);
  reel_trajectory_index_get (run.index, 0, &episode);
  g_object_unref (run.env);
  run.env = collecting_make (REEL_TYPE_ENV, "Pendulum-v1");
  expect_error (&run, &episode, REEL_ERROR_RUNTIME);
  g_object_unref (run.env);
  run.env = collecting_make (REEL_TYPE_ENV, "CartPole-v1:num-envs=2");
  expect_error (&run, &episode, REEL_ERROR_VALUE);
  run_close (&run);
}

static void
test_not_recorded (void)
{
  Run run;
  ReelTrajectory episode;

  run_open (&run, "CartPole-v1", "", STEPS);
  reel_trajectory_index_get (run.index, 0, &episode);
  g_autoptr (ReelReplayBuffer) bare = reel_replay_buffer_new (run.storage, NULL, NULL, 0, NULL);
  g_object_unref (run.buffer);
  run.buffer = g_object_ref (bare);
  expect_error (&run, &episode, REEL_ERROR_KEY);
  run_close (&run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_ENV, &n);
  for (gsize i = 0; i < n; i++)
    {
      if (!env_text_has_state (ids[i]->id))
        continue;

      g_autofree char *path =
          g_strdup_printf ("/collectors/recorded-states/what-was-to-the-bit/%s", ids[i]->id);
      g_test_add_data_func (path, ids[i]->id, test_all);
    }
  g_test_add_func ("/collectors/recorded-states/any-other-bit-is-an-error", test_other_data);
  g_test_add_func ("/collectors/recorded-states/not-from-the-middle", test_begun_before);
  g_test_add_func ("/collectors/recorded-states/overwritten-rows", test_overwritten);
  g_test_add_func ("/collectors/recorded-states/another-env", test_other_env);
  g_test_add_func ("/collectors/recorded-states/not-recorded", test_not_recorded);
  return g_test_run ();
}
