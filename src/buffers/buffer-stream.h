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
 */
typedef struct
{
  ReelPrefetch *prefetch;
  ReelSampling *last;
  GError *failed;
  gboolean drawn_end;
  gboolean taken_end;
  gboolean passing;
} ReelBufferStream;

/**
 * reel_replay_buffer_get_stream:
 * @self: a buffer
 *
 * Returns: (transfer none): its stream
 */
ReelBufferStream *reel_replay_buffer_get_stream (ReelReplayBuffer *self);

/**
 * reel_buffer_stream_clear:
 * @stream: a stream, which is all zeros afterwards
 */
void reel_buffer_stream_clear (ReelBufferStream *stream);

G_END_DECLS
