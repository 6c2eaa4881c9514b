/* Buffers of TED rows that tell their own number, with ends of trajectories wherever they are asked
 * for. */
#pragma once

#include "../src/reel.h"

/**
 * TedRows:
 * @lanes: rows a step; 1 for a storage of one dimension
 * @capacity: steps
 * @written: steps that were written
 * @ends: `next/done` of each row slot, slot × lanes + lane, a bit each
 * @broken: whether `next/observation` differs from what follows in its trajectory
 *
 * Row number r = step × lanes + lane has `action` int64 [] r, `observation` float32 [2] r and r +
 * 0.5, `collector/id` int16 [1] r, `none` float32 [0], `next/reward` float32 [1] −r, root flags 0,
 * `next/terminated` as `next/done`; `next/observation` is that of r + lanes, but 1000 + r and 1000
 * + r + 0.5 at ends and where it is broken.
 */
typedef struct
{
  gint64 lanes;
  gint64 capacity;
  gint64 written;
  guint64 ends;
  gboolean broken;
} TedRows;

gboolean ted_rows_ends (const TedRows *rows, gint64 number);
float ted_rows_next (const TedRows *rows, gint64 number);

/**
 * ted_rows_batch:
 *
 * Returns: (transfer full): the steps [@first, @first + @n), `[n]` or `[lanes, n]`
 */
ReelTensordict *ted_rows_batch (const TedRows *rows, gint64 first, gint64 n);

/**
 * ted_rows_empty_buffer:
 * @storage: id of a storage
 *
 * Returns: (transfer full): a buffer with room for them
 */
ReelReplayBuffer *ted_rows_empty_buffer (const char *storage, const TedRows *rows);

/**
 * ted_rows_buffer:
 *
 * Returns: (transfer full): a buffer to which they were written, step by step
 */
ReelReplayBuffer *ted_rows_buffer (const char *storage, const TedRows *rows);

/**
 * ted_rows_set_checkpointer:
 */
void ted_rows_set_checkpointer (ReelReplayBuffer *buffer, const char *text);

/**
 * ted_rows_list_checkpointers:
 * @n: (out): how many
 *
 * Returns: (transfer none): ids of those that write trajectories; the last one, of HDF5, may be
 *   left out of the library
 */
const char *const *ted_rows_list_checkpointers (gsize *n);
