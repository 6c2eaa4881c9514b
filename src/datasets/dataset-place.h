/* How the directory of a dataset gets its rows: whole, or not at all. Private to the library. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"
#include "dataset.h"

G_BEGIN_DECLS

/**
 * ReelDatasetFill:
 * @self: a dataset
 * @directory: an empty directory
 * @data: for the function
 * @error: any error
 *
 * Writes rows.
 *
 * Returns: whether they are there
 */
typedef gboolean (*ReelDatasetFill) (ReelDataset *self, const char *directory, gpointer data,
                                     GError **error);

/**
 * reel_dataset_place:
 * @self: a dataset, whose class and id the directory says
 * @path: the directory
 * @flags: with FORCE it may replace a dataset
 * @fill: writes the rows
 * @data: for @fill
 * @error: RUNTIME where something is there that may not be replaced; as @fill; NO_SPACE, IO
 *
 * Writes a directory beside its place, syncs it and puts it there in one step.
 *
 * Returns: whether it is there
 */
gboolean reel_dataset_place (ReelDataset *self, const char *path, ReelCheckpointFlags flags,
                             ReelDatasetFill fill, gpointer data, GError **error);

G_END_DECLS
