#include "source-files.h"

#include "config.h"

#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "../core/tensor/mapped-memory.h"
#include "source-remote.h"

#include <string.h>

gboolean
reel_source_is_remote (const char *from)
{
  static const char *const schemes[] = { "http://", "https://", "hf://" };

  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_str_has_prefix (from, schemes[i]))
      return TRUE;
  return FALSE;
}

/* ---- without servers ---- */

#ifndef REEL_WITH_CURL
void
reel_source_watch (ReelSourceFunc func, gpointer data)
{
}

char *
reel_remote_open (const char *from, gboolean again, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s cannot be fetched: this library was built without libcurl; install "
               "libcurl4-openssl-dev and configure without --without-curl, or name a directory",
               from);
  return NULL;
}

gboolean
reel_remote_provide (const char *from, const char *name, const char *path, char **shown,
                     GError **error)
{
  return TRUE;
}

gboolean
reel_source_is_served (const char *from, gboolean *is_served, GError **error)
{
  *is_served = FALSE;
  return TRUE;
}

gboolean
reel_remote_list (const char *from, const char *directory, char ***names, GError **error)
{
  *names = NULL;
  return TRUE;
}
#endif

/* ---- where it is ---- */

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
                 "cannot read %s: %s; name a directory with the files, or its file://, http://, "
                 "https:// or hf:// URL",
                 from, failure ? failure->message : "the kind of URL is unknown");
  return path;
}

char *
reel_source_resolve (const char *from, gboolean again, GError **error)
{
  g_autofree char *path = NULL;
  ReelPathKind kind;

  if (reel_source_is_remote (from))
    return reel_remote_open (from, again, error);
  path = find_path (from, error);
  if (!path || !reel_path_query (path, &kind, NULL, error))
    return NULL;
  if (kind == REEL_PATH_DIRECTORY)
    return g_steal_pointer (&path);
  if (reel_path_check_exists (path, error))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s is not a directory", path);
  return NULL;
}

char *
reel_source_find (const char *from, const char *const *names, GError **error)
{
  g_autofree char *shown = NULL;

  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *path = g_build_filename (from, names[i], NULL);
      ReelPathKind kind;

      if (!reel_remote_provide (from, names[i], path, &shown, error)
          || !reel_path_query (path, &kind, NULL, error))
        return NULL;
      if (kind != REEL_PATH_MISSING)
        return g_steal_pointer (&path);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "there is no file %s in %s", names[0],
               shown ? shown : from);
  return NULL;
}

/* ---- what is there ---- */

/* Directories end in a slash. */
static char **
list_directory (const char *path, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (path, error);
  g_autoptr (GStrvBuilder) marked = g_strv_builder_new ();

  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *below = g_build_filename (path, names[i], NULL), *name = NULL;
      ReelPathKind kind;

      if (!reel_path_query (below, &kind, NULL, error))
        return NULL;
      name = g_strconcat (names[i], kind == REEL_PATH_DIRECTORY ? "/" : "", NULL);
      g_strv_builder_add (marked, name);
    }
  return names ? g_strv_builder_end (marked) : NULL;
}

char **
reel_source_list (const char *from, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (from, directory, NULL);
  char **names;

  if (!reel_remote_list (from, directory, &names, error))
    return NULL;
  return names ? names : list_directory (path, error);
}

/* The entries of a directory, looked up once. */
static const char *const *
look_up (GHashTable *listings, const char *from, const char *directory, GError **error)
{
  char **names = g_hash_table_lookup (listings, directory);

  if (!names && (names = reel_source_list (from, directory, error)))
    g_hash_table_insert (listings, g_strdup (directory), names);
  return (const char *const *) names;
}

/* Whether each directory on the way to that of an id is in the one before. */
static gboolean
has_directory (GHashTable *listings, const char *from, const char *id, gboolean *has,
               GError **error)
{
  g_auto (GStrv) parts = g_strsplit (id, "/", -1);
  g_autoptr (GString) at = g_string_new (NULL);

  *has = TRUE;
  for (gsize i = 0; *has && parts[i]; i++)
    {
      const char *const *names = look_up (listings, from, at->str, error);
      g_autofree char *name = g_strconcat (parts[i], "/", NULL);

      if (!names)
        return FALSE;
      *has = g_strv_contains (names, name);
      g_string_append_printf (at, "%s%s", at->len > 0 ? "/" : "", parts[i]);
    }
  return TRUE;
}

char **
reel_source_select (const char *from, const char *const *ids, const char *prefix, GError **error)
{
  g_autoptr (GHashTable) listings =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  g_autoptr (GStrvBuilder) there = g_strv_builder_new ();

  for (gsize i = 0; ids[i]; i++)
    {
      g_autofree char *prefixed = g_strconcat (prefix, ids[i], NULL);
      gboolean has = !from;

      if ((from && !has_directory (listings, from, ids[i], &has, error))
          || (!has && !has_directory (listings, from, prefixed, &has, error)))
        return NULL;
      if (has)
        g_strv_builder_add (there, ids[i]);
    }
  return g_strv_builder_end (there);
}

ReelMemory *
reel_source_map (const char *path, GError **error)
{
  return reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, REEL_MAP_READ, -1, error);
}
