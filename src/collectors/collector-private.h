/* Functions of the base for kinds of collectors. Private. */
#pragma once

#include "../transforms/transform.h"
#include "collector.h"

G_BEGIN_DECLS

/**
 * ReelCollectorParts:
 * @env: what to step
 * @policy: what to act with, bound to the env's specs
 * @buffer: (nullable): where to write
 * @layout: one step of all lanes
 * @frames_per_batch: the property, in rows
 * @total_frames: the property, in rows, −1 for endless
 * @threads: the property, 0 for as many as the machine lends
 * @list_episodes: the property
 * @max_frames_per_traj: the property, 0 for no limit; @env counts by it
 * @split_trajs: the property
 * @postproc: (nullable): the property
 * @resume: the property; there is a buffer then that lends its blocks
 *
 * The parts of a collector, fixed once it is open.
 */
typedef struct
{
  ReelEnv *env;
  ReelPolicy *policy;
  ReelReplayBuffer *buffer;
  ReelTensordict *layout;
  gint64 frames_per_batch;
  gint64 total_frames;
  gint64 threads;
  gboolean list_episodes;
  gint64 max_frames_per_traj;
  gboolean split_trajs;
  ReelTransform *postproc;
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
 * reel_collector_check_run:
 * @buffer: a buffer with rows
 * @env: an env
 * @error: RUNTIME naming both envs
 *
 * Returns: whether the rows are of @env, as reel_collector_record_run() recorded it
 */
gboolean reel_collector_check_run (ReelReplayBuffer *buffer, ReelEnv *env, GError **error);

/**
 * reel_collector_is_stopped:
 * @self: a collector
 *
 * Returns: whether reel_collector_stop() was called. Any thread
 */
gboolean reel_collector_is_stopped (ReelCollector *self);

G_END_DECLS
