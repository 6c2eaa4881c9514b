/* What every sampler promises, whoever wrote it: run over all that are listed. */
#include "../src/reel.h"
#include "contract.h"

#include <math.h>
#include <string.h>

#define N 4096

static ReelSampler *
new_sampler (const char *id, gint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%s:seed=%" G_GINT64_FORMAT, id, seed);
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

static void
draw (ReelSampler *sampler, const ReelStorageView *view, gint64 n, gint64 *rows)
{
  g_autoptr (GError) error = NULL;

  reel_sampler_sample (sampler, view, n, rows, &error);
  g_assert_no_error (error);
}

static void
test_empty_storage_is_an_error (gconstpointer id)
{
  g_autoptr (ReelSampler) sampler = new_sampler (id, 0);
  ReelStorageView view = { .first_row = 7, .end_row = 7, .capacity = 9, .lanes = 1 };
  g_autoptr (GError) error = NULL;
  gint64 row;

  g_assert_false (reel_sampler_sample (sampler, &view, 1, &row, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "Cannot sample from an empty storage.");
}

/* Every small ring, and some beyond 2^32 rows: inside, and one past the last is not written. */
static void
test_stays_in_the_view (gconstpointer id)
{
  static const gint64 firsts[] = { 0, 1, 41, 3ll << 40 };
  static const gint64 sizes[] = { 1, 2, 3, 5, 64, 65, (1ll << 33) + 1 };
  gint64 rows[N + 1];

  for (gsize i = 0; i < G_N_ELEMENTS (firsts); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (sizes); j++)
      for (gint64 n = 0; n <= N; n = 4 * n + 1)
        {
          g_autoptr (ReelSampler) sampler = new_sampler (id, 3);
          ReelStorageView view = { firsts[i], firsts[i] + sizes[j], sizes[j], 1 };

          rows[n] = -77;
          draw (sampler, &view, n, rows);
          g_assert_cmpint (rows[n], ==, -77);
          for (gint64 k = 0; k < n; k++)
            {
              g_assert_cmpint (rows[k], >=, view.first_row);
              g_assert_cmpint (rows[k], <, view.end_row);
            }
        }
}

/* T7.2-1 */
static void
test_equal_seeds_draw_equal_rows (gconstpointer id)
{
  ReelStorageView view = { 10, 1010, 1000, 1 };
  g_autoptr (ReelSampler) a = new_sampler (id, 5), b = new_sampler (id, 5), c = new_sampler (id, 6);
  gint64 first[3][N], second[3][N];

  for (gint round = 0; round < 3; round++)
    {
      draw (a, &view, N, first[round]);
      draw (b, &view, N, second[round]);
      g_assert_cmpmem (first[round], sizeof first[round], second[round], sizeof second[round]);
    }
  g_assert_cmpint (memcmp (first[0], first[1], sizeof first[0]), !=, 0);
  draw (c, &view, N, second[0]);
  g_assert_cmpint (memcmp (first[0], second[0], sizeof first[0]), !=, 0);
}

static void
test_every_row_is_reached (gconstpointer id)
{
  ReelStorageView view = { 100, 121, 21, 3 };
  g_autoptr (ReelSampler) sampler = new_sampler (id, 1);
  gboolean seen[21] = { FALSE };
  gint64 rows[N];

  draw (sampler, &view, N, rows);
  for (gint i = 0; i < N; i++)
    seen[rows[i] - 100] = TRUE;
  for (gint i = 0; i < 21; i++)
    g_assert_true (seen[i]);
}

/* Chi-squared of the uniform sampler: 999 degrees of freedom, mean 999, deviation 45. */
static void
test_random_is_uniform (void)
{
  ReelStorageView view = { 0, 1000, 1000, 1 };
  g_autoptr (ReelSampler) sampler = new_sampler ("random", 2);
  gint64 counts[1000] = { 0 }, rows[N], n = 0;
  double chi = 0;

  for (gint round = 0; round < 250; round++, n += N)
    {
      draw (sampler, &view, N, rows);
      for (gint i = 0; i < N; i++)
        counts[rows[i]]++;
    }
  for (gint i = 0; i < 1000; i++)
    chi += pow ((double) counts[i] - (double) n / 1000, 2) / ((double) n / 1000);
  g_assert_cmpfloat (chi, >, 999 - 5 * 45);
  g_assert_cmpfloat (chi, <, 999 + 5 * 45);
}

static void
test_random_prints (void)
{
  g_autoptr (ReelSampler) sampler = new_sampler ("RandomSampler", 0);
  g_autofree char *text = reel_sampler_to_string (sampler);

  g_assert_cmpstr (text, ==, "RandomSampler()");
}

static const ContractTest contract[] = {
  { "empty-storage-is-an-error", test_empty_storage_is_an_error },
  { "stays-in-the-view", test_stays_in_the_view },
  { "equal-seeds-draw-equal-rows", test_equal_seeds_draw_equal_rows },
  { "every-row-is-reached", test_every_row_is_reached },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("samplers", REEL_TYPE_SAMPLER, contract, G_N_ELEMENTS (contract));
  g_test_add_func ("/samplers/random/is-uniform", test_random_is_uniform);
  g_test_add_func ("/samplers/random/prints", test_random_prints);

  return g_test_run ();
}
