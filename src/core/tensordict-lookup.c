/* Finding entries by path, and listing them. */
#include "tensordict-private.h"

#include <string.h>

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

gboolean
reel_tensordict_set_key_error (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < td->entries->len; i++)
    g_ptr_array_add (keys, ((ReelTensordictEntry *) td->entries->pdata[i])->key);
  g_ptr_array_sort (keys, compare_keys);
  for (guint i = 0; i < keys->len; i++)
    g_string_append_printf (list, "%s'%s'", i == 0 ? "" : ", ", (char *) keys->pdata[i]);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "key \"%s\" not found in TensorDict with keys [%s]", path, list->str);
  return FALSE;
}

const ReelTensordictEntry *
reel_tensordict_walk (const ReelTensordict *td, const char *path, const ReelTensordict **level)
{
  const char *end;

  for (; (end = strchr (path, '/')); path = end + 1)
    {
      const ReelTensordictEntry *entry = reel_tensordict_find (td, path, end - path);
      if (!entry || !entry->child)
        {
          *level = td;
          return NULL;
        }
      td = entry->child;
    }
  *level = td;
  return reel_tensordict_find (td, path, strlen (path));
}

const char *
reel_tensordict_entry_kind (const ReelTensordictEntry *entry)
{
  return entry->tensor ? "tensor" : entry->child ? "tensordict" : "non-tensor";
}

/* The entry of @path, which must be of the kind that @kind calls it. */
static const ReelTensordictEntry *
get_entry (const ReelTensordict *td, const char *path, const char *kind, GError **error)
{
  const ReelTensordict *level;
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, path, &level);

  if (!entry)
    reel_tensordict_set_key_error (level, path, error);
  else if (strcmp (reel_tensordict_entry_kind (entry), kind) != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a %s, not a %s", path,
                   reel_tensordict_entry_kind (entry), kind);
      entry = NULL;
    }
  return entry;
}

ReelTensor *
reel_tensordict_get_tensor (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordictEntry *entry = get_entry (td, path, "tensor", error);

  return entry ? entry->tensor : NULL;
}

ReelTensordict *
reel_tensordict_get_tensordict (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordictEntry *entry = get_entry (td, path, "tensordict", error);

  return entry ? entry->child : NULL;
}

ReelNonTensor *
reel_tensordict_get_non_tensor (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordictEntry *entry = get_entry (td, path, "non-tensor", error);

  return entry ? entry->non_tensor : NULL;
}

GVariant *
reel_tensordict_get_value (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelNonTensor *non_tensor = reel_tensordict_get_non_tensor (td, path, error);

  return non_tensor ? reel_non_tensor_get_data (non_tensor) : NULL;
}

gboolean
reel_tensordict_contains (const ReelTensordict *td, const char *path)
{
  const ReelTensordict *level;

  return reel_tensordict_walk (td, path, &level) != NULL;
}

/* ---- walks ---- */

void
reel_tensordict_iter_init (ReelTensordictIter *iter, const ReelTensordict *td)
{
  iter->td = td;
  iter->next = 0;
}

gboolean
reel_tensordict_iter_next (ReelTensordictIter *iter, const char **key, ReelTensor **tensor,
                           ReelTensordict **child)
{
  const ReelTensordictEntry *entry = reel_tensordict_get_entry (iter->td, iter->next);

  if (!entry)
    return FALSE;
  iter->next++;
  if (key)
    *key = entry->key;
  if (tensor)
    *tensor = entry->tensor;
  if (child)
    *child = entry->child;
  return TRUE;
}

ReelNonTensor *
reel_tensordict_iter_get_non_tensor (const ReelTensordictIter *iter)
{
  const ReelTensordictEntry *entry =
      iter->next > 0 ? reel_tensordict_get_entry (iter->td, iter->next - 1) : NULL;

  return entry ? entry->non_tensor : NULL;
}

/* ---- leaves ---- */

gboolean
reel_tensordict_has_leaves (const ReelTensordict *td)
{
  for (guint i = 0; i < td->entries->len; i++)
    {
      ReelTensordictEntry *entry = td->entries->pdata[i];
      if (!entry->child || reel_tensordict_has_leaves (entry->child))
        return TRUE;
    }
  return FALSE;
}

static void
list_leaves_below (const ReelTensordict *td, const char *prefix, gboolean tensors, GPtrArray *paths)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, *prefix ? "/" : "", entry->escaped, NULL);
      if (entry->child)
        list_leaves_below (entry->child, path, tensors, paths);
      else if (tensors == (entry->tensor != NULL))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
}

static char **
list_leaves (const ReelTensordict *td, gboolean tensors)
{
  GPtrArray *paths = g_ptr_array_new ();

  list_leaves_below (td, "", tensors, paths);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

char **
reel_tensordict_list_leaves (const ReelTensordict *td)
{
  return list_leaves (td, TRUE);
}

char **
reel_tensordict_list_non_tensors (const ReelTensordict *td)
{
  return list_leaves (td, FALSE);
}
