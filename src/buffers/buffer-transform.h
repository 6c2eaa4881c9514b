/* The collate function and the transforms of a buffer, applied to rows read and written.
 * Private. */
#pragma once

#include "replay-buffer-private.h"
#include "sampling.h"

G_BEGIN_DECLS

/**
 * reel_buffer_changes_batches:
 * @self: a buffer
 *
 * Returns: whether a batch that it gives is another than the rows that were copied: it has a
 *   collate function, or transforms that change what is read
 */
gboolean reel_buffer_changes_batches (ReelReplayBuffer *self);

/**
 * reel_buffer_read:
 * @self: a buffer
 * @td: (transfer full) (nullable): what was read, of which nobody else has the entries; %NULL after
 *   a failure
 * @error: what the transforms say
 *
 * Returns: (transfer full) (nullable): @td through the transforms
 */
ReelTensordict *reel_buffer_read (ReelReplayBuffer *self, ReelTensordict *td, GError **error);

/**
 * reel_buffer_collate:
 * @self: a buffer
 * @td: (transfer full) (nullable): as for reel_buffer_read()
 * @error: what the collate function says
 *
 * Returns: (transfer full) (nullable): what the collate function makes of @td
 */
ReelTensordict *reel_buffer_collate (ReelReplayBuffer *self, ReelTensordict *td, GError **error);

/**
 * reel_buffer_read_shared:
 * @self: a buffer
 * @td: (transfer full) (nullable): rows as they are stored, %NULL after an error
 * @several: whether they are a batch, for the collate function
 * @error: NO_SPACE; what the collate function and the transforms say
 *
 * As reel_buffer_read(), of rows that are the storage's own: what changes them gets a copy.
 *
 * Returns: (transfer full) (nullable): @td, or what became of a copy of it
 */
ReelTensordict *reel_buffer_read_shared (ReelReplayBuffer *self, ReelTensordict *td,
                                         gboolean several, GError **error);

/**
 * reel_buffer_count_demand:
 * @self: a buffer
 * @n: rows of a batch
 *
 * Returns: how many rows are to be drawn so that the transforms give @n; more than there is memory
 *   where they cannot be counted
 */
gint64 reel_buffer_count_demand (ReelReplayBuffer *self, gint64 n);

/**
 * reel_buffer_choose_batch:
 * @self: a buffer
 * @sampling: what is to be copied
 * @batch: as in reel_replay_buffer_sample()
 *
 * Returns: where to copy rows: @batch, or where transforms take them from
 */
ReelTensordict **reel_buffer_choose_batch (ReelReplayBuffer *self, ReelSampling *sampling,
                                           ReelTensordict **batch);

/**
 * reel_buffer_transform_batch:
 * @self: a buffer
 * @sampling: whose rows were copied to what reel_buffer_choose_batch() gave
 * @batch: (inout): as in reel_replay_buffer_sample()
 * @error: what the transforms say
 *
 * Returns: whether @batch was set; else it is as before
 */
gboolean reel_buffer_transform_batch (ReelReplayBuffer *self, ReelSampling *sampling,
                                      ReelTensordict **batch, GError **error);

/**
 * reel_buffer_invert_item:
 * @self: a buffer
 * @item: as in reel_replay_buffer_add()
 * @steps: (out) (transfer full) (nullable): what is to be written instead, with a dimension of
 *   steps in front; %NULL for nothing now
 * @error: what the transforms say
 *
 * Returns: whether @steps was set
 */
gboolean reel_buffer_invert_item (ReelReplayBuffer *self, ReelTensordict *item,
                                  ReelTensordict **steps, GError **error);

/**
 * reel_buffer_set_no_index:
 * @storage: where nothing was written
 * @index: (out) (optional): an index of no rows, as of reel_replay_buffer_extend()
 * @error: none but the system's
 *
 * Returns: whether @index was set
 */
gboolean reel_buffer_set_no_index (ReelStorage *storage, ReelTensor **index, GError **error);

G_END_DECLS
