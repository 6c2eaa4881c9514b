/* Names and metadata of the directories that TensorDict.memmap() writes; docs/file-format.md.
 * Private to the library. */
#pragma once

#include "../formats/json.h"
#include "tensordict-files.h"

G_BEGIN_DECLS

#define REEL_MEMMAP_METADATA "meta.json"
#define REEL_MEMMAP_SUFFIX ".memmap"
#define REEL_TREE_METADATA                                                                         \
  "storage_metadata.json"                        /* of a storage; its leaves, where it is a tree */
#define REEL_MEMMAP_SIZES_SUFFIX ".shape.memmap" /* the shapes of a ragged tensor's components */
/* Beside the metadata of non-tensors and records; beside those of a stack of non-tensors; and the
 * directory of a record's entries. */
#define REEL_MEMMAP_PICKLED_DATA "other.pickle"
#define REEL_MEMMAP_PICKLED_LIST "pickle.pkl"
#define REEL_MEMMAP_RECORD "_tensordict"

/**
 * reel_memmap_encode_key:
 * @key: a plain key
 *
 * Returns: (transfer full): @key as the name of a directory, or of a file before its suffix: what
 *   file systems do not like is percent-encoded as in tensordict 0.14
 */
char *reel_memmap_encode_key (const char *key);

/**
 * reel_memmap_key_is_name:
 * @key: a plain key
 *
 * Returns: whether versions before 0.14 may have used @key as a name, and it leads nowhere else
 */
gboolean reel_memmap_key_is_name (const char *key);

/**
 * reel_memmap_check_keys:
 * @td: a tensordict
 * @ragged: whether its tensors are outlines of ragged ones
 * @error: KEY naming the first that cannot be written; VALUE naming a non-tensor that would not be
 *   read as it is, or for more levels than are read
 *
 * Returns: whether all entries, here and below, can be stored, and no two names clash
 */
gboolean reel_memmap_check_keys (const ReelTensordict *td, gboolean ragged, GError **error);

/**
 * reel_memmap_describe:
 * @td: a tensordict whose keys were checked
 * @ragged: whether its tensors are outlines of ragged ones: `[components, …]`, of as many
 *   dimensions as a component
 *
 * Returns: (transfer full): the text of this level's `meta.json`, be it of a record or not
 */
char *reel_memmap_describe (const ReelTensordict *td, gboolean ragged);

/**
 * reel_memmap_describe_record:
 * @td: a tensordict that has a class
 *
 * Returns: (transfer full): the text of the `meta.json` that stands above that of its entries
 */
char *reel_memmap_describe_record (const ReelTensordict *td);

/**
 * reel_memmap_describe_stack:
 * @td: a lazy stack
 *
 * Returns: (transfer full): the text of the `meta.json` that stands above its elements
 */
char *reel_memmap_describe_stack (const ReelTensordict *td);

/**
 * reel_memmap_describe_non_tensor:
 * @non_tensor: values
 * @device: (nullable): that of the tensordict that holds them
 *
 * Returns: (transfer full): the text of their `meta.json`
 */
char *reel_memmap_describe_non_tensor (const ReelNonTensor *non_tensor, const char *device);

/**
 * reel_memmap_describe_tree_leaf:
 * @tensor: a leaf of a tree
 *
 * Returns: (transfer full): what the storage's metadata say of it: dtype and shape
 */
json_t *reel_memmap_describe_tree_leaf (const ReelTensor *tensor);

G_END_DECLS
