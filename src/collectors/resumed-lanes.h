/* Where the lanes of a run stood after its last row. Private. */
#pragma once

#include "../buffers/replay-buffer.h"
#include "../envs/env.h"

G_BEGIN_DECLS

/**
 * ReelResumedLane:
 * @id: trajectory id of the last row
 * @begun: steps of the lane before that trajectory
 * @total: rewards of that trajectory so far
 * @done: whether it ended with the last row
 */
typedef struct
{
  gint64 id;
  gint64 begun;
  double total;
  guint8 done;
} ReelResumedLane;

/**
 * ReelResumedLanes:
 * @n_steps: steps that each lane did
 * @last: (nullable): the last row of each lane, `[lanes]`; %NULL where there are no rows
 * @lanes: (array): by lane
 *
 * The state of the lanes between the last stored step and the next.
 */
typedef struct
{
  gint64 n_steps;
  ReelTensordict *last;
  ReelResumedLane *lanes;
} ReelResumedLanes;

/**
 * reel_resumed_lanes_new:
 * @buffer: one that a collector filled in place, with what its sidecar says of the run's env
 * @env: the env that the run was of, with as many lanes
 * @error: as reel_recorded_states_new(), naming the lane; what reel_object_new_from_text() says of
 *   @env with one lane
 *
 * Plays the last episode of every lane again and puts the lanes of @env into the states that come
 * out. The data are the state: a run that was killed needs nothing else to go on.
 *
 * Returns: (transfer full): where they stood
 */
ReelResumedLanes *reel_resumed_lanes_new (ReelReplayBuffer *buffer, ReelEnv *env, GError **error);

/**
 * reel_resumed_lanes_free:
 * @self: (transfer full) (nullable): what reel_resumed_lanes_new() gave
 */
void reel_resumed_lanes_free (ReelResumedLanes *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelResumedLanes, reel_resumed_lanes_free)

G_END_DECLS
