/* Runs and saved buffers below a directory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What was found at a path; numbers are −1 and texts NULL where nothing says them. */
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
 * `directory` itself where it is one. What cannot be read is said on stderr and passed over. */
GPtrArray *found_buffers_list (const char *directory, gint64 depth, GError **error);

G_END_DECLS
