/* The end of a batch: its trajectories are split, then it is processed. Private. */
#pragma once

#include "collector-private.h"

G_BEGIN_DECLS

/**
 * reel_collector_changes_batches:
 * @parts: parts of a collector
 *
 * Returns: whether batches are not as the env was stepped, so that no buffer lends memory for them
 */
gboolean reel_collector_changes_batches (const ReelCollectorParts *parts);

/**
 * reel_collector_finish_batch:
 * @parts: parts of a collector
 * @steps: a batch
 * @result: (out) (transfer full) (nullable): the batch to hand out; %NULL where a transform that
 *   joins steps holds all of it back
 * @error: as reel_split_trajectories(), and whatever the transforms say
 *
 * Returns: whether @result was set
 */
gboolean reel_collector_finish_batch (const ReelCollectorParts *parts, ReelTensordict *steps,
                                      ReelTensordict **result, GError **error);

G_END_DECLS
