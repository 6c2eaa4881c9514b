/* The specs of the rows of a buffer, and a check that its rows are inside. */
#pragma once

#include "../../specs/kinds/env-spec.h"
#include "../replay-buffer.h"

G_BEGIN_DECLS

/**
 * reel_replay_buffer_set_specs:
 * @self: a buffer
 * @spec: what reel_env_spec_new() gave, of one lane
 * @error: VALUE when a key is no UTF-8
 *
 * Keeps with the buffer, as `specs` of reel_replay_buffer_set_info(), what its rows are made from.
 * The writer's thread.
 *
 * Returns: whether it was kept
 */
REEL_API
gboolean reel_replay_buffer_set_specs (ReelReplayBuffer *self, const ReelSpec *spec,
                                       GError **error);

/**
 * reel_replay_buffer_dup_specs:
 * @self: a buffer
 * @error: RUNTIME when nobody kept specs with it, as in directories that TorchRL wrote; DAMAGED
 *   when what was kept is none
 *
 * Returns: (transfer full): the env's specs, of one lane
 */
REEL_API
ReelSpec *reel_replay_buffer_dup_specs (ReelReplayBuffer *self, GError **error);

/**
 * reel_checkpoint_read_specs:
 * @path: a checkpoint that TorchRL or Reel wrote, or the directory of a run
 * @lanes: (out) (optional): rows a step
 * @error: as reel_replay_buffer_dup_specs(); DAMAGED when @path is no checkpoint; IO
 *
 * Reads what was kept with the rows, and nothing of the rows themselves, whatever form they have.
 * Any thread.
 *
 * Returns: (transfer full): the env's specs, of one lane
 */
REEL_API
ReelSpec *reel_checkpoint_read_specs (const char *path, gint64 *lanes, GError **error);

/**
 * ReelRowFault:
 * @row: which row, 0 is the oldest; −1 where it is the column as a whole: it is not there, or of
 *   another type or shape
 * @step: number of its step, 0 is the oldest
 * @lane: and of its lane
 * @path: the leaf
 * @element: (nullable): the index of the element in the row, `[2]`; %NULL with a @row of −1
 * @value: (nullable): the element in decimal
 * @bound: (nullable): what it should be, such as `at most 4.8`
 * @message: all of it as a sentence without its subject, such as `is 5, not at most 4.8`
 *
 * The first row that is outside of its spec.
 */
typedef struct
{
  gint64 row;
  gint64 step;
  gint64 lane;
  char *path;
  char *element;
  char *value;
  char *bound;
  char *message;
} ReelRowFault;

/**
 * reel_row_fault_free:
 * @fault: (transfer full) (nullable): a fault
 *
 * Frees a fault.
 */
REEL_API
void reel_row_fault_free (ReelRowFault *fault);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRowFault, reel_row_fault_free)

/**
 * reel_replay_buffer_check_rows:
 * @self: a buffer
 * @spec: a composite spec, of one row or of all lanes: see reel_env_spec_to_rows(). Stored keys
 *   that it lacks are not checked
 * @n_rows: (out) (optional): how many rows, from the oldest on, are inside
 * @fault: (out): %NULL when all are inside; else the first in order of time, and of those of the
 *   same row the first in the order of @spec
 * @error: NO_SPACE
 *
 * Reads every row once, at the speed of memory. Rows that a writer overwrites meanwhile are passed
 * over. Any thread.
 *
 * Returns: whether all were looked at up to the fault
 */
REEL_API
gboolean reel_replay_buffer_check_rows (ReelReplayBuffer *self, const ReelSpec *spec,
                                        gint64 *n_rows, ReelRowFault **fault, GError **error);

G_END_DECLS
