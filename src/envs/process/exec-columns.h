/* The memory that an env shares with the process that simulates its lanes: a column of all lanes
 * for each leaf, reward and flag. Private. */
#pragma once

#include "../../specs/child/child-columns.h"

G_BEGIN_DECLS

/**
 * ReelExecColumns:
 * @places: lanes and bytes of the memory
 * @observation: its leaves
 * @action: its leaves
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
  ReelChildPlaces places;
  ReelChildLeaves observation, action;
  ReelChildColumn reward, terminated, truncated, lanes, seeds;
} ReelExecColumns;

/**
 * reel_exec_specs_parse:
 * @text: what a child sent: `{"observation":SPEC,"action":SPEC}`, as of reel_spec_new_from_json()
 * @observation: (out) (transfer full): a composite
 * @action: (out) (transfer full): a composite
 * @error: DAMAGED, KEY, TYPE or VALUE with the place in @text
 *
 * A spec that is not a composite is that of the one leaf `observation` or `action`.
 *
 * Returns: whether both were set
 */
gboolean reel_exec_specs_parse (const char *text, ReelSpec **observation, ReelSpec **action,
                                GError **error);

/**
 * reel_exec_columns_init:
 * @self: (out caller-allocates): the columns, not mapped, for reel_exec_columns_clear() in any case
 * @n_lanes: lanes
 * @observation: a composite that lives as long as @self
 * @action: likewise
 * @error: VALUE for a leaf without a shape, for a name that a leaf cannot have, and for more bytes
 *   than there are
 *
 * Returns: whether each leaf has a column
 */
gboolean reel_exec_columns_init (ReelExecColumns *self, gint64 n_lanes, const ReelSpec *observation,
                                 const ReelSpec *action, GError **error);

/**
 * reel_exec_columns_to_json:
 * @self: columns
 *
 * Returns: (transfer full): their places, for the child
 */
json_t *reel_exec_columns_to_json (const ReelExecColumns *self);

/**
 * reel_exec_columns_map:
 * @self: columns
 * @fd: memory of their size
 * @error: NO_SPACE; IO
 *
 * Returns: whether their rows were mapped
 */
gboolean reel_exec_columns_map (ReelExecColumns *self, int fd, GError **error);

/**
 * reel_exec_columns_check:
 * @self: columns
 * @begin: first lane
 * @end: one past the last
 * @outcome: whether flags were written, too
 * @error: ASSERTION naming the leaf and its value, or the flag
 *
 * Returns: whether the child wrote what its specs say
 */
gboolean reel_exec_columns_check (const ReelExecColumns *self, gint64 begin, gint64 end,
                                  gboolean outcome, GError **error);

/**
 * reel_exec_columns_clear:
 * @self: columns
 */
void reel_exec_columns_clear (ReelExecColumns *self);

G_END_DECLS
