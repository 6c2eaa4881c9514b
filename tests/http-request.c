#include "http-request.h"

#include <string.h>

#define MOST_HEAD 8192

void
http_request_clear (HttpRequest *self)
{
  g_free (self->path);
  g_free (self->word);
  g_free (self->condition);
}

gboolean
http_request_read (HttpRequest *self)
{
  GInputStream *in = g_io_stream_get_input_stream (G_IO_STREAM (self->connection));
  char head[MOST_HEAD] = "", *end;
  gsize n = 0;

  while (!strstr (head, "\r\n\r\n") && n + 1 < sizeof head)
    {
      gssize more = g_input_stream_read (in, head + n, sizeof head - 1 - n, NULL, NULL);

      if (more <= 0 || *head == '\x16') /* a client that wants encryption */
        return FALSE;
      n += (gsize) more;
      head[n] = '\0';
    }
  const char *range = strstr (head, "Range: bytes=");
  self->range_at = range ? g_ascii_strtoll (range + strlen ("Range: bytes="), NULL, 10) : -1;
  const char *condition = strstr (head, "If-Range: ");
  if (condition)
    self->condition = g_strndup (condition + 10, strcspn (condition + 10, "\r"));
  if (!g_str_has_prefix (head, "GET /") || !(end = strchr (head + 5, ' ')))
    return FALSE;
  *end = '\0';
  const char *slash = strchr (head + 5, '/');
  self->word = g_strndup (head + 5, slash ? (gsize) (slash - head - 5) : strlen (head + 5));
  self->path = g_uri_unescape_string (slash ? slash + 1 : "", NULL);
  return TRUE;
}

void
http_put (const HttpRequest *self, gconstpointer bytes, gsize n)
{
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));

  g_output_stream_write_all (out, bytes, n, NULL, NULL, NULL);
}

void
http_say (const HttpRequest *self, const char *status, const char *type, gint64 length,
          const char *more)
{
  g_autofree char *head =
      g_strdup_printf ("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %" G_GINT64_FORMAT
                       "\r\nETag: " HTTP_TAG "\r\nConnection: close\r\n%s\r\n",
                       status, type, length, more);

  http_put (self, head, strlen (head));
}

void
http_say_page (const HttpRequest *self, const char *status, const char *page)
{
  http_say (self, status, "text/html; charset=utf-8", (gint64) strlen (page), "");
  http_put (self, page, strlen (page));
}
