/* The lanes of each worker of a collector. Private. */
#pragma once

#include "../envs/env.h"

G_BEGIN_DECLS

/**
 * ReelLaneShare:
 * @begin: first lane
 * @end: one past the last
 */
typedef struct
{
  gint64 begin, end;
} ReelLaneShare;

/**
 * reel_lane_shares_new:
 * @env: an env
 * @n_workers: (inout): workers, 0 for as many as there are environments side by side, or else CPUs
 *   and lanes
 * @error: VALUE where the lanes cannot be dealt out among so many
 *
 * Deals out lanes in their order. Where @env is as many environments side by side (`serial`), or
 * transforms behind those, each worker has one of them; else shares of lanes that differ by one.
 * Lanes that depend on one another are not torn.
 *
 * Returns: (transfer full) (array length=n_workers): by worker
 */
ReelLaneShare *reel_lane_shares_new (ReelEnv *env, gint *n_workers, GError **error);

/**
 * reel_lane_shares_most:
 * @env: an env
 *
 * Returns: how many workers can share its lanes
 */
gint64 reel_lane_shares_most (ReelEnv *env);

/**
 * reel_lane_shares_are_equal:
 * @shares: (array length=n_workers): shares
 * @n_workers: how many
 *
 * Returns: whether all are of as many lanes
 */
gboolean reel_lane_shares_are_equal (const ReelLaneShare *shares, gint n_workers);

G_END_DECLS
