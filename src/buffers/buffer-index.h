/* Rows of a buffer by index, as `rb[index]` has them: read, and changed where they are. */
#pragma once

#include "../core/tensordict/tensordict-index.h"
#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * reel_replay_buffer_index:
 * @self: a buffer
 * @index: what of the filled part, `[T]`, or `[B, T]` where `ndim` is 2
 * @error: as reel_tensor_index(); RUNTIME before the first write
 *
 * `rb[index]`. Negative indices count from the end of what is filled. One index picks what the
 * transforms are given, several are of what they made of all. Not while the writer goes on.
 *
 * Returns: (transfer full): in ring order, not of time: a view; where @index holds tensors, or
 *   there are transforms, a copy
 */
REEL_API
ReelTensordict *reel_replay_buffer_index (ReelReplayBuffer *self, const ReelIndex *index,
                                          GError **error);

/**
 * reel_replay_buffer_get_key:
 * @self: a buffer
 * @path: a leaf
 * @error: as reel_tensordict_ref_tensor(); RUNTIME before the first write
 *
 * `rb["key"]`.
 *
 * Returns: (transfer full): a view of what is filled of one leaf, `[T, …]`, or `[B, T, …]`
 */
REEL_API
ReelTensor *reel_replay_buffer_get_key (ReelReplayBuffer *self, const char *path, GError **error);

/**
 * reel_replay_buffer_set_at:
 * @self: a buffer
 * @index: which rows, as in reel_replay_buffer_index()
 * @value: what they become, broadcast as reel_tensordict_assign() does; keys that it lacks stay
 * @error: as reel_tensordict_assign(); RUNTIME before the first write, where a key is not stored,
 *   where a block is out, or where nothing can be written any more
 *
 * `rb[index] = value`, through the transforms' inverse. Neither cursor nor length change. Safe
 * while others sample: they get rows as they were or as they are, never halves. The writer's
 * thread.
 *
 * Returns: whether it was done; on failure nothing was written
 */
REEL_API
gboolean reel_replay_buffer_set_at (ReelReplayBuffer *self, const ReelIndex *index,
                                    ReelTensordict *value, GError **error);

/**
 * reel_replay_buffer_fill_at:
 * @self: a buffer
 * @index: which rows, as in reel_replay_buffer_index()
 * @value: what every element of them becomes, as reel_dtype_store_double() takes it
 * @error: as reel_replay_buffer_set_at()
 *
 * `rb[index] = 0`, in all that reel_replay_buffer_set_at() says.
 *
 * Returns: whether it was done
 */
REEL_API
gboolean reel_replay_buffer_fill_at (ReelReplayBuffer *self, const ReelIndex *index, double value,
                                     GError **error);

/**
 * reel_replay_buffer_write_all:
 * @self: a buffer
 * @data: what the first rows, or lanes where `ndim` is over 1, become
 * @end: how many of them; negative for as many as @data has
 * @error: as reel_replay_buffer_set_at()
 *
 * `rb[:end] = data`: writes back what reel_replay_buffer_get_slice() read, in ring order. As
 * reel_replay_buffer_set_at() otherwise.
 *
 * Returns: whether it was done
 */
REEL_API
gboolean reel_replay_buffer_write_all (ReelReplayBuffer *self, ReelTensordict *data, gint64 end,
                                       GError **error);

/**
 * reel_replay_buffer_set_in_place:
 * @self: a buffer
 * @path: a leaf that is stored
 * @tensor: its elements in all that is filled, in the order of the storage: `[T, …]`, or `[T, B,
 *   …]`
 * @error: as reel_tensordict_set_in_place() and reel_replay_buffer_set_at()
 *
 * Python's `rb.set_(key, value)`, past the transforms. As reel_replay_buffer_set_at() otherwise.
 *
 * Returns: whether it was done
 */
REEL_API
gboolean reel_replay_buffer_set_in_place (ReelReplayBuffer *self, const char *path,
                                          const ReelTensor *tensor, GError **error);

/**
 * reel_replay_buffer_set_at_in_place:
 * @self: a buffer
 * @path: a leaf that is stored
 * @index: which of its elements, in the order of the storage: `[T, …]`, or `[T, B, …]`
 * @tensor: what they become, broadcast
 * @error: as reel_tensordict_set_at_in_place() and reel_replay_buffer_set_at()
 *
 * Python's `rb.set_at_(key, value, index)`, past the transforms. As reel_replay_buffer_set_at()
 * otherwise.
 *
 * Returns: whether it was done
 */
REEL_API
gboolean reel_replay_buffer_set_at_in_place (ReelReplayBuffer *self, const char *path,
                                             const ReelIndex *index, const ReelTensor *tensor,
                                             GError **error);

/**
 * reel_replay_buffer_update_in_place:
 * @self: a buffer
 * @td: what all that is filled becomes, in the order of the storage: `[T]`, or `[T, B]`; keys that
 *   it lacks stay
 * @keys_to_update: (array zero-terminated=1) (nullable): paths of @td to take; %NULL for all
 * @error: as reel_tensordict_update_in_place() and reel_replay_buffer_set_at()
 *
 * Python's `rb.update_(td)`, past the transforms. As reel_replay_buffer_set_at() otherwise.
 *
 * Returns: whether it was done
 */
REEL_API
gboolean reel_replay_buffer_update_in_place (ReelReplayBuffer *self, const ReelTensordict *td,
                                             const char *const *keys_to_update, GError **error);

G_END_DECLS
