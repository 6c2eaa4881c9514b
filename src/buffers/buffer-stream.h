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
 * reel_buffer_stream_get_state:
 * @self: a buffer that draws ahead
 * @error: what the next batches will say; NO_SPACE
 *
 * Returns: (transfer full): `capacity`, int64: the batches that it keeps ready; `passing`,
 *   `taken_end`, `drawn_end`, bool, as in #ReelBufferStream; for each batch that is ready, oldest
 *   first, `0`, `1` and so on: its rows before the transforms, `batch`, and `ended`, bool
 */
ReelTensordict *reel_buffer_stream_get_state (ReelReplayBuffer *self, GError **error);

/**
 * reel_buffer_stream_check_state:
 * @self: a buffer
 * @state: (nullable): what reel_buffer_stream_get_state() said
 * @error: RUNTIME where @self keeps another number of batches ready; VALUE for more than these;
 *   KEY, TYPE
 *
 * Waits for the copies under way, so that the storage may change.
 *
 * Returns: whether @self can go on from @state; from %NULL always
 */
gboolean reel_buffer_stream_check_state (ReelReplayBuffer *self, const ReelTensordict *state,
                                         GError **error);

/**
 * reel_buffer_stream_set_state:
 * @self: a buffer
 * @state: (nullable): that was checked; %NULL for no batch
 * @error: VALUE for batches that are none of @self: none is ready then
 *
 * Returns: whether it goes on from @state
 */
gboolean reel_buffer_stream_set_state (ReelReplayBuffer *self, const ReelTensordict *state,
                                       GError **error);

/**
 * reel_buffer_stream_clear:
 * @stream: a stream, which is all zeros afterwards
 */
void reel_buffer_stream_clear (ReelBufferStream *stream);

G_END_DECLS
