/* Episodes of rows that are several steps each, beside a comparison of each pair of steps. */
#include "../apps/episodes/episode-list.h"

#include <string.h>

#define STEPS 4
#define CAPACITY 3

/* ---- one row ---- */

static gboolean
is_step (const StepMarks *marks, gint64 i)
{
  return !marks->mask || marks->mask[i];
}

/* Whether two steps are of one episode: no padding, other id or end is between them. */
static gboolean
belong_together (const StepMarks *marks, gint64 first, gint64 last)
{
  for (gint64 i = first; i <= last; i++)
    if (!is_step (marks, i) || (marks->ids && marks->ids[i] != marks->ids[first])
        || (i < last && marks->ends && marks->ends[i]))
      return FALSE;
  return TRUE;
}

static void
check_row (const StepMarks *marks)
{
  g_autoptr (GArray) episodes = g_array_new (FALSE, FALSE, sizeof (ReelTrajectory));
  guint n = 0;

  step_rows_cut (marks, STEPS, 100, episodes);
  for (gint64 i = 0, last; i < STEPS; i = last + 1)
    {
      const ReelTrajectory *episode = &g_array_index (episodes, ReelTrajectory, n);

      last = i;
      if (!is_step (marks, i))
        continue;
      while (last + 1 < STEPS && belong_together (marks, i, last + 1))
        last++;
      g_assert_cmpuint (n++, <, episodes->len);
      g_assert_cmpint (episode->first_row, ==, 100 + i);
      g_assert_cmpint (episode->n_steps, ==, last + 1 - i);
    }
  g_assert_cmpuint (episodes->len, ==, n);
}

/* Every row of four steps, by each choice of what is stored. */
static void
test_each_row (void)
{
  guint8 mask[STEPS], ends[STEPS];
  gint64 ids[STEPS];

  for (guint bits = 0; bits < 1U << (3 * STEPS); bits++)
    {
      for (guint i = 0; i < STEPS; i++)
        {
          mask[i] = bits >> i & 1;
          ends[i] = bits >> (STEPS + i) & 1;
          ids[i] = bits >> (2 * STEPS + i) & 1;
        }
      for (guint stored = 0; stored < 8; stored++)
        {
          const StepMarks marks = { stored & 1 ? mask : NULL, stored & 2 ? ids : NULL,
                                    stored & 4 ? ends : NULL };
          check_row (&marks);
        }
    }
}

/* ---- a ring of padded rows ---- */

typedef struct
{
  gint64 n; /* steps before the padding */
  gboolean ended;
} Row;

static void
set_leaf (ReelTensordict *td, const char *path, ReelDtype dtype, gconstpointer values)
{
  const gint64 shape[] = { 1, STEPS };
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, 2, shape, NULL);

  memcpy (leaf->data, values, STEPS * reel_dtype_size (dtype));
  reel_tensordict_set_tensor (td, path, leaf, NULL);
}

/* Rewards are 1 a step and 50 in the padding. */
static void
add_row (ReelReplayBuffer *buffer, const Row *row, gint64 id)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, (gint64[]){ 1, STEPS });
  GError *error = NULL;
  gint64 ids[STEPS];
  guint8 mask[STEPS], done[STEPS];
  float rewards[STEPS];

  for (gint64 i = 0; i < STEPS; i++)
    {
      mask[i] = i < row->n;
      ids[i] = mask[i] ? id : 0;
      done[i] = row->ended && i == row->n - 1;
      rewards[i] = mask[i] ? 1 : 50;
    }
  set_leaf (td, "collector/mask", REEL_DTYPE_BOOL, mask);
  set_leaf (td, "collector/traj_ids", REEL_DTYPE_INT64, ids);
  set_leaf (td, "next/done", REEL_DTYPE_BOOL, done);
  set_leaf (td, "next/reward", REEL_DTYPE_FLOAT32, rewards);
  reel_replay_buffer_extend (buffer, td, NULL, &error);
  g_assert_no_error (error);
}

static void
check_ring (const Row *rows, gint64 n)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=3", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  gint64 first = MAX (n - CAPACITY, 0);
  GError *error = NULL;

  for (gint64 i = 0; i < n; i++)
    add_row (buffer, &rows[i], 7 * i);
  g_autoptr (GPtrArray) buffers = buffer_episodes_list (buffer, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) list = episode_list_new (buffers);
  g_assert_cmpint (list->len, ==, n - first);
  for (gint64 i = first; i < n; i++)
    {
      const Episode *episode = &g_array_index (list, Episode, (guint) (i - first));

      g_assert_cmpint (episode->first_row, ==, (i - first) * STEPS);
      g_assert_cmpint (episode->n_steps, ==, rows[i].n);
      g_assert_cmpfloat (episode->reward_sum, ==, (double) rows[i].n);
      g_assert_cmpstr (episode->end, ==, rows[i].ended ? "done" : NULL);
      g_assert_true (episode->whole == rows[i].ended);
    }
}

/* Each ring of up to five rows, so that two may be overwritten. */
static void
test_each_ring (void)
{
  Row rows[CAPACITY + 2];

  for (guint n = 1; n <= G_N_ELEMENTS (rows); n++)
    for (guint64 bits = 0; bits < 1U << (2 * n); bits++)
      {
        for (guint i = 0; i < n; i++)
          rows[i] = (Row){ 1 + (bits >> (2 * i) & 1) * (STEPS - 1), bits >> (2 * i + 1) & 1 };
        check_ring (rows, n);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/apps/step-rows/each-row", test_each_row);
  g_test_add_func ("/apps/step-rows/each-ring", test_each_ring);
  return g_test_run ();
}
