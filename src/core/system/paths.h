/* Paths: their names, and what is there. Every call may be made from any thread. Private to the
 * library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_TEMPORARY_SUFFIX:
 *
 * How the name of everything ends that is still being written.
 */
#define REEL_TEMPORARY_SUFFIX ".tmp"

/**
 * reel_path_without_end_slashes:
 * @path: a path
 *
 * `runs/a//` is `runs/a`, `//` is `/`: a symbolic link with a slash is still the link.
 *
 * Returns: (transfer full): the path
 */
char *reel_path_without_end_slashes (const char *path);

/**
 * reel_path_cut_name:
 * @path: a path
 * @parent: (out) (transfer full): the directory of it
 * @name: (out) (transfer full): its last component, which must be a name
 * @error: VALUE where @path has no last component of its own
 *
 * Returns: whether it was split; else both are %NULL
 */
gboolean reel_path_cut_name (const char *path, char **parent, char **name, GError **error);

/**
 * reel_path_beside:
 * @path: a file or directory that may or may not exist
 * @suffix: how the name ends
 * @error: return location; REEL_ERROR_VALUE where @path has no last component of its own (empty,
 *   `/`, `.`, `..`)
 *
 * A name beside @path that no other call of this process returns: `.NAME.PID-N` and @suffix. A
 * process of the same number, of another container or one that was killed, can have taken it.
 *
 * Returns: (transfer full): the path, or NULL
 */
char *reel_path_beside (const char *path, const char *suffix, GError **error);

/**
 * reel_path_temporary:
 * @path: as reel_path_beside()
 * @error: as reel_path_beside()
 *
 * Returns: (transfer full): `.NAME.PID-N.tmp` beside @path, or NULL
 */
char *reel_path_temporary (const char *path, GError **error);

/**
 * ReelPathKind:
 * @REEL_PATH_MISSING: nothing is there
 * @REEL_PATH_FILE: a regular file
 * @REEL_PATH_DIRECTORY: a directory
 * @REEL_PATH_OTHER: a symbolic link that leads nowhere, a device, a pipe, a socket
 *
 * The kind of a path's target.
 */
typedef enum
{
  REEL_PATH_MISSING,
  REEL_PATH_FILE,
  REEL_PATH_DIRECTORY,
  REEL_PATH_OTHER,
} ReelPathKind;

/**
 * reel_path_query:
 * @path: the path, symbolic links are followed
 * @kind: (out): what is there
 * @size: (out) (optional): bytes of a regular file, else 0
 * @error: return location
 *
 * Looks at a path. That nothing is there is no error.
 *
 * Returns: FALSE where the system would not say (no permission, a fault of the disk)
 */
gboolean reel_path_query (const char *path, ReelPathKind *kind, gint64 *size, GError **error);

/**
 * reel_path_check_exists:
 * @path: a path that somebody has named, symbolic links are followed
 * @error: IO where nothing is there, which is no damage of what would be
 *
 * Returns: whether something is there
 */
gboolean reel_path_check_exists (const char *path, GError **error);

/**
 * reel_path_kind_error:
 * @where: a path
 * @expected: what should be there
 * @found: what is
 * @error: DAMAGED, always set
 *
 * Returns: FALSE
 */
gboolean reel_path_kind_error (const char *where, const char *expected, ReelPathKind found,
                               GError **error);

G_END_DECLS
