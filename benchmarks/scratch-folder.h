/* A folder for the files of a benchmark. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * scratch_folder_make:
 *
 * Makes a folder in the current one, which is on the disk that is meant, unlike /tmp on some
 * systems.
 *
 * Returns: (transfer full): its path
 */
char *scratch_folder_make (void);

/**
 * scratch_folder_remove:
 * @path: a file or folder; nothing is fine
 *
 * Removes it with all that is in it.
 */
void scratch_folder_remove (const char *path);

G_END_DECLS
