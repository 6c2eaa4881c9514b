/* Slices: every small storage, each slice that can be drawn with its probability; and what is said
 * of them. */
#include "episode-rows.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 10
#define MOST_DRAWS 65536

/* ---- drawing ---- */

typedef struct
{
  ReelSampler *sampler;
  ReelDraw draw;
  gint64 rows[MOST_DRAWS];
  guint8 *info[5];
  guint n_info;
} Drawn;

static ReelSampler *
new_sampler (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

static Drawn *
drawn_new (const char *text)
{
  Drawn *drawn = g_new0 (Drawn, 1);

  drawn->sampler = new_sampler (text);
  for (gsize i = 0; i < G_N_ELEMENTS (drawn->info); i++)
    drawn->info[i] = g_malloc (MOST_DRAWS);
  drawn->draw.rows = drawn->rows;
  drawn->draw.info = drawn->info;
  return drawn;
}

static void
drawn_free (Drawn *drawn)
{
  for (gsize i = 0; i < G_N_ELEMENTS (drawn->info); i++)
    g_free (drawn->info[i]);
  g_object_unref (drawn->sampler);
  g_free (drawn);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Drawn, drawn_free)

static gboolean
draw (Drawn *drawn, ReelStorage *storage, gint64 n, GError **error)
{
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  drawn->draw.n = n;
  return reel_sampler_sample (drawn->sampler, storage, &view, &drawn->draw, error);
}

/* ---- what can be drawn ---- */

typedef struct
{
  ReelTrajectory slice;
  double chance;
  gint64 n_seen;
} Outcome;

typedef struct
{
  gint64 length, left, right;
  gboolean strict;
} Options;

/* Each start of each trajectory that is long enough, cut to it; equal slices are added up. */
static gint64
list_outcomes (const EpisodeOracle *oracle, const Options *options, Outcome *outcomes)
{
  ReelTrajectory list[MOST_ROWS];
  gint64 n = 0, n_trajectories = episode_oracle_list (oracle, FALSE, list);

  for (gint64 k = 0; k < n_trajectories; k++)
    {
      gint64 steps = list[k].n_steps, length = MIN (steps, options->length);
      gint64 left = options->left < 0 ? length - 1 : MIN (options->left, length - 1);
      gint64 right = options->right < 0 ? length - 1 : MIN (options->right, length - 1);
      double chance = 1.0 / (double) (n_trajectories * (steps - length + left + right + 1));

      for (gint64 start = -left; start <= steps - length + right; start++)
        {
          gint64 begin = MAX (start, 0), end = MIN (start + length, steps), i = 0;
          ReelTrajectory slice = { list[k].first_row + begin * oracle->view.lanes, end - begin };

          while (i < n && memcmp (&outcomes[i].slice, &slice, sizeof slice) != 0)
            i++;
          if (i == n)
            outcomes[n++] = (Outcome){ slice, 0, 0 };
          outcomes[i].chance += chance;
        }
    }
  return n;
}

/* The slices of a draw are told by the marks of their last steps; FALSE for one that cannot be. */
static gboolean
count_slices (const Drawn *drawn, gint64 lanes, Outcome *outcomes, gint64 n)
{
  for (gint64 i = 0, begin = 0; i < drawn->draw.n; i++)
    {
      gint64 k = 0;

      g_assert_cmpint (drawn->info[3][i], ==, i == begin);
      g_assert_cmpint (drawn->info[1][i], ==, drawn->info[0][i]);
      g_assert_cmpint (drawn->info[2][i], ==, FALSE);
      if (i > begin)
        g_assert_cmpint (drawn->rows[i], ==, drawn->rows[i - 1] + lanes);
      if (!drawn->info[0][i])
        continue;
      while (k < n
             && (outcomes[k].slice.first_row != drawn->rows[begin]
                 || outcomes[k].slice.n_steps != i - begin + 1))
        k++;
      if (k == n)
        return FALSE;
      outcomes[k].n_seen++;
      begin = i + 1;
    }
  return drawn->info[0][drawn->draw.n - 1];
}

typedef struct
{
  gint64 n_cases, n_slices, n_refused;
  double chi, freedom;
} Sum;

static void
check_draws (Drawn *drawn, ReelStorage *storage, const EpisodeOracle *oracle,
             const Options *options, Sum *sum)
{
  Outcome outcomes[256];
  gint64 n = list_outcomes (oracle, options, outcomes), n_slices;
  double least = 1;
  g_autoptr (GError) error = NULL;

  sum->n_cases++;
  for (gint64 i = 0; i < n; i++)
    least = MIN (least, outcomes[i].chance);
  n_slices = MIN ((gint64) (30 / least), MOST_DRAWS / options->length);
  if (!draw (drawn, storage, n_slices * options->length, &error))
    {
      g_assert_cmpint (n, ==, 0);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      sum->n_refused++;
      return;
    }
  g_assert_cmpint (n, >, 0);
  g_assert_true (count_slices (drawn, oracle->view.lanes, outcomes, n));
  for (gint64 i = 0; i < n; i++)
    {
      double expected = outcomes[i].chance * (double) n_slices;

      g_assert_cmpint (outcomes[i].n_seen, >, 0);
      sum->chi += pow ((double) outcomes[i].n_seen - expected, 2) / expected;
    }
  sum->n_slices += n_slices;
  sum->freedom += (double) n - 1;
}

/* ---- every small storage ---- */

/* Goes on in the ring at any place of its choice. */
static void
skip_to (ReelStorage *storage, gint64 place, gint64 steps)
{
  gint64 ids[MOST_ROWS] = { 0 };
  const gboolean none[MOST_ROWS] = { FALSE };

  reel_storage_empty (storage);
  while (reel_storage_get_cursor (storage) != place)
    episode_write_step (storage, none, ids);
  g_assert_cmpint (place, <, steps);
}

static void
check_pattern (Drawn *drawn, ReelStorage *storage, gint64 place, gint64 steps, guint pattern,
               gint64 n, const Options *options, Sum *sum)
{
  gint64 lanes = reel_storage_get_lanes (storage), ids[MOST_ROWS] = { 0 }, first = 0;
  gboolean ends[2 * MOST_ROWS * MOST_ROWS] = { FALSE };
  EpisodeOracle oracle = { .ends = ends, .min_length = options->strict ? options->length : 1 };
  ReelStorageView view;

  skip_to (storage, place, steps);
  reel_storage_get_view (storage, &view);
  first = view.end_row - view.first_row;
  oracle.first_row = view.first_row;
  for (gint64 i = 0; i < n; i++)
    {
      for (gint64 lane = 0; lane < lanes; lane++)
        ends[first + i * lanes + lane] = pattern >> (i * lanes + lane) & 1;
      episode_write_step (storage, ends + first + i * lanes, ids);
    }
  reel_storage_get_view (storage, &oracle.view);
  check_draws (drawn, storage, &oracle, options, sum);
}

static void
check_options (const Options *options, gint64 most_rows, Sum *sum)
{
  g_autofree char *text = g_strdup_printf (
      "slice:slice-len=%d,strict-length=%s,span-left=%d,span-right=%d,end-key=next/done,seed=7",
      (int) options->length, options->strict ? "true" : "false", (int) options->left,
      (int) options->right);
  g_autoptr (Drawn) drawn = drawn_new (text);

  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 steps = 1; steps * lanes <= most_rows; steps++)
      {
        g_autoptr (ReelStorage) storage = episode_new_storage (lanes > 1 ? 2 : 1, steps, lanes);

        for (gint64 n = 1; n * lanes <= most_rows; n++)
          for (guint pattern = 0; pattern < 1u << (n * lanes); pattern++)
            for (gint64 place = 0; place < steps; place++)
              check_pattern (drawn, storage, place, steps, pattern, n, options, sum);
      }
}

static gint64
count_most (gboolean common)
{
  return g_test_slow () ? MOST_ROWS : common ? 9 : 7;
}

/* T7.6-3: storages of at most 7 rows, for the common options 9, and 10 for all with -m slow; 1 to 3
 * lanes, any capacity, cursor and ends; slices of 1 to 4 steps, short ones too, beyond either end.
 * Nothing is drawn but what the oracle lists, all of it is, and as often as it should. */
static void
test_every_small_storage (void)
{
  static const gint64 spans[][2] = { { 0, 0 }, { -1, 0 }, { 0, -1 }, { 1, 2 } };
  Sum sum = { 0 };

  for (gint64 length = 1; length <= 4; length++)
    for (gint strict = 0; strict < 2; strict++)
      for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
        if (MAX (spans[i][0], spans[i][1]) < length && (length > 1 || i == 0))
          check_options (&(Options){ length, spans[i][0], spans[i][1], strict },
                         count_most (i == 0 && strict && length == 2), &sum);
  g_test_message ("%" G_GINT64_FORMAT " cases, %" G_GINT64_FORMAT " refused, %" G_GINT64_FORMAT
                  " slices, chi-squared %.0f of %.0f",
                  sum.n_cases, sum.n_refused, sum.n_slices, sum.chi, sum.freedom);
  g_assert_cmpfloat (fabs (sum.chi - sum.freedom), <, 5 * sqrt (2 * sum.freedom));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/samplers/slice/every-small-storage", test_every_small_storage);

  return g_test_run ();
}
