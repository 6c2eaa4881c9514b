/* Plots show what is there: every peak, every gap, the step that is marked. */
#include "../src/reel.h"

#include <math.h>
#include <string.h>

static ReelTensor *
new_image (gint64 width, gint64 height)
{
  const gint64 shape[] = { height, width, 3 };
  ReelTensor *image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, NULL);

  memset (image->data, 0x5a, reel_tensor_nbytes (image));
  return image;
}

static guint32
colour (const ReelTensor *image, gint64 x, gint64 y)
{
  const guint8 *at = image->data + (y * image->shape[1] + x) * 3;

  return (guint32) at[0] << 16 | (guint32) at[1] << 8 | at[2];
}

/* Whether something of the first curve's colour is there, pale as it may be. */
static gboolean
is_blue (guint32 c)
{
  return (c & 0xff) > (c >> 16 & 0xff) + 30;
}

static gboolean
has_blue (const ReelTensor *image, gint64 x0, gint64 x1, gint64 y0, gint64 y1)
{
  for (gint64 y = y0; y < y1; y++)
    for (gint64 x = x0; x < x1; x++)
      if (is_blue (colour (image, x, y)))
        return TRUE;
  return FALSE;
}

/* One step of many thousands that is higher than the others: wherever it is, the upper half of the
 * panel has something of the curve, near its column. */
static void
test_peaks (void)
{
  enum
  {
    N = 20000
  };
  g_autofree float *values = g_new0 (float, N);
  const ReelPlotSeries series = { .name = "x", .width = 1, .values = values };
  g_autoptr (ReelTensor) image = new_image (300, 200);

  for (gint64 peak = 0; peak < N; peak += 997)
    {
      gint64 column = 60 + peak * 232 / (N - 1);

      values[peak] = 1;
      reel_plot_draw (image, &series, 1, N, -1);
      values[peak] = 0;
      g_assert_true (has_blue (image, MAX (column - 2, 60), MIN (column + 3, 292), 25, 80));
      g_assert_false (has_blue (image, 60, MAX (column - 2, 60), 25, 80));
      g_assert_false (has_blue (image, column + 3, 292, 25, 80));
    }
}

static void
test_gaps (void)
{
  float values[] = { 0, 1, NAN, NAN, NAN, NAN, NAN, NAN, 0, 1 };
  float infinite[] = { 0, INFINITY, 1, -INFINITY, 0, 0, 0, 0, 0, 0 };
  const ReelPlotSeries series = { .name = "x", .width = 1, .values = values },
                       other = { .name = "x", .width = 1, .values = infinite };
  g_autoptr (ReelTensor) image = new_image (300, 200);

  reel_plot_draw (image, &series, 1, 10, -1);
  g_assert_true (has_blue (image, 60, 85, 20, 170));
  g_assert_false (has_blue (image, 120, 230, 20, 178));
  g_assert_true (has_blue (image, 270, 292, 20, 178));
  reel_plot_draw (image, &other, 1, 10, 1);
  g_assert_true (has_blue (image, 200, 292, 20, 178));
}

/* The line of the marked step goes through the box where the step is, and moves with it. */
static void
test_mark (void)
{
  float values[50] = { 0 };
  const ReelPlotSeries series = { .name = "x", .width = 1, .values = values };
  g_autoptr (ReelTensor) plain = new_image (300, 200), marked = new_image (300, 200);

  reel_plot_draw (plain, &series, 1, 50, -1);
  for (gint64 at = 0; at < 50; at++)
    {
      gint64 column = 60 + at * 231 / 49;

      reel_plot_draw (marked, &series, 1, 50, at);
      g_assert_cmphex (colour (plain, column, 40), ==, 0xffffff);
      for (gint64 x = 60; x < 292; x++)
        g_assert_cmpint (colour (marked, x, 40) != 0xffffff, ==, x == column);
    }
}

/* More numbers than curves: a line of the map for each, its own least and greatest at the ends. */
static void
test_map (void)
{
  float values[2][13];
  const ReelPlotSeries series = { .name = "x", .width = 13, .values = &values[0][0] };
  g_autoptr (ReelTensor) image = new_image (300, 300);

  for (gint k = 0; k < 13; k++)
    {
      values[0][k] = (float) (k % 2 ? k * 1000 : -k);
      values[1][k] = k == 4 ? values[0][k] : -values[0][k] + 1;
    }
  reel_plot_draw (image, &series, 1, 2, -1);

  gint64 top = 14, height = 300 - 22 - 14;
  for (gint k = 0; k < 13; k++)
    {
      gint64 y = top + (2 * k + 1) * height / 26;
      guint32 first = colour (image, 65, y), last = colour (image, 285, y);

      if (k == 4)
        g_assert_cmphex (first, ==, last);
      else
        g_assert_true (is_blue (first) == (values[0][k] < values[1][k]) && first != last);
      for (gint64 line = k * height / 13; line < (k + 1) * height / 13; line++)
        {
          g_assert_cmphex (colour (image, 60, top + line), ==, first);
          g_assert_cmphex (colour (image, 291, top + line), ==, last);
        }
    }
}

static void
put_text (ReelTensor *image, gint64 x, gint64 y, guint32 ink, const char *text)
{
  reel_image_draw_text (image, x, y, 1, ink, text);
}

static void
put_left (ReelTensor *image, gint64 y, const char *text)
{
  put_text (image, 60 - 4 - reel_image_text_width (text, 1), y, 0x333333, text);
}

static void
put_right (ReelTensor *image, gint64 x, gint64 y, guint32 ink, const char *text)
{
  put_text (image, x - reel_image_text_width (text, 1), y, ink, text);
}

static ReelTensor *
new_expected (void)
{
  ReelTensor *expected = new_image (300, 200);

  reel_image_fill (expected, 0, 0, 300, 200, 0xffffff, 255);
  return expected;
}

/* A tick and its step below the box, whose last column is 291. */
static void
put_step (ReelTensor *image, gint64 column, const char *text)
{
  reel_image_fill (image, 60 + column, 178, 1, 3, 0x333333, 255);
  put_text (image, 60 + column - reel_image_text_width (text, 1) / 2, 187, 0x333333, text);
}

static void
assert_same_around (const ReelTensor *image, const ReelTensor *expected, gint64 top)
{
  for (gint64 y = 0; y < 200; y++)
    for (gint64 x = 0; x < 300; x++)
      if (x < 60 || x >= 292 || y < top || y >= 178)
        g_assert_cmphex (colour (image, x, y), ==, colour (expected, x, y));
}

/* All around the box of the curves, which is 232 pixels wide and 153 high, below a line of names: a
 * frame, the title above, each name with its number at the marked step, the values at the left,
 * each at its height, and the steps below. */
static void
test_surroundings (void)
{
  float values[] = { -1, 12, 3, 7, 250, 250, 9, 8 };
  const ReelPlotSeries series = { .name = "name", .width = 2, .values = values };
  g_autoptr (ReelTensor) image = new_image (300, 200), expected = new_expected ();

  reel_plot_draw (image, &series, 1, 4, 1);
  reel_image_fill (expected, 59, 24, 234, 155, 0xdddddd, 255);
  put_text (expected, 60, 4, 0x333333, "name [2]");
  put_text (expected, 60, 15, 0x1f6fb4, "name[0]");
  put_right (expected, 60 + 16 * 6, 15, 0x1f6fb4, "3");
  put_text (expected, 60 + 18 * 6, 15, 0xd9541e, "name[1]");
  put_right (expected, 60 + 34 * 6, 15, 0xd9541e, "7");
  const double low = -1 - 251 * 0.04, per_pixel = 251 * 1.08 / 153;
  for (gint value = 50; value <= 200; value += 50)
    {
      g_autofree char *text = g_strdup_printf ("%d", value);
      put_left (expected, lround (178 - (value - low) / per_pixel) - 3, text);
    }
  put_left (expected, lround (178 - (250 - low) / per_pixel) - 3, "250");
  put_left (expected, MIN (lround (178 - (-1 - low) / per_pixel) - 3, 171), "-1");
  put_text (expected, 60, 187, 0x333333, "0");
  put_step (expected, 77, "1");
  put_step (expected, 154, "2");
  put_right (expected, 292, 187, 0x333333, "3");
  put_left (expected, 187, "step");
  assert_same_around (image, expected, 25);
}

/* Elements that have names get these; no two texts touch, so each is found as it is written. */
static void
test_names (void)
{
  const char *const names[] = { "cart", "pole" };
  float values[] = { 1, 2, 3, 4 };
  const ReelPlotSeries series = {
    .name = "seen", .width = 2, .values = values, .element_names = names
  };
  g_autoptr (ReelTensor) image = new_image (300, 200), expected = new_expected ();

  reel_plot_draw (image, &series, 1, 2, -1);
  put_text (expected, 60, 4, 0x333333, "seen [2]");
  put_text (expected, 60, 15, 0x1f6fb4, "cart");
  put_text (expected, 60 + 6 * 6, 15, 0xd9541e, "pole");
  for (gint64 y = 0; y < 24; y++)
    for (gint64 x = 60; x < 300; x++)
      g_assert_cmphex (colour (image, x, y), ==, colour (expected, x, y));
}

/* A constant curve has its value beside it, at any scale of values. */
static void
test_constants (void)
{
  const float constants[] = { 1, -1, 0, 12345.f, 1e-3f };
  const char *const texts[] = { "1", "-1", "0", "1.23e+04", "0.001" };

  for (gsize i = 0; i < G_N_ELEMENTS (constants); i++)
    {
      float values[] = { NAN, constants[i], constants[i] };
      const ReelPlotSeries series = { .name = "reward", .width = 1, .values = values };
      g_autoptr (ReelTensor) image = new_image (300, 200), expected = new_expected ();

      reel_plot_draw (image, &series, 1, 3, -1);
      put_left (expected, 14 + 164 / 2 - 3, texts[i]);
      for (gint64 y = 0; y < 180; y++)
        for (gint64 x = 0; x < 59; x++)
          g_assert_cmphex (colour (image, x, y), ==, colour (expected, x, y));
      g_assert_true (has_blue (image, 180, 190, 95, 98));
    }
}

/* Discrete numbers hold from the step before to their own: no pixel is between two of them, but
 * where one becomes the other. */
static void
test_steps (void)
{
  float values[] = { NAN, 0, 1, 1, 0 };
  const ReelPlotSeries series = { .name = "action", .width = 1, .values = values, .steps = TRUE };
  g_autoptr (ReelTensor) image = new_image (300, 200);

  reel_plot_draw (image, &series, 1, 5, -1);
  for (gint64 x = 60; x < 292; x++)
    {
      double step = (double) (x - 60) * 4 / 232;
      gboolean changes = fabs (step - 1) < 0.05 || fabs (step - 3) < 0.05;

      if (changes)
        continue;
      g_assert_true (has_blue (image, x, x + 1, 14, 40) == (step > 1 && step < 3));
      g_assert_false (has_blue (image, x, x + 1, 40, 150));
      g_assert_true (has_blue (image, x, x + 1, 150, 178) == (step < 1 || step > 3));
    }
  g_assert_true (has_blue (image, 117, 120, 90, 91));
  g_assert_true (has_blue (image, 233, 236, 90, 91));
}

/* Pictures of any size, steps and panels of any number: all of the picture is drawn, and nothing
 * else touched. */
static void
test_sizes (void)
{
  const char *const names[] = { "a", "of two words", "" };
  float values[40 * 13];
  const ReelPlotSeries series[] = {
    { .name = "one", .width = 1, .values = values, .steps = TRUE },
    { .name = "three", .width = 3, .values = values, .element_names = names },
    { .name = "thirteen", .width = 13, .values = values },
    { .name = "", .width = 12, .values = values, .steps = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) (i % 7) - 3;
  for (gint64 width = 1; width < 700; width += width < 30 ? 1 : 61)
    for (gint64 height = 1; height < 500; height += height < 30 ? 1 : 53)
      for (gsize n = 0; n <= G_N_ELEMENTS (series); n++)
        for (gint64 steps = 1; steps <= 40; steps = 3 * steps + 1)
          {
            g_autoptr (ReelTensor) image = new_image (width, height);
            reel_plot_draw (image, series, n, steps, steps - 1);
            for (gint64 i = 0; i < width * height; i++)
              g_assert_cmphex (colour (image, i % width, i / width), !=, 0x5a5a5a);
          }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/core/plot/no-peak-is-lost", test_peaks);
  g_test_add_func ("/core/plot/gaps-stay-gaps", test_gaps);
  g_test_add_func ("/core/plot/the-step-that-is-marked", test_mark);
  g_test_add_func ("/core/plot/maps-of-many-numbers", test_map);
  g_test_add_func ("/core/plot/what-stands-around", test_surroundings);
  g_test_add_func ("/core/plot/names-of-curves", test_names);
  g_test_add_func ("/core/plot/a-constant-has-its-value", test_constants);
  g_test_add_func ("/core/plot/discrete-numbers-are-steps", test_steps);
  g_test_add_func ("/core/plot/any-size", test_sizes);
  return g_test_run ();
}
