/* Rows that are several steps each: trajectories that are padded to one length, or pieces of lanes,
 * as a storage of one dimension has them. Steps are numbered row × steps of a row + step. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* The stored marks of steps; each NULL where it is not stored. */
typedef struct
{
  const guint8 *mask; /* of steps that are none, but padding, 0 */
  const gint64 *ids;  /* of trajectories */
  const guint8 *ends; /* of the last steps of trajectories, not 0 */
} StepMarks;

typedef struct _StepRows StepRows;

/* NULL where rows are single steps, or where nothing says that their dimension is time: neither a
 * mask nor the record of a run. */
StepRows *step_rows_new (ReelReplayBuffer *buffer);
void step_rows_free (StepRows *self);

/* Of a row. */
gint64 step_rows_count (const StepRows *self);

/* Finds the episodes of these rows, in their order: none is longer than a row. */
void step_rows_follow (StepRows *self, const ReelStorageView *rows);

/* (element-type ReelTrajectory): those, in numbers of steps. */
const GArray *step_rows_get_episodes (const StepRows *self);

/* Appends the episodes of a row, whose first step has the number @first: neighbours that are no
 * padding and have one id, up to an end. */
void step_rows_cut (const StepMarks *marks, gint64 n, gint64 first, GArray *episodes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StepRows, step_rows_free)

G_END_DECLS
