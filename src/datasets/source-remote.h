/* Sources on servers: a directory of the cache has what was fetched, and a mark that says of where.
 * Private to source-files.c. */
#pragma once

#include "source-files.h"

G_BEGIN_DECLS

/**
 * reel_remote_open:
 * @from: an `http://`, `https://` or `hf://` URL
 * @again: whether files are fetched that were fetched before
 * @error: NOT_IMPLEMENTED where the library was built without libcurl; VALUE for an address that
 *   cannot be one; IO
 *
 * Returns: (transfer full): the directory of the cache
 */
char *reel_remote_open (const char *from, gboolean again, GError **error);

/**
 * reel_remote_provide:
 * @from: a directory
 * @name: a path below it
 * @path: the same, from where the program is
 * @shown: (inout) (nullable): becomes the URL of the source
 * @error: as reel_http_fetch()
 *
 * Fetches what a server has at @name, a file or all files of a directory and of those below it,
 * where @from is of a server.
 *
 * Returns: whether it went well, also where the server has nothing there
 */
gboolean reel_remote_provide (const char *from, const char *name, const char *path, char **shown,
                              GError **error);

/**
 * reel_remote_list:
 * @from: a directory
 * @directory: a path below it, or ""
 * @names: (out) (nullable) (transfer full) (array zero-terminated=1): what a server has there,
 *   directories with a slash at their end; %NULL where @from is of no server
 * @error: VALUE where it has nothing there; as reel_http_fetch()
 *
 * Returns: whether it went well
 */
gboolean reel_remote_list (const char *from, const char *directory, char ***names, GError **error);

G_END_DECLS
