/* The definition of a sampler beside its draws. */
#pragma once

#include "../common/options.h"

G_BEGIN_DECLS

/* How often each of some things was drawn, and the chance that it has by definition. */
typedef struct
{
  const char *name;
  gint64 n;
  double *chances;
  gint64 *seen;
} Tally;

/* Rows whose chances follow from what was drawn before: one that is left is the next with that of
 * its weight among all that are left. The expectation of a row is the sum of these over the draws
 * at which it was left, as in the log-rank test (Mantel, 1966). */
typedef struct
{
  double *weights;
  double left;   /* weight of those that can be drawn */
  double hazard; /* sum of 1 / left over all draws */
  double *since; /* the hazard when the row came to be left, −1 while it is gone */
  gint64 *given; /* how often it was drawn in this pass */
} Risk;

/* The expected window around an anchor. */
typedef struct
{
  gint64 n_rows; /* 0 where rows are drawn alone */
  gint64 length;
  gint64 burn_in;
  gint64 dilation;
  gboolean stop;              /* at the end of a trajectory it moves back */
  ReelTrajectoryIndex *index; /* NULL where only the ring has ends */
  gint64 *anchors;            /* of a batch */
} Windows;

typedef struct
{
  /* Set by who asks. */
  ReelStorage *storage;
  ReelSampler *sampler;
  gint64 batch_size;
  gint64 n_batches;

  /* The definition: of the sampler, or of the one that draws the anchors of its windows. */
  const struct _Definition *definition;
  ReelSampler *by;
  ReelStorageView view;
  Tally tallies[2]; /* rows; or trajectories, and their places where slices begin */
  guint n_tallies;
  Risk risk;
  Windows windows;
  ReelTrajectoryIndex *index;
  GHashTable *numbers; /* of trajectories, by their first rows */
  gint64 *first_start; /* the place of each trajectory's first start in the tally */
  double weights[7];   /* of rows in turn */
  gint64 slice_length;
  gint64 span_right;
  gboolean strict;
  gboolean fixed_length; /* of slices */
  guint last_column;     /* else the info column that says where one ends */
  double *staleness;     /* of each row */
  guint staleness_column;
  gint64 most_given; /* how often a row is, of those that are consumed */
  gint64 n_fresh;    /* rows that are not too stale */

  /* Other observations. */
  gint64 n_passes;
  gint64 n_drawn;  /* of the first tally */
  gint64 n_twice;  /* of it, drawn more than once in a pass or batch that has each once */
  gint64 n_missed; /* of it, not drawn as often as it had to be when the pass ended */
  guint8 *in_pass;
} Audit;

/* One kind of sampler. */
typedef struct _Definition
{
  const char *type;
  gboolean (*prepare) (Audit *audit, GError **error);

  /* Counts what was drawn: n rows, which are those of the draw, or the anchors of its windows. */
  gboolean (*count) (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                     GError **error);
  gboolean (*end_pass) (Audit *audit, GError **error); /* NULL where there is nothing to do */
  gboolean once;                                       /* each once before any comes again */
  gboolean prioritized; /* by priority, rather than all with the same chance */
} Definition;

/* Finds out what the sampler should draw: NOT_IMPLEMENTED for one without a definition here. */
gboolean audit_prepare (Audit *audit, GError **error);

/* Draws all batches. */
gboolean audit_draw (Audit *audit, GError **error);

void audit_clear (Audit *audit);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Audit, audit_clear)

/* ---- for the definitions ---- */

/* The next tally, of all zeros; NULL where memory does not suffice. */
Tally *audit_add_tally (Audit *audit, const char *name, gint64 n, GError **error);

/* Makes chances of weights. */
void audit_scale_chances (Tally *tally);

/* Which info column of the sampler has this name. */
gboolean audit_find_column (const Audit *audit, const char *name, guint *column);

/* By priorities 1 to 7 in turn, which it sets; or all alike. */
gboolean audit_prepare_weights (Audit *audit, GError **error);
double audit_weight_of (const Audit *audit, gint64 row);

gboolean audit_prepare_rows (Audit *audit, GError **error);
gboolean audit_count_rows (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                           GError **error);

gboolean audit_prepare_slices (Audit *audit, GError **error);
gboolean audit_count_slices (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                             GError **error);

gboolean audit_prepare_consuming (Audit *audit, GError **error);
gboolean audit_count_consuming (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                                GError **error);
gboolean audit_end_consuming (Audit *audit, GError **error);

gboolean audit_prepare_staleness (Audit *audit, GError **error);
gboolean audit_count_staleness (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                                GError **error);

/* Puts what is expected of the rows in the place of their chances. */
void audit_end_risk (Audit *audit);
void audit_clear_risk (Audit *audit);

/* Whether windows are drawn, and of what; then checks those of a draw, and finds their anchors. */
gboolean audit_prepare_windows (Audit *audit, GError **error);
gboolean audit_check_windows (Audit *audit, const ReelDraw *draw, GError **error);
void audit_clear_windows (Audit *audit);

G_END_DECLS
