#include "http-server.h"

#include "http-hub.h"
#include "http-request.h"
#include "scratch.h"

#include <string.h>
#include <sys/socket.h>

gint http_server_n_requests, http_server_n_ranges, http_server_n_failures;

static guint16 port;
static GMainLoop *loop;
static GThread *thread;

guint16
http_server_get_port (void)
{
  return port;
}

/* ---- files ---- */

/* Until the client goes away. */
static void
stall (const HttpRequest *self)
{
  GSocket *socket = g_socket_connection_get_socket (self->connection);

  http_say (self, "200 OK", "application/octet-stream", 1000, "");
  http_put (self, "0123456789", 10);
  g_socket_condition_timed_wait (socket, G_IO_IN | G_IO_HUP, 120 * G_USEC_PER_SEC, NULL, NULL);
}

/* Bytes without an end, and without a length. */
static void
send_for_ever (const HttpRequest *self)
{
  static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
                             "Connection: close\r\n\r\n";
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));
  const char block[4096] = { 0 };

  http_put (self, head, strlen (head));
  while (g_output_stream_write_all (out, block, sizeof block, NULL, NULL, NULL))
    ;
}

/* The connection ends by a reset. */
static void
reset (const HttpRequest *self)
{
  const struct linger now = { 1, 0 };
  int fd = g_socket_get_fd (g_socket_connection_get_socket (self->connection));

  g_assert_cmpint (setsockopt (fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), ==, 0);
}

/* A directory is at its name with a slash, as servers have it. */
static void
list_directory (const HttpRequest *self, const char *file)
{
  g_autoptr (GDir) directory = g_dir_open (file, 0, NULL);
  g_autoptr (GString) page = g_string_new ("<html><a href=\"../\">up</a><a href='?sort'>s</a>");
  g_autofree char *location = g_strdup_printf ("Location: /%s/%s/\r\n", self->word, self->path);
  const char *name;

  if (!g_str_has_suffix (self->path, "/"))
    {
      http_say (self, "301 Moved", "text/html", 0, location);
      return;
    }
  while ((name = g_dir_read_name (directory)))
    {
      g_autofree char *path = g_build_filename (file, name, NULL);
      const gboolean slash =
          g_str_equal (self->word, "slashes") && g_file_test (path, G_FILE_TEST_IS_DIR);
      g_string_append_printf (page, "<a href=\"%s%s\">x</a>", name, slash ? "/" : "");
    }
  http_say_page (self, "200 OK", page->str);
}

static void
send_file (const HttpRequest *self, const char *bytes, gsize length)
{
  const gboolean ranges = !g_str_equal (self->word, "no-ranges");
  const gboolean is_cut =
      g_str_equal (self->word, "cut")
      || ((g_str_equal (self->word, "cut-once") || g_str_equal (self->word, "reset"))
          && self->range_at < 0);
  gsize begin = ranges && self->range_at > 0 ? (gsize) self->range_at : 0;
  gint64 said = (gint64) (length - begin);
  g_autofree char *range = g_strdup_printf ("Content-Range: bytes %" G_GSIZE_FORMAT
                                            "-%" G_GSIZE_FORMAT "/%" G_GSIZE_FORMAT "\r\n",
                                            begin, length - 1, length);

  if (g_str_equal (self->word, "other-range"))
    begin = self->range_at < 0 ? 0 : 1;
  said += g_str_equal (self->word, "promises") ? 10 : g_str_equal (self->word, "hides") ? -10 : 0;
  if (g_str_equal (self->word, "other-range") && self->range_at >= 0)
    http_say (self, "206 Partial", "application/octet-stream", said,
              "Content-Range: bytes 1-2/3\r\n");
  else
    http_say (self, begin > 0 ? "206 Partial" : "200 OK", "application/octet-stream", said,
              begin > 0 ? range : "");
  http_put (self, bytes + begin,
            is_cut || (g_str_equal (self->word, "other-range") && self->range_at < 0)
                ? (length - begin) / 2
                : length - begin);
}

/* Another file was there at first: half of it was sent. A client that asks for the rest and
 * does not say of which version gets the rest of the new one. */
static void
send_changed (const HttpRequest *self, const char *bytes, gsize length)
{
  g_autofree char *old = g_strnfill (length, 'x');

  if (self->range_at < 0)
    {
      g_autofree char *head = g_strdup_printf ("HTTP/1.1 200 OK\r\nContent-Length: %" G_GSIZE_FORMAT
                                               "\r\nETag: \"before\"\r\nConnection: close\r\n\r\n",
                                               length);
      http_put (self, head, strlen (head));
      http_put (self, old, length / 2);
      return;
    }
  const HttpRequest whole = { .connection = self->connection, .word = self->word, .range_at = -1 };
  send_file (self->condition && !g_str_equal (self->condition, HTTP_TAG) ? &whole : self, bytes,
             length);
}

/* The header says the checksum; the first times, or always, of other bytes. */
static void
send_with_sum (const HttpRequest *self, const char *bytes, gsize length)
{
  const gboolean wrong = g_str_equal (self->word, "sum-other")
                         || (g_str_equal (self->word, "sum-once")
                             && g_atomic_int_dec_and_test (&http_server_n_failures));
  g_autofree char *sum =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  g_autofree char *header = g_strdup_printf ("X-Linked-Etag: \"%s\"\r\n", sum);
  g_autofree char *other = g_strnfill (length, 'x');

  http_say (self, "200 OK", "application/octet-stream", (gint64) length, header);
  http_put (self, wrong ? other : bytes, length);
}

static void
serve_file (const HttpRequest *self)
{
  g_autofree char *file = scratch_path (self->path);
  g_autofree char *bytes = NULL;
  gsize length;

  if (g_file_test (file, G_FILE_TEST_IS_DIR))
    list_directory (self, file);
  else if (!g_file_get_contents (file, &bytes, &length, NULL))
    http_say_page (self, "404 Not Found", "<html>nothing");
  else if (g_str_equal (self->word, "changed"))
    send_changed (self, bytes, length);
  else if (g_str_has_prefix (self->word, "sum-"))
    send_with_sum (self, bytes, length);
  else
    send_file (self, bytes, length);
  if (g_str_equal (self->word, "reset") && self->range_at < 0)
    reset (self);
}

/* ---- the server ---- */

static gboolean
serve (GThreadedSocketService *service, GSocketConnection *connection, GObject *source,
       gpointer data)
{
  g_auto (HttpRequest) self = { .connection = connection };
  g_autofree char *location = NULL;

  if (!http_request_read (&self))
    return TRUE;
  g_atomic_int_inc (&http_server_n_requests);
  if (self.range_at >= 0)
    g_atomic_int_inc (&http_server_n_ranges);
  if (g_str_equal (self.word, "404"))
    http_say_page (&self, "404 Not Found", "<html>nothing");
  else if (g_str_equal (self.word, "500"))
    http_say_page (&self, "500 Internal Server Error", "<html>oops");
  else if (g_str_equal (self.word, "html"))
    http_say_page (&self, "200 OK", "<html>please log in");
  else if (g_str_equal (self.word, "loop"))
    {
      location = g_strdup_printf ("Location: /loop/%s\r\n", self.path);
      http_say (&self, "302 Found", "text/html", 0, location);
    }
  else if (g_str_equal (self.word, "elsewhere"))
    http_say (&self, "302 Found", "text/html", 0, "Location: file:///etc/passwd\r\n");
  else if (g_str_equal (self.word, "stall"))
    stall (&self);
  else if (g_str_equal (self.word, "endless"))
    send_for_ever (&self);
  else if (g_str_equal (self.word, "busy") && g_atomic_int_add (&http_server_n_failures, -1) > 0)
    http_say_page (&self, "503 Busy", "<html>wait");
  else if (g_str_has_prefix (self.word, "hub"))
    http_hub_serve (&self);
  else if (!g_str_equal (self.word, "silent"))
    serve_file (&self);
  return TRUE;
}

static void
start_server (GSocketService *service)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0), at = NULL;

  g_assert_true (g_socket_listener_add_address (G_SOCKET_LISTENER (service), any,
                                                G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL,
                                                &at, NULL));
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (at));
  g_signal_connect (service, "run", G_CALLBACK (serve), NULL);
}

/* The service accepts in a main loop, which runs in a thread of its own. */
static gpointer
run_loop (gpointer data)
{
  g_main_context_push_thread_default (g_main_loop_get_context (loop));
  g_autoptr (GSocketService) service = g_threaded_socket_service_new (20);
  start_server (service);
  g_socket_service_start (service);
  g_main_loop_run (loop);
  g_socket_service_stop (service);
  g_main_context_pop_thread_default (g_main_loop_get_context (loop));
  return NULL;
}

void
http_server_start (void)
{
  g_autoptr (GMainContext) context = g_main_context_new ();

  loop = g_main_loop_new (context, FALSE);
  thread = g_thread_new ("server", run_loop, NULL);
  while (!g_main_loop_is_running (loop))
    g_usleep (1000);
}

void
http_server_stop (void)
{
  g_main_loop_quit (loop);
  g_thread_join (thread);
  g_main_loop_unref (loop);
}
