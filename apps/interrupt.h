/* Ctrl-C, and what else asks a program to end. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on the first SIGINT or SIGTERM is noted, and calls @then (nullable), which may do only
 * what a signal handler may; the second ends the program at once. */
void interrupt_watch (void (*then) (void));

/* Whether one came. */
gboolean interrupt_came (void);

G_END_DECLS
