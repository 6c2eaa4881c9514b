#include "plot.h"

#include <math.h>
#include <string.h>

#include "image-draw.h"

#define WHITE 0xffffff
#define INK 0x333333
#define PALE 0xdddddd
#define GAP_COLOUR 0xeeeeee
#define CURSOR 0x888888

/* Pixels that a panel is high at least, with its title. */
#define LEAST_HEIGHT 28

/* Numbers written in a title at most, and characters of each. */
#define TITLE_VALUES 8
#define VALUE_CHARS 8

static const guint32 colours[REEL_PLOT_CURVES] = {
  0x1f6fb4, 0xd9541e, 0x2a9134, 0x8a4fb0, 0xc79a00, 0x17a2a8,
  0xb8336a, 0x6b5b4b, 0x5a78e0, 0x85a300, 0xe58a9a, 0x444444,
};

typedef struct
{
  gint64 left, top, width, height;
} Box;

/* A panel at work: steps from 0 to n - 1 over its box. */
typedef struct
{
  ReelTensor *image;
  const ReelPlotSeries *series;
  Box box;
  gint64 n, at;
  gint scale;
  double low, high; /* of curves */
} Panel;

static float
value_at (const Panel *panel, gint64 step, gint64 k)
{
  return panel->series->values[step * panel->series->width + k];
}

/* ---- scales ---- */

static void
find_range (const Panel *panel, gint64 from, gint64 to, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (gint64 step = 0; step < panel->n; step++)
    for (gint64 k = from; k < to; k++)
      {
        double value = value_at (panel, step, k);

        if (!isfinite (value))
          continue;
        *low = MIN (*low, value);
        *high = MAX (*high, value);
      }
  if (*low > *high)
    *low = *high = 0;
}

/* A line that never changes lies in the middle. */
static void
widen (double *low, double *high)
{
  double room = *high > *low ? (*high - *low) * 0.04 : MAX (fabs (*low) * 0.1, 0.5);

  *low -= room;
  *high += room;
}

static double
height_of (const Panel *panel, double value)
{
  return (double) panel->box.top
         + (panel->high - value) / (panel->high - panel->low) * (double) panel->box.height;
}

/* ---- curves ---- */

/* What of a curve lies in a column of pixels. */
typedef struct
{
  double top, bottom;
  double middle; /* the mean of its steps */
} Extent;

static void
extend (Extent *extent, double y)
{
  if (!isfinite (y))
    return;
  extent->top = MIN (extent->top, y);
  extent->bottom = MAX (extent->bottom, y);
}

/* Where the curve is between two steps. */
static double
height_between (const Panel *panel, gint64 k, double t)
{
  gint64 step = CLAMP ((gint64) floor (t), 0, panel->n - 1), next = MIN (step + 1, panel->n - 1);
  double share = t - (double) step;
  double a = value_at (panel, step, k), b = value_at (panel, next, k);

  if (share == 0)
    return height_of (panel, a);
  return height_of (panel, a + (b - a) * share);
}

static Extent
column_extent (const Panel *panel, gint64 k, gint64 column)
{
  Extent extent = { INFINITY, -INFINITY, 0 };
  double per_pixel = (double) (panel->n - 1) / (double) panel->box.width;
  double begin = (double) column * per_pixel;
  double end = MIN ((double) (column + 1) * per_pixel, (double) (panel->n - 1));
  gint64 n = 0;

  extend (&extent, height_between (panel, k, begin));
  extend (&extent, height_between (panel, k, end));
  for (gint64 step = (gint64) ceil (begin); (double) step <= end; step++)
    {
      double y = height_of (panel, value_at (panel, step, k));

      extend (&extent, y);
      extent.middle += isfinite (y) ? y : 0;
      n += isfinite (y);
    }
  extent.middle = n > 0 ? extent.middle / (double) n : (extent.top + extent.bottom) / 2;
  return extent;
}

/* A run of one column, as far as it is in the box; its ends are shares of pixels. */
static void
draw_run (const Panel *panel, gint64 column, double top, double bottom, gint64 k, double opacity)
{
  const Box *box = &panel->box;

  top = MAX (top, (double) box->top);
  bottom = MIN (bottom, (double) (box->top + box->height));
  for (gint64 y = (gint64) floor (top); (double) y < bottom; y++)
    {
      double share = MIN (bottom, (double) (y + 1)) - MAX (top, (double) y);
      reel_image_fill (panel->image, box->left + column, y, 1, 1, colours[k % REEL_PLOT_CURVES],
                       (guint8) lround (share * opacity));
    }
}

/* The curve; of many steps to a column all between the least and the greatest, pale. */
static void
draw_curve (const Panel *panel, gint64 k)
{
  double half = 0.35 + 0.4 * panel->scale;
  gboolean crowded = panel->n > 2 * panel->box.width;

  for (gint64 column = 0; column < panel->box.width; column++)
    {
      Extent extent = column_extent (panel, k, column);

      if (extent.top <= extent.bottom)
        draw_run (panel, column, extent.top - half, extent.bottom + half, k, crowded ? 70 : 255);
    }
}

/* The means of the columns, where they stand for many steps. */
static void
draw_means (const Panel *panel, gint64 k)
{
  double half = 0.35 + 0.4 * panel->scale, before = NAN;

  if (panel->n <= 2 * panel->box.width)
    return;
  for (gint64 column = 0; column < panel->box.width; column++)
    {
      Extent extent = column_extent (panel, k, column);
      double middle = extent.top <= extent.bottom ? extent.middle : NAN;
      double from = isnan (before) ? middle : (before + middle) / 2;

      if (!isnan (middle))
        draw_run (panel, column, MIN (from, middle) - half, MAX (from, middle) + half, k, 255);
      before = middle;
    }
}

static gint64
column_of (const Panel *panel, gint64 step)
{
  return panel->n > 1 ? step * (panel->box.width - 1) / (panel->n - 1) : 0;
}

/* A dot on each curve where the marked step is. */
static void
mark_curves (const Panel *panel)
{
  gint64 x = panel->box.left + column_of (panel, panel->at), r = 1 + panel->scale;

  for (gint64 k = 0; k < panel->series->width; k++)
    {
      double y = height_of (panel, value_at (panel, panel->at, k));

      if (isfinite (y))
        reel_image_fill (panel->image, x - r, lround (y) - r, 2 * r + 1, 2 * r + 1,
                         colours[k % REEL_PLOT_CURVES], 255);
    }
}

/* ---- maps ---- */

static guint32
map_colour (double share)
{
  const gint ends[3][3] = { { 0x2b, 0x5c, 0xa8 }, { 0xf4, 0xf2, 0xee }, { 0xb8, 0x2f, 0x2a } };
  gint half = share >= 0.5;
  double within = share * 2 - half;
  guint32 colour = 0;

  for (gint c = 0; c < 3; c++)
    colour = colour << 8
             | (guint32) lround (ends[half][c] + (ends[half + 1][c] - ends[half][c]) * within);
  return colour;
}

/* The value of a column that is furthest from the middle stands for it. */
static void
draw_map_line (const Panel *panel, gint64 k, gint64 y, gint64 height)
{
  double low, high;

  find_range (panel, k, k + 1, &low, &high);
  for (gint64 column = 0; column < panel->box.width; column++)
    {
      gint64 begin = column * panel->n / panel->box.width;
      gint64 end = MAX ((column + 1) * panel->n / panel->box.width, begin + 1);
      double share = NAN;

      for (gint64 step = begin; step < end; step++)
        {
          double value = value_at (panel, step, k);
          double here = high > low ? (value - low) / (high - low) : 0.5;
          if (isfinite (value) && !(fabs (here - 0.5) <= fabs (share - 0.5)))
            share = here;
        }
      reel_image_fill (panel->image, panel->box.left + column, y, 1, height,
                       isnan (share) ? GAP_COLOUR : map_colour (share), 255);
    }
}

static void
draw_map (const Panel *panel)
{
  gint64 width = panel->series->width, lines = MIN (width, panel->box.height);

  for (gint64 line = 0; line < lines; line++)
    {
      gint64 y = line * panel->box.height / lines, end = (line + 1) * panel->box.height / lines;
      draw_map_line (panel, line * width / lines, panel->box.top + y, end - y);
    }
}

/* ---- what is around them ---- */

static void
draw_frame (const Panel *panel)
{
  const Box *box = &panel->box;

  reel_image_fill (panel->image, box->left - 1, box->top - 1, box->width + 2, 1, PALE, 255);
  reel_image_fill (panel->image, box->left - 1, box->top + box->height, box->width + 2, 1, PALE,
                   255);
  reel_image_fill (panel->image, box->left - 1, box->top, 1, box->height, PALE, 255);
  reel_image_fill (panel->image, box->left + box->width, box->top, 1, box->height, PALE, 255);
}

/* A number at the left of the box, its last character beside it. */
static void
label (const Panel *panel, gint64 y, double value)
{
  char text[32];

  g_snprintf (text, sizeof text, "%.3g", value);
  gint64 x = panel->box.left - reel_image_text_width (text, panel->scale) - 2 - 2 * panel->scale;
  if (x >= 0)
    reel_image_draw_text (panel->image, x, y, panel->scale, INK, text);
}

static void
label_range (const Panel *panel, double low, double high)
{
  gint64 line = 7 * panel->scale;

  label (panel, panel->box.top, high);
  if (panel->box.height >= 3 * line && low < high)
    label (panel, panel->box.top + panel->box.height - line, low);
}

/* The numbers of the marked step, in the colours of their curves, at the right of the title. */
static void
write_values (const Panel *panel, gint64 taken)
{
  gint64 n = panel->series->width, y = panel->box.top - 10 * panel->scale;
  gint64 cell = (VALUE_CHARS + 1) * REEL_IMAGE_GLYPH_WIDTH * panel->scale;
  gint64 right = panel->box.left + panel->box.width;

  if (panel->at < 0 || n > TITLE_VALUES || panel->box.left + taken + n * cell > right)
    return;
  for (gint64 k = 0; k < n; k++)
    {
      double value = value_at (panel, panel->at, k);
      char text[32];

      g_snprintf (text, sizeof text, "%*.3g", VALUE_CHARS, value);
      if (!isnan (value))
        reel_image_draw_text (panel->image, right - (n - k) * cell + cell / (VALUE_CHARS + 1), y,
                              panel->scale, colours[k % REEL_PLOT_CURVES], text);
    }
}

static void
write_title (const Panel *panel)
{
  gint64 width = panel->series->width;
  g_autofree char *title =
      width > 1 ? g_strdup_printf ("%s [%" G_GINT64_FORMAT "]", panel->series->name, width)
                : g_strdup (panel->series->name);

  reel_image_draw_text (panel->image, panel->box.left, panel->box.top - 10 * panel->scale,
                        panel->scale, INK, title);
  write_values (panel, reel_image_text_width (title, panel->scale));
}

static void
draw_panel (Panel *panel)
{
  double low, high;

  if (panel->box.height < 1 || panel->box.width < 1)
    return;
  write_title (panel);
  draw_frame (panel);
  if (panel->series->width > REEL_PLOT_CURVES)
    draw_map (panel);
  else
    {
      find_range (panel, 0, panel->series->width, &low, &high);
      panel->low = low;
      panel->high = high;
      widen (&panel->low, &panel->high);
      label_range (panel, low, high);
      for (gint64 k = 0; k < panel->series->width; k++)
        draw_curve (panel, k);
      for (gint64 k = 0; k < panel->series->width; k++)
        draw_means (panel, k);
    }
  if (panel->at < 0)
    return;
  reel_image_fill (panel->image, panel->box.left + column_of (panel, panel->at), panel->box.top, 1,
                   panel->box.height, CURSOR, 200);
  if (panel->series->width <= REEL_PLOT_CURVES)
    mark_curves (panel);
}

/* ---- the whole ---- */

/* One number a step needs less room. */
static gint64
weight (const ReelPlotSeries *series)
{
  return series->width > 1 ? 2 : 1;
}

static gsize
count_fitting (const ReelPlotSeries *series, gsize n, gint64 height, gint scale)
{
  gint64 weights = 0;

  for (gsize i = 0; i < n; i++)
    {
      weights += weight (&series[i]);
      if (i > 0 && height / weights < LEAST_HEIGHT * scale)
        return i;
    }
  return n;
}

/* What stands below the last panel: the ends of the axis, and what has no room. */
static void
write_axis (const Panel *panel, gint64 y, gsize n_left_out)
{
  gint64 left = panel->box.left, right = left + panel->box.width;
  g_autofree char *last = g_strdup_printf ("%" G_GINT64_FORMAT, panel->n - 1);
  g_autofree char *middle =
      n_left_out > 0 ? g_strdup_printf ("step (%" G_GSIZE_FORMAT " more not shown)", n_left_out)
                     : g_strdup ("step");
  gint64 wide = reel_image_text_width (middle, panel->scale);

  reel_image_draw_text (panel->image, left, y, panel->scale, INK, "0");
  reel_image_draw_text (panel->image, right - reel_image_text_width (last, panel->scale), y,
                        panel->scale, INK, last);
  if (wide + 60 * panel->scale < panel->box.width)
    reel_image_draw_text (panel->image, (left + right - wide) / 2, y, panel->scale, INK, middle);
}

void
reel_plot_draw (ReelTensor *image, const ReelPlotSeries *series, gsize n_series, gint64 n_steps,
                gint64 at)
{
  g_return_if_fail (reel_image_is_drawable (image));
  g_return_if_fail ((series != NULL || n_series == 0) && n_steps > 0 && at < n_steps);

  gint64 width = image->shape[1], height = image->shape[0];
  gint scale = (gint) CLAMP (MIN (width / 480, height / 320), 1, 4);
  gint64 line = REEL_IMAGE_LINE_HEIGHT * scale, room = height - 2 * line;
  gint64 labels = width >= 200 ? 10 * REEL_IMAGE_GLYPH_WIDTH * scale : 3;
  gsize n = count_fitting (series, n_series, room, scale);
  Panel panel = { image, NULL, { labels, 0, width - labels - 8 * scale, 0 }, n_steps, at, scale,
                  0,     0 };
  gint64 weights = 0, before = 0;

  reel_image_fill (image, 0, 0, width, height, WHITE, 255);
  for (gsize i = 0; i < n; i++)
    weights += weight (&series[i]);
  for (gsize i = 0; i < n; i++)
    {
      gint64 top = room * before / weights;

      before += weight (&series[i]);
      panel.series = &series[i];
      panel.box.top = top + line + 3 * scale;
      panel.box.height = room * before / weights - top - line - 3 * scale;
      draw_panel (&panel);
    }
  write_axis (&panel, height - line - 2 * scale, n_series - n);
}
