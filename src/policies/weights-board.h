/* The newest weights of a policy, which one thread or process writes while others read: two slots
 * in memory that forks share. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelWeightsBoard:
 *
 * Floats and the number of their version, 0 for none yet. Versions take turns in two slots, so that
 * a reader meets a half-written one only where two writers pass it meanwhile: it looks, and reads
 * again. Nobody waits for a lock.
 */
typedef struct _ReelWeightsBoard ReelWeightsBoard;

/**
 * reel_weights_board_new:
 * @n_floats: of a version
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a board, which processes that are forked later share
 */
ReelWeightsBoard *reel_weights_board_new (gsize n_floats, GError **error);

/**
 * reel_weights_board_free:
 * @self: (transfer full) (nullable): a board; it stays in forks
 */
void reel_weights_board_free (ReelWeightsBoard *self);

/**
 * reel_weights_board_write:
 * @self: a board
 * @floats: (array): a version
 *
 * Makes it the newest. Any thread or process, one at a time.
 *
 * Returns: its number
 */
guint64 reel_weights_board_write (ReelWeightsBoard *self, const float *floats);

/**
 * reel_weights_board_get_version:
 * @self: a board
 *
 * Returns: the number of the newest version. Any thread or process
 */
guint64 reel_weights_board_get_version (const ReelWeightsBoard *self);

/**
 * reel_weights_board_read:
 * @self: a board with a version
 * @floats: (array): filled in
 *
 * Copies the newest version, as it was written. Any thread or process.
 *
 * Returns: its number
 */
guint64 reel_weights_board_read (const ReelWeightsBoard *self, float *floats);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelWeightsBoard, reel_weights_board_free)

G_END_DECLS
