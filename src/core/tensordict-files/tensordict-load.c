/* Loads tensordicts from directories and archives: the root, then level by level what its metadata
 * list. */
#include "load-level.h"
#include "memmap-format.h"

#include <string.h>

/* ---- nested collections ---- */

/* Where the directory of a key is, or an error. */
static char *
find_child (ReelLoader *loader, const ReelLoadLevel *level, const char *key, GError **error)
{
  ReelPathKind kind, first = REEL_PATH_MISSING;

  for (gint plain = 0; plain <= 1; plain++)
    {
      g_autofree char *name = reel_load_name_of (level, key, "", plain);
      if (name && !reel_file_tree_query (loader->tree, name, &kind, error))
        return NULL;
      if (name && kind == REEL_PATH_DIRECTORY)
        return g_steal_pointer (&name);
      first = plain ? first : kind;
    }
  g_autofree char *name = reel_load_name_of (level, key, "", FALSE);
  g_autofree char *where = reel_file_tree_where (loader->tree, name);
  reel_path_kind_error (where, "a directory", first, error);
  return NULL;
}

static gboolean
read_child (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
            const char *key, ReelTensordictValue *value, GError **error)
{
  g_auto (ReelLoadLevel) child = { 0 };
  g_autofree char *path = reel_load_path (level, key);
  g_autofree char *directory = find_child (loader, level, key, error);

  return directory && reel_load_level_open (loader, &child, directory, path, error)
         && reel_load_collection (loader, &child, batch, value, error);
}

/* tensordict 0.3 lists no nested collections: they are whatever directories there are. */
static gboolean
is_unlisted_layout (const ReelLoadLevel *level)
{
  const char *key;
  json_t *entry;

  json_object_foreach (level->root, key,
                       entry) if (json_object_get (entry, "type")
                                  || json_object_get (entry, "is_nested")) return FALSE;
  return TRUE;
}

static gboolean
is_unlisted_child (ReelLoader *loader, const ReelLoadLevel *level, const char *name)
{
  g_autofree char *metadata = reel_load_join (name, REEL_MEMMAP_METADATA);

  return g_utf8_validate (name, -1, NULL)
         && reel_load_level_has (loader, level, name) == REEL_PATH_DIRECTORY
         && reel_load_level_has (loader, level, metadata) == REEL_PATH_FILE;
}

/* ---- one level ---- */

static gboolean
is_leaf (const json_t *entry)
{
  return json_object_get (entry, "dtype") && json_object_get (entry, "shape");
}

static gboolean
is_child (const json_t *entry)
{
  const json_t *type = json_object_get (entry, "type");

  return type && !json_is_null (type);
}

/* Omitted values are no entries. */
static void
put (ReelTensordict *td, const char *key, ReelTensordictValue value)
{
  if (reel_tensordict_value_is_set (&value))
    reel_tensordict_put (td, key, value);
}

/* Leaves come before collections, as when Python reads them. */
static gboolean
read_entries (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
              ReelTensordict *td, GError **error)
{
  ReelTensordictValue value;
  const char *key;
  json_t *entry;

  json_object_foreach (level->root, key, entry)
  {
    if (is_child (entry) || !is_leaf (entry))
      continue;
    if (!reel_load_leaf (loader, level, batch, key, entry, &value, error))
      return FALSE;
    put (td, key, value);
  }
  json_object_foreach (level->root, key, entry)
  {
    if (!is_child (entry))
      continue;
    if (!read_child (loader, level, batch, key, &value, error))
      return FALSE;
    put (td, key, value);
  }
  return TRUE;
}

static gboolean
read_unlisted (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
               ReelTensordict *td, GError **error)
{
  g_auto (GStrv) names = reel_file_tree_list (loader->tree, level->directory, error);
  ReelTensordictValue value;

  for (guint i = 0; names && names[i]; i++)
    {
      if (!is_unlisted_child (loader, level, names[i]))
        continue;
      if (!read_child (loader, level, batch, names[i], &value, error))
        return FALSE;
      put (td, names[i], value);
    }
  return names != NULL;
}

/* A child whose own batch size does not begin with its parent's takes the parent's, as it does in
 * Python; leaves that do not fit it are found out one by one. */
static gboolean
read_batch (const ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *parent,
            ReelLoadBatch *batch, GError **error)
{
  GError *fault = NULL;

  batch->ndim = 0;
  if (loader->flags & REEL_LOAD_JOINED)
    return TRUE;
  if (json_object_get (level->root, "shape")
      && !reel_json_get_shape (level->root, level->metadata, "shape", &batch->ndim, batch->size,
                               error))
    return FALSE;
  if (!reel_shape_check (batch->ndim, batch->size, 1, &fault))
    return reel_load_damaged (level->metadata, fault, error);
  if (!reel_load_check_batch (parent, level->metadata, batch->ndim, batch->size, NULL))
    *batch = *parent;
  return TRUE;
}

ReelTensordict *
reel_load_tensordict (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *parent,
                      GError **error)
{
  const char *device = json_string_value (json_object_get (level->root, "device"));
  ReelLoadBatch batch;

  if (!read_batch (loader, level, parent, &batch, error))
    return NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (batch.ndim, batch.size);
  if (!read_entries (loader, level, &batch, td, error)
      || (is_unlisted_layout (level) && !read_unlisted (loader, level, &batch, td, error)))
    return NULL;
  reel_tensordict_set_device (td, g_strcmp0 (device, "None") == 0 ? NULL : "cpu", NULL);
  return g_steal_pointer (&td);
}

/* ---- what others call ---- */

ReelMapMode
reel_load_map_mode (ReelLoadFlags flags)
{
  if (flags & REEL_LOAD_READ_ONLY)
    return REEL_MAP_READ;
  return flags & REEL_LOAD_SHARED ? REEL_MAP_WRITE : REEL_MAP_COPY;
}

static ReelTensordict *
read_root (ReelLoader *loader, GError **error)
{
  const ReelLoadBatch none = { 0 };
  g_auto (ReelLoadLevel) level = { 0 };
  ReelTensordictValue value;

  if (!reel_load_level_open (loader, &level, "", "", error)
      || !reel_load_collection (loader, &level, &none, &value, error))
    return NULL;
  if (value.child)
    {
      reel_tensordict_lock (value.child);
      return value.child;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "%s: is a %s, which %s",
               loader->tree->path, level.class_name,
               value.non_tensor ? "is not a tensordict by itself" : "cannot be read");
  g_clear_pointer (&value.non_tensor, reel_non_tensor_unref);
  return NULL;
}

ReelTensordict *
reel_tensordict_load_partial (const char *path, ReelLoadFlags flags, char ***left_out,
                              GError **error)
{
  g_autoptr (ReelFileTree) tree =
      reel_file_tree_open (path, reel_load_map_mode (flags), flags & REEL_LOAD_VERIFY, error);
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  ReelLoader loader = { tree, flags, sentences };
  ReelTensordict *td = tree ? read_root (&loader, error) : NULL;

  if (!td)
    return NULL;
  g_ptr_array_add (sentences, NULL);
  *left_out = (char **) g_ptr_array_free (g_steal_pointer (&sentences), FALSE);
  return td;
}

ReelTensordict *
reel_tensordict_load (const char *path, ReelLoadFlags flags, GError **error)
{
  g_auto (GStrv) left_out = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_load_partial (path, flags, &left_out, error);

  if (td && left_out[0])
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, left_out[0]);
      return NULL;
    }
  return g_steal_pointer (&td);
}
