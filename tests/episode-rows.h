/* Storages with all that tells trajectories apart, and where those are by a walk over the rows. */
#pragma once

#include "../src/reel.h"

typedef struct
{
  ReelStorageView view;
  const gboolean *ends; /* by row number, from @first_row on */
  gint64 first_row;
  gint64 min_length;
} EpisodeOracle;

/**
 * episode_new_storage:
 *
 * Leaves: `number` int64 [], `collector/traj_ids` int64 [], `episode` float32 [], `small` int16
 * [], `is_init` bool [1], and `next/done`, `next/terminated`, `next/truncated` bool [1].
 *
 * Returns: (transfer full): an allocated storage in memory
 */
ReelStorage *episode_new_storage (gint ndim, gint64 steps, gint64 lanes);

/**
 * episode_write_step:
 * @ends: (array): by lane, whether it is the last of its trajectory
 * @ids: (array) (inout): by lane, 0 or 1
 *
 * Writes one step; ids alternate, so that those of different trajectories are often equal. What
 * ends is terminated or truncated in turn.
 */
void episode_write_step (ReelStorage *storage, const gboolean *ends, gint64 *ids);

/**
 * episode_oracle_find:
 *
 * Returns: the trajectory of a row
 */
ReelTrajectory episode_oracle_find (const EpisodeOracle *oracle, gint64 row);

/**
 * episode_oracle_list:
 * @are_ids: whether nothing is known of the newest row
 * @list: (out): those of the least length: that ended, then that go on, each by last row
 *
 * Returns: how many
 */
gint64 episode_oracle_list (const EpisodeOracle *oracle, gboolean are_ids, ReelTrajectory *list);

/**
 * episode_new_buffer:
 * @capacity: steps
 * @lengths: (array length=n): steps of trajectories, one after the other in each lane
 *
 * Returns: (transfer full): a buffer that holds them, all of them ended
 */
ReelReplayBuffer *episode_new_buffer (gint64 lanes, gint64 capacity, const gint64 *lengths,
                                      gsize n);

/**
 * episode_assert_slices:
 *
 * Slices end where they are truncated; within, steps follow one another and belong together.
 */
void episode_assert_slices (const ReelTensordict *batch, gint64 lanes, gint64 n_slices);
