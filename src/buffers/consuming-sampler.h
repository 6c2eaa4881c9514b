/* The slots that a consuming sampler and a writer hand to each other. Private. */
#pragma once

#include "sampler.h"
#include "slot-queue.h"

G_BEGIN_DECLS

/**
 * reel_consuming_sampler_get_queues:
 * @sampler: any sampler
 * @freed: (out): slots whose rows were given as often as they are to be, oldest first; the writer
 * takes them out
 * @rewritten: (out): such slots that the writer put new rows into
 *
 * Returns: whether @sampler is one that consumes
 */
gboolean reel_consuming_sampler_get_queues (ReelSampler *sampler, ReelSlotQueue **freed,
                                            ReelSlotQueue **rewritten);

G_END_DECLS
