/* Checksums of a checkpoint compared with those of what is there. Private to the library. */
#pragma once

#include "checkpoint-files.h"
#include "checkpoint-report.h"

G_BEGIN_DECLS

/**
 * reel_sums_add_damage:
 * @self: a report
 * @where: the key or the file at fault
 * @n: in how many places
 * @what: (transfer full): what was found, and what was expected
 *
 * Adds a fault that is of no step.
 */
void reel_sums_add_damage (ReelCheckpointReport *self, const char *where, gint64 n, char *what);

/**
 * reel_sums_compare:
 * @self: a report; faults are added
 * @said: (nullable): JSON object: by name the sums that were written, null for a block that nothing
 *   vouches for
 * @is: those of what is there
 * @block: bytes that have one sum
 *
 * Compares names and sums.
 */
void reel_sums_compare (ReelCheckpointReport *self, const json_t *said, json_t *is, gint64 block);

/**
 * reel_sums_compare_files:
 * @self: a report; faults and notes are added
 * @said: the member `checksums` of a sidecar
 * @path: the checkpoint
 * @block: bytes that have one sum
 * @error: IO
 *
 * Compares all files but those of rows that have sums of their own.
 *
 * Returns: whether they could be read
 */
gboolean reel_sums_compare_files (ReelCheckpointReport *self, const json_t *said, const char *path,
                                  gint64 block, GError **error);

/**
 * reel_sums_check_files:
 * @checkpoint: a directory that was read, which is to be written on
 * @error: DAMAGED naming the file; IO
 *
 * Compares its files, but for the rows, with their checksums.
 *
 * Returns: whether they are what was written, or nobody can tell
 */
gboolean reel_sums_check_files (const ReelCheckpoint *checkpoint, GError **error);

G_END_DECLS
