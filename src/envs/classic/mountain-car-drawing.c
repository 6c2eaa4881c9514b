/* Pictures of MountainCar. */
#include "classic-drawing.h"

#include <math.h>

static const double least = -1.2, most = 0.6;

static double
height (double position)
{
  return sin (3 * position) * 0.45 + 0.55;
}

static void
draw_valley (const ReelCanvas *canvas, double scale)
{
  ReelPoint points[100];

  for (gint i = 0; i < 100; i++)
    {
      double position = i < 99 ? least + i * ((most - least) / 99) : most;

      points[i] = (ReelPoint){ (position - least) * scale, height (position) * scale };
    }
  reel_canvas_curve (canvas, points, 100);
}

/* Where the car stands, by NumPy's numbers of 64 or 32 bits. */
static ReelPoint
stand (double position, double scale, gboolean is_float)
{
  float narrow = (float) position;

  if (is_float)
    return (ReelPoint){ (narrow - (float) least) * (float) scale,
                        (sinf (3 * narrow) * 0.45f + 0.55f) * (float) scale };
  return (ReelPoint){ (position - least) * scale, height (position) * scale };
}

/* A place of the car: turned, then moved to where it stands. */
static ReelPoint
part (ReelTurn turn, double x, double y, ReelPoint origin, gboolean is_float)
{
  ReelPoint turned = reel_turn_point (turn, x, y, (ReelPoint){ 0, 0 });

  if (is_float)
    return (ReelPoint){ (float) turned.x + (float) origin.x,
                        (float) (turned.y + 10) + (float) origin.y };
  return (ReelPoint){ turned.x + origin.x, turned.y + 10 + origin.y };
}

static void
draw_car (const ReelCanvas *canvas, double position, double scale, gboolean is_float)
{
  static const ReelColour grey = { 128, 128, 128 };
  double thrice = is_float ? (double) (3 * (float) position) : 3 * position;
  ReelTurn turn = reel_turn (cos (thrice));
  ReelPoint origin = stand (position, scale, is_float);
  const ReelPoint corners[] = { part (turn, -20, 0, origin, is_float),
                                part (turn, -20, 20, origin, is_float),
                                part (turn, 20, 20, origin, is_float),
                                part (turn, 20, 0, origin, is_float) };

  reel_canvas_polygon (canvas, corners, 4, REEL_BLACK);
  reel_canvas_disc (canvas, part (turn, 10, 0, origin, is_float), 8, grey);
  reel_canvas_disc (canvas, part (turn, -10, 0, origin, is_float), 8, grey);
}

static void
draw_flag (const ReelCanvas *canvas, double goal, double scale)
{
  static const ReelColour yellow = { 204, 204, 0 };
  double x = trunc ((goal - least) * scale), y = trunc (height (goal) * scale);
  const ReelPoint cloth[] = { { x, y + 50 }, { x, y + 40 }, { x + 25, y + 45 } };

  reel_canvas_box (canvas, (gint64) x, (gint64) x, (gint64) y, (gint64) y + 50, REEL_BLACK);
  reel_canvas_polygon (canvas, cloth, 3, yellow);
}

void
reel_draw_mountain_car (const ReelCanvas *canvas, double position, double goal, gboolean is_float)
{
  double scale = REEL_MOUNTAIN_CAR_WIDTH / (most - least);

  reel_canvas_clear (canvas);
  draw_valley (canvas, scale);
  draw_car (canvas, position, scale, is_float);
  draw_flag (canvas, goal, scale);
}
