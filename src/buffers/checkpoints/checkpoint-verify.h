/* Verification of the checkpoint of one buffer. Private. */
#pragma once

#include "checkpoint-files.h"
#include "checkpoint-report.h"

G_BEGIN_DECLS

/**
 * reel_checkpoint_verify_buffer:
 * @self: a report; faults, notes and rows are added
 * @path: a checkpoint of one buffer
 * @rows: whether its rows are read too
 * @error: as reel_replay_buffer_open(), where it cannot be read
 *
 * Reads a checkpoint, compares its checksums, and, with @rows, its rows to TorchRL's episode data.
 *
 * Returns: whether the checkpoint could be read
 */
gboolean reel_checkpoint_verify_buffer (ReelCheckpointReport *self, const char *path, gboolean rows,
                                        GError **error);

/**
 * reel_checkpoint_check_files:
 * @checkpoint: a directory that was read, which is to be written on
 * @error: DAMAGED naming the file; IO
 *
 * Compares its files, but for the rows, with their checksums.
 *
 * Returns: whether they are what was written, or nobody can tell
 */
gboolean reel_checkpoint_check_files (const ReelCheckpoint *checkpoint, GError **error);

/**
 * reel_checkpoint_is_rows:
 * @path: a directory
 *
 * Returns: whether it has the rows of a tensordict, and no buffer
 */
gboolean reel_checkpoint_is_rows (const char *path);

/**
 * reel_checkpoint_verify_rows:
 * @self: a report; faults, notes and rows are added
 * @path: a directory of rows, such as an imported dataset
 * @rows: whether each row is looked at
 * @error: as reel_tensordict_load(), where it cannot be read
 *
 * Compares files to what describes them, and looks whether bools are 0 or 1.
 *
 * Returns: whether the rows could be read
 */
gboolean reel_checkpoint_verify_rows (ReelCheckpointReport *self, const char *path, gboolean rows,
                                      GError **error);

G_END_DECLS
