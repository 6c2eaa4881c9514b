/* Numbered errands that threads do as they are sent, and that come back in the order in which they
 * ended. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelErrands:
 *
 * Threads, and a fixed number of errands. It belongs to one thread at a time, which sends them and
 * takes them back; not usable in a child after fork().
 */
typedef struct _ReelErrands ReelErrands;

/**
 * ReelErrandsFunc:
 * @data: as given to reel_errands_new()
 * @number: of the errand
 *
 * Does an errand, in any of the threads.
 */
typedef void (*ReelErrandsFunc) (gpointer data, gint64 number);

/**
 * reel_errands_new:
 * @n_threads: how many, 1 to 1024
 * @n: errands have the numbers 0 to @n - 1
 * @fn: does one
 * @data: argument of @fn
 * @error: RUNTIME where the system refuses a thread
 *
 * Starts the threads. Idle ones spin for 50 µs where there is a CPU for each, and then sleep.
 *
 * Returns: (transfer full): the threads, or %NULL
 */
ReelErrands *reel_errands_new (gint n_threads, gint64 n, ReelErrandsFunc fn, gpointer data,
                               GError **error);

/**
 * reel_errands_free:
 * @self: (nullable) (transfer full): errands
 *
 * Waits for those at work; those that no thread has begun are left undone.
 */
void reel_errands_free (ReelErrands *self);

/**
 * reel_errands_send:
 * @self: errands
 * @number: one that is not under way: never sent, or taken back since
 *
 * Errands begin in the order in which they are sent. The thread sees earlier writes of the caller.
 */
void reel_errands_send (ReelErrands *self, gint64 number);

/**
 * reel_errands_take:
 * @self: errands
 * @deadline: in microseconds of g_get_monotonic_time(), 0 for no wait, or -1 for no end of it
 *
 * Takes back the errand that ended first. The caller sees all that was written for it.
 *
 * Returns: its number, or -1 where none ended by then
 */
gint64 reel_errands_take (ReelErrands *self, gint64 deadline);

G_END_DECLS
