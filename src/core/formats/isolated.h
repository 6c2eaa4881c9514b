/* Work for libraries that do not survive bad data: done in a process of its own. Private to the
 * library. */
#pragma once

#include "../tensordict/tensordict.h"

#include <sys/types.h>

G_BEGIN_DECLS

/**
 * ReelIsolatedFunc:
 * @data: what it was given
 * @line: for reel_isolated_tell()
 * @error: return location, of REEL_ERROR
 *
 * Works on a copy of all memory as it was: what it changes nobody sees. It may crash. No other
 * thread runs beside it, and locks that others held are never let go, but for those that
 * #ReelForkFunc waits for.
 *
 * Returns: (transfer full) (nullable): tensors, and beside them bools, whole numbers and lists of
 *   whole numbers
 */
typedef ReelTensordict *(*ReelIsolatedFunc) (gconstpointer data, int line, GError **error);

/**
 * ReelIsolatedTakeFunc:
 * @data: what reel_isolated_run_telling() was given
 * @numbers: (array length=n): what the child told at once, which may be wrong
 * @n: how many
 * @error: return location, of REEL_ERROR
 *
 * Takes numbers in the process that called, while the child goes on.
 *
 * Returns: whether the child is to go on
 */
typedef gboolean (*ReelIsolatedTakeFunc) (gpointer data, const gint64 *numbers, gint64 n,
                                          GError **error);

/**
 * reel_isolated_tell:
 * @line: from the arguments of a #ReelIsolatedFunc
 * @numbers: (array length=n): any numbers
 * @n: how many, at most REEL_ISOLATED_MOST
 *
 * Tells numbers to the process that called, in the child, and waits where they are taken more
 * slowly than they are told.
 */
void reel_isolated_tell (int line, const gint64 *numbers, gint64 n);

#define REEL_ISOLATED_MOST (1 << 20) /* numbers that are told at once */

/**
 * ReelForkFunc:
 *
 * Returns: what fork() returned, in both processes; −1 with errno set
 */
typedef pid_t (*ReelForkFunc) (void);

/**
 * reel_isolated_run:
 * @run: what to do
 * @data: for @run
 * @fork_func: (nullable): makes the child at a moment when what @run uses is in order, though other
 *   threads use it too; %NULL for fork()
 * @seconds: how long it may say nothing; one that never says anything is made a second time
 * @error: what @run said; DAMAGED where it crashed, or where a page of a mapped file was not there;
 *   TIMEOUT; RUNTIME where no process can be made
 *
 * Runs @run in a child of the process, and takes over what it gives. The child has no handlers of
 * signals, prints nothing and leaves no core. Any thread.
 *
 * Returns: (transfer full): a copy of what @run gave, its batch size `[]`
 */
ReelTensordict *reel_isolated_run (ReelIsolatedFunc run, gconstpointer data, ReelForkFunc fork_func,
                                   gint seconds, GError **error);

/**
 * reel_isolated_run_telling:
 * @run: what to do
 * @data: for @run
 * @take: (nullable): takes what @run tells meanwhile
 * @taker: for @take
 * @fork_func: (nullable): as in reel_isolated_run()
 * @seconds: how long it may say nothing
 * @error: as in reel_isolated_run(); what @take said, after which the child is ended
 *
 * reel_isolated_run() for a child that tells numbers before it is done.
 *
 * Returns: (transfer full): a copy of what @run gave, its batch size `[]`
 */
ReelTensordict *reel_isolated_run_telling (ReelIsolatedFunc run, gconstpointer data,
                                           ReelIsolatedTakeFunc take, gpointer taker,
                                           ReelForkFunc fork_func, gint seconds, GError **error);

G_END_DECLS
