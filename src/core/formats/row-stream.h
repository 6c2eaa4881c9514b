/* Rows that are made one after the other, for who does not hold them all. Private to the library.
 */
#pragma once

#include "file-stream.h"

G_BEGIN_DECLS

/**
 * ReelRowStream:
 * @n_rows: how many there are
 * @row_bytes: bytes of each
 * @read: makes the next @n of them at @to, which is not %NULL; it is never asked for more than
 *   there are
 * @data: for @read, whoever made it owns it
 *
 * One thread at a time reads it, once.
 */
typedef struct
{
  gint64 n_rows;
  gsize row_bytes;
  void (*read) (gpointer data, guint8 *to, gint64 n);
  gpointer data;
} ReelRowStream;

/**
 * reel_row_stream_part:
 * @row_bytes: bytes of a row
 *
 * Returns: rows of a part that is worth a call, and small enough for a hundred of them to be held
 *   at once; at least 1
 */
gint64 reel_row_stream_part (gsize row_bytes);

/**
 * reel_row_stream_write:
 * @self: a stream, read to its end
 * @to: a file
 * @error: NO_SPACE, IO
 *
 * Writes all rows.
 *
 * Returns: whether it did
 */
gboolean reel_row_stream_write (const ReelRowStream *self, ReelFileStream *to, GError **error);

G_END_DECLS
