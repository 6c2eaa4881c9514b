/* Ctrl-C, and what else asks a program to end. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on the first SIGINT, SIGTERM or SIGHUP is noted, and calls @first (nullable). The second
 * calls @second and ends the program at once; where that is NULL, no others count. Both may do only
 * what a signal handler may. */
void interrupt_watch (void (*first) (void), void (*second) (void));

/* For the second, where nothing is to be done. */
void interrupt_end (void);

/* Whether one came. */
gboolean interrupt_came (void);

/* The exit status then, as shells have it: 130, 143 or 129; 0 where none came. */
int interrupt_status (void);

G_END_DECLS
