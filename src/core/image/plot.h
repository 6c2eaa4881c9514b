/* Numbers over time, drawn. Any thread, for disjoint pictures. */
#pragma once

#include "../tensor/tensor.h"

G_BEGIN_DECLS

/**
 * ReelPlotSeries:
 * @name: what the numbers are, UTF-8
 * @width: how many there are of each step, at least 1
 * @values: (array): float32 `[steps, width]`; what is not finite is a gap
 * @element_names: (nullable) (array): a name for each of the @width numbers, UTF-8; `name[0]` and
 *   on where it is NULL
 * @steps: whether a number holds from the step before to its own, as discrete actions do; else
 *   a line leads from each to the next
 *
 * One panel of a plot.
 */
typedef struct
{
  const char *name;
  gint64 width;
  const float *values;
  const char *const *element_names;
  gboolean steps;
} ReelPlotSeries;

/**
 * REEL_PLOT_CURVES:
 *
 * The most numbers of a step that are drawn as curves.
 */
#define REEL_PLOT_CURVES 12

/**
 * reel_plot_draw:
 * @image: a picture, contiguous uint8 `[height, width, 3]`, which is filled
 * @series: (array length=n_series): what to draw, the first on top
 * @n_series: how many
 * @n_steps: steps of each, at least 1
 * @at: the step to mark, whose numbers are written where there is room; negative for none
 *
 * Draws a panel for each series, one above the other, over a common axis of steps: a curve for each
 * number, all on one scale, with its name above them where there is room; of more than
 * REEL_PLOT_CURVES numbers a map, a line for each number, from its own least (blue) to its own
 * greatest (red). The axis of values has the least, the greatest and round numbers between. Where
 * many steps share a column of pixels a curve is their mean, and pale from their least to their
 * greatest: no peak is lost. Panels for which there is no room are counted at the end.
 */
REEL_API
void reel_plot_draw (ReelTensor *image, const ReelPlotSeries *series, gsize n_series,
                     gint64 n_steps, gint64 at);

G_END_DECLS
