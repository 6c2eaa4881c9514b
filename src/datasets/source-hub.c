#include "source-hub.h"

#include "../core/formats/json.h"
#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "http-fetch.h"
#include "source-cache.h"

#include <string.h>

#define SCHEME "hf://"
#define DATASETS "datasets/"
#define MAIN "main" /* the revision where none is named */
#define AT " at "   /* between the URL that was given and the address of the server */
#define LISTING ".listing"
#define MOST_PAGES 100000
#define MOST_LISTING ((gsize) 64 << 20) /* bytes of a page */

gboolean
reel_hub_is_url (const char *url)
{
  return g_str_has_prefix (url, SCHEME);
}

/* ---- which repositories ---- */

/* The place on the server of a path below a URL. */
typedef struct
{
  char *server;
  char *owner;
  char *repository; /* NULL for the list of them */
  char *revision;
  char *path; /* in the repository */
} Place;

static void
clear_place (Place *self)
{
  g_free (self->server);
  g_free (self->owner);
  g_free (self->repository);
  g_free (self->revision);
  g_free (self->path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Place, clear_place)

static const char *
skip_scheme (const char *url)
{
  const char *rest = url + strlen (SCHEME);

  return g_str_has_prefix (rest, DATASETS) ? rest + strlen (DATASETS) : rest;
}

char *
reel_hub_complete_url (const char *url, GError **error)
{
  const char *server = g_getenv ("HF_ENDPOINT"), *owner = skip_scheme (url);
  g_autofree char *plain = server ? reel_path_without_end_slashes (server) : NULL;

  if (!*owner || *owner == '/' || strstr (owner, AT))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s names no repository; hf://OWNER/REPOSITORY does", url);
  else if (!plain
           || (!g_str_has_prefix (plain, "http://") && !g_str_has_prefix (plain, "https://")))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: the environment variable HF_ENDPOINT must have the address of the server, "
                 "such as https://huggingface.co",
                 url);
  else
    return g_strconcat (url, AT, plain, NULL);
  return NULL;
}

/* The text before the first slash, and what follows it. */
static char *
take_part (const char **rest)
{
  const gsize length = strcspn (*rest, "/");
  char *part = length > 0 ? g_strndup (*rest, length) : NULL;

  *rest += length;
  while (**rest == '/')
    ++*rest;
  return part;
}

static void
find_place (Place *self, const char *url, const char *name)
{
  const char *at = strstr (url, AT);
  g_autofree char *given = g_strndup (url, (gsize) (at - url));
  g_autofree char *whole = *name ? g_strconcat (given, "/", name, NULL) : g_strdup (given);
  const char *rest = skip_scheme (whole);

  self->server = g_strdup (at + strlen (AT));
  self->owner = take_part (&rest);
  self->repository = take_part (&rest);
  self->path = g_strdup (rest);
  char *revision = self->repository ? strchr (self->repository, '@') : NULL;
  self->revision = g_strdup (revision ? revision + 1 : MAIN);
  if (revision)
    *revision = '\0';
}

static char *
make_url (const Place *self, const char *api, const char *kind, const char *path)
{
  g_autofree char *owner = g_uri_escape_string (self->owner, NULL, FALSE);
  g_autofree char *repository = g_uri_escape_string (self->repository, NULL, FALSE);
  g_autofree char *revision = g_uri_escape_string (self->revision, NULL, FALSE);
  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE);

  return g_strdup_printf ("%s/%sdatasets/%s/%s/%s/%s%s%s", self->server, api, owner, repository,
                          kind, revision, *escaped ? "/" : "", escaped);
}

/* ---- listings ---- */

static json_t *
read_page (const char *url, const char *file, GError **error)
{
  gsize length;
  g_autofree char *text = reel_file_read (file, MOST_LISTING, &length, error);
  json_error_t fault;
  json_t *page = text ? json_loadb (text, length, JSON_REJECT_DUPLICATES, &fault) : NULL;

  if (text && !json_is_array (page))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: the server sent no list in JSON%s%s",
                   url, page ? "" : ": ", page ? "" : fault.text);
      g_clear_pointer (&page, json_decref);
    }
  return page;
}

/* Appends the entries of a page to @entries; @next is the URL of the page after it. */
static gboolean
take_page (json_t *entries, const char *url, const char *file, gboolean *is_there, char **next,
           GError **error)
{
  g_auto (ReelHttpAnswer) answer = { 0 };
  json_t *page = NULL;

  if (!reel_http_fetch (url, file, NULL, &answer, error))
    return FALSE;
  *is_there = answer.kind == REEL_HTTP_FILE;
  if (*is_there && !(page = read_page (url, file, error)))
    {
      reel_file_remove (file, NULL);
      return FALSE;
    }
  json_array_extend (entries, page);
  json_decref (page);
  *next = *is_there ? g_steal_pointer (&answer.next) : NULL;
  return !*is_there || reel_file_remove (file, error);
}

static gboolean
is_new_page (GHashTable *pages, const char *url, const char *page, GError **error)
{
  if (g_hash_table_size (pages) == MOST_PAGES)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: the listing has more than %d pages",
                 url, MOST_PAGES);
  else if (g_hash_table_add (pages, g_strdup (page)))
    return TRUE;
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: the pages of the listing lead back to %s", url, page);
  return FALSE;
}

/* The entries of all pages; %NULL without an error where the server has nothing there. */
static json_t *
fetch_listing (const char *url, const char *file, GError **error)
{
  g_autoptr (GHashTable) pages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  json_t *entries = json_array ();
  g_autofree char *at = g_strdup (url);
  gboolean is_there = TRUE, read = TRUE;

  while (at && read && is_there)
    {
      char *next = NULL;

      read = is_new_page (pages, url, at, error)
             && take_page (entries, at, file, &is_there, &next, error);
      g_free (at);
      at = next;
    }
  if (read && is_there)
    return entries;
  json_decref (entries);
  return NULL;
}

/* As fetch_listing(), of what is below a path. */
static json_t *
fetch_tree (const Place *self, gboolean is_recursive, const char *file, GError **error)
{
  g_autofree char *tree = make_url (self, "api/", "tree", self->path);
  g_autofree char *url = g_strconcat (tree, is_recursive ? "?recursive=true" : "", NULL);

  return fetch_listing (url, file, error);
}

/* The path of an entry from @directory on; NULL for one that leads elsewhere or is hidden. */
static const char *
find_below (const json_t *entry, const char *directory)
{
  const char *path = json_string_value (json_object_get (entry, "path"));
  const gsize length = strlen (directory);

  if (!path || strncmp (path, directory, length) != 0 || (length > 0 && path[length] != '/'))
    return NULL;
  path += length > 0 ? length + 1 : 0;
  for (const char *part = path; part; part = strchr (part, '/') ? strchr (part, '/') + 1 : NULL)
    if (*part == '.' || *part == '/' || *part == '\0')
      return NULL;
  return path;
}

static gboolean
is_directory (const json_t *entry)
{
  return g_strcmp0 (json_string_value (json_object_get (entry, "type")), "directory") == 0;
}

/* ---- files ---- */

/* The checksum of a file of Git LFS, as the other checksums are of other kinds. */
static char *
dup_sum (const json_t *entry)
{
  const char *sum = json_string_value (json_object_get (json_object_get (entry, "lfs"), "oid"));

  return sum && strlen (sum) == 64 ? g_ascii_strdown (sum, -1) : NULL;
}

static gboolean
fetch_file (const char *url, const char *path, const char *sum, gboolean again, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_auto (ReelHttpAnswer) answer = { 0 };
  gboolean is_there;

  if (!reel_cache_is_whole (path, &is_there, error))
    return FALSE;
  return (is_there && !again)
         || (reel_directory_make (parent, error)
             && reel_http_fetch (url, path, sum, &answer, error));
}

static gboolean
fetch_entry (const Place *self, const json_t *entry, const char *directory, gboolean again,
             GError **error)
{
  const char *name = find_below (entry, self->path);
  g_autofree char *path = name ? g_build_filename (directory, name, NULL) : NULL;
  g_autofree char *inside = name ? g_strconcat (self->path, "/", name, NULL) : NULL;
  g_autofree char *url = name ? make_url (self, "", "resolve", *self->path ? inside : name) : NULL;
  g_autofree char *sum = dup_sum (entry);

  return !name || is_directory (entry) || fetch_file (url, path, sum, again, error);
}

static gboolean
fetch_entries (const Place *self, json_t *entries, const char *directory, gboolean again,
               GError **error)
{
  json_t *entry;
  gsize i;

  json_array_foreach (entries, i, entry)
  {
    if (!fetch_entry (self, entry, directory, again, error))
      return FALSE;
  }
  return reel_cache_mark_whole (directory, error);
}

static gboolean
fetch_directory (const Place *self, const char *path, gboolean again, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path), *file = g_strconcat (path, LISTING, NULL);
  g_autoptr (GError) failure = NULL;
  g_autoptr (json_t) entries =
      reel_directory_make (parent, &failure) ? fetch_tree (self, TRUE, file, &failure) : NULL;

  if (failure)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return !entries || fetch_entries (self, entries, path, again, error);
}

/* Tries the path as a file, then as a directory: the API does not say which of them it is. */
gboolean
reel_hub_fetch (const char *url, const char *name, const char *path, gboolean again, GError **error)
{
  g_auto (Place) place = { 0 };
  gboolean is_there;

  find_place (&place, url, name);
  if (!place.repository)
    return TRUE;
  if (*place.path)
    {
      g_autofree char *file = make_url (&place, "", "resolve", place.path);

      if (!fetch_file (file, path, NULL, again, error)
          || !reel_cache_is_whole (path, &is_there, error))
        return FALSE;
      if (is_there)
        return TRUE;
    }
  return fetch_directory (&place, path, again, error);
}

/* ---- names ---- */

static json_t *
fetch_repositories (const Place *self, const char *file, GError **error)
{
  g_autofree char *owner = g_uri_escape_string (self->owner, NULL, FALSE);
  g_autofree char *url = g_strdup_printf ("%s/api/datasets?author=%s", self->server, owner);

  return fetch_listing (url, file, error);
}

/* Repositories are directories of their owner: `{"id": "OWNER/NAME"}`. */
static char *
dup_name (const Place *self, const json_t *entry)
{
  const char *id = json_string_value (json_object_get (entry, "id"));
  const char *slash = id ? strchr (id, '/') : NULL;
  const char *name = self->repository ? find_below (entry, self->path) : slash ? slash + 1 : NULL;

  if (!name || !*name || *name == '.' || strchr (name, '/'))
    return NULL;
  return g_strconcat (name, !self->repository || is_directory (entry) ? "/" : "", NULL);
}

char **
reel_hub_list (const char *url, const char *directory, const char *scratch, GError **error)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_auto (Place) place = { 0 };
  g_autoptr (GError) failure = NULL;
  g_autoptr (json_t) entries = NULL;
  json_t *entry;
  gsize i;

  find_place (&place, url, directory);
  entries = place.repository ? fetch_tree (&place, FALSE, scratch, &failure)
                             : fetch_repositories (&place, scratch, &failure);
  if (!entries && !failure)
    g_set_error (&failure, REEL_ERROR, REEL_ERROR_VALUE, "there is no directory \"%s\" in %s of %s",
                 place.path, place.repository ? place.repository : "the repositories", place.owner);
  json_array_foreach (entries, i, entry)
  {
    g_autofree char *name = dup_name (&place, entry);

    if (name)
      g_strv_builder_add (names, name);
  }
  if (entries)
    return g_strv_builder_end (names);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}
