/* How far a buffer is with the batches of its own sampler. Private. */
#pragma once

#include "prefetch.h"

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
 * reel_buffer_may_draw_ahead:
 * @sampler: a sampler
 * @error: VALUE where it consumes rows, for what is drawn ahead is gone before it is used
 *
 * Returns: whether its batches may be drawn ahead
 */
gboolean reel_buffer_may_draw_ahead (ReelSampler *sampler, GError **error);

/**
 * reel_buffer_stream_add_queue:
 * @stream: the stream of a buffer
 * @queue: (transfer none): that of an ensemble, which draws ahead from the buffer until it is
 * removed
 */
void reel_buffer_stream_add_queue (ReelBufferStream *stream, ReelPrefetch *queue);

/**
 * reel_buffer_stream_remove_queue:
 * @stream: the stream of a buffer
 * @queue: what was added once
 */
void reel_buffer_stream_remove_queue (ReelBufferStream *stream, ReelPrefetch *queue);

/**
 * reel_buffer_stream_flush:
 * @stream: the stream of a buffer
 *
 * Waits until all batches that were drawn ahead are whole.
 */
void reel_buffer_stream_flush (ReelBufferStream *stream);

/**
 * reel_buffer_stream_clear:
 * @stream: a stream, of which nothing but `others` is left
 */
void reel_buffer_stream_clear (ReelBufferStream *stream);

G_END_DECLS
