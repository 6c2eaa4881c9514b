/* The raw files of a dataset: a tree in a directory, or on a server, of which a directory of the
 * cache has what was fetched. Private to the library. */
#pragma once

#include "../core/tensor/memory.h"

G_BEGIN_DECLS

/**
 * reel_source_is_remote:
 * @from: a source
 *
 * Returns: whether it is an `http://` or `https://` URL
 */
gboolean reel_source_is_remote (const char *from);

/**
 * reel_source_resolve:
 * @from: a directory, a `file://` URL of one, or an `http://` or `https://` URL
 * @again: whether files of a server are fetched that were fetched before
 * @error: VALUE for a URL of another kind, and for the path of anything but a directory;
 *   NOT_IMPLEMENTED for a server where the library was built without libcurl; IO
 *
 * Returns: (transfer full): the path of the directory; that of a server is in the cache, and
 *   reel_source_find() fills it
 */
char *reel_source_resolve (const char *from, gboolean again, GError **error);

/**
 * ReelSourceFunc:
 * @url: of the file that is fetched
 * @done: bytes that are there
 * @total: bytes of the file, 0 where the server does not say
 * @data: for the function
 *
 * Returns: whether to go on
 */
typedef gboolean (*ReelSourceFunc) (const char *url, gint64 done, gint64 total, gpointer data);

/**
 * reel_source_watch:
 * @func: (nullable): told of what is fetched from now on
 * @data: for @func
 */
void reel_source_watch (ReelSourceFunc func, gpointer data);

/**
 * reel_source_find:
 * @from: a directory
 * @names: (array zero-terminated=1): paths below it at which a file may be, the likeliest first
 * @error: VALUE where none is there, naming the first; as reel_http_fetch(); IO
 *
 * Of a server, the first that is there is fetched: a file, or all files of a directory and of those
 * below it, as its page lists them.
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
