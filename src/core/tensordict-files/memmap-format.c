/* Names of files and the JSON of `meta.json`, and a check that all of a
 * tensordict can be read back. */
#include "memmap-format.h"

#include "file-tree.h"
#include "../tensordict/ragged.h"
#include "../tensordict/tree-private.h"
#include "../tensordict/variant.h"

#include <string.h>

#define TYPE_MEMBER "_type"
#define TYPE_TEXT(name) "<class '" name "'>"
#define TENSORDICT "tensordict._td.TensorDict"
#define LAZY_STACK "tensordict._lazy.LazyStackedTensorDict"
#define NON_TENSOR "tensordict.tensorclass.%s"

/* Members of meta.json that are no keys; an entry of that name would be overwritten. */
static const char *const reserved[] = { "shape", "device", "_type", NULL };

char *
reel_memmap_encode_key (const char *key)
{
  GString *name = g_string_new (NULL);

  if (key[0] == '\0')
    g_string_append_c (name, '%');
  else if (strcmp (key, ".") == 0 || strcmp (key, "..") == 0)
    for (; *key; key++)
      g_string_append (name, "%2E");
  for (; *key; key++)
    if ((guchar) *key <= ' ' || *key == 0x7f || strchr ("/<>:\"|?*\\%", *key))
      g_string_append_printf (name, "%%%02X", (guchar) *key);
    else
      g_string_append_c (name, *key);
  return g_string_free (name, FALSE);
}

gboolean
reel_memmap_key_is_name (const char *key)
{
  gboolean has_drive = g_ascii_isalpha (key[0]) && key[1] == ':';

  return key[0] != '\0' && strcmp (key, ".") != 0 && strcmp (key, "..") != 0
         && !strpbrk (key, "/\\") && !has_drive;
}

static gboolean
check_key (const char *key, GError **error)
{
  gboolean is_reserved = g_strv_contains (reserved, key);

  if (is_reserved || !g_utf8_validate (key, -1, NULL))
    {
      g_autofree char *shown = g_utf8_make_valid (key, -1);
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the key \"%s\" cannot be stored: %s; rename it", shown,
                   is_reserved ? "meta.json uses this name itself" : "it is not UTF-8");
      return FALSE;
    }
  return TRUE;
}

/* The lists of a stack are read as dimensions of the batch for as long as their lengths are equal.
 */
static gboolean
check_non_tensor (const ReelTensordictEntry *entry, GError **error)
{
  gint ndim, found_ndim = 0;

  reel_non_tensor_get_batch_size (entry->non_tensor, &ndim);
  if (reel_non_tensor_is_single (entry->non_tensor))
    return TRUE;
  g_autoptr (GVariant) list = reel_non_tensor_to_list (entry->non_tensor);
  g_autoptr (ReelNonTensor) found = reel_non_tensor_new_from_list (list, -1, NULL);
  if (found)
    reel_non_tensor_get_batch_size (found, &found_ndim);
  if (found_ndim == ndim)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the non-tensor \"%s\" of %d dimensions cannot be stored: its values are lists of "
               "one length, which would be read as a dimension; store them otherwise, say as text",
               entry->key, ndim);
  return FALSE;
}

static gboolean check_level (const ReelTensordict *td, gboolean ragged, guint depth,
                             GError **error);

static gboolean
check_entry (const ReelTensordictEntry *entry, gboolean ragged, guint depth, GError **error)
{
  if (entry->non_tensor)
    return check_non_tensor (entry, error);
  return !entry->child || check_level (entry->child, ragged, depth + 1, error);
}

static gboolean
take_name (GHashTable *names, const char *key, char *name, GError **error)
{
  if (g_hash_table_add (names, name))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "the key \"%s\" cannot be stored: another one takes the file name \"%s\"; rename it",
               key, name);
  return FALSE;
}

/* The files and directories of one key. */
static gboolean
take_names (GHashTable *names, const ReelTensordictEntry *entry, gboolean all_ragged,
            GError **error)
{
  g_autofree char *encoded = reel_memmap_encode_key (entry->key);
  gboolean ragged = entry->tensor ? all_ragged : reel_ragged_is (entry->child);
  gboolean leaf = entry->tensor || ragged;

  return take_name (names, entry->key,
                    g_strconcat (encoded, leaf ? REEL_MEMMAP_SUFFIX : NULL, NULL), error)
         && (!ragged
             || take_name (names, entry->key, g_strconcat (encoded, REEL_MEMMAP_SIZES_SUFFIX, NULL),
                           error));
}

static gboolean
check_elements (const ReelTensordict *td, gboolean ragged, guint depth, GError **error)
{
  for (guint i = 0; i < td->elements->len; i++)
    if (!check_level (td->elements->pdata[i], ragged, depth + 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_depth (guint depth, GError **error)
{
  if (depth <= REEL_FILE_TREE_DEPTH)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "tensordicts nested more than %d levels deep cannot be stored; flatten the keys",
               REEL_FILE_TREE_DEPTH);
  return FALSE;
}

/* @depth: directories around this one. */
static gboolean
check_level (const ReelTensordict *td, gboolean ragged, guint depth, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const ReelTensordictEntry *entry;

  depth += td->record_class ? 1 : 0;
  if (!check_depth (depth, error))
    return FALSE;
  if (td->elements)
    return check_elements (td, ragged, depth, error);
  if (reel_tensordict_is_tree (td))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "TensorDict's directories hold no lists, tuples and plain dicts");
      return FALSE;
    }
  /* A nested key of this name would be its directory. */
  g_hash_table_add (names, g_strdup (REEL_MEMMAP_METADATA));
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (!check_key (entry->key, error) || !take_names (names, entry, ragged, error)
        || !check_entry (entry, ragged, depth, error))
      return FALSE;
  return TRUE;
}

gboolean
reel_memmap_check_keys (const ReelTensordict *td, gboolean ragged, GError **error)
{
  return check_level (td, ragged, 0, error);
}

/* ---- metadata ---- */

static json_t *
describe_leaf (ReelDtype dtype, gint ndim, const gint64 *shape, gboolean ragged)
{
  g_autofree char *type = g_strconcat ("torch.", reel_dtype_name (dtype), NULL);

  return json_pack ("{s:s, s:o, s:s, s:b}", "device", "cpu", "shape",
                    reel_json_new_shape (ndim, shape), "dtype", type, "is_nested", ragged);
}

json_t *
reel_memmap_describe_tree_leaf (const ReelTensor *tensor)
{
  json_t *leaf = describe_leaf (tensor->dtype, tensor->ndim, tensor->shape, FALSE);

  json_object_del (leaf, "device");
  json_object_del (leaf, "is_nested");
  return leaf;
}

static json_t *
describe_ragged (const ReelTensordict *td)
{
  g_autoptr (ReelTensor) sizes = reel_ragged_dup_sizes (td);

  return describe_leaf (reel_ragged_get_dtype (td), sizes->ndim, sizes->shape, TRUE);
}

/* The class of a collection without its module. */
static json_t *
describe_collection (const ReelTensordictEntry *entry)
{
  const char *name = entry->child ? reel_tensordict_get_class_name (entry->child) : NULL;
  const char *last = name ? strrchr (name, '.') : NULL;
  const char *type = "TensorDict";

  if (entry->non_tensor)
    type = reel_non_tensor_class_name (entry->non_tensor);
  else if (entry->child->elements)
    type = "LazyStackedTensorDict";
  else if (name)
    type = last ? last + 1 : name;
  return json_pack ("{s:s}", "type", type);
}

static json_t *
describe_entry (const ReelTensordictEntry *entry, gboolean ragged)
{
  const ReelTensor *tensor = entry->tensor;

  if (tensor && ragged)
    return describe_leaf (tensor->dtype, 2, (gint64[]){ tensor->shape[0], tensor->ndim }, TRUE);
  if (tensor)
    return describe_leaf (tensor->dtype, tensor->ndim, tensor->shape, FALSE);
  return reel_ragged_is (entry->child) ? describe_ragged (entry->child)
                                       : describe_collection (entry);
}

char *
reel_memmap_describe (const ReelTensordict *td, gboolean ragged)
{
  g_autoptr (json_t) root = json_object ();
  const ReelTensordictEntry *entry;
  gint ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (td, &ndim);

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    json_object_set_new (root, entry->key, describe_entry (entry, ragged));
  json_object_set_new (root, "shape", reel_json_new_shape (ndim, batch_size));
  json_object_set_new (root, "device", json_string ("cpu"));
  json_object_set_new (root, TYPE_MEMBER, json_string (TYPE_TEXT (TENSORDICT)));
  return reel_json_to_string (root, REEL_JSON_COMPACT);
}

char *
reel_memmap_describe_record (const ReelTensordict *td)
{
  const char *const *fields = reel_tensordict_get_class_fields (td);
  g_autofree char *type = g_strdup_printf (TYPE_TEXT ("%s"), reel_tensordict_get_class_name (td));
  g_autoptr (json_t) root = json_pack ("{s:s}", TYPE_MEMBER, type);

  for (gsize i = 0; fields[i]; i++)
    {
      g_autofree char *path = reel_path_escape (fields[i]);
      if (!reel_tensordict_find (td, path, strlen (path)))
        json_object_set_new (root, fields[i], json_null ());
    }
  return reel_json_to_string (root, REEL_JSON_COMPACT);
}

char *
reel_memmap_describe_stack (const ReelTensordict *td)
{
  g_autoptr (json_t) root =
      json_pack ("{s:s, s:i}", TYPE_MEMBER, TYPE_TEXT (LAZY_STACK), "stack_dim", td->stack_dim);

  return reel_json_to_string (root, REEL_JSON_COMPACT);
}

char *
reel_memmap_describe_non_tensor (const ReelNonTensor *non_tensor, const char *device)
{
  g_autoptr (GVariant) data = reel_non_tensor_dup_data (non_tensor);
  g_autofree char *type =
      g_strdup_printf (TYPE_TEXT (NON_TENSOR), reel_non_tensor_class_name (non_tensor));
  json_t *json = reel_variant_to_json (data);
  g_autoptr (json_t) root = reel_non_tensor_is_single (non_tensor)
                                ? json_pack ("{s:s, s:o, s:b, s:n}", TYPE_MEMBER, type, "data",
                                             json, "_is_non_tensor", 1, "_metadata")
                                : json_pack ("{s:s, s:i, s:s?, s:o}", TYPE_MEMBER, type,
                                             "stack_dim", 0, "device", device, "data", json);

  return reel_json_to_string (root, REEL_JSON_COMPACT);
}
