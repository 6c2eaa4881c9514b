/* Axes of plots, with round numbers. */
#include "plot-private.h"

#include <math.h>
#include <string.h>

#include "image-draw.h"

#define GRID 0xeeeeee

/* Numbers beside a title at most, and characters of each. */
#define TITLE_VALUES 8
#define VALUE_CHARS 8

/* Characters between two names. */
#define NAME_GAP 2

/* Pixels between two numbers of the axis of values. */
#define TICK_DISTANCE 26

const guint32 reel_plot_colours[REEL_PLOT_CURVES] = {
  0x1f6fb4, 0xd9541e, 0x2a9134, 0x8a4fb0, 0xc79a00, 0x17a2a8,
  0xb8336a, 0x6b5b4b, 0x5a78e0, 0x85a300, 0xe58a9a, 0x444444,
};

static gint64
glyphs (const ReelPlotPanel *panel, gint64 n)
{
  return n * REEL_IMAGE_GLYPH_WIDTH * panel->scale;
}

static gint64
line_height (const ReelPlotPanel *panel)
{
  return REEL_IMAGE_LINE_HEIGHT * panel->scale;
}

/* ---- titles and names ---- */

static char *
name_element (const ReelPlotSeries *series, gint64 k)
{
  if (series->element_names)
    return g_strdup (series->element_names[k]);
  return g_strdup_printf ("%s[%" G_GINT64_FORMAT "]", series->name, k);
}

/* Pixels from one name to the next; the number of the marked step follows each. */
static gint64
measure_entry (const ReelPlotPanel *panel)
{
  gint64 longest = 0;

  for (gint64 k = 0; k < panel->series->width; k++)
    {
      g_autofree char *name = name_element (panel->series, k);
      longest = MAX (longest, reel_image_text_width (name, panel->scale));
    }
  return longest + glyphs (panel, NAME_GAP + (panel->at < 0 ? 0 : 1 + VALUE_CHARS));
}

gint64
reel_plot_count_legend_lines (const ReelPlotPanel *panel)
{
  gint64 width = panel->series->width;

  if (width == 1 || width > REEL_PLOT_CURVES)
    return 0;

  gint64 n_beside = panel->box.width / measure_entry (panel);

  return n_beside > 0 ? (width + n_beside - 1) / n_beside : 0;
}

static void
write_value (const ReelPlotPanel *panel, gint64 k, gint64 right, gint64 y)
{
  double value = panel->at < 0 ? NAN : reel_plot_value (panel, panel->at, k);
  char text[32];

  g_snprintf (text, sizeof text, "%.3g", value);
  if (!isnan (value))
    reel_image_draw_text (panel->image, right - reel_image_text_width (text, panel->scale), y,
                          panel->scale, reel_plot_colours[k % REEL_PLOT_CURVES], text);
}

/* Each name in the colour of its curve, in columns. */
static void
write_legend (const ReelPlotPanel *panel, gint64 y)
{
  gint64 entry = measure_entry (panel), n_beside = panel->box.width / entry;

  for (gint64 k = 0; k < panel->series->width; k++)
    {
      g_autofree char *name = name_element (panel->series, k);
      gint64 x = panel->box.left + k % n_beside * entry,
             at = y + k / n_beside * line_height (panel);

      reel_image_draw_text (panel->image, x, at, panel->scale, reel_plot_colours[k], name);
      write_value (panel, k, x + entry - glyphs (panel, NAME_GAP), at);
    }
}

/* The numbers of the marked step at the right of a title, where no names are below it. */
static void
write_values (const ReelPlotPanel *panel, gint64 taken, gint64 y)
{
  gint64 n = panel->series->width, cell = glyphs (panel, VALUE_CHARS + 1);

  if (panel->at < 0 || n > TITLE_VALUES || taken + n * cell > panel->box.width)
    return;
  for (gint64 k = 0; k < n; k++)
    write_value (panel, k, panel->box.left + panel->box.width - (n - 1 - k) * cell, y);
}

static void
write_right (const ReelPlotPanel *panel, gint64 taken, gint64 y, const char *text)
{
  gint64 width = reel_image_text_width (text, panel->scale);

  if (taken + glyphs (panel, NAME_GAP) + width <= panel->box.width)
    reel_image_draw_text (panel->image, panel->box.left + panel->box.width - width, y, panel->scale,
                          REEL_PLOT_INK, text);
}

void
reel_plot_write_title (const ReelPlotPanel *panel)
{
  gint64 width = panel->series->width;
  g_autofree char *title =
      width > 1 ? g_strdup_printf ("%s [%" G_GINT64_FORMAT "]", panel->series->name, width)
                : g_strdup (panel->series->name);
  gint64 taken = reel_image_text_width (title, panel->scale);
  gint64 y = panel->box.top - 10 * panel->scale - panel->n_legend_lines * line_height (panel);

  reel_image_draw_text (panel->image, panel->box.left, y, panel->scale, REEL_PLOT_INK, title);
  if (panel->n_legend_lines > 0)
    write_legend (panel, y + line_height (panel));
  else if (width > REEL_PLOT_CURVES)
    write_right (panel, taken, y, "each from its least, blue, to its greatest, red");
  else
    write_values (panel, taken, y);
}

void
reel_plot_draw_frame (const ReelPlotPanel *panel)
{
  const ReelPlotBox *box = &panel->box;
  gint64 right = box->left + box->width, bottom = box->top + box->height;

  reel_image_fill (panel->image, box->left - 1, box->top - 1, box->width + 2, 1, REEL_PLOT_PALE,
                   255);
  reel_image_fill (panel->image, box->left - 1, bottom, box->width + 2, 1, REEL_PLOT_PALE, 255);
  reel_image_fill (panel->image, box->left - 1, box->top, 1, box->height, REEL_PLOT_PALE, 255);
  reel_image_fill (panel->image, right, box->top, 1, box->height, REEL_PLOT_PALE, 255);
}

/* ---- round numbers ---- */

/* The least of 1, 2, 5, 10, 20, … times a power of ten that is not below @least. */
static double
round_up (double least)
{
  double power = pow (10, floor (log10 (least)));

  for (gsize i = 0; i < 3; i++)
    if (((const double[]){ 1, 2, 5 })[i] * power >= least)
      return ((const double[]){ 1, 2, 5 })[i] * power;
  return 10 * power;
}

/* ---- the axis of values ---- */

/* Text at the left of the box, its middle at @y as far as the box reaches. */
static void
write_left (const ReelPlotPanel *panel, double y, const char *text)
{
  gint64 height = 7 * panel->scale, bottom = panel->box.top + panel->box.height;
  gint64 x = panel->box.left - reel_image_text_width (text, panel->scale) - 2 - 2 * panel->scale;
  gint64 top =
      CLAMP (lround (y) - height / 2, panel->box.top, MAX (bottom - height, panel->box.top));

  if (x >= 0)
    reel_image_draw_text (panel->image, x, top, panel->scale, REEL_PLOT_INK, text);
}

static void
write_number (const ReelPlotPanel *panel, double value)
{
  char text[32];

  g_snprintf (text, sizeof text, "%.3g", value);
  write_left (panel, reel_plot_height_of (panel, value), text);
}

static void
draw_ticks (const ReelPlotPanel *panel, double low, double high)
{
  double per_pixel = (panel->high - panel->low) / (double) panel->box.height;
  double step = round_up (per_pixel * TICK_DISTANCE * panel->scale);
  double room = per_pixel * (double) line_height (panel);

  if (panel->series->steps)
    step = MAX (step, 1);
  if (!isfinite (step) || step <= 0 || panel->box.width < 1)
    return;
  for (double k = ceil (low / step); k * step <= high; k++)
    {
      double value = k * step + 0.0; /* never -0 */

      if (value - low < room || high - value < room)
        continue;
      reel_image_fill (panel->image, panel->box.left, lround (reel_plot_height_of (panel, value)),
                       panel->box.width, 1, GRID, 255);
      write_number (panel, value);
    }
}

void
reel_plot_draw_values (const ReelPlotPanel *panel, double low, double high)
{
  gboolean both = low < high && panel->box.height >= 3 * 7 * panel->scale;

  write_number (panel, high);
  if (!both)
    return;
  write_number (panel, low);
  draw_ticks (panel, low, high);
}

/* ---- the axis of a map ---- */

void
reel_plot_number_lines (const ReelPlotPanel *panel, gint64 n_lines)
{
  gint64 n = panel->series->width;
  double line = (double) panel->box.height / (double) n;
  gint64 step = n_lines > 0 ? (gint64) MAX (round_up ((double) line_height (panel) / line), 1) : n;

  for (gint64 k = 0; k < n; k += step)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, k);
      write_left (panel, (double) panel->box.top + ((double) k + 0.5) * line, text);
    }
}

/* ---- the axis of steps ---- */

/* Round numbers between the first and the last, as far as none touches another. */
static void
write_ticks (const ReelPlotPanel *panel, gint64 y, gint64 last_width)
{
  gint64 room = last_width + glyphs (panel, NAME_GAP), last = panel->n - 1;

  if (last < 2 || panel->box.width < 2)
    return;

  double least = (double) (room * last) / (double) (panel->box.width - 1);
  gint64 step = (gint64) MAX (round_up (MAX (least, 1)), 1);

  for (gint64 k = step; k < last; k += step)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, k);
      gint64 width = reel_image_text_width (text, panel->scale);
      gint64 column = reel_plot_column_of (panel, k), x = column - width / 2;

      if (x < room || x + width + room > panel->box.width)
        continue;
      reel_image_fill (panel->image, panel->box.left + column, panel->box.top + panel->box.height,
                       1, 1 + 2 * panel->scale, REEL_PLOT_INK, 255);
      reel_image_draw_text (panel->image, panel->box.left + x, y, panel->scale, REEL_PLOT_INK,
                            text);
    }
}

void
reel_plot_write_steps (const ReelPlotPanel *panel, gint64 y, gsize n_left_out)
{
  gint64 left = panel->box.left, right = left + panel->box.width;
  g_autofree char *last = g_strdup_printf ("%" G_GINT64_FORMAT, panel->n - 1);
  g_autofree char *middle =
      n_left_out > 0 ? g_strdup_printf ("step (%" G_GSIZE_FORMAT " more not shown)", n_left_out)
                     : g_strdup ("step");
  gint64 wide = reel_image_text_width (middle, panel->scale);
  gint64 last_width = reel_image_text_width (last, panel->scale);
  gint64 beside = left - wide - 2 - 2 * panel->scale;

  reel_image_draw_text (panel->image, left, y, panel->scale, REEL_PLOT_INK, "0");
  reel_image_draw_text (panel->image, right - last_width, y, panel->scale, REEL_PLOT_INK, last);
  if (beside >= 0)
    {
      reel_image_draw_text (panel->image, beside, y, panel->scale, REEL_PLOT_INK, middle);
      write_ticks (panel, y, last_width);
    }
  else if (wide + 60 * panel->scale < panel->box.width)
    reel_image_draw_text (panel->image, (left + right - wide) / 2, y, panel->scale, REEL_PLOT_INK,
                          middle);
}
