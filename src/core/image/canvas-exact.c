/* Polygons and discs as SDL_gfx draws them, to the byte: a smooth outline first, whose ends are
 * clipped to the surface, then the inside over it, in whole numbers. */
#include "canvas-private.h"

static void
blend (const ReelCanvas *canvas, gint64 x, gint64 y, ReelColour colour, gint alpha)
{
  if (x < 0 || x >= canvas->width || y < 0 || y >= canvas->height)
    return;

  guint8 *pixel = reel_canvas_row (canvas, y) + 3 * x;

  pixel[0] = (guint8) (pixel[0] + ((colour.red - pixel[0]) * alpha >> 8));
  pixel[1] = (guint8) (pixel[1] + ((colour.green - pixel[1]) * alpha >> 8));
  pixel[2] = (guint8) (pixel[2] + ((colour.blue - pixel[2]) * alpha >> 8));
}

/* ---- an edge of the outline ---- */

typedef struct
{
  gint64 x, y;
} Pixel;

enum
{
  LEFT = 1,
  RIGHT = 2,
  BELOW = 4,
  ABOVE = 8,
};

static gint
outside (const ReelCanvas *canvas, Pixel p)
{
  return (p.x < 0                ? LEFT
          : p.x >= canvas->width ? RIGHT
                                 : 0)
         | (p.y < 0                 ? BELOW
            : p.y >= canvas->height ? ABOVE
                                    : 0);
}

/* Moves an end that is outside to the side that it is beyond, along the line to the other end; the
 * slope is a float, and moves are truncated. */
static void
move_inside (const ReelCanvas *canvas, Pixel *p, Pixel other)
{
  gint where = outside (canvas, *p);
  float slope = other.x != p->x ? (float) (other.y - p->y) / (float) (other.x - p->x) : 1.0f;
  gint64 side = where & RIGHT ? canvas->width - 1 : 0;

  if (where & (LEFT | RIGHT))
    {
      p->y += (gint64) ((float) (side - p->x) * slope);
      p->x = side;
      return;
    }
  side = where & ABOVE ? canvas->height - 1 : 0;
  if (other.x != p->x)
    p->x += (gint64) ((float) (side - p->y) / slope);
  p->y = side;
}

/* Clips a line; the end that had to be moved last comes first. */
static gboolean
clip (const ReelCanvas *canvas, Pixel *a, Pixel *b)
{
  for (;;)
    {
      gint where_a = outside (canvas, *a), where_b = outside (canvas, *b);

      if ((where_a | where_b) == 0)
        return TRUE;
      if (where_a & where_b)
        return FALSE;
      if (where_a == 0)
        {
          Pixel swapped = *a;

          *a = *b;
          *b = swapped;
        }
      move_inside (canvas, a, *b);
    }
}

static void
blend_pair (const ReelCanvas *canvas, Pixel near, Pixel far, ReelColour colour, guint32 accumulator)
{
  gint weight = (gint) (accumulator >> 24);

  blend (canvas, near.x, near.y, colour, 255 * (255 - weight) >> 8);
  blend (canvas, far.x, far.y, colour, 255 * weight >> 8);
}

/* Wu's line from @p on, which goes up by @dy and to the side @step by @dx. */
static void
draw_slanted (const ReelCanvas *canvas, Pixel p, gint64 dx, gint64 dy, gint step, ReelColour colour)
{
  gboolean steep = dy > dx;
  guint32 adjust = (guint32) (steep ? dx * 65536 / dy * 65536 : dy * 65536 / dx * 65536);
  guint32 accumulator = 0;

  for (gint64 left = (steep ? dy : dx) - 1; left > 0; left--)
    {
      guint32 before = accumulator;

      accumulator += adjust;
      gboolean wrapped = accumulator <= before;

      if (steep)
        {
          p = (Pixel){ p.x + (wrapped ? step : 0), p.y + 1 };
          blend_pair (canvas, p, (Pixel){ p.x + step, p.y }, colour, accumulator);
        }
      else
        {
          p = (Pixel){ p.x + step, p.y + wrapped };
          blend_pair (canvas, p, (Pixel){ p.x, p.y + 1 }, colour, accumulator);
        }
    }
}

static void
draw_edge (const ReelCanvas *canvas, Pixel a, Pixel b, ReelColour colour)
{
  if (!clip (canvas, &a, &b))
    return;

  Pixel low = a.y > b.y ? b : a, high = a.y > b.y ? a : b;
  gint64 dx = ABS (high.x - low.x), dy = high.y - low.y;

  if (dx == 0)
    for (gint64 y = low.y; y <= high.y; y++)
      reel_canvas_run (canvas, a.x, a.x, y, colour);
  else if (dy == 0)
    reel_canvas_run (canvas, MIN (a.x, b.x), MAX (a.x, b.x), a.y, colour);
  else
    {
      reel_canvas_run (canvas, a.x, a.x, a.y, colour);
      draw_slanted (canvas, low, dx, dy, high.x > low.x ? 1 : -1, colour);
    }
}

/* ---- the inside ---- */

static gint64
round16 (gint64 value)
{
  return (value >> 16) + (value >> 15 & 1);
}

/* Where the edges cross row @y, in 16.16, in order. @last is the highest row of the polygon. */
static gsize
find_crossings (const Pixel *corners, gsize n, gint64 y, gint64 last, gint64 *crossings)
{
  gsize found = 0;

  for (gsize i = 0; i < n; i++)
    {
      Pixel a = corners[i > 0 ? i - 1 : n - 1], b = corners[i];
      Pixel low = a.y < b.y ? a : b, high = a.y < b.y ? b : a;

      if (a.y == b.y || y < low.y || (y >= high.y && !(y == last && y <= high.y)))
        continue;

      gint64 x = 65536 * (y - low.y) / (high.y - low.y) * (high.x - low.x) + 65536 * low.x;
      gsize at = found++;

      for (; at > 0 && crossings[at - 1] > x; at--)
        crossings[at] = crossings[at - 1];
      crossings[at] = x;
    }
  return found;
}

static void
fill (const ReelCanvas *canvas, const Pixel *corners, gsize n, ReelColour colour)
{
  gint64 crossings[REEL_CANVAS_CORNERS];
  gint64 first = G_MAXINT64, last = G_MININT64;

  for (gsize i = 0; i < n; i++)
    {
      first = MIN (first, corners[i].y);
      last = MAX (last, corners[i].y);
    }
  for (gint64 y = MAX (first, 0); y <= MIN (last, canvas->height - 1); y++)
    {
      gsize found = find_crossings (corners, n, y, last, crossings);

      for (gsize i = 0; i + 1 < found; i += 2)
        {
          gint64 a = round16 (crossings[i] + 1), b = round16 (crossings[i + 1] - 1);

          reel_canvas_run (canvas, MIN (a, b), MAX (a, b), y, colour);
        }
    }
}

void
reel_exact_polygon (const ReelCanvas *canvas, const ReelPoint *corners, gsize n, ReelColour colour)
{
  Pixel pixels[REEL_CANVAS_CORNERS];

  for (gsize i = 0; i < n; i++)
    pixels[i] = (Pixel){ reel_canvas_truncate (corners[i].x), reel_canvas_truncate (corners[i].y) };
  for (gsize i = 0; i < n; i++)
    draw_edge (canvas, pixels[i], pixels[i + 1 < n ? i + 1 : 0], colour);
  fill (canvas, pixels, n, colour);
}

/* ---- discs ---- */

typedef struct
{
  gint8 dx, dy;
  guint8 alpha;
} Rim;

typedef struct
{
  gint radius;
  gint8 half_width[12]; /* by distance from the centre's row */
  Rim rim[12];
} Disc;

/* The circle drawn smoothly, and the disc drawn over it. */
static const Disc discs[] = {
  { 5, { 5, 5, 5, 4, 3, 0 }, { { 1, 5, 229 }, { 2, 5, 152 } } },
  { 8,
    { 8, 8, 8, 7, 7, 6, 5, 3, 0 },
    { { 8, 3, 108 },
      { 6, 6, 75 },
      { 4, 7, 236 },
      { 5, 7, 62 },
      { 1, 8, 239 },
      { 2, 8, 191 },
      { 3, 8, 108 } } },
  { 11,
    { 11, 11, 11, 11, 10, 10, 9, 8, 7, 6, 4, 0 },
    { { 11, 4, 62 },
      { 10, 6, 55 },
      { 9, 7, 126 },
      { 8, 8, 143 },
      { 7, 9, 126 },
      { 5, 10, 203 },
      { 6, 10, 55 },
      { 1, 11, 243 },
      { 2, 11, 208 },
      { 3, 11, 150 },
      { 4, 11, 62 } } },
};

void
reel_exact_disc (const ReelCanvas *canvas, gint64 x, gint64 y, gint radius, ReelColour colour)
{
  const Disc *disc = discs;

  while (disc->radius != radius)
    disc++;
  for (const Rim *rim = disc->rim; rim->alpha > 0; rim++)
    for (gint corner = 0; corner < 4; corner++)
      blend (canvas, x + (corner & 1 ? rim->dx : -rim->dx), y + (corner & 2 ? rim->dy : -rim->dy),
             colour, rim->alpha);
  for (gint dy = -radius; dy <= radius; dy++)
    reel_canvas_run (canvas, x - disc->half_width[ABS (dy)], x + disc->half_width[ABS (dy)], y + dy,
                     colour);
}
