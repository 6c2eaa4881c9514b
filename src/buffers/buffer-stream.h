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
 * ReelStreamState:
 * @batches: (nullable): batches that are ready, oldest first; %NULL for none
 * @passing: as in #ReelBufferStream, as the next two
 *
 * A state that was read, on its way into a buffer.
 */
typedef struct
{
  GArray *batches;
  gboolean passing;
  gboolean taken_end;
  gboolean drawn_end;
} ReelStreamState;

/**
 * reel_buffer_stream_read_state:
 * @self: a buffer whose storage has memory, or nothing is ready
 * @state: (nullable): that was checked; %NULL for no batch
 * @read: (out caller-allocates): what it says; to be given to reel_stream_state_clear()
 * @error: VALUE for batches that are none of @self; KEY, TYPE, NO_SPACE
 *
 * Changes nothing but that the sampler of @self gets to know its storage.
 *
 * Returns: whether @self can go on from @state
 */
gboolean reel_buffer_stream_read_state (ReelReplayBuffer *self, const ReelTensordict *state,
                                        ReelStreamState *read, GError **error);

/**
 * reel_buffer_stream_take_state:
 * @self: a buffer
 * @read: what was read for it, whose batches are taken
 *
 * Goes on from there.
 */
void reel_buffer_stream_take_state (ReelReplayBuffer *self, ReelStreamState *read);

/**
 * reel_stream_state_clear:
 * @self: what was read, all zeros afterwards
 */
void reel_stream_state_clear (ReelStreamState *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelStreamState, reel_stream_state_clear)

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
 * reel_buffer_settle:
 * @self: a buffer
 *
 * Waits until all batches that were drawn ahead from it are whole, so that its parts may change.
 */
void reel_buffer_settle (ReelReplayBuffer *self);

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
