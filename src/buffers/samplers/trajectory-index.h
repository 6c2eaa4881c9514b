/* Where the trajectories of a storage begin and end, kept as rows are written and overwritten. */
#pragma once

#include "../storages/storage.h"

G_BEGIN_DECLS

/**
 * ReelTrajectoryKeys:
 * @trajectory: (nullable): path of numbers that stay the same within a trajectory and differ from
 *   one to the next of its lane
 * @ends: (nullable) (array zero-terminated=1): paths of flags, one of which is true where a step is
 *   the last of its trajectory; those that are not stored are passed over
 * @trajectories: (nullable): numbers given outright, of every slot of the ring, `[steps, lanes…]`;
 *   @trajectory and @ends are not looked at then
 * @end_flags: (nullable): or flags given outright
 *
 * The marks of trajectories. Where neither is given: `collector/traj_ids`, else `episode`, else
 * `next/done`. Where one is given and not stored, the other kind is looked for once: @ends, else
 * `next/done`; or `collector/traj_ids`, else `episode`.
 */
typedef struct
{
  const char *trajectory;
  const char *const *ends;
  ReelTensor *trajectories;
  ReelTensor *end_flags;
} ReelTrajectoryKeys;

/**
 * ReelTrajectory:
 * @first_row: number of its oldest row, as #ReelStorageView numbers rows
 * @n_steps: how many are left of it, at least 1; step i is row @first_row + i × lanes
 *
 * A trajectory, or what a ring still holds of it.
 */
typedef struct
{
  gint64 first_row;
  gint64 n_steps;
} ReelTrajectory;

/**
 * ReelTrajectoryIndex:
 *
 * The trajectories of a storage. It follows the ring: what was written since the last look is
 * scanned, once, and the oldest trajectories are cut or dropped as they are overwritten. Nothing
 * ever crosses the newest row, for what follows it in memory is older; the newest trajectory of a
 * lane is in the index as far as it goes. 16 bytes a trajectory, and as many a lane.
 *
 * Belongs to one thread at a time, which need not be the writer's.
 */
typedef struct _ReelTrajectoryIndex ReelTrajectoryIndex;

/**
 * reel_trajectory_index_new:
 * @storage: an allocated storage
 * @keys: (nullable): what tells trajectories apart; copied; %NULL for TorchRL's keys
 * @error: KEY when none of the keys is stored, naming them; TYPE for flags that are not bool or
 *   uint8 and for complex ids; RUNTIME for more than one element a row, and for tensors that are
 *   not one element a row of the storage; NO_SPACE
 *
 * Returns: (transfer full): an index that has not looked yet
 */
REEL_API
ReelTrajectoryIndex *reel_trajectory_index_new (ReelStorage *storage,
                                                const ReelTrajectoryKeys *keys, GError **error);

/**
 * reel_trajectory_index_free:
 * @self: (transfer full) (nullable): an index
 *
 * Frees an index.
 */
REEL_API
void reel_trajectory_index_free (ReelTrajectoryIndex *self);

/**
 * reel_trajectory_index_follow:
 * @self: an index
 * @view: what can be read of its storage
 * @min_length: trajectories of fewer steps are left out; at least 1. Another one than in the last
 *   call has the whole storage scanned anew
 * @error: NO_SPACE
 *
 * Brings the index up to @view. Costs what was written since, and a look at each lane; nothing
 * where nothing was. Rows that were changed in their place have all scanned anew. A writer may go
 * on meanwhile: what it overwrites is left out from some row on, and
 * reel_storage_first_intact_row() tells.
 *
 * Returns: whether it is up to date
 */
REEL_API
gboolean reel_trajectory_index_follow (ReelTrajectoryIndex *self, const ReelStorageView *view,
                                       gint64 min_length, GError **error);

/**
 * reel_trajectory_index_get_n:
 * @self: an index
 *
 * Returns: how many trajectories of the least length there are
 */
REEL_API
gint64 reel_trajectory_index_get_n (const ReelTrajectoryIndex *self);

/**
 * reel_trajectory_index_count_changes:
 * @self: an index
 *
 * Returns: how often it was brought up to date and may not be what it was: as long as this is the
 *   same, so is every trajectory and its place
 */
REEL_API
guint64 reel_trajectory_index_count_changes (const ReelTrajectoryIndex *self);

/**
 * reel_trajectory_index_get:
 * @self: an index
 * @k: which, below reel_trajectory_index_get_n()
 * @trajectory: (out caller-allocates): it
 *
 * They are ordered by their last step, then by lane; those that may still go on come last. Takes
 * the same time for any @k.
 */
REEL_API
void reel_trajectory_index_get (const ReelTrajectoryIndex *self, gint64 k,
                                ReelTrajectory *trajectory);

/**
 * reel_trajectory_index_find:
 * @self: an index
 * @row: number of a row
 * @trajectory: (out caller-allocates): the trajectory that it belongs to
 *
 * A search by halves, then past those of other lanes that ended meanwhile.
 *
 * Returns: whether there is one of the least length
 */
REEL_API
gboolean reel_trajectory_index_find (const ReelTrajectoryIndex *self, gint64 row,
                                     ReelTrajectory *trajectory);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTrajectoryIndex, reel_trajectory_index_free)

G_END_DECLS
