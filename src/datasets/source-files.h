/* The raw files of a dataset: a tree in a directory. Private to the library. */
#pragma once

#include "../core/tensor/memory.h"

G_BEGIN_DECLS

/**
 * reel_source_resolve:
 * @from: a directory, or a `file://` URL of one
 * @error: VALUE for a URL of another kind, and for the path of anything but a directory;
 *   IO
 *
 * Returns: (transfer full): the path of the directory
 */
char *reel_source_resolve (const char *from, GError **error);

/**
 * reel_source_find:
 * @from: a directory
 * @names: (array zero-terminated=1): paths below it at which a file may be, the likeliest first
 * @error: VALUE where none is there, naming the first; IO
 *
 * Returns: (transfer full): the path of the first that is there
 */
char *reel_source_find (const char *from, const char *const *names, GError **error);

/**
 * reel_source_map:
 * @path: a file
 * @error: IO, or DAMAGED where it is no regular file
 *
 * Returns: (transfer full): its bytes, mapped for reading
 */
ReelMemory *reel_source_map (const char *path, GError **error);

G_END_DECLS
