/* The raw files of a dataset: a tree in a directory, or on a server, of which a directory of the
 * cache has what was fetched. Private to the library. */
#pragma once

#include "../core/tensor/memory.h"

G_BEGIN_DECLS

/**
 * reel_source_is_remote:
 * @from: a source
 *
 * Returns: whether it is an `http://`, `https://` or `hf://` URL
 */
gboolean reel_source_is_remote (const char *from);

/**
 * reel_source_resolve:
 * @from: a directory, a `file://` URL of one, an `http://` or `https://` URL, or the `hf://` URL of
 *   repositories on the server of Hugging Face's kind that `HF_ENDPOINT` names
 * @again: whether files of a server are fetched that were fetched before
 * @error: VALUE for a URL of another kind, and for the path of anything but a directory;
 *   NOT_IMPLEMENTED for a server where the library was built without libcurl; IO
 *
 * Returns: (transfer full): the path of the directory; that of a server is in the cache, and
 *   reel_source_find() fills it
 */
char *reel_source_resolve (const char *from, gboolean again, GError **error);

/**
 * reel_source_is_served:
 * @from: a directory that reel_source_resolve() found
 * @is_served: (out): whether a server fills it
 * @error: IO
 *
 * Returns: whether it went well
 */
gboolean reel_source_is_served (const char *from, gboolean *is_served, GError **error);

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
 * reel_source_list:
 * @from: a directory that reel_source_resolve() found
 * @directory: a path below it; "" for itself
 * @error: VALUE where it is not there; as reel_http_fetch(); IO
 *
 * Lists a directory as it is now; of a server, no file is fetched.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names in it, those of directories with a
 *   slash at their end
 */
char **reel_source_list (const char *from, const char *directory, GError **error);

/**
 * reel_source_select:
 * @from: (nullable): a directory that reel_source_resolve() found
 * @ids: (array zero-terminated=1): paths of directories
 * @prefix: what may precede them in @from, such as `vd4rl/`
 * @error: as reel_source_list()
 *
 * Returns: (transfer full) (array zero-terminated=1): those of @ids that are there; all without
 *   @from
 */
char **reel_source_select (const char *from, const char *const *ids, const char *prefix,
                           GError **error);

/**
 * reel_source_map:
 * @path: a file
 * @error: IO, or DAMAGED where it is no regular file
 *
 * Returns: (transfer full): its bytes, mapped for reading
 */
ReelMemory *reel_source_map (const char *path, GError **error);

G_END_DECLS
