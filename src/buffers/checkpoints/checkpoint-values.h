/* The files of TorchRL's CompressedListStorage. Private; format in docs/file-format.md. */
#pragma once

#include "../../core/formats/file-sums.h"
#include "../storages/item-storage.h"

G_BEGIN_DECLS

/**
 * REEL_VALUES_FORMAT:
 *
 * The `format` of #ReelCheckpointKind for such files.
 */
#define REEL_VALUES_FORMAT "compressed-list"

/**
 * reel_values_save:
 * @storage: a storage of compressed values
 * @path: the directory `storage`, which is there
 * @sums: (nullable): where the checksums of large files are entered, by path
 * @error: RUNTIME when it is empty; NOT_IMPLEMENTED for a row that TorchRL's files cannot hold:
 *   with nested tensordicts, several values that are no tensors under one key, or of a class; a
 *   tree; NO_SPACE, IO
 *
 * Writes all rows in the order of their slots.
 *
 * Returns: whether it was done
 */
gboolean reel_values_save (ReelItemStorage *storage, const char *path, ReelFileSums *sums,
                           GError **error);

/**
 * reel_values_load:
 * @path: a directory `storage`
 * @error: DAMAGED with file, found and expected; NOT_IMPLEMENTED for rows compressed by something
 *   else, or Python objects; IO
 *
 * Compressed values are mapped, and their first bytes and length are checked.
 *
 * Returns: (transfer full) (element-type ReelStoredValue): the rows by their slots
 */
GPtrArray *reel_values_load (const char *path, GError **error);

G_END_DECLS
