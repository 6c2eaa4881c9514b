/* An HTTP server on the loopback, which misbehaves as it is asked: the first directory of a path is
 * a word that says how, and the rest is a file of the scratch directory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Requests that it got, and those of a range. Atomic. */
extern gint http_server_n_requests, http_server_n_ranges;

/* Failures that are still to come, of words that fail for a time. Atomic. */
extern gint http_server_n_failures;

/* Starts it in a thread; after g_test_init(). */
void http_server_start (void);
void http_server_stop (void);

guint16 http_server_get_port (void);

G_END_DECLS
