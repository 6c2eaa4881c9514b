/* Several replay buffers sampled as one. */
#pragma once

#include "../../transforms/transform.h"
#include "../buffer-index.h"
#include "../replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelReplayBufferEnsemble:
 *
 * Several buffers that are sampled together, as by TorchRL's `ReplayBufferEnsemble`. A program that
 * writes takes the buffer, reel_replay_buffer_ensemble_get(), or lets rows say whose they are,
 * reel_replay_buffer_ensemble_extend_by_key(). Each buffer keeps its own storage, sampler, writer
 * and transforms. A member may be an ensemble too: its batches are then
 * parts of those of this one. One thread samples at a time.
 *
 * In files it is TorchRL's too; see reel_replay_buffer_ensemble_dumps().
 */
#define REEL_TYPE_REPLAY_BUFFER_ENSEMBLE (reel_replay_buffer_ensemble_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelReplayBufferEnsemble, reel_replay_buffer_ensemble, REEL,
                      REPLAY_BUFFER_ENSEMBLE, GObject)

/**
 * ReelEnsembleOptions:
 * @p: (nullable): how often each buffer is taken, one weight a buffer, not negative and some above
 *   0; %NULL for all alike
 * @sampleable: whether each buffer is taken as often as it has something to draw from at that time,
 *   reel_sampler_count_sampleable(): rows, or slices; not with @p. TorchRL's `p="sampleable"`
 * @sample_from_all: whether a batch is taken of every buffer, once and in order
 * @num_buffer_sampled: parts of a batch; 0 for as many as there are buffers. Without effect where
 *   @sample_from_all is set
 * @batch_size: rows of a batch, in all its parts, when reel_replay_buffer_ensemble_sample() is not
 *   told; 0 for no default
 * @seed: of the choice of buffers
 * @transform: (nullable) (transfer none): of what was put together
 *
 * All zeros: as many parts as buffers, each of any of them.
 */
typedef struct
{
  const double *p;
  gboolean sampleable;
  gboolean sample_from_all;
  gint64 num_buffer_sampled;
  gint64 batch_size;
  gint64 seed;
  ReelTransform *transform;
} ReelEnsembleOptions;

/**
 * reel_replay_buffer_ensemble_new:
 * @buffers: (array length=n) (transfer none): the buffers
 * @n: how many, at least 1
 * @options: (nullable): how they are sampled
 * @error: RUNTIME for weights together with `sample_from_all` or `sampleable`, or a transform that
 *   belongs to another; VALUE naming a weight that is negative or not finite, or where none is
 *   above 0
 *
 * Returns: (transfer full): the ensemble
 */
REEL_API
ReelReplayBufferEnsemble *reel_replay_buffer_ensemble_new (ReelReplayBuffer *const *buffers,
                                                           guint n,
                                                           const ReelEnsembleOptions *options,
                                                           GError **error);

/**
 * reel_replay_buffer_ensemble_new_mixed:
 * @members: (array length=n) (transfer none): each a #ReelReplayBuffer or a
 *   #ReelReplayBufferEnsemble
 * @n: how many, at least 1
 * @options: (nullable): as in reel_replay_buffer_ensemble_new()
 * @error: as in reel_replay_buffer_ensemble_new()
 *
 * Where members are ensembles their batches, `[parts, rows]`, are stacked: `[parts, parts of a
 * part, rows]`. A batch that gets parts of both kinds is refused when it is sampled.
 *
 * Returns: (transfer full): the ensemble
 */
REEL_API
ReelReplayBufferEnsemble *reel_replay_buffer_ensemble_new_mixed (GObject *const *members, guint n,
                                                                 const ReelEnsembleOptions *options,
                                                                 GError **error);

/**
 * reel_replay_buffer_ensemble_get_options:
 * @self: an ensemble
 * @options: (out caller-allocates): how it is sampled. The weights, as long as there are members,
 *   add up to 1; they and the transform, a chain, belong to @self
 *
 * Copies the options of an ensemble. The thread that samples.
 */
REEL_API
void reel_replay_buffer_ensemble_get_options (ReelReplayBufferEnsemble *self,
                                              ReelEnsembleOptions *options);

/**
 * reel_replay_buffer_ensemble_set_weights:
 * @self: an ensemble
 * @p: (nullable) (array): as in #ReelEnsembleOptions, a weight for each member; %NULL for all alike
 * @sampleable: as in #ReelEnsembleOptions
 * @error: as in reel_replay_buffer_ensemble_new()
 *
 * TorchRL's `sampler.p = p`. Batches that were drawn ahead keep the members that they were drawn
 * from. The thread that samples.
 *
 * Returns: whether later batches follow the weights; else these are as before
 */
REEL_API
gboolean reel_replay_buffer_ensemble_set_weights (ReelReplayBufferEnsemble *self, const double *p,
                                                  gboolean sampleable, GError **error);

/**
 * reel_replay_buffer_ensemble_set_batch_size:
 * @self: an ensemble
 * @batch_size: rows of a batch by default, 0 for none
 *
 * The thread that samples.
 */
REEL_API
void reel_replay_buffer_ensemble_set_batch_size (ReelReplayBufferEnsemble *self, gint64 batch_size);

/**
 * reel_replay_buffer_ensemble_get_stats:
 * @self: an ensemble
 * @stats: (out): sums over all members; `initialized` where all storages have their memory
 *
 * As reel_replay_buffer_get_stats().
 */
REEL_API
void reel_replay_buffer_ensemble_get_stats (ReelReplayBufferEnsemble *self,
                                            ReelReplayBufferStats *stats);

/**
 * reel_replay_buffer_ensemble_to_string:
 * @self: an ensemble
 *
 * Returns: (transfer full): what TorchRL prints of the like ensemble, without the line of its
 *   collate function
 */
REEL_API
char *reel_replay_buffer_ensemble_to_string (ReelReplayBufferEnsemble *self);

/**
 * reel_replay_buffer_ensemble_get_length:
 * @self: an ensemble
 *
 * Returns: how many members there are; reel_replay_buffer_ensemble_get_stats() counts rows
 */
REEL_API
gint64 reel_replay_buffer_ensemble_get_length (ReelReplayBufferEnsemble *self);

/**
 * reel_replay_buffer_ensemble_get:
 * @self: an ensemble
 * @i: which member; negative counts from the end
 * @error: INDEX when out of range
 *
 * Returns: (transfer none) (type GObject): the #ReelReplayBuffer, or the ensemble where it is one
 */
REEL_API
gpointer reel_replay_buffer_ensemble_get (ReelReplayBufferEnsemble *self, gint64 i, GError **error);

/**
 * reel_replay_buffer_ensemble_select:
 * @self: an ensemble
 * @ids: (array length=n): which buffers, in this order; negative count from the end
 * @n: how many, at least 1
 * @error: INDEX when one is out of range; VALUE where none of them has a weight above 0
 *
 * `rb[[0, 2]]`. Weights are in the same proportion as before; the transform stays behind.
 *
 * Returns: (transfer full): an ensemble of the same buffers
 */
REEL_API
ReelReplayBufferEnsemble *reel_replay_buffer_ensemble_select (ReelReplayBufferEnsemble *self,
                                                              const gint64 *ids, guint n,
                                                              GError **error);

/**
 * reel_replay_buffer_ensemble_index:
 * @self: an ensemble
 * @index: as for reel_replay_buffer_index()
 * @error: as reel_replay_buffer_index()
 *
 * `rb[:, index]`. Not while a writer goes on.
 *
 * Returns: (transfer full): what each buffer gives, one after the other along a new first
 *   dimension: a stack, or a lazy stack where shapes or keys differ
 */
REEL_API
ReelTensordict *reel_replay_buffer_ensemble_index (ReelReplayBufferEnsemble *self,
                                                   const ReelIndex *index, GError **error);

/**
 * reel_replay_buffer_ensemble_index_some:
 * @self: an ensemble
 * @which: one item, which picks members: an int, a slice, a tensor of ints or a mask
 * @index: as for reel_replay_buffer_index()
 * @error: INDEX for members that are not there, or none; TYPE for a tensor that holds no ints;
 *   RUNTIME where it has more than one dimension; as reel_replay_buffer_index()
 *
 * `rb[which, index]`. Not while a writer goes on.
 *
 * Returns: (transfer full): for an int what that member gives; else as
 *   reel_replay_buffer_ensemble_index() of those that were picked
 */
REEL_API
ReelTensordict *reel_replay_buffer_ensemble_index_some (ReelReplayBufferEnsemble *self,
                                                        const ReelIndex *which,
                                                        const ReelIndex *index, GError **error);

/**
 * reel_replay_buffer_ensemble_extend_by_key:
 * @self: an ensemble
 * @data: rows, of any batch size
 * @key: where @data says whose each row is: integers, one a row, 0 for the first buffer
 * @places: (out) (optional) (transfer full): where they went, `[rows]` in the order of @data's
 *   rows: `buffer_ids`, and `index` in that buffer, int64; `index_generation` too, where the
 *   writers of all buffers track generations. −1 for rows that a writer rejected, or of which the
 *   transforms of the buffer made other ones
 * @error: KEY, TYPE, VALUE where @key does not say one buffer a row; RUNTIME where that is an
 *   ensemble or allows no writing; VALUE where it stores more dimensions than one; TYPE for a tree;
 *   as reel_replay_buffer_extend()
 *
 * TorchRL's `extend()` of an ensemble with a `routing_key`. The transform of the ensemble comes
 * first, the other way; then each buffer is extended by its rows, in their order. Nothing is
 * written where it can be seen beforehand that a row has no place; when a buffer refuses later,
 * those before it have their rows. The thread that writes to the members.
 *
 * Returns: whether all were written
 */
REEL_API
gboolean reel_replay_buffer_ensemble_extend_by_key (ReelReplayBufferEnsemble *self,
                                                    ReelTensordict *data, const char *key,
                                                    ReelTensordict **places, GError **error);

/**
 * reel_replay_buffer_ensemble_extend_by_dim:
 * @self: an ensemble
 * @data: rows, of a batch size that has as many places in @dim as there are members
 * @dim: a batch dimension, negative counts from the end: its i-th place is the i-th buffer's
 * @places: (out) (optional) (transfer full): as reel_replay_buffer_ensemble_extend_by_key()
 * @error: VALUE where @dim is not such a dimension; as there
 *
 * TorchRL's `routing_dim`, for data of a batched env whose lanes go to a buffer each.
 *
 * Returns: whether all were written
 */
REEL_API
gboolean reel_replay_buffer_ensemble_extend_by_dim (ReelReplayBufferEnsemble *self,
                                                    ReelTensordict *data, gint dim,
                                                    ReelTensordict **places, GError **error);

/**
 * reel_replay_buffer_ensemble_sample:
 * @self: an ensemble
 * @batch_size: rows wanted in all parts; 0 for the default
 * @batch: (inout): %NULL, or the batch that the last call gave, which is filled again, without any
 *   allocation where the buffers agree in keys, dtypes and shapes, are no ensembles, and neither
 *   they nor this one have transforms. Batch size `[parts, rows of a part]`: what the buffers give,
 *   and `index`: a tensordict of their `index` and of `buffer_ids`, int64, which say whose a row
 *   is. A lazy stack where parts differ in shape or keys
 * @error: RUNTIME "batch_size not specified. …", or where weights are what can be sampled, and
 *   nothing can; VALUE where @batch_size is no multiple of the parts; what
 *   reel_replay_buffer_sample_with() gives
 *
 * Draws a part of each chosen buffer by its own sampler. Safe while others write to the buffers.
 * A sampler that gives fewer rows, at the end of its pass, is asked again, unless all are sampled.
 *
 * Returns: whether @batch was set
 */
REEL_API
gboolean reel_replay_buffer_ensemble_sample (ReelReplayBufferEnsemble *self, gint64 batch_size,
                                             ReelTensordict **batch, GError **error);

/**
 * reel_replay_buffer_ensemble_dup_batch_info:
 * @self: an ensemble
 * @error: RUNTIME where nothing was sampled yet, or since a checkpoint was loaded, or the last
 *   sampling failed
 *
 * Info of the samplers for the rows of the batch that
 * reel_replay_buffer_ensemble_sample() or reel_replay_buffer_ensemble_next() gave last, before any
 * transform. Batches of tensordicts hold it; trees, records and bare values have no place for it.
 * The thread that samples.
 *
 * Returns: (transfer full): batch size `[parts, rows of a part]`: `index`, as in such a batch: a
 *   tensordict of the `index` that the buffer knows a row by, for
 *   reel_replay_buffer_update_priority() of that buffer, and of `buffer_ids`, which one it is; and
 *   a key for each thing that its sampler says, such as `priority_weight`. A lazy stack where parts
 *   differ in rows or keys. Parts of members that are ensembles have `index` of theirs within
 */
REEL_API
ReelTensordict *reel_replay_buffer_ensemble_dup_batch_info (ReelReplayBufferEnsemble *self,
                                                            GError **error);

/**
 * reel_replay_buffer_ensemble_next:
 * @self: an ensemble
 * @batch: (inout): as in reel_replay_buffer_ensemble_sample()
 * @error: RUNTIME without a default batch size; as reel_replay_buffer_ensemble_sample()
 *
 * The next batch of the default size. As in TorchRL there is always one more: whose members are
 * sampled in passes begins the next pass of one where the last ends.
 *
 * Returns: whether @batch was set
 */
REEL_API
gboolean reel_replay_buffer_ensemble_next (ReelReplayBufferEnsemble *self, ReelTensordict **batch,
                                           GError **error);

/**
 * reel_replay_buffer_ensemble_set_prefetch:
 * @self: an ensemble with a default batch size
 * @n: batches to keep ready, 0 for none
 * @error: VALUE without a batch size, or where a member consumes its rows; RUNTIME where the system
 *   refuses threads
 *
 * As reel_replay_buffer_set_prefetch(): from then on sampling draws ahead, and threads copy the
 * rows of all members meanwhile. Batches are the same as without; they are drawn by the weights and
 * of the rows of that time. Batches ready before are dropped. Members that keep batches ready
 * themselves do so for those who sample them, not for the ensemble. A batch that is given back is
 * filled again under the conditions of reel_replay_buffer_ensemble_sample().
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_replay_buffer_ensemble_set_prefetch (ReelReplayBufferEnsemble *self, gint64 n,
                                                   GError **error);

/**
 * reel_replay_buffer_ensemble_get_prefetch:
 * @self: an ensemble
 *
 * Returns: how many batches it keeps ready
 */
REEL_API
gint64 reel_replay_buffer_ensemble_get_prefetch (ReelReplayBufferEnsemble *self);

/**
 * reel_replay_buffer_ensemble_dup_sampler_state:
 * @self: an ensemble
 * @error: as reel_sampler_dup_state()
 *
 * The state that its draws continue from: `_stream`, int64, how far the choice of members is; and
 * `0`, `1` and so on, the state of the sampler of each member, or what this function says of a
 * member that is an ensemble. Rows are not a part of it, nor are batches that it drew ahead. The
 * thread that samples.
 *
 * Returns: (transfer full): a tensordict without batch dimensions
 */
REEL_API
ReelTensordict *reel_replay_buffer_ensemble_dup_sampler_state (ReelReplayBufferEnsemble *self,
                                                               GError **error);

/**
 * reel_replay_buffer_ensemble_set_sampler_state:
 * @self: an ensemble with the rows that @state was said of
 * @state: what reel_replay_buffer_ensemble_dup_sampler_state() said of an ensemble of as many
 *   members
 * @error: VALUE for another number of members; KEY and as reel_sampler_set_state()
 *
 * Goes on from @state; batches that were drawn ahead are dropped. The thread that samples.
 *
 * Returns: whether it does; else it is as before
 */
REEL_API
gboolean reel_replay_buffer_ensemble_set_sampler_state (ReelReplayBufferEnsemble *self,
                                                        const ReelTensordict *state,
                                                        GError **error);

/**
 * reel_replay_buffer_ensemble_flatten:
 * @self: an ensemble of buffers whose storages have columns
 * @n_cut: (out) (optional): rows that were marked as truncated
 * @error: RUNTIME where no member has rows; TYPE for a storage without columns; naming the member,
 *   KEY, TYPE or VALUE where its rows or its specs are other than those of the first; NO_SPACE, IO
 *
 * Copies the rows of all members, also of those of members, into one buffer: member after member,
 * the lanes of each one after the other, each in order of time. The last row of a lane whose
 * trajectory goes on is marked, see reel_replay_buffer_dumps_in_order(). Ids of trajectories,
 * `collector/traj_ids`, are numbered through. The info that all members share is kept; weights,
 * priorities and transforms are not. Members must not be written meanwhile.
 *
 * Returns: (transfer full): a buffer with a `memmap` storage of as many rows, without a directory
 */
REEL_API
ReelReplayBuffer *reel_replay_buffer_ensemble_flatten (ReelReplayBufferEnsemble *self,
                                                       gint64 *n_cut, GError **error);

G_END_DECLS
