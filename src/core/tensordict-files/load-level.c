/* One level of a saved tensordict: its metadata, its class, and the names of files in it. */
#include "load-level.h"

#include "memmap-format.h"

#include <string.h>

#define CLASS_PREFIX "<class '"
#define CLASS_SUFFIX "'>"
#define PREFIX_LENGTH (sizeof CLASS_PREFIX - 1)
#define SUFFIX_LENGTH (sizeof CLASS_SUFFIX - 1)

void
reel_load_level_clear (ReelLoadLevel *level)
{
  g_free (level->metadata);
  g_free (level->class_name);
  json_decref (level->root);
}

/* The dotted name in `<class 'tensordict._td.TensorDict'>`. */
static char *
parse_class_name (const ReelLoadLevel *level, GError **error)
{
  const char *type = reel_json_get_string (level->root, level->metadata, "_type", error);

  if (!type)
    return NULL;
  /* A prefix and a suffix may share a quote. */
  gsize length = strlen (type);
  if (length <= PREFIX_LENGTH + SUFFIX_LENGTH || !g_str_has_prefix (type, CLASS_PREFIX)
      || !g_str_has_suffix (type, CLASS_SUFFIX))
    {
      reel_json_bad_member (level->root, level->metadata, "_type", "the string \"<class '…'>\"",
                            error);
      return NULL;
    }
  return g_strndup (type + PREFIX_LENGTH, length - PREFIX_LENGTH - SUFFIX_LENGTH);
}

gboolean
reel_load_level_open (ReelLoader *loader, ReelLoadLevel *level, const char *directory,
                      const char *path, GError **error)
{
  g_autofree char *name = reel_load_join (directory, REEL_MEMMAP_METADATA);

  *level =
      (ReelLoadLevel){ directory, path, reel_file_tree_where (loader->tree, name), NULL, NULL };
  if (!reel_file_tree_enter (loader->tree, directory, error))
    return FALSE;
  level->root = reel_file_tree_read_json (loader->tree, name, error);
  if (level->root)
    level->class_name = parse_class_name (level, error);
  return level->class_name != NULL;
}

ReelPathKind
reel_load_level_has (ReelLoader *loader, const ReelLoadLevel *level, const char *name)
{
  g_autofree char *path = reel_load_join (level->directory, name);
  ReelPathKind kind;

  return reel_file_tree_query (loader->tree, path, &kind, NULL) ? kind : REEL_PATH_MISSING;
}

char *
reel_load_join (const char *directory, const char *name)
{
  return *directory ? g_strconcat (directory, "/", name, NULL) : g_strdup (name);
}

char *
reel_load_name_of (const ReelLoadLevel *level, const char *key, const char *suffix, gboolean plain)
{
  g_autofree char *encoded = reel_memmap_encode_key (key);
  g_autofree char *name = g_strconcat (plain ? key : encoded, suffix, NULL);

  /* Versions before 0.13 wrote keys as they are; one that could leave
   * the directory is not tried. */
  if (plain && (strcmp (encoded, key) == 0 || !reel_memmap_key_is_name (key)))
    return NULL;
  return reel_load_join (level->directory, name);
}

char *
reel_load_path (const ReelLoadLevel *level, const char *key)
{
  g_autofree char *escaped = reel_path_escape (key);

  return *level->path ? g_strconcat (level->path, "/", escaped, NULL) : g_steal_pointer (&escaped);
}

void
reel_load_leave_out (ReelLoader *loader, const char *directory, const char *path, const char *what)
{
  g_autofree char *where = reel_file_tree_where (loader->tree, directory);

  g_ptr_array_add (loader->left_out,
                   g_strdup_printf ("%s: \"%s\" is a %s, which cannot be read", where, path, what));
}

gboolean
reel_load_damaged (const char *where, GError *fault, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: %s", where, fault->message);
  g_error_free (fault);
  return FALSE;
}

gboolean
reel_load_check_batch (const ReelLoadBatch *batch, const char *where, gint ndim, const gint64 *size,
                       GError **error)
{
  if (ndim >= batch->ndim && memcmp (size, batch->size, (gsize) batch->ndim * sizeof *size) == 0)
    return TRUE;
  g_autofree char *expected = reel_shape_to_string (batch->ndim, batch->size);
  g_autofree char *found = reel_shape_to_string (ndim, size);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: expected a shape that begins with the batch size %s, found %s", where, expected,
               found);
  return FALSE;
}
