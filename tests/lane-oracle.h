/* The rows that a collector must write, made the slow way. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/**
 * lane_oracle_collect:
 * @env: text of an env
 * @policy: text of a policy
 * @n_steps: steps of all lanes
 * @stats: (out): what must be said of them in one batch
 *
 * Takes one lane after the other through all steps, each call for a single lane.
 *
 * Returns: (transfer full): the steps, time first: `[T, B]`, or `[T]` for one lane
 */
ReelTensordict *lane_oracle_collect (const char *env, const char *policy, gint64 n_steps,
                                     ReelCollectorStats *stats);

/**
 * lane_oracle_collect_with:
 * @env: text of an env
 * @policy: a lanewise policy
 * @n_steps: steps of all lanes
 * @stats: (out): what must be said of them in one batch
 *
 * As lane_oracle_collect().
 *
 * Returns: (transfer full): the steps, likewise
 */
ReelTensordict *lane_oracle_collect_with (const char *env, ReelPolicy *policy, gint64 n_steps,
                                          ReelCollectorStats *stats);

/**
 * lane_oracle_assert_rows:
 * @steps: what lane_oracle_collect() gave
 * @first: the step of it that @batch must begin with
 * @batch: `[B, T]`, or `[T]` for one lane, as collectors and buffers show it
 *
 * Every byte of every key must be the same, and no other key be there.
 */
void lane_oracle_assert_rows (ReelTensordict *steps, gint64 first, ReelTensordict *batch);

/**
 * lane_oracle_assert_flat_rows:
 * @steps: what lane_oracle_collect() gave
 * @first: the step of it that @rows must begin with
 * @lanes: lanes of a step
 * @rows: `[steps × lanes]`, steps outermost
 *
 * As lane_oracle_assert_rows(), for rows in a line.
 */
void lane_oracle_assert_flat_rows (ReelTensordict *steps, gint64 first, gint64 lanes,
                                   ReelTensordict *rows);

G_END_DECLS
