/* The files that a tensordict is to become, before the first is written. Private to the library. */
#pragma once

#include "../formats/file-sums.h"
#include "../formats/row-stream.h"
#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelPlannedFile:
 * @name: relative to the root, components joined by `/`
 * @tensor: (nullable): what a leaf holds
 * @stream: (nullable) (transfer none): what gives it
 * @text: (nullable): what metadata hold
 *
 * A file to be written. Exactly one of tensor, stream and text is set.
 */
typedef struct
{
  char *name;
  ReelTensor *tensor;
  const ReelRowStream *stream;
  char *text;
} ReelPlannedFile;

/**
 * ReelLeafStreams:
 * @ragged: whether each leaf is a ragged tensor: the first extent of each tensor says of how many
 *   components, which have as many dimensions as it, and its other extents. Else it is a tensor of
 *   that shape
 * @get: gives what makes the elements of @leaf in row-major order, or, with @sizes, the shapes of
 *   its components, int64. (transfer none), alive until all is written
 * @data: for @get
 *
 * The source of the elements of tensors without memory. In different threads
 * different streams are read.
 */
typedef struct
{
  gboolean ragged;
  const ReelRowStream *(*get) (gpointer data, const ReelTensor *leaf, gboolean sizes);
  gpointer data;
} ReelLeafStreams;

/**
 * ReelSavePlan:
 * @directories: names, parents before their children; the root, the empty name, is the first
 * @stale: names of files and directories that must not be there
 * @files: (element-type ReelPlannedFile): leaves, then metadata, children's before their parents':
 *   the root's stand for the whole
 * @n_leaves: how many of @files are leaves
 * @n_bytes: how many bytes the leaves have
 */
typedef struct
{
  GPtrArray *directories;
  GPtrArray *stale;
  GArray *files;
  guint n_leaves;
  gint64 n_bytes;
} ReelSavePlan;

/**
 * reel_save_plan_new:
 * @td: a tensordict
 * @streams: (nullable): what gives the elements of its tensors; there are no ragged ones among them
 *   then
 * @error: KEY for a key that the format cannot hold, or whose file name is another's; VALUE for a
 *   non-tensor that would not be read as it is; NO_SPACE
 *
 * Returns: (transfer full): what TensorDict.save() would write: leaves without elements have no
 *   file
 */
ReelSavePlan *reel_save_plan_new (const ReelTensordict *td, const ReelLeafStreams *streams,
                                  GError **error);

/**
 * reel_save_plan_new_tree:
 * @tree: a tree
 * @length: how many rows are valid
 * @error: as reel_tree_save()
 *
 * Returns: (transfer full): what a storage of TorchRL that holds such a tree would write
 */
ReelSavePlan *reel_save_plan_new_tree (const ReelTensordict *tree, gint64 length, GError **error);

/**
 * reel_save_plan_free:
 * @plan: (nullable) (transfer full): a plan
 */
void reel_save_plan_free (ReelSavePlan *plan);

/**
 * reel_save_plan_file:
 * @plan: a plan
 * @i: which file
 *
 * Returns: (transfer none): that file
 */
const ReelPlannedFile *reel_save_plan_file (const ReelSavePlan *plan, guint i);

/**
 * reel_save_plan_find:
 * @plan: a plan of a tensordict
 * @leaf: a tensor of it
 *
 * Returns: (transfer none) (nullable): the name of its file; leaves without elements have none
 */
const char *reel_save_plan_find (const ReelSavePlan *plan, const ReelTensor *leaf);

/**
 * reel_save_plan_threads:
 * @plan: a plan
 *
 * Returns: how many threads are worth starting to write it
 */
gint64 reel_save_plan_threads (const ReelSavePlan *plan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelSavePlan, reel_save_plan_free)

/**
 * reel_save_directory:
 * @plan: what to write
 * @path: a directory, made if it is missing
 * @durable: whether it must survive a power loss from then on; else syncing is the caller's
 * @sums: (nullable): where the checksums of the files are entered, by path
 * @error: NO_SPACE, IO
 *
 * Writes the files beside their places, with @durable syncs them all, and renames them in order.
 *
 * Returns: whether it was written
 */
gboolean reel_save_directory (const ReelSavePlan *plan, const char *path, gboolean durable,
                              ReelFileSums *sums, GError **error);

/**
 * reel_tensordict_save_summed:
 * @td: a tensordict or a tree
 * @path: a directory, made if it is missing
 * @sums: (nullable): as reel_save_directory()
 * @error: as reel_tensordict_save()
 *
 * reel_tensordict_save() to a directory, or reel_tree_save() with the length 0. Nothing is synced.
 *
 * Returns: whether it was written
 */
gboolean reel_tensordict_save_summed (const ReelTensordict *td, const char *path,
                                      ReelFileSums *sums, GError **error);

/**
 * reel_tensordict_save_streamed:
 * @outline: a tensordict whose elements are not looked at
 * @streams: what gives them
 * @path: a directory, made if it is missing
 * @sums: (nullable): as reel_save_directory()
 * @error: as reel_tensordict_save()
 *
 * reel_tensordict_save_summed() for what is not in memory: no more is held of it than a part for
 * each thread.
 *
 * Returns: whether it was written
 */
gboolean reel_tensordict_save_streamed (const ReelTensordict *outline,
                                        const ReelLeafStreams *streams, const char *path,
                                        ReelFileSums *sums, GError **error);

/**
 * reel_tensordict_save_metadata:
 * @outline: a tensordict whose elements are not looked at
 * @path: a directory, made if it is missing, that has the files of its tensors, or is going to
 * @error: as reel_tensordict_save()
 *
 * Writes the files of reel_tensordict_save() but for those of tensors. Nothing is synced.
 *
 * Returns: whether it did
 */
gboolean reel_tensordict_save_metadata (const ReelTensordict *outline, const char *path,
                                        GError **error);

/**
 * reel_save_archive:
 * @plan: what to write
 * @path: a file
 * @compress: whether to deflate the leaves
 * @zeros: whether to write zeros in the place of every leaf
 * @error: NO_SPACE, IO
 *
 * Writes an archive beside its place, syncs and renames it.
 *
 * Returns: whether it was written, and is durable
 */
gboolean reel_save_archive (const ReelSavePlan *plan, const char *path, gboolean compress,
                            gboolean zeros, GError **error);

G_END_DECLS
