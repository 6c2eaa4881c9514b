/* Batches: tensordicts with the keys of a storage and `index`, filled row by row. Private. */
#pragma once

#include "storage.h"

G_BEGIN_DECLS

/**
 * reel_batch_new:
 * @storage: an allocated storage
 * @n: rows
 * @with_index: whether it has a key `index`
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a batch `[n, …]` on device cpu, contiguous, zeroed. `index` is int64
 * `[n]`, or `[n, ndim]`, expanded over batch dimensions that the storage's data have beyond its own
 */
ReelTensordict *reel_batch_new (ReelStorage *storage, gint64 n, gboolean with_index,
                                GError **error);

/**
 * reel_batch_fits:
 * @batch: a tensordict
 * @storage: an allocated storage
 * @n: rows
 *
 * Allocates nothing.
 *
 * Returns: whether @batch is still what reel_batch_new() makes with an index, key by key in its
 * order
 */
gboolean reel_batch_fits (const ReelTensordict *batch, ReelStorage *storage, gint64 n);

/**
 * reel_batch_gather:
 * @batch: what reel_batch_new() made
 * @storage: its storage
 * @with_index: whether it was made with an index, which is not touched
 * @first: the first row of @batch to fill
 * @slots: (array length=n): row slots of @storage
 * @n: how many
 *
 * Copies rows, which a writer may be overwriting: ask reel_storage_first_intact_row() afterwards.
 * Allocates nothing.
 */
void reel_batch_gather (ReelTensordict *batch, ReelStorage *storage, gboolean with_index,
                        gint64 first, const gint64 *slots, gint64 n);

/**
 * reel_batch_copy:
 * @batch: a batch without an index
 * @storage: its storage
 * @first: the first row of @batch to fill
 * @slot: the first of @n row slots that follow one another
 * @n: how many
 *
 * As reel_batch_gather().
 */
void reel_batch_copy (ReelTensordict *batch, ReelStorage *storage, gint64 first, gint64 slot,
                      gint64 n);

/**
 * reel_batch_index:
 * @batch: a batch with an index
 *
 * Returns: (transfer none): the memory of its index, n × ndim
 */
gint64 *reel_batch_index (const ReelTensordict *batch);

/**
 * reel_slots_to_index:
 * @storage: an allocated storage
 * @index: (inout): @n row slots; then @n × ndim: slot of the step and lanes of each row
 * @n: how many
 */
void reel_slots_to_index (ReelStorage *storage, gint64 *index, gint64 n);

G_END_DECLS
