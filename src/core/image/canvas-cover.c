/* Polygons on a canvas of any size: a pixel is the share of it that the polygon covers, exact from
 * left to right, and seen at eight heights from top to bottom. */
#include "canvas-private.h"

#include <math.h>
#include <string.h>

#define HEIGHTS 8

typedef struct
{
  ReelPoint corners[REEL_CANVAS_CORNERS]; /* in pixels */
  gsize n;
  gint64 left, right; /* pixels that any row of it may reach, the last one included */
  float cover[REEL_CANVAS_MOST];
} Shape;

/* Where the outline crosses a height, in order from left to right. */
static gsize
find_crossings (const Shape *shape, double y, double *crossings)
{
  gsize found = 0;

  for (gsize i = 0; i < shape->n; i++)
    {
      const ReelPoint *a = &shape->corners[i], *b = &shape->corners[i + 1 < shape->n ? i + 1 : 0];

      if ((a->y <= y) == (b->y <= y))
        continue;

      double x = a->x + (y - a->y) / (b->y - a->y) * (b->x - a->x);
      gsize at = found++;

      for (; at > 0 && crossings[at - 1] > x; at--)
        crossings[at] = crossings[at - 1];
      crossings[at] = x;
    }
  return found;
}

/* Adds what is between two places of a height to the pixels there. */
static void
add_span (Shape *shape, double from, double to)
{
  from = CLAMP (from, (double) shape->left, (double) shape->right + 1);
  to = CLAMP (to, (double) shape->left, (double) shape->right + 1);
  if (!(from < to))
    return;

  gint64 first = (gint64) from, last = MIN ((gint64) to, shape->right);

  if (first == last)
    {
      shape->cover[first] += (float) (to - from);
      return;
    }
  shape->cover[first] += (float) ((double) first + 1 - from);
  for (gint64 x = first + 1; x < last; x++)
    shape->cover[x] += 1;
  shape->cover[last] += (float) (to - (double) last);
}

static void
blend_row (const ReelCanvas *canvas, const Shape *shape, gint64 y, ReelColour colour)
{
  guint8 *row = reel_canvas_row (canvas, y);
  const guint8 source[] = { colour.red, colour.green, colour.blue };

  for (gint64 x = shape->left; x <= shape->right; x++)
    {
      float share = MIN (shape->cover[x] / HEIGHTS, 1.0f);

      if (share <= 0)
        continue;
      for (gint c = 0; c < 3; c++)
        {
          float old = row[3 * x + c];

          row[3 * x + c] = (guint8) (old + (source[c] - old) * share + 0.5f);
        }
    }
}

static void
fill_row (const ReelCanvas *canvas, Shape *shape, gint64 y, ReelColour colour)
{
  double crossings[REEL_CANVAS_CORNERS];

  memset (shape->cover + shape->left, 0,
          (gsize) (shape->right - shape->left + 1) * sizeof *shape->cover);
  for (gint k = 0; k < HEIGHTS; k++)
    {
      gsize n = find_crossings (shape, (double) y + (k + 0.5) / HEIGHTS, crossings);

      for (gsize i = 0; i + 1 < n; i += 2)
        add_span (shape, crossings[i], crossings[i + 1]);
    }
  blend_row (canvas, shape, y, colour);
}

void
reel_canvas_smooth_polygon (const ReelCanvas *canvas, const ReelPoint *corners, gsize n,
                            ReelColour colour)
{
  Shape shape;
  double wide = (double) canvas->width / (double) canvas->world_width;
  double high = (double) canvas->height / (double) canvas->world_height;
  ReelPoint low = { INFINITY, INFINITY }, top = { -INFINITY, -INFINITY };

  shape.n = n;
  for (gsize i = 0; i < n; i++)
    {
      ReelPoint *corner = &shape.corners[i];

      *corner = (ReelPoint){ corners[i].x * wide, corners[i].y * high };
      if (!isfinite (corner->x) || !isfinite (corner->y))
        return;
      low = (ReelPoint){ MIN (low.x, corner->x), MIN (low.y, corner->y) };
      top = (ReelPoint){ MAX (top.x, corner->x), MAX (top.y, corner->y) };
    }
  if (top.x < 0 || top.y < 0 || low.x >= (double) canvas->width || low.y >= (double) canvas->height)
    return;
  shape.left = (gint64) MAX (low.x, 0);
  shape.right = (gint64) MIN (top.x, (double) canvas->width - 1);

  gint64 last = (gint64) MIN (top.y, (double) canvas->height - 1);

  for (gint64 y = (gint64) MAX (low.y, 0); y <= last; y++)
    fill_row (canvas, &shape, y, colour);
}
