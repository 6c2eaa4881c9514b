/* Which episode each lane is in, and what the finished ones came to. Private. */
#pragma once

#include "../core/system/mapping.h"
#include "collector.h"
#include "lane-numbers.h"
#include "resumed-lanes.h"

G_BEGIN_DECLS

/**
 * ReelLaneRecord:
 * @begun: steps before the present episode: the lengths of the finished ones, summed
 * @return_sum: returns of the finished episodes
 * @return_min: the least, +inf before the first
 * @return_max: the greatest, −inf before the first
 *
 * The figures of one lane. Sums are kept by lane so that they depend on no partition of the lanes.
 */
typedef struct
{
  gint64 begun;
  double return_sum;
  double return_min;
  double return_max;
} ReelLaneRecord;

/**
 * ReelLaneEpisodes:
 * @n_lanes: lanes
 * @stride: all lanes of the run
 * @ids: (array length=n_lanes): trajectory id of the present episode: number of the lane + @stride
 *   × number of the episode in it
 * @returns: (array length=n_lanes): its rewards so far
 * @records: (array length=n_lanes): the finished ones
 * @episodes_before: those that all lanes finished before a run went on, and those without a step;
 *   they are not tallied
 * @steps_before: their lengths, summed
 *
 * Different threads may use different lanes.
 */
typedef struct
{
  gint64 n_lanes;
  gint64 stride;
  gint64 *ids;
  double *returns;
  ReelLaneRecord *records;
  gint64 episodes_before;
  gint64 steps_before;
  /*< private >*/
  ReelMapping shared;
} ReelLaneEpisodes;

/**
 * reel_lane_episodes_init:
 * @self: (out caller-allocates): every lane in its first episode; free with
 *   reel_lane_episodes_clear()
 * @n_lanes: lanes, at least 1
 * @numbers: which they are of all
 * @is_shared: whether processes that are forked later share them
 * @error: NO_SPACE
 *
 * Returns: whether there was memory
 */
gboolean reel_lane_episodes_init (ReelLaneEpisodes *self, gint64 n_lanes,
                                  const ReelLaneNumbers *numbers, gboolean is_shared,
                                  GError **error);

/**
 * reel_lane_episodes_resume:
 * @self: episodes, just made
 * @resumed: where the lanes of a run stood
 *
 * Goes on in the episodes that the lanes were in, or in the next of those that ended.
 */
void reel_lane_episodes_resume (ReelLaneEpisodes *self, const ReelResumedLanes *resumed);

/**
 * REEL_LANE_EPISODE_BYTES:
 *
 * Bytes of the state of one lane: its id, its return so far, and the step at which its episode
 * began.
 */
#define REEL_LANE_EPISODE_BYTES 24

/**
 * reel_lane_episodes_get_state:
 * @self: episodes
 * @begin: first lane
 * @end: one past the last
 * @state: memory for the state of these lanes
 */
void reel_lane_episodes_get_state (const ReelLaneEpisodes *self, gint64 begin, gint64 end,
                                   guint8 *state);

/**
 * reel_lane_episodes_set_state:
 * @self: episodes
 * @begin: first lane
 * @end: one past the last
 * @state: what reel_lane_episodes_get_state() wrote
 *
 * Goes on there. Episodes that ended before do not count. Of several calls that of lane 0 comes
 * first.
 */
void reel_lane_episodes_set_state (ReelLaneEpisodes *self, gint64 begin, gint64 end,
                                   const guint8 *state);

/**
 * reel_lane_episodes_clear:
 * @self: what reel_lane_episodes_init() made, or zeros
 */
void reel_lane_episodes_clear (ReelLaneEpisodes *self);

/**
 * reel_lane_episodes_finish:
 * @self: episodes
 * @lanes: (array length=n): those that are done
 * @n: how many
 * @n_steps: steps that each lane did so far
 *
 * Ends the episodes of these lanes and begins their next.
 */
void reel_lane_episodes_finish (ReelLaneEpisodes *self, const gint64 *lanes, gsize n,
                                gint64 n_steps);

/**
 * reel_lane_episodes_skip:
 * @self: episodes
 * @lane: a lane whose episode has no step yet
 *
 * Begins its next, in the place of one that nobody saw: the owner adds it to
 * #ReelLaneEpisodes.episodes_before.
 */
void reel_lane_episodes_skip (ReelLaneEpisodes *self, gint64 lane);

/**
 * reel_lane_episodes_limit_steps:
 * @self: episodes
 * @total: episodes that are to end, of all lanes since the run began; 0 for any number
 * @n_steps: steps
 *
 * A lane ends one episode a step at most.
 *
 * Returns: at most @n_steps, and no more than surely end with the last of the episodes or before;
 *   0 once they have ended
 */
gint64 reel_lane_episodes_limit_steps (const ReelLaneEpisodes *self, gint64 total, gint64 n_steps);

/**
 * reel_lane_episodes_tally:
 * @self: episodes
 * @stats: (inout): the finished ones are added
 */
void reel_lane_episodes_tally (const ReelLaneEpisodes *self, ReelCollectorStats *stats);

/**
 * reel_lane_episodes_tally_lanes:
 * @self: episodes
 * @begin: first lane
 * @end: one past the last
 * @stats: (inout): the finished ones of these lanes are added, those before a run went on too
 */
void reel_lane_episodes_tally_lanes (const ReelLaneEpisodes *self, gint64 begin, gint64 end,
                                     ReelCollectorStats *stats);

G_END_DECLS
