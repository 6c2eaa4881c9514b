/* Rows of a directory that was closed, compared with their checksums while they are written again.
 * Private to the library. */
#pragma once

#include "checkpoint-files.h"
#include "kept-sums.h"

G_BEGIN_DECLS

/**
 * ReelResumedRows:
 *
 * A thread of its own reads the rows, those first that the writer will overwrite first. So the
 * writer can begin at once, and waits where it would overwrite what was not compared yet.
 */
typedef struct _ReelResumedRows ReelResumedRows;

/**
 * reel_resumed_rows_new:
 * @path: the directory, for messages
 * @sidecar: what it contains of the rows
 * @storage: the rows, in the files of @path
 * @place: where its last writer stopped
 * @error: DAMAGED naming the leaf and the bytes that differ, where the first megabytes do
 *
 * Compares the first megabytes: all of a small run.
 *
 * Returns: (transfer full) (nullable): the rows, %NULL without @error set where they have no sums
 */
ReelResumedRows *reel_resumed_rows_new (const char *path, const ReelSidecar *sidecar,
                                        ReelStorage *storage, const ReelCheckpointPlace *place,
                                        GError **error);

/**
 * reel_resumed_rows_free:
 * @self: (transfer full) (nullable): rows; the thread ends
 */
void reel_resumed_rows_free (ReelResumedRows *self);

/**
 * reel_resumed_rows_begin:
 * @self: rows
 *
 * Starts to compare the rest. Where no thread can be had, the writer does it as it needs it.
 */
void reel_resumed_rows_begin (ReelResumedRows *self);

/**
 * reel_resumed_rows_permit:
 * @self: rows
 * @end: the steps before this number are to be written
 * @error: DAMAGED, as soon as a difference was found anywhere
 *
 * Waits until all is compared that these overwrite. The writer's thread.
 *
 * Returns: whether they may be written
 */
gboolean reel_resumed_rows_permit (ReelResumedRows *self, gint64 end, GError **error);

/**
 * reel_resumed_rows_finish:
 * @self: rows
 * @error: DAMAGED
 *
 * Waits until all is compared. The writer's thread.
 *
 * Returns: whether the rows are what was written
 */
gboolean reel_resumed_rows_finish (ReelResumedRows *self, GError **error);

/**
 * reel_resumed_rows_get_sums:
 * @self: rows
 *
 * Returns: (transfer none): the checksums that they had
 */
const ReelKeptSums *reel_resumed_rows_get_sums (const ReelResumedRows *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelResumedRows, reel_resumed_rows_free)

G_END_DECLS
