/* Verification of a checkpoint or a run, with all members of an ensemble. */
#pragma once

#include "../checkpoints/checkpoint-report.h"

G_BEGIN_DECLS

/**
 * reel_checkpoint_verify:
 * @path: a checkpoint that TorchRL or Reel wrote, the directory of a run, or a dataset
 * @error: NOT_IMPLEMENTED naming a kind of checkpoint that cannot be read; IO
 *
 * Looks at all of it and changes nothing: whether it can be read and its files are as long as they
 * must be; whether a run that was closed holds what its checksums say; whether bools are 0 or 1,
 * `done` is `terminated` or `truncated`, and, where trajectories have ids, whether each key that
 * stands beside `next` holds after each step of an episode what `next` holds at that step. Of a run
 * that is still written, rows that are overwritten meanwhile are left out. Of rows that are no
 * buffer, as those of an imported dataset, files and bools alone are looked at.
 *
 * Returns: (transfer full): what was found
 */
REEL_API
ReelCheckpointReport *reel_checkpoint_verify (const char *path, GError **error);

/**
 * reel_checkpoint_verify_files:
 * @path: a checkpoint that TorchRL or Reel wrote, or the directory of a run
 * @error: NOT_IMPLEMENTED naming a kind of checkpoint that cannot be read; IO
 *
 * As reel_checkpoint_verify(), without the look at each row: whether the checkpoint can be read,
 * its files are as long as they must be and hold what their checksums say. Reads each byte once.
 *
 * Returns: (transfer full): what was found
 */
REEL_API
ReelCheckpointReport *reel_checkpoint_verify_files (const char *path, GError **error);

G_END_DECLS
