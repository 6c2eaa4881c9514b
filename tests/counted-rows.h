/* Rows that tell their own number in every leaf, for tests of storages and buffers. */
#pragma once

#include "../src/reel.h"

/**
 * counted_new_tensor:
 *
 * Returns: (transfer full): int64 that count from @first on, in row-major order
 */
ReelTensor *counted_new_tensor (gint ndim, const gint64 *shape, gint64 first);

/**
 * counted_new_batch:
 * @ndim: 1 for `[n]`, 2 for `[lanes, n]`
 * @lanes: rows a step, 1 for @ndim 1
 * @n: steps
 * @first_step: number of the first
 *
 * Leaves: `id` int64 [], `observation` float32 [3], `next/flag` bool [1], `next/wide` uint8 [5],
 * and `none` float32 [0].
 *
 * Returns: (transfer full): rows numbered step × lanes + lane
 */
ReelTensordict *counted_new_batch (gint ndim, gint64 lanes, gint64 n, gint64 first_step);

/**
 * counted_new_step:
 *
 * Returns: (transfer full): one step of it, `[]` or `[lanes]`
 */
ReelTensordict *counted_new_step (gint ndim, gint64 lanes, gint64 step);

/**
 * counted_get_number:
 * @td: rows
 * @place: (array): one index a batch dimension
 *
 * Returns: what `id` says
 */
gint64 counted_get_number (const ReelTensordict *td, const gint64 *place);

/**
 * counted_is_whole:
 *
 * Returns: whether all leaves of a row tell the same number
 */
gboolean counted_is_whole (const ReelTensordict *td, const gint64 *place);

/**
 * counted_assert_row:
 *
 * The row at @place has @number, in every leaf.
 */
void counted_assert_row (const ReelTensordict *td, const gint64 *place, gint64 number);

/**
 * counted_fill_block:
 *
 * Fills lanes of a block with the rows that belong there.
 */
void counted_fill_block (ReelStorage *storage, const ReelReservation *block, gint64 lane_begin,
                         gint64 lane_end);

/**
 * counted_new_buffer:
 * @storage: id of a storage, and what properties it is to have: `tensor:layout=records`
 * @capacity: rows
 *
 * Returns: (transfer full): an empty buffer, which samples and writes as by default
 */
ReelReplayBuffer *counted_new_buffer (const char *storage, gint64 capacity, gint ndim);

/**
 * counted_extend:
 * @first_step: number of the first
 *
 * Extends @buffer by @n steps.
 */
void counted_extend (ReelReplayBuffer *buffer, gint64 lanes, gint64 n, gint64 first_step);
