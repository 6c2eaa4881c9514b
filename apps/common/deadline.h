/* The time after which a program is to end. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From so many seconds on deadline_passed() is true. Then `passed` is called, which may do only
 * what a signal handler may. */
void deadline_watch (double seconds, void (*passed) (void));

/* Whether that time is over; FALSE where none was set. */
gboolean deadline_passed (void);

G_END_DECLS
