/* What samplers are by definition, and what they draw. */
#pragma once

#include "options.h"

G_BEGIN_DECLS

/* How often each of some things was drawn, and the chance that it has by definition. */
typedef struct
{
  const char *name;
  gint64 n;
  double *chances;
  gint64 *seen;
} Tally;

typedef struct
{
  /* Set by who asks. */
  ReelStorage *storage;
  ReelSampler *sampler;
  gint64 batch_size;
  gint64 n_batches;

  /* The definition. */
  const struct _Definition *definition;
  ReelStorageView view;
  Tally tallies[2]; /* rows; or trajectories, and their places where slices begin */
  guint n_tallies;
  ReelTrajectoryIndex *index;
  GHashTable *numbers; /* of trajectories, by their first rows */
  gint64 *first_start; /* the place of each trajectory's first start in the tally */
  double weights[7];   /* of rows in turn */
  gint64 slice_length;
  gint64 span_right;
  gboolean strict;
  gboolean fixed_length; /* of slices */
  guint last_column;     /* else the info column that says where one ends */

  /* What was seen besides. */
  gint64 n_passes;
  gint64 n_drawn; /* of the first tally */
  gint64 n_twice; /* of it, drawn more than once in a pass that has each once */
  guint8 *in_pass;
} Audit;

/* Finds out what the sampler should draw: NOT_IMPLEMENTED for one without a definition here. */
gboolean audit_prepare (Audit *audit, GError **error);

/* Draws all batches. */
gboolean audit_draw (Audit *audit, GError **error);

void audit_clear (Audit *audit);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Audit, audit_clear)

G_END_DECLS
