/* Pictures of CartPole. */
#include "classic-drawing.h"

void
reel_draw_cartpole (const ReelCanvas *canvas, double x, double theta, double x_limit, double length)
{
  static const ReelColour wood = { 202, 152, 101 }, metal = { 129, 132, 203 };
  const double track = 100, pole_width = 10;
  double scale = REEL_CARTPOLE_WIDTH / (2 * x_limit);
  double pole_length = scale * (2 * length);
  ReelPoint cart = { x * scale + REEL_CARTPOLE_WIDTH / 2.0, track };
  ReelPoint axle = { cart.x, track + 7.5 };
  ReelTurn turn = reel_turn (-theta);
  double side = pole_width / 2, top = pole_length - pole_width / 2, bottom = -pole_width / 2;
  const ReelPoint body[] = { { cart.x - 25, track - 15 },
                             { cart.x - 25, track + 15 },
                             { cart.x + 25, track + 15 },
                             { cart.x + 25, track - 15 } };
  const ReelPoint pole[] = { reel_turn_point (turn, -side, bottom, axle),
                             reel_turn_point (turn, -side, top, axle),
                             reel_turn_point (turn, side, top, axle),
                             reel_turn_point (turn, side, bottom, axle) };

  reel_canvas_clear (canvas);
  reel_canvas_polygon (canvas, body, 4, REEL_BLACK);
  reel_canvas_polygon (canvas, pole, 4, wood);
  reel_canvas_disc (canvas, axle, 5, metal);
  reel_canvas_box (canvas, 0, REEL_CARTPOLE_WIDTH, 100, 100, REEL_BLACK);
}
