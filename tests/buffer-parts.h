/* Buffers of parts that are told by their texts. */
#pragma once

#include "../src/reel.h"

/**
 * buffer_parts_new:
 * @batch_size: rows of a batch, 0 for no default
 * @prefetch: batches to keep ready
 *
 * Returns: (transfer full) (nullable): an empty buffer; %NULL where the storage is none, or the
 *   parts refuse each other
 */
ReelReplayBuffer *buffer_parts_new (const char *storage, const char *sampler, const char *writer,
                                    gint64 batch_size, gint64 prefetch);

/**
 * buffer_parts_get_state:
 *
 * Returns: (transfer full): the state of @buffer; its threads have nothing to copy then
 */
ReelTensordict *buffer_parts_get_state (ReelReplayBuffer *buffer);
