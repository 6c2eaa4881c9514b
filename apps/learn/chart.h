/* Curves with bands as a picture: a panel for each figure, one above the other. */
#pragma once

#include "pen.h"
#include "run-groups.h"

G_BEGIN_DECLS

typedef struct
{
  const char *title;
  const char *x_name;
  const char *const *names; /* of the lines, the same in all panels */
  guint n_lines;
  const char *const *panel_names;
  guint n_panels;
  const Curve *curves; /* [n_panels, n_lines]; one without points is not drawn */
} Chart;

/* The size that it takes, in units. */
void chart_measure (const Chart *self, double *width, double *height);

void chart_draw (const Chart *self, Pen *pen);

/* A number on an axis: 20k for 20000. Free it. */
char *chart_dup_number (double value);

/* The least number of the form 1, 2 or 5 times a power of ten by which n steps reach over a range.
 */
double chart_choose_tick (double range, guint n);

G_END_DECLS
