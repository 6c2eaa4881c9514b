/* The state of batches that a replay buffer drew ahead. Private. */
#pragma once

#include "../replay-buffer-private.h"

G_BEGIN_DECLS

/**
 * reel_buffer_stream_dup_state:
 * @self: a buffer that draws ahead
 * @error: what the next batches will say; NO_SPACE
 *
 * Returns: (transfer full): `capacity`, int64: the batches that it keeps ready; `passing`,
 *   `taken_end`, `drawn_end`, bool, as in #ReelBufferStream; for each batch that is ready, oldest
 *   first, `0`, `1` and so on: its rows before the transforms, `batch`, and `ended`, bool
 */
ReelTensordict *reel_buffer_stream_dup_state (ReelReplayBuffer *self, GError **error);

/**
 * reel_buffer_stream_check_state:
 * @self: a buffer
 * @state: (nullable): what reel_buffer_stream_dup_state() said
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

G_END_DECLS
