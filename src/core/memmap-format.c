#include "memmap-format.h"

#include "json.h"
#include "tensordict-private.h"

#include <string.h>

#define TENSORDICT_TYPE "<class 'tensordict._td.TensorDict'>"

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

gboolean
reel_memmap_check_keys (const ReelTensordict *td, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const ReelTensordictEntry *entry;

  g_hash_table_add (names, g_strdup (REEL_MEMMAP_METADATA));
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      if (!check_key (entry->key, error))
        return FALSE;
      if (entry->non_tensor)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                       "\"%s\" is a non-tensor, and only tensors are saved; remove it first",
                       entry->key);
          return FALSE;
        }
      g_autofree char *encoded = reel_memmap_encode_key (entry->key);
      char *name = g_strconcat (encoded, entry->tensor ? REEL_MEMMAP_SUFFIX : NULL, NULL);
      if (!g_hash_table_add (names, name))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "the key \"%s\" cannot be stored: another one takes the file name \"%s\"; "
                       "rename it",
                       entry->key, name);
          return FALSE;
        }
      if (entry->child && !reel_memmap_check_keys (entry->child, error))
        return FALSE;
    }
  return TRUE;
}

static json_t *
describe_tensor (const ReelTensor *tensor)
{
  g_autofree char *dtype = g_strconcat ("torch.", reel_dtype_name (tensor->dtype), NULL);

  return json_pack ("{s:s, s:o, s:s, s:b}", "device", "cpu", "shape",
                    reel_json_new_shape (tensor->ndim, tensor->shape), "dtype", dtype, "is_nested",
                    0);
}

char *
reel_memmap_describe (const ReelTensordict *td)
{
  g_autoptr (json_t) root = json_object ();
  const ReelTensordictEntry *entry;
  gint ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (td, &ndim);

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    json_object_set_new (root, entry->key,
                         entry->tensor ? describe_tensor (entry->tensor)
                                       : json_pack ("{s:s}", "type", "TensorDict"));
  json_object_set_new (root, "shape", reel_json_new_shape (ndim, batch_size));
  json_object_set_new (root, "device", json_string ("cpu"));
  json_object_set_new (root, "_type", json_string (TENSORDICT_TYPE));
  return reel_json_to_string (root, REEL_JSON_COMPACT);
}
