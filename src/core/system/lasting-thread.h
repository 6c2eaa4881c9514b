/* A thread that lasts as long as the process. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_lasting_thread_run:
 * @run: a function that does not call this one
 * @data: its argument
 *
 * Runs @run in a thread that never ends, and waits for it. The system kills the child of a process
 * when the thread that forked it ends, where PR_SET_PDEATHSIG asks for that: children are forked
 * here. Any thread; one @run at a time.
 */
void reel_lasting_thread_run (void (*run) (gpointer data), gpointer data);

G_END_DECLS
