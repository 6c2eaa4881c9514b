/* Finding entries by path, and listing them. */
#include "lazy-stack-private.h"
#include "tree-private.h"

#include <string.h>

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const ReelTensordictEntry *const *) a)->key,
                 (*(const ReelTensordictEntry *const *) b)->key);
}

gboolean
reel_tensordict_set_key_error (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);
  g_autoptr (GString) list = g_string_new (NULL);

  g_ptr_array_sort (entries, compare_keys);
  for (guint i = 0; i < entries->len; i++)
    g_string_append_printf (list, "%s'%s'", i == 0 ? "" : ", ",
                            ((const ReelTensordictEntry *) entries->pdata[i])->key);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "key \"%s\" not found in %s with keys [%s]", path,
               reel_tensordict_is_lazy (td)   ? "LazyStackedTensorDict"
               : reel_tensordict_is_tree (td) ? "tree"
                                              : "TensorDict",
               list->str);
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

static gboolean
set_kind_error (const char *path, const char *found, const char *expected, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a %s, not a %s", path, found,
               expected);
  return FALSE;
}

/* ---- what is lent ---- */

/* The entry of @path, which must be of the kind that @kind calls it. */
static const ReelTensordictEntry *
get_entry (const ReelTensordict *td, const char *path, const char *kind, GError **error)
{
  const ReelTensordict *level;
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, path, &level);

  if (!entry && reel_tensordict_is_lazy (level) && reel_tensordict_contains (td, path))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "\"%s\" is in a lazy stack and is stacked when it is taken: take a reference",
                 path);
  else if (!entry)
    reel_tensordict_set_key_error (level, path, error);
  else if (strcmp (reel_tensordict_entry_kind (entry), kind) != 0)
    {
      set_kind_error (path, reel_tensordict_entry_kind (entry), kind, error);
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

/* ---- what is given ---- */

/* Level by level, for a level may be stacked on the way. */
static gboolean
ref_value (const ReelTensordict *td, const char *path, ReelTensordictValue *value, GError **error)
{
  const char *end = strchr (path, '/');
  gsize length = end ? (gsize) (end - path) : strlen (path);

  *value = (ReelTensordictValue){ NULL };
  if (!reel_tensordict_has_key (td, path, length))
    return reel_tensordict_set_key_error (td, path, error);
  if (!reel_tensordict_ref_entry (td, path, length, value, error) || !end)
    return reel_tensordict_value_is_set (value);
  if (!value->child)
    {
      reel_tensordict_release_value (value);
      return reel_tensordict_set_key_error (td, path, error);
    }
  g_autoptr (ReelTensordict) level = value->child;
  return ref_value (level, end + 1, value, error);
}

static const char *
value_kind (const ReelTensordictValue *value)
{
  return value->tensor ? "tensor" : value->child ? "tensordict" : "non-tensor";
}

static ReelTensordictValue
ref_kind (const ReelTensordict *td, const char *path, const char *kind, GError **error)
{
  ReelTensordictValue value;

  if (ref_value (td, path, &value, error) && strcmp (value_kind (&value), kind) != 0)
    {
      set_kind_error (path, value_kind (&value), kind, error);
      reel_tensordict_release_value (&value);
    }
  return value;
}

ReelTensor *
reel_tensordict_ref_tensor (const ReelTensordict *td, const char *path, GError **error)
{
  return ref_kind (td, path, "tensor", error).tensor;
}

ReelTensordict *
reel_tensordict_ref_tensordict (const ReelTensordict *td, const char *path, GError **error)
{
  return ref_kind (td, path, "tensordict", error).child;
}

ReelNonTensor *
reel_tensordict_ref_non_tensor (const ReelTensordict *td, const char *path, GError **error)
{
  return ref_kind (td, path, "non-tensor", error).non_tensor;
}

GVariant *
reel_tensordict_dup_value (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (ReelNonTensor) non_tensor = reel_tensordict_ref_non_tensor (td, path, error);

  return non_tensor ? reel_non_tensor_dup_data (non_tensor) : NULL;
}

gboolean
reel_tensordict_contains (const ReelTensordict *td, const char *path)
{
  const char *end = strchr (path, '/');
  const ReelTensordictEntry *entry;

  for (guint i = 0; td->elements && i < td->elements->len; i++)
    if (!reel_tensordict_contains (td->elements->pdata[i], path))
      return FALSE;
  if (td->elements)
    return td->elements->len > 0;
  entry = reel_tensordict_find (td, path, end ? (gsize) (end - path) : strlen (path));
  if (!entry || !end)
    return entry != NULL;
  return entry->child && reel_tensordict_contains (entry->child, end + 1);
}

/* ---- walks ---- */

void
reel_tensordict_iter_init (ReelTensordictIter *iter, const ReelTensordict *td)
{
  *iter = (ReelTensordictIter){ .td = td };
}

/* The entry, in the first of the tensordicts stacked, of the first key after @last that all have.
 */
static const ReelTensordictEntry *
next_common (const ReelTensordict *td, const ReelTensordictEntry *last)
{
  const ReelTensordictEntry *best = NULL, *entry;
  const ReelTensordict *first = td;

  while (first->elements && first->elements->len > 0)
    first = first->elements->pdata[0];
  for (guint i = 0; (entry = reel_tensordict_get_entry (first, i)); i++)
    if ((!last || strcmp (entry->key, last->key) > 0)
        && (!best || strcmp (entry->key, best->key) < 0)
        && reel_tensordict_has_key (td, entry->escaped, entry->length))
      best = entry;
  return best;
}

gboolean
reel_tensordict_iter_next (ReelTensordictIter *iter, const char **key, ReelTensor **tensor,
                           ReelTensordict **child)
{
  gboolean is_lazy = reel_tensordict_is_lazy (iter->td);
  const ReelTensordictEntry *entry = is_lazy ? next_common (iter->td, iter->entry)
                                             : reel_tensordict_get_entry (iter->td, iter->next);

  if (!entry)
    return FALSE;
  iter->next++;
  iter->entry = entry;
  if (key)
    *key = entry->key;
  if (tensor)
    *tensor = is_lazy ? NULL : entry->tensor;
  if (child)
    *child = is_lazy ? NULL : entry->child;
  return TRUE;
}

ReelNonTensor *
reel_tensordict_iter_get_non_tensor (const ReelTensordictIter *iter)
{
  const ReelTensordictEntry *entry = iter->entry;

  return entry && !reel_tensordict_is_lazy (iter->td) ? entry->non_tensor : NULL;
}

/* ---- leaves ---- */

gboolean
reel_tensordict_has_leaves (const ReelTensordict *td)
{
  const ReelTensordictEntry *entry;
  ReelTensordict *nested;
  guint at = 0;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (!entry->child)
      return TRUE;
  while ((nested = reel_tensordict_get_nested (td, &at)))
    if (reel_tensordict_has_leaves (nested))
      return TRUE;
  return FALSE;
}

static void
list_leaves_below (const ReelTensordict *td, const char *prefix, gboolean tensors, GPtrArray *paths)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);

  for (guint i = 0; i < entries->len; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      g_autofree char *path = g_strconcat (prefix, *prefix ? "/" : "", entry->escaped, NULL);
      ReelTensordictValue value = { NULL };
      if (entry->child
          && reel_tensordict_ref_entry (td, entry->escaped, entry->length, &value, NULL))
        list_leaves_below (value.child, path, tensors, paths);
      else if (!entry->child && tensors == (entry->tensor != NULL))
        g_ptr_array_add (paths, g_steal_pointer (&path));
      reel_tensordict_release_value (&value);
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
