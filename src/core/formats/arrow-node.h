/* The structs of the Arrow C data interface, made and released. Private. */
#pragma once

#include "arrow.h"

G_BEGIN_DECLS

/**
 * reel_arrow_schema_init:
 * @schema: (out caller-allocates): a node
 * @format: what it is, as the specification writes it
 * @name: the field's name, UTF-8
 * @flags: `ARROW_FLAG_…`
 * @n_children: how many children it has, made empty for the caller to initialise
 *
 * An empty struct needs no release and is skipped by that of its parent.
 */
void reel_arrow_schema_init (struct ArrowSchema *schema, const char *format, const char *name,
                             gint64 flags, gint64 n_children);

/**
 * reel_arrow_schema_annotate:
 * @schema: a node without metadata
 * @n: how many pairs
 * @pairs: (array length=2n): key, value, key, value …
 *
 * Gives the field metadata.
 */
void reel_arrow_schema_annotate (struct ArrowSchema *schema, gint n, const char *const *pairs);

/**
 * reel_arrow_schema_add_dictionary:
 * @schema: a node
 *
 * Returns: (transfer none): an empty node for what its integers number
 */
struct ArrowSchema *reel_arrow_schema_add_dictionary (struct ArrowSchema *schema);

/**
 * reel_arrow_array_init:
 * @array: (out caller-allocates): a node
 * @length: its elements
 * @n_buffers: its buffers, at most 3; %NULL for now, which for the first says that nothing is null
 * @n_children: how many children it has, made empty for the caller to initialise
 */
void reel_arrow_array_init (struct ArrowArray *array, gint64 length, gint n_buffers,
                            gint64 n_children);

/**
 * reel_arrow_array_set_buffer:
 * @array: a node
 * @i: which buffer
 * @data: its first byte
 * @destroy: called with @owner when the node is released
 * @owner: what @data belongs to
 */
void reel_arrow_array_set_buffer (struct ArrowArray *array, gint i, gconstpointer data,
                                  GDestroyNotify destroy, gpointer owner);

/**
 * reel_arrow_array_add_dictionary:
 * @array: a node
 *
 * Returns: (transfer none): an empty node for what its integers number
 */
struct ArrowArray *reel_arrow_array_add_dictionary (struct ArrowArray *array);

/**
 * reel_arrow_export_values:
 * @values: values for rows and lists of them
 * @name: the field's name
 * @path: what messages call it
 * @schema: (out caller-allocates): an empty node
 * @array: (out caller-allocates): an empty node
 * @error: TYPE for values that have no column, NO_SPACE
 *
 * Returns: whether it was done; what was made of the nodes before it failed is the caller's
 */
gboolean reel_arrow_export_values (ReelNonTensor *values, const char *name, const char *path,
                                   struct ArrowSchema *schema, struct ArrowArray *array,
                                   GError **error);

/**
 * reel_arrow_export_lists:
 * @name: the field's name
 * @ndim: dimensions, at least 1: rows, then those that become fixed-size lists
 * @shape: (array length=ndim): their extents
 * @schema: (inout): an empty node; the one of the innermost elements, still empty
 * @array: (inout): an empty node; the one of the innermost elements, still empty
 *
 * Returns: (transfer none): the innermost field's name
 */
const char *reel_arrow_export_lists (const char *name, gint ndim, const gint64 *shape,
                                     struct ArrowSchema **schema, struct ArrowArray **array);

G_END_DECLS
