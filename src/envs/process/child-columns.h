/* The memory that an env shares with the process that simulates its lanes: a column of all lanes
 * for each leaf, reward and flag. Private. */
#pragma once

#include "../../core/formats/json.h"
#include "../../core/tensor/tensor.h"
#include "../../specs/spec.h"

G_BEGIN_DECLS

/**
 * ReelChildColumn:
 * @path: (nullable): of the leaf; %NULL for the rest
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
 * ReelChildColumns:
 * @n_lanes: lanes
 * @bytes: of the memory
 * @observation: (array length=n_observations): in the order of reel_spec_list_leaves()
 * @action: (array length=n_actions): likewise
 * @reward: float32
 * @terminated: bool
 * @truncated: bool
 * @lanes: bool: those that a message is about
 * @seeds: int64: of the next episode; -1 for none
 *
 * The child writes @observation, @reward, @terminated and @truncated.
 */
typedef struct
{
  gint64 n_lanes;
  gsize bytes;
  ReelChildColumn *observation, *action;
  gsize n_observations, n_actions;
  ReelChildColumn reward, terminated, truncated, lanes, seeds;
} ReelChildColumns;

/**
 * reel_child_specs_parse:
 * @text: what a child sent: `{"observation":SPEC,"action":SPEC}`, as of reel_spec_new_from_json()
 * @observation: (out) (transfer full): a composite
 * @action: (out) (transfer full): a composite
 * @error: DAMAGED, KEY, TYPE or VALUE with the place in @text
 *
 * A spec that is not a composite is that of the one leaf `observation` or `action`.
 *
 * Returns: whether both were set
 */
gboolean reel_child_specs_parse (const char *text, ReelSpec **observation, ReelSpec **action,
                                 GError **error);

/**
 * reel_child_columns_init:
 * @self: (out caller-allocates): the columns, not mapped, for reel_child_columns_clear()
 * @n_lanes: lanes
 * @observation: a composite that lives as long as @self
 * @action: likewise
 * @error: VALUE for a leaf without a shape, for a name that a leaf cannot have, and for more bytes
 *   than there are
 *
 * Returns: whether each leaf has a column
 */
gboolean reel_child_columns_init (ReelChildColumns *self, gint64 n_lanes,
                                  const ReelSpec *observation, const ReelSpec *action,
                                  GError **error);

/**
 * reel_child_columns_to_json:
 * @self: columns
 *
 * Returns: (transfer full): their places, for the child
 */
json_t *reel_child_columns_to_json (const ReelChildColumns *self);

/**
 * reel_child_columns_map:
 * @self: columns
 * @fd: memory of their size
 * @error: NO_SPACE; IO
 *
 * Returns: whether their rows were mapped
 */
gboolean reel_child_columns_map (ReelChildColumns *self, int fd, GError **error);

/**
 * reel_child_columns_check:
 * @self: columns
 * @begin: first lane
 * @end: one past the last
 * @outcome: whether flags were written, too
 * @error: ASSERTION naming the leaf and its value, or the flag
 *
 * Returns: whether the child wrote what its specs say
 */
gboolean reel_child_columns_check (const ReelChildColumns *self, gint64 begin, gint64 end,
                                   gboolean outcome, GError **error);

/**
 * reel_child_columns_clear:
 * @self: columns
 */
void reel_child_columns_clear (ReelChildColumns *self);

/**
 * reel_child_column_row:
 * @column: a mapped column
 * @lane: a lane
 *
 * Returns: (transfer none): its row
 */
static inline guint8 *
reel_child_column_row (const ReelChildColumn *column, gint64 lane)
{
  return column->rows->data + (gsize) lane * column->row_bytes;
}

G_END_DECLS
