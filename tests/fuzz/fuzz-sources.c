/* Answers of a server of raw files, which is a thread of this program. The first byte says what the
 * others are: a listing of Hugging Face's Hub, a page of links, or what follows the first line of
 * any answer. Files are made below the directory of the URL in the cache, and nowhere else. */
#include "../../src/core/system/directories.h"
#include "../../src/datasets/source-files.h"
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REQUESTS 24 /* that are answered for an input */
#define MOST_HEAD 8192
#define END "\r\nConnection: close\r\n\r\n"

static const char *root;
static char *web, *hub; /* URLs */
static struct
{
  GMutex mutex;
  const guint8 *data;
  gsize size;
  guint8 kind;
  guint n_requests;
} served;

/* ---- the server ---- */

static gboolean
read_head (GInputStream *in, char *head)
{
  gsize n = 0;

  *head = '\0';
  while (!strstr (head, "\r\n\r\n"))
    {
      gssize more = g_input_stream_read (in, head + n, MOST_HEAD - 1 - n, NULL, NULL);

      if (more <= 0)
        return FALSE;
      n += (gsize) more;
      head[n] = '\0';
    }
  return TRUE;
}

static void
answer_listing (GString *to, const char *head)
{
  if (strncmp (head, "GET /api/", 9) == 0)
    {
      g_string_append (to, "HTTP/1.1 200 OK" END);
      g_string_append_len (to, (const char *) served.data, (gssize) served.size);
    }
  else
    g_string_append (to, "HTTP/1.1 200 OK\r\nETag: \"one\"" END "bytes");
}

/* Names that end in `s` are directories, to whose address with a slash a client is sent. */
static void
answer_page (GString *to, const char *head)
{
  const char *path = head + strlen ("GET "), *end = strchrnul (path, ' ');

  if (end[-1] == 's')
    g_string_append_printf (to, "HTTP/1.1 301 Moved\r\nLocation: %.*s/" END, (int) (end - path),
                            path);
  else if (end[-1] != '/')
    g_string_append (to, "HTTP/1.1 200 OK" END "bytes");
  else
    {
      g_string_append (to, "HTTP/1.1 200 OK\r\nContent-Type: text/html" END);
      g_string_append_len (to, (const char *) served.data, (gssize) served.size);
    }
}

static void
answer_any (GString *to, const char *head)
{
  g_string_append (to, strstr (head, "Range: ") ? "HTTP/1.1 206 Part\r\n" : "HTTP/1.1 200 OK\r\n");
  g_string_append_len (to, (const char *) served.data, (gssize) served.size);
}

static gboolean
serve (GThreadedSocketService *service, GSocketConnection *connection, GObject *object,
       gpointer data)
{
  static void (*const answers[]) (GString *, const char *) = { answer_listing, answer_page,
                                                               answer_any };
  GIOStream *stream = G_IO_STREAM (connection);
  char head[MOST_HEAD];
  GString *to;

  if (!read_head (g_io_stream_get_input_stream (stream), head))
    return TRUE;
  to = g_string_new (NULL);
  g_mutex_lock (&served.mutex);
  if (++served.n_requests <= MOST_REQUESTS)
    answers[served.kind](to, head);
  else
    g_string_append (to, "HTTP/1.1 404 None" END);
  g_mutex_unlock (&served.mutex);
  g_output_stream_write_all (g_io_stream_get_output_stream (stream), to->str, to->len, NULL, NULL,
                             NULL);
  g_io_stream_close (stream, NULL, NULL);
  g_string_free (to, TRUE);
  return TRUE;
}

static gpointer
run_loop (gpointer loop)
{
  g_main_context_push_thread_default (g_main_loop_get_context (loop));
  g_main_loop_run (loop);
  return NULL;
}

static void
start_server (void)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  GSocketService *service = g_threaded_socket_service_new (4);
  guint16 port;

  g_main_context_push_thread_default (context);
  port = g_socket_listener_add_any_inet_port (G_SOCKET_LISTENER (service), NULL, NULL);
  if (port == 0)
    abort ();
  g_signal_connect (service, "run", G_CALLBACK (serve), NULL);
  g_socket_service_start (service);
  g_main_context_pop_thread_default (context);
  g_thread_unref (g_thread_new ("server", run_loop, g_main_loop_new (context, FALSE)));
  web = g_strdup_printf ("http://127.0.0.1:%u/web", port);
  hub = g_strdup ("hf://owner/repository");
  g_autofree char *endpoint = g_strdup_printf ("http://127.0.0.1:%u", port);
  g_setenv ("HF_ENDPOINT", endpoint, TRUE);
}

static void
set_up (void)
{
  g_autofree char *cache = NULL;

  root = fuzz_make_directory ();
  cache = g_build_filename (root, "cache", NULL);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_setenv ("REEL_HTTP_TIMEOUT", "60", TRUE);
  g_setenv ("no_proxy", "*", TRUE);
  reel_init ();
  start_server ();
}

/* ---- the client ---- */

static void
put_answer (guint8 kind, const guint8 *data, gsize size)
{
  g_mutex_lock (&served.mutex);
  served.kind = kind;
  served.data = data;
  served.size = size;
  served.n_requests = 0;
  g_mutex_unlock (&served.mutex);
}

static void
check_error (gboolean done, const GError *error)
{
  if (done == (error != NULL)
      || (error && (error->domain != REEL_ERROR || !g_utf8_validate (error->message, -1, NULL))))
    abort ();
}

/* Whether a directory has nothing but what is expected. */
static void
check_alone (const char *directory, const char *name)
{
  g_auto (GStrv) names = reel_directory_list (directory, NULL);

  if (!names || g_strv_length (names) != 1 || (name && !g_str_equal (names[0], name)))
    abort ();
}

static void
check_places (const char *from)
{
  g_autofree char *sources = g_path_get_dirname (from), *reel = g_path_get_dirname (sources);
  g_autofree char *cache = g_path_get_dirname (reel);

  check_alone (root, "cache");
  check_alone (cache, "reel");
  check_alone (reel, "sources");
  check_alone (sources, NULL);
}

static void
fetch (const char *url)
{
  g_autofree char *from = reel_source_resolve (url, TRUE, NULL), *path = NULL;
  g_autoptr (GError) unlisted = NULL, missing = NULL;
  g_auto (GStrv) names = NULL;

  if (!from)
    abort ();
  names = reel_source_list (from, "", &unlisted);
  check_error (names != NULL, unlisted);
  for (gsize i = 0; names && names[i]; i++)
    if (*names[i] == '/' || *names[i] == '.' || !*names[i])
      abort ();
  path = reel_source_find (from, (const char *const[]){ "files", NULL }, &missing);
  check_error (path != NULL, missing);
  check_places (from);
  if (!reel_directory_remove (from, NULL))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  if (!root)
    set_up ();
  const guint8 kind = (guint8) fuzz_choose (*data, 3);
  const gboolean is_hub = kind == 0 || (kind == 2 && (*data & 0x80));

  put_answer (kind, data + 1, size - 1);
  fetch (is_hub ? hub : web);
  put_answer (kind, NULL, 0);
  return 0;
}
