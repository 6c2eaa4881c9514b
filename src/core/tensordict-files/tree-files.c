/* Trees in files, as TorchRL's storages write them. */
#include "tree-files.h"
#include "load-level.h"
#include "memmap-format.h"
#include "save-plan.h"
#include "../tensordict/tree-private.h"

#include <string.h>

gboolean
reel_tree_save (const ReelTensordict *tree, const char *path, gint64 length, GError **error)
{
  g_autoptr (ReelSavePlan) plan = NULL;

  if (!reel_tensordict_is_tree (tree))
    {
      g_set_error_literal (
          error, REEL_ERROR, REEL_ERROR_TYPE,
          "a list, tuple, plain dict or single tensor is expected; tensordicts are "
          "saved by reel_tensordict_save()");
      return FALSE;
    }
  plan = reel_save_plan_new_tree (tree, length, error);
  return plan && reel_save_directory (plan, path, TRUE, NULL, error);
}

/* ---- leaves ---- */

typedef struct
{
  ReelFileTree *files;
  char *where;          /* the metadata, for messages */
  const json_t *leaves; /* dtype and shape by dotted keys */
} TreeReader;

static gboolean
read_type (const TreeReader *reader, const json_t *entry, ReelTensor *leaf, GError **error)
{
  const char *dtype = reel_json_get_string (entry, reader->where, "dtype", error);
  GError *fault = NULL;

  if (!dtype
      || !reel_json_get_shape (entry, reader->where, "shape", &leaf->ndim, leaf->shape, error))
    return FALSE;
  if (reel_dtype_from_name (dtype, &leaf->dtype, &fault)
      && reel_shape_check (leaf->ndim, leaf->shape, reel_dtype_size (leaf->dtype), &fault))
    return TRUE;
  return reel_load_damaged (reader->where, fault, error);
}

static ReelTensor *
map_leaf (const TreeReader *reader, const char *name, const json_t *entry, GError **error)
{
  g_autofree char *file = g_strconcat (name, REEL_MEMMAP_SUFFIX, NULL);
  g_autoptr (ReelMemory) memory = NULL;
  ReelTensor leaf = { 0 };
  gsize offset = 0;

  if (!read_type (reader, entry, &leaf, error))
    return NULL;
  gint64 size = (gint64) reel_tensor_nbytes (&leaf);
  if (size == 0)
    memory = reel_memory_new_wrapped (REEL_MEMORY_HEAP, NULL, 0, NULL, NULL);
  else if (!reel_file_tree_map (reader->files, file, size, reel_dtype_size (leaf.dtype), &memory,
                                &offset, error))
    return NULL;
  if (memory)
    return reel_tensor_new_from_memory (memory, offset, leaf.dtype, leaf.ndim, leaf.shape, NULL,
                                        error);
  g_autofree char *where = reel_file_tree_where (reader->files, file);
  g_autofree char *what = g_strdup_printf ("a file of %" G_GINT64_FORMAT " bytes", size);
  reel_path_kind_error (where, what, REEL_PATH_MISSING, error);
  return NULL;
}

/* ---- the nodes of another tree ---- */

static gboolean
check_like (const TreeReader *reader, const char *name, const ReelTensor *leaf,
            const ReelTensor *like, GError **error)
{
  gboolean same = leaf->dtype == like->dtype && leaf->ndim == like->ndim;

  for (gint i = 1; same && i < leaf->ndim; i++)
    same = leaf->shape[i] == like->shape[i];
  if (same)
    return TRUE;
  g_autofree char *found = reel_shape_to_string (leaf->ndim, leaf->shape);
  g_autofree char *expected = reel_shape_to_string (like->ndim, like->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: \"%s\" is %s %s, expected %s %s, the first extent aside", reader->where, name,
               reel_dtype_name (leaf->dtype), found, reel_dtype_name (like->dtype), expected);
  return FALSE;
}

static ReelTensor *
read_like (const TreeReader *reader, const char *name, const ReelTensor *like, GError **error)
{
  g_autofree char *dotted = g_strdelimit (g_strdup (name), "/", '.');
  const json_t *entry = json_object_get (reader->leaves, dotted);
  g_autoptr (ReelTensor) leaf = NULL;

  if (!entry)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s: expected a leaf \"%s\", found none",
                   reader->where, dotted);
      return NULL;
    }
  leaf = map_leaf (reader, name, entry, error);
  return leaf && check_like (reader, dotted, leaf, like, error) ? g_steal_pointer (&leaf) : NULL;
}

static ReelTensordict *
read_nodes (const TreeReader *reader, const ReelTensordict *like, const char *directory,
            gsize *n_leaves, GError **error)
{
  g_autoptr (ReelTensordict) node = reel_tensordict_new_like (like, 0, NULL);
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (like, i)); i++)
    {
      g_autofree char *name = g_strconcat (directory, *directory ? "/" : "", entry->key, NULL);
      ReelTensordictValue value = { NULL };
      if (!reel_tree_key_is_name (entry->key))
        g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                     "the key \"%s\" of the tree to load is the name of no file", entry->key);
      else if (entry->tensor)
        value.tensor = read_like (reader, name, entry->tensor, error);
      else if (entry->child && reel_tensordict_is_tree (entry->child))
        value.child = read_nodes (reader, entry->child, name, n_leaves, error);
      else
        g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                     "\"%s\" of the tree to load is neither a tree nor a tensor", name);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      *n_leaves += value.tensor != NULL;
      reel_tensordict_append_like (node, entry, value);
    }
  return g_steal_pointer (&node);
}

static gboolean
check_all_read (const TreeReader *reader, const ReelTensordict *like, gsize n_leaves,
                GError **error)
{
  /* Each expected leaf was found, so equal numbers mean that there are no others. */
  if (n_leaves == json_object_size (reader->leaves))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "%s: there are %" G_GSIZE_FORMAT " leaves, and %" G_GSIZE_FORMAT
               " are expected: each of these is there, and others besides",
               reader->where, json_object_size (reader->leaves), n_leaves);
  return FALSE;
}

/* ---- nodes that only have keys ---- */

/* Dots separate levels, unless a file has them in its name. */
static char **
split_key (const TreeReader *reader, const char *dotted, GError **error)
{
  g_autofree char *file = g_strconcat (dotted, REEL_MEMMAP_SUFFIX, NULL);
  g_auto (GStrv) parts = NULL;
  gboolean fits;
  ReelPathKind kind = REEL_PATH_MISSING;

  if (reel_tree_key_is_name (dotted) && !reel_file_tree_query (reader->files, file, &kind, error))
    return NULL;
  parts = kind != REEL_PATH_MISSING ? g_strdupv ((char *[]){ (char *) dotted, NULL })
                                    : g_strsplit (dotted, ".", -1);
  fits = *parts && g_strv_length (parts) <= REEL_FILE_TREE_DEPTH;
  for (guint i = 0; fits && parts[i]; i++)
    fits = reel_tree_key_is_name (parts[i]);
  if (fits)
    return g_steal_pointer (&parts);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: \"%s\" names no leaf of a tree",
               reader->where, dotted);
  return NULL;
}

static gboolean
read_leaf (const TreeReader *reader, const char *dotted, const json_t *entry, ReelTensordict *map,
           GError **error)
{
  g_auto (GStrv) parts = split_key (reader, dotted, error);
  g_autofree char *name = parts ? g_strjoinv ("/", parts) : NULL;
  g_autoptr (ReelTensor) leaf = name ? map_leaf (reader, name, entry, error) : NULL;
  g_autoptr (GString) path = g_string_new (NULL);
  GError *fault = NULL;

  for (guint i = 0; leaf && parts[i]; i++)
    {
      g_autofree char *escaped = reel_path_escape (parts[i]);
      g_string_append_printf (path, "%s%s", i == 0 ? "" : "/", escaped);
    }
  if (!leaf)
    return FALSE;
  return reel_tensordict_set_tensor (map, path->str, leaf, &fault)
         || reel_load_damaged (reader->where, fault, error);
}

static gboolean
are_numbered (const ReelTensordict *map)
{
  const ReelTensordictEntry *entry;
  guint i;

  for (i = 0; (entry = reel_tensordict_get_entry (map, i)); i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      if (strcmp (entry->key, number) != 0)
        return FALSE;
    }
  return i > 0;
}

/* TorchRL takes digits for a number. */
static gboolean
is_number (const char *key, gint64 *number)
{
  guint64 found = 0;
  gboolean digits = g_ascii_string_to_unsigned (key, 10, 0, G_MAXINT64, &found, NULL);

  *number = (gint64) found;
  return digits && (key[0] != '0' || key[1] == '\0');
}

static void
set_item (ReelTensordict *map, const ReelTensordictEntry *entry, ReelTensordict *child)
{
  gint64 number;

  if (is_number (entry->key, &number) && child)
    reel_tree_set (map, number, child, NULL);
  else if (is_number (entry->key, &number))
    reel_tree_set_tensor (map, number, entry->tensor, NULL);
  else if (child)
    reel_tensordict_set_tensordict (map, entry->escaped, child, NULL);
  else
    reel_tensordict_set_tensor (map, entry->escaped, entry->tensor, NULL);
}

/* @map with lists where its keys are those of one, and numbers where they are digits. */
static ReelTensordict *
find_lists (const ReelTensordict *map)
{
  gboolean numbered = are_numbered (map);
  ReelTensordict *node = reel_tree_new (numbered ? REEL_TENSORDICT_LIST : REEL_TENSORDICT_MAP);
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (map, i)); i++)
    {
      g_autoptr (ReelTensordict) child = entry->child ? find_lists (entry->child) : NULL;
      if (numbered && child)
        reel_tree_append (node, child, NULL);
      else if (numbered)
        reel_tree_append_tensor (node, entry->tensor, NULL);
      else
        set_item (node, entry, child);
    }
  return node;
}

static ReelTensordict *
read_keys (const TreeReader *reader, GError **error)
{
  g_autoptr (ReelTensordict) map = reel_tree_new (REEL_TENSORDICT_MAP);
  json_t *single = json_object_get (reader->leaves, REEL_TREE_SINGLE_KEY);
  const char *dotted;
  json_t *entry;

  if (single && json_object_size (reader->leaves) == 1)
    {
      g_autoptr (ReelTensor) leaf = map_leaf (reader, REEL_TREE_SINGLE_KEY, single, error);
      return leaf ? reel_tree_new_single (leaf) : NULL;
    }
  json_object_foreach ((json_t *) reader->leaves, dotted,
                       entry) if (!read_leaf (reader, dotted, entry, map, error)) return NULL;
  return find_lists (map);
}

/* ---- all of it ---- */

static ReelTensordict *
read_tree (TreeReader *reader, const json_t *root, const ReelTensordict *like, gint64 *length,
           GError **error)
{
  g_autoptr (ReelTensordict) tree = NULL;
  gboolean is_tree;
  gsize n_leaves = 0;

  if (!reel_json_get_bool (root, reader->where, "is_pytree", &is_tree, error)
      || !reel_json_get_int64 (root, reader->where, "len", 0, G_MAXINT64, length, error))
    return NULL;
  if (!is_tree)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "%s: contains a tensordict: use reel_tensordict_load()", reader->where);
      return NULL;
    }
  reader->leaves = json_object_get (root, "metadata");
  if (!json_is_object (reader->leaves))
    {
      reel_json_bad_member (root, reader->where, "metadata", "an object", error);
      return NULL;
    }
  tree = like ? read_nodes (reader, like, "", &n_leaves, error) : read_keys (reader, error);
  if (!tree || (like && !check_all_read (reader, like, n_leaves, error)))
    return NULL;
  reel_tensordict_lock (tree);
  return g_steal_pointer (&tree);
}

ReelTensordict *
reel_tree_load (const char *path, const ReelTensordict *like, ReelLoadFlags flags, gint64 *length,
                GError **error)
{
  g_autoptr (ReelFileTree) files =
      reel_file_tree_open (path, reel_load_map_mode (flags), flags & REEL_LOAD_VERIFY, error);
  g_autoptr (json_t) root =
      files ? reel_file_tree_read_json (files, REEL_TREE_METADATA, error) : NULL;
  TreeReader reader = { files, NULL, NULL };
  ReelTensordict *tree = NULL;

  if (!root)
    return NULL;
  reader.where = reel_file_tree_where (files, REEL_TREE_METADATA);
  tree = read_tree (&reader, root, like, length, error);
  g_free (reader.where);
  return tree;
}
