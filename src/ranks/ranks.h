/* Ranks: the processes that mpirun started together, and what they do for rank 0. */
#pragma once

#include "../core/object/error.h"

G_BEGIN_DECLS

/**
 * reel_ranks_count_launched:
 * @rank: (out) (optional): the number of this process among them, from 0 on
 *
 * Looks at the environment alone: MPI is not started, nor loaded.
 *
 * Returns: how many processes mpirun started together; 1 where it did not start this one. Any
 *   thread
 */
REEL_API
gint reel_ranks_count_launched (gint *rank);

/**
 * reel_ranks_open:
 * @rank: (out) (optional): the number of this process
 * @n_ranks: (out) (optional): how many there are
 * @error: NOT_IMPLEMENTED where the build leaves MPI out; RUNTIME where MPI cannot be loaded or
 *   started; IO where a rank cannot connect to rank 0 by TCP; TIMEOUT
 *
 * Where mpirun started no other process, this is rank 0 of 1, and MPI is not loaded. Else loads
 * Open MPI, starts it unless the program has, and connects every rank to rank 0 by TCP, whose end
 * tells who ended. All ranks call it, each from the thread that calls what is of ranks from then
 * on. Calling it again does nothing.
 *
 * Returns: whether the ranks can work together
 */
REEL_API
gboolean reel_ranks_open (gint *rank, gint *n_ranks, GError **error);

/**
 * reel_ranks_serve:
 * @error: RUNTIME on rank 0, and where rank 0 ended without a word; as reel_ranks_open()
 *
 * On every rank but 0: does what rank 0 asks for, such as stepping lanes for a collector `ranks`,
 * until rank 0 calls reel_ranks_close(). Why a rank cannot do its work is reported there.
 *
 * Returns: whether rank 0 ended its work in order
 */
REEL_API
gboolean reel_ranks_serve (GError **error);

/**
 * reel_ranks_ask_to_stop:
 *
 * On any rank: asks the collector of rank 0 to stop, as reel_collector_stop() there does, with the
 * next batch of this one. Async-signal-safe; any thread.
 */
REEL_API
void reel_ranks_ask_to_stop (void);

/**
 * reel_ranks_is_asked_to_stop:
 *
 * Returns: whether this rank was asked to stop or, on rank 0, any. Any thread
 */
REEL_API
gboolean reel_ranks_is_asked_to_stop (void);

/**
 * reel_ranks_cut:
 * @n: things to share, such as the environments of a run
 * @rank: the number of a rank
 * @n_ranks: how many share them
 * @begin: (out): the first of those of @rank
 * @end: (out): one past the last
 *
 * The shares of a collector `ranks` in `sync` mode, and of `collect --ranks apart`: neighbours, as
 * equal as they can be. Any thread.
 */
REEL_API
void reel_ranks_cut (gint64 n, gint rank, gint n_ranks, gint64 *begin, gint64 *end);

/**
 * reel_ranks_agree:
 * @failure: (nullable): the reason why this rank cannot continue; %NULL where it can
 * @sum: (inout) (optional): a number of this rank; on rank 0 it becomes the sum of all of them
 * @error: @failure; else that of the first other rank that has one which reel_ranks_find_failure()
 *   did not return before, naming that rank; RUNTIME where a rank has ended; as reel_ranks_open()
 *
 * For ranks that work apart, each with a buffer of its own. All ranks call it, and wait for each
 * other: before the work, once each knows whether it can begin, and at its end.
 *
 * Returns: whether all ranks can continue
 */
REEL_API
gboolean reel_ranks_agree (const GError *failure, gint64 *sum, GError **error);

/**
 * reel_ranks_find_failure:
 * @rank: (out) (optional): the rank that failed; -1 where rank 0 stops this one
 * @error: its failure; RUNTIME where it has ended
 *
 * Between two calls of reel_ranks_agree(), without waiting: whether another rank has come to the
 * second with a failure, or has ended. Rank 0 sees all other ranks, one a call. Another rank sees
 * only whether rank 0 has ended, or called reel_ranks_stop_others().
 *
 * Returns: whether there is a failure that it did not return before; @error is set then
 */
REEL_API
gboolean reel_ranks_find_failure (gint *rank, GError **error);

/**
 * reel_ranks_stop_others:
 * @why: the reason, in words
 *
 * On rank 0: lets each other rank that still works find a failure. Nothing on another rank, whose
 * failure rank 0 finds.
 */
REEL_API
void reel_ranks_stop_others (const char *why);

/**
 * reel_ranks_dup_warnings:
 *
 * Returns: (transfer full) (array zero-terminated=1): which ranks ended while the work went on, and
 *   what became of their lanes; free with g_strfreev()
 */
REEL_API
char **reel_ranks_dup_warnings (void);

/**
 * reel_ranks_close:
 *
 * Ends the work together, on all ranks: after what used it, before the program ends. MPI waits for
 * all ranks then, unless one of them is missing. Nothing where the ranks are not open.
 */
REEL_API
void reel_ranks_close (void);

G_END_DECLS
