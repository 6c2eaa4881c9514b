/* A function of rows over all rows of a tensordict, chunk after chunk, on several threads. Private
 * to the library. */
#pragma once

#include "preprocess.h"

G_BEGIN_DECLS

/**
 * reel_rows_map:
 * @rows: mapped rows, at least one
 * @bounds: (array length=n_chunks+1): the first row of each chunk, and the row after the last
 * @n_chunks: at least 1
 * @fn: changes the rows of a chunk
 * @data: for @fn
 * @options: the threads, and who is told of the work
 * @directory: an empty directory
 * @error: as reel_dataset_preprocess()
 *
 * Writes the rows as @fn changes them. The first chunk says their keys, types and shapes.
 *
 * Returns: whether they are in the directory
 */
gboolean reel_rows_map (ReelTensordict *rows, const gint64 *bounds, gint64 n_chunks,
                        ReelPreprocessFunc fn, gpointer data, const ReelPreprocessOptions *options,
                        const char *directory, GError **error);

G_END_DECLS
