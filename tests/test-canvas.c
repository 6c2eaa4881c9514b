/* Shapes on canvases: to the byte where they follow others, and against a naive oracle elsewhere.
 */
#include "../src/core/image/canvas.h"

#include <math.h>
#include <string.h>

#define SIDE 40
#define GRID 32

static ReelCanvas
make_canvas (guint8 *pixels, gint64 side, gint64 world)
{
  ReelCanvas canvas = { pixels, side, side, world, world };

  reel_canvas_clear (&canvas);
  return canvas;
}

static gboolean
is_inside (const ReelPoint *corners, gsize n, double x, double y)
{
  gboolean inside = FALSE;

  for (gsize i = 0; i < n; i++)
    {
      ReelPoint a = corners[i], b = corners[(i + 1) % n];

      if ((a.y <= y) != (b.y <= y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
        inside = !inside;
    }
  return inside;
}

/* The share of a pixel that a polygon covers, by GRID × GRID places in it. */
static double
share (const ReelPoint *corners, gsize n, gint x, gint y, double scale)
{
  gint hits = 0;

  for (gint j = 0; j < GRID; j++)
    for (gint i = 0; i < GRID; i++)
      hits +=
          is_inside (corners, n, (x + (i + 0.5) / GRID) / scale, (y + (j + 0.5) / GRID) / scale);
  return hits / (double) (GRID * GRID);
}

static void
assert_covered (const guint8 *pixels, const ReelPoint *corners, gsize n, double scale)
{
  double sum = 0;

  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      {
        double expected = 255 * (1 - share (corners, n, x, y, scale));
        double error = ABS (pixels[((SIDE - 1 - y) * SIDE + x) * 3] - expected);

        g_assert_cmpfloat (error, <, 40);
        sum += error;
      }
  g_assert_cmpfloat (sum / (SIDE * SIDE), <, 1);
}

static void
test_cover_is_the_share (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  guint8 pixels[SIDE * SIDE * 3];

  for (gint round = 0; round < 60; round++)
    {
      gint64 world = round % 3 == 0 ? SIDE : 10 + round;
      ReelCanvas canvas = make_canvas (pixels, SIDE, world);
      gsize n = (gsize) g_rand_int_range (rand, 3, 8);
      ReelPoint corners[8];

      for (gsize i = 0; i < n; i++)
        corners[i] = (ReelPoint){ g_rand_double_range (rand, -0.3, 1.3) * (double) world,
                                  g_rand_double_range (rand, -0.3, 1.3) * (double) world };
      reel_canvas_smooth_polygon (&canvas, corners, n, REEL_BLACK);
      assert_covered (pixels, corners, n, SIDE / (double) world);
    }
}

/* For any corners, nothing is written outside of the canvas. */
static void
test_nothing_outside (void)
{
  static const double far[] = { -INFINITY, -1e300, -1e6, -16001, -3,      0,
                                7.5,       12,     1e5,  1e300,  INFINITY };
  const gsize kinds = G_N_ELEMENTS (far);
  guint8 pixels[16 * 16 * 3 + 128];

  for (gint64 world = 16; world <= 32; world += 16)
    for (gsize k = 0; k < kinds * kinds * kinds; k++)
      {
        const ReelPoint corners[] = { { far[k % kinds], far[k / kinds % kinds] },
                                      { far[k / kinds % kinds], far[k / kinds / kinds] },
                                      { far[k / kinds / kinds], NAN },
                                      { 3, far[k % kinds] } };

        memset (pixels, 0x5a, sizeof pixels);

        ReelCanvas canvas = make_canvas (pixels + 64, 16, world);

        reel_canvas_polygon (&canvas, corners, 4, REEL_BLACK);
        reel_canvas_polygon (&canvas, corners, 3, REEL_BLACK);
        reel_canvas_disc (&canvas, corners[0], 11, REEL_BLACK);
        reel_canvas_disc (&canvas, corners[2], 5, REEL_BLACK);
        reel_canvas_box (&canvas, -4, 1000, (gint64) k % 20 - 4, (gint64) k % 31, REEL_BLACK);
        for (gsize i = 0; i < 64; i++)
          g_assert_cmpint (pixels[i] & pixels[sizeof pixels - 1 - i], ==, 0x5a);
      }
}

static void
test_quarter_turns (void)
{
  for (gint quarter = -8; quarter <= 8; quarter++)
    for (gint off = -1; off <= 1; off++)
      {
        ReelTurn turn = reel_turn (quarter * G_PI_2 + off * 9e-7);
        ReelPoint p = reel_turn_point (turn, 3, 4, (ReelPoint){ 10, 20 });
        static const double x[] = { 13, 6, 7, 14 }, y[] = { 24, 23, 16, 17 };

        g_assert_cmpfloat (p.x, ==, x[(quarter + 8) % 4]);
        g_assert_cmpfloat (p.y, ==, y[(quarter + 8) % 4]);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/canvas/cover-is-the-share", test_cover_is_the_share);
  g_test_add_func ("/core/canvas/nothing-outside", test_nothing_outside);
  g_test_add_func ("/core/canvas/quarter-turns", test_quarter_turns);

  return g_test_run ();
}
