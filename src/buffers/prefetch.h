/* Batches that are copied ahead of their use. Private. */
#pragma once

#include "sampling.h"

G_BEGIN_DECLS

/**
 * ReelPrefetch:
 *
 * A queue of batches, each of one draw or of several, from one storage or from several. Its owner
 * draws the rows of each, in order, and takes the batches out in that order; threads of the queue
 * copy the rows meanwhile. So a sampler is used by its owner's thread alone, and the batches are
 * those that would be drawn without a queue.
 */
typedef struct _ReelPrefetch ReelPrefetch;

/**
 * reel_prefetch_new:
 * @depth: most batches to hold ready, at least 1
 * @batch_size: rows that a batch has by default, 0 for no default
 * @n_kept: most draws of one place in the queue whose memory is kept, at least 1: those of a batch,
 *   from each storage that they can be of
 * @error: VALUE without @batch_size; RUNTIME where the system refuses threads
 *
 * Returns: (transfer full): an empty queue
 */
ReelPrefetch *reel_prefetch_new (gint64 depth, gint64 batch_size, guint n_kept, GError **error);

/**
 * reel_prefetch_free:
 * @self: (transfer full) (nullable): a queue
 *
 * Waits for the copies under way, and drops what was not begun.
 */
void reel_prefetch_free (ReelPrefetch *self);

/**
 * reel_prefetch_get_depth:
 * @self: a queue
 *
 * Returns: most batches that it holds
 */
gint64 reel_prefetch_get_depth (ReelPrefetch *self);

/**
 * reel_prefetch_count:
 * @self: a queue
 *
 * Returns: batches that were drawn and not taken
 */
gint64 reel_prefetch_count (ReelPrefetch *self);

/**
 * reel_prefetch_draw:
 * @self: a queue that holds fewer batches than its depth, or none
 * @storage: where the rows are
 * @sampler: who says which
 * @into: (nullable): what is filled with the rows, if it fits; else the memory of an earlier batch
 *   that was left there, or new memory
 * @n: (inout): rows wanted; rows drawn
 * @error: what the sampler says
 *
 * Draws rows for the batch that is put in the queue next. After a failure that batch has no rows.
 *
 * Returns: whether rows were drawn
 */
gboolean reel_prefetch_draw (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                             ReelTensordict *into, gint64 *n, GError **error);

/**
 * reel_prefetch_push:
 * @self: a queue
 * @ended: what reel_prefetch_take() is to say of the batch
 *
 * Puts what was drawn in the queue, as one batch, and has it copied.
 */
void reel_prefetch_push (ReelPrefetch *self, gboolean ended);

/**
 * reel_prefetch_take:
 * @self: a queue that holds some
 * @ended: (out): whether this batch ends a pass of its sampler
 * @error: TIMEOUT where a thread does not end its copy
 *
 * Takes the oldest batch out, once it is copied.
 *
 * Returns: whether it was taken
 */
gboolean reel_prefetch_take (ReelPrefetch *self, gboolean *ended, GError **error);

/**
 * reel_prefetch_get:
 * @self: a queue
 * @i: which draw of the batch that was taken last
 * @error: NO_SPACE; TIMEOUT where the writer is too fast
 *
 * The drawn rows are in `raw`; good until the next batch is taken. Rows that the writer
 * reached before they were copied are drawn again now.
 *
 * Returns: (transfer none): the draw, %NULL where it could not be copied
 */
ReelSampling *reel_prefetch_get (ReelPrefetch *self, guint i, GError **error);

/**
 * reel_prefetch_peek:
 * @self: a settled queue
 * @i: which batch of those that it holds, 0 the oldest
 * @ended: (out): whether it ends a pass of its sampler
 * @error: what reel_prefetch_get() will say of it
 *
 * Returns: (transfer none): the rows of its first draw, %NULL where they could not be copied
 */
ReelTensordict *reel_prefetch_peek (ReelPrefetch *self, gint64 i, gboolean *ended, GError **error);

/**
 * reel_prefetch_put:
 * @self: a settled queue that holds less than its depth
 * @storage: where the rows were
 * @sampler: who drew them
 * @sampling: from reel_sampling_put(): is taken, and all zeros afterwards
 * @ended: whether it ends a pass of its sampler
 *
 * Puts a batch of one draw behind the others, as if it had been drawn.
 */
void reel_prefetch_put (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                        ReelSampling *sampling, gboolean ended);

/**
 * reel_prefetch_clear:
 * @self: a queue
 *
 * Drops all batches.
 */
void reel_prefetch_clear (ReelPrefetch *self);

/**
 * reel_prefetch_flush:
 * @self: (nullable): a queue
 *
 * Waits until all batches are whole, so that their sampler and storage are no longer needed.
 */
void reel_prefetch_flush (ReelPrefetch *self);

G_END_DECLS
