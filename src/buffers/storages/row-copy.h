/* The rows of a storage into another one, in order of time. Private. */
#pragma once

#include "storage.h"

G_BEGIN_DECLS

/**
 * ReelRowCopy:
 * @from: where the rows are; another process may be writing there
 * @first_step: number of the oldest step to copy
 * @n_steps: how many
 * @to: where they go, which nobody reads: keys that it has not are left out, keys that @from has
 *   not stay as they are
 * @to_step: what number the first has there
 * @apart: whether @to has one lane, in which those of @from follow one another, each in order of
 *   time; from slot 0 on then
 *
 * The source and target of a copy. Rows have as many bytes in both; unless @apart is set as many
 * lanes.
 */
typedef struct
{
  ReelStorage *from;
  gint64 first_step;
  gint64 n_steps;
  ReelStorage *to;
  gint64 to_step;
  gboolean apart;
} ReelRowCopy;

/**
 * reel_row_copy_run:
 * @self: a copy
 *
 * Copies the rows, and says anew in which slot they are where they hold that as `index`.
 *
 * Returns: number of the oldest step whose copy is whole: a later one than the first where another
 *   process wrote over those before meanwhile
 */
gint64 reel_row_copy_run (const ReelRowCopy *self);

/**
 * reel_row_copy_renumber:
 * @self: a copy, whose rows somebody else has written; nothing is looked at in its @from
 * @from_slots: how many steps there were where they came from
 *
 * Says anew in which slot rows are, where they hold that as `index`.
 */
void reel_row_copy_renumber (const ReelRowCopy *self, gint64 from_slots);

G_END_DECLS
