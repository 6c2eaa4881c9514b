/* Starting a thread of the library. Private to the library. */
#pragma once

#include <glib.h>
#include <pthread.h>

G_BEGIN_DECLS

/**
 * reel_thread_start:
 * @thread: (out): the thread, to be joined or detached
 * @name: shown by debuggers, cut after 15 bytes
 * @run: what it does
 * @data: argument of @run
 *
 * Starts a thread that takes no signal but those that its own instructions raise, such as SIGBUS:
 * the others are for the program's own threads. Any thread.
 *
 * Returns: 0, or the errno of pthread_create()
 */
int reel_thread_start (pthread_t *thread, const char *name, void *(*run) (void *), void *data);

G_END_DECLS
