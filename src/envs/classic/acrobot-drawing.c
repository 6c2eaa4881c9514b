/* Pictures of Acrobot. */
#include "classic-drawing.h"

#include <math.h>

/* The places of two links, in units of the picture. */
typedef struct
{
  double angle1, angle2; /* of the links, counterclockwise from the right */
  ReelPoint elbow;       /* where the second begins, from where the first does */
} Links;

static Links
place (double theta1, double theta2, double scale)
{
  return (Links){
    .angle1 = theta1 - G_PI_2,
    .angle2 = theta1 + theta2 - G_PI_2,
    .elbow = { sin (theta1) * scale, -cos (theta1) * scale },
  };
}

/* NumPy rounds to 32 bits after each operation. */
static Links
place_float (float theta1, float theta2, float scale)
{
  const float quarter = (float) G_PI_2;

  return (Links){
    .angle1 = theta1 - quarter,
    .angle2 = theta1 + theta2 - quarter,
    .elbow = { sinf (theta1) * scale, -cosf (theta1) * scale },
  };
}

static void
draw_link (const ReelCanvas *canvas, ReelPoint base, double angle, double length, double half)
{
  static const ReelColour link = { 0, 204, 204 }, joint = { 204, 204, 0 };
  ReelTurn turn = reel_turn (angle);
  const ReelPoint corners[] = { reel_turn_point (turn, 0, -half, base),
                                reel_turn_point (turn, 0, half, base),
                                reel_turn_point (turn, length, half, base),
                                reel_turn_point (turn, length, -half, base) };

  reel_canvas_polygon (canvas, corners, 4, link);
  reel_canvas_disc (canvas, base, 11, joint);
}

void
reel_draw_acrobot (const ReelCanvas *canvas, double theta1, double theta2, gboolean is_float)
{
  const double middle = REEL_ACROBOT_SIDE / 2.0, scale = REEL_ACROBOT_SIDE / (2.2 * 2);
  Links links = is_float ? place_float ((float) theta1, (float) theta2, (float) scale)
                         : place (theta1, theta2, scale);
  ReelPoint base = { middle, middle };
  ReelPoint elbow = { links.elbow.x + middle, links.elbow.y + middle };
  gint64 target = (gint64) (scale + middle);

  reel_canvas_clear (canvas);
  reel_canvas_box (canvas, 0, REEL_ACROBOT_SIDE, target, target, REEL_BLACK);
  draw_link (canvas, base, links.angle1, scale, 0.1 * scale);
  draw_link (canvas, elbow, links.angle2, scale, 0.1 * scale);
}
