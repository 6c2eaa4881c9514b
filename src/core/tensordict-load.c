#include "file-tree.h"
#include "memmap-format.h"
#include "tensordict-files.h"
#include "tensordict-private.h"

#include <string.h>

#define CLASS_PREFIX "<class '"
#define CLASS_SUFFIX "'>"
#define PREFIX_LENGTH (sizeof CLASS_PREFIX - 1)
#define SUFFIX_LENGTH (sizeof CLASS_SUFFIX - 1)

typedef struct
{
  ReelFileTree *tree;
  GPtrArray *left_out; /* sentences */
} Reader;

/* One directory on its way to a tensordict. */
typedef struct
{
  const char *directory; /* name in the tree */
  const char *path;      /* of the keys that led here, empty at the root */
  char *metadata;        /* where it is, for messages */
  json_t *root;
  char *class_name;
} Level;

static ReelTensordict *read_level (Reader *reader, const Level *level, const ReelTensordict *parent,
                                   GError **error);

/* ---- metadata ---- */

static void
level_clear (Level *level)
{
  g_free (level->metadata);
  g_free (level->class_name);
  json_decref (level->root);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Level, level_clear)

/* The dotted name in `<class 'tensordict._td.TensorDict'>`. */
static char *
parse_class_name (const Level *level, GError **error)
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

static char *
join_names (const char *directory, const char *name)
{
  return *directory ? g_strconcat (directory, "/", name, NULL) : g_strdup (name);
}

static gboolean
level_open (Reader *reader, Level *level, const char *directory, const char *path, GError **error)
{
  g_autofree char *name = join_names (directory, REEL_MEMMAP_METADATA);

  level->directory = directory;
  level->path = path;
  level->metadata = reel_file_tree_where (reader->tree, name);
  if (!reel_file_tree_enter (reader->tree, directory, error))
    return FALSE;
  level->root = reel_file_tree_read_json (reader->tree, name, error);
  if (level->root)
    level->class_name = parse_class_name (level, error);
  return level->class_name != NULL;
}

static gboolean
has_directory (Reader *reader, const Level *level, const char *name)
{
  g_autofree char *path = join_names (level->directory, name);
  ReelPathKind kind;

  return reel_file_tree_query (reader->tree, path, &kind, NULL) && kind == REEL_PATH_DIRECTORY;
}

/* An unknown class that keeps its data elsewhere is none; any other has the layout of its base. */
static gboolean
is_tensordict (Reader *reader, const Level *level)
{
  static const char *const same_layout[] = {
    "tensordict._td.TensorDict",
    "tensordict.nn.params.TensorDictParams",
    "tensordict.persistent.PersistentTensorDict",
    NULL,
  };
  static const char *const other_layout[] = {
    "tensordict._lazy.LazyStackedTensorDict",
    "tensordict.tensorclass.NonTensorData",
    "tensordict.tensorclass.NonTensorStack",
    "tensordict.tensorclass.MetaData",
    NULL,
  };

  if (g_strv_contains (same_layout, level->class_name))
    return TRUE;
  return !g_strv_contains (other_layout, level->class_name)
         && !has_directory (reader, level, "_tensordict")
         && !has_directory (reader, level, "_source");
}

static void
leave_out (Reader *reader, const char *directory, const char *path, const char *what)
{
  g_autofree char *where = reel_file_tree_where (reader->tree, directory);

  g_ptr_array_add (reader->left_out,
                   g_strdup_printf ("%s: \"%s\" is a %s, which cannot be read", where, path, what));
}

static char *
join_path (const char *path, const char *key)
{
  g_autofree char *escaped = reel_path_escape (key);

  return *path ? g_strconcat (path, "/", escaped, NULL) : g_steal_pointer (&escaped);
}

/* ---- leaves ---- */

/* The name of a key: the encoded one, or the plain one that versions before 0.14 used, where that
 * is another and leads nowhere else. */
static char *
name_of (const Level *level, const char *key, const char *suffix, gboolean plain)
{
  g_autofree char *encoded = reel_memmap_encode_key (key);
  g_autofree char *name = g_strconcat (plain ? key : encoded, suffix, NULL);

  if (plain && (strcmp (encoded, key) == 0 || !reel_memmap_key_is_name (key)))
    return NULL;
  return join_names (level->directory, name);
}

static gboolean
map_leaf (Reader *reader, const Level *level, const char *key, const ReelTensor *leaf,
          ReelMemory **memory, gsize *offset, GError **error)
{
  gint64 size = (gint64) reel_tensor_nbytes (leaf);

  for (gint plain = 0; plain <= 1; plain++)
    {
      g_autofree char *name = name_of (level, key, REEL_MEMMAP_SUFFIX, plain);
      if (name
          && !reel_file_tree_map (reader->tree, name, size, reel_dtype_size (leaf->dtype), memory,
                                  offset, error))
        return FALSE;
      if (*memory)
        return TRUE;
    }
  g_autofree char *name = name_of (level, key, REEL_MEMMAP_SUFFIX, FALSE);
  g_autofree char *where = reel_file_tree_where (reader->tree, name);
  g_autofree char *what = g_strdup_printf ("a file of %" G_GINT64_FORMAT " bytes", size);
  return reel_path_kind_error (where, what, REEL_PATH_MISSING, error);
}

static ReelTensor *
new_leaf (Reader *reader, const Level *level, const char *key, const ReelTensor *leaf,
          GError **error)
{
  g_autoptr (ReelMemory) memory = NULL;
  gsize offset = 0;

  /* Nothing to read: older versions left an empty file, 0.14 leaves none. */
  if (reel_tensor_nbytes (leaf) == 0)
    memory = reel_memory_new_wrapped (reader->tree->kind->of_nothing, NULL, 0, NULL, NULL);
  else if (!map_leaf (reader, level, key, leaf, &memory, &offset, error))
    return NULL;
  return reel_tensor_new_from_memory (memory, offset, leaf->dtype, leaf->ndim, leaf->shape, NULL,
                                      error);
}

/* Dtype and shape of a leaf, which must begin with the batch size. */
static gboolean
read_leaf_type (const ReelTensordict *td, const char *where, const json_t *entry, ReelTensor *leaf,
                GError **error)
{
  gint ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (td, &ndim);
  const char *dtype = reel_json_get_string (entry, where, "dtype", error);

  if (!dtype || !reel_json_get_shape (entry, where, "shape", &leaf->ndim, leaf->shape, error))
    return FALSE;
  GError *fault = NULL;
  if (!reel_dtype_from_name (dtype, &leaf->dtype, &fault)
      || !reel_shape_check (leaf->ndim, leaf->shape, reel_dtype_size (leaf->dtype), &fault))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: %s", where, fault->message);
      g_error_free (fault);
      return FALSE;
    }
  if (leaf->ndim < ndim || memcmp (leaf->shape, batch_size, ndim * sizeof *batch_size) != 0)
    {
      g_autofree char *expected = reel_shape_to_string (ndim, batch_size);
      g_autofree char *found = reel_shape_to_string (leaf->ndim, leaf->shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: expected a shape that begins with the batch size %s, found %s", where,
                   expected, found);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_leaf (Reader *reader, const Level *level, ReelTensordict *td, const char *key,
           const json_t *entry, GError **error)
{
  g_autofree char *where = g_strdup_printf ("%s: \"%s\"", level->metadata, key);
  ReelTensor leaf;

  if (json_is_true (json_object_get (entry, "is_nested")))
    {
      g_autofree char *path = join_path (level->path, key);
      leave_out (reader, level->directory, path, "ragged tensor");
      return TRUE;
    }
  if (!read_leaf_type (td, where, entry, &leaf, error))
    return FALSE;
  ReelTensor *tensor = new_leaf (reader, level, key, &leaf, error);
  if (tensor)
    reel_tensordict_put (td, key, (ReelTensordictValue){ .tensor = tensor });
  return tensor != NULL;
}

/* ---- nested collections ---- */

/* Where the directory of a key is, or an error. */
static char *
find_child (Reader *reader, const Level *level, const char *key, GError **error)
{
  ReelPathKind kind, first = REEL_PATH_MISSING;

  for (gint plain = 0; plain <= 1; plain++)
    {
      g_autofree char *name = name_of (level, key, "", plain);
      if (name && !reel_file_tree_query (reader->tree, name, &kind, error))
        return NULL;
      if (name && kind == REEL_PATH_DIRECTORY)
        return g_steal_pointer (&name);
      first = plain ? first : kind;
    }
  g_autofree char *name = name_of (level, key, "", FALSE);
  g_autofree char *where = reel_file_tree_where (reader->tree, name);
  reel_path_kind_error (where, "a directory", first, error);
  return NULL;
}

static gboolean
read_child (Reader *reader, const Level *level, ReelTensordict *td, const char *key, GError **error)
{
  g_auto (Level) child = { 0 };
  g_autofree char *path = join_path (level->path, key);
  g_autofree char *directory = find_child (reader, level, key, error);

  if (!directory || !level_open (reader, &child, directory, path, error))
    return FALSE;
  if (!is_tensordict (reader, &child))
    {
      leave_out (reader, directory, path, child.class_name);
      return TRUE;
    }
  ReelTensordict *nested = read_level (reader, &child, td, error);
  if (nested)
    reel_tensordict_put (td, key, (ReelTensordictValue){ .child = nested });
  return nested != NULL;
}

/* tensordict 0.3 lists no nested collections: they are whatever directories there are. */
static gboolean
is_unlisted_layout (const Level *level)
{
  const char *key;
  json_t *entry;

  json_object_foreach (level->root, key,
                       entry) if (json_object_get (entry, "type")
                                  || json_object_get (entry, "is_nested")) return FALSE;
  return TRUE;
}

static gboolean
read_unlisted (Reader *reader, const Level *level, ReelTensordict *td, GError **error)
{
  g_auto (GStrv) names = reel_file_tree_list (reader->tree, level->directory, error);

  if (!names)
    return FALSE;
  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *directory = join_names (level->directory, names[i]);
      g_autofree char *metadata = join_names (directory, REEL_MEMMAP_METADATA);
      ReelPathKind kind;
      if (!g_utf8_validate (names[i], -1, NULL) || !has_directory (reader, level, names[i])
          || !reel_file_tree_query (reader->tree, metadata, &kind, NULL) || kind != REEL_PATH_FILE)
        continue;
      if (!read_child (reader, level, td, names[i], error))
        return FALSE;
    }
  return TRUE;
}

/* ---- one level ---- */

/* A child whose own batch size does not begin with its parent's takes the parent's, as it does in
 * Python; leaves that do not fit it are found out one by one. */
static ReelTensordict *
new_level (const Level *level, const ReelTensordict *parent, GError **error)
{
  gint ndim = 0, parent_ndim = 0;
  gint64 shape[REEL_MAX_NDIM];
  const gint64 *parent_size = parent ? reel_tensordict_get_batch_size (parent, &parent_ndim) : NULL;

  if (json_object_get (level->root, "shape")
      && !reel_json_get_shape (level->root, level->metadata, "shape", &ndim, shape, error))
    return NULL;
  gsize prefix = parent_ndim * sizeof *shape;
  if (parent && (ndim < parent_ndim || memcmp (shape, parent_size, prefix) != 0))
    return reel_tensordict_new (parent_ndim, parent_size);
  return reel_tensordict_new (ndim, shape);
}

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

static ReelTensordict *
read_level (Reader *reader, const Level *level, const ReelTensordict *parent, GError **error)
{
  g_autoptr (ReelTensordict) td = new_level (level, parent, error);
  const char *device = json_string_value (json_object_get (level->root, "device"));
  const char *key;
  json_t *entry;

  if (!td)
    return NULL;
  json_object_foreach (level->root, key,
                       entry) if (!is_child (entry) && is_leaf (entry)
                                  && !read_leaf (reader, level, td, key, entry, error)) return NULL;
  json_object_foreach (level->root, key,
                       entry) if (is_child (entry)
                                  && !read_child (reader, level, td, key, error)) return NULL;
  if (is_unlisted_layout (level) && !read_unlisted (reader, level, td, error))
    return NULL;
  reel_tensordict_set_device (td, g_strcmp0 (device, "None") == 0 ? NULL : "cpu", NULL);
  return g_steal_pointer (&td);
}

/* ---- what others call ---- */

static ReelMapMode
map_mode (ReelLoadFlags flags)
{
  if (flags & REEL_LOAD_READ_ONLY)
    return REEL_MAP_READ;
  return flags & REEL_LOAD_SHARED ? REEL_MAP_WRITE : REEL_MAP_COPY;
}

/* All that is below, with sentences for what is not read. */
static ReelTensordict *
read_root (Reader *reader, GError **error)
{
  g_auto (Level) level = { 0 };

  if (!level_open (reader, &level, "", "", error))
    return NULL;
  if (!is_tensordict (reader, &level))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s: is a %s, which cannot be read", reader->tree->path, level.class_name);
      return NULL;
    }
  ReelTensordict *td = read_level (reader, &level, NULL, error);
  if (td)
    reel_tensordict_lock (td);
  return td;
}

ReelTensordict *
reel_tensordict_load_partial (const char *path, ReelLoadFlags flags, char ***left_out,
                              GError **error)
{
  g_autoptr (ReelFileTree) tree =
      reel_file_tree_open (path, map_mode (flags), flags & REEL_LOAD_VERIFY, error);
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  Reader reader = { tree, sentences };
  ReelTensordict *td = tree ? read_root (&reader, error) : NULL;

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
