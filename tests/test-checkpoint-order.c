/* Checkpoints in order of time: every small ring, at any cursor, in rings of other sizes and lanes,
 * against a list; whatever fails meanwhile. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <errno.h>

/* ---- enumeration ---- */

/* Steps [first, end) of some lanes are there. */
typedef struct
{
  gint ndim;
  gint64 lanes;
  gint64 first;
  gint64 end;
} Source;

/* The number of row i of the target. */
static gint64
expected_number (const Source *source, gboolean apart, gint64 n_steps, gint64 i)
{
  gint64 step = apart ? i % n_steps : i / source->lanes;
  gint64 lane = apart ? i / n_steps : i % source->lanes;

  return (source->end - n_steps + step) * source->lanes + lane;
}

static gint64
expected_steps (const Source *source, gboolean apart, gint64 capacity)
{
  gint64 n = source->end - source->first;

  if (capacity == 0)
    return n;
  return MIN (n, apart ? capacity / source->lanes : (capacity - 1) / source->lanes + 1);
}

/* Where the source has lost older steps, each lane begins with a cut. */
static void
check_begins (ReelReplayBuffer *buffer, const Source *source, gboolean apart, gint64 n_steps)
{
  g_autofree char *found = reel_replay_buffer_dup_info (buffer, "cut_rows");
  g_autoptr (GString) expected = g_string_new ("{\"begins\":[");

  for (gint64 lane = 0; lane < source->lanes; lane++)
    g_string_append_printf (expected, "%s%" G_GINT64_FORMAT, lane ? "," : "",
                            apart ? lane * n_steps : lane);
  g_string_append (expected, "]}");
  g_assert_cmpstr (found, ==, source->end > n_steps ? expected->str : NULL);
}

static void
check_rows (const char *path, const Source *source, const ReelOrderedDump *dump, gint64 capacity)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  gboolean apart = dump->ndim == 1 && source->lanes > 1;
  gint64 n_steps = expected_steps (source, apart, capacity);
  gint64 n = n_steps * source->lanes;
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, 0, n, NULL);
  gint64 slot;

  g_assert_nonnull (rows);
  g_assert_cmpint (dump->length, ==, n);
  g_assert_cmpint (dump->n_dropped, ==, (source->end - source->first) * source->lanes - n);
  g_assert_cmpint (dump->n_cut, ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, n);
  g_assert_cmpint (reel_replay_buffer_get_capacity (buffer), ==, dump->capacity);
  for (gint64 i = 0; i < n; i++)
    counted_assert_row (rows, &i, expected_number (source, apart, n_steps, i));
  check_begins (buffer, source, apart, n_steps);
  slot = apart ? n : n_steps;
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, slot);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==,
                   dump->length == dump->capacity ? 0 : slot);
  g_assert_true (capacity > 0 || dump->length < dump->capacity);
  if (capacity == 0 && source->first > 0) /* a full ring, and what shows where it ends */
    g_assert_cmpint (dump->capacity, ==, n + (apart ? 1 : source->lanes));
}

/* Every capacity and dimension of one ring. */
static guint
check_targets (ReelReplayBuffer *from, const Source *source)
{
  guint n = 0;

  for (gint ndim = 0; ndim <= 3; ndim++)
    for (gint64 capacity = 0; capacity <= 10; capacity++)
      {
        gboolean apart = (ndim ? ndim : source->ndim) == 1 && source->lanes > 1;
        ReelOrderedDump dump = { .capacity = capacity, .ndim = ndim };
        g_autofree char *path = scratch_path ("ordered");
        g_autoptr (GError) error = NULL;
        gboolean done =
            reel_replay_buffer_dumps_in_order (from, path, &dump, REEL_CHECKPOINT_FORCE, &error);

        n++;
        if (apart && capacity > 0 && capacity < source->lanes)
          {
            g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
            continue;
          }
        g_assert_no_error (error);
        g_assert_true (done);
        g_assert_cmpint (dump.ndim, ==, ndim ? ndim : source->ndim);
        check_rows (path, source, &dump, capacity);
      }
  return n;
}

static void
test_every_small_ring (void)
{
  guint n = 0;

  for (gint ndim = 1; ndim <= 2; ndim++)
    for (gint64 lanes = 1; lanes <= (ndim == 1 ? 1 : 3); lanes++)
      for (gint64 capacity = 1; capacity <= 3; capacity++)
        for (gint64 end = 1; end <= 2 * capacity + 1; end++)
          {
            const Source source = { ndim, lanes, MAX (0, end - capacity), end };
            g_autoptr (ReelReplayBuffer) from =
                counted_new_buffer ("tensor", capacity * lanes, ndim);

            counted_extend (from, lanes, end, 0);
            n += check_targets (from, &source);
          }
  g_test_message ("%u conversions", n);
  g_assert_cmpuint (n, ==, (3 + 5 + 7) * 4 * 44);
}

/* ---- rows of several steps ---- */

#define ROWS 3
#define STEPS_OF_ROW 2

/* The newest rows that have room are there, each with all of its steps. */
static void
check_long_rows (const char *path, const ReelOrderedDump *dump)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, 0, dump->length, NULL);
  gint ndim;

  g_assert_cmpint (reel_tensordict_get_batch_size (rows, &ndim)[1], ==, STEPS_OF_ROW);
  g_assert_cmpint (ndim, ==, 2);
  for (gint64 row = 0; row < dump->length; row++)
    for (gint64 step = 0; step < STEPS_OF_ROW; step++)
      counted_assert_row (rows, (const gint64[]){ row, step },
                          step * ROWS + ROWS - dump->length + row);
}

static void
test_rows_of_several_steps_stay_whole (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", ROWS, 1);
  g_autoptr (ReelTensordict) data = counted_new_batch (2, ROWS, STEPS_OF_ROW, 0);

  g_assert_true (reel_replay_buffer_extend (from, data, NULL, NULL));
  for (gint ndim = 0; ndim <= 3; ndim++)
    for (gint64 capacity = 0; capacity <= ROWS + 1; capacity++)
      {
        ReelOrderedDump dump = { .capacity = capacity, .ndim = ndim };
        g_autofree char *path = scratch_path ("ordered");
        g_autoptr (GError) error = NULL;

        reel_replay_buffer_dumps_in_order (from, path, &dump, REEL_CHECKPOINT_FORCE, &error);
        g_assert_no_error (error);
        g_assert_cmpint (dump.length, ==, capacity == 0 ? ROWS : MIN (capacity, ROWS));
        check_long_rows (path, &dump);
      }
}

/* ---- where lanes meet ---- */

#define STEPS 2

/* Two lanes of two steps; `ends` has a bit a lane, whether it is done at its last step. */
static ReelTensordict *
new_lanes (guint ends, gboolean with_truncated)
{
  const gint64 size[] = { 2, STEPS }, shape[] = { 2, STEPS, 1 };
  ReelTensordict *td = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, shape, NULL);
  g_autoptr (ReelTensor) truncated = reel_tensor_new (REEL_DTYPE_BOOL, 3, shape, NULL);

  for (guint lane = 0; lane < 2; lane++)
    ((guint8 *) done->data)[lane * STEPS + STEPS - 1] = ends >> lane & 1;
  g_assert_true (reel_tensordict_set_tensor (td, "next/done", done, NULL));
  if (with_truncated)
    g_assert_true (reel_tensordict_set_tensor (td, "next/truncated", truncated, NULL));
  return td;
}

static void
check_marks (const char *path, const char *key, guint expected)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, 0, 2 * STEPS, NULL);
  const guint8 *flags = reel_tensordict_get_tensor (rows, key, NULL)->data;

  for (guint i = 0; i < 2 * STEPS; i++)
    g_assert_cmpint (flags[i], ==, i % STEPS == STEPS - 1 && (expected >> i / STEPS & 1));
}

static void
test_trajectories_are_cut_between_lanes (void)
{
  for (guint ends = 0; ends < 4; ends++)
    for (guint truncated = 0; truncated < 2; truncated++)
      {
        g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 2 * STEPS, 2);
        g_autoptr (ReelTensordict) data = new_lanes (ends, truncated);
        g_autofree char *path = scratch_path ("ordered");
        ReelOrderedDump dump = { .ndim = 1 };
        g_autoptr (GError) error = NULL;

        g_assert_true (reel_replay_buffer_extend (from, data, NULL, &error));
        g_assert_true (
            reel_replay_buffer_dumps_in_order (from, path, &dump, REEL_CHECKPOINT_FORCE, &error));
        g_assert_no_error (error);
        g_assert_cmpint (dump.n_cut, ==, 2 - (ends & 1) - (ends >> 1));
        check_marks (path, "next/done", 3);
        if (truncated)
          check_marks (path, "next/truncated", ~ends);
      }
}

/* ---- rows that hold their slot ---- */

static ReelReplayBuffer *
new_indexing_buffer (void)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=6,ndim=2", NULL, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, "tensordict-round-robin", NULL, NULL);

  return reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
}

static void
test_stored_slots_are_the_new_ones (void)
{
  for (gint ndim = 1; ndim <= 3; ndim++)
    {
      g_autoptr (ReelReplayBuffer) from = new_indexing_buffer ();
      g_autofree char *path = scratch_path ("ordered");
      ReelOrderedDump dump = { .ndim = ndim };
      g_autoptr (ReelCheckpointReport) report = NULL;
      g_autoptr (ReelReplayBuffer) opened = NULL;
      g_autoptr (ReelTensordict) rows = NULL;

      counted_extend (from, 2, 4, 0);
      g_assert_true (
          reel_replay_buffer_dumps_in_order (from, path, &dump, REEL_CHECKPOINT_FORCE, NULL));
      report = reel_checkpoint_verify (path, NULL);
      g_assert_true (report->checksums);
      opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
      rows = reel_replay_buffer_get_rows (opened, 0, 6, NULL);
      for (gint64 i = 0; i < 6; i++)
        {
          const ReelTensor *index = reel_tensordict_get_tensor (rows, "index", NULL);

          g_assert_cmpint (((gint64 *) index->data)[i], ==, ndim == 1 ? i : i / 2);
        }
    }
}

/* ---- bad input, faults ---- */

static void
test_refusals (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("ordered");
  ReelOrderedDump bad[] = { { .capacity = -1 }, { .ndim = 4 }, { .ndim = -1 } }, good = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_dumps_in_order (buffer, path, &good, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  counted_extend (buffer, 1, 3, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_false (reel_replay_buffer_dumps_in_order (buffer, path, &bad[i], 0, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_clear_error (&error);
    }
  g_assert_true (reel_replay_buffer_dumps_in_order (buffer, path, &good, 0, &error));
  g_assert_false (reel_replay_buffer_dumps_in_order (buffer, path, &good, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  scratch_assert_names (scratch_directory, "ordered");
}

/* Info of a buffer is copied with it. */
static void
test_info_goes_along (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("ordered"), *info = NULL;
  g_autoptr (ReelReplayBuffer) opened = NULL;
  ReelOrderedDump dump = { 0 };

  counted_extend (from, 1, 6, 0);
  reel_replay_buffer_set_batch_size (from, 32);
  g_assert_true (reel_replay_buffer_set_info (from, "env", "{\"id\":7}", NULL));
  g_assert_true (reel_replay_buffer_dumps_in_order (from, path, &dump, 0, NULL));
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  info = reel_replay_buffer_dup_info (opened, "env");
  g_assert_cmpstr (info, ==, "{\"id\":7}");
  g_assert_cmpint (reel_replay_buffer_get_batch_size (opened), ==, 32);
}

/* The old checkpoint, or the whole of the new one. */
static void
check_fault (ReelReplayBuffer *from, const char *path, gint64 n, int number, gboolean onward,
             gboolean *struck)
{
  g_autofree char *old = tree_digest (path), *now = NULL;
  ReelOrderedDump dump = { .capacity = 5 };
  g_autoptr (ReelReplayBuffer) opened = NULL;
  g_autoptr (GError) error = NULL;
  gboolean done;

  file_faults_begin ();
  file_faults_fail (NULL, n, number, onward);
  done = reel_replay_buffer_dumps_in_order (from, path, &dump, REEL_CHECKPOINT_FORCE, &error);
  *struck = file_faults_struck ();
  file_faults_end ();
  g_assert_true (done == (error == NULL));
  now = tree_digest (path);
  remove_leftovers (done || onward);
  if (!done && g_str_equal (now, old))
    return;
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_assert_nonnull (opened);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 4);
}

static void
test_survives_any_fault (void)
{
  static const int numbers[] = { EIO, ENOSPC };
  g_autofree char *path = scratch_path ("dump");

  for (guint i = 0; i < 2 * G_N_ELEMENTS (numbers); i++)
    {
      gboolean struck = TRUE;
      gint64 n;

      for (n = 1; struck; n++)
        {
          g_autoptr (ReelReplayBuffer) old = counted_new_buffer ("tensor", 4, 1);
          g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);

          counted_extend (old, 1, 2, 0);
          counted_extend (from, 1, 6, 100);
          g_assert_true (reel_replay_buffer_dumps (old, path, REEL_CHECKPOINT_FORCE, NULL));
          check_fault (from, path, n, numbers[i / 2], i % 2, &struck);
        }
      g_assert_cmpint (n, >, 100);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/checkpoint-order/" name, function)
  TEST ("every-small-ring", test_every_small_ring);
  TEST ("rows-of-several-steps-stay-whole", test_rows_of_several_steps_stay_whole);
  TEST ("trajectories-are-cut-between-lanes", test_trajectories_are_cut_between_lanes);
  TEST ("stored-slots-are-the-new-ones", test_stored_slots_are_the_new_ones);
  TEST ("refusals", test_refusals);
  TEST ("info-goes-along", test_info_goes_along);
  TEST ("survives-any-fault", test_survives_any_fault);

  return g_test_run ();
}
