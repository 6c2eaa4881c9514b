/* Rows of a buffer in formats of others: CSV, NumPy, HDF5, Minari. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"

G_BEGIN_DECLS

/**
 * ReelExport:
 * @n_rows: rows that were written
 * @n_episodes: episodes that they are
 * @n_cut: how many of these have no stored end; their last row is written as truncated, and 0 where
 *   the rows and the format have no flag for that
 * @notes: (array zero-terminated=1): a sentence for each thing that the format lacks
 *
 * The result of reel_replay_buffer_export(); cleared with reel_export_clear().
 */
typedef struct
{
  gint64 n_rows;
  gint64 n_episodes;
  gint64 n_cut;
  char **notes;
} ReelExport;

/**
 * reel_export_clear:
 * @self: an export; all zeros afterwards
 *
 * Frees what it contains, and not the export itself.
 */
REEL_API
void reel_export_clear (ReelExport *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelExport, reel_export_clear)

/**
 * reel_export_list_formats:
 *
 * Any thread.
 *
 * Returns: (transfer none) (array zero-terminated=1): the names of the formats of this build
 */
REEL_API
const char *const *reel_export_list_formats (void);

/**
 * reel_replay_buffer_export:
 * @self: a buffer, which nobody writes meanwhile
 * @format: `csv`, `npz`, `hdf5` or `minari`
 * @path: the file to make, for `minari` the directory; parents that are missing are made
 * @dataset_id: (nullable): for `minari` the id, such as `mine/cartpole-v0`, with which @path must
 *   end; %NULL for its last component
 * @flags: with FORCE it may replace a file, or a dataset of Minari that has nothing else in it
 * @report: (out) (optional): what was written
 * @error: VALUE for another @format, an id that is none of Minari's, and rows that are no episodes;
 *   RUNTIME without rows, and where something is at @path; KEY, TYPE, NOT_IMPLEMENTED naming the
 *   key that the format cannot contain, NOT_IMPLEMENTED also for a format that needs HDF5, where it
 *   is not in the build; NO_SPACE, IO
 *
 * Writes all rows, episode after episode, lane after lane, each in order of time. The last row of
 * an episode whose end is not stored is written with true `next/done` and `next/truncated`, where
 * these are stored: the episode was still going on, or more of it was overwritten. All is written
 * beside its place, synced, and put in place in one step: after a kill the place is as it was, and
 * the next export removes the remains. Some megabytes of rows are in memory at a time. Formats:
 * docs/datasets.md. The writer's thread.
 *
 * Returns: whether it was written
 */
REEL_API
gboolean reel_replay_buffer_export (ReelReplayBuffer *self, const char *format, const char *path,
                                    const char *dataset_id, ReelCheckpointFlags flags,
                                    ReelExport *report, GError **error);

G_END_DECLS
