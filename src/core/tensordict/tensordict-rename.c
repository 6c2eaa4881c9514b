/* The same leaves under other keys. */
#include "lazy-stack-private.h"
#include "tensordict-keys.h"
#include "tree-private.h"

#include <string.h>

/* ---- rename ---- */

typedef struct
{
  const char *old_path;
  const char *new_path;
  gboolean safe;
} Rename;

/* A shallow copy with the key renamed, which shows that the element itself can be. */
static ReelTensordict *
rename_copy (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Rename *rename = data;
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (element, FALSE, error);

  if (!copy || !reel_tensordict_check_unlocked (element, error)
      || !reel_tensordict_rename_key (copy, rename->old_path, rename->new_path, rename->safe,
                                      error))
    return NULL;
  return g_steal_pointer (&copy);
}

static gboolean
rename_lazy (ReelTensordict *td, const Rename *rename, GError **error)
{
  g_autoptr (ReelTensordict) trial = NULL;

  if (!reel_tensordict_contains (td, rename->old_path))
    return reel_tensordict_set_key_error (td, rename->old_path, error);
  if (!reel_tensordict_check_unlocked (td, error)
      || !(trial = reel_lazy_stack_map (td, td->stack_dim, rename_copy, rename, error)))
    return FALSE;
  for (guint i = 0, first; i < td->elements->len; i++)
    /* One tensordict may stand in the stack twice. */
    if (g_ptr_array_find (td->elements, td->elements->pdata[i], &first) && first == i
        && !reel_tensordict_rename_key (td->elements->pdata[i], rename->old_path, rename->new_path,
                                        rename->safe, error))
      return FALSE;
  return TRUE;
}

/* The value of a path through a lazy stack is stacked, and cut again where it is set. */
static gboolean
rename_stacked (ReelTensordict *td, const Rename *rename, GError **error)
{
  g_autoptr (ReelTensordict) level = NULL;
  const char *slash = strrchr (rename->old_path, '/');
  g_autofree char *parent = g_strndup (rename->old_path, slash - rename->old_path);
  ReelTensordictValue value = { NULL };

  if (!(level = reel_tensordict_ref_tensordict (td, parent, error))
      || !reel_tensordict_ref_entry (level, slash + 1, strlen (slash + 1), &value, error))
    return FALSE;
  gboolean done = reel_tensordict_set_entry (td, rename->new_path, &value, error)
                  && reel_tensordict_remove (td, rename->old_path, error);
  reel_tensordict_release_value (&value);
  return done;
}

static gboolean
rename_entry (ReelTensordict *td, ReelTensordict *level, const ReelTensordictEntry *entry,
              const char *new_path, GError **error)
{
  if (!reel_tree_check_removal (level, entry->escaped, error))
    return FALSE;
  /* The new path may be a level on the old one, which then goes with all below it. */
  g_autoptr (ReelTensordict) held = reel_tensordict_ref (level);
  ReelTensordictValue value = reel_tensordict_hold_value (entry);
  gboolean done = reel_tensordict_set_entry (td, new_path, &value, error);

  if (done)
    reel_tensordict_drop (held, entry);
  reel_tensordict_release_value (&value);
  return done;
}

gboolean
reel_tensordict_rename_key (ReelTensordict *td, const char *old_path, const char *new_path,
                            gboolean safe, GError **error)
{
  const Rename rename = { old_path, new_path, safe };
  const ReelTensordict *level;

  if (reel_tensordict_is_lazy (td))
    return rename_lazy (td, &rename, error);
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, old_path, &level);
  if (!entry && !reel_tensordict_contains (td, old_path))
    return reel_tensordict_set_key_error (level, old_path, error);
  if (!reel_tensordict_check_unlocked (level, error))
    return FALSE;
  if (strcmp (old_path, new_path) == 0)
    return TRUE;
  if (safe && reel_tensordict_contains (td, new_path))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "key %s already present in TensorDict.",
                   new_path);
      return FALSE;
    }
  return entry ? rename_entry (td, (ReelTensordict *) level, entry, new_path, error)
               : rename_stacked (td, &rename, error);
}

/* ---- flatten ---- */

/* A plain tensordict, of no class and no list or tuple, for the leaves of @td under other keys. */
static ReelTensordict *
new_plain (const ReelTensordict *td)
{
  ReelTensordict *result = reel_tensordict_empty (td, FALSE);

  g_clear_pointer (&result->record_class, reel_tensordict_class_unref);
  result->kind = REEL_TENSORDICT_DICT;
  return result;
}

typedef struct
{
  const char *separator;
  ReelTensordict *result;
  GString *collisions;
} Flattening;

static gboolean flatten_below (Flattening *flattening, const ReelTensordict *td, const char *prefix,
                               const char *path, GError **error);

static gboolean
flatten_entry (Flattening *flattening, const ReelTensordictEntry *entry,
               const ReelTensordictValue *value, const char *prefix, const char *path,
               GError **error)
{
  g_autofree char *key = g_strconcat (prefix, entry->key, NULL);
  g_autofree char *escaped = reel_path_escape (key);

  if (value->child)
    {
      g_autofree char *next = g_strconcat (key, flattening->separator, NULL);
      g_autofree char *below = g_strconcat (path, entry->escaped, "/", NULL);
      return flatten_below (flattening, value->child, next, below, error);
    }
  if (!reel_tensordict_find (flattening->result, escaped, strlen (escaped)))
    return reel_tensordict_set_entry (flattening->result, escaped, value, error);
  g_string_append_printf (flattening->collisions, "%s'%s%s'",
                          flattening->collisions->len > 0 ? ", " : "", path, entry->escaped);
  return TRUE;
}

static gboolean
flatten_below (Flattening *flattening, const ReelTensordict *td, const char *prefix,
               const char *path, GError **error)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);
  gboolean done = TRUE;

  for (guint i = 0; i < entries->len && done; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      ReelTensordictValue value = { NULL };
      done = reel_tensordict_ref_entry (td, entry->escaped, entry->length, &value, error)
             && flatten_entry (flattening, entry, &value, prefix, path, error);
      reel_tensordict_release_value (&value);
    }
  return done;
}

static ReelTensordict *
flatten_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  return reel_tensordict_flatten_keys (element, data, error);
}

/* Keys that only some elements have would become keys of nobody knows which. */
static ReelTensordict *
flatten_lazy (const ReelTensordict *td, const char *separator, GError **error)
{
  g_autoptr (GPtrArray) common = reel_tensordict_list_entries (td);

  for (guint i = 0; i < td->elements->len; i++)
    {
      g_autoptr (GPtrArray) own = reel_tensordict_list_entries (td->elements->pdata[i]);
      if (own->len == common->len)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the method flatten_keys cannot complete when there are exclusive keys.");
      return NULL;
    }
  return reel_lazy_stack_map (td, td->stack_dim, flatten_element, separator, error);
}

ReelTensordict *
reel_tensordict_flatten_keys (const ReelTensordict *td, const char *separator, GError **error)
{
  g_autoptr (GString) collisions = g_string_new (NULL);

  if (reel_tensordict_is_lazy (td))
    return flatten_lazy (td, separator, error);
  g_autoptr (ReelTensordict) result = new_plain (td);
  Flattening flattening = { separator, result, collisions };
  if (!flatten_below (&flattening, td, "", "", error))
    return NULL;
  if (collisions->len > 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "Flattening keys in tensordict causes keys [%s] to collide.", collisions->str);
      return NULL;
    }
  return g_steal_pointer (&result);
}

static char *
path_of_key (const char *key, const char *separator)
{
  g_auto (GStrv) keys = g_strsplit (key, separator, -1);

  for (char **k = keys; *k; k++)
    {
      char *plain = *k;
      *k = reel_path_escape (plain);
      g_free (plain);
    }
  return g_strjoinv ("/", keys);
}

static gboolean
unflatten_entry (ReelTensordict *result, const ReelTensordictEntry *entry, const char *separator,
                 GError **error)
{
  g_autofree char *path = path_of_key (entry->key, separator);
  ReelTensordictValue value = reel_tensordict_share_value (entry);
  gboolean done = !reel_tensordict_contains (result, path)
                  && reel_tensordict_set_entry (result, path, &value, NULL);

  if (!done)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "Unflattening key(s) in tensordict will override an existing for unflattened key "
                 "'%s'.",
                 path);
  reel_tensordict_release_value (&value);
  return done;
}

static ReelTensordict *
unflatten_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  return reel_tensordict_unflatten_keys (element, data, error);
}

ReelTensordict *
reel_tensordict_unflatten_keys (const ReelTensordict *td, const char *separator, GError **error)
{
  const ReelTensordictEntry *entry;

  if (separator[0] == '\0')
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "empty separator");
      return NULL;
    }
  if (reel_tensordict_is_lazy (td))
    return reel_lazy_stack_map (td, td->stack_dim, unflatten_element, separator, error);
  g_autoptr (ReelTensordict) result = new_plain (td);
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (!strstr (entry->key, separator))
      reel_tensordict_append_like (result, entry, reel_tensordict_share_value (entry));
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (strstr (entry->key, separator) && !unflatten_entry (result, entry, separator, error))
      return NULL;
  return g_steal_pointer (&result);
}
