#include "http-hub.h"

#include "http-server.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <string.h>

/* Of the word "hub-other" the checksums are of other files. */
static json_t *
describe_entry (const HttpRequest *self, const char *below, const char *inside)
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
add_tree (const HttpRequest *self, json_t *entries, const char *repository, const char *path,
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

/* An entry a page. Of the word "hub-circle" the first page follows the last. */
static void
say_entries (const HttpRequest *self, json_t *entries, const char *url)
{
  const char *cursor = strstr (self->path, "cursor=");
  const gint64 at = cursor ? g_ascii_strtoll (cursor + 7, NULL, 10) : 0;
  const gint64 n = (gint64) json_array_size (entries);
  const gboolean circles = g_str_equal (self->word, "hub-circle");
  g_autoptr (json_t) page = json_array ();
  g_autofree char *text = NULL, *next = NULL;

  if (json_array_get (entries, (gsize) at))
    json_array_append (page, json_array_get (entries, (gsize) at));
  text = json_dumps (page, 0);
  next = circles || at + 1 < n
             ? g_strdup_printf ("Link: <http://127.0.0.1:%u/%s/%s%ccursor=%" G_GINT64_FORMAT
                                ">; rel=\"next\"\r\n",
                                http_server_get_port (), self->word, url,
                                strchr (url, '?') ? '&' : '?', at + 1 < n ? at + 1 : 0)
             : g_strdup ("");
  http_say (self, "200 OK", "application/json", (gint64) strlen (text), next);
  http_put (self, text, strlen (text));
}

static void
serve_tree (const HttpRequest *self, const char *owner, const char *name, const char *path)
{
  g_autofree char *repository = g_build_filename (owner, name, NULL);
  g_autofree char *below = g_build_filename (repository, path, NULL), *file = scratch_path (below);
  const gboolean recursive = strstr (self->path, "recursive=true") != NULL;
  g_autofree char *url = g_strdup_printf ("api/datasets/%s/%s/tree/main/%s%s", owner, name, path,
                                          recursive ? "?recursive=true" : "");
  g_autoptr (json_t) entries = json_array ();

  if (!g_file_test (file, G_FILE_TEST_IS_DIR))
    {
      http_say_page (self, "404 Not Found", "<html>nothing");
      return;
    }
  add_tree (self, entries, repository, path, recursive);
  say_entries (self, entries, url);
}

static void
serve_owner (const HttpRequest *self)
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
serve_repository_file (const HttpRequest *self, const char *below)
{
  g_autofree char *file = scratch_path (below), *bytes = NULL, *sum = NULL, *header = NULL;
  gsize length;

  if (!g_file_get_contents (file, &bytes, &length, NULL))
    {
      http_say_page (self, "404 Not Found", "<html>nothing");
      return;
    }
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  header = g_strdup_printf ("Location: /good/%s\r\nX-Linked-Etag: \"%s\"\r\n", below, sum);
  http_say (self, "302 Found", "text/html", 0, header);
}

void
http_hub_serve (const HttpRequest *self)
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
    http_say_page (self, "404 Not Found", "<html>nothing");
}
