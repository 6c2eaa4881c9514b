/* Several processes at one live directory: one writes, others follow; and one hands over to the
 * next. */
#include "../src/reel.h"
#include "scratch.h"

#include <signal.h>
#include <string.h>

#define WIDTH 4

/* ---- rows ---- */

static ReelTensor *
new_tensor (ReelDtype dtype, gint64 n, gint64 width)
{
  const gint64 shape[] = { n, width };

  return reel_tensor_new (dtype, 2, shape, NULL);
}

/* Rows whose elements are all one number, the last of which ends a trajectory. */
static ReelTensordict *
new_rows (gint64 n, float number)
{
  ReelTensordict *rows = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) obs = new_tensor (REEL_DTYPE_FLOAT32, n, WIDTH);
  g_autoptr (ReelTensor) done = new_tensor (REEL_DTYPE_BOOL, n, 1);

  for (gint64 i = 0; i < n * WIDTH; i++)
    ((float *) obs->data)[i] = number;
  memset (done->data, 0, (gsize) n);
  done->data[n - 1] = 1;
  g_assert_true (reel_tensordict_set_tensor (rows, "obs", obs, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/done", done, NULL));
  return rows;
}

static void
extend (ReelReplayBuffer *buffer, gint64 n, float number)
{
  g_autoptr (ReelTensordict) rows = new_rows (n, number);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, rows, NULL, &error);
  g_assert_no_error (error);
}

/* Rows [first, end) by their slots. */
static void
assert_slots (ReelReplayBuffer *buffer, gint64 first, gint64 end, float number)
{
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, NULL);
  const float *obs = (const float *) reel_tensordict_get_tensor (all, "obs", NULL)->data;

  for (gint64 i = first * WIDTH; i < end * WIDTH; i++)
    g_assert_cmpfloat (obs[i], ==, number);
}

/* ---- buffers ---- */

static ReelReplayBuffer *
create (const char *path, gint64 capacity)
{
  g_autoptr (ReelTensordict) rows = new_rows (1, 0);
  g_autoptr (ReelTensordict) step = reel_tensordict_select_index (rows, 0, 0, NULL);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_create_live (path, capacity, step, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

/* One that has its files where a live directory has them, and so goes on with them. */
static ReelReplayBuffer *
new_successor (const char *path, gint64 capacity)
{
  g_autofree char *leaves = g_build_filename (path, "storage", NULL);
  g_autofree char *text = g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT, capacity);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, "scratch-dir", leaves, NULL);

  return reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
}

static ReelReplayBuffer *
take_over (const char *path, gint64 capacity)
{
  ReelReplayBuffer *buffer = new_successor (path, capacity);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, path, &error);
  g_assert_no_error (error);
  return buffer;
}

static ReelReplayBuffer *
follow (const char *path)
{
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);

  g_assert_no_error (error);
  return buffer;
}

static ReelRingInfo
get_ring (ReelReplayBuffer *buffer)
{
  ReelRingInfo info;

  g_assert_true (reel_replay_buffer_get_ring (buffer, &info, NULL));
  return info;
}

static void
assert_trajectories (ReelTrajectoryIndex *trajectories, ReelStorage *storage, gint64 n)
{
  ReelStorageView view;
  g_autoptr (GError) error = NULL;

  reel_storage_get_view (storage, &view);
  reel_trajectory_index_follow (trajectories, &view, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_trajectory_index_get_n (trajectories), ==, n);
}

/* ---- what other processes do ---- */

static gint64
get_number (const char *name)
{
  return g_ascii_strtoll (g_getenv (name), NULL, 10);
}

static void
run_child (const char *name, const char *path, gint64 capacity, gint64 n, gint64 number)
{
  g_autofree char *test = g_strconcat ("/buffers/processes/subprocess/", name, NULL);
  const gint64 numbers[] = { capacity, n, number };
  const char *names[] = { "CAPACITY", "ROWS", "NUMBER" };

  g_setenv ("DIRECTORY", path, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, numbers[i]);

      g_setenv (names[i], text, TRUE);
    }
  g_test_trap_subprocess (test, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
}

static ReelReplayBuffer *
take_over_as_told (void)
{
  return take_over (g_getenv ("DIRECTORY"), get_number ("CAPACITY"));
}

static void
child_extends_by (ReelReplayBuffer *buffer)
{
  extend (buffer, get_number ("ROWS"), (float) get_number ("NUMBER"));
}

static void
child_extends (void)
{
  g_autoptr (ReelReplayBuffer) buffer = take_over_as_told ();

  child_extends_by (buffer);
}

/* Is killed before it closed anything. */
static void
child_dies (void)
{
  child_extends_by (take_over_as_told ());
  raise (SIGKILL);
}

/* Ends a trajectory with the first row. */
static void
child_ends_a_trajectory (void)
{
  g_autoptr (ReelReplayBuffer) buffer = take_over_as_told ();
  g_auto (ReelIndex) first = REEL_INDEX_INIT;
  g_autoptr (ReelTensor) done = new_tensor (REEL_DTYPE_BOOL, 1, 1);
  g_autoptr (GError) error = NULL;

  *done->data = 1;
  reel_index_add_slice (&first, 0, 1, 1);
  reel_replay_buffer_set_at_in_place (buffer, "next/done", &first, done, &error);
  g_assert_no_error (error);
}

/* ---- the tests ---- */

/* T4.1-4: main, child and main again write to one memory-mapped storage, whose directory one hands
 * over to the next. Another follows them all. */
static void
test_one_hands_over_to_the_next (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) first = create (path, 21);
  g_autoptr (ReelReplayBuffer) follower = follow (path), again = NULL;

  extend (first, 10, 0);
  g_assert_true (reel_replay_buffer_close (first, NULL));
  run_child ("extends", path, 21, 10, 1);
  g_test_trap_assert_passed ();
  g_assert_cmpint (reel_replay_buffer_get_length (follower), ==, 20);
  assert_slots (follower, 0, 10, 0);
  assert_slots (follower, 10, 20, 1);

  again = take_over (path, 21);
  g_assert_cmpint (reel_replay_buffer_get_length (again), ==, 20);
  g_assert_cmpint (reel_replay_buffer_get_write_count (again), ==, 20);
  extend (again, 10, 2);
  g_assert_cmpint (reel_replay_buffer_get_length (follower), ==, 21);
  assert_slots (follower, 0, 9, 2);
  assert_slots (follower, 9, 10, 0);
  assert_slots (follower, 10, 20, 1);
  assert_slots (follower, 20, 21, 2);
  g_assert_true (get_ring (follower).written);
  g_assert_true (reel_replay_buffer_close (again, NULL));
  g_assert_false (get_ring (follower).written);
}

static ReelSampler *
make_prioritized (void)
{
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized:alpha=1,beta=1", &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

/* T4.3-5: what two processes wrote one after the other, a sampler that follows them gives the
 * default priority at its next draw. */
static void
test_priorities_of_what_others_wrote (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) first = create (path, 16), follower = follow (path);
  g_autoptr (ReelSampler) sampler = make_prioritized ();
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensor) priority = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 *index;

  g_assert_true (reel_replay_buffer_set_sampler (follower, sampler, NULL, NULL));
  g_assert_true (reel_replay_buffer_close (first, NULL));
  for (gint worker = 0; worker < 2; worker++)
    {
      run_child ("extends", path, 16, 4, worker);
      g_test_trap_assert_passed ();
    }
  g_assert_cmpint (get_ring (follower).end, ==, 8);
  reel_replay_buffer_sample (follower, 4, &batch, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "obs", NULL)->shape[0], ==, 4);
  g_assert_true (reel_tensordict_contains (batch, "priority_weight"));
  priority = new_tensor (REEL_DTYPE_FLOAT32, 4, 1);
  for (gint i = 0; i < 4; i++)
    ((float *) priority->data)[i] = 5;
  index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  g_assert_cmpint (index[0], <, 8);
  g_assert_true (reel_tensordict_set_tensor (batch, "td_error", priority, NULL));
  reel_replay_buffer_update_tensordict_priority (follower, batch, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (reel_sampler_get_default_priority (sampler), >=, 5);
}

/* T6.6-8: who follows sees how much other processes wrote, and what they changed in its place:
 * where trajectories end is looked for anew. */
static void
test_changes_are_followed (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) first = create (path, 16), follower = follow (path);
  ReelStorage *storage = reel_replay_buffer_get_storage (follower);
  g_autoptr (ReelTrajectoryIndex) trajectories = NULL;
  guint64 revision;

  extend (first, 4, 0);
  trajectories = reel_trajectory_index_new (storage, NULL, NULL);
  assert_trajectories (trajectories, storage, 1);
  g_assert_true (reel_replay_buffer_close (first, NULL));
  revision = reel_storage_get_revision (storage);
  run_child ("extends", path, 16, 4, 1);
  g_test_trap_assert_passed ();
  g_assert_cmpint (get_ring (follower).end, ==, 8);
  g_assert_cmpint (reel_storage_get_revision (storage), ==, revision);
  assert_trajectories (trajectories, storage, 2);
  run_child ("ends-a-trajectory", path, 16, 0, 0);
  g_test_trap_assert_passed ();
  g_assert_cmpint (reel_storage_get_revision (storage), ==, revision + 2);
  assert_trajectories (trajectories, storage, 3);
}

/* One writes at a time: a second is refused, and may go on where the first was killed. */
static void
test_one_writes_at_a_time (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) first = create (path, 16), follower = follow (path);
  g_autoptr (ReelReplayBuffer) second = new_successor (path, 16), third = NULL;
  g_autoptr (GError) error = NULL;

  extend (first, 2, 7);
  g_assert_false (reel_replay_buffer_loads (second, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "another process is writing"));
  g_assert_true (reel_replay_buffer_close (first, NULL));
  run_child ("dies", path, 16, 4, 8);
  g_test_trap_assert_failed ();
  third = take_over (path, 16);
  extend (third, 1, 9);
  g_assert_cmpint (reel_replay_buffer_get_length (follower), ==, 7);
  assert_slots (follower, 0, 2, 7);
  assert_slots (follower, 2, 6, 8);
  assert_slots (follower, 6, 7, 9);
  g_assert_cmpint (reel_replay_buffer_get_write_count (third), ==, 7);
}

/* The adopted directory is live: closed again, it is whole, and its checksums are those of all
 * rows.
 */
static void
test_taken_over_is_live (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (ReelReplayBuffer) first = create (path, 5), next = NULL, opened = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;
  g_auto (GStrv) warnings = NULL;

  extend (first, 4, 0);
  g_assert_true (reel_replay_buffer_close (first, NULL));
  next = take_over (path, 5);
  g_assert_true (get_ring (next).live && get_ring (next).written && !get_ring (next).clean);
  extend (next, 3, 1);
  g_assert_true (reel_replay_buffer_close (next, NULL));
  opened = follow (path);
  warnings = reel_replay_buffer_dup_warnings (opened);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
  g_assert_true (get_ring (opened).clean);
  g_assert_cmpint (get_ring (opened).end, ==, 7);
  assert_slots (opened, 0, 2, 1);
  assert_slots (opened, 4, 5, 1);
  report = reel_checkpoint_verify (path, NULL);
  g_assert_true (report->checksums);
  g_assert_cmpuint (report->faults->len, ==, 0);
}

#define ADD(name, function) scratch_test ("/buffers/processes/" name, function)
#define ADD_CHILD(name, function) g_test_add_func ("/buffers/processes/subprocess/" name, function)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  ADD ("one-hands-over-to-the-next", test_one_hands_over_to_the_next);
  ADD ("priorities-of-what-others-wrote", test_priorities_of_what_others_wrote);
  ADD ("changes-are-followed", test_changes_are_followed);
  ADD ("one-writes-at-a-time", test_one_writes_at_a_time);
  ADD ("taken-over-is-live", test_taken_over_is_live);
  ADD_CHILD ("extends", child_extends);
  ADD_CHILD ("dies", child_dies);
  ADD_CHILD ("ends-a-trajectory", child_ends_a_trajectory);

  return g_test_run ();
}
