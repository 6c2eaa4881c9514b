/* Directories that go away with what made them, at the latest at the end of the process. Private to
 * the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelExitDirectory:
 *
 * One directory that is to be removed.
 */
typedef struct _ReelExitDirectory ReelExitDirectory;

/**
 * reel_exit_directory_new:
 * @path: a directory that is there
 *
 * From now on @path is removed by exit(), or by the end of main(), of the process that asked for
 * it, not of its children. Any thread.
 *
 * Returns: (transfer full): what takes it away earlier
 */
ReelExitDirectory *reel_exit_directory_new (const char *path);

/**
 * reel_exit_directory_remove:
 * @self: (transfer full): a directory, removed now
 * @removed: (out): whether it was there
 * @error: IO
 *
 * Leaves alone what another process asked for. Any thread.
 *
 * Returns: whether it is done
 */
gboolean reel_exit_directory_remove (ReelExitDirectory *self, gboolean *removed, GError **error);

G_END_DECLS
