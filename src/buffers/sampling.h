/* One batch on its way: drawn by a sampler, copied from a storage. Private. */
#pragma once

#include "batch.h"
#include "cold-rows.h"
#include "samplers/sampler.h"
#include "storages/storage-look.h"

G_BEGIN_DECLS

/**
 * ReelSampling:
 *
 * Memory for one batch at a time of one sampler, kept from batch to batch; all zeros before the
 * first.
 */
typedef struct
{
  ReelBatchLayout *layout;
  guint64 binding; /* of the sampler when the layout was made */
  ReelDraw draw;
  ReelRowLines lines;      /* that are fetched as rows are drawn */
  gint64 *slots;           /* of the rows, where the batch has no index to put them in */
  ReelInfoColumn *columns; /* what is said of rows; paths are for ever */
  guint8 **info;           /* of each column */
  ReelRun *runs;           /* of the rows that are copied */
  guint n_info;            /* columns */
  guint n_said;            /* those of the sampler, which come first */
  gint64 room;             /* rows */
  gint64 wanted;           /* rows */
  gboolean told;           /* rows and info are those of a batch that is whole */
  gconstpointer giver;     /* the buffer that gave it out as its own; NULL for none */
  ReelColdRows cold;
  ReelStorageLook look;
  ReelIndexShape shape;  /* of the storage that was looked at */
  ReelTensordict *raw;   /* the rows that transforms are given */
  ReelTensordict *given; /* what they made of them: who gives it back gives the rows back */
} ReelSampling;

/**
 * reel_sampling_of:
 * @sampler: a sampler
 *
 * Returns: (transfer none): the sampling that @sampler keeps, made when it is first asked for
 */
ReelSampling *reel_sampling_of (ReelSampler *sampler);

/**
 * reel_sampling_clear:
 * @self: a sampling, which is all zeros afterwards
 */
void reel_sampling_clear (ReelSampling *self);

/**
 * reel_sampling_draw:
 * @self: a sampling
 * @storage: where the rows are
 * @sampler: who says which
 * @n: rows wanted
 * @error: as reel_replay_buffer_sample()
 *
 * The first half of a batch.
 *
 * Returns: whether rows were drawn
 */
gboolean reel_sampling_draw (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler,
                             gint64 n, GError **error);

/**
 * reel_sampling_copy:
 * @self: a sampling
 * @storage: where the rows are
 * @batch: (inout): %NULL or a batch to fill again, as for reel_replay_buffer_sample(). Untouched on
 *   failure but for its values
 * @whole: (out): whether the rows are whole; else draw again
 * @error: NO_SPACE
 *
 * The second half of a batch.
 *
 * Returns: whether there is a batch
 */
gboolean reel_sampling_copy (ReelSampling *self, ReelStorage *storage, ReelTensordict **batch,
                             gboolean *whole, GError **error);

/**
 * reel_sampling_dup_info:
 * @self: a sampling, whose storage may have gone
 * @error: RUNTIME where there is no batch, or one that was put; NO_SPACE
 *
 * Returns: (transfer full): `index` of the rows, and what the sampler said of them
 */
ReelTensordict *reel_sampling_dup_info (const ReelSampling *self, GError **error);

/**
 * reel_sampling_note:
 * @self: a sampling that gave a batch
 * @note: (inout): all zeros, or an earlier note; to be given to reel_sampling_clear()
 * @error: NO_SPACE
 *
 * Keeps what is said of the rows, for reel_sampling_dup_info(), when @self goes on. Nothing is
 * allocated where an earlier note is of the same columns and as many rows.
 *
 * Returns: whether @note was made
 */
gboolean reel_sampling_note (const ReelSampling *self, ReelSampling *note, GError **error);

/**
 * reel_sampling_put:
 * @self: a sampling
 * @storage: where the rows were
 * @sampler: who drew them
 * @batch: rows that such a sampling copied
 * @error: VALUE where they are none of @storage and @sampler; NO_SPACE
 *
 * Goes on from a copy of @batch, `raw`.
 *
 * Returns: whether it does
 */
gboolean reel_sampling_put (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler,
                            const ReelTensordict *batch, GError **error);

/**
 * reel_sampling_repair:
 * @self: a sampling whose rows were overwritten before they were copied
 * @storage: where the rows are
 * @sampler: who drew them
 * @batch: (inout): as for reel_sampling_copy()
 * @error: as reel_sampling_draw(); TIMEOUT where the writer is too fast
 *
 * Draws and copies until the batch is whole.
 *
 * Returns: whether it is
 */
gboolean reel_sampling_repair (ReelSampling *self, ReelStorage *storage, ReelSampler *sampler,
                               ReelTensordict **batch, GError **error);

G_END_DECLS
