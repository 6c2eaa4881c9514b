/* Slices that begin by priority: their chances against a list, and what is said of them. */
#include "episode-rows.h"
#include "make-batch.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 6
#define N_SLICES 4000

static const ReelTensor *
get (const ReelTensordict *batch, const char *path)
{
  return reel_tensordict_get_tensor (batch, path, NULL);
}

/* ---- every small storage ---- */

typedef struct
{
  gint64 length, right;
  gboolean strict;
} Options;

typedef struct
{
  gint64 n_cases, n_refused;
  double chi, freedom;
} Sum;

/* The chance of each row to be a slice's first; FALSE where none has one. */
static gboolean
list_chances (const EpisodeOracle *oracle, const Options *options, const double *priorities,
              double *chances)
{
  gint64 n = oracle->view.end_row - oracle->view.first_row;
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 row = oracle->view.first_row + i;
      ReelTrajectory whole = episode_oracle_find (oracle, row);
      gint64 left = whole.n_steps - (row - whole.first_row) / oracle->view.lanes;
      gint64 least = options->right < 0 ? 1 : options->length - options->right;

      chances[i] = left >= least || (!options->strict && row == whole.first_row)
                       ? priorities[row % oracle->view.capacity]
                       : 0;
      sum += chances[i];
    }
  for (gint64 i = 0; i < n && sum > 0; i++)
    chances[i] /= sum;
  return sum > 0;
}

static void
check_storage (ReelStorage *storage, ReelSampler *sampler, const EpisodeOracle *oracle,
               const Options *options, const double *priorities, Sum *sum)
{
  static gint64 rows[N_SLICES * 3];
  static guint8 info[5][N_SLICES * 3 * 8];
  guint8 *infos[5] = { info[0], info[1], info[2], info[3], info[4] };
  ReelDraw draw = { .n = N_SLICES * options->length, .rows = rows, .info = infos };
  double chances[MOST_ROWS] = { 0 };
  gint64 n_seen[MOST_ROWS] = { 0 }, slots[MOST_ROWS], n;
  g_autoptr (GError) error = NULL;
  gboolean can = list_chances (oracle, options, priorities, chances);

  n = MIN (oracle->view.end_row, oracle->view.capacity);
  for (gint64 i = 0; i < n; i++)
    slots[i] = i;
  g_assert_true (reel_sampler_update_priority (sampler, storage, slots, n, priorities, NULL));
  sum->n_cases++;
  if (!reel_sampler_sample (sampler, storage, &oracle->view, &draw, &error))
    {
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_false (can);
      sum->n_refused++;
      return;
    }
  g_assert_true (can);
  for (gint64 i = 0, begin = 0; i < draw.n; i++)
    {
      ReelTrajectory whole = episode_oracle_find (oracle, rows[begin]);
      gint64 last = whole.first_row + (whole.n_steps - 1) * oracle->view.lanes;

      g_assert_cmpint (rows[i], ==, rows[begin] + (i - begin) * oracle->view.lanes);
      g_assert_cmpint (rows[i], <=, last);
      g_assert_cmpint (info[0][i], ==, i - begin + 1 == options->length || rows[i] == last);
      if (!info[0][i])
        continue;
      n_seen[rows[begin] - oracle->view.first_row]++;
      begin = i + 1;
    }
  for (gint64 i = 0; i < MOST_ROWS; i++)
    {
      double expected = chances[i] * N_SLICES;

      g_assert_true (expected > 0 || n_seen[i] == 0);
      if (expected == 0)
        continue;
      sum->chi += pow ((double) n_seen[i] - expected, 2) / expected;
      sum->freedom++;
    }
  sum->freedom--;
}

/* Storages of at most 6 rows, one or two lanes, any ends and cursor. */
static void
check_options (const Options *options, Sum *sum)
{
  static const double all[MOST_ROWS] = { 1, 4, 2, 0, 3, 0.5 };

  for (gint64 lanes = 1; lanes <= 2; lanes++)
    for (gint64 steps = 2; steps * lanes <= MOST_ROWS; steps++)
      for (gint64 n = 1; n * lanes <= MOST_ROWS; n++)
        for (guint pattern = 0; pattern < 1u << (n * lanes); pattern++)
          {
            g_autoptr (ReelStorage) storage = episode_new_storage (lanes > 1 ? 2 : 1, steps, lanes);
            g_autofree char *text =
                g_strdup_printf ("prioritized-slice:slice-len=%d,strict-length=%s,span-right=%d,"
                                 "end-key=next/done,alpha=1,"
                                 "eps=0,seed=%d",
                                 (int) options->length, options->strict ? "true" : "false",
                                 (int) options->right, (int) sum->n_cases);
            g_autoptr (ReelSampler) sampler = make_sampler (text);
            gboolean ends[MOST_ROWS];
            gint64 ids[2] = { 0 };
            EpisodeOracle oracle = { .ends = ends, .min_length = 1 };

            for (gint64 i = 0; i < n * lanes; i++)
              ends[i] = pattern >> i & 1;
            for (gint64 i = 0; i < n; i++)
              episode_write_step (storage, ends + i * lanes, ids);
            reel_storage_get_view (storage, &oracle.view);
            check_storage (storage, sampler, &oracle, options, all, sum);
          }
}

static void
test_every_small_storage (void)
{
  static const gint64 rights[] = { 0, -1, 1 };
  Sum sum = { 0 };

  for (gint64 length = 1; length <= 3; length++)
    for (gint strict = 0; strict < 2; strict++)
      for (gsize i = 0; i < G_N_ELEMENTS (rights); i++)
        if (rights[i] < length)
          check_options (&(Options){ length, rights[i], strict }, &sum);
  g_test_message ("%" G_GINT64_FORMAT " cases, %" G_GINT64_FORMAT
                  " refused, chi-squared %.0f of %.0f",
                  sum.n_cases, sum.n_refused, sum.chi, sum.freedom);
  g_assert_cmpfloat (fabs (sum.chi - sum.freedom), <, 5 * sqrt (2 * sum.freedom));
}

/* ---- what TorchRL documents and tests ---- */

/* T7.8-1 */
static void
test_documented (void)
{
  static const double priorities[9] = { 0, 3, 3, 0, 0, 0, 1, 1, 1 };
  static const gint64 slots[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 9, (gint64[]){ 3, 3, 3 }, 3);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler =
      make_sampler ("prioritized-slice:num-slices=3,alpha=0.7,beta=0.9");
  g_autoptr (ReelTensordict) before = make_batch (buffer, sampler, 6);

  for (gint64 i = 0; i < 6; i++)
    g_assert_cmpfloat (((float *) get (before, "priority_weight")->data)[i], ==, 1);
  g_assert_true (reel_sampler_update_priority (sampler, storage, slots, 9, priorities, NULL));
  for (gint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 6);

      for (gint64 i = 0; i < 6; i++)
        if (batch_int64s (batch, "number")[i] >= 6)
          g_assert_cmpfloat_with_epsilon (((float *) get (batch, "priority_weight")->data)[i],
                                          9.120110917137936e-06, 1e-10);
    }
}

/* T7.8-2: the shortest of five has all the priority. */
static void
test_short_ones (void)
{
  for (gint64 lanes = 1; lanes <= 2; lanes++)
    for (gint strict = 0; strict < 2; strict++)
      {
        g_autoptr (ReelReplayBuffer) buffer =
            episode_new_buffer (lanes, 75, (gint64[]){ 5, 10, 15, 20, 25 }, 5);
        ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
        g_autofree char *text =
            g_strdup_printf ("prioritized-slice:slice-len=10,alpha=1,beta=1,strict-length=%s",
                             strict ? "true" : "false");
        g_autoptr (ReelSampler) sampler = make_sampler (text);
        gint64 slots[10], n_first[5] = { 0 }, n_short = 0;
        double priorities[10];

        for (gint64 i = 0; i < 5 * lanes; i++)
          slots[i] = i, priorities[i] = 10;
        g_assert_true (
            reel_sampler_update_priority (sampler, storage, slots, 5 * lanes, priorities, NULL));
        for (gint round = 0; round < 100; round++)
          {
            g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 50);
            gint64 n = get (batch, "number")->shape[0];

            g_assert_true (n == 50 || !strict);
            n_short += n < 50;
            for (gint64 i = 0; i < n; i++)
              if (batch_int64s (batch, "number")[i] / lanes < 5)
                n_first[batch_int64s (batch, "number")[i] / lanes]++;
          }
        g_assert_cmpint (n_short > 0, ==, !strict);
        for (gint i = 0; i < 5; i++)
          g_assert_true (strict ? n_first[i] == 0 : n_first[i] > 0 && n_first[i] == n_first[0]);
      }
}

/* T7.8-3: trajectories of 3 to 15 steps, slices of 5, beyond the right end or not. */
static void
test_spans (void)
{
  static const gint64 rights[] = { 0, -1, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (rights); i++)
    for (gint strict = 0; strict < 2; strict++)
      {
        g_autoptr (ReelReplayBuffer) buffer =
            episode_new_buffer (1, 45, (gint64[]){ 3, 6, 9, 12, 15 }, 5);
        g_autofree char *text =
            g_strdup_printf ("prioritized-slice:slice-len=5,strict-length=%s,span-right=%d",
                             strict ? "true" : "false", (int) rights[i]);
        g_autoptr (ReelSampler) sampler = make_sampler (text);
        gboolean has_first = FALSE, has_cut = FALSE;

        for (gint round = 0; round < 200; round++)
          {
            g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 50);
            gint64 n = get (batch, "number")->shape[0], begin = 0;

            for (gint64 k = 0; k < n; k++)
              {
                has_first = has_first || batch_int64s (batch, "number")[k] < 3;
                if (!get (batch, "next/truncated")->data[k])
                  continue;
                has_cut = has_cut || (batch_int64s (batch, "number")[begin] >= 30 && k - begin < 4);
                begin = k + 1;
              }
          }
        g_assert_cmpint (has_first, ==, !strict || rights[i] != 0);
        g_assert_cmpint (has_cut, ==, rights[i] != 0);
      }
}

static void
test_refuses_and_prints (void)
{
  g_autoptr (ReelReplayBuffer) buffer = episode_new_buffer (1, 9, (gint64[]){ 3, 6 }, 2);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler =
      make_sampler ("prioritized-slice:slice-len=4,alpha=0.7,beta=0.9,eps=0");
  g_autoptr (ReelSampler) too_long = make_sampler ("prioritized-slice:slice-len=7");
  g_autofree char *text = reel_sampler_to_string (sampler);
  static const double priorities[9] = { 1, 1, 1 };
  static const gint64 slots[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (text, ==,
                   "PrioritizedSliceSampler(num_slices=None, slice_len=4, end_key=('next', "
                   "'done'), traj_key=None, truncated_key=('next', 'truncated'), "
                   "strict_length=True,alpha=0.7, beta=0.9, eps=0.0)");
  g_assert_true (reel_sampler_update_priority (sampler, storage, slots, 9, priorities, NULL));
  g_assert_false (reel_replay_buffer_sample_with (buffer, sampler, 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, "non-positive p_sum"));
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_sample_with (buffer, too_long, 7, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, "Did not find a single trajectory"));
  g_clear_error (&error);
  g_assert_null (reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "prioritized-slice:slice-len=4,span-left=1", &error, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/samplers/prioritized-slice/every-small-storage", test_every_small_storage);
  g_test_add_func ("/samplers/prioritized-slice/documented", test_documented);
  g_test_add_func ("/samplers/prioritized-slice/short-ones", test_short_ones);
  g_test_add_func ("/samplers/prioritized-slice/spans", test_spans);
  g_test_add_func ("/samplers/prioritized-slice/refuses-and-prints", test_refuses_and_prints);

  return g_test_run ();
}
