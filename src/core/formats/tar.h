/* Files in a tar archive, read from the first to the last (POSIX.1-2001, "pax", and what GNU tar
 * adds for long names). Nothing is ever unpacked to a disk. Private to the library. */
#pragma once

#include "byte-stream.h"

G_BEGIN_DECLS

/**
 * ReelTar:
 *
 * An archive that is read once. One thread uses it.
 */
typedef struct _ReelTar ReelTar;

/**
 * reel_tar_new:
 * @stream: (transfer none): an archive from its first byte, which must outlive this
 *
 * Returns: (transfer full): the archive
 */
ReelTar *reel_tar_new (ReelByteStream *stream);

/**
 * reel_tar_free:
 * @self: (nullable) (transfer full): an archive
 */
void reel_tar_free (ReelTar *self);

/**
 * reel_tar_next:
 * @self: an archive
 * @name: (out) (transfer none) (nullable): the path of the next regular file, as the archive has
 *   it, until the next call; %NULL at the end of the archive, behind which all was read
 * @error: DAMAGED for what no tar wrote; NOT_IMPLEMENTED naming a file with holes; as
 *   reel_byte_stream_take()
 *
 * Skips what is left of the file before, and directories, links and devices.
 *
 * Returns: whether it went well
 */
gboolean reel_tar_next (ReelTar *self, const char **name, GError **error);

/**
 * reel_tar_read:
 * @self: an archive, after reel_tar_next() had a file
 * @length: (out): its bytes
 * @error: NOT_IMPLEMENTED for a file of more than 512 MB; as reel_byte_stream_take()
 *
 * Reads the file as a whole. No more memory is taken than twice the bytes that are there.
 *
 * Returns: (transfer full): its content, to be freed with g_free()
 */
guint8 *reel_tar_read (ReelTar *self, gsize *length, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTar, reel_tar_free)

G_END_DECLS
