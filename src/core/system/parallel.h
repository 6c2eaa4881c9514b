/* Items of work that can fail, done by as many threads as there are CPUs. Private to the library.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelParallelFunc:
 * @data: as given to reel_parallel_run()
 * @item: which item
 * @error: return location
 *
 * Does one item, in any thread.
 *
 * Returns: whether it could be done
 */
typedef gboolean (*ReelParallelFunc) (gpointer data, gint64 item, GError **error);

/**
 * reel_parallel_run:
 * @n_threads: how many threads are worth having; no more than CPUs are taken
 * @n_items: how many items there are
 * @func: does one
 * @data: for @func
 * @error: that of the first item that failed, by number
 *
 * Does all items, each once, in the order of their numbers but side by side. After a failure no
 * further one is begun.
 *
 * Returns: whether all were done
 */
gboolean reel_parallel_run (gint64 n_threads, gint64 n_items, ReelParallelFunc func, gpointer data,
                            GError **error);

G_END_DECLS
