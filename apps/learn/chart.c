#include "chart.h"

#include <math.h>

#define WIDTH 860
#define LEFT 64
#define RIGHT 20
#define BOX_HEIGHT 210
#define TITLE_HEIGHT 24
#define PANEL_GAP 10
#define AXIS_HEIGHT (2 * PEN_LINE + 8)
#define X_TICKS 8
#define Y_TICKS 6

#define INK 0x333333
#define GREY 0x777777
#define PALE 0xe4e4e4

static const guint32 colours[] = { 0x1b6ca8, 0xe07b39, 0x3f8f4e, 0xb23a48, 0x7d5ba6,
                                   0x8c6d46, 0xc75d9b, 0x5f6773, 0x8e8e26, 0x2a9494 };

/* The range of a panel, and its place. */
typedef struct
{
  double top;
  double x_most;
  double low, high;
} Panel;

static guint32
get_colour (guint line)
{
  return colours[line % G_N_ELEMENTS (colours)];
}

static double
place_x (const Panel *panel, double x)
{
  return LEFT + x / panel->x_most * (WIDTH - LEFT - RIGHT);
}

static double
place_y (const Panel *panel, double y)
{
  return panel->top + (panel->high - y) / (panel->high - panel->low) * BOX_HEIGHT;
}

/* ---- numbers ---- */

double
chart_choose_tick (double range, guint n)
{
  double power = pow (10, floor (log10 (range / n)));
  static const double steps[] = { 1, 2, 5, 10 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i] * power * n >= range * (1 - 1e-9))
      return steps[i] * power;
  return 10 * power;
}

char *
chart_dup_number (double value)
{
  static const struct
  {
    double unit;
    const char *letter;
  } units[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (fabs (value) >= units[i].unit)
      return g_strdup_printf ("%.4g%s", value / units[i].unit, units[i].letter);
  return g_strdup_printf ("%.4g", value + 0.0); /* no -0 */
}

/* ---- ranges ---- */

static void
find_range (const Chart *self, const Curve *curves, Panel *panel)
{
  panel->low = INFINITY;
  panel->high = -INFINITY;
  for (guint line = 0; line < self->n_lines; line++)
    for (guint i = 0; i < curves[line].n; i++)
      {
        panel->low = MIN (panel->low, curves[line].low[i]);
        panel->high = MAX (panel->high, curves[line].high[i]);
      }

  double room = (panel->high - panel->low) * 0.05;

  if (!(room > 0))
    room = MAX (fabs (panel->low) * 0.1, 0.5);
  panel->low -= room;
  panel->high += room;
}

/* Steps begin at 0. */
static double
find_last (const Chart *self)
{
  double last = 0;

  for (guint i = 0; i < self->n_panels * self->n_lines; i++)
    if (self->curves[i].n > 0)
      last = MAX (last, self->curves[i].x[self->curves[i].n - 1]);
  return last > 0 ? last : 1;
}

/* ---- parts ---- */

static void
draw_y_axis (const Panel *panel, Pen *pen)
{
  double tick = chart_choose_tick (panel->high - panel->low, Y_TICKS);

  for (double k = ceil (panel->low / tick); k * tick <= panel->high; k++)
    {
      g_autofree char *text = chart_dup_number (k * tick);
      double y = place_y (panel, k * tick);

      pen->box (pen, LEFT, y, WIDTH - LEFT - RIGHT, 0.5, PALE);
      pen->text (pen, LEFT - 6, y + PEN_LINE / 2.0, PEN_RIGHT, GREY, text);
    }
}

static void
draw_x_axis (const Chart *self, const Panel *panel, Pen *pen, gboolean last)
{
  double tick = chart_choose_tick (panel->x_most, X_TICKS), bottom = panel->top + BOX_HEIGHT;

  for (double k = 0; k * tick <= panel->x_most; k++)
    {
      g_autofree char *text = chart_dup_number (k * tick);

      pen->box (pen, place_x (panel, k * tick), bottom, 0.5, 4, GREY);
      if (last)
        pen->text (pen, place_x (panel, k * tick), bottom + PEN_LINE + 6, PEN_CENTRE, GREY, text);
    }
  if (last)
    pen->text (pen, (LEFT + WIDTH - RIGHT) / 2.0, bottom + 2 * PEN_LINE + 6, PEN_CENTRE, INK,
               self->x_name);
}

static void
draw_frame (const Panel *panel, Pen *pen)
{
  double width = WIDTH - LEFT - RIGHT;

  pen->box (pen, LEFT, panel->top, width, 0.5, GREY);
  pen->box (pen, LEFT, panel->top + BOX_HEIGHT, width, 0.5, GREY);
  pen->box (pen, LEFT, panel->top, 0.5, BOX_HEIGHT, GREY);
  pen->box (pen, LEFT + width, panel->top, 0.5, BOX_HEIGHT, GREY);
}

static double *
place_all (const Panel *panel, guint n, const double *values,
           double (*place) (const Panel *panel, double value))
{
  double *places = g_new (double, n);

  for (guint i = 0; i < n; i++)
    places[i] = place (panel, values[i]);
  return places;
}

static gboolean
has_band (const Curve *curve)
{
  for (guint i = 0; curve->n > 1 && i < curve->n; i++)
    if (curve->low[i] < curve->high[i])
      return TRUE;
  return FALSE;
}

static void
draw_line (const Panel *panel, const Curve *curve, Pen *pen, guint32 colour, gboolean band)
{
  guint n = curve->n;
  g_autofree double *x = place_all (panel, n, curve->x, place_x);
  g_autofree double *low = place_all (panel, n, curve->low, place_y);
  g_autofree double *high = place_all (panel, n, curve->high, place_y);
  g_autofree double *mean = place_all (panel, n, curve->mean, place_y);

  if (band)
    pen->band (pen, n, x, low, high, colour);
  else if (n > 1)
    pen->curve (pen, n, x, mean, colour);
  else
    pen->box (pen, x[0] - 2, mean[0] - 2, 4, 4, colour);
}

static void
draw_panel (const Chart *self, guint i, Panel *panel, Pen *pen)
{
  const Curve *curves = self->curves + i * self->n_lines;

  find_range (self, curves, panel);
  pen->text (pen, LEFT, panel->top - 2, PEN_LEFT, INK, self->panel_names[i]);
  draw_y_axis (panel, pen);
  for (guint line = 0; line < self->n_lines; line++)
    if (has_band (&curves[line]))
      draw_line (panel, &curves[line], pen, get_colour (line), TRUE);
  for (guint line = 0; line < self->n_lines; line++)
    if (curves[line].n > 0)
      draw_line (panel, &curves[line], pen, get_colour (line), FALSE);
  draw_frame (panel, pen);
  draw_x_axis (self, panel, pen, i + 1 == self->n_panels);
}

/* ---- the whole ---- */

static double
measure_head (const Chart *self)
{
  return TITLE_HEIGHT + self->n_lines * PEN_LINE + 4;
}

static double
measure_panel (void)
{
  return PEN_LINE + 4 + BOX_HEIGHT + PANEL_GAP;
}

void
chart_measure (const Chart *self, double *width, double *height)
{
  *width = WIDTH;
  *height = measure_head (self) + self->n_panels * measure_panel () + AXIS_HEIGHT;
}

void
chart_draw (const Chart *self, Pen *pen)
{
  Panel panel = { .x_most = find_last (self) };

  pen->text (pen, LEFT, TITLE_HEIGHT - 4, PEN_LEFT, INK, self->title);
  for (guint line = 0; line < self->n_lines; line++)
    {
      double y = TITLE_HEIGHT + (line + 1) * PEN_LINE;

      pen->box (pen, LEFT, y - 8, 18, 3, get_colour (line));
      pen->text (pen, LEFT + 26, y, PEN_LEFT, INK, self->names[line]);
    }
  for (guint i = 0; i < self->n_panels; i++)
    {
      panel.top = measure_head (self) + i * measure_panel () + PEN_LINE + 4;
      draw_panel (self, i, &panel, pen);
    }
}
