/* The rows that a consuming sampler and a writer hand to each other. Private. */
#pragma once

#include "row-queue.h"
#include "sampler.h"

G_BEGIN_DECLS

/**
 * reel_consuming_sampler_get_freed:
 * @sampler: any sampler
 *
 * Returns: (transfer none) (nullable): rows that were given as often as they are to be, oldest
 *   first; the writer takes them out, and puts others in their place as reel_storage_put_steps()
 *   does. %NULL of a sampler that does not consume
 */
ReelRowQueue *reel_consuming_sampler_get_freed (ReelSampler *sampler);

/**
 * reel_consuming_sampler_get_max_count:
 * @sampler: any sampler
 *
 * Returns: how often it gives a row; 0 for a sampler that does not consume
 */
gint64 reel_consuming_sampler_get_max_count (ReelSampler *sampler);

G_END_DECLS
