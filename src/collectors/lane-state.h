/* The state of a sync collector between two batches, lane by lane. Private. */
#pragma once

#include "collector.h"

G_BEGIN_DECLS

/**
 * reel_lane_state_list_widths:
 * @self: a sync collector
 *
 * A state of n lanes is the bytes of all lanes of the first part, then those of the second, and so
 * on: the env's states, what is observed before the next step by column, and the episodes, as
 * #REEL_LANE_EPISODE_BYTES says, whose first 8 bytes are the trajectory id.
 *
 * Returns: (transfer full) (element-type gsize): bytes of one lane in each part
 */
GArray *reel_lane_state_list_widths (ReelCollector *self);

/**
 * reel_lane_state_get:
 * @self: a sync collector, between two batches
 * @state: memory for the state of its lanes
 *
 * Copies where its lanes are.
 */
void reel_lane_state_get (ReelCollector *self, guint8 *state);

/**
 * reel_lane_state_set:
 * @self: a sync collector that has not begun
 * @n_steps: steps of each lane before
 * @state: where its lanes were then
 *
 * Goes on there. Episodes that ended before do not count.
 */
void reel_lane_state_set (ReelCollector *self, gint64 n_steps, const guint8 *state);

/**
 * reel_lane_state_count_steps:
 * @self: a sync collector
 *
 * Returns: steps of each lane since the run began
 */
gint64 reel_lane_state_count_steps (ReelCollector *self);

/**
 * reel_lane_state_count_episodes:
 * @self: a sync collector
 *
 * Returns: episodes that ended before it was opened, of all lanes
 */
gint64 reel_lane_state_count_episodes (ReelCollector *self);

G_END_DECLS
