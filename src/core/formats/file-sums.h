/* The checksums of files, made of the bytes that were handed to the system. Later changes by the
 * disk, or by another process, do not agree with them. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelFileSums:
 * @block: bytes of a file that have one checksum; the last block of a file may be shorter
 * @files: (element-type utf8 GArray): by path, the CRC-32C of each block, #guint32
 *
 * Which file has which checksums. One thread at a time uses it.
 */
typedef struct _ReelFileSums ReelFileSums;

struct _ReelFileSums
{
  gsize block;
  GHashTable *files;
};

/**
 * reel_file_sums_new:
 * @block: bytes that have one checksum, at least 1
 *
 * Returns: (transfer full): no files
 */
ReelFileSums *reel_file_sums_new (gsize block);

/**
 * reel_file_sums_free:
 * @self: (nullable) (transfer full): the checksums
 */
void reel_file_sums_free (ReelFileSums *self);

/**
 * reel_file_sums_set:
 * @self: the checksums
 * @path: a file
 * @sums: (transfer full): the checksum of each of its blocks
 *
 * A file that was written again has its new checksums.
 */
void reel_file_sums_set (ReelFileSums *self, const char *path, GArray *sums);

/**
 * reel_file_sums_get:
 * @self: (nullable): the checksums
 * @path: a file
 *
 * Returns: (transfer none) (nullable): the checksum of each of its blocks, %NULL where they are
 *   unknown
 */
const GArray *reel_file_sums_get (const ReelFileSums *self, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFileSums, reel_file_sums_free)

G_END_DECLS
