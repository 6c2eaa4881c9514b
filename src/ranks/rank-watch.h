/* The ranks that are still there: a connection of each rank to rank 0, which the system closes when
 * either ends. Private.
 *
 * MPI of one machine says nothing of a process that is killed: a message of it never comes. */
#pragma once

#include "../core/object/error.h"

G_BEGIN_DECLS

/**
 * ReelRankWatch:
 *
 * Connections to watch. One thread.
 */
typedef struct _ReelRankWatch ReelRankWatch;

/**
 * reel_rank_watch_new:
 * @n_ranks: how many ranks there are
 * @address: (out) (transfer full): what reel_rank_watch_join() of the others needs
 * @error: IO
 *
 * For rank 0. Listens.
 *
 * Returns: (transfer full): a watch of nobody yet
 */
ReelRankWatch *reel_rank_watch_new (gint n_ranks, char **address, GError **error);

/**
 * reel_rank_watch_accept:
 * @self: what reel_rank_watch_new() made, once all others have joined
 * @error: TIMEOUT; IO
 *
 * Returns: whether all connections are there
 */
gboolean reel_rank_watch_accept (ReelRankWatch *self, GError **error);

/**
 * reel_rank_watch_join:
 * @address: what reel_rank_watch_new() gave
 * @rank: the number of this process, not 0
 * @error: IO naming the addresses that were tried
 *
 * Connects to rank 0.
 *
 * Returns: (transfer full): a watch of rank 0
 */
ReelRankWatch *reel_rank_watch_join (const char *address, gint rank, GError **error);

/**
 * reel_rank_watch_free:
 * @self: (transfer full) (nullable): a watch
 */
void reel_rank_watch_free (ReelRankWatch *self);

/**
 * reel_rank_watch_look:
 * @self: a watch
 * @wait_ms: how long to wait for something to see; 0 to go on at once
 *
 * Notes which ranks have ended.
 */
void reel_rank_watch_look (ReelRankWatch *self, gint wait_ms);

/**
 * reel_rank_watch_has_ended:
 * @self: a watch
 * @rank: one that it watches: any but 0 for rank 0, which is all that the others watch
 *
 * Returns: whether reel_rank_watch_look() saw it end
 */
gboolean reel_rank_watch_has_ended (const ReelRankWatch *self, gint rank);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRankWatch, reel_rank_watch_free)

G_END_DECLS
