/* Functions of the base for kinds of collectors. Private. */
#pragma once

#include "../transforms/transform.h"
#include "collector.h"
#include "lane-numbers.h"

G_BEGIN_DECLS

/**
 * ReelTrajFormat:
 * @REEL_TRAJ_NONE: that of TorchRL, which is padded
 * @REEL_TRAJ_PADDED: a row each, as long as the longest, with a mask
 * @REEL_TRAJ_CAT: one after the other
 *
 * The form of a batch of whole trajectories.
 */
typedef enum
{
  REEL_TRAJ_NONE,
  REEL_TRAJ_PADDED,
  REEL_TRAJ_CAT,
} ReelTrajFormat;

/**
 * ReelCollectorParts:
 * @env: what to step
 * @policy: what to act with, bound to the env's specs
 * @random: (nullable): what acts in the place of @policy in random batches, bound likewise; %NULL
 *   where there are none
 * @buffer: (nullable): where to write
 * @layout: one step of all lanes
 * @step_lanes: lanes of a step of a batch: all, or those of one worker
 * @step: one step of so many
 * @frames_per_batch: the property, in rows
 * @total_frames: the property, in rows, negative for endless
 * @threads: the property, 0 for as many as the machine lends
 * @list_episodes: the property
 * @max_frames_per_traj: the property, 0 or less for no limit; @env counts by it
 * @init_random_frames: the property, 0 or less for none
 * @reset_at_each_iter: the property
 * @split_trajs: the property
 * @postproc: (nullable): the property
 * @exploration: the property, a #ReelExploration
 * @set_truncated: the property
 * @return_same_td: the property
 * @extend_buffer: the property
 * @track_traj_ids: the property
 * @track_policy_version: the property
 * @trajs_per_batch: the property, 0 for batches of steps
 * @trajs_per_write: the property, 0 for one
 * @traj_format: the property, a #ReelTrajFormat
 * @numbers: the properties `first-lane` and `all-lanes`
 * @resume: the property; there is a buffer then that lends its blocks
 *
 * The parts of a collector, fixed once it is open.
 */
typedef struct
{
  ReelEnv *env;
  ReelPolicy *policy;
  ReelPolicy *random;
  ReelReplayBuffer *buffer;
  ReelTensordict *layout;
  gint64 step_lanes;
  ReelTensordict *step;
  gint64 frames_per_batch;
  gint64 total_frames;
  gint64 threads;
  gboolean list_episodes;
  gint64 max_frames_per_traj;
  gint64 init_random_frames;
  gboolean reset_at_each_iter;
  gboolean split_trajs;
  ReelTransform *postproc;
  int exploration;
  gboolean set_truncated;
  gboolean return_same_td;
  gboolean extend_buffer;
  gboolean track_traj_ids;
  gboolean track_policy_version;
  gint64 trajs_per_batch;
  gint64 trajs_per_write;
  int traj_format;
  ReelLaneNumbers numbers;
  gboolean resume;
} ReelCollectorParts;

/**
 * reel_collector_get_parts:
 * @self: a collector
 *
 * Returns: (transfer none): its parts
 */
const ReelCollectorParts *reel_collector_get_parts (ReelCollector *self);

/**
 * reel_collector_set_frames_per_batch:
 * @self: a collector that is built
 * @frames: the property, for classes that have one of another kind
 */
void reel_collector_set_frames_per_batch (ReelCollector *self, gint64 frames);

/**
 * reel_collector_changes_batches:
 * @parts: parts of a collector
 *
 * Returns: whether batches are not as the env was stepped, so that no buffer lends memory for them
 */
gboolean reel_collector_changes_batches (const ReelCollectorParts *parts);

/**
 * reel_collector_writes_in_place:
 * @parts: parts of a collector
 *
 * Returns: whether its kind writes steps where the buffer lends memory, and the base has nothing
 *   left to write
 */
gboolean reel_collector_writes_in_place (const ReelCollectorParts *parts);

/**
 * reel_collector_check_run:
 * @buffer: a buffer with rows
 * @env: an env
 * @error: RUNTIME naming both envs
 *
 * Returns: whether the rows are of @env, as reel_collector_record_run() recorded it
 */
gboolean reel_collector_check_run (ReelReplayBuffer *buffer, ReelEnv *env, GError **error);

/* Words of the property exploration-type, by #ReelExploration; %NULL behind the last. */
extern const char *const reel_collector_explorations[];

/* Whole steps of @lanes that @rows take. */
static inline gint64
reel_collector_steps_of (gint64 rows, gint64 lanes)
{
  return rows / lanes + (rows % lanes > 0);
}

/**
 * reel_collector_is_stopped:
 * @self: a collector
 *
 * Returns: whether reel_collector_stop() was called. Any thread
 */
gboolean reel_collector_is_stopped (ReelCollector *self);

/**
 * reel_collector_ends_batch:
 * @self: a collector
 * @n_steps: steps of the batch that are complete
 *
 * Returns: whether the batch is to end there: the collector was stopped or interrupted. Any thread
 */
gboolean reel_collector_ends_batch (ReelCollector *self, gint64 n_steps);

G_END_DECLS
