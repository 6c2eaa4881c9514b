#include "load-level.h"
#include "memmap-format.h"

/* Dtype and shape, as the metadata have them. */
static gboolean
read_type (const char *where, const json_t *entry, ReelTensor *leaf, GError **error)
{
  const char *dtype = reel_json_get_string (entry, where, "dtype", error);
  GError *fault = NULL;

  if (!dtype || !reel_json_get_shape (entry, where, "shape", &leaf->ndim, leaf->shape, error))
    return FALSE;
  if (reel_dtype_from_name (dtype, &leaf->dtype, &fault)
      && reel_shape_check (leaf->ndim, leaf->shape, reel_dtype_size (leaf->dtype), &fault))
    return TRUE;
  return reel_load_damaged (where, fault, error);
}

static gboolean
map_leaf (ReelLoader *loader, const ReelLoadLevel *level, const char *key, const char *suffix,
          const ReelTensor *leaf, ReelMemory **memory, gsize *offset, GError **error)
{
  gint64 size = (gint64) reel_tensor_nbytes (leaf);

  for (gint plain = 0; plain <= 1; plain++)
    {
      g_autofree char *name = reel_load_name_of (level, key, suffix, plain);
      if (name
          && !reel_file_tree_map (loader->tree, name, size, reel_dtype_size (leaf->dtype), memory,
                                  offset, error))
        return FALSE;
      if (*memory)
        return TRUE;
    }
  g_autofree char *name = reel_load_name_of (level, key, suffix, FALSE);
  g_autofree char *where = reel_file_tree_where (loader->tree, name);
  g_autofree char *what = g_strdup_printf ("a file of %" G_GINT64_FORMAT " bytes", size);
  return reel_path_kind_error (where, what, REEL_PATH_MISSING, error);
}

static ReelTensor *
new_tensor (ReelLoader *loader, const ReelLoadLevel *level, const char *key, const char *suffix,
            const ReelTensor *leaf, GError **error)
{
  g_autoptr (ReelMemory) memory = NULL;
  gsize offset = 0;

  /* Nothing to read: older versions left an empty file, 0.14 leaves none. */
  if (reel_tensor_nbytes (leaf) == 0)
    memory = reel_memory_new_wrapped (loader->tree->kind->of_nothing, NULL, 0, NULL, NULL);
  else if (!map_leaf (loader, level, key, suffix, leaf, &memory, &offset, error))
    return NULL;
  return reel_tensor_new_from_memory (memory, offset, leaf->dtype, leaf->ndim, leaf->shape, NULL,
                                      error);
}

gboolean
reel_load_leaf (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
                const char *key, const json_t *entry, ReelTensordictValue *value, GError **error)
{
  g_autofree char *where = g_strdup_printf ("%s: \"%s\"", level->metadata, key);
  ReelTensor leaf;

  *value = (ReelTensordictValue){ 0 };
  if (json_is_true (json_object_get (entry, "is_nested")))
    {
      g_autofree char *path = reel_load_path (level, key);
      reel_load_leave_out (loader, level->directory, path, "ragged tensor");
      return TRUE;
    }
  if (!read_type (where, entry, &leaf, error)
      || !reel_load_check_batch (batch, where, leaf.ndim, leaf.shape, error))
    return FALSE;
  value->tensor = new_tensor (loader, level, key, REEL_MEMMAP_SUFFIX, &leaf, error);
  return value->tensor != NULL;
}
