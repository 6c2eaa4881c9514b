/* Tensordicts in files: a directory of mapped leaves, or one archive of the same files. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * ReelLoadFlags:
 * @REEL_LOAD_DEFAULT: the tensors may be written; the files keep what they had
 * @REEL_LOAD_READ_ONLY: the tensors may only be read, writing to them crashes; what others write to
 *   the files shows in them
 * @REEL_LOAD_SHARED: what is written to the tensors reaches the files, and the reverse
 *
 * How files become tensors. READ_ONLY wins over SHARED.
 */
typedef enum
{
  REEL_LOAD_DEFAULT = 0,
  REEL_LOAD_READ_ONLY = 1 << 0,
  REEL_LOAD_SHARED = 1 << 1,
} ReelLoadFlags;

/**
 * reel_tensordict_load:
 * @path: a directory as `TensorDict.save()` and `memmap()` write it
 * @flags: how to map it
 * @error: DAMAGED naming file, found and expected for a missing or short leaf, metadata that is not
 *   JSON, an unknown dtype, shapes that disagree; IO; NOT_IMPLEMENTED naming the first collection
 *   in it that is no TensorDict, or ragged tensor
 *
 * Maps what tensordict 0.3 to 0.14 saved; copies nothing and never extends a file. Longer files
 * are accepted. Format: docs/file-format.md.
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
 * reel_tensordict_save:
 * @td: a tensordict
 * @path: a directory, made if it is missing; files of the same names are replaced
 * @error: KEY for keys that the format cannot hold (`shape`, `device`, `_type`, no UTF-8) or whose
 *   file names clash; NO_SPACE, IO
 *
 * Writes what `TensorDict.save()` writes, leaves without elements as no file: all is written
 * beside its place and synced, then renamed into it, leaves first, each level's `meta.json` after
 * those below it. @td may be mapped from the same directory, and goes on to show the old files.
 * Durable when it returns.
 *
 * Returns: whether it was written; on failure each file is the old one or the new one
 */
REEL_API
gboolean reel_tensordict_save (const ReelTensordict *td, const char *path, GError **error);

/**
 * reel_tensordict_save_like:
 * @like: what keys, dtypes and shapes it shall have; its elements are not looked at, so tensors
 *   expanded from one element will do
 * @path: a directory, made if it is missing, that holds none of the leaves' files
 * @error: KEY as reel_tensordict_save(); NO_SPACE before anything is made; IO, also when a file is
 *   there already
 *
 * Makes files of zeros, their disk space reserved, and maps them: what is written to the tensors
 * reaches the files. TensorDict calls it `memmap_like()`. Nothing is synced.
 *
 * Returns: (transfer full): a locked tensordict on device cpu; on failure files may be left at
 * @path
 */
REEL_API
ReelTensordict *reel_tensordict_save_like (const ReelTensordict *like, const char *path,
                                           GError **error);

G_END_DECLS
