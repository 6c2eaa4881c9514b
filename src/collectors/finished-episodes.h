/* The list of the episodes that end in a batch. Private. */
#pragma once

#include "collector.h"
#include "lane-episodes.h"

G_BEGIN_DECLS

/**
 * ReelFinishedEpisodes:
 *
 * Lists, each of which one worker adds to at a time, and all of them in order.
 */
typedef struct _ReelFinishedEpisodes ReelFinishedEpisodes;

/**
 * reel_finished_episodes_new:
 * @n_lists: lists
 *
 * Returns: (transfer full): empty lists
 */
ReelFinishedEpisodes *reel_finished_episodes_new (gint n_lists);

/**
 * reel_finished_episodes_new_shared:
 * @n_lists: lists
 * @most: episodes that each has room for
 * @error: NO_SPACE
 *
 * Returns: (transfer full): empty lists that processes share which are forked later
 */
ReelFinishedEpisodes *reel_finished_episodes_new_shared (gint n_lists, gint64 most, GError **error);

/**
 * reel_finished_episodes_free:
 * @self: (transfer full) (nullable): lists
 */
void reel_finished_episodes_free (ReelFinishedEpisodes *self);

/**
 * reel_finished_episodes_add:
 * @self: lists
 * @list: the one to add to
 * @episodes: the present episodes of all lanes
 * @lanes: (array length=n): the lanes whose episodes end
 * @n: their number
 * @n_steps: steps of each lane so far
 *
 * Adds the present episodes of these lanes, before reel_lane_episodes_finish().
 */
void reel_finished_episodes_add (ReelFinishedEpisodes *self, gint list,
                                 const ReelLaneEpisodes *episodes, const gint64 *lanes, gsize n,
                                 gint64 n_steps);

/**
 * reel_finished_episodes_compare:
 * @one: a #ReelCollectorEpisode
 * @other: another
 *
 * Returns: their order: that of their ends, in one step that of their lanes
 */
int reel_finished_episodes_compare (gconstpointer one, gconstpointer other);

/**
 * reel_finished_episodes_gather:
 * @self: a list
 * @first: number of the first episode
 * @n_steps: steps of each lane that count; episodes that ended later are dropped
 *
 * Empties the lists into one, in the order of the ends, then of the lanes, numbered from @first on.
 *
 * Returns: (element-type ReelCollectorEpisode) (transfer none): the one, until the next call
 */
const GArray *reel_finished_episodes_gather (ReelFinishedEpisodes *self, gint64 first,
                                             gint64 n_steps);

/**
 * reel_finished_episodes_gather_list:
 * @self: lists
 * @list: the only one to empty
 * @first: number of the first episode
 *
 * As reel_finished_episodes_gather(), of one list; nobody adds to that.
 *
 * Returns: (element-type ReelCollectorEpisode) (transfer none): its episodes
 */
const GArray *reel_finished_episodes_gather_list (ReelFinishedEpisodes *self, gint list,
                                                  gint64 first);

/**
 * reel_finished_episodes_gather_none:
 * @self: lists
 *
 * Returns: (element-type ReelCollectorEpisode) (transfer none): no episodes; lists keep theirs
 */
const GArray *reel_finished_episodes_gather_none (ReelFinishedEpisodes *self);

G_END_DECLS
