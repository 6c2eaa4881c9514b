/* Charts as PNG, by the library's own letters: the same bytes on every machine. */
#include "pen.h"

#include <math.h>
#include <string.h>

/* Pixels of a unit, and of a dot of a letter. */
#define SCALE 2
/* Places within a column of pixels at which a shape is measured. */
#define SLICES 8
#define BAND_OPACITY 51

typedef struct
{
  Pen base;
  ReelTensor *image;
} PngPen;

/* ---- boxes and text ---- */

static void
draw_box (Pen *pen, double x, double y, double width, double height, guint32 colour)
{
  reel_image_fill (((PngPen *) pen)->image, lround (x * SCALE), lround (y * SCALE),
                   MAX (lround (width * SCALE), 1), MAX (lround (height * SCALE), 1), colour, 255);
}

static void
draw_text (Pen *pen, double x, double y, PenAnchor anchor, guint32 colour, const char *text)
{
  gint64 width = reel_image_text_width (text, SCALE), left = lround (x * SCALE);

  if (anchor == PEN_CENTRE)
    left -= width / 2;
  else if (anchor == PEN_RIGHT)
    left -= width;
  reel_image_draw_text (((PngPen *) pen)->image, left,
                        lround ((y - 2) * SCALE) - REEL_IMAGE_LINE_HEIGHT * SCALE, SCALE, colour,
                        text);
}

/* ---- bands ---- */

typedef struct
{
  guint n;
  const double *x, *low, *high; /* pixels */
} Shape;

/* Adds the share of each pixel of a column that is between two heights, as a slice of it. */
static void
cover (double *shares, gint64 n, double top, double bottom)
{
  top = MAX (top, 0);
  bottom = MIN (bottom, (double) n);
  for (gint64 y = (gint64) top; (double) y < bottom; y++)
    shares[y] += (MIN (bottom, (double) (y + 1)) - MAX (top, (double) y)) / SLICES;
}

static void
cover_slice (const Shape *shape, double x, guint *at, double *shares, gint64 n)
{
  while (*at + 2 < shape->n && shape->x[*at + 1] < x)
    ++*at;

  double width = shape->x[*at + 1] - shape->x[*at], share = (x - shape->x[*at]) / width;
  double low = shape->low[*at] + (shape->low[*at + 1] - shape->low[*at]) * share;
  double high = shape->high[*at] + (shape->high[*at + 1] - shape->high[*at]) * share;

  if (share >= 0 && share <= 1)
    cover (shares, n, MIN (low, high), MAX (low, high));
}

static void
fill_column (ReelTensor *image, gint64 column, const double *shares, guint32 colour, double opacity)
{
  for (gint64 y = 0; y < image->shape[0]; y++)
    if (shares[y] > 0)
      reel_image_fill (image, column, y, 1, 1, colour,
                       (guint8) lround (MIN (shares[y], 1) * opacity));
}

/* Each pixel takes as much of the colour as the shape covers of it. */
static void
fill_shape (ReelTensor *image, const Shape *shape, guint32 colour, double opacity)
{
  gint64 height = image->shape[0];
  gint64 end = MIN ((gint64) ceil (shape->x[shape->n - 1]), image->shape[1]);
  g_autofree double *shares = g_new (double, height);
  guint at = 0;

  for (gint64 column = MAX ((gint64) floor (shape->x[0]), 0); column < end; column++)
    {
      memset (shares, 0, (gsize) height * sizeof *shares);
      for (gint s = 0; s < SLICES; s++)
        cover_slice (shape, (double) column + (s + 0.5) / SLICES, &at, shares, height);
      fill_column (image, column, shares, colour, opacity);
    }
}

static double *
to_pixels (guint n, const double *units)
{
  double *pixels = g_new (double, n);

  for (guint i = 0; i < n; i++)
    pixels[i] = units[i] * SCALE;
  return pixels;
}

static void
draw_band (Pen *pen, guint n, const double *x, const double *low, const double *high,
           guint32 colour)
{
  g_autofree double *px = to_pixels (n, x), *plow = to_pixels (n, low),
                    *phigh = to_pixels (n, high);
  const Shape shape = { n, px, plow, phigh };

  if (n > 1)
    fill_shape (((PngPen *) pen)->image, &shape, colour, BAND_OPACITY);
}

/* ---- lines ---- */

/* The square of the distance from a point to a segment. */
static double
measure (const double *x, const double *y, double px, double py)
{
  double dx = x[1] - x[0], dy = y[1] - y[0], length = dx * dx + dy * dy;
  double share = length > 0 ? ((px - x[0]) * dx + (py - y[0]) * dy) / length : 0;

  share = CLAMP (share, 0, 1);
  dx = x[0] + dx * share - px;
  dy = y[0] + dy * share - py;
  return dx * dx + dy * dy;
}

/* Raises the shares of the pixels near a segment: those within half the line's width to 255, and a
 * pixel further out to none. */
static void
cover_segment (const ReelTensor *image, guint8 *shares, const double *x, const double *y)
{
  const double half = PEN_WIDTH * SCALE / 2;
  gint64 width = image->shape[1], height = image->shape[0];
  gint64 top = MAX ((gint64) floor (MIN (y[0], y[1]) - half - 1), 0);
  gint64 bottom = MIN ((gint64) ceil (MAX (y[0], y[1]) + half + 1), height);
  gint64 left = MAX ((gint64) floor (x[0] - half - 1), 0);
  gint64 right = MIN ((gint64) ceil (x[1] + half + 1), width);

  for (gint64 row = top; row < bottom; row++)
    for (gint64 column = left; column < right; column++)
      {
        double away = sqrt (measure (x, y, (double) column + 0.5, (double) row + 0.5));
        guint8 share = (guint8) lround (CLAMP (half + 0.5 - away, 0, 1) * 255);
        guint8 *old = &shares[row * width + column];

        *old = MAX (*old, share);
      }
}

static void
draw_curve (Pen *pen, guint n, const double *x, const double *y, guint32 colour)
{
  ReelTensor *image = ((PngPen *) pen)->image;
  gint64 width = image->shape[1], n_pixels = width * image->shape[0];
  g_autofree double *px = to_pixels (n, x), *py = to_pixels (n, y);
  g_autofree guint8 *shares = g_malloc0 ((gsize) n_pixels);

  for (guint i = 0; i + 1 < n; i++)
    cover_segment (image, shares, px + i, py + i);
  for (gint64 i = 0; i < n_pixels; i++)
    if (shares[i] > 0)
      reel_image_fill (image, i % width, i / width, 1, 1, colour, shares[i]);
}

/* ---- the picture ---- */

static gboolean
write_png (Pen *pen, const Draft *draft, GError **error)
{
  return draft_write_png (draft, ((PngPen *) pen)->image, error);
}

static void
free_png (Pen *pen)
{
  reel_tensor_unref (((PngPen *) pen)->image);
  g_free (pen);
}

Pen *
pen_new_png (double width, double height, GError **error)
{
  const gint64 shape[] = { lround (height * SCALE), lround (width * SCALE), 3 };
  ReelTensor *image = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, error);
  PngPen *self;

  if (!image)
    return NULL;
  self = g_new0 (PngPen, 1);
  self->base = (Pen){ draw_box, draw_text, draw_band, draw_curve, write_png, free_png };
  self->image = image;
  reel_image_fill (image, 0, 0, shape[1], shape[0], 0xffffff, 255);
  return &self->base;
}
