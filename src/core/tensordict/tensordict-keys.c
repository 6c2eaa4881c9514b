#include "tensordict-keys.h"
#include "lazy-stack-private.h"

#include <string.h>

/* ---- listing ---- */

/* The nested tensordict at the key of @entry, if it is one; of a lazy stack, stacked. */
static ReelTensordict *
ref_child (const ReelTensordict *td, const ReelTensordictEntry *entry)
{
  ReelTensordictValue value = { NULL };

  if (entry->child)
    reel_tensordict_ref_entry (td, entry->escaped, entry->length, &value, NULL);
  return value.child;
}

static void
list_below (const ReelTensordict *td, ReelKeysFlags flags, const char *prefix, GPtrArray *paths)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (td);

  for (guint i = 0; i < entries->len; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      g_autoptr (ReelTensordict) child = ref_child (td, entry);
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      if (child && flags & REEL_KEYS_NESTED)
        {
          g_autofree char *below = g_strconcat (path, "/", NULL);
          list_below (child, flags, below, paths);
        }
      if (!child || !(flags & REEL_KEYS_LEAVES))
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

static ReelTensordict *
empty_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  return reel_tensordict_empty (element, GPOINTER_TO_INT (data));
}

ReelTensordict *
reel_tensordict_empty (const ReelTensordict *td, gboolean recurse)
{
  if (reel_tensordict_is_lazy (td))
    return reel_lazy_stack_map (td, td->stack_dim, empty_element, GINT_TO_POINTER (recurse), NULL);

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

static gboolean
check_poppable (const ReelTensordict *td, const char *path, GError **error)
{
  return reel_tensordict_contains (td, path) || set_pop_error (td, path, error);
}

ReelTensor *
reel_tensordict_pop_tensor (ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (ReelTensor) tensor =
      check_poppable (td, path, error) ? reel_tensordict_ref_tensor (td, path, error) : NULL;

  if (!tensor || !reel_tensordict_remove (td, path, error))
    return NULL;
  return g_steal_pointer (&tensor);
}

ReelTensordict *
reel_tensordict_pop_tensordict (ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (ReelTensordict) child =
      check_poppable (td, path, error) ? reel_tensordict_ref_tensordict (td, path, error) : NULL;

  if (!child || !reel_tensordict_remove (td, path, error))
    return NULL;
  return g_steal_pointer (&child);
}

ReelNonTensor *
reel_tensordict_pop_non_tensor (ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (ReelNonTensor) values =
      check_poppable (td, path, error) ? reel_tensordict_ref_non_tensor (td, path, error) : NULL;

  if (!values || !reel_tensordict_remove (td, path, error))
    return NULL;
  return g_steal_pointer (&values);
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

typedef struct
{
  const Named *named;
  gsize n;
} Choice;

static ReelTensordict *select_level (const ReelTensordict *td, const Named *named, gsize n,
                                     gboolean strict, GError **error);

static ReelTensordict *
select_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Choice *choice = data;

  return select_level (element, choice->named, choice->n, FALSE, error);
}

/* Keys of all elements of a lazy stack exist; keys of some are kept by the loose call.
 */
static ReelTensordict *
select_lazy (const ReelTensordict *td, const Named *named, gsize n, gboolean strict, GError **error)
{
  Choice choice = { named, n };

  for (gsize i = 0; strict && i < n; i++)
    if (!reel_tensordict_contains (td, named[i].rest))
      {
        reel_tensordict_set_key_error (td, named[i].path, error);
        return NULL;
      }
  return reel_lazy_stack_map (td, td->stack_dim, select_element, &choice, error);
}

static ReelTensordict *
select_level (const ReelTensordict *td, const Named *named, gsize n, gboolean strict,
              GError **error)
{
  if (reel_tensordict_is_lazy (td))
    return select_lazy (td, named, n, strict, error);

  g_autoptr (ReelTensordict) result = reel_tensordict_empty (td, FALSE);

  reel_tensordict_reserve (result, (guint) MIN (n, td->entries->len));
  for (gsize i = 0; i < n; i++)
    {
      gsize length = strcspn (named[i].rest, "/");
      const ReelTensordictEntry *entry = reel_tensordict_find (td, named[i].rest, length);
      gboolean nested = named[i].rest[length] == '/';
      if (entry && reel_tensordict_find_like (result, entry))
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

static ReelTensordict *exclude_level (const ReelTensordict *td, const Named *named, gsize n);

static ReelTensordict *
exclude_element (ReelTensordict *element, gconstpointer data, GError **error)
{
  const Choice *choice = data;

  return exclude_level (element, choice->named, choice->n);
}

static ReelTensordict *
exclude_level (const ReelTensordict *td, const Named *named, gsize n)
{
  if (reel_tensordict_is_lazy (td))
    return reel_lazy_stack_map (td, td->stack_dim, exclude_element, &(Choice){ named, n }, NULL);

  ReelTensordict *result = reel_tensordict_empty (td, FALSE);
  const ReelTensordictEntry *entry;

  reel_tensordict_reserve (result, td->entries->len);
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
