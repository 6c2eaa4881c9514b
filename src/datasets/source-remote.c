#include "source-remote.h"

#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "http-fetch.h"
#include "source-cache.h"
#include "source-hub.h"

#include <string.h>

#define CACHE "sources"
#define MARK ".reel-source" /* in a directory of the cache: the URL, and whether to fetch again */
#define AGAIN "\nagain\n"
#define LISTING ".reel-listing" /* a page on its way */
#define MOST_MARK 8192
#define MOST_LEVELS 8
#define MOST_NAME 200

void
reel_source_watch (ReelSourceFunc func, gpointer data)
{
  reel_http_watch (func, data);
}

/* ---- the cache ---- */

/* One for each URL, by its name or, where that is too long, by its checksum. */
static char *
find_cache (const char *url)
{
  g_autofree char *name = g_uri_escape_string (url, NULL, TRUE);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, url, -1);

  return g_build_filename (g_get_user_cache_dir (), "reel", CACHE,
                           strlen (name) > MOST_NAME ? sum : name, NULL);
}

char *
reel_remote_open (const char *from, gboolean again, GError **error)
{
  g_autofree char *url = reel_hub_is_url (from) ? reel_hub_complete_url (from, error)
                                                : reel_path_without_end_slashes (from);
  g_autofree char *path = url ? find_cache (url) : NULL, *mark = NULL, *text = NULL;

  if (!url || !reel_directory_make (path, error))
    return NULL;
  mark = g_build_filename (path, MARK, NULL);
  text = g_strconcat (url, again ? AGAIN : "\n", NULL);
  return reel_file_write_atomic (mark, text, strlen (text), FALSE, error) ? g_steal_pointer (&path)
                                                                          : NULL;
}

/* The server that fills a directory. */
typedef struct
{
  char *url; /* NULL where there is none */
  gboolean again;
} Server;

static gboolean
read_server (const char *from, Server *self, GError **error)
{
  g_autofree char *mark = g_build_filename (from, MARK, NULL);
  ReelPathKind kind;

  *self = (Server){ 0 };
  if (!reel_path_query (mark, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  if (!(self->url = reel_file_read (mark, MOST_MARK, NULL, error)))
    return FALSE;
  self->again = g_str_has_suffix (self->url, AGAIN);
  *strchrnul (self->url, '\n') = '\0';
  return TRUE;
}

gboolean
reel_source_is_served (const char *from, gboolean *is_served, GError **error)
{
  Server server;
  gboolean read = read_server (from, &server, error);

  *is_served = server.url != NULL;
  g_free (server.url);
  return read;
}

/* ---- pages that list directories ---- */

/* The name of an entry of the directory, which leads nowhere else; NULL for other links. */
static char *
find_name (const char *href, gboolean *is_directory)
{
  g_autofree char *plain = g_strdup (href);
  gsize length = strlen (plain);

  *is_directory = length > 0 && plain[length - 1] == '/';
  if (*is_directory)
    plain[length - 1] = '\0';
  g_autofree char *name = g_uri_unescape_string (plain, "/");
  return name && *name && *name != '.' && !strpbrk (name, "/?#") ? g_steal_pointer (&name) : NULL;
}

/* Every server that lists directories does it by links. Names of directories end in a slash. */
static char **
find_entries (const char *page)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (const char *at = page; (at = strstr (at, "href=")); at++)
    {
      const char quote = at[5],
                 *end = quote == '"' || quote == '\'' ? strchr (at + 6, quote) : NULL;
      g_autofree char *href = end ? g_strndup (at + 6, (gsize) (end - at - 6)) : NULL;
      gboolean is_directory;
      g_autofree char *name = href ? find_name (href, &is_directory) : NULL;
      g_autofree char *entry = name ? g_strconcat (name, is_directory ? "/" : "", NULL) : NULL;

      if (entry)
        g_strv_builder_add (names, entry);
    }
  return g_strv_builder_end (names);
}

typedef struct
{
  gboolean again;
  gint level;
} Fetching;

static gboolean fetch (const Fetching *self, const char *url, const char *path, GError **error);

static gboolean
fetch_entries (const Fetching *self, const char *url, const char *directory, const char *page,
               GError **error)
{
  g_auto (GStrv) entries = find_entries (page);

  for (gsize i = 0; entries[i]; i++)
    {
      g_autofree char *name = reel_path_without_end_slashes (entries[i]);
      g_autofree char *escaped = g_uri_escape_string (name, NULL, FALSE);
      g_autofree char *below = g_strconcat (url, "/", escaped, NULL);
      g_autofree char *path = g_build_filename (directory, name, NULL);

      if (!fetch (self, below, path, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fetch_directory (const Fetching *self, const char *url, const char *path, const char *page,
                 GError **error)
{
  const Fetching below = { self->again, self->level + 1 };

  if (self->level == MOST_LEVELS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: more than %d directories are in each other", url, MOST_LEVELS);
      return FALSE;
    }
  return reel_directory_make (path, error) && fetch_entries (&below, url, path, page, error)
         && reel_cache_mark_whole (path, error);
}

static gboolean
fetch (const Fetching *self, const char *url, const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_auto (ReelHttpAnswer) answer = { 0 };
  gboolean is_there;

  if (!reel_cache_is_whole (path, &is_there, error))
    return FALSE;
  if (is_there && !self->again)
    return TRUE;
  if (!reel_directory_make (parent, error) || !reel_http_fetch (url, path, NULL, &answer, error))
    return FALSE;
  return answer.kind != REEL_HTTP_INDEX || fetch_directory (self, url, path, answer.index, error);
}

static char **
list (const char *url, const char *from, const char *directory, GError **error)
{
  g_autofree char *escaped = g_uri_escape_string (directory, "/", FALSE);
  g_autofree char *page = g_strconcat (url, "/", escaped, *escaped ? "/" : "", NULL);
  g_autofree char *path = g_build_filename (from, LISTING, NULL);
  g_auto (ReelHttpAnswer) answer = { 0 };

  if (!reel_http_fetch (page, path, NULL, &answer, error))
    return NULL;
  if (answer.kind == REEL_HTTP_INDEX)
    return find_entries (answer.index);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: the server lists no such directory", page);
  if (answer.kind == REEL_HTTP_FILE)
    reel_file_remove (path, NULL);
  return NULL;
}

/* ---- either kind of server ---- */

gboolean
reel_remote_provide (const char *from, const char *name, const char *path, char **shown,
                     GError **error)
{
  Server server;
  gboolean is_there = FALSE, provided = read_server (from, &server, error);
  g_autofree char *given = server.url, *escaped = g_uri_escape_string (name, "/", FALSE);
  const Fetching fetching = { server.again, 0 };

  if (!given)
    return provided;
  g_autofree char *url = g_strconcat (given, "/", escaped, NULL);
  g_free (*shown);
  *shown = g_strdup (given);
  if (!reel_hub_is_url (given))
    return fetch (&fetching, url, path, error);
  return reel_cache_is_whole (path, &is_there, error)
         && ((is_there && !server.again)
             || reel_hub_fetch (given, name, path, server.again, error));
}

gboolean
reel_remote_list (const char *from, const char *directory, char ***names, GError **error)
{
  Server server;
  gboolean read = read_server (from, &server, error);
  g_autofree char *url = server.url, *scratch = g_build_filename (from, LISTING, NULL);

  *names = NULL;
  if (!url)
    return read;
  *names = reel_hub_is_url (url) ? reel_hub_list (url, directory, scratch, error)
                                 : list (url, from, directory, error);
  return *names != NULL;
}
