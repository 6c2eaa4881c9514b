/* A file that is written once, from its beginning to its end. Its way to the disk begins at once,
 * and its checksums are made of the bytes that the system gets. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelFileStream:
 *
 * One thread uses it. All members are its own.
 */
typedef struct
{
  int fd;
  const char *path;
  int direct;     /* the same file past the page cache, or −1 */
  gint64 n_bytes; /* written */
  guint8 *part;   /* the next bytes, of which nobody else knows; NULL where they need no copy */
  gsize part_size;
  gsize n_part;
  gsize block;
  GArray *sums; /* of whole blocks */
  guint32 sum;  /* of the bytes of the block that is not whole */
  gsize in_block;
} ReelFileStream;

/**
 * reel_file_stream_begin:
 * @self: (out caller-allocates): the stream, for reel_file_stream_end() in any case
 * @fd: an empty file
 * @path: (transfer none): where it is
 * @n_bytes: how many bytes are going to be written
 * @block: bytes that have one checksum, 0 for no checksums
 *
 * Large files are written past the page cache, where the file system can.
 */
void reel_file_stream_begin (ReelFileStream *self, int fd, const char *path, gint64 n_bytes,
                             gsize block);

/**
 * reel_file_stream_write:
 * @self: a stream
 * @data: the next bytes
 * @length: how many
 * @error: NO_SPACE, IO
 *
 * Other threads and processes may change @data meanwhile: the checksums are those of the bytes that
 * were written.
 *
 * Returns: whether all was taken; after a failure any part may have been written
 */
gboolean reel_file_stream_write (ReelFileStream *self, gconstpointer data, gsize length,
                                 GError **error);

/**
 * reel_file_stream_end:
 * @self: a stream
 * @written: whether all could be written; else nothing is, and the reason is known
 * @sums: (out) (transfer full) (nullable): the checksum of each block, #guint32; %NULL without
 *   blocks, and after a failure
 * @error: NO_SPACE, IO
 *
 * Writes what is left. The descriptor stays open, and nothing is synced.
 *
 * Returns: whether all was written
 */
gboolean reel_file_stream_end (ReelFileStream *self, gboolean written, GArray **sums,
                               GError **error);

G_END_DECLS
