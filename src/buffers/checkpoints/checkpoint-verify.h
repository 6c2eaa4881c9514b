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
gboolean reel_checkpoint_verify_buffer (ReelCheckpointReport *self, const char *path,
                                        gboolean rows, GError **error);

G_END_DECLS
