/* Raw files of datasets on an HTTP server: how they are fetched, and servers that misbehave. The
 * server is of this program, on the loopback; the first directory of a path says what it does. */
#include "../src/core/system/directories.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <gio/gio.h>
#include <string.h>

#define TAG "\"one\""
#define MOST_HEAD 8192

static guint16 port;
static gint n_requests, n_ranges; /* atomic */

/* ---- the server ---- */

typedef struct
{
  GSocketConnection *connection;
  char *path;      /* behind the word */
  char *word;      /* what to do */
  gint64 range_at; /* −1 */
} Request;

static void
clear_request (Request *self)
{
  g_free (self->path);
  g_free (self->word);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, clear_request)

static gboolean
read_request (Request *self)
{
  GInputStream *in = g_io_stream_get_input_stream (G_IO_STREAM (self->connection));
  char head[MOST_HEAD] = "", *end;
  gsize n = 0;

  while (!strstr (head, "\r\n\r\n") && n + 1 < sizeof head)
    {
      gssize more = g_input_stream_read (in, head + n, sizeof head - 1 - n, NULL, NULL);

      if (more <= 0)
        return FALSE;
      n += (gsize) more;
      head[n] = '\0';
    }
  const char *range = strstr (head, "Range: bytes=");
  self->range_at = range ? g_ascii_strtoll (range + strlen ("Range: bytes="), NULL, 10) : -1;
  if (!g_str_has_prefix (head, "GET /") || !(end = strchr (head + 5, ' ')))
    return FALSE;
  *end = '\0';
  const char *slash = strchr (head + 5, '/');
  self->word = g_strndup (head + 5, slash ? (gsize) (slash - head - 5) : strlen (head + 5));
  self->path = g_uri_unescape_string (slash ? slash + 1 : "", NULL);
  g_atomic_int_inc (&n_requests);
  if (self->range_at >= 0)
    g_atomic_int_inc (&n_ranges);
  return TRUE;
}

static void
put (const Request *self, gconstpointer bytes, gsize n)
{
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));

  g_output_stream_write_all (out, bytes, n, NULL, NULL, NULL);
}

static void
say (const Request *self, const char *status, const char *type, gint64 length, const char *more)
{
  g_autofree char *head =
      g_strdup_printf ("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %" G_GINT64_FORMAT
                       "\r\nETag: " TAG "\r\nConnection: close\r\n%s\r\n",
                       status, type, length, more);

  put (self, head, strlen (head));
}

static void
say_page (const Request *self, const char *status, const char *page)
{
  say (self, status, "text/html; charset=utf-8", (gint64) strlen (page), "");
  put (self, page, strlen (page));
}

/* Until the client goes away. */
static void
stall (const Request *self)
{
  GSocket *socket = g_socket_connection_get_socket (self->connection);

  say (self, "200 OK", "application/octet-stream", 1000, "");
  put (self, "0123456789", 10);
  g_socket_condition_timed_wait (socket, G_IO_IN | G_IO_HUP, 120 * G_USEC_PER_SEC, NULL, NULL);
}

/* A directory is at its name with a slash, as servers have it. */
static void
list_directory (const Request *self, const char *file)
{
  g_autoptr (GDir) directory = g_dir_open (file, 0, NULL);
  g_autoptr (GString) page = g_string_new ("<html><a href=\"../\">up</a><a href='?sort'>s</a>");
  g_autofree char *location = g_strdup_printf ("Location: /%s/%s/\r\n", self->word, self->path);
  const char *name;

  if (!g_str_has_suffix (self->path, "/"))
    {
      say (self, "301 Moved", "text/html", 0, location);
      return;
    }
  while ((name = g_dir_read_name (directory)))
    g_string_append_printf (page, "<a href=\"%s\">x</a>", name);
  say_page (self, "200 OK", page->str);
}

static void
send_file (const Request *self, const char *bytes, gsize length)
{
  const gboolean ranges = !g_str_equal (self->word, "no-ranges");
  const gboolean is_cut = g_str_equal (self->word, "cut")
                          || (g_str_equal (self->word, "cut-once") && self->range_at < 0);
  gsize begin = ranges && self->range_at > 0 ? (gsize) self->range_at : 0;
  gint64 said = (gint64) (length - begin);
  g_autofree char *range = g_strdup_printf ("Content-Range: bytes %" G_GSIZE_FORMAT
                                            "-%" G_GSIZE_FORMAT "/%" G_GSIZE_FORMAT "\r\n",
                                            begin, length - 1, length);

  if (g_str_equal (self->word, "other-range"))
    begin = self->range_at < 0 ? 0 : 1;
  said += g_str_equal (self->word, "promises") ? 10 : g_str_equal (self->word, "hides") ? -10 : 0;
  if (g_str_equal (self->word, "other-range") && self->range_at >= 0)
    say (self, "206 Partial", "application/octet-stream", said, "Content-Range: bytes 1-2/3\r\n");
  else
    say (self, begin > 0 ? "206 Partial" : "200 OK", "application/octet-stream", said,
         begin > 0 ? range : "");
  put (self, bytes + begin,
       is_cut || (g_str_equal (self->word, "other-range") && self->range_at < 0)
           ? (length - begin) / 2
           : length - begin);
}

static void
serve_file (const Request *self)
{
  g_autofree char *file = scratch_path (self->path);
  g_autofree char *bytes = NULL;
  gsize length;

  if (g_file_test (file, G_FILE_TEST_IS_DIR))
    list_directory (self, file);
  else if (g_file_get_contents (file, &bytes, &length, NULL))
    send_file (self, bytes, length);
  else
    say_page (self, "404 Not Found", "<html>nothing");
}

static gboolean
serve (GThreadedSocketService *service, GSocketConnection *connection, GObject *source,
       gpointer data)
{
  g_auto (Request) self = { .connection = connection };
  g_autofree char *location = NULL;

  if (!read_request (&self))
    return TRUE;
  if (g_str_equal (self.word, "404"))
    say_page (&self, "404 Not Found", "<html>nothing");
  else if (g_str_equal (self.word, "500"))
    say_page (&self, "500 Internal Server Error", "<html>oops");
  else if (g_str_equal (self.word, "html"))
    say_page (&self, "200 OK", "<html>please log in");
  else if (g_str_equal (self.word, "loop"))
    {
      location = g_strdup_printf ("Location: /loop/%s\r\n", self.path);
      say (&self, "302 Found", "text/html", 0, location);
    }
  else if (g_str_equal (self.word, "elsewhere"))
    say (&self, "302 Found", "text/html", 0, "Location: file:///etc/passwd\r\n");
  else if (g_str_equal (self.word, "stall"))
    stall (&self);
  else if (!g_str_equal (self.word, "silent"))
    serve_file (&self);
  return TRUE;
}

/* ---- imports ---- */

static char *
make_url (const char *word, const char *below)
{
  return g_strdup_printf ("http://127.0.0.1:%u/%s/%s", port, word, below);
}

static ReelDataset *
import (const char *text, const char *url, GError **error)
{
  g_autofree char *root = scratch_path ("root");

  return reel_object_new_from_text (REEL_TYPE_DATASET, text, error, "from", url, "root", root,
                                    NULL);
}

static gint64
count_rows (ReelDataset *dataset)
{
  return reel_replay_buffer_get_length (reel_dataset_get_buffer (dataset));
}

static void
unpack (void)
{
  g_autoptr (json_t) npz = golden_dataset_open ("npz");
  g_autoptr (json_t) openx = golden_dataset_open ("openx");
}

/* Nothing is fetched a second time, unless it is forced. */
static void
test_files_are_fetched_once (void)
{
  g_autofree char *url = make_url ("good", "npz/packed");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) first = NULL, second = NULL, third = NULL;

  unpack ();
  first = import ("npz:mine", url, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (first), ==, 7);
  g_assert_true (reel_dataset_delete (first, NULL));
  const gint n = g_atomic_int_get (&n_requests);
  second = import ("npz:mine", url, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&n_requests), ==, n);
  third = import ("npz:mine,download=force", url, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&n_requests), >, n);
}

/* All files of a directory, and of those below it. */
static void
test_directories_are_fetched_as_a_whole (void)
{
  g_autofree char *archives = make_url ("good", "openx/cmu_stretch");
  g_autofree char *records = make_url ("good", "openx/tfrecord");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = NULL, other = NULL;

  unpack ();
  dataset = import ("openx:cmu_stretch", archives, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (dataset), ==, 12);
  other = import ("openx:cmu_stretch,download=force", records, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (other), ==, 12);
}

/* A connection that breaks is opened again, from where it broke where the server has ranges. */
static void
test_broken_downloads_are_resumed (void)
{
  g_autofree char *once = make_url ("cut-once", "npz/packed");
  g_autofree char *whole = make_url ("no-ranges", "npz/packed");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = NULL, other = NULL;

  unpack ();
  g_atomic_int_set (&n_ranges, 0);
  dataset = import ("npz:mine", once, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&n_ranges), ==, 1);
  g_assert_true (reel_dataset_delete (dataset, NULL));
  other = import ("npz:mine", whole, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (other), ==, 7);
}

/* The part of an earlier call is gone on with; a server without ranges begins again. */
static void
test_later_calls_go_on (void)
{
  g_autofree char *cut = make_url ("cut", "npz/packed"), *name = NULL, *cache = NULL, *part = NULL;
  g_autofree char *tag = NULL, *file = scratch_path ("npz/packed/mine.npz"), *bytes = NULL;
  g_autofree char *all = NULL, *good = make_url ("good", "npz/packed"), *good_name = NULL,
                  *good_part = NULL;
  g_autofree char *good_tag = NULL;
  g_autoptr (GError) failure = NULL, error = NULL;
  g_autoptr (ReelDataset) dataset = NULL;
  gsize length, n;

  unpack ();
  g_assert_null (import ("npz:mine", cut, &failure));
  name = g_uri_escape_string (cut + strlen ("http://"), NULL, TRUE);
  cache = g_build_filename (g_get_user_cache_dir (), "reel", "sources", NULL);
  part = g_build_filename (cache, name, "mine.npz.part", NULL);
  tag = g_build_filename (cache, name, "mine.npz.part.tag", NULL);
  g_assert_true (g_file_get_contents (part, &bytes, &n, NULL));
  g_assert_true (g_file_get_contents (file, &all, &length, NULL));
  g_assert_cmpuint (n, >, length / 2);
  g_assert_cmpuint (n, <, length);
  /* As if the other server had been left in the middle. */
  good_name = g_uri_escape_string (good + strlen ("http://"), NULL, TRUE);
  g_autofree char *good_cache = g_build_filename (cache, good_name, NULL);
  g_assert_true (reel_directory_remove (good_cache, NULL));
  g_assert_cmpint (g_mkdir_with_parents (good_cache, 0777), ==, 0);
  good_part = g_build_filename (good_cache, "mine.npz.part", NULL);
  good_tag = g_build_filename (good_cache, "mine.npz.part.tag", NULL);
  g_assert_cmpint (rename (part, good_part), ==, 0);
  g_assert_cmpint (rename (tag, good_tag), ==, 0);
  g_atomic_int_set (&n_ranges, 0);
  dataset = import ("npz:mine", good, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&n_ranges), ==, 1);
  g_assert_cmpint (count_rows (dataset), ==, 7);
}

/* Every error names the URL, and no dataset is there. */
static void
test_servers_that_misbehave_are_errors (void)
{
  static const struct
  {
    const char *word, *message;
  } cases[] = {
    { "404", "there is no file mine.npz" },
    { "500", "the server answered 500" },
    { "html", "a page of HTML in place of a file" },
    { "loop", "redirects" },
    { "elsewhere", "rotocol" },
    { "stall", "no byte came for 1 seconds" },
    { "silent", "127.0.0.1" },
    { "cut", "the server closed the connection after" },
    { "promises", "the server closed the connection after" },
    { "hides", "mine.npz" },
    { "other-range", "another range" },
  };
  g_autofree char *root = scratch_path ("root");

  unpack ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *url = make_url (cases[i].word, "npz/packed");
      g_autoptr (GError) error = NULL;

      if (g_str_equal (cases[i].word, "stall"))
        g_setenv ("REEL_HTTP_TIMEOUT", "1", TRUE);
      g_assert_null (import ("npz:mine", url, &error));
      g_test_message ("%s", error->message);
      g_assert_true (error->domain == REEL_ERROR);
      g_assert_nonnull (strstr (error->message, url));
      g_assert_nonnull (strstr (error->message, cases[i].message));
      if (g_file_test (root, G_FILE_TEST_EXISTS))
        scratch_assert_names (root, "");
      g_assert_null (import ("npz:mine", url, NULL));
      g_unsetenv ("REEL_HTTP_TIMEOUT");
    }
}

/* Nobody listens there. */
static void
test_no_server_is_an_error (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (import ("npz:mine", "http://127.0.0.1:1/x", &error));
  g_assert_nonnull (strstr (error->message, "http://127.0.0.1:1/x"));
}

static void
test_urls_may_come_from_the_environment (void)
{
  g_autofree char *url = make_url ("good", "npz"), *root = scratch_path ("root");
  g_autofree char *from = scratch_path ("npz/packed"), *to = scratch_path ("npz/arrays");
  g_autoptr (GError) error = NULL;

  unpack ();
  g_assert_cmpint (rename (from, to), ==, 0);
  g_setenv ("REEL_DATASETS_URL", url, TRUE);
  g_autoptr (ReelDataset) dataset =
      reel_object_new_from_text (REEL_TYPE_DATASET, "npz:mine", &error, "root", root, NULL);
  g_unsetenv ("REEL_DATASETS_URL");
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (dataset), ==, 7);
}

static gboolean
stop (const char *url, gint64 done, gint64 total, gpointer data)
{
  ++*(gint *) data;
  return FALSE;
}

static void
test_watchers_stop_downloads (void)
{
  g_autofree char *url = make_url ("stall", "npz/watched");
  g_autoptr (GError) error = NULL;
  gint n_calls = 0;

  reel_dataset_watch_downloads (stop, &n_calls);
  g_assert_null (import ("npz:mine", url, &error));
  reel_dataset_watch_downloads (NULL, NULL);
  g_assert_nonnull (strstr (error->message, "interrupted"));
  g_assert_cmpint (n_calls, >, 0);
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
  GMainLoop *loop = data;

  g_main_context_push_thread_default (g_main_loop_get_context (loop));
  g_autoptr (GSocketService) service = g_threaded_socket_service_new (20);
  start_server (service);
  g_socket_service_start (service);
  g_main_loop_run (loop);
  g_socket_service_stop (service);
  g_main_context_pop_thread_default (g_main_loop_get_context (loop));
  return NULL;
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = g_dir_make_tmp ("reel-test-XXXXXX", NULL);
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_setenv ("no_proxy", "*", TRUE);
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  GThread *thread = g_thread_new ("server", run_loop, loop);
  while (!g_main_loop_is_running (loop))
    g_usleep (1000);
  scratch_test ("/datasets/http/files-are-fetched-once", test_files_are_fetched_once);
  scratch_test ("/datasets/http/directories-are-fetched-as-a-whole",
                test_directories_are_fetched_as_a_whole);
  scratch_test ("/datasets/http/broken-downloads-are-resumed", test_broken_downloads_are_resumed);
  scratch_test ("/datasets/http/later-calls-go-on", test_later_calls_go_on);
  scratch_test ("/datasets/http/servers-that-misbehave-are-errors",
                test_servers_that_misbehave_are_errors);
  scratch_test ("/datasets/http/no-server-is-an-error", test_no_server_is_an_error);
  scratch_test ("/datasets/http/urls-may-come-from-the-environment",
                test_urls_may_come_from_the_environment);
  scratch_test ("/datasets/http/watchers-stop-downloads", test_watchers_stop_downloads);
  int result = g_test_run ();
  g_main_loop_quit (loop);
  g_thread_join (thread);
  g_assert_true (reel_directory_remove (cache, NULL));
  return result;
}
