/* How much memory this process may yet take. */
#pragma once

#include "options.h"

G_BEGIN_DECLS

/* Bytes that the system can give without swapping, at most what the control groups (version 2) of
 * the process allow. G_MAXINT64 where the system does not say. */
gint64 free_memory (void);

/* Sets a NO_SPACE error, which begins with `what`, unless so many bytes are there. */
gboolean free_memory_check (const char *what, gint64 wanted, GError **error);

G_END_DECLS
