/* The common part of samplers by priority. Private. */
#pragma once

#include "priorities.h"

G_BEGIN_DECLS

/**
 * ReelPrioritySampler:
 * @priorities: of the rows; it is up to date whenever a row is drawn
 *
 * A sampler with priorities: properties, updates, state. The class below it defines the
 * draws, which fills in `sample`, and may bind more than they need.
 */
#define REEL_TYPE_PRIORITY_SAMPLER (reel_priority_sampler_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelPrioritySampler, reel_priority_sampler, REEL, PRIORITY_SAMPLER,
                          ReelSampler)

struct _ReelPrioritySamplerClass
{
  ReelSamplerClass parent_class;
};

/**
 * reel_priority_sampler_get:
 * @self: a #ReelPrioritySampler
 *
 * Returns: (transfer none): its priorities
 */
ReelPriorities *reel_priority_sampler_get (gpointer self);

/**
 * reel_priority_sampler_weight_column:
 * @self: a #ReelPrioritySampler
 *
 * Returns: the info column `priority_weight`, of its dtype
 */
ReelInfoColumn reel_priority_sampler_weight_column (gpointer self);

G_END_DECLS
