/* Detection of changes to a checkpoint: another process may replace it, or write to its files,
 * while it is read. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelCheckpointFingerprint:
 *
 * Which files lie in a checkpoint, and what the system says of each: inode, size, time of the last
 * change.
 */
typedef struct _ReelCheckpointFingerprint ReelCheckpointFingerprint;

/**
 * reel_checkpoint_fingerprint_new:
 * @path: a checkpoint; as for reel_checkpoint_part()
 *
 * Files that cannot be examined are left out: their reader gets the error.
 *
 * Returns: (transfer full): what lies there now
 */
ReelCheckpointFingerprint *reel_checkpoint_fingerprint_new (const char *path);

/**
 * reel_checkpoint_fingerprint_free:
 * @self: (transfer full) (nullable): a look
 */
void reel_checkpoint_fingerprint_free (ReelCheckpointFingerprint *self);

/**
 * reel_checkpoint_fingerprint_differs:
 * @self: a look
 *
 * Changes through a mapping show late: the rows of a storage that is being written are told by its
 * ring.
 *
 * Returns: whether files were changed, replaced, added or removed since
 */
gboolean reel_checkpoint_fingerprint_differs (const ReelCheckpointFingerprint *self);

/**
 * reel_checkpoint_fingerprint_find_rewritten:
 * @self: a look
 *
 * For who has the files open, to whom those that were replaced are as they were.
 *
 * Returns: (transfer full) (nullable): a file that was changed in its place since; %NULL for none
 */
char *reel_checkpoint_fingerprint_find_rewritten (const ReelCheckpointFingerprint *self);

/**
 * REEL_CHECKPOINT_ATTEMPTS:
 *
 * How often a checkpoint that changes meanwhile is read.
 */
#define REEL_CHECKPOINT_ATTEMPTS 3

/**
 * reel_checkpoint_set_unsteady:
 * @path: a checkpoint that was read so often
 * @error: set to RUNTIME
 */
void reel_checkpoint_set_unsteady (const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelCheckpointFingerprint, reel_checkpoint_fingerprint_free)

G_END_DECLS
