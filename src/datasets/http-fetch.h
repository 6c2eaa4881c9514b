/* Files of an HTTP server, fetched by libcurl. Private to source-remote.c and
 * source-hub.c. */
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
 * reel_http_watch:
 * @func: (nullable): told of what is fetched from now on, once a second at least
 * @data: for @func
 */
void reel_http_watch (ReelHttpFunc func, gpointer data);

/**
 * ReelHttpAnswer:
 * @kind: what there was
 * @index: (nullable): the page that lists a directory
 * @next: (nullable): the URL of the page after this one, where the server names it
 *
 * The answer of a server.
 */
typedef struct
{
  ReelHttpKind kind;
  char *index, *next;
} ReelHttpAnswer;

/**
 * reel_http_answer_clear:
 * @self: an answer, or zeros
 */
void reel_http_answer_clear (ReelHttpAnswer *self);

/**
 * reel_http_fetch:
 * @url: a URL
 * @path: the file to make, in a directory that is there
 * @sha256: (nullable): its checksum, in lower-case hexadecimal, where it is known
 * @answer: (out caller-allocates): what there was, for reel_http_answer_clear()
 * @error: RUNTIME naming the URL and the fault of the server; DAMAGED where the checksum of the
 * file is twice another than @sha256, or than the header `X-Linked-Etag` of the server says;
 * TIMEOUT where it stalls; VALUE naming `REEL_HTTP_LIMIT` or `REEL_HTTP_TIMEOUT`; NO_SPACE, IO
 *
 * Fetches a file. Bytes go to `PATH.part`, from where a later call goes on if the server has ranges
 * and the file did not change; the whole file gets its name last, and is synced before. A server
 * that is busy or fails is asked three times in all.
 *
 * Returns: whether it went well
 */
gboolean reel_http_fetch (const char *url, const char *path, const char *sha256,
                          ReelHttpAnswer *answer, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelHttpAnswer, reel_http_answer_clear)

G_END_DECLS
