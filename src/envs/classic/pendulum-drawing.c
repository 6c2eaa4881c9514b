/* Pictures of Pendulum. */
#include "classic-drawing.h"

#include <math.h>

#define MIDDLE (REEL_PENDULUM_SIDE / 2.0)

/* The arrow in a square of 1 × 1 about 0: three quarters of a ring, clockwise from the top to the
 * left, where a head points up. */
static ReelPoint
on_ring (gint step, double radius)
{
  double angle = G_PI_2 - step * (1.5 * G_PI / 48);

  return (ReelPoint){ 0.023 + radius * 0.948 * cos (angle), radius * sin (angle) };
}

static void
draw_arrow (const ReelCanvas *canvas, double torque, double scale)
{
  ReelPoint ring[2 * 49];
  ReelPoint head[] = {
    { -0.501, -0.035 }, { -0.433, 0.147 }, { -0.365, -0.035 }, { -0.433, 0.015 }
  };
  double side = scale * fabs (torque) / 2, flipped = torque > 0 ? -side : side;

  for (gint i = 0; i < 49; i++)
    {
      ring[i] = on_ring (i, 0.5);
      ring[97 - i] = on_ring (i, 0.468);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ring); i++)
    ring[i] = (ReelPoint){ MIDDLE + ring[i].x * flipped, MIDDLE + ring[i].y * side };
  for (gsize i = 0; i < G_N_ELEMENTS (head); i++)
    head[i] = (ReelPoint){ MIDDLE + head[i].x * flipped, MIDDLE + head[i].y * side };
  reel_canvas_smooth_polygon (canvas, ring, G_N_ELEMENTS (ring), REEL_BLACK);
  reel_canvas_smooth_polygon (canvas, head, G_N_ELEMENTS (head), REEL_BLACK);
}

void
reel_draw_pendulum (const ReelCanvas *canvas, double theta, double torque)
{
  static const ReelColour red = { 204, 77, 77 };
  const double scale = REEL_PENDULUM_SIDE / (2.2 * 2), half = 0.2 * scale / 2;
  const ReelPoint middle = { MIDDLE, MIDDLE };
  ReelTurn turn = reel_turn (theta + G_PI_2);
  const ReelPoint rod[] = { reel_turn_point (turn, 0, -half, middle),
                            reel_turn_point (turn, 0, half, middle),
                            reel_turn_point (turn, scale, half, middle),
                            reel_turn_point (turn, scale, -half, middle) };

  reel_canvas_clear (canvas);
  reel_canvas_polygon (canvas, rod, 4, red);
  reel_canvas_disc (canvas, middle, 11, red);
  reel_canvas_disc (canvas, reel_turn_point (turn, scale, 0, middle), 11, red);
  if (fabs (torque) > 0)
    draw_arrow (canvas, torque, scale);
  reel_canvas_disc (canvas, middle, 5, REEL_BLACK);
}
