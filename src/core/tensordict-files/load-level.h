/* The common part of the readers of saved tensordicts; docs/file-format.md. Private to the library.
 */
#pragma once

#include "file-tree.h"
#include "tensordict-files.h"
#include "../tensordict/tensordict-private.h"

G_BEGIN_DECLS

/**
 * REEL_LOAD_JOINED:
 *
 * A flag beside #ReelLoadFlags: every leaf is ragged, and becomes one tensor of the rows of all
 * components, which differ along their first dimension alone. The batch size is `[]`.
 */
#define REEL_LOAD_JOINED ((ReelLoadFlags) (1 << 16))

/**
 * ReelLoader:
 * @tree: the files
 * @flags: how they are read
 * @left_out: sentences on what is not
 */
typedef struct
{
  ReelFileTree *tree;
  ReelLoadFlags flags;
  GPtrArray *left_out;
} ReelLoader;

/**
 * ReelLoadBatch:
 * @ndim: dimensions
 * @size: their extents
 *
 * The batch size of what a collection is part of, with which its own must begin.
 */
typedef struct
{
  gint ndim;
  gint64 size[REEL_MAX_NDIM];
} ReelLoadBatch;

/**
 * ReelLoadLevel:
 * @directory: its name in the tree
 * @path: of the keys that led here, empty at the root
 * @metadata: where its metadata are, for messages
 * @root: the metadata
 * @class_name: `tensordict._td.TensorDict` and such
 *
 * One directory on its way to a collection.
 */
typedef struct
{
  const char *directory;
  const char *path;
  char *metadata;
  json_t *root;
  char *class_name;
} ReelLoadLevel;

/**
 * reel_load_map_mode:
 * @flags: how files become tensors
 *
 * Returns: how to map them
 */
ReelMapMode reel_load_map_mode (ReelLoadFlags flags);

/**
 * reel_load_level_open:
 * @loader: a loader
 * @level: (out caller-allocates): the level, to be cleared in any case; @directory and @path must
 *   outlive it
 * @directory: its name in the tree
 * @path: the path of keys to it
 * @error: DAMAGED, IO
 *
 * Returns: whether there are metadata that name a class
 */
gboolean reel_load_level_open (ReelLoader *loader, ReelLoadLevel *level, const char *directory,
                               const char *path, GError **error);

/**
 * reel_load_level_clear:
 * @level: a level
 */
void reel_load_level_clear (ReelLoadLevel *level);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelLoadLevel, reel_load_level_clear)

/**
 * reel_load_level_has:
 * @loader: a loader
 * @level: a level
 * @name: a name in its directory
 *
 * Returns: what is there
 */
ReelPathKind reel_load_level_has (ReelLoader *loader, const ReelLoadLevel *level, const char *name);

/**
 * reel_load_join:
 * @directory: a name in the tree
 * @name: a name in that directory
 *
 * Returns: (transfer full): its name in the tree
 */
char *reel_load_join (const char *directory, const char *name);

/**
 * reel_load_name_of:
 * @level: a level
 * @key: one of its keys
 * @suffix: what follows the key
 * @plain: whether to give the name that versions before 0.14 used
 *
 * Returns: (transfer full) (nullable): the name in the tree; %NULL for a plain name that is the
 *   same or leads elsewhere
 */
char *reel_load_name_of (const ReelLoadLevel *level, const char *key, const char *suffix,
                         gboolean plain);

/**
 * reel_load_path:
 * @level: a level
 * @key: one of its keys
 *
 * Returns: (transfer full): the path of keys to it
 */
char *reel_load_path (const ReelLoadLevel *level, const char *key);

/**
 * reel_load_leave_out:
 * @loader: a loader
 * @directory: a name in the tree
 * @path: the path of keys to it
 * @what: what cannot be read there
 */
void reel_load_leave_out (ReelLoader *loader, const char *directory, const char *path,
                          const char *what);

/**
 * reel_load_damaged:
 * @where: what is at fault
 * @fault: (transfer full): why
 * @error: DAMAGED with both, always set
 *
 * Returns: FALSE
 */
gboolean reel_load_damaged (const char *where, GError *fault, GError **error);

/**
 * reel_load_check_batch:
 * @batch: what a batch size must begin with
 * @where: what has it
 * @ndim: its dimensions
 * @size: (array length=ndim): its extents
 * @error: DAMAGED
 *
 * Returns: whether it does
 */
gboolean reel_load_check_batch (const ReelLoadBatch *batch, const char *where, gint ndim,
                                const gint64 *size, GError **error);

/**
 * reel_load_leaf:
 * @loader: a loader
 * @level: where it is
 * @batch: what its shape must begin with
 * @key: its key
 * @entry: its metadata
 * @value: (out): the tensor; nothing where it was left out
 * @error: DAMAGED, NOT_IMPLEMENTED, NO_SPACE, IO
 *
 * Returns: whether it was read or left out
 */
gboolean reel_load_leaf (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
                         const char *key, const json_t *entry, ReelTensordictValue *value,
                         GError **error);

/**
 * reel_load_tensordict:
 * @loader: a loader
 * @level: a level of TensorDict's layout
 * @batch: what its batch size must begin with
 * @error: DAMAGED, NOT_IMPLEMENTED, NO_SPACE, IO
 *
 * Returns: (transfer full): what is in it
 */
ReelTensordict *reel_load_tensordict (ReelLoader *loader, const ReelLoadLevel *level,
                                      const ReelLoadBatch *batch, GError **error);

/**
 * reel_load_collection:
 * @loader: a loader
 * @level: a level of any class
 * @batch: what its batch size must begin with
 * @value: (out): what it is; nothing where it was left out
 * @error: DAMAGED, NOT_IMPLEMENTED, NO_SPACE, IO
 *
 * Returns: whether it was read or left out
 */
gboolean reel_load_collection (ReelLoader *loader, const ReelLoadLevel *level,
                               const ReelLoadBatch *batch, ReelTensordictValue *value,
                               GError **error);

G_END_DECLS
