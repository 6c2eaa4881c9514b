/* Which lanes of a run a collector has, where others have the rest. Private. */
#pragma once

#include "../buffers/checkpoints/checkpoint.h"

G_BEGIN_DECLS

/**
 * ReelLaneNumbers:
 * @first: the number of lane 0 among all lanes of the run
 * @all: how many these are; 0 where the lanes are all
 *
 * A trajectory id is the number of the lane + all lanes × the number of the episode in it.
 */
typedef struct
{
  gint64 first;
  gint64 all;
} ReelLaneNumbers;

/**
 * reel_lane_numbers_record:
 * @self: the lanes of a run
 * @buffer: where they are collected
 * @error: IO
 *
 * Keeps them with the buffer, unless they are all.
 *
 * Returns: whether they are kept
 */
gboolean reel_lane_numbers_record (const ReelLaneNumbers *self, ReelReplayBuffer *buffer,
                                   GError **error);

/**
 * reel_lane_numbers_read:
 * @self: (out caller-allocates): what reel_lane_numbers_record() kept; zeros where it kept nothing
 * @buffer: a buffer
 * @error: VALUE, KEY or TYPE where the record is damaged
 *
 * Returns: whether it was read
 */
gboolean reel_lane_numbers_read (ReelLaneNumbers *self, ReelReplayBuffer *buffer, GError **error);

/**
 * reel_lane_numbers_check:
 * @self: the lanes of a collector that is to continue a run
 * @buffer: the run
 * @error: RUNTIME naming both; as reel_lane_numbers_read()
 *
 * Returns: whether they are those of the run
 */
gboolean reel_lane_numbers_check (const ReelLaneNumbers *self, ReelReplayBuffer *buffer,
                                  GError **error);

G_END_DECLS
