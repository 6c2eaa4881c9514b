/* Pictures: uint8 [H, W, 3], and what is drawn on them. Private to the library.
 *
 * A drawing is written for a world of whole units, its y axis pointing up, 0 the lowest. On a
 * canvas of that very size shapes follow the rules of SDL_gfx and pygame-ce to the byte; on any
 * other each pixel is the share of it that a shape covers, as if the drawing had been averaged
 * down, or up. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The most pixels of a side. */
#define REEL_CANVAS_MOST 8192

/* The most corners of a polygon. */
#define REEL_CANVAS_CORNERS 256

/**
 * ReelCanvas:
 * @pixels: (array): @height × @width × 3 bytes, the topmost row first
 * @width: pixels, at most REEL_CANVAS_MOST
 * @height: likewise
 * @world_width: units that the drawing is wide
 * @world_height: units that it is high
 *
 * Where a drawing goes. Nothing of it is kept: disjoint canvases may be drawn on by any threads.
 */
typedef struct
{
  guint8 *pixels;
  gint64 width, height;
  gint64 world_width, world_height;
} ReelCanvas;

typedef struct
{
  guint8 red, green, blue;
} ReelColour;

typedef struct
{
  double x, y;
} ReelPoint;

#define REEL_BLACK ((ReelColour){ 0, 0, 0 })

/**
 * reel_canvas_clear:
 * @canvas: a canvas
 *
 * Makes all of it white.
 */
void reel_canvas_clear (const ReelCanvas *canvas);

/**
 * reel_canvas_polygon:
 * @canvas: a canvas
 * @corners: (array length=n): in order around it
 * @n: how many, 3 to REEL_CANVAS_CORNERS
 * @colour: what to fill it with
 *
 * Draws a filled polygon with a smooth outline. Where it covers itself twice it is empty.
 */
void reel_canvas_polygon (const ReelCanvas *canvas, const ReelPoint *corners, gsize n,
                          ReelColour colour);

/**
 * reel_canvas_smooth_polygon:
 * @canvas: a canvas
 * @corners: (array length=n): in order around it
 * @n: how many, 3 to REEL_CANVAS_CORNERS
 * @colour: what to fill it with
 *
 * The same by covered shares on a canvas of any size, for what has no pattern to follow.
 */
void reel_canvas_smooth_polygon (const ReelCanvas *canvas, const ReelPoint *corners, gsize n,
                                 ReelColour colour);

/**
 * reel_canvas_disc:
 * @canvas: a canvas
 * @centre: truncated to whole units
 * @radius: 5, 8 or 11
 * @colour: what to fill it with
 *
 * Draws a filled circle with a smooth outline.
 */
void reel_canvas_disc (const ReelCanvas *canvas, ReelPoint centre, gint radius, ReelColour colour);

/**
 * reel_canvas_box:
 * @canvas: a canvas
 * @left: the first column
 * @right: the last one
 * @bottom: the lowest row
 * @top: the highest one
 * @colour: what to fill it with
 *
 * Fills whole units: a line along an axis is a box one unit wide.
 */
void reel_canvas_box (const ReelCanvas *canvas, gint64 left, gint64 right, gint64 bottom,
                      gint64 top, ReelColour colour);

/**
 * reel_canvas_curve:
 * @canvas: a canvas
 * @points: (array length=n): from left to right
 * @n: how many, 2 to REEL_CANVAS_CORNERS / 2
 *
 * Draws a smooth black line through all points, one unit wide, on what is white.
 */
void reel_canvas_curve (const ReelCanvas *canvas, const ReelPoint *points, gsize n);

/**
 * ReelTurn:
 *
 * A rotation, counterclockwise.
 */
typedef struct
{
  double cosine, sine;
} ReelTurn;

/**
 * reel_turn:
 * @angle: rad
 *
 * Returns: the turn by that angle, as pygame makes it: a quarter turn where it is within 1e-6 of
 *   one
 */
ReelTurn reel_turn (double angle);

/**
 * reel_turn_point:
 * @turn: a rotation
 * @x: a place
 * @y: a place
 * @origin: what is added to it once it was rotated about 0
 *
 * Returns: where it comes to be
 */
ReelPoint reel_turn_point (ReelTurn turn, double x, double y, ReelPoint origin);

G_END_DECLS
