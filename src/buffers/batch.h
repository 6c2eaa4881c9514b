/* Batches: tensordicts with the keys of a storage, `index`, and what a sampler says of rows; filled
 * row by row. Private. */
#pragma once

#include "storages/gather-kernel.h"
#include "storages/index-shape.h"
#include "storages/storage-state.h"
#include "samplers/sampler.h"

G_BEGIN_DECLS

/**
 * ReelBatchLayout:
 *
 * The layout of the batches of a storage, and the sources of their values: resolved once. It takes
 * no reference: good while the storage lives, and what the sampler listed.
 */
typedef struct _ReelBatchLayout ReelBatchLayout;

/**
 * reel_batch_layout_new:
 * @storage: an allocated storage
 * @with_index: whether batches have a key `index`; those of trees have not, and those of typed
 *   records only where there is @info as well, and they are plain tensordicts
 * @info: (array length=n_info) (nullable): what a sampler says of rows; batches of trees leave it
 *   out
 * @n_info: how many
 * @error: TYPE where @info is to be merged into what is no bool; RUNTIME where the shapes do not
 *   fit
 *
 * Returns: (transfer full): the layout
 */
ReelBatchLayout *reel_batch_layout_new (ReelStorage *storage, gboolean with_index,
                                        const ReelInfoColumn *info, guint n_info, GError **error);

/**
 * reel_batch_layout_free:
 * @layout: (transfer full) (nullable): a layout
 */
void reel_batch_layout_free (ReelBatchLayout *layout);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelBatchLayout, reel_batch_layout_free)

/**
 * reel_batch_new:
 * @layout: a layout
 * @n: rows
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a batch `[n, …]` on device cpu, contiguous, zeroed. `index` is int64
 *   `[n]`, or `[n, ndim]`; it and what samplers say are expanded over batch dimensions that the
 *   storage's data have beyond its own
 */
ReelTensordict *reel_batch_new (const ReelBatchLayout *layout, gint64 n, GError **error);

/**
 * reel_batch_fits:
 * @layout: a layout
 * @batch: a tensordict
 * @n: rows
 *
 * Allocates nothing.
 *
 * Returns: whether @batch is still what reel_batch_new() makes, key by key in its order
 */
gboolean reel_batch_fits (const ReelBatchLayout *layout, const ReelTensordict *batch, gint64 n);

/**
 * reel_batch_gather:
 * @layout: a layout
 * @batch: a batch of it
 * @slots: (array length=n): row slots of the storage
 * @n: how many, the first rows of @batch
 *
 * Copies rows, which a writer may be overwriting: ask reel_storage_first_intact_row() and
 * reel_storage_get_revision() afterwards. Allocates nothing.
 */
void reel_batch_gather (const ReelBatchLayout *layout, ReelTensordict *batch, const gint64 *slots,
                        gint64 n);

/**
 * reel_batch_gather_runs:
 * @layout: a layout
 * @batch: a batch of it
 * @runs: (array length=n_runs): row slots that follow one another, all rows of @batch
 * @n_runs: how many
 *
 * As reel_batch_gather().
 */
void reel_batch_gather_runs (const ReelBatchLayout *layout, ReelTensordict *batch,
                             const ReelRun *runs, gint64 n_runs);

/**
 * reel_batch_copy:
 * @layout: a layout without an index
 * @batch: a batch of it
 * @first: the first row of @batch to fill
 * @slot: the first of @n row slots that follow one another
 * @n: how many
 *
 * As reel_batch_gather().
 */
void reel_batch_copy (const ReelBatchLayout *layout, ReelTensordict *batch, gint64 first,
                      gint64 slot, gint64 n);

/**
 * reel_batch_set_info:
 * @layout: a layout
 * @batch: a batch of it, filled with the rows of @draw
 * @draw: what the sampler said
 *
 * Sets or merges the info columns.
 */
void reel_batch_set_info (const ReelBatchLayout *layout, ReelTensordict *batch,
                          const ReelDraw *draw);

/**
 * reel_batch_index:
 * @layout: a layout
 * @batch: a batch of it
 *
 * Returns: (transfer none) (nullable): the memory of its index, n × ndim; %NULL where it has none
 */
gint64 *reel_batch_index (const ReelBatchLayout *layout, const ReelTensordict *batch);

G_END_DECLS
