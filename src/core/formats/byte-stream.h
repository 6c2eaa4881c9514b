/* Bytes of a mapped file that are read once, from the first to the last, and unpacked on the way.
 * Private to the library. */
#pragma once

#include "zip.h"

G_BEGIN_DECLS

/**
 * ReelByteStream:
 *
 * Bytes that are read once. One thread uses it. Pages of a mapped file are let go behind it.
 */
typedef struct _ReelByteStream ReelByteStream;

/**
 * reel_byte_stream_new:
 * @memory: a file
 *
 * Returns: (transfer full): its bytes as they are
 */
ReelByteStream *reel_byte_stream_new (ReelMemory *memory);

/**
 * reel_byte_stream_new_gzip:
 * @memory: a file of gzip (RFC 1952), of one member or several
 *
 * Returns: (transfer full): its content
 */
ReelByteStream *reel_byte_stream_new_gzip (ReelMemory *memory);

/**
 * reel_byte_stream_new_xz:
 * @memory: a file of xz, of one stream or several
 * @error: DAMAGED where it does not begin as one; NOT_IMPLEMENTED where the library was built
 *   without liblzma
 *
 * Returns: (transfer full): its content
 */
ReelByteStream *reel_byte_stream_new_xz (ReelMemory *memory, GError **error);

/**
 * reel_byte_stream_new_entry:
 * @zip: an archive
 * @entry: an entry of it
 * @error: NOT_IMPLEMENTED naming a method of compression that is not known
 *
 * Returns: (transfer full): the content of the entry
 */
ReelByteStream *reel_byte_stream_new_entry (const ReelZip *zip, const ReelZipEntry *entry,
                                            GError **error);

/**
 * reel_byte_stream_add_to:
 * @self: a stream of which nothing was read
 * @checksum: (transfer none): gets every byte that is read from now on; must outlive @self
 */
void reel_byte_stream_add_to (ReelByteStream *self, GChecksum *checksum);

/**
 * reel_byte_stream_free:
 * @self: (nullable) (transfer full): a stream
 */
void reel_byte_stream_free (ReelByteStream *self);

/**
 * reel_byte_stream_read:
 * @self: a stream
 * @to: (array length=n): where the next bytes go
 * @n: how many
 * @n_read: (out): how many there were; fewer than @n only at the end
 * @error: DAMAGED for content that cannot be unpacked, is cut off, or whose checksum is another
 *
 * Returns: whether the bytes are there
 */
gboolean reel_byte_stream_read (ReelByteStream *self, guint8 *to, gsize n, gsize *n_read,
                                GError **error);

/**
 * reel_byte_stream_take:
 * @self: a stream
 * @to: (array length=n): where the next bytes go
 * @n: how many
 * @error: as reel_byte_stream_read(), and DAMAGED where there are fewer
 *
 * Returns: whether all @n bytes are there
 */
gboolean reel_byte_stream_take (ReelByteStream *self, guint8 *to, gsize n, GError **error);

/**
 * reel_byte_stream_get_most:
 * @self: a stream
 *
 * Returns: how many bytes can follow at most
 */
guint64 reel_byte_stream_get_most (const ReelByteStream *self);

/**
 * reel_byte_stream_end:
 * @self: a stream
 * @error: as reel_byte_stream_read(), and DAMAGED where more bytes follow
 *
 * Returns: whether all was read, and is what was written
 */
gboolean reel_byte_stream_end (ReelByteStream *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelByteStream, reel_byte_stream_free)

G_END_DECLS
