/* Directories: made, listed, removed, made durable. Interrupted calls are repeated; messages begin
 * with the path. Errors are REEL_ERROR_NO_SPACE where the disk or quota is full, else
 * REEL_ERROR_IO, unless said otherwise. Every call may be made from any thread. Private to the
 * library; directories that are put in place whole are in drafts.h. */
#pragma once

#include "paths.h"

G_BEGIN_DECLS

/**
 * reel_directory_make:
 * @path: the directory; it and its missing parents are made
 * @error: return location
 *
 * Makes a directory tree. That it is there already is no error.
 *
 * Returns: whether @path is a directory now
 */
gboolean reel_directory_make (const char *path, GError **error);

/**
 * reel_directory_make_durable:
 * @path: the directory; it and its missing parents are made
 * @error: return location
 *
 * reel_directory_make() whose new directories survive a power loss.
 *
 * Returns: whether @path is a directory now
 */
gboolean reel_directory_make_durable (const char *path, GError **error);

/**
 * reel_directory_make_unlinked:
 * @path: the directory, whose parent must exist
 * @error: return location
 *
 * Makes a directory where nothing is. That it is there already is no error, a symbolic link in its
 * place is.
 *
 * Returns: whether @path is a directory and no link
 */
gboolean reel_directory_make_unlinked (const char *path, GError **error);

/**
 * reel_directory_list:
 * @path: a directory
 * @error: return location
 *
 * The names in a directory, without `.` and `..`, in byte order.
 *
 * Returns: (transfer full): the names, to be freed with g_strfreev(), or NULL
 */
char **reel_directory_list (const char *path, GError **error);

/**
 * reel_directory_remove:
 * @path: a directory, a file or a symbolic link; not `/`, `.`, `..` or empty
 * @error: return location; REEL_ERROR_VALUE for a path that is refused
 *
 * Removes a directory with all that it holds. Symbolic links are removed, never followed. That
 * nothing is there is no error.
 *
 * Returns: whether nothing is there now
 */
gboolean reel_directory_remove (const char *path, GError **error);

/**
 * reel_directory_sync:
 * @path: a directory
 * @error: return location
 *
 * Makes the names in a directory survive a power loss: what was created, renamed or removed there
 * until now.
 *
 * Returns: whether they do
 */
gboolean reel_directory_sync (const char *path, GError **error);

/**
 * reel_directory_check_space:
 * @path: a directory, which need not exist yet
 * @needed: how many bytes are to be written below it
 * @error: return location; REEL_ERROR_NO_SPACE says how much is needed and how much there is
 *
 * Compares @needed with what the file system of @path, or of its nearest parent that exists, has
 * free for this user.
 *
 * Returns: whether it is enough
 */
gboolean reel_directory_check_space (const char *path, gint64 needed, GError **error);

G_END_DECLS
