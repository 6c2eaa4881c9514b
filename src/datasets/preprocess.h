/* All rows of a dataset, changed once and stored: TorchRL's `preprocess()`. */
#pragma once

#include "dataset.h"

G_BEGIN_DECLS

/**
 * ReelPreprocessFunc:
 * @rows: (transfer none): rows of the dataset, of the batch size `[n]`, or `[n, T]` where
 *   trajectories were split. They are a copy: elements may be written, entries set and removed
 * @first: the number of the first of them
 * @data: for the function
 * @error: any error, which ends the work
 *
 * Changes some rows. A row of the result must follow from its row alone, and from its number, as
 * rows come in chunks of any size. It may be called from several threads at once.
 *
 * Returns: (transfer full) (nullable): as many rows, tensors alone, with the keys, types and shapes
 *   of all other calls; it may be another reference to @rows
 */
typedef ReelTensordict *(*ReelPreprocessFunc) (ReelTensordict *rows, gint64 first, gpointer data,
                                               GError **error);

/**
 * ReelPreprocessProgress:
 * @done: rows that are done
 * @total: of all
 * @data: for the function
 *
 * Told of the work, in the calling thread.
 *
 * Returns: whether to go on; otherwise all is as before
 */
typedef gboolean (*ReelPreprocessProgress) (gint64 done, gint64 total, gpointer data);

/**
 * ReelPreprocessOptions:
 * @dest: (nullable): the directory to make, where nothing may be; %NULL to replace the rows of the
 *   dataset
 * @num_frames: how many rows, from the first on, are changed and kept; 0 for all
 * @chunk_size: rows of a chunk, the last may have fewer; 0 for about 1 MB of them
 * @num_workers: threads, 0 for as many as there are CPUs; the result does not depend on it
 * @progress: (nullable): told of the work
 * @progress_data: for @progress
 *
 * How rows are changed. Zeros are the defaults.
 */
typedef struct
{
  const char *dest;
  gint64 num_frames;
  gint64 chunk_size;
  gint num_workers;
  ReelPreprocessProgress progress;
  gpointer progress_data;
} ReelPreprocessOptions;

/**
 * reel_dataset_preprocess:
 * @self: a dataset
 * @fn: (scope call) (closure data): changes rows
 * @data: for @fn
 * @options: (nullable): how; %NULL for the defaults
 * @error: what @fn says, with the rows at fault; VALUE for more rows than there are, and where the
 *   results of @fn differ; NOT_IMPLEMENTED where text beside the tensors would be lost, which a
 *   @dest of its own lacks; RUNTIME where something is at the @dest, or the progress function ends
 *   the work; NO_SPACE, IO
 *
 * Writes all rows as @fn changes them. They are written beside their place, synced, and put there
 * in one step: after a kill at any moment the old rows are there or the new ones, and a @dest is
 * absent or whole. The buffer of @self shows the old rows until the dataset is opened again, from
 * its own directory or with @dest as `path`. Nothing but the rows of some chunks is in memory.
 *
 * Returns: whether the new rows are in place
 */
REEL_API
gboolean reel_dataset_preprocess (ReelDataset *self, ReelPreprocessFunc fn, gpointer data,
                                  const ReelPreprocessOptions *options, GError **error);

/**
 * reel_dataset_preprocess_by_transform:
 * @self: a dataset
 * @transform: one that makes one row of each
 * @options: (nullable): as for reel_dataset_preprocess(); chunks are longer where an episode is
 * @error: as reel_dataset_preprocess(); VALUE where the transform holds rows back
 *
 * The same by a transform: rows are as if a buffer with it had stored them, and showed them. Chunks
 * are whole episodes, so that transforms that look at the rows around see those of the episode.
 * Rows without `next/done` are one chunk, all in memory. A transform that changes rows where they
 * are written does it in the calling thread.
 *
 * Returns: whether the new rows are in place
 */
REEL_API
gboolean reel_dataset_preprocess_by_transform (ReelDataset *self, ReelTransform *transform,
                                               const ReelPreprocessOptions *options,
                                               GError **error);

G_END_DECLS
