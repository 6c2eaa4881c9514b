/* Tables in Weka's ARFF (its manual, chapter "ARFF"), read row by row. Private to the library. */
#pragma once

#include "byte-stream.h"

G_BEGIN_DECLS

/**
 * ReelArffColumn:
 * @name: its name
 * @values: (nullable) (array zero-terminated=1): the values that a nominal column may have; %NULL
 *   for numbers and text
 *
 * A column of a table.
 */
typedef struct
{
  char *name;
  char **values;
} ReelArffColumn;

/**
 * ReelArff:
 *
 * A table that is read once, from its first row to its last. One thread uses it.
 */
typedef struct _ReelArff ReelArff;

/**
 * reel_arff_new:
 * @stream: (transfer none): a file from its first byte, which must outlive the table
 * @error: DAMAGED with the line at fault; NOT_IMPLEMENTED for relational columns; as
 *   reel_byte_stream_read()
 *
 * Reads up to the first row.
 *
 * Returns: (transfer full): the table
 */
ReelArff *reel_arff_new (ReelByteStream *stream, GError **error);

/**
 * reel_arff_free:
 * @self: (nullable) (transfer full): a table
 */
void reel_arff_free (ReelArff *self);

/**
 * reel_arff_get_columns:
 * @self: a table
 *
 * Returns: (transfer none) (element-type ReelArffColumn): its columns
 */
const GArray *reel_arff_get_columns (const ReelArff *self);

/**
 * reel_arff_next:
 * @self: a table
 * @cells: (out) (transfer none) (array) (nullable): a text for each column, %NULL where it is
 *   missing, valid until the next call; %NULL behind the last row
 * @error: DAMAGED with the line at fault: more or fewer values than columns, quotes that do not
 *   end; NOT_IMPLEMENTED for sparse rows; as reel_byte_stream_read()
 *
 * Returns: whether a row was read, or the end
 */
gboolean reel_arff_next (ReelArff *self, const char *const **cells, GError **error);

/**
 * reel_arff_fail:
 * @self: a table
 * @error: DAMAGED, always set, with the line of the last row
 * @format: the fault
 *
 * Returns: FALSE
 */
gboolean reel_arff_fail (const ReelArff *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelArff, reel_arff_free)

G_END_DECLS
