/* Batches that are copied ahead of their use. Private. */
#pragma once

#include "sampling.h"

G_BEGIN_DECLS

/**
 * ReelPrefetch:
 *
 * A queue of batches. Its owner draws the rows of each, in order, and takes the batches out in that
 * order; threads of the queue copy the rows meanwhile. So a sampler is used by its owner's thread
 * alone, and the batches are those that would be drawn without a queue.
 */
typedef struct _ReelPrefetch ReelPrefetch;

/**
 * reel_prefetch_new:
 * @depth: most batches to hold ready, at least 1
 * @error: RUNTIME where the system refuses threads
 *
 * Returns: (transfer full): an empty queue
 */
ReelPrefetch *reel_prefetch_new (gint64 depth, GError **error);

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
 * @self: a queue that holds no more than its depth
 * @storage: where the rows are
 * @sampler: who says which
 * @n: rows wanted
 * @error: what the sampler says
 *
 * Draws one more batch and has it copied.
 *
 * Returns: whether it was drawn
 */
gboolean reel_prefetch_draw (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                             gint64 n, GError **error);

/**
 * reel_prefetch_take:
 * @self: a queue that holds some
 * @ended: (out): whether this batch ends a pass of its sampler
 * @error: NO_SPACE; RUNTIME where the writer is too fast; TIMEOUT where a thread does not end its
 *   copy
 *
 * Takes the oldest batch out, once it is whole. What was drawn is in its rows, `raw`; good until
 * the next call.
 *
 * Returns: (transfer none): the batch, %NULL where it could not be copied
 */
ReelSampling *reel_prefetch_take (ReelPrefetch *self, gboolean *ended, GError **error);

/**
 * reel_prefetch_peek:
 * @self: a settled queue
 * @i: which batch of those that it holds, 0 the oldest
 * @ended: (out): whether it ends a pass of its sampler
 * @error: what reel_prefetch_take() will say of it
 *
 * Returns: (transfer none): its rows, %NULL where they could not be copied
 */
ReelTensordict *reel_prefetch_peek (ReelPrefetch *self, gint64 i, gboolean *ended, GError **error);

/**
 * reel_prefetch_put:
 * @self: a queue that holds no more than its depth
 * @storage: where the rows were
 * @sampler: who drew them
 * @batch: the rows; not changed, nor kept
 * @ended: whether it ends a pass of its sampler
 * @error: VALUE where @batch is none of @storage and @sampler; NO_SPACE
 *
 * Puts a batch behind the others, as if it had been drawn.
 *
 * Returns: whether it is there
 */
gboolean reel_prefetch_put (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                            const ReelTensordict *batch, gboolean ended, GError **error);

/**
 * reel_prefetch_clear:
 * @self: a queue
 *
 * Drops all batches.
 */
void reel_prefetch_clear (ReelPrefetch *self);

/**
 * reel_prefetch_settle:
 * @self: (nullable): a queue
 *
 * Waits until all batches are whole, so that their sampler and storage are no longer needed.
 */
void reel_prefetch_settle (ReelPrefetch *self);

G_END_DECLS
