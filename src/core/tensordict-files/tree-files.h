/* Files of trees of tensors that are no tensordict, as TorchRL's storages keep them. */
#pragma once

#include "tensordict-files.h"

G_BEGIN_DECLS

/**
 * reel_tree_save:
 * @tree: a tree, whose leaves have rows along their first dimensions
 * @path: a directory, made if it is missing; what an earlier save left there is replaced
 * @length: how many rows are valid, from the first on; those of several dimensions are counted all
 * @error: TYPE when @tree is no tree, or holds a tensordict or a value that is no tensor; KEY for a
 *   key that TorchRL would not find again: with a dot, with what no name of a file has, or a string
 *   of digits; VALUE for more than 256 levels; NO_SPACE, IO
 *
 * Writes the directory `storage` of TorchRL's checkpoint of a replay buffer over such a tree: a
 * file a leaf, and `storage_metadata.json`. TensorDict's own directories hold no trees. Durable
 * when done; the metadata are written last. Format: docs/file-format.md.
 *
 * Returns: whether it was written
 */
REEL_API
gboolean reel_tree_save (const ReelTensordict *tree, const char *path, gint64 length,
                         GError **error);

/**
 * reel_tree_load:
 * @path: a directory `storage`, as reel_tree_save() or TorchRL wrote it
 * @like: (nullable): a tree of the same keys
 * @flags: how to map it
 * @length: (out): how many rows are valid
 * @error: DAMAGED naming file, found and expected; TYPE when it holds a tensordict and no tree; KEY
 *   naming a key that it has and @like has not, or the reverse; VALUE for another dtype, or another
 *   shape beyond the first dimension, than in @like; IO
 *
 * Maps the leaves, all rows of them. The files tell keys and not what they are keys of: nodes are
 * of the kind that they have in @like, as TorchRL loads into a storage that is in use. Without it
 * keys 0, 1, … in this order make a list, other keys a dict, in which digits are a number.
 *
 * Returns: (transfer full): a locked tree without batch dimensions
 */
REEL_API
ReelTensordict *reel_tree_load (const char *path, const ReelTensordict *like, ReelLoadFlags flags,
                                gint64 *length, GError **error);

G_END_DECLS
