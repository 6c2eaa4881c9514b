/* Declarations that the files of the canvas share. Private to them. */
#pragma once

#include "canvas.h"

G_BEGIN_DECLS

/* Whether shapes follow SDL_gfx and pygame-ce to the byte. */
static inline gboolean
reel_canvas_is_exact (const ReelCanvas *canvas)
{
  return canvas->width == canvas->world_width && canvas->height == canvas->world_height;
}

/* The bytes of the row at height @y of a canvas, 0 the lowest. */
static inline guint8 *
reel_canvas_row (const ReelCanvas *canvas, gint64 y)
{
  return canvas->pixels + (canvas->height - 1 - y) * canvas->width * 3;
}

/* A run of pixels, both ends included, as far as it is on the canvas. Runs are short: a cart is 50
 * pixels wide. */
static inline void
reel_canvas_run (const ReelCanvas *canvas, gint64 left, gint64 right, gint64 y, ReelColour colour)
{
  if (y < 0 || y >= canvas->height)
    return;
  left = MAX (left, 0);
  right = MIN (right, canvas->width - 1);

  guint8 *pixel = reel_canvas_row (canvas, y) + left * 3;

  for (gint64 x = left; x <= right; x++, pixel += 3)
    {
      pixel[0] = colour.red;
      pixel[1] = colour.green;
      pixel[2] = colour.blue;
    }
}

/* A filled polygon of an exact canvas, as SDL_gfx fills it, edges included. */
void reel_exact_polygon (const ReelCanvas *canvas, const ReelPoint *corners, gsize n,
                         ReelColour colour);

/* A filled disc of an exact canvas. */
void reel_exact_disc (const ReelCanvas *canvas, gint64 x, gint64 y, gint radius, ReelColour colour);

/* A black line through points of an exact canvas, smoothed at its edges. */
void reel_exact_curve (const ReelCanvas *canvas, const ReelPoint *points, gsize n);

/* A number as C truncates it, on both sides of any canvas where it is far away or none. */
static inline gint64
reel_canvas_truncate (double value)
{
  return value > -16000 && value < 16000 ? (gint64) value : value > 0 ? 16000 : -16000;
}

G_END_DECLS
