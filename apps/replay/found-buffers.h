/* Runs and saved buffers below a directory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A buffer at a path; unknown numbers are −1, unknown texts NULL. */
typedef struct
{
  char *path;
  const char *state; /* "", "live", "killed" or "damaged" */
  char *fault;       /* of one that is damaged */
  char *env;
  char *policy;
  gint64 seed;
  gint64 rows;
  gint64 capacity;
  gint64 episodes;    /* whole ones */
  double mean_return; /* NaN where there is none */
  gint64 bytes;       /* on disk */
  gint64 modified;    /* seconds since 1970 */
} FoundBuffer;

/* (element-type FoundBuffer): those in `directory` or at most `depth` levels below it, by path;
 * `directory` itself where it is one. Unreadable ones are named on stderr and skipped. */
GPtrArray *found_buffers_list (const char *directory, gint64 depth, GError **error);

G_END_DECLS
