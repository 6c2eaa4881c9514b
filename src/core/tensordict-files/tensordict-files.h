/* Tensordicts in files: a directory of mapped leaves, or one archive of the same files. */
#pragma once

#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelLoadFlags:
 * @REEL_LOAD_DEFAULT: the tensors may be written; the files keep what they had
 * @REEL_LOAD_READ_ONLY: the tensors may only be read, writing to them crashes; what others write to
 *   the files shows in them
 * @REEL_LOAD_SHARED: what is written to the tensors reaches the files, and the reverse. An archive
 *   keeps the checksums that it had, which `unzip` then complains of
 * @REEL_LOAD_VERIFY: read an archive's leaves once to compare their checksums; without it only
 *   those of metadata and of what is unpacked are compared
 * @REEL_LOAD_TENSORS: read tensors, nested TensorDicts and typed records of these alone: all else
 *   counts as what cannot be read
 *
 * How files become tensors. READ_ONLY wins over SHARED.
 */
typedef enum
{
  REEL_LOAD_DEFAULT = 0,
  REEL_LOAD_READ_ONLY = 1 << 0,
  REEL_LOAD_SHARED = 1 << 1,
  REEL_LOAD_VERIFY = 1 << 2,
  REEL_LOAD_TENSORS = 1 << 3,
} ReelLoadFlags;

/**
 * reel_tensordict_load:
 * @path: a directory or a `.tdz` archive as `TensorDict.save()` and `memmap()` write them; which
 *   of the two is told by what is there
 * @flags: how to map it
 * @error: DAMAGED naming file, found and expected for a missing or short leaf, metadata that is not
 *   JSON, an unknown dtype, shapes that disagree, an archive that contradicts itself; IO;
 *   NOT_IMPLEMENTED naming the first entry in it that cannot be read (Python objects that only a
 *   pickle holds, views of other tensordicts, ragged tensors), and with SHARED a leaf of an archive
 *   that is compressed or not aligned
 *
 * Maps what tensordict 0.3 to 0.14 saved and never extends a file. Copied are the leaves of an
 * archive that are compressed (deflate alone is known) or begin at no multiple of their element
 * size; nothing else is. Longer files are accepted. A tensorclass becomes a record of its fields
 * that are there. Pickles are never read. Format: docs/file-format.md.
 *
 * Returns: (transfer full): a locked tensordict on device cpu
 */
REEL_API
ReelTensordict *reel_tensordict_load (const char *path, ReelLoadFlags flags, GError **error);

/**
 * reel_tensordict_load_partial:
 * @path: as for reel_tensordict_load()
 * @flags: how to map it
 * @left_out: (out) (transfer full) (array zero-terminated=1): a sentence for each nested collection
 *   or tensor that cannot be read and is not in the result: its directory, path and class; free
 *   with g_strfreev()
 * @error: as reel_tensordict_load(), but NOT_IMPLEMENTED only for @path itself
 *
 * As reel_tensordict_load(), for readers that go on without what they do not know.
 *
 * Returns: (transfer full): a locked tensordict on device cpu
 */
REEL_API
ReelTensordict *reel_tensordict_load_partial (const char *path, ReelLoadFlags flags,
                                              char ***left_out, GError **error);

/**
 * ReelSaveFlags:
 * @REEL_SAVE_DEFAULT: files of the same names are replaced
 * @REEL_SAVE_NEW: nothing may be at the path
 * @REEL_SAVE_COMPRESSED: deflate the leaves of an archive, which then cannot be mapped
 *
 * How a tensordict is written.
 */
typedef enum
{
  REEL_SAVE_DEFAULT = 0,
  REEL_SAVE_NEW = 1 << 0,
  REEL_SAVE_COMPRESSED = 1 << 1,
} ReelSaveFlags;

/**
 * reel_tensordict_save:
 * @td: a tensordict
 * @path: a directory, or an archive where it ends in `.tdz`; made with its parents if it is missing
 * @flags: how
 * @error: KEY for keys that the format cannot hold (`shape`, `device`, `_type`, no UTF-8) or whose
 *   file names clash; VALUE for a stack of non-tensors that are lists of one length, which would be
 *   read as a dimension of the batch, or more than 256 levels; RUNTIME when something is at @path
 *   that may not be; VALUE for a directory to be compressed; NO_SPACE, IO
 *
 * Writes what `TensorDict.save()` writes, by as many threads as there are CPUs; leaves without
 * elements have no file. All is written beside its place and synced, then renamed into it: in a
 * directory leaves first, each level's `meta.json` after those below it; other files there stay as
 * they are, and a link in the place of a directory below is refused. @td may be mapped from the
 * same files, and goes on to show the old ones. Durable when it returns. Equal tensordicts give
 * equal archives.
 *
 * Returns: whether it was written; on failure each file is the old one or the new one
 */
REEL_API
gboolean reel_tensordict_save (const ReelTensordict *td, const char *path, ReelSaveFlags flags,
                               GError **error);

/**
 * reel_tensordict_save_like:
 * @like: what keys, dtypes and shapes it shall have; its elements are not looked at, so tensors
 *   expanded from one element will do
 * @path: a directory, made if it is missing, that holds none of the leaves' files; or an archive,
 *   which ends in `.tdz`, where nothing is
 * @error: KEY as reel_tensordict_save(); NO_SPACE before anything is made; IO or RUNTIME when a
 *   file is there already
 *
 * Makes files of zeros, their disk space reserved, and maps them: what is written to the tensors
 * reaches the files. TensorDict calls it `memmap_like()`. A directory's files are not synced. Of a
 * tree, which needs a directory, they are those of reel_tree_save().
 *
 * Returns: (transfer full): a locked tensordict on device cpu; on failure files may be left at
 *   @path
 */
REEL_API
ReelTensordict *reel_tensordict_save_like (const ReelTensordict *like, const char *path,
                                           GError **error);

G_END_DECLS
