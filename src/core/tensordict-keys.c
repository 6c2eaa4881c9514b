#include "tensordict-keys.h"
#include "tensordict-private.h"

#include <string.h>

/* ---- listing ---- */

static void
list_below (const ReelTensordict *td, ReelKeysFlags flags, const char *prefix, GPtrArray *paths)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      if (entry->child && flags & REEL_KEYS_NESTED)
        {
          g_autofree char *below = g_strconcat (path, "/", NULL);
          list_below (entry->child, flags, below, paths);
        }
      if (!entry->child || !(flags & REEL_KEYS_LEAVES))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
}

char **
reel_tensordict_list_keys (const ReelTensordict *td, ReelKeysFlags flags)
{
  GPtrArray *paths = g_ptr_array_new ();

  list_below (td, flags, "", paths);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

ReelTensordict *
reel_tensordict_empty (const ReelTensordict *td, gboolean recurse)
{
  ReelTensordict *result = reel_tensordict_new_like (td, td->ndim, td->batch_size);
  const ReelTensordictEntry *entry;

  reel_tensordict_copy_names (result, (const char *const *) td->names);
  for (guint i = 0; recurse && (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child)
      {
        ReelTensordictValue value = { .child = reel_tensordict_empty (entry->child, TRUE) };
        reel_tensordict_append_like (result, entry, value);
      }
  return result;
}

/* ---- pop ---- */

static gboolean
set_pop_error (const ReelTensordict *td, const char *path, GError **error)
{
  g_auto (GStrv) keys = reel_tensordict_list_keys (td, REEL_KEYS_NESTED);
  g_autofree char *list = g_strjoinv ("', '", keys);

  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "You are trying to pop key `%s` which is not in dict without providing default "
               "value. Keys=[%s%s%s].",
               path, keys[0] ? "'" : "", list, keys[0] ? "'" : "");
  return FALSE;
}

/* Takes the entry at @path out, if it is of the kind @kind. */
static gboolean
pop (ReelTensordict *td, const char *path, const char *kind, ReelTensordictValue *value,
     GError **error)
{
  const ReelTensordict *level;
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, path, &level);

  if (!entry)
    return set_pop_error (td, path, error);
  if (strcmp (reel_tensordict_entry_kind (entry), kind) != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a %s, not a %s", path,
                   reel_tensordict_entry_kind (entry), kind);
      return FALSE;
    }
  if (!reel_tensordict_check_unlocked (level, error))
    return FALSE;
  *value = reel_tensordict_hold_value (entry);
  reel_tensordict_drop ((ReelTensordict *) level, entry);
  return TRUE;
}

ReelTensor *
reel_tensordict_pop_tensor (ReelTensordict *td, const char *path, GError **error)
{
  ReelTensordictValue value = { 0 };

  return pop (td, path, "tensor", &value, error) ? value.tensor : NULL;
}

ReelTensordict *
reel_tensordict_pop_tensordict (ReelTensordict *td, const char *path, GError **error)
{
  ReelTensordictValue value = { 0 };

  return pop (td, path, "tensordict", &value, error) ? value.child : NULL;
}

ReelNonTensor *
reel_tensordict_pop_non_tensor (ReelTensordict *td, const char *path, GError **error)
{
  ReelTensordictValue value = { 0 };

  return pop (td, path, "non-tensor", &value, error) ? value.non_tensor : NULL;
}

/* ---- select, exclude ---- */

/* A path that a call names, and what of it lies below the present level. */
typedef struct
{
  const char *path;
  const char *rest;
} Named;

static Named *
name_all (const char *const *paths, gsize *n)
{
  Named *named;

  for (*n = 0; paths[*n]; (*n)++)
    continue;
  named = g_new (Named, *n);
  for (gsize i = 0; i < *n; i++)
    named[i] = (Named){ .path = paths[i], .rest = paths[i] };
  return named;
}

/* Whether @rest begins with the component @key, whole or followed by another. */
static gboolean
is_below (const char *rest, const char *key, gsize length)
{
  return strncmp (rest, key, length) == 0 && (rest[length] == '\0' || rest[length] == '/');
}

/* Those of @named that lie below the component @key, with what is left of them; or none, and
 * @whole, when one of them is the component itself. */
static Named *
name_below (const Named *named, gsize n, const char *key, gsize length, gsize *n_below,
            gboolean *whole)
{
  Named *below = g_new (Named, n);

  *n_below = 0;
  *whole = FALSE;
  for (gsize i = 0; i < n; i++)
    if (is_below (named[i].rest, key, length))
      {
        *whole |= named[i].rest[length] == '\0';
        below[(*n_below)++] = (Named){ .path = named[i].path, .rest = named[i].rest + length + 1 };
      }
  return below;
}

static ReelTensordict *
select_level (const ReelTensordict *td, const Named *named, gsize n, gboolean strict,
              GError **error)
{
  g_autoptr (ReelTensordict) result = reel_tensordict_empty (td, FALSE);

  for (gsize i = 0; i < n; i++)
    {
      gsize length = strcspn (named[i].rest, "/");
      const ReelTensordictEntry *entry = reel_tensordict_find (td, named[i].rest, length);
      gboolean nested = named[i].rest[length] == '/';
      if (reel_tensordict_find (result, named[i].rest, length))
        continue;
      if (!entry || (nested && !entry->child))
        {
          if (!strict)
            continue;
          reel_tensordict_set_key_error (td, named[i].path, error);
          return NULL;
        }

      gsize n_below = 0;
      gboolean whole = !entry->child;
      g_autofree Named *below =
          whole ? NULL : name_below (named, n, named[i].rest, length, &n_below, &whole);
      ReelTensordictValue value = { 0 };
      if (whole)
        value = reel_tensordict_share_value (entry);
      else if (!(value.child = select_level (entry->child, below, n_below, strict, error)))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}

ReelTensordict *
reel_tensordict_select_keys (const ReelTensordict *td, const char *const *paths, gboolean strict,
                             GError **error)
{
  gsize n;
  g_autofree Named *named = name_all (paths, &n);

  return select_level (td, named, n, strict, error);
}

static ReelTensordict *
exclude_level (const ReelTensordict *td, const Named *named, gsize n)
{
  ReelTensordict *result = reel_tensordict_empty (td, FALSE);
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      gsize n_below;
      gboolean whole;
      g_autofree Named *below =
          name_below (named, n, entry->escaped, entry->length, &n_below, &whole);
      if (whole)
        continue;
      ReelTensordictValue value = { 0 };
      if (entry->child && n_below > 0)
        value.child = exclude_level (entry->child, below, n_below);
      else
        value = reel_tensordict_share_value (entry);
      reel_tensordict_append_like (result, entry, value);
    }
  return result;
}

ReelTensordict *
reel_tensordict_exclude_keys (const ReelTensordict *td, const char *const *paths)
{
  gsize n;
  g_autofree Named *named = name_all (paths, &n);

  return exclude_level (td, named, n);
}

/* ---- other keys ---- */

gboolean
reel_tensordict_rename_key (ReelTensordict *td, const char *old_path, const char *new_path,
                            gboolean safe, GError **error)
{
  const ReelTensordict *level;
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, old_path, &level);

  if (!entry)
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

  /* The new path may be a level on the old one, which then goes with all below it. */
  g_autoptr (ReelTensordict) held = reel_tensordict_ref ((ReelTensordict *) level);
  ReelTensordictValue value = reel_tensordict_hold_value (entry);
  gboolean done = reel_tensordict_set_entry (td, new_path, &value, error);
  if (done)
    reel_tensordict_drop (held, entry);
  reel_tensordict_release_value (&value);
  return done;
}

/* A plain tensordict for the leaves of @td under other keys. */
static ReelTensordict *
new_plain (const ReelTensordict *td)
{
  ReelTensordict *result = reel_tensordict_empty (td, FALSE);

  g_clear_pointer (&result->record_class, reel_tensordict_class_unref);
  return result;
}

typedef struct
{
  const char *separator;
  ReelTensordict *result;
  GString *collisions;
} Flattening;

static void
flatten_below (Flattening *flattening, const ReelTensordict *td, const char *prefix,
               const char *path)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      g_autofree char *key = g_strconcat (prefix, entry->key, NULL);
      g_autofree char *escaped = reel_path_escape (key);
      if (entry->child)
        {
          g_autofree char *next = g_strconcat (key, flattening->separator, NULL);
          g_autofree char *below = g_strconcat (path, entry->escaped, "/", NULL);
          flatten_below (flattening, entry->child, next, below);
        }
      else if (reel_tensordict_find (flattening->result, escaped, strlen (escaped)))
        g_string_append_printf (flattening->collisions, "%s'%s%s'",
                                flattening->collisions->len > 0 ? ", " : "", path, entry->escaped);
      else
        reel_tensordict_put (flattening->result, key, reel_tensordict_share_value (entry));
    }
}

ReelTensordict *
reel_tensordict_flatten_keys (const ReelTensordict *td, const char *separator, GError **error)
{
  g_autoptr (ReelTensordict) result = new_plain (td);
  g_autoptr (GString) collisions = g_string_new (NULL);
  Flattening flattening = { separator, result, collisions };

  flatten_below (&flattening, td, "", "");
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

ReelTensordict *
reel_tensordict_unflatten_keys (const ReelTensordict *td, const char *separator, GError **error)
{
  g_autoptr (ReelTensordict) result = new_plain (td);
  const ReelTensordictEntry *entry;

  if (separator[0] == '\0')
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "empty separator");
      return NULL;
    }
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (!strstr (entry->key, separator))
      reel_tensordict_append_like (result, entry, reel_tensordict_share_value (entry));
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (strstr (entry->key, separator) && !unflatten_entry (result, entry, separator, error))
      return NULL;
  return g_steal_pointer (&result);
}
