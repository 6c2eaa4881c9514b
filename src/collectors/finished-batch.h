/* The end of a batch: its trajectories are split or padded, then it is processed. Private. */
#pragma once

#include "collector-private.h"

G_BEGIN_DECLS

/**
 * reel_collector_finish_batch:
 * @parts: parts of a collector
 * @steps: a batch
 * @n_missing: steps by which it is shorter than it was to be; 0 for one that needs no padding
 * @result: (out) (transfer full) (nullable): the batch to hand out; %NULL where a transform that
 *   joins steps holds all of it back
 * @error: as reel_split_trajectories(), and whatever the transforms say
 *
 * Returns: whether @result was set
 */
gboolean reel_collector_finish_batch (const ReelCollectorParts *parts, ReelTensordict *steps,
                                      gint64 n_missing, ReelTensordict **result, GError **error);

/**
 * reel_collector_finish_trajectories:
 * @parts: parts of a collector
 * @steps: whole trajectories, one after the other, `[steps]`
 * @result: (out) (transfer full) (nullable): as of reel_collector_finish_batch(), in the form that
 *   is asked for, or of rows for a buffer
 * @error: likewise
 *
 * Returns: whether @result was set
 */
gboolean reel_collector_finish_trajectories (const ReelCollectorParts *parts, ReelTensordict *steps,
                                             ReelTensordict **result, GError **error);

/**
 * reel_collector_pad_steps:
 * @steps: `[*B, T]`, names and all
 * @n: steps to append, at least 1
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a copy `[*B, T + n]` with zeros at the end, where
 *   `collector/traj_ids`, if there are any, are −1
 */
ReelTensordict *reel_collector_pad_steps (ReelTensordict *steps, gint64 n, GError **error);

G_END_DECLS
