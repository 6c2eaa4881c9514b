#include "source-files.h"

#include "config.h"

#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "../core/tensor/mapped-memory.h"
#ifdef REEL_WITH_CURL
#include "http-fetch.h"
#endif

#include <string.h>

#define CACHE "sources"
#define MARK ".reel-source" /* in a directory of the cache: the URL, and whether to fetch again */
#define AGAIN "\nagain\n"
#define COMPLETE ".reel-complete" /* in a directory that was fetched as a whole */
#define MOST_MARK 8192
#define MOST_LEVELS 8
#define MOST_NAME 200

static ReelSourceFunc watcher;
static gpointer watcher_data;

void
reel_source_watch (ReelSourceFunc func, gpointer data)
{
  watcher = func;
  watcher_data = data;
}

/* ---- where it is ---- */

gboolean
reel_source_is_remote (const char *from)
{
  return g_str_has_prefix (from, "http://") || g_str_has_prefix (from, "https://");
}

/* NULL where it is no URL of a local file. */
static char *
find_path (const char *from, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *scheme = g_uri_parse_scheme (from);

  if (!scheme)
    return g_strdup (from);
  char *path = g_str_equal (scheme, "file") ? g_filename_from_uri (from, NULL, &failure) : NULL;
  if (!path)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "cannot read %s: %s; name a directory with the files, or its file://, http:// or "
                 "https:// URL",
                 from, failure ? failure->message : "the kind of URL is unknown");
  return path;
}

#ifdef REEL_WITH_CURL
/* One for each URL, by its name or, where that is too long, by its checksum. */
static char *
find_cache (const char *url)
{
  g_autofree char *name = g_uri_escape_string (strstr (url, "://") + 3, NULL, TRUE);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, url, -1);

  return g_build_filename (g_get_user_cache_dir (), "reel", CACHE,
                           strlen (name) > MOST_NAME ? sum : name, NULL);
}

static char *
make_cache (const char *from, gboolean again, GError **error)
{
  g_autofree char *url = reel_path_without_end_slashes (from);
  g_autofree char *path = find_cache (url), *mark = g_build_filename (path, MARK, NULL);
  g_autofree char *text = g_strconcat (url, again ? AGAIN : "\n", NULL);

  return reel_directory_make (path, error)
                 && reel_file_write_atomic (mark, text, strlen (text), FALSE, error)
             ? g_steal_pointer (&path)
             : NULL;
}
#else
static char *
make_cache (const char *from, gboolean again, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s cannot be fetched: this library was built without libcurl; install "
               "libcurl4-openssl-dev and configure without --without-curl, or name a directory",
               from);
  return NULL;
}
#endif

char *
reel_source_resolve (const char *from, gboolean again, GError **error)
{
  g_autofree char *path = NULL;
  ReelPathKind kind;

  if (reel_source_is_remote (from))
    return make_cache (from, again, error);
  path = find_path (from, error);
  if (!path || !reel_path_query (path, &kind, NULL, error))
    return NULL;
  if (kind == REEL_PATH_DIRECTORY)
    return g_steal_pointer (&path);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               kind == REEL_PATH_MISSING ? "there is no directory %s" : "%s is not a directory",
               path);
  return NULL;
}

/* ---- what a server has ---- */

#ifdef REEL_WITH_CURL
typedef struct
{
  gboolean again;
  gint level;
} Fetching;

static gboolean fetch (const Fetching *self, const char *url, const char *path, GError **error);

/* The name of an entry of the directory, which leads nowhere else; NULL for other links. */
static char *
find_name (const char *href)
{
  g_autofree char *plain = g_strdup (href);
  gsize length = strlen (plain);

  if (length > 0 && plain[length - 1] == '/')
    plain[length - 1] = '\0';
  g_autofree char *name = g_uri_unescape_string (plain, "/");
  return name && *name && *name != '.' && !strpbrk (name, "/?#") ? g_steal_pointer (&name) : NULL;
}

static gboolean
fetch_entry (const Fetching *self, const char *url, const char *directory, const char *href,
             GError **error)
{
  g_autofree char *name = find_name (href);
  g_autofree char *escaped = name ? g_uri_escape_string (name, NULL, FALSE) : NULL;
  g_autofree char *below = name ? g_strconcat (url, "/", escaped, NULL) : NULL;
  g_autofree char *path = name ? g_build_filename (directory, name, NULL) : NULL;

  return !name || fetch (self, below, path, error);
}

/* Every server that lists directories does it by links. */
static gboolean
fetch_entries (const Fetching *self, const char *url, const char *directory, const char *page,
               GError **error)
{
  for (const char *at = page; (at = strstr (at, "href=")); at++)
    {
      const char quote = at[5],
                 *end = quote == '"' || quote == '\'' ? strchr (at + 6, quote) : NULL;
      g_autofree char *href = end ? g_strndup (at + 6, (gsize) (end - at - 6)) : NULL;

      if (href && !fetch_entry (self, url, directory, href, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fetch_directory (const Fetching *self, const char *url, const char *path, const char *page,
                 GError **error)
{
  const Fetching below = { self->again, self->level + 1 };
  g_autofree char *complete = g_build_filename (path, COMPLETE, NULL);

  if (self->level == MOST_LEVELS)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: more than %d directories are in each other", url, MOST_LEVELS);
      return FALSE;
    }
  return reel_directory_make (path, error) && fetch_entries (&below, url, path, page, error)
         && reel_file_write_atomic (complete, "", 0, FALSE, error);
}

/* Whether it was fetched before, as a whole. */
static gboolean
find_fetched (const char *path, gboolean *is_there, GError **error)
{
  g_autofree char *complete = g_build_filename (path, COMPLETE, NULL);
  ReelPathKind kind, marked = REEL_PATH_MISSING;

  if (!reel_path_query (path, &kind, NULL, error)
      || (kind == REEL_PATH_DIRECTORY && !reel_path_query (complete, &marked, NULL, error)))
    return FALSE;
  *is_there = kind == REEL_PATH_FILE || marked == REEL_PATH_FILE;
  return TRUE;
}

static gboolean
fetch (const Fetching *self, const char *url, const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path), *page = NULL;
  ReelHttpKind kind;
  gboolean is_there;

  if (!find_fetched (path, &is_there, error))
    return FALSE;
  if (is_there && !self->again)
    return TRUE;
  if (!reel_directory_make (parent, error)
      || !reel_http_fetch (url, path, watcher, watcher_data, &kind, &page, error))
    return FALSE;
  return kind != REEL_HTTP_INDEX || fetch_directory (self, url, path, page, error);
}

/* Fills the place of a file or directory in the cache, where a server has it; @shown becomes the
 * URL of the source. */
static gboolean
provide (const char *from, const char *name, const char *path, char **shown, GError **error)
{
  g_autofree char *mark = g_build_filename (from, MARK, NULL), *text = NULL;
  g_autofree char *escaped = g_uri_escape_string (name, "/", FALSE);
  ReelPathKind kind;

  if (!reel_path_query (mark, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  if (!(text = reel_file_read (mark, MOST_MARK, NULL, error)))
    return FALSE;
  const Fetching fetching = { g_str_has_suffix (text, AGAIN), 0 };
  *strchrnul (text, '\n') = '\0';
  g_autofree char *url = g_strconcat (text, "/", escaped, NULL);
  g_free (*shown);
  *shown = g_strdup (text);
  return fetch (&fetching, url, path, error);
}
#else
static gboolean
provide (const char *from, const char *name, const char *path, char **shown, GError **error)
{
  return TRUE;
}
#endif

char *
reel_source_find (const char *from, const char *const *names, GError **error)
{
  g_autofree char *shown = NULL;

  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *path = g_build_filename (from, names[i], NULL);
      ReelPathKind kind;

      if (!provide (from, names[i], path, &shown, error)
          || !reel_path_query (path, &kind, NULL, error))
        return NULL;
      if (kind != REEL_PATH_MISSING)
        return g_steal_pointer (&path);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "there is no file %s in %s", names[0],
               shown ? shown : from);
  return NULL;
}

ReelMemory *
reel_source_map (const char *path, GError **error)
{
  return reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, REEL_MAP_READ, -1, error);
}
