/* The list of the episodes that end in a batch. Private. */
#pragma once

#include "collector.h"
#include "lane-episodes.h"

G_BEGIN_DECLS

/**
 * ReelFinishedEpisodes:
 *
 * One list for each worker, which alone adds to it, and all of them in order.
 */
typedef struct _ReelFinishedEpisodes ReelFinishedEpisodes;

/**
 * reel_finished_episodes_new:
 * @n_workers: threads that add at once
 *
 * Returns: (transfer full): an empty list
 */
ReelFinishedEpisodes *reel_finished_episodes_new (gint n_workers);

/**
 * reel_finished_episodes_free:
 * @self: (transfer full) (nullable): a list
 */
void reel_finished_episodes_free (ReelFinishedEpisodes *self);

/**
 * reel_finished_episodes_add:
 * @self: a list
 * @worker: the calling thread, below `n_workers`
 * @episodes: the present episodes of all lanes
 * @lanes: (array length=n): the lanes whose episodes end
 * @n: their number
 * @n_steps: steps of each lane so far
 *
 * Adds the present episodes of these lanes, before reel_lane_episodes_finish().
 */
void reel_finished_episodes_add (ReelFinishedEpisodes *self, gint worker,
                                 const ReelLaneEpisodes *episodes, const gint64 *lanes, gsize n,
                                 gint64 n_steps);

/**
 * reel_finished_episodes_gather:
 * @self: a list
 * @first: number of the first episode
 * @n_steps: steps of each lane that count; episodes that ended later are dropped
 *
 * Empties the lists of the workers into one, in the order of the ends, then of the lanes, numbered
 * from @first on.
 *
 * Returns: (element-type ReelCollectorEpisode) (transfer none): the one, until the next call
 */
const GArray *reel_finished_episodes_gather (ReelFinishedEpisodes *self, gint64 first,
                                             gint64 n_steps);

G_END_DECLS
