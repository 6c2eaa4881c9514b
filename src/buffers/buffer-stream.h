/* How far a buffer is with the batches of its own sampler. Private. */
#pragma once

#include "prefetch.h"
#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelBufferStream:
 * @prefetch: (nullable): batches drawn ahead
 * @last: (nullable): the batch that was taken from there last
 * @failed: (nullable): why no more could be drawn ahead: told once those that are there are taken
 * @drawn_end: whether the batch that was drawn last ends a pass
 * @taken_end: whether the batch that was given out last does
 * @passing: whether a pass of reel_replay_buffer_next() is under way
 * @others: (element-type ReelPrefetch): queues of ensembles that draw ahead from this buffer
 */
typedef struct
{
  ReelPrefetch *prefetch;
  ReelSampling *last;
  GError *failed;
  gboolean drawn_end;
  gboolean taken_end;
  gboolean passing;
  GSList *others;
} ReelBufferStream;

/**
 * reel_replay_buffer_get_stream:
 * @self: a buffer
 *
 * Returns: (transfer none): its stream
 */
ReelBufferStream *reel_replay_buffer_get_stream (ReelReplayBuffer *self);

/**
 * reel_buffer_may_draw_ahead:
 * @sampler: a sampler
 * @error: VALUE where it consumes rows, for what is drawn ahead is gone before it is used
 *
 * Returns: whether its batches may be drawn ahead
 */
gboolean reel_buffer_may_draw_ahead (ReelSampler *sampler, GError **error);

/**
 * reel_buffer_add_queue:
 * @self: a buffer
 * @queue: (transfer none): that of an ensemble, which draws ahead from @self until it is removed
 */
void reel_buffer_add_queue (ReelReplayBuffer *self, ReelPrefetch *queue);

/**
 * reel_buffer_remove_queue:
 * @self: a buffer
 * @queue: what was added once
 */
void reel_buffer_remove_queue (ReelReplayBuffer *self, ReelPrefetch *queue);

/**
 * reel_buffer_flush:
 * @self: a buffer
 *
 * Waits until all batches that were drawn ahead from it are whole, so that its parts may change.
 */
void reel_buffer_flush (ReelReplayBuffer *self);

/**
 * reel_buffer_forget_batch:
 * @self: a buffer
 *
 * Nothing is said any more of the batch that was given out last, and who has it keeps it.
 */
void reel_buffer_forget_batch (ReelReplayBuffer *self);

/**
 * reel_buffer_stream_clear:
 * @stream: a stream, of which nothing but `others` is left
 */
void reel_buffer_stream_clear (ReelBufferStream *stream);

G_END_DECLS
