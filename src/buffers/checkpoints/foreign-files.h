/* Files in the directory of a checkpoint or a dataset that neither Reel nor TorchRL wrote. Private
 * to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_checkpoint_check_foreign:
 * @path: a checkpoint that is to be removed
 * @error: RUNTIME naming the first file that no checkpoint has; IO
 *
 * Looks at names alone: notes, plots and links of somebody's own are foreign, a leaf that
 * `meta.json` does not name is not.
 *
 * Returns: whether everything there belongs to the checkpoint
 */
gboolean reel_checkpoint_check_foreign (const char *path, GError **error);

/**
 * reel_part_check_foreign:
 * @path: the directory of a storage, a sampler or a writer alone, that is to be removed
 * @error: as reel_checkpoint_check_foreign()
 *
 * Returns: whether everything there belongs to it
 */
gboolean reel_part_check_foreign (const char *path, GError **error);

/**
 * reel_dataset_check_foreign:
 * @path: the directory of a dataset that is to be removed
 * @error: as reel_checkpoint_check_foreign()
 *
 * Returns: whether all there are the leaves of a dataset, and what describes them
 */
gboolean reel_dataset_check_foreign (const char *path, GError **error);

G_END_DECLS
