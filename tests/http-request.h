/* A request that a server of tests got, and answers to it. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The version of every file. */
#define HTTP_TAG "\"one\""

typedef struct
{
  GSocketConnection *connection;
  char *path;      /* behind the word */
  char *word;      /* what to do */
  char *condition; /* If-Range; NULL */
  gint64 range_at; /* −1 */
} HttpRequest;

/* Whether it is one that can be answered. */
gboolean http_request_read (HttpRequest *self);
void http_request_clear (HttpRequest *self);

/* Sends bytes. */
void http_put (const HttpRequest *self, gconstpointer bytes, gsize n);

/* Sends a head, with @more header lines. */
void http_say (const HttpRequest *self, const char *status, const char *type, gint64 length,
               const char *more);

/* Sends a page of HTML. */
void http_say_page (const HttpRequest *self, const char *status, const char *page);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HttpRequest, http_request_clear)

G_END_DECLS
