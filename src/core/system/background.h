/* A thread that works ahead of another: it is told how far to go, and goes there in chunks. Private
 * to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelBackground:
 *
 * A thread, an offset up to which work is wanted, and one up to which it is done. Both begin at 0
 * and only grow.
 */
typedef struct _ReelBackground ReelBackground;

/**
 * ReelBackgroundFunc:
 * @data: as given to reel_background_new()
 * @begin: where the last call ended
 * @end: at most one chunk further
 * @error: return location
 *
 * Does the work from @begin to @end, on the background thread. After an error it is not called
 * again.
 *
 * Returns: whether it succeeded
 */
typedef gboolean (*ReelBackgroundFunc) (gpointer data, gint64 begin, gint64 end, GError **error);

/**
 * reel_background_new:
 * @name: the thread's name, also for messages
 * @chunk: the most to do in one call; a thread that is to stop finishes its chunk first
 * @fn: the work
 * @data: argument of @fn, which must live until reel_background_free() has returned TRUE
 * @error: return location; REEL_ERROR_RUNTIME where the system refuses the thread
 *
 * Starts the thread, which sleeps.
 *
 * Returns: (transfer full): the background, or NULL
 */
ReelBackground *reel_background_new (const char *name, gint64 chunk, ReelBackgroundFunc fn,
                                     gpointer data, GError **error);

/**
 * reel_background_request:
 * @background: a background
 * @end: the offset up to which work is wanted; one that is not beyond the last changes nothing
 *
 * Asks for work and does not wait. Wakes the thread where it sleeps, which takes some microseconds:
 * ask in large steps. Any thread.
 */
void reel_background_request (ReelBackground *background, gint64 end);

/**
 * reel_background_done:
 * @background: a background
 *
 * The caller sees all writes of the work up to there. Any thread.
 *
 * Returns: the offset up to which the work is done
 */
gint64 reel_background_done (ReelBackground *background);

/**
 * reel_background_wait:
 * @background: a background
 * @end: an offset that has been requested
 * @timeout: in microseconds
 * @error: return location; REEL_ERROR_TIMEOUT after @timeout, naming the thread and where it is; or
 *   the error of the work, as often as it is asked for
 *
 * Waits until the work is done up to @end. With a @timeout of 0 it only looks. Any thread.
 *
 * Returns: whether it is done
 */
gboolean reel_background_wait (ReelBackground *background, gint64 end, gint64 timeout,
                               GError **error);

/**
 * reel_background_free:
 * @background: (nullable) (transfer full): a background that no other thread uses any more
 * @timeout: in microseconds
 * @error: return location; REEL_ERROR_TIMEOUT where the work in hand did not end in time, naming
 *   the thread and the chunk
 *
 * Stops the thread after the chunk in hand and ends it. @background is gone in any case; after a
 * time-out the thread ends with its chunk, and until then its data must live.
 *
 * Returns: whether the thread has ended
 */
gboolean reel_background_free (ReelBackground *background, gint64 timeout, GError **error);

G_END_DECLS
