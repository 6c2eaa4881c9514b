/* Memory that is shared with a child process: a column of all lanes for each leaf. Private. */
#pragma once

#include "../../core/formats/json.h"
#include "../../core/tensor/tensor.h"
#include "../spec.h"

G_BEGIN_DECLS

/**
 * ReelChildColumn:
 * @path: (nullable): of the leaf; %NULL for a column that is not of a spec
 * @spec: (nullable): of one row; likewise
 * @rows: of all lanes, once the memory is mapped
 * @at: bytes from the beginning of the memory
 * @row_bytes: of a lane
 */
typedef struct
{
  char *path;
  const ReelSpec *spec;
  ReelTensor *rows;
  gsize at;
  gsize row_bytes;
} ReelChildColumn;

/**
 * ReelChildLeaves:
 * @columns: (array length=n): of each leaf of a composite, in the order of reel_spec_list_leaves()
 * @n: leaves
 */
typedef struct
{
  ReelChildColumn *columns;
  gsize n;
} ReelChildLeaves;

/**
 * ReelChildPlaces:
 * @n_lanes: lanes
 * @bytes: of the columns so far
 *
 * Where columns are.
 */
typedef struct
{
  gint64 n_lanes;
  gsize bytes;
} ReelChildPlaces;

/**
 * reel_child_column_place:
 * @self: (out caller-allocates): a column; only its place is set
 * @places: what it goes behind
 * @row_bytes: of a lane
 * @error: VALUE for more bytes than there are
 *
 * Returns: whether it has a place
 */
gboolean reel_child_column_place (ReelChildColumn *self, ReelChildPlaces *places, gsize row_bytes,
                                  GError **error);

/**
 * reel_child_column_map:
 * @self: a column with a place
 * @memory: of all columns
 * @dtype: of its rows, which are scalars
 * @n_lanes: lanes
 * @error: NO_SPACE
 *
 * Returns: whether its rows were mapped
 */
gboolean reel_child_column_map (ReelChildColumn *self, ReelMemory *memory, ReelDtype dtype,
                                gint64 n_lanes, GError **error);

/**
 * reel_child_column_clear:
 * @self: a column
 */
void reel_child_column_clear (ReelChildColumn *self);

/**
 * reel_child_column_row:
 * @self: a mapped column
 * @lane: a lane
 *
 * Returns: (transfer none): its row
 */
static inline guint8 *
reel_child_column_row (const ReelChildColumn *self, gint64 lane)
{
  return self->rows->data + (gsize) lane * self->row_bytes;
}

/**
 * reel_child_leaves_place:
 * @self: (out caller-allocates): columns with a place, for reel_child_leaves_clear() in any case
 * @places: what they go behind
 * @specs: a composite that lives as long as @self
 * @error: VALUE for a leaf without a shape and for more bytes than there are; TYPE for one that is
 *   no tensor
 *
 * Returns: whether each leaf has a place
 */
gboolean reel_child_leaves_place (ReelChildLeaves *self, ReelChildPlaces *places,
                                  const ReelSpec *specs, GError **error);

/**
 * reel_child_leaves_to_json:
 * @self: columns with a place
 *
 * Returns: (transfer full): the place of each path, for the child
 */
json_t *reel_child_leaves_to_json (const ReelChildLeaves *self);

/**
 * reel_child_leaves_map:
 * @self: columns with a place
 * @memory: of all columns
 * @n_lanes: lanes
 * @error: NO_SPACE
 *
 * Returns: whether their rows were mapped
 */
gboolean reel_child_leaves_map (ReelChildLeaves *self, ReelMemory *memory, gint64 n_lanes,
                                GError **error);

/**
 * reel_child_leaves_check:
 * @self: mapped columns
 * @begin: first lane
 * @end: one past the last
 * @error: ASSERTION naming the leaf and its value
 *
 * Returns: whether the child wrote what the specs say
 */
gboolean reel_child_leaves_check (const ReelChildLeaves *self, gint64 begin, gint64 end,
                                  GError **error);

/**
 * reel_child_leaves_clear:
 * @self: columns
 */
void reel_child_leaves_clear (ReelChildLeaves *self);

/**
 * reel_child_memory_map:
 * @places: the places of all columns
 * @fd: memory of their size
 * @error: NO_SPACE; IO
 *
 * Returns: (transfer full): the memory, shared
 */
ReelMemory *reel_child_memory_map (const ReelChildPlaces *places, int fd, GError **error);

G_END_DECLS
