/* A panel at work, shared by what draws its numbers and what draws the axes around them. */
#pragma once

#include "plot.h"

#define REEL_PLOT_INK 0x333333
#define REEL_PLOT_PALE 0xdddddd

typedef struct
{
  gint64 left, top, width, height;
} ReelPlotBox;

/* Steps from 0 to n - 1 over the box. */
typedef struct
{
  ReelTensor *image;
  const ReelPlotSeries *series;
  ReelPlotBox box;
  gint64 n, at;
  gint scale;
  gint64 n_legend_lines; /* 0 where there is no room for names */
  double low, high;      /* of curves */
} ReelPlotPanel;

extern const guint32 reel_plot_colours[REEL_PLOT_CURVES];

static inline float
reel_plot_value (const ReelPlotPanel *panel, gint64 step, gint64 k)
{
  return panel->series->values[step * panel->series->width + k];
}

static inline double
reel_plot_height_of (const ReelPlotPanel *panel, double value)
{
  return (double) panel->box.top
         + (panel->high - value) / (panel->high - panel->low) * (double) panel->box.height;
}

/* The column of a step, from the left of the box. */
static inline gint64
reel_plot_column_of (const ReelPlotPanel *panel, gint64 step)
{
  return panel->n > 1 ? step * (panel->box.width - 1) / (panel->n - 1) : 0;
}

/* Lines that the names of the curves take, one beside the other; 0 where one is too long. */
gint64 reel_plot_count_legend_lines (const ReelPlotPanel *panel);

/* The title, and below it the names of the curves with the numbers of the marked step. */
void reel_plot_write_title (const ReelPlotPanel *panel);

void reel_plot_draw_frame (const ReelPlotPanel *panel);

/* The axis of curves whose least and greatest are @low and @high: both numbers, and round ones
 * between, each with a line. */
void reel_plot_draw_values (const ReelPlotPanel *panel, double low, double high);

/* The axis of a map: numbers of its lines. */
void reel_plot_number_lines (const ReelPlotPanel *panel, gint64 n_lines);

/* The axis of steps, below the last panel, or how many panels have no room. */
void reel_plot_write_steps (const ReelPlotPanel *panel, gint64 y, gsize n_left_out);
