/* How often a test asks for memory. */
#pragma once

#include <glib.h>

/* Whether allocations are counted: sanitizers have an allocator of their own. */
gboolean allocations_are_counted (void);

/* How often this thread has asked the C library for memory so far, whoever called it. Slices of
 * GLib are among them where G_SLICE is always-malloc, as the Makefile sets it. */
gint64 allocations_get_count (void);
