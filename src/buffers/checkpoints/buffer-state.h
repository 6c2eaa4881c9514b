/* The state of a replay buffer as a tensordict, as TorchRL's state_dict() has it. */
#pragma once

#include "../replay-buffer.h"

G_BEGIN_DECLS

/**
 * reel_replay_buffer_dup_state:
 * @self: a buffer
 * @error: NO_SPACE; what the next batches that were drawn ahead will say
 *
 * TorchRL's `rb.state_dict ()`: all that a buffer of the same parts needs to go on as this one
 * would, with the same writes to the same slots and the same draws: `_storage`, `_sampler`,
 * `_writer` and `_transforms`, the states of its parts; `_batch_size`, int64, 0 for none; and of a
 * buffer that draws ahead `_prefetch_state`, the batches that are ready. reel_tensordict_save() and
 * reel_tensordict_load() keep it. The writer's thread, while nobody samples.
 *
 * Returns: (transfer full): a tensordict without batch dimensions, apart from @self
 */
REEL_API
ReelTensordict *reel_replay_buffer_dup_state (ReelReplayBuffer *self, GError **error);

/**
 * reel_replay_buffer_set_state:
 * @self: a buffer that is neither live nor was opened
 * @state: what reel_replay_buffer_dup_state() said of a buffer whose sampler, writer and transforms
 *   are alike; it may change afterwards
 * @error: as reel_storage_set_state(), reel_sampler_set_state(), reel_writer_set_state() and
 *   reel_transform_set_state(); RUNTIME "Cannot restore a prefetch queue with capacity …" where
 *   @self keeps another number of batches ready, or where it is kept in a directory
 *
 * Goes on from @state. Into another capacity the rows come in order of time; where they come to
 * other slots, sampler and writer know of them what the rows tell. Batches that were ready are
 * dropped. The writer's thread, while nobody samples.
 *
 * Returns: whether it does; else it is as before, all its parts included
 */
REEL_API
gboolean reel_replay_buffer_set_state (ReelReplayBuffer *self, const ReelTensordict *state,
                                       GError **error);

G_END_DECLS
