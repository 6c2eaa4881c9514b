/* A fixed set of threads that run one function side by side, batch after batch. Private to the
 * library. */
#pragma once

#include <glib.h>
#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * ReelWorkers:
 *
 * A caller and n - 1 threads. Belongs to one thread at a time, the caller; not usable in a child
 * after fork().
 */
typedef struct _ReelWorkers ReelWorkers;

/**
 * ReelWorkersFunc:
 * @data: as given to reel_workers_run()
 * @worker: which one this is: 0 is the caller
 * @n_workers: how many there are
 *
 * The work of each worker. It must not call reel_workers_run() of the same workers.
 */
typedef void (*ReelWorkersFunc) (gpointer data, gint worker, gint n_workers);

/**
 * ReelWorkersClaim:
 *
 * Items that workers take in chunks, first come, first served. Private fields.
 */
typedef struct
{
  _Atomic gint64 next;
  gint64 n_items, chunk;
} ReelWorkersClaim;

/**
 * reel_workers_new:
 * @n_workers: how many, the caller included, at most 1024; 0 for reel_cpu_count(), or fewer if the
 *   system refuses so many threads
 * @error: return location; REEL_ERROR_VALUE for a number out of range, REEL_ERROR_RUNTIME where the
 *   system refuses threads that were asked for by number
 *
 * Starts the threads, which wait. Idle threads spin for 50 µs and then sleep; they do not spin at
 * all where more workers are awake than there are CPUs.
 *
 * Returns: (transfer full): the workers, or NULL
 */
ReelWorkers *reel_workers_new (gint n_workers, GError **error);

/**
 * reel_workers_free:
 * @workers: (nullable) (transfer full): workers; no run may be under way
 *
 * Ends the threads.
 */
void reel_workers_free (ReelWorkers *workers);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelWorkers, reel_workers_free)

/**
 * reel_workers_count:
 * @workers: workers
 *
 * Any thread.
 *
 * Returns: how many there are, the caller included
 */
gint reel_workers_count (const ReelWorkers *workers);

/**
 * reel_workers_run:
 * @workers: workers
 * @fn: called once for each worker
 * @data: argument of @fn
 *
 * Runs the share of each worker and returns when all are done. The caller does the share of worker
 * 0, and then those that their threads have not begun: a thread that gets no CPU keeps nobody
 * waiting. All workers see earlier writes of the caller,
 * and the caller sees theirs afterwards. The wait has no deadline of its
 * own: it ends when @fn does, everywhere.
 */
void reel_workers_run (ReelWorkers *workers, ReelWorkersFunc fn, gpointer data);

/**
 * reel_workers_partition:
 * @n_items: how many items there are
 * @multiple: ranges begin at multiples of this; at least 1
 * @worker: which worker
 * @n_workers: of how many
 * @begin: (out): its first item
 * @end: (out): the item after its last; @begin where it has none
 *
 * Cuts items into contiguous ranges in the order of the workers, which differ by @multiple at most
 * but for the last, which takes the odd items too: no range but an empty or only one is shorter
 * than @multiple. Fewer than two multiples are one range. Any thread.
 */
void reel_workers_partition (gint64 n_items, gint64 multiple, gint worker, gint n_workers,
                             gint64 *begin, gint64 *end);

/**
 * reel_workers_claim_init:
 * @claim: (out caller-allocates): the claim
 * @n_items: how many items there are
 * @chunk: how many to take at a time; at least 1
 *
 * Makes all items free to be taken. Before the run.
 */
void reel_workers_claim_init (ReelWorkersClaim *claim, gint64 n_items, gint64 chunk);

/**
 * reel_workers_claim:
 * @claim: a claim
 * @begin: (out): the first item taken
 * @end: (out): the item after the last
 *
 * Takes the next chunk, by one atomic addition. Any thread.
 *
 * Returns: FALSE where none is left
 */
gboolean reel_workers_claim (ReelWorkersClaim *claim, gint64 *begin, gint64 *end);

G_END_DECLS
