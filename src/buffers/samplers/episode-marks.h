/* Marks that separate the trajectories of a storage: columns of ids, or of flags at their ends.
 * Private. */
#pragma once

#include "trajectory-index.h"

G_BEGIN_DECLS

/**
 * REEL_MARKS_AT_ONCE:
 *
 * Rows looked at in one call.
 */
#define REEL_MARKS_AT_ONCE 8192

/**
 * ReelEpisodeMarks:
 *
 * The columns, resolved once, and room to read some rows of them.
 */
typedef struct _ReelEpisodeMarks ReelEpisodeMarks;

/**
 * reel_episode_marks_new:
 * @storage: an allocated storage, which outlives the marks
 * @keys: (nullable): which columns; %NULL for TorchRL's
 * @error: as reel_trajectory_index_new()
 *
 * Returns: (transfer full): the marks
 */
ReelEpisodeMarks *reel_episode_marks_new (ReelStorage *storage, const ReelTrajectoryKeys *keys,
                                          GError **error);

/**
 * reel_episode_marks_free:
 * @self: (transfer full) (nullable): marks
 */
void reel_episode_marks_free (ReelEpisodeMarks *self);

/**
 * reel_episode_marks_are_ids:
 * @self: marks
 *
 * Returns: whether a row is an end because the next row of its lane has another id, so that nothing
 *   can be said of the newest step
 */
gboolean reel_episode_marks_are_ids (const ReelEpisodeMarks *self);

/**
 * reel_episode_marks_find:
 * @self: marks
 * @row: number of the first row
 * @n: rows, at most %REEL_MARKS_AT_ONCE; where they are ids a step more can be read
 * @n_found: (out): how many are ends
 *
 * A writer may overwrite the rows meanwhile: ask reel_storage_first_intact_row() afterwards.
 * Allocates nothing.
 *
 * Returns: (transfer none) (array length=n_found): the numbers of those that are ends, ascending,
 *   until the next call
 */
const gint64 *reel_episode_marks_find (ReelEpisodeMarks *self, gint64 row, gint64 n,
                                       gint64 *n_found);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelEpisodeMarks, reel_episode_marks_free)

G_END_DECLS
