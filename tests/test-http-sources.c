/* Raw files of datasets on an HTTP server: how they are fetched, and servers that misbehave. The
 * server is of this program, on the loopback; the first directory of a path says what it does. */
#include "../src/core/system/directories.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/socket.h>

#define TAG "\"one\""
#define MOST_HEAD 8192

static guint16 port;
static gint n_requests, n_ranges, n_failures; /* atomic; failures that are still to come */

/* ---- the server ---- */

typedef struct
{
  GSocketConnection *connection;
  char *path;      /* behind the word */
  char *word;      /* what to do */
  char *condition; /* If-Range; NULL */
  gint64 range_at; /* −1 */
} Request;

static void
clear_request (Request *self)
{
  g_free (self->path);
  g_free (self->word);
  g_free (self->condition);
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

/* Bytes without an end, and without a length. */
static void
send_for_ever (const Request *self)
{
  static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
                             "Connection: close\r\n\r\n";
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));
  const char block[4096] = { 0 };

  put (self, head, strlen (head));
  while (g_output_stream_write_all (out, block, sizeof block, NULL, NULL, NULL))
    ;
}

/* The connection ends by a reset. */
static void
reset (const Request *self)
{
  const struct linger now = { 1, 0 };
  int fd = g_socket_get_fd (g_socket_connection_get_socket (self->connection));

  g_assert_cmpint (setsockopt (fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), ==, 0);
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
    {
      g_autofree char *path = g_build_filename (file, name, NULL);
      const gboolean slash =
          g_str_equal (self->word, "slashes") && g_file_test (path, G_FILE_TEST_IS_DIR);
      g_string_append_printf (page, "<a href=\"%s%s\">x</a>", name, slash ? "/" : "");
    }
  say_page (self, "200 OK", page->str);
}

static void
send_file (const Request *self, const char *bytes, gsize length)
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
    say (self, "206 Partial", "application/octet-stream", said, "Content-Range: bytes 1-2/3\r\n");
  else
    say (self, begin > 0 ? "206 Partial" : "200 OK", "application/octet-stream", said,
         begin > 0 ? range : "");
  put (self, bytes + begin,
       is_cut || (g_str_equal (self->word, "other-range") && self->range_at < 0)
           ? (length - begin) / 2
           : length - begin);
}

/* Another file was there at first: half of it was sent. A client that asks for the rest and
 * does not say of which version gets the rest of the new one. */
static void
send_changed (const Request *self, const char *bytes, gsize length)
{
  g_autofree char *old = g_strnfill (length, 'x');

  if (self->range_at < 0)
    {
      g_autofree char *head = g_strdup_printf ("HTTP/1.1 200 OK\r\nContent-Length: %" G_GSIZE_FORMAT
                                               "\r\nETag: \"before\"\r\nConnection: close\r\n\r\n",
                                               length);
      put (self, head, strlen (head));
      put (self, old, length / 2);
      return;
    }
  const Request whole = { .connection = self->connection, .word = self->word, .range_at = -1 };
  send_file (self->condition && !g_str_equal (self->condition, TAG) ? &whole : self, bytes, length);
}

/* The header says the checksum; the first times, or always, of other bytes. */
static void
send_with_sum (const Request *self, const char *bytes, gsize length)
{
  const gboolean wrong =
      g_str_equal (self->word, "sum-other")
      || (g_str_equal (self->word, "sum-once") && g_atomic_int_dec_and_test (&n_failures));
  g_autofree char *sum =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  g_autofree char *header = g_strdup_printf ("X-Linked-Etag: \"%s\"\r\n", sum);
  g_autofree char *other = g_strnfill (length, 'x');

  say (self, "200 OK", "application/octet-stream", (gint64) length, header);
  put (self, wrong ? other : bytes, length);
}

static void
serve_file (const Request *self)
{
  g_autofree char *file = scratch_path (self->path);
  g_autofree char *bytes = NULL;
  gsize length;

  if (g_file_test (file, G_FILE_TEST_IS_DIR))
    list_directory (self, file);
  else if (!g_file_get_contents (file, &bytes, &length, NULL))
    say_page (self, "404 Not Found", "<html>nothing");
  else if (g_str_equal (self->word, "changed"))
    send_changed (self, bytes, length);
  else if (g_str_has_prefix (self->word, "sum-"))
    send_with_sum (self, bytes, length);
  else
    send_file (self, bytes, length);
  if (g_str_equal (self->word, "reset") && self->range_at < 0)
    reset (self);
}

/* ---- repositories: OWNER/NAME is a directory of the scratch directory ---- */

/* Of the word "hub-other" the checksums are of other files. */
static json_t *
describe_entry (const Request *self, const char *below, const char *inside)
{
  g_autofree char *file = scratch_path (below), *bytes = NULL, *sum = NULL;
  gsize length;

  if (g_file_test (file, G_FILE_TEST_IS_DIR))
    return json_pack ("{s:s, s:s}", "type", "directory", "path", inside);
  g_assert_true (g_file_get_contents (file, &bytes, &length, NULL));
  length += g_str_equal (self->word, "hub-other");
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  return json_pack ("{s:s, s:s, s:{s:s}}", "type", "file", "path", inside, "lfs", "oid", sum);
}

static void
add_tree (const Request *self, json_t *entries, const char *repository, const char *path,
          gboolean recursive)
{
  g_autofree char *below = g_build_filename (repository, path, NULL);
  g_autofree char *directory = scratch_path (below);
  g_autoptr (GDir) names = g_dir_open (directory, 0, NULL);
  const char *name;

  while (names && (name = g_dir_read_name (names)))
    {
      g_autofree char *inside = *path ? g_strconcat (path, "/", name, NULL) : g_strdup (name);
      g_autofree char *entry = g_build_filename (repository, inside, NULL);
      json_t *described = describe_entry (self, entry, inside);

      json_array_append_new (entries, described);
      if (recursive && !json_object_get (described, "lfs"))
        add_tree (self, entries, repository, inside, TRUE);
    }
}

/* An entry a page. */
static void
say_entries (const Request *self, json_t *entries, const char *url)
{
  const char *cursor = strstr (self->path, "cursor=");
  const gint64 at = cursor ? g_ascii_strtoll (cursor + 7, NULL, 10) : 0;
  g_autoptr (json_t) page = json_array ();
  g_autofree char *text = NULL, *next = NULL;

  if (json_array_get (entries, (gsize) at))
    json_array_append (page, json_array_get (entries, (gsize) at));
  text = json_dumps (page, 0);
  next = (gsize) at + 1 < json_array_size (entries)
             ? g_strdup_printf ("Link: <http://127.0.0.1:%u/%s/%s%ccursor=%" G_GINT64_FORMAT
                                ">; rel=\"next\"\r\n",
                                port, self->word, url, strchr (url, '?') ? '&' : '?', at + 1)
             : g_strdup ("");
  say (self, "200 OK", "application/json", (gint64) strlen (text), next);
  put (self, text, strlen (text));
}

static void
serve_tree (const Request *self, const char *owner, const char *name, const char *path)
{
  g_autofree char *repository = g_build_filename (owner, name, NULL);
  g_autofree char *below = g_build_filename (repository, path, NULL), *file = scratch_path (below);
  const gboolean recursive = strstr (self->path, "recursive=true") != NULL;
  g_autofree char *url = g_strdup_printf ("api/datasets/%s/%s/tree/main/%s%s", owner, name, path,
                                          recursive ? "?recursive=true" : "");
  g_autoptr (json_t) entries = json_array ();

  if (!g_file_test (file, G_FILE_TEST_IS_DIR))
    {
      say_page (self, "404 Not Found", "<html>nothing");
      return;
    }
  add_tree (self, entries, repository, path, recursive);
  say_entries (self, entries, url);
}

static void
serve_owner (const Request *self)
{
  const char *owner = strstr (self->path, "author=") + 7;
  g_autofree char *name = g_strndup (owner, strcspn (owner, "&")), *directory = scratch_path (name);
  g_autofree char *url = g_strdup_printf ("api/datasets?author=%s", name);
  g_autoptr (GDir) names = g_dir_open (directory, 0, NULL);
  g_autoptr (json_t) entries = json_array ();
  const char *below;

  while (names && (below = g_dir_read_name (names)))
    {
      g_autofree char *path = g_build_filename (directory, below, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        json_array_append_new (entries,
                               json_pack ("{s:o}", "id", json_sprintf ("%s/%s", name, below)));
    }
  say_entries (self, entries, url);
}

/* A file is elsewhere; the redirect says its checksum. */
static void
serve_repository_file (const Request *self, const char *below)
{
  g_autofree char *file = scratch_path (below), *bytes = NULL, *sum = NULL, *header = NULL;
  gsize length;

  if (!g_file_get_contents (file, &bytes, &length, NULL))
    {
      say_page (self, "404 Not Found", "<html>nothing");
      return;
    }
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  header = g_strdup_printf ("Location: /good/%s\r\nX-Linked-Etag: \"%s\"\r\n", below, sum);
  say (self, "302 Found", "text/html", 0, header);
}

static void
serve_hub (const Request *self)
{
  g_autofree char *plain = g_strndup (self->path, strcspn (self->path, "?"));
  g_auto (GStrv) parts = g_strsplit (plain, "/", 7);
  const guint n = g_strv_length (parts);

  if (g_str_has_prefix (self->path, "api/datasets?author="))
    serve_owner (self);
  else if (n >= 6 && g_str_equal (parts[0], "api") && g_str_equal (parts[4], "tree"))
    serve_tree (self, parts[2], parts[3], n > 6 ? parts[6] : "");
  else if (n >= 6 && g_str_equal (parts[3], "resolve"))
    {
      g_autofree char *below =
          g_build_filename (parts[1], parts[2], parts[5], n > 6 ? parts[6] : NULL, NULL);
      serve_repository_file (self, below);
    }
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
  else if (g_str_equal (self.word, "endless"))
    send_for_ever (&self);
  else if (g_str_equal (self.word, "busy") && g_atomic_int_add (&n_failures, -1) > 0)
    say_page (&self, "503 Busy", "<html>wait");
  else if (g_str_has_prefix (self.word, "hub"))
    serve_hub (&self);
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

/* A server that fails twice, a connection that is reset, a file that changes in the middle, and one
 * whose bytes are others at first. */
static void
test_failures_of_a_moment_are_repeated (void)
{
  static const struct
  {
    const char *word;
    gint n_failures, n_requests, n_ranges;
  } cases[] = {
    { "busy", 2, 3, 0 },     { "reset", 0, 2, 1 },    { "changed", 0, 2, 1 },
    { "sum-once", 1, 2, 0 }, { "sum-good", 0, 1, 0 },
  };

  unpack ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *url = make_url (cases[i].word, "npz/packed");
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelDataset) dataset = NULL;

      g_atomic_int_set (&n_failures, cases[i].n_failures);
      g_atomic_int_set (&n_requests, 0);
      g_atomic_int_set (&n_ranges, 0);
      dataset = import ("npz:mine", url, &error);
      g_test_message ("%s", cases[i].word);
      g_assert_no_error (error);
      g_assert_cmpint (g_atomic_int_get (&n_requests), ==, cases[i].n_requests);
      g_assert_cmpint (g_atomic_int_get (&n_ranges), ==, cases[i].n_ranges);
      g_assert_cmpint (count_rows (dataset), ==, 7);
      g_assert_true (reel_dataset_delete (dataset, NULL));
    }
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
  name = g_uri_escape_string (cut, NULL, TRUE);
  cache = g_build_filename (g_get_user_cache_dir (), "reel", "sources", NULL);
  part = g_build_filename (cache, name, "mine.npz.part", NULL);
  tag = g_build_filename (cache, name, "mine.npz.part.tag", NULL);
  g_assert_true (g_file_get_contents (part, &bytes, &n, NULL));
  g_assert_true (g_file_get_contents (file, &all, &length, NULL));
  g_assert_cmpuint (n, >, length / 2);
  g_assert_cmpuint (n, <, length);
  /* As if the other server had been left in the middle. */
  good_name = g_uri_escape_string (good, NULL, TRUE);
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
    { "sum-other", "the file has the checksum " },
    { "endless", "REEL_HTTP_LIMIT" },
  };
  g_autofree char *root = scratch_path ("root");

  unpack ();
  g_setenv ("REEL_HTTP_LIMIT", "100000", TRUE);
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
      if (i == 0)
        g_assert_null (import ("npz:mine", url, NULL));
      g_unsetenv ("REEL_HTTP_TIMEOUT");
    }
  g_unsetenv ("REEL_HTTP_LIMIT");
}

static void
test_limits_that_cannot_be_read_are_errors (void)
{
  static const char *const cases[][3] = {
    { "REEL_HTTP_TIMEOUT", "abc", "the environment variable REEL_HTTP_TIMEOUT cannot be \"abc\"" },
    { "REEL_HTTP_TIMEOUT", "0", "REEL_HTTP_TIMEOUT cannot be 0: it must be 1 to 86400" },
    { "REEL_HTTP_TIMEOUT", "90000", "REEL_HTTP_TIMEOUT cannot be 90000" },
    { "REEL_HTTP_LIMIT", "-1", "REEL_HTTP_LIMIT cannot be -1" },
    { "REEL_HTTP_LIMIT", "1 GB", "REEL_HTTP_LIMIT cannot be \"1 GB\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_setenv (cases[i][0], cases[i][1], TRUE);
      g_assert_null (import ("npz:mine", "http://127.0.0.1:1/limits", &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, cases[i][2]));
      g_unsetenv (cases[i][0]);
    }
}

/* Bytes with another checksum, or without an end, are removed. */
static void
test_useless_bytes_are_not_kept (void)
{
  static const char *const words[] = { "sum-other", "endless" };

  unpack ();
  g_setenv ("REEL_HTTP_LIMIT", "100000", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *url = make_url (words[i], "npz/packed"), *part = NULL, *name = NULL;
      g_autofree char *bytes = NULL;
      gsize length;

      g_assert_null (import ("npz:mine", url, NULL));
      name = g_uri_escape_string (url, NULL, TRUE);
      part = g_build_filename (g_get_user_cache_dir (), "reel", "sources", name, "mine.npz.part",
                               NULL);
      g_assert_true (g_file_get_contents (part, &bytes, &length, NULL));
      g_assert_cmpuint (length, ==, 0);
    }
  g_unsetenv ("REEL_HTTP_LIMIT");
}

/* Nobody listens there. */
static void
test_no_server_is_an_error (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (import ("npz:mine", "http://127.0.0.1:1/x", &error));
  g_assert_nonnull (strstr (error->message, "http://127.0.0.1:1/x"));
}

/* The server answers, but does not encrypt. */
static void
test_no_encryption_is_an_error (void)
{
  g_autofree char *url = g_strdup_printf ("https://127.0.0.1:%u/good/npz/packed", port);
  g_autoptr (GError) error = NULL;

  g_assert_null (import ("npz:mine", url, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, url));
}

/* ---- repositories ---- */

static void
set_hub (const char *word)
{
  g_autofree char *server = g_strdup_printf ("http://127.0.0.1:%u/%s", port, word);

  g_setenv ("HF_ENDPOINT", server, TRUE);
}

/* All files of a directory by a listing of several pages, each with its checksum; a single file by
 * that of the redirect. */
static void
test_repositories_are_sources (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) archives = NULL, other = NULL, single = NULL;

  unpack ();
  set_hub ("hub");
  archives = import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (archives), ==, 12);
  g_assert_true (reel_dataset_delete (archives, NULL));
  other = import ("openx:cmu_stretch", "hf://datasets/openx/tfrecord@main", &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (other), ==, 12);
  single = import ("npz:mine", "hf://npz/packed", &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (single), ==, 7);
}

static void
test_checksums_of_listings_are_compared (void)
{
  g_autoptr (GError) error = NULL;

  unpack ();
  set_hub ("hub-other");
  g_assert_null (import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "/resolve/main/cmu_stretch/cmu_stretch_0000"));
  g_assert_nonnull (strstr (error->message, "the file has the checksum "));
}

static void
test_repositories_that_are_not_there_are_errors (void)
{
  static const struct
  {
    const char *url, *message;
  } cases[] = {
    { "hf://openx/nothing", "there is no file cmu_stretch" },
    { "hf://", "names no repository" },
    { "hf:///x", "names no repository" },
  };

  set_hub ("hub");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (import ("openx:cmu_stretch", cases[i].url, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
  g_autoptr (GError) error = NULL;
  g_unsetenv ("HF_ENDPOINT");
  g_assert_null (import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error));
  g_assert_nonnull (strstr (error->message, "HF_ENDPOINT"));
}

/* ---- ids ---- */

static void
assert_ids (const char *name, const char *from, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) ids = reel_dataset_list_available (name, from, &error);
  g_autofree char *joined = ids ? g_strjoinv (" ", ids) : NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (joined, ==, expected);
}

static void
put_file (const char *name, const char *text)
{
  g_autofree char *path = scratch_path (name), *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Of a directory, of a server's pages and of a repository the same. */
static void
test_known_ids_are_looked_for (void)
{
  g_autofree char *local = scratch_path ("mirror/all"), *url = make_url ("slashes", "mirror/all");

  put_file ("mirror/all/cmu_stretch/x.tar", "");
  put_file ("mirror/all/toto/x.tar", "");
  put_file ("mirror/all/unknown/x.tar", "");
  put_file ("mirror/all/vd4rl/main/walker_walk/expert/64px/x.npz", "");
  put_file ("mirror/all/viola", "a file");
  set_hub ("hub");
  assert_ids ("openx", local, "cmu_stretch toto");
  assert_ids ("openx", url, "cmu_stretch toto");
  assert_ids ("openx", "hf://mirror/all", "cmu_stretch toto");
  assert_ids ("vd4rl", local, "main/walker_walk/expert/64px");
  assert_ids ("vd4rl", url, "main/walker_walk/expert/64px");
  assert_ids ("vd4rl", "hf://mirror/all", "main/walker_walk/expert/64px");
  g_assert_null (reel_dataset_list_available ("openx", "hf://mirror/none", NULL));
}

/* The lists of namespaces, and where there are none the directories. */
static void
test_ids_of_minari_are_listed (void)
{
  g_autofree char *url = make_url ("slashes", "farama");
  g_autoptr (GPtrArray) there = reel_object_list_properties (REEL_TYPE_DATASET, "minari", NULL);

  if (!there)
    {
      g_test_skip ("no HDF5");
      return;
    }
  put_file ("farama/D4RL/namespace_metadata.json",
            "{\"datasets\": [\"D4RL/door/human-v2\", \"D4RL/pen/human-v2\"]}");
  put_file ("farama/D4RL/door/human-v2/data/metadata.json", "{}");
  put_file ("farama/single-v0/data/metadata.json", "{}");
  put_file ("farama/atari/pong/expert-v0/data/metadata.json", "{}");
  put_file ("farama/README.md", "not a repository");
  set_hub ("hub");
  assert_ids ("minari", "hf://farama",
              "D4RL/door/human-v2 D4RL/pen/human-v2 "
              "atari/pong/expert-v0 single-v0");
  assert_ids ("minari", "hf://farama/D4RL", "door/human-v2 pen/human-v2");
  assert_ids ("minari", url, "D4RL/door/human-v2 D4RL/pen/human-v2 atari/pong/expert-v0 single-v0");
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
  scratch_test ("/datasets/http/failures-of-a-moment-are-repeated",
                test_failures_of_a_moment_are_repeated);
  scratch_test ("/datasets/http/later-calls-go-on", test_later_calls_go_on);
  scratch_test ("/datasets/http/servers-that-misbehave-are-errors",
                test_servers_that_misbehave_are_errors);
  scratch_test ("/datasets/http/limits-that-cannot-be-read-are-errors",
                test_limits_that_cannot_be_read_are_errors);
  scratch_test ("/datasets/http/useless-bytes-are-not-kept", test_useless_bytes_are_not_kept);
  scratch_test ("/datasets/http/no-server-is-an-error", test_no_server_is_an_error);
  scratch_test ("/datasets/http/no-encryption-is-an-error", test_no_encryption_is_an_error);
  scratch_test ("/datasets/http/repositories-are-sources", test_repositories_are_sources);
  scratch_test ("/datasets/http/checksums-of-listings-are-compared",
                test_checksums_of_listings_are_compared);
  scratch_test ("/datasets/http/repositories-that-are-not-there-are-errors",
                test_repositories_that_are_not_there_are_errors);
  scratch_test ("/datasets/http/known-ids-are-looked-for", test_known_ids_are_looked_for);
  scratch_test ("/datasets/http/ids-of-minari-are-listed", test_ids_of_minari_are_listed);
  scratch_test ("/datasets/http/urls-may-come-from-the-environment",
                test_urls_may_come_from_the_environment);
  scratch_test ("/datasets/http/watchers-stop-downloads", test_watchers_stop_downloads);
  int result = g_test_run ();
  g_main_loop_quit (loop);
  g_thread_join (thread);
  g_assert_true (reel_directory_remove (cache, NULL));
  return result;
}
