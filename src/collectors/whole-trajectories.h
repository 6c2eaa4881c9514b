/* Trajectories that are put together from batches of steps, until they are complete. Private. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelWholeTrajectories:
 *
 * Steps by trajectory. Trajectories that the same batch completes are in the order in which they
 * began, those of one step in the order of lanes.
 */
typedef struct _ReelWholeTrajectories ReelWholeTrajectories;

/**
 * reel_whole_trajectories_new:
 * @done: path of the flag that says where a trajectory is complete, such as `next/done`
 *
 * Returns: (transfer full): no trajectories
 */
ReelWholeTrajectories *reel_whole_trajectories_new (const char *done);

/**
 * reel_whole_trajectories_new_like:
 * @like: trajectories
 *
 * Returns: (transfer full): no trajectories, which the flag of @like completes
 */
ReelWholeTrajectories *reel_whole_trajectories_new_like (const ReelWholeTrajectories *like);

/**
 * reel_whole_trajectories_free:
 * @self: (transfer full) (nullable): trajectories
 */
void reel_whole_trajectories_free (ReelWholeTrajectories *self);

/**
 * reel_whole_trajectories_add:
 * @self: trajectories
 * @steps: `[T]` or `[*B, T]` with `collector/traj_ids`; copied
 * @error: KEY without ids or flags; NO_SPACE
 *
 * Returns: whether the steps were added
 */
gboolean reel_whole_trajectories_add (ReelWholeTrajectories *self, ReelTensordict *steps,
                                      GError **error);

/**
 * reel_whole_trajectories_count:
 * @self: trajectories
 *
 * Returns: how many are complete
 */
gint64 reel_whole_trajectories_count (const ReelWholeTrajectories *self);

/**
 * reel_whole_trajectories_take:
 * @self: trajectories
 * @n: how many of those that are complete, at least 1
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the first @n, one after the other, `[steps]`
 */
ReelTensordict *reel_whole_trajectories_take (ReelWholeTrajectories *self, gint64 n,
                                              GError **error);

/**
 * reel_whole_trajectories_drop:
 * @self: trajectories
 * @complete: whether those that are complete are dropped, too
 *
 * Forgets trajectories whose next step never comes.
 */
void reel_whole_trajectories_drop (ReelWholeTrajectories *self, gboolean complete);

/**
 * reel_whole_trajectories_dup_state:
 * @self: trajectories
 * @state: gets all of them
 * @error: NO_SPACE
 *
 * Returns: whether it has them
 */
gboolean reel_whole_trajectories_dup_state (const ReelWholeTrajectories *self,
                                            ReelTensordict *state, GError **error);

/**
 * reel_whole_trajectories_set_state:
 * @self: trajectories
 * @state: as reel_whole_trajectories_dup_state() left it
 * @error: KEY, TYPE or VALUE for what is no such state; @self is as it was then
 *
 * Returns: whether @self has the trajectories of @state
 */
gboolean reel_whole_trajectories_set_state (ReelWholeTrajectories *self,
                                            const ReelTensordict *state, GError **error);

G_END_DECLS
