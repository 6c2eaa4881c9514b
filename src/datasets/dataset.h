/* Offline datasets: experience that others published, as replay buffers. */
#pragma once

#include "../buffers/replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelDataset:
 *
 * A published set of experience: its raw files are imported once into a directory of memory-mapped
 * leaves, as TorchRL's dataset classes write it, and opened from there as a replay buffer that
 * nobody can write to.
 *
 * Properties of every dataset: `dataset-id` (which set of those that the class knows; text may give
 * it alone, `d4rl:hopper-medium-v2`), `batch-size`, `sampler`, `transform`; `root` (the directory
 * that has a directory for each dataset; without one `$REEL_DATASETS/NAME`, else
 * `$XDG_CACHE_HOME/reel/NAME`, NAME being the folder of the class, such as `d4rl`); `path` (the
 * directory of the dataset itself, in the place of one below the root); `from` (the raw files: a
 * directory, or a `file://`, `http://`, `https://` or `hf://` URL, laid out as the tree of the
 * publisher;
 * without one `$REEL_DATASETS_URL/NAME`, where that is set); `download` (`if-missing`, `never`,
 * `force`: whether the raw files are imported; `force` replaces a dataset alone, refuses a
 * directory with anything else in it, and fetches files of a server again); `split-trajs` (a row
 * for each trajectory, padded, in a directory whose name ends in `_split`).
 *
 * One thread at a time uses a dataset; of its buffer that is said there.
 */
#define REEL_TYPE_DATASET (reel_dataset_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelDataset, reel_dataset, REEL, DATASET, ReelObject)

/**
 * ReelDatasetClass:
 * @folder: the directory below the default root that has the datasets of the class
 * @force_split_end: whether rows that were split end with a true `next/done`, padding included
 * @any_id: whether any path may be an id, and the raw files alone say which there are
 * @default_sampler: the text of the sampler where none is named; %NULL for `random`
 * @list: the ids that there are; @from (nullable) is the directory of the raw files, where only the
 *   ids in it are wanted. (transfer full), ended by %NULL
 * @import: reads the raw files in the directory @from and writes the dataset into the empty
 *   directory @directory, which is synced and put in place afterwards. Errors name the file, the
 *   key in it, the value found and the value expected
 * @dup_transform: the text of a transform of the rows that are read, before that of the property.
 *   (transfer full) (nullable)
 *
 * Virtual functions of a dataset. The flags, @default_sampler and @dup_transform may be left out.
 */
struct _ReelDatasetClass
{
  ReelObjectClass parent_class;

  const char *folder;
  gboolean force_split_end;
  gboolean any_id;
  const char *default_sampler;
  char **(*list) (const char *from, GError **error);
  gboolean (*import) (ReelDataset *self, const char *from, const char *directory, GError **error);
  char *(*dup_transform) (ReelDataset *self);
};

/**
 * reel_dataset_get_dataset_id:
 * @self: a dataset
 *
 * Returns: (transfer none): which set it is
 */
REEL_API
const char *reel_dataset_get_dataset_id (ReelDataset *self);

/**
 * reel_dataset_get_buffer:
 * @self: a dataset
 *
 * Returns: (transfer none): its rows: a replay buffer with an `immutable` writer over a storage of
 *   one dimension, with the sampler, the transform and the batch size of the dataset
 */
REEL_API
ReelReplayBuffer *reel_dataset_get_buffer (ReelDataset *self);

/**
 * reel_dataset_get_data_path_root:
 * @self: a dataset
 *
 * Returns: (transfer none): the directory of its rows before they are split
 */
REEL_API
const char *reel_dataset_get_data_path_root (ReelDataset *self);

/**
 * reel_dataset_get_data_path:
 * @self: a dataset
 *
 * Returns: (transfer none): the directory that its buffer maps
 */
REEL_API
const char *reel_dataset_get_data_path (ReelDataset *self);

/**
 * reel_dataset_delete:
 * @self: a dataset
 * @error: IO
 *
 * Removes the directory of reel_dataset_get_data_path() with all that it contains. The buffer keeps
 * its rows until it is freed.
 *
 * Returns: whether nothing is there now
 */
REEL_API
gboolean reel_dataset_delete (ReelDataset *self, GError **error);

/**
 * ReelDatasetDownloadFunc:
 * @url: of the file that is fetched
 * @done: bytes of it that are there
 * @total: bytes of it, 0 where the server does not say
 * @data: for the function
 *
 * Told of a download once a second at least, in the thread that opens the dataset.
 *
 * Returns: whether to go on; otherwise opening the dataset fails, and what is there stays
 */
typedef gboolean (*ReelDatasetDownloadFunc) (const char *url, gint64 done, gint64 total,
                                             gpointer data);

/**
 * reel_dataset_watch_downloads:
 * @func: (nullable) (scope forever) (closure data): told of all files that are fetched from now on
 * @data: for @func
 *
 * Watches the downloads of the whole program. No dataset may be opened meanwhile.
 */
REEL_API
void reel_dataset_watch_downloads (ReelDatasetDownloadFunc func, gpointer data);

/**
 * reel_dataset_list_available:
 * @id: the name of a class, such as `d4rl`
 * @from: (nullable): the raw files, as the property `from`; some classes list the datasets in it
 * @error: KEY for an unknown class, with the closest; VALUE unless @from is a directory; RUNTIME,
 *   TIMEOUT of a server; IO
 *
 * Lists what TorchRL calls `available_datasets`. Any thread.
 *
 * Returns: (transfer full) (array zero-terminated=1): the ids of its datasets, sorted; free with
 *   g_strfreev()
 */
REEL_API
char **reel_dataset_list_available (const char *id, const char *from, GError **error);

/**
 * reel_dataset_dup_root:
 * @id: the name of a class, such as `d4rl`
 * @error: KEY for an unknown class, with the closest
 *
 * Finds the directory that has the datasets of a class where no `root` is named. Any thread.
 *
 * Returns: (transfer full): its path, whether it exists or not
 */
REEL_API
char *reel_dataset_dup_root (const char *id, GError **error);

G_END_DECLS
