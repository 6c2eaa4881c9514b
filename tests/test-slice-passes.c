/* Slices without replacement: passes over the trajectories, and passes that are gone on with. */
#include "episode-rows.h"
#include "golden-buffer.h"
#include "make-batch.h"
#include "scratch.h"

#include <string.h>

#define MOST_ROWS 12

/* T7.7-1: fewer trajectories than slices. */
static void
test_fewer_than_wanted (void)
{
  g_autoptr (ReelReplayBuffer) buffer =
      episode_new_buffer (1, 1000, (gint64[]){ 300, 250, 150, 300 }, 4);
  g_autoptr (ReelSampler) sampler = make_sampler ("slice-without-replacement:num-slices=10");
  g_autoptr (ReelSampler) strict = make_sampler ("slice-without-replacement:num-slices=1");

  for (gint round = 0; round < 20; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 320);
      g_autoptr (ReelTensordict) longest = make_batch (buffer, strict, 270);

      g_assert_cmpint (batch_rows (batch), ==, 128);
      episode_assert_slices (batch, 1, 4);
      g_assert_true (reel_sampler_get_ran_out (sampler));
      /* Only two are long enough: both before either comes again. */
      g_assert_cmpint (reel_sampler_get_ran_out (strict), ==, round % 2);
      g_assert_cmpint (batch_rows (longest), ==, 270);
    }
}

/* Which trajectory of ten steps each slice of a batch is of. */
static void
count_tens (const ReelTensordict *batch, gint *n_seen)
{
  for (gint64 i = 0; i < batch_rows (batch); i++)
    if (batch_bools (batch, "next/truncated")[i])
      n_seen[batch_int64s (batch, "number")[i] / 10]++;
}

/* Draws from one buffer do not count for another. */
static void
test_begins_anew_with_another_buffer (void)
{
  const gint64 tens[4] = { 10, 10, 10, 10 };
  g_autoptr (ReelReplayBuffer) one = episode_new_buffer (1, 40, tens, 4);
  g_autoptr (ReelReplayBuffer) other = episode_new_buffer (1, 40, tens, 4);

  for (gint seed = 0; seed < 20; seed++)
    {
      g_autofree char *text =
          g_strdup_printf ("slice-without-replacement:slice-len=4,seed=%d", seed);
      g_autoptr (ReelSampler) sampler = make_sampler (text);
      g_autoptr (ReelTensordict) before = make_batch (one, sampler, 8);
      gint n_seen[10] = { 0 };

      for (gint half = 0; half < 2; half++)
        {
          g_autoptr (ReelTensordict) batch = make_batch (other, sampler, 8);

          count_tens (batch, n_seen);
        }
      for (gint k = 0; k < 4; k++)
        g_assert_cmpint (n_seen[k], ==, 1);
    }
}

/* Ends that are given, where the flags that are stored say otherwise. */
static void
test_given_ends (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 20, (gint64[]){ 20 }, 1);
  g_autoptr (ReelSampler) sampler = make_sampler ("slice-without-replacement:slice-len=10");
  g_autoptr (ReelTensor) ends = reel_tensor_new (REEL_DTYPE_BOOL, 1, (gint64[]){ 20 }, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  gint n_seen[10] = { 0 };

  ends->data[9] = ends->data[19] = TRUE;
  g_assert_true (reel_slice_sampler_set_marks (sampler, NULL, ends, NULL));
  batch = make_batch (buffer, sampler, 20);
  count_tens (batch, n_seen);
  g_assert_cmpint (n_seen[0], ==, 1);
  g_assert_cmpint (n_seen[1], ==, 1);
}

/* T7.7-2: passes over ten trajectories in batches of three slices. */
static void
test_passes (void)
{
  const gint64 tens[10] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 };
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 100, tens, 10);
  gint n_orders = 0, first_before = -1;

  for (gint drop_last = 0; drop_last < 2; drop_last++)
    {
      g_autofree char *text = g_strdup_printf ("slice-without-replacement:slice-len=4,drop-last=%s",
                                               drop_last ? "true" : "false");
      g_autoptr (ReelSampler) sampler = make_sampler (text);

      for (gint pass = 0; pass < 50; pass++)
        {
          gint n_seen[10] = { 0 }, n_all = 0, n_batches = 0;

          do
            {
              g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 12);

              count_tens (batch, n_seen);
              if (n_batches++ == 0)
                {
                  gint first = (gint) (batch_int64s (batch, "number")[0] / 10);
                  n_orders += first != first_before;
                  first_before = first;
                }
              g_assert_cmpint (batch_rows (batch), ==, n_batches < 4 ? 12 : 4);
            }
          while (!reel_sampler_get_ran_out (sampler));
          g_assert_cmpint (n_batches, ==, drop_last ? 3 : 4);
          g_assert_cmpint (reel_sampler_get_remaining (sampler, 12), ==, drop_last ? 3 : 4);
          for (gint i = 0; i < 10; i++)
            {
              g_assert_cmpint (n_seen[i], <=, 1);
              n_all += n_seen[i];
            }
          g_assert_cmpint (n_all, ==, drop_last ? 9 : 10);
        }
    }
  g_assert_cmpint (n_orders, >, 70);
}

static void
test_without_replacement_as_stored (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 12, (gint64[]){ 4, 4, 4 }, 3);
  g_autoptr (ReelSampler) sampler = make_sampler ("slice-without-replacement:slice-len=4,"
                                                  "shuffle=false");
  g_autoptr (ReelSampler) too_many =
      make_sampler ("slice-without-replacement:num-slices=4,drop-last=true");
  g_autofree char *before = reel_sampler_to_string (sampler);
  g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 4);
  g_autofree char *after = reel_sampler_to_string (sampler);
  gint64 ids[1] = { 1 };

  g_assert_cmpint (batch_int64s (batch, "number")[0], ==, 0);
  g_assert_cmpstr (before, ==,
                   "SliceSamplerWithoutReplacement(num_slices=None, slice_len=4, end_key=('next', "
                   "'done'), traj_key=None, truncated_key=('next', 'truncated'), "
                   "strict_length=True,0% sampled)");
  g_assert_true (g_str_has_suffix (after, ",66.66666666666666% sampled)"));
  assert_batch_refused (buffer, too_many, 8, REEL_ERROR_VALUE,
                        "The batch size (4) is greater than the storage capacity (3).*");
  /* Later writes make a new pass: the oldest trajectory is cut. */
  episode_write_step (reel_replay_buffer_get_storage (buffer), &(gboolean){ TRUE }, ids);
  g_autoptr (ReelTensordict) later = make_batch (buffer, sampler, 4);
  g_assert_cmpint (batch_int64s (later, "number")[0], ==, 4);
}

/* ---- state: in TorchRL's numbers ---- */

typedef struct
{
  gint64 lanes, steps, n_steps; /* written, of a ring of @steps */
  gint64 length;
  gint n_drawn;
  gboolean ends[MOST_ROWS]; /* by row number */
} Case;

typedef struct
{
  gint64 n;
  ReelTrajectory of[MOST_ROWS]; /* by number: lane after lane, by the slot of the last step */
} Numbers;

static Numbers
number_trajectories (const Case *the_case, const ReelStorageView *view)
{
  EpisodeOracle oracle = { *view, the_case->ends, 0, 1 };
  Numbers numbers = { 0 };

  for (gint64 lane = 0; lane < the_case->lanes; lane++)
    for (gint64 slot = 0; slot < the_case->steps; slot++)
      for (gint64 step = slot; step < the_case->n_steps; step += the_case->steps)
        {
          gint64 row = step * the_case->lanes + lane;
          ReelTrajectory one;

          if (row < view->first_row)
            continue;
          one = episode_oracle_find (&oracle, row);
          if (one.first_row + (one.n_steps - 1) * the_case->lanes == row)
            numbers.of[numbers.n++] = one;
        }
  return numbers;
}

static gint64
find_number (const Numbers *numbers, gint64 lanes, gint64 row)
{
  for (gint64 i = 0; i < numbers->n; i++)
    {
      const ReelTrajectory *one = &numbers->of[i];

      if (row >= one->first_row && (row - one->first_row) % lanes == 0
          && (row - one->first_row) / lanes < one->n_steps)
        return i;
    }
  g_assert_not_reached ();
}

static gint64
draw_number (ReelReplayBuffer *buffer, ReelSampler *sampler, const Case *the_case,
             const Numbers *numbers)
{
  g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, the_case->length);

  return find_number (numbers, the_case->lanes, batch_int64s (batch, "number")[0]);
}

static ReelTensordict *
get_state (ReelReplayBuffer *buffer, ReelSampler *sampler)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *state =
      reel_sampler_dup_state (sampler, reel_replay_buffer_get_storage (buffer), &error);

  g_assert_no_error (error);
  return state;
}

/* The rest in a state: each long one that was not drawn, once. */
static gint64
assert_left (const ReelTensordict *state, const Case *the_case, const Numbers *numbers,
             gboolean *drawn, gint64 *left)
{
  const ReelTensor *list = reel_tensordict_get_tensor (state, "_sample_list", NULL);
  gint64 n = list ? reel_tensor_numel (list) : 0;

  if (n == 0)
    return 0;
  g_assert_cmpint (*batch_int64s (state, "len_storage"), ==, numbers->n);
  memcpy (left, list->data, (gsize) n * sizeof *left);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (left[i], >=, 0);
      g_assert_cmpint (left[i], <, numbers->n);
      g_assert_false (drawn[left[i]]);
      g_assert_cmpint (numbers->of[left[i]].n_steps, >=, the_case->length);
      drawn[left[i]] = TRUE;
    }
  for (gint64 i = 0; i < numbers->n; i++)
    g_assert_true (drawn[i] || numbers->of[i].n_steps < the_case->length);
  return n;
}

/* Draws some, then asks for the state: both who goes on and who loads it draw what is left. */
static void
run_case (const Case *the_case)
{
  g_autoptr (ReelStorage) storage =
      episode_new_storage (the_case->lanes > 1 ? 2 : 1, the_case->steps, the_case->lanes);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autofree char *text = g_strdup_printf (
      "slice-without-replacement:num-slices=1,end-key=next/done,seed=%d", the_case->n_drawn);
  g_autoptr (ReelSampler) sampler = make_sampler (text), other = make_sampler (text);
  g_autoptr (ReelTensordict) state = NULL, same = NULL;
  g_autoptr (GError) error = NULL;
  gboolean drawn[MOST_ROWS] = { FALSE };
  gint64 ids[2] = { 0 }, left[MOST_ROWS], n, n_long = 0;
  ReelStorageView view;
  Numbers numbers;

  for (gint64 step = 0; step < the_case->n_steps; step++)
    episode_write_step (storage, the_case->ends + step * the_case->lanes, ids);
  reel_storage_get_view (storage, &view);
  numbers = number_trajectories (the_case, &view);
  for (gint64 i = 0; i < numbers.n; i++)
    n_long += numbers.of[i].n_steps >= the_case->length;
  if (n_long <= the_case->n_drawn)
    return;
  for (gint i = 0; i < the_case->n_drawn; i++)
    drawn[draw_number (buffer, sampler, the_case, &numbers)] = TRUE;
  state = get_state (buffer, sampler);
  g_assert_true (reel_sampler_set_state (other, storage, state, &error));
  same = get_state (buffer, other);
  g_assert_true (reel_tensordict_equal (state, same));
  n = assert_left (state, the_case, &numbers, drawn, left);
  g_assert_cmpint (n, ==, the_case->n_drawn == 0 ? 0 : n_long - the_case->n_drawn);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (draw_number (buffer, sampler, the_case, &numbers), ==, left[i]);
      g_assert_cmpint (draw_number (buffer, other, the_case, &numbers), ==, left[i]);
      g_assert_cmpint (reel_sampler_get_ran_out (sampler), ==, i == n - 1);
      g_assert_cmpint (reel_sampler_get_ran_out (other), ==, i == n - 1);
    }
}

/* All ends of up to ten rows in rings of one and two lanes that are part filled, full, and went
 * round. */
static void
test_every_short_state (void)
{
  gint64 n_cases = 0;

  for (gint64 lanes = 1; lanes <= 2; lanes++)
    for (gint64 steps = 2; steps <= 4; steps++)
      for (gint64 n_steps = 1; n_steps * lanes <= 10 && n_steps <= steps + 3; n_steps++)
        for (gint ends = 0; ends < 1 << (n_steps * lanes); ends++)
          for (gint64 length = 1; length <= 2; length++)
            for (gint n_drawn = 0; n_drawn < 4; n_drawn++, n_cases++)
              {
                Case the_case = { lanes, steps, n_steps, length, n_drawn, { FALSE } };

                for (gint row = 0; row < n_steps * lanes; row++)
                  the_case.ends[row] = ends >> row & 1;
                run_case (&the_case);
              }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 10000);
}

/* A state of data that are not there, or were written on, begins a pass. */
static void
test_state_of_other_data (void)
{
  for (gint written = 0; written < 2; written++)
    {
      g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 20, (gint64[]){ 2, 2, 2 }, 3);
      g_autoptr (ReelReplayBuffer) longer = episode_new_buffer (1, 20, (gint64[]){ 2, 2, 2, 2 }, 4);
      g_autoptr (ReelSampler) sampler = make_sampler ("slice-without-replacement:slice-len=2");
      g_autoptr (ReelSampler) other = make_sampler ("slice-without-replacement:slice-len=2");
      ReelReplayBuffer *to = written ? buffer : longer;
      g_autoptr (ReelTensordict) one = make_batch (buffer, sampler, 2), state = NULL, rest = NULL;
      gint64 ids[1] = { 1 };

      state = get_state (buffer, sampler);
      g_assert_true (
          reel_sampler_set_state (other, reel_replay_buffer_get_storage (to), state, NULL));
      if (written)
        for (gint i = 0; i < 2; i++)
          episode_write_step (reel_replay_buffer_get_storage (to), &(gboolean){ i }, ids);
      rest = make_batch (to, other, 8);
      g_assert_cmpint (batch_rows (rest), ==, 8);
    }
}

static void
load_and_save (gconstpointer storage_kind)
{
  g_autofree char *dump = golden_dump ("rb-slice-swr"), *path = scratch_path (storage_kind);
  g_autofree char *storage = g_strdup_printf ("%s:capacity=20", (const char *) storage_kind);
  g_autoptr (ReelReplayBuffer) buffer =
      make_buffer (storage, "slice-without-replacement:slice-len=2", NULL, 4);
  g_autoptr (ReelReplayBuffer) again =
      make_buffer (storage, "slice-without-replacement:slice-len=2", NULL, 4);
  static const gint64 expected[] = { 1, 0, 5, 2 };
  ReelReplayBuffer *buffers[] = { buffer, again };
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, dump, &error);
  g_assert_no_error (error);
  reel_replay_buffer_dumps (buffer, path, 0, &error);
  g_assert_no_error (error);
  golden_assert_same_files (dump, path, 18, 20);
  reel_replay_buffer_loads (again, path, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < 2; i++)
    for (gint n = 0; n < 4; n += 2)
      {
        g_autoptr (ReelTensordict) batch = make_batch (buffers[i], NULL, 4);

        g_assert_cmpint (batch_int64s (batch, "collector/traj_ids")[0], ==, expected[n]);
        g_assert_cmpint (batch_int64s (batch, "collector/traj_ids")[2], ==, expected[n + 1]);
        g_assert_cmpint (reel_sampler_get_ran_out (reel_replay_buffer_get_sampler (buffers[i])), ==,
                         n == 2);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  g_test_add_func ("/samplers/slice-without-replacement/fewer-than-wanted", test_fewer_than_wanted);
  g_test_add_func ("/samplers/slice-without-replacement/begins-anew-with-another-buffer",
                   test_begins_anew_with_another_buffer);
  g_test_add_func ("/samplers/slice-without-replacement/given-ends", test_given_ends);
  g_test_add_func ("/samplers/slice-without-replacement/passes", test_passes);
  g_test_add_func ("/samplers/slice-without-replacement/as-stored",
                   test_without_replacement_as_stored);
  g_test_add_func ("/samplers/slice-without-replacement/state/every-short-one",
                   test_every_short_state);
  g_test_add_func ("/samplers/slice-without-replacement/state/of-other-data",
                   test_state_of_other_data);
  scratch_test_with_data ("/samplers/slice-without-replacement/state/golden/tensor", load_and_save,
                          "tensor");
  scratch_test_with_data ("/samplers/slice-without-replacement/state/golden/memmap", load_and_save,
                          "memmap");
  return g_test_run ();
}
