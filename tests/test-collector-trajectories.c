/* Batches of whole trajectories, against a list of them that is made step by step. */
#include "collecting.h"
#include "scripted-env.h"

#include "../src/collectors/whole-trajectories.h"

#include <string.h>

/* ---- T14.7-1: trajectories that are put together ---- */

static ReelTensordict *
make_steps (gint64 n, const gint64 *ids, const char *dones, gint64 first)
{
  ReelTensordict *td = reel_tensordict_new (1, &n);
  const gint64 shape[] = { n, 1 };
  g_autoptr (ReelTensor) id = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);
  g_autoptr (ReelTensor) step = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  memcpy (id->data, ids, (gsize) n * sizeof *ids);
  for (gint64 i = 0; i < n; i++)
    {
      done->data[i] = dones[i] == 'T';
      ((gint64 *) (gpointer) step->data)[i] = first + i;
    }
  g_assert_true (reel_tensordict_set_tensor (td, "collector/traj_ids", id, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/done", done, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "step", step, NULL));
  return td;
}

static void
add (ReelWholeTrajectories *whole, gint64 n, const gint64 *ids, const char *dones, gint64 first)
{
  g_autoptr (ReelTensordict) steps = make_steps (n, ids, dones, first);

  g_assert_true (reel_whole_trajectories_add (whole, steps, NULL));
}

static void
assert_steps (ReelWholeTrajectories *whole, gint64 n, const gint64 *wanted)
{
  g_autoptr (ReelTensordict) one = reel_whole_trajectories_take (whole, 1, NULL);
  const ReelTensor *steps = reel_tensordict_get_tensor (one, "step", NULL);

  g_assert_cmpint (steps->shape[0], ==, n);
  g_assert_cmpmem (steps->data, (gsize) n * sizeof *wanted, wanted, (gsize) n * sizeof *wanted);
}

static void
test_ids_and_flags (void)
{
  ReelWholeTrajectories *whole = reel_whole_trajectories_new ("next/done");

  add (whole, 6, (const gint64[]){ 0, 0, 0, 1, 1, 2 }, "FFTFTT", 0);
  g_assert_cmpint (reel_whole_trajectories_count (whole), ==, 3);
  assert_steps (whole, 3, (const gint64[]){ 0, 1, 2 });
  assert_steps (whole, 2, (const gint64[]){ 3, 4 });
  assert_steps (whole, 1, (const gint64[]){ 5 });

  add (whole, 2, (const gint64[]){ 3, 3 }, "FF", 10);
  g_assert_cmpint (reel_whole_trajectories_count (whole), ==, 0);
  add (whole, 3, (const gint64[]){ 3, 3, 3 }, "FFT", 12);
  assert_steps (whole, 5, (const gint64[]){ 10, 11, 12, 13, 14 });

  add (whole, 4, (const gint64[]){ 4, 5, 4, 5 }, "FFTT", 20);
  g_assert_cmpint (reel_whole_trajectories_count (whole), ==, 2);
  assert_steps (whole, 2, (const gint64[]){ 20, 22 });
  assert_steps (whole, 2, (const gint64[]){ 21, 23 });

  /* Padding is of no trajectory. */
  add (whole, 3, (const gint64[]){ 6, -1, -1 }, "TTT", 30);
  g_assert_cmpint (reel_whole_trajectories_count (whole), ==, 1);
  reel_whole_trajectories_free (whole);
}

/* ---- a collector over envs that end as they are told ---- */

#define LANES 2
#define STEPS 5

/* A trajectory of the list. */
typedef struct
{
  gint64 lane, number;
  gint64 begin, end; /* steps of the lane */
} Known;

static gint
compare_known (gconstpointer a, gconstpointer b)
{
  const Known *x = a, *y = b;

  return x->begin != y->begin ? (gint) (x->begin - y->begin) : (gint) (x->lane - y->lane);
}

/* list_known: those that end in steps [from, to), in the order of their beginnings. */
static GArray *
list_known (const guint32 *words, gint64 from, gint64 to)
{
  GArray *known = g_array_new (FALSE, FALSE, sizeof (Known));

  for (gint64 lane = 0; lane < LANES; lane++)
    {
      Known one = { .lane = lane };

      for (gint64 step = 0; step < to; step++)
        if (words[lane] >> step & 1)
          {
            one.end = step + 1;
            if (step >= from)
              g_array_append_val (known, one);
            one.number++;
            one.begin = step + 1;
          }
    }
  g_array_sort (known, compare_known);
  return known;
}

/* list_all: batch after batch of @steps. */
static GArray *
list_all (const guint32 *words, gint64 steps)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Known));

  for (gint64 from = 0; from < STEPS; from += steps)
    {
      g_autoptr (GArray) known = list_known (words, from, MIN (from + steps, STEPS));

      if (known->len > 0)
        g_array_append_vals (all, known->data, known->len);
    }
  return all;
}

static gint64
read_int64 (ReelTensordict *td, const char *path, gint64 i)
{
  return ((const gint64 *) (gconstpointer) reel_tensordict_get_tensor (td, path, NULL)->data)[i];
}

/* assert_steps_of: rows from @row on are the steps of @known. */
static gint64
assert_known (ReelTensordict *td, gint64 row, const Known *known)
{
  gint64 n = known->end - known->begin;

  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (read_int64 (td, "collector/traj_ids", row + i), ==,
                       known->lane + LANES * known->number);
      g_assert_cmpint (read_int64 (td, "observation", 2 * (row + i)), ==, known->number);
      g_assert_cmpint (read_int64 (td, "observation", 2 * (row + i) + 1), ==, i);
      g_assert_cmpint (reel_tensordict_get_tensor (td, "next/done", NULL)->data[row + i], ==,
                       i + 1 == n);
    }
  return n;
}

/* assert_padding: after @n steps of the row. */
static void
assert_row (ReelTensordict *td, gint64 row, const Known *known)
{
  gint ndim;
  gint64 width = reel_tensordict_get_batch_size (td, &ndim)[1];
  gint64 n = assert_known (td, row * width, known);
  const guint8 *mask = reel_tensordict_get_tensor (td, "collector/mask", NULL)->data;

  for (gint64 i = 0; i < width; i++)
    {
      g_assert_cmpint (mask[row * width + i], ==, i < n);
      if (i >= n)
        g_assert_cmpint (read_int64 (td, "collector/traj_ids", row * width + i), ==, 0);
    }
}

static ReelCollector *
make (const guint32 *words, const char *how, gint64 steps, ReelReplayBuffer *buffer)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "Scripted-v0:num-envs=2");
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_autofree char *text = g_strdup_printf ("sync:threads=1,frames-per-batch=%d,total-frames=%d,%s",
                                           (int) (steps * LANES), STEPS * LANES, how);
  g_autoptr (GError) error = NULL;
  ReelCollector *collector;

  for (gint64 lane = 0; lane < LANES; lane++)
    scripted_env_tell (env, lane, words[lane], 0);
  collector = reel_collector_new (text, env, policy, buffer, &error);
  g_assert_no_error (error);
  return collector;
}

static void
check_batches (const guint32 *words, gint64 steps, gint64 n, gboolean cat)
{
  g_autofree char *how =
      g_strdup_printf ("trajs-per-batch=%d,traj-format=%s", (int) n, cat ? "cat" : "padded");
  g_autoptr (ReelCollector) collector = make (words, how, steps, NULL);
  g_autoptr (GArray) known = list_all (words, steps);
  ReelTensordict *batch;
  gint64 taken = 0, rows;

  while ((rows = collecting_next (collector, &batch)) > 0)
    {
      g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (batch, NULL);
      gint64 row = 0;

      for (gint64 i = 0; i < n; i++)
        {
          const Known *one = &g_array_index (known, Known, taken + i);

          if (!cat)
            assert_row (plain, i, one);
          row += cat ? assert_known (plain, row, one) : one->end - one->begin;
        }
      g_assert_cmpint (rows, ==, row);
      taken += n;
    }
  g_assert_cmpint (taken, ==, known->len / n * n);
}

static void
check_buffer (const guint32 *words, gint64 steps, gint64 per_write)
{
  g_autofree char *how = g_strdup_printf ("trajs-per-batch=9,trajs-per-write=%d", (int) per_write);
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 40, 1);
  g_autoptr (ReelCollector) collector = make (words, how, steps, buffer);
  g_autoptr (GArray) known = list_all (words, steps);
  g_autoptr (ReelTensordict) rows = NULL;
  gint64 row = 0;

  while (collecting_next (collector, NULL) > 0)
    ;
  if (known->len > 0)
    rows = reel_replay_buffer_get_all (buffer, NULL);
  for (guint i = 0; i < known->len; i++)
    row += assert_known (rows, row, &g_array_index (known, Known, i));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, row);
}

/* All ends of two lanes over five steps, cut into batches of any length. */
static void
test_all_small_runs (void)
{
  for (guint32 bits = 0; bits < 1u << (LANES * STEPS); bits++)
    {
      const guint32 words[LANES] = { bits & ((1u << STEPS) - 1), bits >> STEPS };
      gint64 steps = bits % STEPS + 1;

      for (gint64 n = 1; n <= 3; n++)
        check_batches (words, steps, n, (bits / 3 + n) % 2);
      check_buffer (words, steps, bits % 4);
    }
}

/* One of two that are complete is dropped, and what follows is of new trajectories. */
static void
test_reset_drops_all (void)
{
  const guint32 words[] = { 0x02, 0x12 };
  g_autoptr (ReelCollector) collector = make (words, "trajs-per-batch=1", 4, NULL);
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 2);
  g_assert_true (reel_collector_reset (collector, NULL));
  g_assert_cmpint (collecting_next (collector, &batch), ==, 1); /* step 4 of lane 1 */
  g_assert_cmpint (read_int64 (batch, "observation", 0), ==, 2);
  g_assert_cmpint (collecting_next (collector, &batch), ==, 0);
}

/* Whole trajectories are processed as a whole. */
static void
test_postproc_sees_whole_trajectories (void)
{
  const guint32 words[] = { 0x14, 0x12 };
  g_autoptr (ReelCollector) collector =
      make (words,
            "trajs-per-batch=2,traj-format=cat,"
            "postproc=(reward-to-go:gamma=1,in-keys=next/reward,out-keys=left)",
            2, NULL);
  static const float left[] = { 3, 2, 6, 5, 3 };
  ReelTensordict *batch;

  g_assert_cmpint (collecting_next (collector, &batch), ==, 5);
  for (gint i = 0; i < 5; i++)
    g_assert_cmpfloat (
        ((const float *) (gconstpointer) reel_tensordict_get_tensor (batch, "left", NULL)->data)[i],
        ==, left[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scripted_envs_init ();

#define TEST(path, function) g_test_add_func ("/collectors/trajectories/" path, function)
  TEST ("ids-and-flags", test_ids_and_flags);
  TEST ("all-small-runs", test_all_small_runs);
  TEST ("reset-drops-all", test_reset_drops_all);
  TEST ("postproc-sees-whole-trajectories", test_postproc_sees_whole_trajectories);
  return g_test_run ();
}
