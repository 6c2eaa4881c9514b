/* The memory that an env shares with the worker processes that simulate its lanes. Private. */
#pragma once

#include "../../core/system/mapping.h"
#include "../env.h"

G_BEGIN_DECLS

/**
 * ReelSharedLanes:
 * @n_lanes: lanes
 * @n_actions: leaves of the action
 * @n_observations: leaves of the observation
 * @n_groups: groups of agents
 * @n_results: results beside the usual ones
 * @n_states: observations that a step reads
 * @action_bytes: (array length=n_actions): of a lane
 * @observation_bytes: (array length=n_observations): of a lane
 * @observation_dtypes: (array length=n_observations): element types
 * @n_agents: (array length=n_groups): of a lane
 * @result_bytes: (array length=n_results): of a lane
 * @lost_results: (array length=n_results): the byte that a lost step writes
 * @state_row: (array length=n_states): bytes of such an observation of a lane
 * @action: (array length=n_actions): columns of all lanes, in the order of #ReelEnvIO
 * @observation: (array length=n_observations): likewise
 * @groups: (array length=n_groups): likewise
 * @results: (array length=n_results): likewise
 * @state: (array length=n_states): likewise
 * @reward: likewise
 * @terminated: likewise
 * @truncated: likewise
 * @done: likewise
 * @elapsed: by lane: steps of its episode, −1 before its first reset
 * @listed: by lane: room for the lanes of a reset, from the first lane of a worker on
 * @state_bytes: of a lane
 * @states: two copies of the state of each lane
 * @newest: by lane: which of @states is complete
 * @is_kept: by lane: whether one of them is
 */
typedef struct
{
  gint64 n_lanes;
  gsize n_actions, n_observations, n_groups, n_results, n_states;
  gsize *action_bytes, *observation_bytes;
  ReelDtype *observation_dtypes;
  gint64 *n_agents;
  gsize *result_bytes;
  guint8 *lost_results;
  const gsize *state_row;
  guint8 **action, **observation, **results, **state;
  ReelEnvGroupStep *groups;
  float *reward;
  guint8 *terminated, *truncated, *done;
  gint64 *elapsed, *listed;
  gsize state_bytes;
  guint8 *states[2];
  guint8 *newest, *is_kept;
  /*< private >*/
  ReelMapping memory;
} ReelSharedLanes;

/**
 * reel_shared_lanes_init:
 * @self: (out caller-allocates): for reel_shared_lanes_clear()
 * @env: an env with all lanes
 * @error: VALUE for more bytes than there are; NO_SPACE
 *
 * Returns: whether each column has its place
 */
gboolean reel_shared_lanes_init (ReelSharedLanes *self, ReelEnv *env, GError **error);

/**
 * reel_shared_lanes_clear:
 * @self: (inout): lanes, or zeros
 */
void reel_shared_lanes_clear (ReelSharedLanes *self);

/**
 * reel_shared_lanes_io:
 * @self: lanes
 *
 * Returns: where a step of @self reads and writes
 */
ReelEnvIO reel_shared_lanes_io (const ReelSharedLanes *self);

/**
 * reel_shared_lanes_state:
 * @self: lanes
 * @lane: a lane
 * @copy: 0 or 1
 *
 * Returns: a copy of its state
 */
static inline guint8 *
reel_shared_lanes_state (const ReelSharedLanes *self, gint64 lane, guint copy)
{
  return self->states[copy] + (gsize) lane * self->state_bytes;
}

/**
 * reel_shared_lanes_take_actions:
 * @self: lanes
 * @begin: first lane
 * @end: one past the last
 * @io: has the actions and states
 */
void reel_shared_lanes_take_inputs (ReelSharedLanes *self, gint64 begin, gint64 end,
                                    const ReelEnvIO *io);

/**
 * reel_shared_lanes_give_step:
 * @self: lanes
 * @begin: first lane
 * @end: one past the last
 * @io: gets all that a step writes
 */
void reel_shared_lanes_give_step (const ReelSharedLanes *self, gint64 begin, gint64 end,
                                  const ReelEnvIO *io);

/**
 * reel_shared_lanes_give_reset:
 * @self: lanes
 * @lane: a lane
 * @observation: gets what it shows
 */
void reel_shared_lanes_give_reset (const ReelSharedLanes *self, gint64 lane,
                                   guint8 *const *observation);

/**
 * reel_shared_lanes_lose_step:
 * @self: lanes
 * @begin: first lane
 * @end: one past the last
 *
 * Has the step of these lanes cut their episodes: no reward, an observation that was lost.
 */
void reel_shared_lanes_lose_step (ReelSharedLanes *self, gint64 begin, gint64 end);

G_END_DECLS
