/* The names of the columns of a table of rows (CSV): a key, and the place of an element in its row,
 * such as `observation[2]`. Private to the library. */
#pragma once

#include "../core/tensor/tensor.h"

G_BEGIN_DECLS

/* The most columns of a table. */
#define REEL_TABLE_MOST_COLUMNS 65536

/**
 * reel_table_put_name:
 * @text: gets the name, quoted where CSV needs it
 * @path: a key
 * @ndim: dimensions of its row
 * @shape: (array length=ndim): extents of its row
 * @element: which element of the row, in row-major order
 *
 * A single number has the key alone: of shape `[]`, and of shape `[1]` where
 * reel_table_is_of_step() is true.
 */
void reel_table_put_name (GString *text, const char *path, gint ndim, const gint64 *shape,
                          gint64 element);

/**
 * reel_table_is_of_step:
 * @path: a key
 *
 * Returns: whether it is a reward or a flag, which have the shape `[1]` in TorchRL's data
 */
gboolean reel_table_is_of_step (const char *path);

/**
 * reel_table_parse_name:
 * @name: the name of a column
 * @ndim: (out): dimensions of the place
 * @place: (out caller-allocates): room for REEL_MAX_NDIM numbers
 *
 * Returns: (transfer full) (nullable): the key; %NULL where the place cannot be read
 */
char *reel_table_parse_name (const char *name, gint *ndim, gint64 *place);

G_END_DECLS
