/* Files of an HTTP server, fetched by libcurl. Private to source-files.c. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelHttpKind:
 * @REEL_HTTP_FILE: a file
 * @REEL_HTTP_INDEX: the page that lists a directory
 * @REEL_HTTP_MISSING: nothing
 *
 * The thing at a URL.
 */
typedef enum
{
  REEL_HTTP_FILE,
  REEL_HTTP_INDEX,
  REEL_HTTP_MISSING,
} ReelHttpKind;

/**
 * ReelHttpFunc:
 * @url: of the file
 * @done: bytes that are there
 * @total: bytes of the file, 0 where the server does not say
 * @data: for the function
 *
 * Returns: whether to go on
 */
typedef gboolean (*ReelHttpFunc) (const char *url, gint64 done, gint64 total, gpointer data);

/**
 * reel_http_fetch:
 * @url: a URL
 * @path: the file to make
 * @progress: (nullable): told of what came, once a second at least
 * @data: for @progress
 * @kind: (out): what there was
 * @index: (out) (transfer full) (nullable): the page, where it is one
 * @error: RUNTIME naming the URL and the fault of the server; TIMEOUT where it stalls; NO_SPACE, IO
 *
 * Fetches a file. Bytes go to `PATH.part`, from where a later call goes on if the server has ranges
 * and the file did not change; the whole file gets its name last, and is synced before.
 *
 * Returns: whether it went well
 */
gboolean reel_http_fetch (const char *url, const char *path, ReelHttpFunc progress, gpointer data,
                          ReelHttpKind *kind, char **index, GError **error);

G_END_DECLS
