#include "plot-private.h"

#include <math.h>
#include <string.h>

#include "image-draw.h"

#define WHITE 0xffffff
#define GAP_COLOUR 0xeeeeee
#define CURSOR 0x888888

/* Pixels that a panel is high at least, with its title, and lines that its box is where names of
 * curves are above it. */
#define LEAST_HEIGHT 28
#define LEAST_LINES 4

/* ---- scales ---- */

static void
find_range (const ReelPlotPanel *panel, gint64 from, gint64 to, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (gint64 step = 0; step < panel->n; step++)
    for (gint64 k = from; k < to; k++)
      {
        double value = reel_plot_value (panel, step, k);

        if (!isfinite (value))
          continue;
        *low = MIN (*low, value);
        *high = MAX (*high, value);
      }
  if (*low > *high)
    *low = *high = 0;
}

/* A constant curve is drawn in the middle. */
static void
widen (double *low, double *high)
{
  double room = *high > *low ? (*high - *low) * 0.04 : MAX (fabs (*low) * 0.1, 0.5);

  *low -= room;
  *high += room;
}

/* ---- curves ---- */

/* The part of a curve in a column of pixels. */
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
height_between (const ReelPlotPanel *panel, gint64 k, double t)
{
  if (panel->series->steps)
    return reel_plot_height_of (panel,
                                reel_plot_value (panel, MIN ((gint64) ceil (t), panel->n - 1), k));

  gint64 step = CLAMP ((gint64) floor (t), 0, panel->n - 1), next = MIN (step + 1, panel->n - 1);
  double share = t - (double) step;
  double a = reel_plot_value (panel, step, k), b = reel_plot_value (panel, next, k);

  if (share == 0)
    return reel_plot_height_of (panel, a);
  return reel_plot_height_of (panel, a + (b - a) * share);
}

static Extent
column_extent (const ReelPlotPanel *panel, gint64 k, gint64 column)
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
      double y = reel_plot_height_of (panel, reel_plot_value (panel, step, k));

      extend (&extent, y);
      if (panel->series->steps && (double) step < end)
        extend (&extent, reel_plot_height_of (panel, reel_plot_value (panel, step + 1, k)));
      extent.middle += isfinite (y) ? y : 0;
      n += isfinite (y);
    }
  extent.middle = n > 0 ? extent.middle / (double) n : (extent.top + extent.bottom) / 2;
  return extent;
}

/* A run of one column, as far as it is in the box; its ends are shares of pixels. */
static void
draw_run (const ReelPlotPanel *panel, gint64 column, double top, double bottom, gint64 k,
          double opacity)
{
  const ReelPlotBox *box = &panel->box;

  top = MAX (top, (double) box->top);
  bottom = MIN (bottom, (double) (box->top + box->height));
  for (gint64 y = (gint64) floor (top); (double) y < bottom; y++)
    {
      double share = MIN (bottom, (double) (y + 1)) - MAX (top, (double) y);
      reel_image_fill (panel->image, box->left + column, y, 1, 1,
                       reel_plot_colours[k % REEL_PLOT_CURVES], (guint8) lround (share * opacity));
    }
}

/* The curve; of many steps to a column all between the least and the greatest, pale. */
static void
draw_curve (const ReelPlotPanel *panel, gint64 k)
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
draw_means (const ReelPlotPanel *panel, gint64 k)
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

/* A dot on each curve where the marked step is. */
static void
mark_curves (const ReelPlotPanel *panel)
{
  gint64 x = panel->box.left + reel_plot_column_of (panel, panel->at), r = 1 + panel->scale;

  for (gint64 k = 0; k < panel->series->width; k++)
    {
      double y = reel_plot_height_of (panel, reel_plot_value (panel, panel->at, k));

      if (isfinite (y))
        reel_image_fill (panel->image, x - r, lround (y) - r, 2 * r + 1, 2 * r + 1,
                         reel_plot_colours[k % REEL_PLOT_CURVES], 255);
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
draw_map_line (const ReelPlotPanel *panel, gint64 k, gint64 y, gint64 height)
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
          double value = reel_plot_value (panel, step, k);
          double here = high > low ? (value - low) / (high - low) : 0.5;
          if (isfinite (value) && !(fabs (here - 0.5) <= fabs (share - 0.5)))
            share = here;
        }
      reel_image_fill (panel->image, panel->box.left + column, y, 1, height,
                       isnan (share) ? GAP_COLOUR : map_colour (share), 255);
    }
}

static void
draw_map (const ReelPlotPanel *panel)
{
  gint64 width = panel->series->width, lines = MIN (width, panel->box.height);

  for (gint64 line = 0; line < lines; line++)
    {
      gint64 y = line * panel->box.height / lines, end = (line + 1) * panel->box.height / lines;
      draw_map_line (panel, line * width / lines, panel->box.top + y, end - y);
    }
  reel_plot_number_lines (panel, lines);
}

/* ---- the whole ---- */

static void
draw_curves (ReelPlotPanel *panel)
{
  double low, high;

  find_range (panel, 0, panel->series->width, &low, &high);
  panel->low = low;
  panel->high = high;
  widen (&panel->low, &panel->high);
  reel_plot_draw_values (panel, low, high);
  for (gint64 k = 0; k < panel->series->width; k++)
    draw_curve (panel, k);
  for (gint64 k = 0; k < panel->series->width; k++)
    draw_means (panel, k);
}

static void
draw_panel (ReelPlotPanel *panel)
{
  gboolean is_map = panel->series->width > REEL_PLOT_CURVES;

  if (panel->box.height < 1 || panel->box.width < 1)
    return;
  reel_plot_write_title (panel);
  reel_plot_draw_frame (panel);
  if (is_map)
    draw_map (panel);
  else
    draw_curves (panel);
  if (panel->at < 0)
    return;
  reel_image_fill (panel->image, panel->box.left + reel_plot_column_of (panel, panel->at),
                   panel->box.top, 1, panel->box.height, CURSOR, 200);
  if (!is_map)
    mark_curves (panel);
}

/* Puts the title, and the names of the curves where enough is left for these, above the box. */
static void
place_panel (ReelPlotPanel *panel, gint64 top, gint64 bottom)
{
  gint64 line = REEL_IMAGE_LINE_HEIGHT * panel->scale, names;

  panel->box.top = top + line + 3 * panel->scale;
  panel->box.height = bottom - panel->box.top;
  panel->n_legend_lines = reel_plot_count_legend_lines (panel);
  names = panel->n_legend_lines * line;
  if (panel->box.height - names < LEAST_LINES * line)
    panel->n_legend_lines = names = 0;
  panel->box.top += names;
  panel->box.height -= names;
}

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
  ReelPlotPanel panel = { .image = image,
                          .box = { .left = labels, .width = width - labels - 8 * scale },
                          .n = n_steps,
                          .at = at,
                          .scale = scale };
  gint64 weights = 0, before = 0;

  reel_image_fill (image, 0, 0, width, height, WHITE, 255);
  for (gsize i = 0; i < n; i++)
    weights += weight (&series[i]);
  for (gsize i = 0; i < n; i++)
    {
      gint64 top = room * before / weights;

      before += weight (&series[i]);
      panel.series = &series[i];
      place_panel (&panel, top, room * before / weights);
      draw_panel (&panel);
    }
  reel_plot_write_steps (&panel, height - line - 2 * scale, n_series - n);
}
