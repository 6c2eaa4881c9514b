/* Batches of slices: what a buffer makes of what its sampler says. */
#include "episode-rows.h"
#include "golden-buffer.h"
#include "make-batch.h"
#include "scratch.h"

#include <string.h>

static gint64
count (const ReelTensordict *batch, const char *path)
{
  gint64 sum = 0;

  for (gint64 i = 0; i < batch_rows (batch); i++)
    sum += batch_bools (batch, path)[i];
  return sum;
}

/* T7.6-1 T7.6-13 */
static void
test_marks (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 60, (gint64[]){ 20, 9, 15, 12 }, 4);
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, NULL);
  g_autoptr (ReelSampler) sampler = make_sampler ("slice:num-slices=4");

  for (gint round = 0; round < 200; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 20);
      const gint64 *number = batch_int64s (batch, "number"), *index = batch_int64s (batch, "index");

      g_assert_cmpint (batch_rows (batch), ==, 20);
      episode_assert_slices (batch, 1, 4);
      for (gint64 i = 0; i < 20; i++)
        {
          g_assert_cmpint (index[i], ==, number[i]);
          g_assert_cmpint (batch_bools (batch, "next/truncated")[i], ==, i % 5 == 4);
          g_assert_cmpint (batch_bools (batch, "next/done")[i], ==,
                           i % 5 == 4 || batch_bools (all, "next/done")[number[i]]);
          g_assert_cmpint (batch_bools (batch, "next/terminated")[i], ==,
                           batch_bools (all, "next/terminated")[number[i]]);
          g_assert_cmpint (batch_bools (batch, "is_init")[i], ==,
                           i % 5 == 0 || batch_bools (all, "is_init")[number[i]]);
        }
    }
}

/* Without is_init in the storage there is none in the batch; other and no keys for marks. */
static void
test_marks_elsewhere (void)
{
  const gint64 shape[1] = { 30 };
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=30", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (ReelSampler) elsewhere = make_sampler ("slice:slice-len=5,truncated-key=cut");
  g_autoptr (ReelSampler) nowhere = make_sampler ("slice:slice-len=5,truncated-key=''");

  g_assert_true (reel_tensordict_set_tensor (data, "episode", ids, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  g_autoptr (ReelTensordict) batch = make_batch (buffer, elsewhere, 20);
  g_autoptr (ReelTensordict) bare = make_batch (buffer, nowhere, 20);
  g_assert_cmpint (count (batch, "cut"), ==, 4);
  g_assert_cmpint (count (batch, "done"), ==, 4);
  g_assert_cmpint (count (batch, "terminated"), ==, 0);
  g_assert_null (reel_tensordict_get_tensor (batch, "is_init", NULL));
  g_assert_null (reel_tensordict_get_tensor (bare, "cut", NULL));
  g_assert_null (reel_tensordict_get_tensor (bare, "next/truncated", NULL));
}

/* T7.6-4: lanes, and a ring that wraps within trajectories. */
static void
test_lanes (void)
{
  g_autoptr (ReelStorage) storage = episode_new_storage (2, 70, 3);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelSampler) sampler = make_sampler ("slice:slice-len=32,end-key=next/done");
  gint64 ids[3] = { 0 };

  for (gint64 step = 0; step < 300; step++)
    {
      episode_write_step (storage, (gboolean[]){ step % 37 == 0, step % 40 == 3, step % 90 == 7 },
                          ids);
      if (step < 100)
        continue;
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 128);
      episode_assert_slices (batch, 3, 4);
      g_assert_cmpint (count (batch, "next/done"), ==, 4);
      g_assert_cmpint (batch_int64s (batch, "number")[0] / 3 % 70, ==,
                       batch_int64s (batch, "index")[0]);
      g_assert_cmpint (batch_int64s (batch, "number")[0] % 3, ==, batch_int64s (batch, "index")[1]);
    }
}

/* T7.6-5 T7.6-6: trajectories of 2 and of 10 steps. */
static void
test_lengths (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 12, (gint64[]){ 2, 10 }, 2);
  g_autoptr (ReelSampler) strict = make_sampler ("slice:num-slices=2");
  g_autoptr (ReelSampler) loose = make_sampler ("slice:num-slices=2,strict-length=false");
  g_autoptr (ReelSampler) too_long = make_sampler ("slice:slice-len=11");
  g_autoptr (ReelTensordict) none = NULL;
  g_autoptr (GError) error = NULL;
  gint n_seen[9] = { 0 };

  for (gint round = 0; round < 400; round++)
    {
      g_autoptr (ReelTensordict) all = make_batch (buffer, strict, 8);
      g_autoptr (ReelTensordict) some = make_batch (buffer, loose, 8);
      gint64 n_short = 0;

      episode_assert_slices (all, 1, 2);
      g_assert_cmpint (batch_rows (all), ==, 8);
      episode_assert_slices (some, 1, 2);
      for (gint64 i = 0; i < batch_rows (some); i++)
        n_short += batch_int64s (some, "number")[i] == 0;
      g_assert_cmpint (batch_rows (some), ==, 8 - 2 * n_short);
      n_seen[batch_rows (some)]++;
    }
  g_assert_cmpint (n_seen[8], >, 60);
  g_assert_cmpint (n_seen[6], >, 140);
  g_assert_cmpint (n_seen[4], >, 60);
  g_assert_false (reel_replay_buffer_sample_with (buffer, too_long, 11, &none, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "Did not find a single trajectory with sufficient length (length range: 2 - 10 "
                   "/ required=11)).");
}

/* T7.6-7 */
static void
test_spans (void)
{
  const gint64 tens[10] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 };
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 100, tens, 10);

  for (gint64 span = 2; span <= 4; span += 2)
    {
      g_autofree char *text =
          g_strdup_printf ("slice:slice-len=5,span-left=%d,span-right=%d", (int) span, (int) span);
      g_autoptr (ReelSampler) sampler = make_sampler (text);
      gint64 shortest = 5;

      for (gint round = 0; round < 100; round++)
        {
          g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 50);
          gint64 length = 0;

          episode_assert_slices (batch, 1, 10);
          for (gint64 i = 0; i < batch_rows (batch); i++)
            {
              length++;
              if (!batch_bools (batch, "next/truncated")[i])
                continue;
              shortest = MIN (shortest, length);
              length = 0;
            }
        }
      g_assert_cmpint (shortest, ==, 5 - span);
    }
}

/* ---- keys ---- */

static void
assert_bounds (ReelReplayBuffer *buffer, const char *text, gint64 first, gint64 last)
{
  g_autoptr (ReelSampler) sampler = make_sampler (text);

  for (gint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, last - first + 1);

      g_assert_cmpint (batch_int64s (batch, "number")[0], ==, first);
      g_assert_cmpint (batch_int64s (batch, "number")[batch_rows (batch) - 1], ==, last);
    }
}

/* T7.6-8 T7.6-14: each way to tell trajectories apart is given one of 5 steps of its own among
 * shorter ones. */
static void
test_keys (void)
{
  g_autoptr (ReelStorage) storage = episode_new_storage (1, 20, 1);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  ReelTensordict *data = reel_storage_get_data (storage);
  gint64 ids[1] = { 0 }, *traj_ids = (gint64 *) batch_int64s (data, "collector/traj_ids");
  float *episode = (float *) reel_tensordict_get_tensor (data, "episode", NULL)->data;
  guint8 *done = (guint8 *) batch_bools (data, "next/done");
  guint8 *terminated = (guint8 *) batch_bools (data, "next/terminated");

  for (gint64 i = 0; i < 20; i++)
    episode_write_step (storage, &(gboolean){ FALSE }, ids);
  for (gint64 i = 0; i < 20; i++)
    {
      traj_ids[i] = i < 5 ? 100 : i;
      episode[i] = i >= 5 && i < 10 ? 0.5f : (float) i;
      done[i] = i < 10 || i > 13;
      terminated[i] = i % 2;
      ((guint8 *) batch_bools (data, "next/truncated"))[i] = i % 2 == 0 && (i < 15 || i == 18);
    }
  assert_bounds (buffer, "slice:slice-len=5", 0, 4);
  assert_bounds (buffer, "slice:slice-len=5,traj-key=collector/traj_ids", 0, 4);
  assert_bounds (buffer, "slice:slice-len=5,traj-key=episode", 5, 9);
  assert_bounds (buffer, "slice:slice-len=5,end-key=next/done", 10, 14);
  assert_bounds (buffer, "slice:slice-len=5,traj-key=none", 10, 14);
  assert_bounds (buffer, "slice:slice-len=5,traj-key=none,end-key=next/done", 10, 14);
  assert_bounds (buffer, "slice:slice-len=5,end-key=none", 0, 4);
  assert_bounds (buffer, "slice:slice-len=2,end-keys=[next/truncated,none,next/terminated]", 16,
                 17);
  for (gint64 i = 0; i < 20; i++)
    episode[i] = i < 15 ? (float) i + 1 : i % 2 ? 0.0f : -0.0f; /* which are equal */
  assert_bounds (buffer, "slice:slice-len=5,traj-key=episode", 15, 19);
}

/* T7.6-11 T7.6-12: marks given outright, by slot; the newest row is an end, whatever they say. */
static void
test_fixed_marks (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 10, (gint64[]){ 3, 4, 3 }, 3);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) stored = make_sampler ("slice:slice-len=2,cache-values=true");
  g_autoptr (ReelSampler) fixed = make_sampler ("slice:slice-len=2,cache-values=true");
  g_autoptr (ReelSampler) flagged = make_sampler ("slice:slice-len=2,cache-values=true");
  g_autoptr (ReelTensordict) all = reel_replay_buffer_get_all (buffer, NULL);
  g_autoptr (ReelTensor) ids =
      reel_tensor_clone (reel_tensordict_get_tensor (all, "collector/traj_ids", NULL), NULL);
  g_autoptr (ReelTensor) ends =
      reel_tensor_clone (reel_tensordict_get_tensor (all, "next/done", NULL), NULL);
  gint64 id[1] = { 1 };

  g_assert_true (reel_slice_sampler_set_marks (fixed, ids, NULL, NULL));
  g_assert_true (reel_slice_sampler_set_marks (flagged, NULL, ends, NULL));
  for (gint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) a = make_batch (buffer, stored, 6);
      g_autoptr (ReelTensordict) b = make_batch (buffer, fixed, 6);
      g_autoptr (ReelTensordict) c = make_batch (buffer, flagged, 6);
      gboolean crosses = FALSE;

      episode_assert_slices (a, 1, 3);
      /* Flags know that the newest trajectory has ended: the order, and so the draws, are others.
       */
      episode_assert_slices (c, 1, 3);
      g_assert_true (reel_tensordict_equal (a, b));
      if (round != 50)
        continue;
      episode_write_step (storage, &(gboolean){ FALSE }, id);
      for (gint again = 0; again < 100; again++)
        {
          g_autoptr (ReelTensordict) later = make_batch (buffer, flagged, 6);

          for (gint64 i = 0; i < 6; i += 2)
            crosses =
                crosses
                || batch_int64s (later, "number")[i] + 1 != batch_int64s (later, "number")[i + 1];
        }
      g_assert_false (crosses);
      for (gint64 i = 1; i < 10; i++)
        episode_write_step (storage, &(gboolean){ i == 2 || i == 6 || i == 9 }, id);
    }
}

/* One for each slot, in the shape of the storage. */
static void
test_fixed_marks_of_lanes (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (2, 10, (gint64[]){ 3, 4, 3 }, 3);
  const ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  ReelTensor *ids = reel_tensordict_get_tensor (data, "collector/traj_ids", NULL);
  g_autoptr (ReelTensor) flat = reel_tensor_flatten (ids, 0, -1, NULL);
  g_autoptr (ReelSampler) fixed = make_sampler ("slice:slice-len=3,cache-values=true");
  g_autoptr (ReelSampler) wrong = make_sampler ("slice:slice-len=3,cache-values=true");

  g_assert_true (reel_slice_sampler_set_marks (fixed, ids, NULL, NULL));
  for (gint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, fixed, 6);

      episode_assert_slices (batch, 2, 2);
    }
  g_assert_true (reel_slice_sampler_set_marks (wrong, flat, NULL, NULL));
  assert_batch_refused (buffer, wrong, 6, REEL_ERROR_RUNTIME,
                        "trajectories must have one element for each of the 20 rows of the "
                        "storage, 10 steps of 2, not 20");
}

/* T7.6-2 */
static void
test_refuses (void)
{
  static const struct
  {
    const char *text;
    ReelError code;
    const char *message;
  } cases[] = {
    { "slice:num-slices=2,slice-len=10", REEL_ERROR_TYPE,
      "*Either num_slices or slice_len must be not None, and not both. Got num_slices=2 and "
      "slice_len=10." },
    { "slice", REEL_ERROR_TYPE, "*Got num_slices=None and slice_len=None." },
    { "slice:slice-len=2,end-key=a,end-keys=[b,c]", REEL_ERROR_RUNTIME,
      "*`end_key` and `end_keys` are exclusive arguments: *" },
    { "slice:slice-len=2,pad-output=true", REEL_ERROR_VALUE,
      "*pad_output=True is incompatible with strict_length=True: *" },
  };
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 12, (gint64[]){ 12 }, 1);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, (gint64[]){ 12 }, NULL);
  g_autoptr (ReelSampler) by_number = make_sampler ("slice:num-slices=2");
  g_autoptr (ReelSampler) by_length = make_sampler ("slice:slice-len=2");
  g_autoptr (ReelSampler) keyed = make_sampler ("slice:slice-len=2,cache-values=true,traj-key=a");
  g_autoptr (ReelSampler) ended = make_sampler ("slice:slice-len=2,cache-values=true,end-key=a");
  g_autoptr (ReelSampler) spanned = make_sampler ("slice:slice-len=2,span-left=2");
  g_autoptr (ReelSampler) random = make_sampler ("random");
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_clear_error (&error);
      g_assert_null (reel_object_new_from_text (REEL_TYPE_SAMPLER, cases[i].text, &error, NULL));
      g_assert_error (error, REEL_ERROR, (gint) cases[i].code);
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("\"%s\" is not \"%s\"", error->message, cases[i].message);
    }
  assert_batch_refused (
      buffer, by_number, 9, REEL_ERROR_RUNTIME,
      "The batch-size must be divisible by the number of slices, got batch_size=9 and "
      "num_slices=2.");
  assert_batch_refused (
      buffer, by_length, 9, REEL_ERROR_RUNTIME,
      "The batch-size must be divisible by the slice length, got batch_size=9 and "
      "slice_len=2.");
  assert_batch_refused (buffer, spanned, 4, REEL_ERROR_VALUE,
                        "The right and left span must be strictly lower than the sequence length*");
  g_clear_error (&error);
  g_assert_false (reel_slice_sampler_set_marks (by_length, ids, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "To be used, trajectories requires `cache_values` to be set to `True`.");
  g_assert_false (reel_slice_sampler_set_marks (by_length, ids, ids, NULL));
  g_assert_false (reel_slice_sampler_set_marks (keyed, ids, NULL, NULL));
  g_assert_false (reel_slice_sampler_set_marks (ended, ids, NULL, NULL));
  g_clear_error (&error);
  g_assert_false (reel_slice_sampler_set_marks (random, ids, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
}

/* T7.6-9 */
static void
test_padding (void)
{
  static const gint64 lengths[6] = { 3, 8, 2, 7, 1, 5 };
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 26, lengths, 6);
  g_autoptr (ReelSampler) sampler =
      make_sampler ("slice:slice-len=8,strict-length=false,pad-output=true");

  for (gint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 48);
      const guint8 *mask = batch_bools (batch, "collector/mask");
      const gint64 *number = batch_int64s (batch, "number");

      g_assert_cmpint (batch_rows (batch), ==, 48);
      g_assert_cmpint (reel_tensordict_get_tensor (batch, "collector/mask", NULL)->ndim, ==, 1);
      g_assert_cmpint (count (batch, "next/truncated"), ==, 6);
      for (gint64 i = 0; i < 48; i++)
        {
          gboolean last = mask[i] && (i % 8 == 7 || !mask[i + 1]);

          g_assert_true (i % 8 != 0 || (mask[i] && batch_bools (batch, "is_init")[i]));
          g_assert_true (i % 8 == 0 || !mask[i] || number[i] == number[i - 1] + 1);
          g_assert_true (i % 8 == 0 || mask[i] || number[i] == number[i - 1]);
          g_assert_true (i % 8 == 0 || !mask[i] || mask[i - 1]);
          g_assert_cmpint (batch_bools (batch, "next/truncated")[i], ==, last);
        }
    }
}

/* ---- printing, golden data ---- */

static void
test_prints (void)
{
  static const char *const cases[][2] = {
    { "slice:num-slices=4",
      "SliceSampler(num_slices=4, slice_len=None, end_key=('next', 'done'), end_keys=None, "
      "traj_key=None, step_key=step_count, fragmented=False, truncated_key=('next', 'truncated'), "
      "strict_length=True, pad_output=False)" },
    { "SliceSampler:slice-len=5,traj-key=episode,truncated-key='',strict-length=false,"
      "pad-output=true",
      "SliceSampler(num_slices=None, slice_len=5, end_key=('next', 'done'), end_keys=None, "
      "traj_key=episode, step_key=step_count, fragmented=False, truncated_key=None, "
      "strict_length=False, pad_output=True)" },
    { "slice:slice-len=5,end-keys=[next/terminated,done]",
      "SliceSampler(num_slices=None, slice_len=5, end_key=None, end_keys=(('next', 'terminated'), "
      "'done'), traj_key=None, step_key=step_count, fragmented=False, truncated_key=('next', "
      "'truncated'), strict_length=True, pad_output=False)" },
    { "slice:slice-len=5,truncated-key=cut",
      "SliceSampler(num_slices=None, slice_len=5, end_key=('next', 'done'), end_keys=None, "
      "traj_key=None, step_key=step_count, fragmented=False, truncated_key=cut, "
      "strict_length=True, pad_output=False)" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSampler) sampler = make_sampler (cases[i][0]);
      g_autofree char *text = reel_sampler_to_string (sampler);

      g_assert_cmpstr (text, ==, cases[i][1]);
    }
}

static gint64
number_at (const json_t *rows, gsize i, gsize j)
{
  return json_integer_value (json_array_get (json_array_get (rows, i), j));
}

/* Full rings that TorchRL wrote, whose trajectories it found while it knew the cursor. */
static void
test_golden (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  const json_t *table = json_object_get (expect, "trajectories");
  const json_t *starts = json_object_get (table, "start");
  const json_t *lengths = json_object_get (table, "length");
  g_autofree char *path = golden_dump (name);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, 0, NULL);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelTrajectoryIndex) index = reel_trajectory_index_new (storage, NULL, NULL);
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  g_assert_true (reel_trajectory_index_follow (index, &view, 1, NULL));
  g_assert_cmpint (reel_trajectory_index_get_n (index), ==, json_array_size (lengths));
  for (gsize i = 0; i < json_array_size (lengths); i++)
    {
      gint64 lane = view.lanes > 1 ? number_at (starts, i, 1) : 0;
      gint64 slot = number_at (starts, i, 0) * view.lanes + lane;
      gint64 row = view.first_row - view.first_row % view.capacity + slot;
      ReelTrajectory found;

      row += row < view.first_row ? view.capacity : 0;
      g_assert_true (reel_trajectory_index_find (index, row, &found));
      g_assert_cmpint (found.first_row, ==, row);
      g_assert_cmpint (found.n_steps, ==, json_integer_value (json_array_get (lengths, i)));
    }
}

/* TorchRL's files name no class: they open by priority, and a sampler of slices takes the state. */
static void
test_golden_opens_by_priority (void)
{
  g_autofree char *dump = golden_dump ("rb-pslice");
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, NULL);
  ReelStorage *storage = reel_replay_buffer_get_storage (opened);
  ReelSampler *own = reel_replay_buffer_get_sampler (opened);
  g_autoptr (ReelSampler) sampler = make_sampler ("prioritized-slice:slice-len=3");
  g_autoptr (ReelTensordict) state = reel_sampler_dup_state (own, storage, NULL), same = NULL;
  g_autofree char *name = reel_sampler_to_string (own);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_str_has_prefix (name, "PrioritizedSampler("));
  reel_sampler_set_state (sampler, storage, state, &error);
  g_assert_no_error (error);
  same = reel_sampler_dup_state (sampler, storage, NULL);
  g_assert_true (reel_tensordict_equal (state, same));
}

/* Priorities that TorchRL wrote for slices: taken over, and written back. */
static void
test_golden_priorities (void)
{
  g_autoptr (json_t) expect = golden_expect ("rb-pslice");
  const json_t *leaves = json_object_get (json_object_get (expect, "sampler"), "sum_leaves");
  g_autofree char *dump = golden_dump ("rb-pslice"), *path = scratch_path ("written");
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=12", NULL, NULL);
  g_autoptr (ReelSampler) sampler = make_sampler ("prioritized-slice:slice-len=3");
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);
  g_autoptr (ReelReplayBuffer) again = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, dump, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensordict) state = reel_sampler_dup_state (sampler, storage, NULL);
  for (gsize i = 0; i < json_array_size (leaves); i++)
    g_assert_cmpfloat (((const double *) batch_bools (state, "sumtree"))[i], ==,
                       g_ascii_strtod (json_string_value (json_array_get (leaves, i)), NULL));
  g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 12);
  g_assert_cmpint (batch_rows (batch), ==, 12);
  reel_replay_buffer_dumps (buffer, path, 0, &error);
  g_assert_no_error (error);
  again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  g_autofree char *before = reel_sampler_to_string (sampler);
  g_autofree char *after = reel_sampler_to_string (reel_replay_buffer_get_sampler (again));
  g_assert_cmpstr (before, ==, after);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  g_test_add_func ("/samplers/slice/marks", test_marks);
  g_test_add_func ("/samplers/slice/marks-elsewhere", test_marks_elsewhere);
  g_test_add_func ("/samplers/slice/lanes", test_lanes);
  g_test_add_func ("/samplers/slice/lengths", test_lengths);
  g_test_add_func ("/samplers/slice/spans", test_spans);
  g_test_add_func ("/samplers/slice/keys", test_keys);
  g_test_add_func ("/samplers/slice/fixed-marks", test_fixed_marks);
  g_test_add_func ("/samplers/slice/fixed-marks-of-lanes", test_fixed_marks_of_lanes);
  g_test_add_func ("/samplers/slice/refuses", test_refuses);
  g_test_add_func ("/samplers/slice/padding", test_padding);
  g_test_add_func ("/samplers/slice/prints", test_prints);
  g_test_add_data_func ("/samplers/slice/golden/rb-slice", "rb-slice", test_golden);
  g_test_add_data_func ("/samplers/slice/golden/rb-slice-ndim2", "rb-slice-ndim2", test_golden);

  scratch_test ("/samplers/prioritized-slice/golden", test_golden_priorities);
  g_test_add_func ("/samplers/prioritized-slice/opens-by-priority", test_golden_opens_by_priority);

  return g_test_run ();
}
