/* The parts of a buffer that its other files use. Private. */
#pragma once

#include "buffer-stream.h"
#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelBatchMaker:
 * @collate: (nullable): makes a batch of rows
 * @user_data: for @collate
 * @destroy: (nullable): frees @user_data
 *
 * The arguments of reel_replay_buffer_set_collate().
 */
typedef struct
{
  ReelCollateFunc collate;
  gpointer user_data;
  GDestroyNotify destroy;
} ReelBatchMaker;

/**
 * reel_replay_buffer_get_maker:
 * @self: a buffer
 *
 * Returns: (transfer none): what makes its batches
 */
const ReelBatchMaker *reel_replay_buffer_get_maker (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_stream:
 * @self: a buffer
 *
 * Returns: (transfer none): its stream
 */
ReelBufferStream *reel_replay_buffer_get_stream (ReelReplayBuffer *self);

/**
 * reel_buffer_flush:
 * @self: a buffer
 *
 * Waits until all batches that were drawn ahead from it are whole, so that its parts may change.
 */
void reel_buffer_flush (ReelReplayBuffer *self);

/**
 * reel_buffer_check_parts:
 * @sampler: who draws
 * @writer: who says where new rows go
 * @error: TYPE where the sampler frees slots that the writer would not fill again
 *
 * Returns: whether they go together
 */
gboolean reel_buffer_check_parts (ReelSampler *sampler, ReelWriter *writer, GError **error);

G_END_DECLS
