/* Lanes of an env that forks of this process simulate. Private. */
#pragma once

#include "parallel-env.h"

G_BEGIN_DECLS

/**
 * ReelProcessLanes:
 *
 * Worker processes, each of which has its share of the lanes. Threads may work on lanes of
 * different workers at the same time.
 */
typedef struct _ReelProcessLanes ReelProcessLanes;

/**
 * ReelProcessOptions:
 * @n_workers: processes, at most one a lane
 * @on_error: what follows where one ends or does not answer
 * @seconds: the longest wait for an answer
 */
typedef struct
{
  gint n_workers;
  ReelOnError on_error;
  gint64 seconds;
} ReelProcessOptions;

/**
 * reel_process_lanes_new:
 * @env: (transfer none): what the processes fork; it lives as long as the result, and none of its
 *   lanes is stepped here
 * @shown: (transfer none): the env that reports what cannot be simulated; likewise
 * @options: a copy is made
 * @error: VALUE; NO_SPACE
 *
 * Processes start at the first reset or state.
 *
 * Returns: (transfer full): the lanes
 */
ReelProcessLanes *reel_process_lanes_new (ReelEnv *env, ReelEnv *shown,
                                          const ReelProcessOptions *options, GError **error);

/**
 * reel_process_lanes_free:
 * @self: (transfer full): lanes
 *
 * Ends the processes.
 */
void reel_process_lanes_free (ReelProcessLanes *self);

/**
 * reel_process_lanes_get_share:
 * @self: lanes
 *
 * Returns: how many lanes a worker has, but for the last, which may have fewer
 */
gint64 reel_process_lanes_get_share (const ReelProcessLanes *self);

/**
 * reel_process_lanes_get_elapsed:
 * @self: lanes
 *
 * Returns: (transfer none): by lane: steps of its episode
 */
const gint64 *reel_process_lanes_get_elapsed (const ReelProcessLanes *self);

/**
 * reel_process_lanes_seed:
 * @self: lanes
 * @lane: a lane
 * @words: (array length=n_words): as for reel_env_seed_lane()
 * @n_words: how many
 */
void reel_process_lanes_seed (ReelProcessLanes *self, gint64 lane, const guint32 *words,
                              gsize n_words);

/**
 * reel_process_lanes_reset:
 * @self: lanes
 * @lanes: (array length=n): lanes, ascending
 * @n: how many
 * @observation: as in #ReelEnvIO
 */
void reel_process_lanes_reset (ReelProcessLanes *self, const gint64 *lanes, gsize n,
                               guint8 *const *observation);

/**
 * reel_process_lanes_step:
 * @self: lanes
 * @begin: first lane
 * @end: one past the last
 * @io: as of reel_env_step_lanes(); all is written
 */
void reel_process_lanes_step (ReelProcessLanes *self, gint64 begin, gint64 end,
                              const ReelEnvIO *io);

/**
 * reel_process_lanes_get_state:
 * @self: lanes
 * @lane: a lane
 * @state: (out): reel_env_get_state_size() bytes
 *
 * Zeros where it fails.
 */
void reel_process_lanes_get_state (ReelProcessLanes *self, gint64 lane, gpointer state);

/**
 * reel_process_lanes_set_state:
 * @self: lanes
 * @lane: a lane
 * @state: as many
 */
void reel_process_lanes_set_state (ReelProcessLanes *self, gint64 lane, gconstpointer state);

G_END_DECLS
