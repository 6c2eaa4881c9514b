/* Rows of one lane after another, copied to the same memory again and again. Private. */
#pragma once

#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelLaneRows:
 *
 * A reader of the rows of lanes, as they are stored. One thread at a time.
 */
typedef struct _ReelLaneRows ReelLaneRows;

/**
 * reel_lane_rows_new:
 * @buffer: (transfer none): a buffer
 * @most: rows that are read at once, at least 1
 *
 * Returns: (transfer full): a reader
 */
ReelLaneRows *reel_lane_rows_new (ReelReplayBuffer *buffer, gint64 most);

/**
 * reel_lane_rows_free:
 * @self: (transfer full) (nullable): a reader
 */
void reel_lane_rows_free (ReelLaneRows *self);

/**
 * reel_lane_rows_read:
 * @self: a reader
 * @number: a row's number as in #ReelStorageView
 * @n: rows, 1 to what the reader takes at once
 * @error: INDEX where rows are not there; TIMEOUT where they are overwritten meanwhile; NO_SPACE
 *
 * Copies the row @number and those of the next steps of its lane.
 *
 * Returns: (transfer none): a tensordict of at least @n rows, of which the first @n are these, on
 *   device cpu; until the next call
 */
ReelTensordict *reel_lane_rows_read (ReelLaneRows *self, gint64 number, gint64 n, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelLaneRows, reel_lane_rows_free)

G_END_DECLS
