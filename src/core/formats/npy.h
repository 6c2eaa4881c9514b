/* Arrays of NumPy in `.npy` files (NumPy's format.py, versions 1 to 3), read row by row. Private to
 * the library. */
#pragma once

#include "array-info.h"
#include "byte-stream.h"

G_BEGIN_DECLS

/**
 * reel_npy_read_header:
 * @stream: a file from its first byte
 * @array: (out caller-allocates): type and shape; its type is −1 where elements are text; no name
 * @is_object: (out) (optional): whether a pickle follows in the place of elements; without it
 *   objects are refused
 * @error: DAMAGED for bytes that no header begins with; NOT_IMPLEMENTED naming a type or an order
 * of elements that cannot be read; as reel_byte_stream_take()
 *
 * Reads up to the first element.
 *
 * Returns: whether it is an array
 */
gboolean reel_npy_read_header (ReelByteStream *stream, ReelArrayInfo *array, gboolean *is_object,
                               GError **error);

/**
 * ReelNpyRowsFunc:
 * @data: as given to reel_npy_read_rows()
 * @first: the first row
 * @n: how many
 * @rows: their elements, row-major
 *
 * Takes a block of rows. In another thread where there are many, one block after the other.
 */
typedef void (*ReelNpyRowsFunc) (gpointer data, gint64 first, gint64 n, const guint8 *rows);

/**
 * reel_npy_read_rows:
 * @stream: a file, at its first element
 * @array: what its header says; of one dimension at least and a type that a tensor has
 * @take: takes the rows, from the first to the last
 * @data: for @take
 * @error: DAMAGED where the file ends before its array, or goes on behind it; NOT_IMPLEMENTED for
 *   rows of more than 64 MB; as reel_byte_stream_take()
 *
 * Reads every byte once; some blocks of rows are in memory at a time. Of large arrays this thread
 * unpacks the next block while another takes one.
 *
 * Returns: whether all was read
 */
gboolean reel_npy_read_rows (ReelByteStream *stream, const ReelArrayInfo *array,
                             ReelNpyRowsFunc take, gpointer data, GError **error);

G_END_DECLS
