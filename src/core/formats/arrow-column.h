/* A column of Arrow on its way into a tensordict. Private. */
#pragma once

#include "arrow.h"

G_BEGIN_DECLS

/**
 * ReelArrowColumn:
 * @schema: what its innermost elements are
 * @array: where they are
 * @begin: the first of them, counted from the start of the buffers
 * @n: how many of them
 * @ndim: rows, and one more for each fixed-size list
 * @shape: (array length=ndim): their extents
 * @path: what messages call it
 *
 * A column without the lists around its elements.
 */
typedef struct
{
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  gint64 begin;
  gint64 n;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  const char *path;
} ReelArrowColumn;

/**
 * reel_arrow_is_null:
 * @array: an array
 * @i: an element, counted from the start of its buffers
 *
 * Returns: whether it has no value
 */
gboolean reel_arrow_is_null (const struct ArrowArray *array, gint64 i);

/**
 * reel_arrow_find_buffer:
 * @array: an array
 * @i: which buffer
 * @n: how many elements are to be read
 * @path: what messages call it
 * @data: (out): its first byte; %NULL only where @n is 0
 * @error: VALUE where it is missing
 *
 * Returns: whether @data was set
 */
gboolean reel_arrow_find_buffer (const struct ArrowArray *array, gint i, gint64 n, const char *path,
                                 const guint8 **data, GError **error);

/**
 * reel_arrow_find_metadata:
 * @schema: a column's schema
 * @key: a key of its metadata
 *
 * Returns: (transfer full) (nullable): the value
 */
char *reel_arrow_find_metadata (const struct ArrowSchema *schema, const char *key);

/**
 * reel_arrow_dtype:
 * @schema: a field
 * @dtype: (out): the type of its elements; of bits, bool
 *
 * Returns: whether a tensor can have them
 */
gboolean reel_arrow_dtype (const struct ArrowSchema *schema, ReelDtype *dtype);

/**
 * reel_arrow_set_type_error:
 * @schema: a field
 * @path: what messages call it
 * @error: TYPE that says that it has no counterpart here
 *
 * Returns: %FALSE
 */
gboolean reel_arrow_set_type_error (const struct ArrowSchema *schema, const char *path,
                                    GError **error);

/**
 * reel_arrow_is_values:
 * @schema: a field
 *
 * Returns: whether its elements become values that are no tensors: strings, and dictionaries
 */
gboolean reel_arrow_is_values (const struct ArrowSchema *schema);

/**
 * reel_arrow_import_values:
 * @column: a column of values
 * @error: TYPE for values that have no counterpart, and for text that is no UTF-8 or has NUL in it;
 *   INDEX for one that the dictionary has not; NO_SPACE
 *
 * Returns: (transfer full): a copy of the values; what is null is None
 */
ReelNonTensor *reel_arrow_import_values (const ReelArrowColumn *column, GError **error);

G_END_DECLS
