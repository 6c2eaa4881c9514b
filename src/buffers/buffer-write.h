/* Where a buffer's new rows go. Private. */
#pragma once

#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * reel_buffer_check_parts:
 * @sampler: who draws
 * @writer: who says where new rows go
 * @error: TYPE where the sampler frees slots that the writer would not fill again
 *
 * Returns: whether they go together
 */
gboolean reel_buffer_check_parts (ReelSampler *sampler, ReelWriter *writer, GError **error);

/**
 * reel_buffer_write:
 * @self: a buffer
 * @data: as for reel_writer_extend()
 * @slots: (out caller-allocates) (optional): as of reel_writer_extend()
 * @error: as reel_writer_extend()
 *
 * Stores rows where a consuming sampler left slots free, oldest first, and the rest where the
 * writer says. The writer's thread.
 *
 * Returns: whether all were stored; none were on failure
 */
gboolean reel_buffer_write (ReelReplayBuffer *self, ReelTensordict *data, gint64 *slots,
                            GError **error);

/**
 * reel_buffer_write_step:
 * @self: a buffer
 * @step: `[lanes…]`
 * @slot: (out): where it was written
 * @written: (out): whether it was; else reel_buffer_write() takes it, with a dimension of steps
 * @error: as reel_writer_extend()
 *
 * The short way of one step that is laid out as the storage. The writer's thread.
 *
 * Returns: whether nothing failed
 */
gboolean reel_buffer_write_step (ReelReplayBuffer *self, ReelTensordict *step, gint64 *slot,
                                 gboolean *written, GError **error);

G_END_DECLS
