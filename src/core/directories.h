/* Directories: made, listed, put in place whole, removed, made durable. Interrupted calls are
 * repeated; messages begin with the path. Errors are REEL_ERROR_NO_SPACE where the disk or quota is
 * full, else REEL_ERROR_IO, unless said otherwise. Every call may be made from any thread. Private
 * to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_path_temporary:
 * @path: a file or directory that may or may not exist
 * @error: return location; REEL_ERROR_VALUE where @path has no last component of its own (empty,
 *   `/`, `.`, `..`)
 *
 * A name beside @path that no other call of this process returns and no other live process uses:
 * `.NAME.PID-N.tmp`.
 *
 * Returns: (transfer full): the path, or NULL
 */
char *reel_path_temporary (const char *path, GError **error);

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
 * reel_directory_make_temporary:
 * @path: where the directory is to stand in the end; its parent must exist
 * @error: return location; as reel_path_temporary()
 *
 * Makes an empty directory beside @path to be filled and then given to reel_directory_install() or
 * reel_directory_replace().
 *
 * Returns: (transfer full): its path, or NULL
 */
char *reel_directory_make_temporary (const char *path, GError **error);

/**
 * reel_directory_remove_abandoned:
 * @path: where a directory is about to be put
 *
 * Removes what reel_directory_make_temporary() made beside @path for processes that have ended
 * since: a draft that a kill left, or what it was to replace and had not been removed. Processes
 * are told by their numbers, so one of another machine or container counts as ended; it would have
 * to put a directory at @path this moment too, and gets an error. What cannot be removed stays.
 */
void reel_directory_remove_abandoned (const char *path);

/**
 * reel_directory_install:
 * @temporary: a directory
 * @path: its new name, in the same file system, where nothing may be yet
 * @durable: whether the name must survive a power loss from then on; the contents are the caller's
 *   to sync before
 * @error: return location
 *
 * Renames a directory and never replaces anything (RENAME_NOREPLACE; a file system without it is
 * asked first whether the name is free, which leaves a moment for another process to take it).
 * After an error, a failed sync too, @temporary is where it was.
 *
 * Returns: whether it stands at @path
 */
gboolean reel_directory_install (const char *temporary, const char *path, gboolean durable,
                                 GError **error);

/**
 * reel_directory_replace:
 * @temporary: a directory
 * @path: the name of the directory that it replaces, which may be missing; in the same file system
 * @durable: as reel_directory_install()
 * @leftover: (out) (optional) (transfer full) (nullable): where the old directory is if it could
 *   not be removed whole
 * @error: return location
 *
 * Exchanges two directories in one step (RENAME_EXCHANGE) and then removes the old one, so that
 * @path is one of the two at any moment. A file system without it needs two renames: a kill between
 * them leaves the old directory beside, as `.NAME.*.old`, and nothing at @path. With @durable the
 * exchange is on disk before the old one is touched. Something at @path that is no directory is
 * refused. After an error, a failed sync too, both are where they were.
 *
 * Returns: whether @temporary stands at @path; an old directory left over is no failure
 */
gboolean reel_directory_replace (const char *temporary, const char *path, gboolean durable,
                                 char **leftover, GError **error);

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
