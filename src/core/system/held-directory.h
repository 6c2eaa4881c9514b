/* A directory that is held by its descriptor, so that what its writer writes goes there wherever it
 * is moved, and never into another directory that has its path by then. Names are relative to it.
 * Errors are as in files.h and begin with the path that the directory had. One thread at a time.
 * Private to the library. */
#pragma once

#include "files.h"

G_BEGIN_DECLS

typedef struct _ReelHeldDirectory ReelHeldDirectory;

/**
 * reel_held_directory_new:
 * @path: a directory
 * @error: return location
 *
 * Returns: (transfer full): the directory
 */
ReelHeldDirectory *reel_held_directory_new (const char *path, GError **error);

/**
 * reel_held_directory_free:
 * @self: (transfer full) (nullable): a directory
 */
void reel_held_directory_free (ReelHeldDirectory *self);

/**
 * reel_held_directory_set_path:
 * @self: a directory
 * @path: where it is from now on
 *
 * For a directory that its own process renamed.
 */
void reel_held_directory_set_path (ReelHeldDirectory *self, const char *path);

/**
 * reel_held_directory_get_path:
 * @self: a directory
 *
 * For what reads files by their paths alone.
 *
 * Returns: a path that leads to it wherever it is moved, where the system has such paths
 *   (Linux: `/proc/self/fd`); else the one that it had
 */
const char *reel_held_directory_get_path (const ReelHeldDirectory *self);

/**
 * reel_held_directory_check_place:
 * @self: a directory
 * @error: return location; REEL_ERROR_RUNTIME where it was removed or moved
 *
 * Returns: whether its path still leads to it
 */
gboolean reel_held_directory_check_place (const ReelHeldDirectory *self, GError **error);

/**
 * reel_held_directory_contains:
 * @self: a directory
 * @name: a name in it
 * @fd: an open file
 *
 * Returns: whether @name is that file
 */
gboolean reel_held_directory_contains (const ReelHeldDirectory *self, const char *name, int fd);

/**
 * reel_held_directory_write:
 * @self: a directory
 * @files: small files; a @path is a name in @self
 * @n_files: how many
 * @error: return location
 *
 * Writes files durably so that each, at every moment, has its old content or its new one, as
 * reel_files_write_atomic() does. A symbolic link is replaced itself.
 *
 * Returns: whether all were written
 */
gboolean reel_held_directory_write (const ReelHeldDirectory *self, const ReelFileContent *files,
                                    gsize n_files, GError **error);

/**
 * reel_held_directory_sync:
 * @self: a directory
 * @names: files in it, written through shared mappings
 * @n: how many
 * @error: return location
 *
 * Makes the content of files durable, as reel_files_sync() does.
 *
 * Returns: whether all is durable
 */
gboolean reel_held_directory_sync (const ReelHeldDirectory *self, const char *const *names, gsize n,
                                   GError **error);

/**
 * reel_held_directory_remove_temporaries:
 * @self: a directory that nobody else writes
 * @name: a directory in it, or `.`
 * @error: return location
 *
 * Removes the temporary files (`.NAME.*.tmp`) of a killed writer.
 *
 * Returns: whether there are none
 */
gboolean reel_held_directory_remove_temporaries (const ReelHeldDirectory *self, const char *name,
                                                 GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelHeldDirectory, reel_held_directory_free)

G_END_DECLS
