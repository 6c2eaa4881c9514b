/* Replay buffers: storage, sampler, writer and transforms. */
#pragma once

#include "samplers/sampler.h"
#include "storages/storage.h"
#include "writers/writer.h"
#include "../transforms/compose.h"

G_BEGIN_DECLS

/**
 * ReelReplayBuffer:
 *
 * A storage with a writer that fills it and a sampler that draws from it. Behaviour follows
 * TorchRL's `TensorDictReplayBuffer`: docs/differences-from-torchrl.md says where not.
 *
 * One thread writes at a time (add, extend, reserve to commit, empty); any number may sample and
 * read meanwhile. Outside, batches are `[B, T]` for storages of two dimensions, which hold them
 * time first;
 * `[B, T]` is a view of it (`[T, B]` outside too where the storage's `dim-extend` is 0). Rows are
 * numbered oldest first: step × lanes + lane.
 */
#define REEL_TYPE_REPLAY_BUFFER (reel_replay_buffer_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelReplayBuffer, reel_replay_buffer, REEL, REPLAY_BUFFER, GObject)

/**
 * reel_replay_buffer_new:
 * @storage: (transfer none): where rows are kept
 * @sampler: (transfer none) (nullable): which rows a batch is made of; %NULL for `random`
 * @writer: (transfer none) (nullable): where new rows go; %NULL for `round-robin`
 * @batch_size: rows of a batch when reel_replay_buffer_sample() is not told, 0 for no default
 * @error: what the sampler says of a storage that it cannot draw from; VALUE where it needs a
 *   @batch_size
 *
 * Returns: (transfer full): the buffer
 */
REEL_API
ReelReplayBuffer *reel_replay_buffer_new (ReelStorage *storage, ReelSampler *sampler,
                                          ReelWriter *writer, gint64 batch_size, GError **error);

/**
 * reel_replay_buffer_new_from_text:
 * @storage: such as `tensor:capacity=50k,ndim=2`
 * @sampler: (nullable): such as `prioritized:alpha=0.7,beta=0.5`; %NULL for `random`
 * @batch_size: as for reel_replay_buffer_new()
 * @error: as reel_object_new_from_text() and reel_replay_buffer_new()
 *
 * reel_replay_buffer_new() of parts that are named by text, with a `round-robin` writer.
 *
 * Returns: (transfer full): the buffer
 */
REEL_API
ReelReplayBuffer *reel_replay_buffer_new_from_text (const char *storage, const char *sampler,
                                                    gint64 batch_size, GError **error);

/**
 * reel_replay_buffer_get_storage:
 * @self: a buffer
 *
 * Returns: (transfer none): its storage
 */
REEL_API
ReelStorage *reel_replay_buffer_get_storage (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_sampler:
 * @self: a buffer
 *
 * Returns: (transfer none): its sampler
 */
REEL_API
ReelSampler *reel_replay_buffer_get_sampler (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_writer:
 * @self: a buffer
 *
 * Returns: (transfer none): its writer
 */
REEL_API
ReelWriter *reel_replay_buffer_get_writer (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_batch_size:
 * @self: a buffer
 *
 * Returns: rows of a batch by default, 0 for none
 */
REEL_API
gint64 reel_replay_buffer_get_batch_size (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_set_batch_size:
 * @self: a buffer
 * @batch_size: rows of a batch by default, 0 for none
 *
 * The thread that samples.
 */
REEL_API
void reel_replay_buffer_set_batch_size (ReelReplayBuffer *self, gint64 batch_size);

/**
 * reel_replay_buffer_get_transform:
 * @self: a buffer
 *
 * Returns: (transfer none): what data go through: forward where they are read, inverse where they
 *   are written; empty at first
 */
REEL_API
ReelCompose *reel_replay_buffer_get_transform (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_append_transform:
 * @self: a buffer
 * @transform: (transfer none): what batches go through last when they are read, and data first when
 *   they are written
 * @invert: whether its forward is for what is written, its inverse for what is read
 * @error: RUNTIME when @transform has a parent
 *
 * Of a chain the transforms move over one by one. While nobody reads or writes.
 *
 * It applies to reads: batches that are sampled, after `index` and what the sampler says of rows
 * were set, which are set again where a transform took them away; rows by place and in order of
 * time. It applies to writes: the rows of reel_replay_buffer_add() and reel_replay_buffer_extend();
 * reserve lends nothing while a transform changes what is written. Where a transform holds data
 * back nothing is written, and the index is empty. An item that is added goes through as a batch
 * `[…, 1]`.
 *
 * Returns: whether it was appended
 */
REEL_API
gboolean reel_replay_buffer_append_transform (ReelReplayBuffer *self, ReelTransform *transform,
                                              gboolean invert, GError **error);

/**
 * reel_replay_buffer_insert_transform:
 * @self: a buffer
 * @index: which place it is to have, as reel_compose_insert() has it
 * @transform: (transfer none): as in reel_replay_buffer_append_transform(); a chain stays one
 * @invert: as in reel_replay_buffer_append_transform()
 * @error: VALUE for @index; RUNTIME when @transform has a parent
 *
 * Returns: whether it was inserted
 */
REEL_API
gboolean reel_replay_buffer_insert_transform (ReelReplayBuffer *self, gint index,
                                              ReelTransform *transform, gboolean invert,
                                              GError **error);

/**
 * ReelCollateFunc:
 * @rows: a batch, apart from the storage, with `index` and what the sampler says of rows; rows that
 *   were read by index, without these. Of a storage with `collate=rows` a list of its rows, not to
 *   be written to: their elements may be the storage's own
 * @user_data: what reel_replay_buffer_set_collate() was given
 * @error: why it failed
 *
 * Makes a batch of rows. Runs in the thread that samples or reads, never in those that
 * reel_replay_buffer_set_prefetch() starts.
 *
 * Returns: (transfer full): the batch, which may be a reference to @rows; %NULL on failure
 */
typedef ReelTensordict *(*ReelCollateFunc) (ReelTensordict *rows, gpointer user_data,
                                            GError **error);

/**
 * reel_replay_buffer_set_collate:
 * @self: a buffer
 * @collate: (nullable) (scope notified): makes batches of rows; %NULL for batches as they are
 * @user_data: for @collate
 * @destroy: (nullable): called with @user_data when @collate is replaced or @self is freed
 *
 * TorchRL's `collate_fn`. Batches that are sampled go through @collate and then through the
 * transforms, and so do several rows that are read by index or as a slice; a single row does not,
 * nor do rows in order of time (reel_replay_buffer_get_rows()). `index` and what the sampler says
 * are set again where @collate took them away and returns as many rows. Where @collate fails, so
 * does the call. Batches that were drawn ahead and not taken go through the new function. While
 * nobody reads.
 */
REEL_API
void reel_replay_buffer_set_collate (ReelReplayBuffer *self, ReelCollateFunc collate,
                                     gpointer user_data, GDestroyNotify destroy);

/**
 * reel_replay_buffer_get_length:
 * @self: a buffer
 *
 * Returns: rows that can be sampled now, all lanes counted. Any thread, but with a `consuming`
 *   sampler the one that samples
 */
REEL_API
gint64 reel_replay_buffer_get_length (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_capacity:
 * @self: a buffer
 *
 * Returns: rows that it can hold
 */
REEL_API
gint64 reel_replay_buffer_get_capacity (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_cursor:
 * @self: a buffer
 *
 * Returns: the slot, in steps, that is written next, as TorchRL's writer counts it
 */
REEL_API
gint64 reel_replay_buffer_get_cursor (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_get_write_count:
 * @self: a buffer
 *
 * Returns: steps written since it was made or emptied
 */
REEL_API
gint64 reel_replay_buffer_get_write_count (ReelReplayBuffer *self);

/**
 * ReelReplayBufferStats:
 * @size: rows that can be sampled now
 * @capacity: rows that it can hold
 * @write_count: steps written since it was made or emptied
 * @n_prefetched: batches that were drawn ahead and not taken
 * @initialized: whether the storage has its memory
 * @utilization: size over capacity, 0 to 1
 *
 * The figures of a buffer at one moment.
 */
typedef struct
{
  gint64 size;
  gint64 capacity;
  gint64 write_count;
  gint64 n_prefetched;
  gboolean initialized;
  double utilization;
} ReelReplayBufferStats;

/**
 * reel_replay_buffer_get_stats:
 * @self: a buffer
 * @stats: (out): what it is now
 *
 * Changes nothing. The thread that samples.
 */
REEL_API
void reel_replay_buffer_get_stats (ReelReplayBuffer *self, ReelReplayBufferStats *stats);

/**
 * reel_replay_buffer_set_sampler:
 * @self: a buffer
 * @sampler: (transfer none): who is to draw from now on
 * @previous: (out) (optional) (transfer full): who drew so far
 * @error: what @sampler says of the storage
 *
 * Batches that were drawn ahead are still given out. The thread that samples.
 *
 * Returns: whether it was changed
 */
REEL_API
gboolean reel_replay_buffer_set_sampler (ReelReplayBuffer *self, ReelSampler *sampler,
                                         ReelSampler **previous, GError **error);

/**
 * reel_replay_buffer_set_storage:
 * @self: a buffer that is neither live nor was opened
 * @storage: (transfer none): where rows are from now on
 * @previous: (out) (optional) (transfer full): where they were
 * @error: RUNTIME for a buffer with files; what the sampler says of @storage
 *
 * The write count goes on. While nobody writes or samples.
 *
 * Returns: whether it was changed
 */
REEL_API
gboolean reel_replay_buffer_set_storage (ReelReplayBuffer *self, ReelStorage *storage,
                                         ReelStorage **previous, GError **error);

/**
 * reel_replay_buffer_set_writer:
 * @self: a buffer
 * @writer: (transfer none): who says where new rows go from now on
 * @previous: (out) (optional) (transfer full): who said so far
 * @error: what @writer says of the storage that it cannot write to; TYPE for a writer that does not
 *   fill what a `consuming` sampler frees
 *
 * The write count goes on. The writer's thread.
 *
 * Returns: whether it was changed
 */
REEL_API
gboolean reel_replay_buffer_set_writer (ReelReplayBuffer *self, ReelWriter *writer,
                                        ReelWriter **previous, GError **error);

/**
 * reel_replay_buffer_set_prefetch:
 * @self: a buffer
 * @n: batches to keep ready; 0, as at first, for none
 * @error: VALUE where the buffer has no batch size; RUNTIME where the system refuses threads
 *
 * From now on reel_replay_buffer_sample() and reel_replay_buffer_next() draw @n batches ahead,
 * whose rows are copied by threads; fewer at the end of a pass. They are the batches that would be
 * drawn without, in the same order, as long as the buffer does not change meanwhile. Batches drawn
 * ahead so far are dropped, and threads are stopped. The thread that samples, to which sampler and
 * transforms still belong.
 *
 * Returns: whether it was changed
 */
REEL_API
gboolean reel_replay_buffer_set_prefetch (ReelReplayBuffer *self, gint64 n, GError **error);

/**
 * reel_replay_buffer_get_prefetch:
 * @self: a buffer
 *
 * Returns: batches that it keeps ready, 0 for none
 */
REEL_API
gint64 reel_replay_buffer_get_prefetch (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_next:
 * @self: a buffer with a batch size
 * @batch: (inout): as for reel_replay_buffer_sample()
 * @error: as reel_replay_buffer_sample(); RUNTIME where there is no batch size
 *
 * The next batch of a pass over the data: `while (reel_replay_buffer_next (buffer, &batch,
 * &error))`. After the last it returns %FALSE once without an error, and begins anew. Where the
 * sampler knows no passes there is no end. The thread that samples.
 *
 * Returns: whether @batch was set
 */
REEL_API
gboolean reel_replay_buffer_next (ReelReplayBuffer *self, ReelTensordict **batch, GError **error);

/**
 * reel_replay_buffer_add:
 * @self: a buffer
 * @item: one step: batch size `[]`, or `[lanes…]` for storages of more dimensions
 * @index: (out) (optional) (transfer full): where it was stored: int64 `[]`, or `[lanes, ndim]` as
 *   reel_replay_buffer_extend() gives it
 * @error: as reel_writer_extend()
 *
 * Stores one step. The writer's thread.
 *
 * Returns: whether it was stored
 */
REEL_API
gboolean reel_replay_buffer_add (ReelReplayBuffer *self, ReelTensordict *item, ReelTensor **index,
                                 GError **error);

/**
 * reel_replay_buffer_extend:
 * @self: a buffer
 * @data: batch size `[T]`; `[B, T]` for a storage of two dimensions (three: `[B, C, T]`, stored
 *   `[T, C, B]` as TorchRL's exchange of dimensions does), or as its `dim-extend` says: `[T, B]`
 *   for 0. For a tree of fewer batch dimensions
 *   these are the first dimensions of its leaves
 * @index: (out) (optional) (transfer full): where each row was stored: int64 `[T]`, or `[T × lanes,
 *   ndim]`, slot and lanes of each row, steps outermost
 * @error: as reel_writer_extend()
 *
 * Stores many steps; the first call fixes the layout. Trees of tuples, dicts and single tensors are
 * stored as they are, see reel_tree_new(): batches are then trees too, without `index`. A list at
 * the root that has no batch dimensions is one step an item, as in
 * reel_replay_buffer_extend_items(). The writer's thread.
 *
 * Returns: whether they were stored, all or none
 */
REEL_API
gboolean reel_replay_buffer_extend (ReelReplayBuffer *self, ReelTensordict *data,
                                    ReelTensor **index, GError **error);

/**
 * reel_replay_buffer_extend_items:
 * @self: a buffer
 * @items: (array length=n): steps as for reel_replay_buffer_add(), tensordicts or trees
 * @n: how many
 * @index: (out) (optional) (transfer full): as in reel_replay_buffer_extend()
 * @error: RUNTIME where @items cannot be stacked; as reel_replay_buffer_extend()
 *
 * Stores many steps that are not stacked yet: Python's `extend ([…])`. The writer's thread.
 *
 * Returns: whether they were stored, all or none
 */
REEL_API
gboolean reel_replay_buffer_extend_items (ReelReplayBuffer *self, ReelTensordict *const *items,
                                          gsize n, ReelTensor **index, GError **error);

/**
 * reel_replay_buffer_can_reserve:
 * @self: a buffer
 *
 * Returns: whether reel_replay_buffer_reserve() lends blocks: not where a transform changes what is
 *   written, where the writer looks at data before it places them, or where rows lie in no columns.
 *   reel_replay_buffer_extend() writes to any
 */
REEL_API
gboolean reel_replay_buffer_can_reserve (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_reserve:
 * @self: a buffer whose storage is allocated
 * @n_steps: steps wanted, at least 1
 * @block: (out caller-allocates): what is lent, see reel_storage_reserve()
 * @error: as reel_writer_reserve()
 *
 * The way to write without a copy: reserve, fill, commit. The writer's thread.
 *
 * Returns: whether @block was lent
 */
REEL_API
gboolean reel_replay_buffer_reserve (ReelReplayBuffer *self, gint64 n_steps, ReelReservation *block,
                                     GError **error);

/**
 * reel_replay_buffer_commit:
 * @self: a buffer
 * @block: the block that it lent last; taken back
 * @n_steps: how many of its steps to publish; 0 gives it back
 *
 * See reel_storage_commit(). The writer's thread.
 */
REEL_API
void reel_replay_buffer_commit (ReelReplayBuffer *self, ReelReservation *block, gint64 n_steps);

/**
 * reel_replay_buffer_empty:
 * @self: a buffer
 * @empty_write_count: whether the write count begins again too
 * @error: RUNTIME "This dataset doesn't allow writing." of an `immutable` writer
 *
 * Forgets every row. Not of a buffer that was opened or closed. The writer's thread, while nobody
 * samples.
 *
 * Returns: whether it is empty
 */
REEL_API
gboolean reel_replay_buffer_empty (ReelReplayBuffer *self, gboolean empty_write_count,
                                   GError **error);

/**
 * reel_replay_buffer_sample:
 * @self: a buffer
 * @batch_size: rows wanted; 0 for the buffer's default
 * @batch: (inout): %NULL, or a batch of the same size that an earlier call gave, which is filled
 *   again without any allocation (one of another size or layout is dropped for a new one; one that
 *   was transformed too, but memory for the rows is taken from it). Batch size
 *   `[batch_size]`, device cpu: every key of the storage, and `index`, int64 `[batch_size]` or
 *   `[batch_size, ndim]`: slot and lanes of each row
 * @error: RUNTIME "batch_size not specified. …" or "Cannot sample from an empty storage."; what the
 *   sampler says
 *
 * Draws a batch by the buffer's own sampler, for one thread at a time. Safe while the writer goes
 * on: rows that it reached during the copy are drawn again.
 *
 * Returns: whether @batch was set; on failure it is as before but for its values
 */
REEL_API
gboolean reel_replay_buffer_sample (ReelReplayBuffer *self, gint64 batch_size,
                                    ReelTensordict **batch, GError **error);

/**
 * reel_replay_buffer_dup_batch_info:
 * @self: a buffer
 * @error: RUNTIME where nothing was sampled yet, or since a state was set, a checkpoint loaded or
 *   the queue changed; where the last sampling failed; of a batch that was ready when a state was
 *   saved; and, where none are drawn ahead, once the sampler is another one or drew for others
 *
 * Info of the sampler for the rows of the batch that reel_replay_buffer_sample() or
 * reel_replay_buffer_next() gave last. Batches of tensordicts hold it; trees, records and bare
 * values have no place for it. The thread that samples.
 *
 * Returns: (transfer full): batch size `[n]`: `index`, as in such a batch, for
 *   reel_replay_buffer_update_priority(); and a key for each thing that the sampler says, such as
 *   `priority_weight`
 */
REEL_API
ReelTensordict *reel_replay_buffer_dup_batch_info (ReelReplayBuffer *self, GError **error);

/**
 * reel_replay_buffer_sample_with:
 * @self: a buffer
 * @sampler: whom to ask instead of the buffer's own
 * @batch_size: rows wanted; 0 for the buffer's default
 * @batch: (inout): as in reel_replay_buffer_sample()
 * @error: as in reel_replay_buffer_sample()
 *
 * For threads that sample one buffer at once, each with a sampler and a batch of its own.
 *
 * Returns: whether @batch was set
 */
REEL_API
gboolean reel_replay_buffer_sample_with (ReelReplayBuffer *self, ReelSampler *sampler,
                                         gint64 batch_size, ReelTensordict **batch, GError **error);

/**
 * reel_replay_buffer_set_priority_key:
 * @self: a buffer
 * @key: (nullable): a key; %NULL where data tell no priorities
 *
 * Where the priorities of rows stand, `td_error` unless set: stored with new rows, which then begin
 * with these priorities, and in what reel_replay_buffer_update_tensordict_priority() is given. The
 * thread that samples; before the first write, for rows that a sampler has seen keep theirs.
 */
REEL_API
void reel_replay_buffer_set_priority_key (ReelReplayBuffer *self, const char *key);

/**
 * reel_replay_buffer_get_priority_key:
 * @self: a buffer
 *
 * Returns: (transfer none) (nullable): the key of priorities
 */
REEL_API
const char *reel_replay_buffer_get_priority_key (ReelReplayBuffer *self);

/**
 * reel_replay_buffer_update_priority:
 * @self: a buffer
 * @index: int64: which rows, as extend and sample give it: `[n]` or `[n, ndim]`. Those that are
 *   negative are left out: a writer rejected them
 * @priority: their priorities: bool, integers or reals; one for all, or one for each: `[n]`, `[n,
 *   1]`, or `[B, T]` for the index of what was extended by `[B, T]`
 * @error: TYPE, VALUE for an @index or @priority of no use; INDEX naming a row that cannot be;
 *   RUNTIME where the numbers differ; VALUE naming a row whose priority is not finite or negative
 *
 * Tells the sampler how much rows matter; nothing where it has no priorities. The thread that
 * samples.
 *
 * Returns: whether all are set; on failure none are
 */
REEL_API
gboolean reel_replay_buffer_update_priority (ReelReplayBuffer *self, ReelTensor *index,
                                             ReelTensor *priority, GError **error);

/**
 * reel_replay_buffer_mark_update:
 * @self: a buffer
 * @index: as for reel_replay_buffer_update_priority()
 * @error: TYPE, VALUE, INDEX
 *
 * Gives rows the default priority again, as if they were new. The thread that samples.
 *
 * Returns: whether all have it
 */
REEL_API
gboolean reel_replay_buffer_mark_update (ReelReplayBuffer *self, ReelTensor *index, GError **error);

/**
 * reel_replay_buffer_update_tensordict_priority:
 * @self: a buffer
 * @td: rows with their `index`: a batch that was sampled, or one row of it
 * @error: KEY where there is no `index`; NOT_IMPLEMENTED for an unknown reduction; as
 *   reel_replay_buffer_update_priority()
 *
 * Takes the priorities from the buffer's priority key. Several of a row become one by the sampler's
 * reduction; where the key is not there, all get the default priority. Of windows around anchors
 * (`anchor_index`) the greatest one that `validity_mask` does not exclude is the anchor's, and no
 * other row gets any. The thread that samples.
 *
 * Returns: whether all are set
 */
REEL_API
gboolean reel_replay_buffer_update_tensordict_priority (ReelReplayBuffer *self, ReelTensordict *td,
                                                        GError **error);

/**
 * reel_replay_buffer_get_rows:
 * @self: a buffer
 * @first: a row number, 0 the oldest that can be read now
 * @n: how many, not negative
 * @error: INDEX naming the rows there are; NO_SPACE; RUNTIME before the first write
 *
 * Copies rows in order of time, step × lanes + lane. Safe while the writer goes on.
 *
 * Returns: (transfer full): a copy `[n]` on device cpu
 */
REEL_API
ReelTensordict *reel_replay_buffer_get_rows (ReelReplayBuffer *self, gint64 first, gint64 n,
                                             GError **error);

/**
 * reel_replay_buffer_get_numbered_rows:
 * @self: a buffer
 * @number: a row's number as in #ReelStorageView, which it keeps for ever
 * @n: how many, not negative
 * @error: INDEX naming the rows there are, where some are overwritten or not written yet; NO_SPACE;
 *   RUNTIME before the first write
 *
 * Copies rows in order of time. Unlike those of reel_replay_buffer_get_rows(), the ranges of
 * several calls fit together while a writer goes on.
 *
 * Returns: (transfer full): a copy `[n]` on device cpu
 */
REEL_API
ReelTensordict *reel_replay_buffer_get_numbered_rows (ReelReplayBuffer *self, gint64 number,
                                                      gint64 n, GError **error);

/**
 * reel_replay_buffer_get_at:
 * @self: a buffer
 * @index: int64 `[n]` or `[n, ndim]`, as extend and sample give it; negative slots count from the
 *   end of what is filled
 * @error: TYPE, VALUE for a bad @index; INDEX for slots or lanes that are not filled; RUNTIME
 *   before the first write
 *
 * Reads rows by where they are stored: `rb[index]`. Not while the writer goes on.
 *
 * Returns: (transfer full): a copy `[n]` on device cpu
 */
REEL_API
ReelTensordict *reel_replay_buffer_get_at (ReelReplayBuffer *self, const ReelTensor *index,
                                           GError **error);

/**
 * reel_replay_buffer_get_item:
 * @self: a buffer
 * @i: for `ndim` 1 a slot, else a lane; negative counts from the end of what is filled
 * @error: INDEX when out of range; RUNTIME before the first write
 *
 * `rb[i]`: one row, or all filled steps of one lane.
 *
 * Returns: (transfer full): a view, batch size `[]`, or `[T]` in ring order; where there are
 *   transforms, what they make of a copy
 */
REEL_API
ReelTensordict *reel_replay_buffer_get_item (ReelReplayBuffer *self, gint64 i, GError **error);

/**
 * reel_replay_buffer_get_slice:
 * @self: a buffer
 * @begin: first slot, or lane where `ndim` is over 1; negative counts from the end; clamped as
 *   Python does
 * @end: one past the last; %G_MAXINT64 for all
 * @step: at least 1
 * @error: VALUE for @step; RUNTIME before the first write
 *
 * `rb[begin:end:step]`.
 *
 * Returns: (transfer full): a view of what is filled, in ring order, not of time: `[T]`, or `[B,
 *   T]`; where there are transforms, what they make of a copy
 */
REEL_API
ReelTensordict *reel_replay_buffer_get_slice (ReelReplayBuffer *self, gint64 begin, gint64 end,
                                              gint64 step, GError **error);

/**
 * reel_replay_buffer_get_all:
 * @self: a buffer
 * @error: RUNTIME before the first write
 *
 * `rb[:]`.
 *
 * Returns: (transfer full): a view of all that is filled, in ring order, not of time: `[T]`, or
 *   `[B, T]`. A write through it is seen by all. Where there are transforms, what they make of a
 *   copy
 */
REEL_API
ReelTensordict *reel_replay_buffer_get_all (ReelReplayBuffer *self, GError **error);

/**
 * reel_replay_buffer_to_string:
 * @self: a buffer
 *
 * Returns: (transfer full): what TorchRL prints of the like buffer, without the line of its collate
 *   function
 */
REEL_API
char *reel_replay_buffer_to_string (ReelReplayBuffer *self);

G_END_DECLS
