/* A replay buffer of rank 0, used by the other ranks as if it were theirs. */
#pragma once

#include "../buffers/replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelRemoteBuffer:
 *
 * The buffer that rank 0 serves by reel_ranks_serve_buffer(), from another rank: what TorchRL's
 * `as_remote()` gives. Calls are those of #ReelReplayBuffer, and fail with the errors of these;
 * each is a message there and one back. Batches are copies. One thread, that of
 * reel_ranks_open().
 */
typedef struct _ReelRemoteBuffer ReelRemoteBuffer;

/**
 * reel_remote_buffer_new:
 * @error: as reel_ranks_open(); RUNTIME on rank 0, which has the buffer itself
 *
 * Returns: (transfer full): the buffer of rank 0
 */
REEL_API
ReelRemoteBuffer *reel_remote_buffer_new (GError **error);

/**
 * reel_remote_buffer_free:
 * @self: (transfer full) (nullable): a remote buffer
 *
 * Tells rank 0 that this rank needs it no more.
 */
REEL_API
void reel_remote_buffer_free (ReelRemoteBuffer *self);

/**
 * reel_remote_buffer_extend:
 * @self: a remote buffer
 * @data: as for reel_replay_buffer_extend(); leaves are tensors
 * @index: (out) (optional) (transfer full): as there
 * @error: as there; NOT_IMPLEMENTED for a leaf without a tensor; RUNTIME where rank 0 has ended
 *
 * Stores many steps there.
 *
 * Returns: whether they were stored, all or none
 */
REEL_API
gboolean reel_remote_buffer_extend (ReelRemoteBuffer *self, const ReelTensordict *data,
                                    ReelTensor **index, GError **error);

/**
 * reel_remote_buffer_sample:
 * @self: a remote buffer
 * @batch_size: rows wanted; 0 for the buffer's default
 * @error: as reel_replay_buffer_sample(); RUNTIME where rank 0 has ended
 *
 * Draws a batch there, by the buffer's own sampler, whose draws all ranks share.
 *
 * Returns: (transfer full): a copy of it
 */
REEL_API
ReelTensordict *reel_remote_buffer_sample (ReelRemoteBuffer *self, gint64 batch_size,
                                           GError **error);

/**
 * reel_remote_buffer_update_priority:
 * @self: a remote buffer
 * @index: as for reel_replay_buffer_update_priority()
 * @priority: as there
 * @error: as there; RUNTIME where rank 0 has ended
 *
 * Tells the sampler there how much rows matter.
 *
 * Returns: whether all are set; on failure none are
 */
REEL_API
gboolean reel_remote_buffer_update_priority (ReelRemoteBuffer *self, ReelTensor *index,
                                             ReelTensor *priority, GError **error);

/**
 * reel_remote_buffer_get_stats:
 * @self: a remote buffer
 * @stats: (out): as reel_replay_buffer_get_stats()
 * @error: RUNTIME where rank 0 has ended
 *
 * Returns: whether @stats was set
 */
REEL_API
gboolean reel_remote_buffer_get_stats (ReelRemoteBuffer *self, ReelReplayBufferStats *stats,
                                       GError **error);

/**
 * reel_ranks_serve_buffer:
 * @buffer: a buffer of rank 0
 * @error: as reel_ranks_open(); RUNTIME on another rank
 *
 * On rank 0: does what the remote buffers of the other ranks ask for, in the order in which it
 * comes, until each of these ranks has freed its remote buffer or has ended. The latter is a
 * warning, see reel_ranks_dup_warnings(); its rows stay.
 *
 * Returns: whether all have parted
 */
REEL_API
gboolean reel_ranks_serve_buffer (ReelReplayBuffer *buffer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRemoteBuffer, reel_remote_buffer_free)

G_END_DECLS
