#include "canvas-private.h"

#include <math.h>
#include <string.h>

void
reel_canvas_clear (const ReelCanvas *canvas)
{
  memset (canvas->pixels, 255, (gsize) (canvas->width * canvas->height * 3));
}

void
reel_canvas_polygon (const ReelCanvas *canvas, const ReelPoint *corners, gsize n, ReelColour colour)
{
  /* Shapes from corner to corner, both included, are half a unit wider on each side. */
  ReelPoint centres[REEL_CANVAS_CORNERS];

  if (reel_canvas_is_exact (canvas))
    {
      reel_exact_polygon (canvas, corners, n, colour);
      return;
    }
  for (gsize i = 0; i < n; i++)
    centres[i] = (ReelPoint){ corners[i].x + 0.5, corners[i].y + 0.5 };
  reel_canvas_smooth_polygon (canvas, centres, n, colour);
}

/* A circle as a polygon of 32 corners: cos (k π / 16). */
static const double cosines[33] = {
  1,
  0.98078528040323,
  0.92387953251129,
  0.83146961230255,
  0.70710678118655,
  0.55557023301960,
  0.38268343236509,
  0.19509032201613,
  0,
  -0.19509032201613,
  -0.38268343236509,
  -0.55557023301960,
  -0.70710678118655,
  -0.83146961230255,
  -0.92387953251129,
  -0.98078528040323,
  -1,
  -0.98078528040323,
  -0.92387953251129,
  -0.83146961230255,
  -0.70710678118655,
  -0.55557023301960,
  -0.38268343236509,
  -0.19509032201613,
  0,
  0.19509032201613,
  0.38268343236509,
  0.55557023301960,
  0.70710678118655,
  0.83146961230255,
  0.92387953251129,
  0.98078528040323,
  1,
};

void
reel_canvas_disc (const ReelCanvas *canvas, ReelPoint centre, gint radius, ReelColour colour)
{
  ReelPoint corners[32];

  if (reel_canvas_is_exact (canvas))
    {
      reel_exact_disc (canvas, reel_canvas_truncate (centre.x), reel_canvas_truncate (centre.y),
                       radius, colour);
      return;
    }
  for (gsize i = 0; i < 32; i++)
    corners[i] = (ReelPoint){ centre.x + 0.5 + (radius + 0.5) * cosines[i],
                              centre.y + 0.5 + (radius + 0.5) * cosines[(i + 24) % 32] };
  reel_canvas_smooth_polygon (canvas, corners, 32, colour);
}

void
reel_canvas_box (const ReelCanvas *canvas, gint64 left, gint64 right, gint64 bottom, gint64 top,
                 ReelColour colour)
{
  double x0 = (double) left, x1 = (double) right + 1;
  double y0 = (double) bottom, y1 = (double) top + 1;
  const ReelPoint corners[] = { { x0, y0 }, { x0, y1 }, { x1, y1 }, { x1, y0 } };

  if (reel_canvas_is_exact (canvas))
    for (gint64 y = bottom; y <= top; y++)
      reel_canvas_run (canvas, left, right, y, colour);
  else
    reel_canvas_smooth_polygon (canvas, corners, 4, colour);
}

/* The outline of a line one unit wide: along its upper side, and back along its lower one. */
void
reel_canvas_curve (const ReelCanvas *canvas, const ReelPoint *points, gsize n)
{
  ReelPoint corners[REEL_CANVAS_CORNERS];

  if (reel_canvas_is_exact (canvas))
    {
      reel_exact_curve (canvas, points, n);
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      const ReelPoint *before = &points[i > 0 ? i - 1 : 0], *after = &points[MIN (i + 1, n - 1)];
      double dx = after->x - before->x, dy = after->y - before->y;
      double half = 0.5 / sqrt (dx * dx + dy * dy);
      double x = points[i].x + 0.5, y = points[i].y + 0.5;

      corners[i] = (ReelPoint){ x - half * dy, y + half * dx };
      corners[2 * n - 1 - i] = (ReelPoint){ x + half * dy, y - half * dx };
    }
  reel_canvas_smooth_polygon (canvas, corners, 2 * n, REEL_BLACK);
}

ReelTurn
reel_turn (double angle)
{
  static const ReelTurn quarters[] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 }, { 1, 0 } };
  const double near = 1e-6;

  angle = fmod (angle, 2 * G_PI);
  if (angle < 0)
    angle += 2 * G_PI;
  if (fmod (angle + near, G_PI_2) < 2 * near)
    return quarters[(gint) ((angle + near) / G_PI_2)];
  return (ReelTurn){ cos (angle), sin (angle) };
}

ReelPoint
reel_turn_point (ReelTurn turn, double x, double y, ReelPoint origin)
{
  return (ReelPoint){ x * turn.cosine - y * turn.sine + origin.x,
                      x * turn.sine + y * turn.cosine + origin.y };
}
