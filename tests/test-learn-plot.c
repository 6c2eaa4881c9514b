/* Charts of runs: figures that are read, runs that are one line, means and bands, pictures. */
#include "../apps/learn/chart.h"
#include "../apps/learn/run-groups.h"

#include "scratch.h"

#include <math.h>
#include <string.h>

static SavedRun *
make_run (const char *config, const char *figures)
{
  SavedRun *run = g_new0 (SavedRun, 1);
  g_autoptr (GError) error = NULL;

  run->path = g_strdup ("run");
  run->config = json_loads (config, 0, NULL);
  g_assert_nonnull (run->config);
  saved_run_parse (run, figures, strlen (figures), "metrics.csv", &error);
  g_assert_no_error (error);
  return run;
}

static SavedRun *
make_plain_run (gint64 seed, const char *figures)
{
  g_autofree char *config = g_strdup_printf (
      "{\"learner\":\"dqn\",\"env\":\"CartPole-v1:num-envs=8,seed=%d\",\"seed\":%d}", (int) seed,
      (int) seed);

  return make_run (config, figures);
}

/* ---- figures ---- */

static void
test_rows (void)
{
  g_autoptr (SavedRun) run = make_plain_run (0, "step,time,a\n1,0.5,\n3,1.5,-2e1\n4,2,7");

  g_assert_cmpuint (run->n_rows, ==, 2); /* the last is still written */
  g_assert_cmpint (saved_run_find (run, "a"), ==, 2);
  g_assert_cmpint (saved_run_find (run, "b"), ==, -1);
  g_assert_true (isnan (saved_run_get (run, 0, 2)));
  g_assert_cmpfloat (saved_run_get (run, 1, 2), ==, -20);
}

static void
test_rows_again (void)
{
  g_autoptr (SavedRun) run = make_plain_run (0, "step,a\n1,1\n5,2\n9,3\n5,4\n7,5\n");
  const double expected[][2] = { { 1, 1 }, { 5, 4 }, { 7, 5 } };

  g_assert_cmpuint (run->n_rows, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < run->n_rows; i++)
    for (guint k = 0; k < 2; k++)
      g_assert_cmpfloat (saved_run_get (run, i, k), ==, expected[i][k]);
}

static void
test_damage (void)
{
  static const char *const cases[][2] = {
    { "", "line 1 is missing" },
    { "step,a", "line 1 is missing" },
    { "time,step\n", "line 1 does not begin with \"step\"" },
    { "step,a\n1,2,3\n", "line 2 has 3 cells, and line 1 has 2" },
    { "step,a\n1,2\n2\n", "line 3 has 1 cells" },
    { "step,a\n1,2x\n", "line 2 has \"2x\", which is not a number" },
    { "step,a\n,2\n", "line 2 has no step" },
    { "step,a\n-1,2\n", "line 2 has no step" },
    { "step,a\nnan,2\n", "line 2 has no step" },
    { "step,\xff\n", "byte 5 is not UTF-8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SavedRun) run = g_new0 (SavedRun, 1);
      g_autoptr (GError) error = NULL;

      g_assert_false (saved_run_parse (run, cases[i][0], strlen (cases[i][0]), "it", &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_true (g_str_has_prefix (error->message, "it: "));
      g_assert_nonnull (strstr (error->message, cases[i][1]));
    }
}

/* ---- groups ---- */

static void
assert_groups (GPtrArray *runs, const char *const *names)
{
  g_autoptr (GPtrArray) groups = run_groups_new (runs);

  g_assert_cmpuint (groups->len, ==, g_strv_length ((char **) names));
  for (guint i = 0; i < groups->len; i++)
    g_assert_cmpstr (((RunGroup *) g_ptr_array_index (groups, i))->name, ==, names[i]);
}

#define CONFIG(learner, env, seed, settings)                                                       \
  "{\"learner\":\"" learner "\",\"env\":\"" env "\",\"seed\":" #seed ",\"began\":\"" #seed         \
  "\",\"options\":{\"seed\":\"" #seed "\"," settings "}}"

static void
test_groups (void)
{
  static const char *const configs[] = {
    CONFIG ("dqn", "A:num-envs=8", 0, "\"n-step\":\"5\""),
    CONFIG ("dqn", "A:num-envs=8,seed=1", 1, "\"n-step\":\"5\""),
    CONFIG ("dqn", "A:seed=2,num-envs=8", 2, "\"n-step\":\"1\",\"threads\":\"2\""),
    CONFIG ("ppo", "A", 0, "\"clip\":\"0.2\""),
    CONFIG ("ppo", "B:seed=3|step-counter", 3, "\"clip\":\"0.2\""),
    CONFIG ("ppo", "B|step-counter", 4, "\"clip\":\"0.2\""),
  };
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify) saved_run_free);

  for (guint i = 0; i < 4; i++)
    g_ptr_array_add (runs, make_run (configs[i], "step\n"));
  assert_groups (runs,
                 (const char *const[]){ "dqn, n-step 5 (2 runs)", "dqn, n-step 1", "ppo", NULL });
  for (guint i = 4; i < 6; i++)
    g_ptr_array_add (runs, make_run (configs[i], "step\n"));
  assert_groups (runs, (const char *const[]){ "dqn A:num-envs=8, n-step 5 (2 runs)",
                                              "dqn A:num-envs=8, n-step 1", "ppo A",
                                              "ppo B|step-counter (2 runs)", NULL });
}

/* ---- curves ---- */

static void
assert_curve (const Curve *curve, guint n, const double (*expected)[4])
{
  g_assert_cmpuint (curve->n, ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpfloat (curve->x[i], ==, expected[i][0]);
      g_assert_cmpfloat_with_epsilon (curve->mean[i], expected[i][1], 1e-12);
      g_assert_cmpfloat (curve->low[i], ==, expected[i][2]);
      g_assert_cmpfloat (curve->high[i], ==, expected[i][3]);
    }
}

/* Between rows values are on a line; behind its last row a run counts no more; a row without the
 * figure is none. */
static void
test_average (void)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify) saved_run_free);
  g_auto (Curve) curve = { 0 };
  g_auto (Curve) none = { 0 };

  g_ptr_array_add (runs, make_plain_run (0, "step,a\n0,0\n5,\n10,10\n20,inf\n"));
  g_ptr_array_add (runs, make_plain_run (1, "step,b,a\n4,9,100\n10,9,40\n14,9,50\n"));

  g_autoptr (GPtrArray) groups = run_groups_new (runs);

  g_assert_cmpuint (groups->len, ==, 1);
  run_group_average (g_ptr_array_index (groups, 0), "a", &curve);
  assert_curve (&curve, 4,
                (const double[][4]){
                    { 0, 0, 0, 0 }, { 4, 52, 4, 100 }, { 10, 25, 10, 40 }, { 14, 50, 50, 50 } });
  run_group_average (g_ptr_array_index (groups, 0), "c", &none);
  g_assert_cmpuint (none.n, ==, 0);
}

/* No extreme is lost where neighbours become one point. */
static void
test_many_rows (void)
{
  GString *text = g_string_new ("step,a\n");
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify) saved_run_free);
  g_auto (Curve) curve = { 0 };
  double low = INFINITY, high = -INFINITY, sum = 0;

  for (guint i = 0; i < 4500; i++)
    g_string_append_printf (text, "%u,%d\n", i, i == 1232 ? 9 : i == 3333 ? -9 : 0);
  g_ptr_array_add (runs, make_plain_run (0, text->str));
  g_string_free (text, TRUE);

  g_autoptr (GPtrArray) groups = run_groups_new (runs);

  run_group_average (g_ptr_array_index (groups, 0), "a", &curve);
  g_assert_cmpuint (curve.n, ==, 900); /* five each */
  for (guint i = 0; i < curve.n; i++)
    {
      low = MIN (low, curve.low[i]);
      high = MAX (high, curve.high[i]);
      sum += curve.mean[i];
      g_assert_cmpfloat_with_epsilon (curve.x[i], 5 * i + 2, 1e-9);
    }
  g_assert_cmpfloat (low, ==, -9);
  g_assert_cmpfloat (high, ==, 9);
  g_assert_cmpfloat_with_epsilon (sum, 0, 1e-12);
}

/* ---- pictures ---- */

static void
test_numbers (void)
{
  static const struct
  {
    double value;
    const char *text;
  } numbers[] = { { -0.0, "0" },   { 500, "500" }, { 5000, "5k" },      { 12500, "12.5k" },
                  { -2e6, "-2M" }, { 3e9, "3G" },  { 0.0025, "0.0025" } };
  static const double ticks[][3] = { { 10, 5, 2 },  { 500, 6, 100 },    { 40000, 8, 5000 },
                                     { 1, 5, 0.2 }, { 0.03, 6, 0.005 }, { 7, 1, 10 } };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = chart_dup_number (numbers[i].value);

      g_assert_cmpstr (text, ==, numbers[i].text);
    }
  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++)
    g_assert_cmpfloat_with_epsilon (chart_choose_tick (ticks[i][0], (guint) ticks[i][1]),
                                    ticks[i][2], 1e-12);
}

static const guint8 *
get_pixel (const ReelTensor *image, gint64 x, gint64 y)
{
  return image->data + (y * image->shape[1] + x) * 3;
}

/* A curve is as dark as its colour within, and half of it where it covers half of a pixel. */
static void
test_png (void)
{
  g_autofree char *path = scratch_path ("plot.png");
  g_autoptr (GError) error = NULL;
  g_autoptr (Pen) pen = pen_new_png (50, 40, &error);
  g_autoptr (Draft) draft = draft_new (path, FALSE, &error);
  const double x[] = { 5, 45 }, y[] = { 10, 10 }, low[] = { 20, 20 }, high[] = { 30, 30 };

  g_assert_no_error (error);
  pen->band (pen, 2, x, low, high, 0x000000);
  pen->curve (pen, 2, x, y, 0x102030);
  g_assert_true (pen->write (pen, draft, &error));
  g_assert_true (draft_keep (draft, &error));

  g_autoptr (ReelTensor) image = reel_image_read_png (path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (image->shape[0], ==, 80);
  g_assert_cmpint (image->shape[1], ==, 100);
  g_assert_cmpmem (get_pixel (image, 50, 20), 3, "\x10\x20\x30", 3);
  g_assert_cmpmem (get_pixel (image, 50, 25), 3, "\xff\xff\xff", 3);
  g_assert_cmpuint (*get_pixel (image, 50, 50), ==, 204); /* a fifth of black */
  g_assert_cmpuint (*get_pixel (image, 50, 39), ==, 255);
  g_assert_cmpuint (*get_pixel (image, 9, 50), ==, 255);
  g_assert_cmpuint (*get_pixel (image, 10, 50), ==, 204);
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  for (; (text = strstr (text, part)); text++)
    n++;
  return n;
}

/* Two lines in two panels, one of them with a band; a title that XML must escape. */
static void
test_svg (void)
{
  g_autofree char *path = scratch_path ("plot.svg");
  g_autofree char *svg = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Draft) draft = draft_new (path, FALSE, &error);
  double x[] = { 0, 10 }, a[] = { 0, 1 }, b[] = { 2, 3 };
  const Curve curves[] = { { 2, x, a, a, b }, { 2, x, b, b, b }, { 0 }, { 1, x, a, a, a } };
  const char *const names[] = { "a", "b" }, *const panels[] = { "p", "q" };
  const Chart chart = { "1 < 2 & 3", "frames", names, 2, panels, 2, curves };
  double width, height;

  chart_measure (&chart, &width, &height);

  g_autoptr (Pen) pen = pen_new_svg (width, height);

  chart_draw (&chart, pen);
  g_assert_true (pen->write (pen, draft, &error));
  g_assert_true (draft_keep (draft, &error));
  g_assert_true (g_file_get_contents (path, &svg, NULL, &error));
  g_assert_cmpuint (count (svg, "fill=\"none\""), ==, 2);
  g_assert_cmpuint (count (svg, "fill-opacity"), ==, 1);
  g_assert_cmpuint (count (svg, ">1 &lt; 2 &amp; 3<"), ==, 1);
  g_assert_cmpuint (count (svg, ">frames<"), ==, 1);
  g_assert_cmpuint (count (svg, "nan") + count (svg, "inf"), ==, 0);
  g_assert_true (g_str_has_suffix (svg, "</svg>\n"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/apps/learn/plot/rows-are-read", test_rows);
  g_test_add_func ("/apps/learn/plot/rows-written-again-replace-those-before", test_rows_again);
  g_test_add_func ("/apps/learn/plot/damage-is-named", test_damage);
  g_test_add_func ("/apps/learn/plot/runs-that-differ-in-the-seed-are-one-line", test_groups);
  g_test_add_func ("/apps/learn/plot/a-line-is-the-mean-and-a-band", test_average);
  g_test_add_func ("/apps/learn/plot/many-rows-keep-their-extremes", test_many_rows);
  g_test_add_func ("/apps/learn/plot/axes-have-round-numbers", test_numbers);
  scratch_test ("/apps/learn/plot/png-covers-pixels-by-shares", test_png);
  scratch_test ("/apps/learn/plot/svg-has-all-lines", test_svg);
  return g_test_run ();
}
