/* Work for libraries that do not survive bad data: done in a process of its own. Private to the
 * library. */
#pragma once

#include "../tensordict/tensordict.h"

#include <sys/types.h>

G_BEGIN_DECLS

/**
 * ReelIsolatedFunc:
 * @data: what it was given
 * @error: return location, of REEL_ERROR
 *
 * Works on a copy of all memory as it was: what it changes nobody sees. It may crash. No other
 * thread runs beside it, and locks that others held are never let go, but for those that
 * #ReelForkFunc waits for.
 *
 * Returns: (transfer full) (nullable): tensors, and beside them bools, whole numbers and lists of
 *   whole numbers
 */
typedef ReelTensordict *(*ReelIsolatedFunc) (gconstpointer data, GError **error);

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
 * @seconds: how long it may say nothing
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

G_END_DECLS
