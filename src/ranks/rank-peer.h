/* A rank that collects, as rank 0 sees it. Private. */
#pragma once

#include "rank-collecting.h"

G_BEGIN_DECLS

/**
 * ReelRankPeer:
 * @rank: which
 * @there: whether it works
 * @task: its lanes
 * @asked: steps that it is at, 0 for none
 * @batch: its last batch, in @memory
 * @state_bytes: of its state, 0 where none is kept
 * @stats: its lanes up to the last batch that counts
 * @version: of the weights that it acts with, -1 for those of its beginning
 *
 * Lanes elsewhere.
 */
typedef struct
{
  gint rank;
  gboolean there;
  ReelRankTask task;
  gint64 asked;
  ReelRankBatch batch;
  guint8 *memory;
  gsize state_bytes;
  ReelCollectorStats stats;
  gint64 version;
} ReelRankPeer;

/**
 * reel_rank_peer_take:
 * @self: a peer
 * @task: its lanes from now on
 * @like: lanes of the same env and policy
 *
 * Makes room for its batches.
 */
void reel_rank_peer_take (ReelRankPeer *self, const ReelRankTask *task, const ReelRankLanes *like);

/**
 * reel_rank_peer_clear:
 * @self: a peer
 */
void reel_rank_peer_clear (ReelRankPeer *self);

/**
 * reel_rank_peer_receive:
 * @self: a peer that was asked
 * @like: as before
 * @error: naming it and its lanes
 *
 * Waits for its batch.
 *
 * Returns: whether it is in `batch`
 */
gboolean reel_rank_peer_receive (ReelRankPeer *self, const ReelRankLanes *like, GError **error);

/**
 * reel_rank_peer_name:
 * @self: a peer
 * @error: (nullable): what happened there
 *
 * Has an error name the rank, its host and its lanes.
 */
void reel_rank_peer_name (const ReelRankPeer *self, GError **error);

/**
 * reel_rank_peer_end:
 * @self: a peer
 * @like: as before
 *
 * Ends its collecting; a batch that it is at is dropped.
 */
void reel_rank_peer_end (ReelRankPeer *self, const ReelRankLanes *like);

/**
 * reel_rank_batch_spread:
 * @self: a batch of @n lanes
 * @like: lanes of the same env and policy
 * @from: its first step to copy
 * @n_steps: steps to copy
 * @n: its lanes
 * @into: (array): by leaf: where step 0 of lane 0 of @n_lanes belongs
 * @first: the lane there that is its lane 0
 * @n_lanes: lanes there
 *
 * Copies steps to the lanes that they are of.
 */
void reel_rank_batch_spread (const ReelRankBatch *self, const ReelRankLanes *like, gint64 from,
                             gint64 n_steps, gint64 n, guint8 *const *into, gint64 first,
                             gint64 n_lanes);

/**
 * reel_collector_stats_add:
 * @self: (inout): counts
 * @other: what is added to them
 */
void reel_collector_stats_add (ReelCollectorStats *self, const ReelCollectorStats *other);

G_END_DECLS
