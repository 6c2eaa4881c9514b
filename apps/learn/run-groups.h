/* Runs that differ in their seed alone, as one curve with a band. */
#pragma once

#include "saved-run.h"

G_BEGIN_DECLS

/* A figure over steps: the mean of runs, the least and the greatest of them. */
typedef struct
{
  guint n;
  double *x, *mean, *low, *high;
} Curve;

typedef struct
{
  char *name;      /* learner, and the settings in which other runs of it differ */
  GPtrArray *runs; /* of SavedRun, which it does not own */
  json_t *settings;
} RunGroup;

/* The groups of runs, in the order of their first ones. The runs must outlive them. */
GPtrArray *run_groups_new (GPtrArray *runs);

/* The environment that all have, or NULL. Free it. */
char *run_groups_dup_env (const GPtrArray *groups);

/* The figure of a group. Between the rows of a run its values are on a line; a run counts from its
 * first row that has the figure to the last. Of very many rows neighbours are one point. */
void run_group_average (const RunGroup *self, const char *figure, Curve *curve);
void curve_clear (Curve *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Curve, curve_clear)

G_END_DECLS
