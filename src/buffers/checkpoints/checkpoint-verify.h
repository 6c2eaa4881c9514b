/* Verification of the checkpoint of one buffer. Private. */
#pragma once

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
