/* Keys of composites. */
#include "../spec-keys.h"

#include <string.h>

#include "../../core/tensordict/tensordict-private.h"
#include "../spec-shape.h"
#include "../kinds/stacked-spec.h"

/* ---- looking ---- */

/* The entry at @path, and the spec that has it. */
static const ReelSpecEntry *
find_in (const ReelSpec *spec, const char *path, const ReelSpec **parent)
{
  const ReelSpecEntry *entry = NULL;

  for (;;)
    {
      gsize length = strcspn (path, "/");

      *parent = spec;
      entry = spec ? reel_spec_find_entry (spec, path, length) : NULL;
      if (!entry || path[length] == '\0')
        return entry;
      spec = entry->spec;
      path += length + 1;
    }
}

static const ReelSpecEntry *
find (const ReelSpec *spec, const char *path)
{
  return find_in (spec, path, &(const ReelSpec *){ NULL });
}

static gboolean
fail_key (const char *path, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "the spec has no key \"%s\"", path);
  return FALSE;
}

const ReelSpec *
reel_spec_get (const ReelSpec *spec, const char *path, GError **error)
{
  const ReelSpecEntry *entry;
  const ReelSpec *parent;

  g_return_val_if_fail (spec && path, NULL);

  entry = find_in (spec, path, &parent);
  if (!entry)
    fail_key (path, error);
  else if (!entry->spec && reel_spec_is_lazy (parent))
    reel_stacked_spec_fail_clash (parent, entry, error);
  return entry ? entry->spec : NULL;
}

gboolean
reel_spec_contains (const ReelSpec *spec, const char *path)
{
  g_return_val_if_fail (spec && path, FALSE);

  return find (spec, path) != NULL;
}

/* Whether there is something at @path, be it in one member of a stack alone. */
static gboolean
has (const ReelSpec *spec, const char *path)
{
  gsize length = strcspn (path, "/");
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);
  const ReelSpecEntry *entry;

  for (gsize i = 0; i < n; i++)
    if (has (members[i], path))
      return TRUE;
  entry = n == 0 ? reel_spec_find_entry (spec, path, length) : NULL;
  if (!entry || path[length] == '\0')
    return entry != NULL;
  return entry->spec && has (entry->spec, path + length + 1);
}

static void
list_keys (const ReelSpec *spec, const char *prefix, ReelSpecKeys flags, GPtrArray *paths)
{
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      gboolean nested = entries[i].spec && reel_spec_is_composite (entries[i].spec);
      g_autofree char *path = g_strconcat (prefix, entries[i].path, NULL);
      g_autofree char *inner = g_strconcat (path, "/", NULL);

      if (nested && flags & REEL_SPEC_KEYS_NESTED)
        list_keys (entries[i].spec, inner, flags, paths);
      if (!nested || !(flags & REEL_SPEC_KEYS_LEAVES_ONLY))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
}

char **
reel_spec_list_keys (const ReelSpec *spec, ReelSpecKeys flags)
{
  GPtrArray *paths;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  paths = g_ptr_array_new ();
  list_keys (spec, "", flags, paths);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

char **
reel_spec_list_leaves (const ReelSpec *spec)
{
  g_auto (GStrv) all =
      reel_spec_list_keys (spec, REEL_SPEC_KEYS_NESTED | REEL_SPEC_KEYS_LEAVES_ONLY);
  GPtrArray *paths = g_ptr_array_new ();

  for (guint i = 0; all && all[i]; i++)
    if (find (spec, all[i])->spec)
      g_ptr_array_add (paths, g_strdup (all[i]));
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

static gboolean
is_nothing (const ReelSpec *spec)
{
  return !spec || (reel_spec_is_composite (spec) && reel_spec_is_empty (spec, TRUE));
}

gboolean
reel_spec_is_empty (const ReelSpec *spec, gboolean recurse)
{
  gsize n;
  ReelSpec *const *members;
  const ReelSpecEntry *entries;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);

  members = reel_spec_get_members (spec, &n);
  for (gsize i = 0; members && i < n; i++)
    if (!reel_spec_is_empty (members[i], recurse))
      return FALSE;
  if (members)
    return TRUE;
  entries = reel_spec_get_entries (spec, &n);
  for (gsize i = 0; i < n; i++)
    if (!recurse || !is_nothing (entries[i].spec))
      return FALSE;
  return TRUE;
}

/* ---- changing ---- */

/* @spec but for the entry @skip, if any. */
static ReelCompositeSpec *
copy (const ReelSpec *spec, const ReelSpecEntry *skip, GError **error)
{
  ReelCompositeSpec *self = reel_composite_spec_new_like (spec, spec->ndim, spec->shape, error);
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  if (!self)
    return NULL;
  reel_composite_spec_take_names (self, ((const ReelCompositeSpec *) spec)->names);
  for (gsize i = 0; i < n; i++)
    if (&entries[i] != skip
        && !reel_composite_spec_put (self, entries[i].key, entries[i].spec, error))
      {
        reel_spec_unref (&self->head);
        return NULL;
      }
  return self;
}

static ReelSpec *
empty_member (const ReelSpec *member, guint i, gpointer data, GError **error)
{
  return reel_spec_empty (member);
}

ReelSpec *
reel_spec_empty (const ReelSpec *spec)
{
  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  if (reel_spec_is_lazy (spec))
    return reel_stacked_spec_map (spec, reel_spec_get_stack_dim (spec), empty_member, NULL, NULL);
  return (ReelSpec *) reel_composite_spec_new_like (spec, spec->ndim, spec->shape, NULL);
}

static ReelSpec *set_in_members (const ReelSpec *spec, char *const *keys, const ReelSpec *value,
                                 GError **error);

static ReelSpec *
put (const ReelSpec *spec, const char *key, const ReelSpec *value, GError **error)
{
  ReelCompositeSpec *self;

  if (reel_spec_is_lazy (spec))
    return set_in_members (spec, (char *const[]){ (char *) key, NULL }, value, error);
  self = copy (spec, NULL, error);
  if (self && !reel_composite_spec_put (self, key, value, error))
    {
      reel_spec_unref (&self->head);
      return NULL;
    }
  return (ReelSpec *) self;
}

/* The spec at @key, or a new composite there. */
static ReelSpec *
get_or_make (const ReelSpec *spec, const char *key, GError **error)
{
  g_autofree char *path = reel_path_escape (key);
  const ReelSpecEntry *entry = reel_spec_find_entry (spec, path, strlen (path));

  if (!entry)
    return reel_spec_empty (spec);
  if (entry->spec && reel_spec_is_composite (entry->spec))
    return reel_spec_ref (entry->spec);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "cannot set a key below \"%s\": it is %s, not a Composite", key,
               entry->spec ? reel_spec_class_name (entry->spec) : "unspecified");
  return NULL;
}

static ReelSpec *set_at (const ReelSpec *spec, char *const *keys, const ReelSpec *value,
                         GError **error);

/* The part for each member of a stack, or nothing specified. */
typedef struct
{
  char *const *keys;
  GPtrArray *parts;
} Parts;

static ReelSpec *
set_in_member (const ReelSpec *member, guint i, gpointer data, GError **error)
{
  const Parts *parts = data;

  return set_at (member, parts->keys, parts->parts ? parts->parts->pdata[i] : NULL, error);
}

static ReelSpec *
set_in_members (const ReelSpec *spec, char *const *keys, const ReelSpec *value, GError **error)
{
  gint dim = reel_spec_get_stack_dim (spec);
  g_autoptr (GPtrArray) unbound = value ? reel_spec_unbind (value, dim, error) : NULL;
  Parts parts = { keys, unbound };

  if (value && !unbound)
    return NULL;
  if (value && unbound->len != spec->shape[dim])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\": dimension %d of the new specs has %u specs, the StackedComposite "
                   "%" G_GINT64_FORMAT,
                   keys[0], dim, unbound->len, spec->shape[dim]);
      return NULL;
    }
  return reel_stacked_spec_map_in_place (spec, set_in_member, &parts, error);
}

static ReelSpec *
set_at (const ReelSpec *spec, char *const *keys, const ReelSpec *value, GError **error)
{
  g_autoptr (ReelSpec) inner = NULL;
  g_autoptr (ReelSpec) changed = NULL;

  if (reel_spec_is_lazy (spec))
    return set_in_members (spec, keys, value, error);
  if (!keys[1])
    return put (spec, keys[0], value, error);
  inner = get_or_make (spec, keys[0], error);
  if (inner)
    changed = set_at (inner, keys + 1, value, error);
  return changed ? put (spec, keys[0], changed, error) : NULL;
}

ReelSpec *
reel_spec_set (const ReelSpec *spec, const char *path, const ReelSpec *value, GError **error)
{
  g_auto (GStrv) keys = NULL;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (path, NULL);

  keys = reel_path_split (path, error);
  return keys ? set_at (spec, keys, value, error) : NULL;
}

static ReelSpec *remove_at (const ReelSpec *spec, const char *path, GError **error);

static ReelSpec *
remove_from_member (const ReelSpec *member, guint i, gpointer path, GError **error)
{
  return has (member, path) ? remove_at (member, path, error) : reel_spec_ref (member);
}

static ReelSpec *
remove_at (const ReelSpec *spec, const char *path, GError **error)
{
  if (reel_spec_is_lazy (spec))
    return reel_stacked_spec_map_in_place (spec, remove_from_member, (gpointer) path, error);

  gsize length = strcspn (path, "/");
  const ReelSpecEntry *entry = reel_spec_find_entry (spec, path, length);
  g_autoptr (ReelSpec) changed = NULL;

  if (path[length] == '\0')
    return (ReelSpec *) copy (spec, entry, error);
  changed = remove_at (entry->spec, path + length + 1, error);
  return changed ? put (spec, entry->key, changed, error) : NULL;
}

ReelSpec *
reel_spec_remove (const ReelSpec *spec, const char *path, GError **error)
{
  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (path, NULL);

  if (!has (spec, path))
    {
      fail_key (path, error);
      return NULL;
    }
  return remove_at (spec, path, error);
}

static void
replace (ReelSpec **spec, ReelSpec *with)
{
  g_clear_pointer (spec, reel_spec_unref);
  *spec = with;
}

/* The entry after an update by @other. */
static ReelSpec *
updated (const ReelSpec *spec, const ReelSpecEntry *other, GError **error)
{
  const ReelSpecEntry *mine = reel_spec_find_entry (spec, other->path, strlen (other->path));
  gboolean both = mine && mine->spec && other->spec && reel_spec_is_composite (mine->spec)
                  && reel_spec_is_composite (other->spec);

  return both ? reel_spec_update (mine->spec, other->spec, error) : reel_spec_ref (other->spec);
}

ReelSpec *
reel_spec_update (const ReelSpec *spec, const ReelSpec *other, GError **error)
{
  g_autoptr (ReelSpec) result = NULL;
  gsize n;
  const ReelSpecEntry *entries;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (other && reel_spec_is_composite (other), NULL);

  entries = reel_spec_get_entries (other, &n);
  result = reel_spec_ref (spec);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelSpec) value = entries[i].spec ? updated (spec, &entries[i], error) : NULL;
      ReelSpec *next;

      if (entries[i].spec && !value)
        return NULL;
      next = put (result, entries[i].key, value, error);
      if (!next)
        return NULL;
      replace (&result, next);
    }
  return g_steal_pointer (&result);
}

/* Moves what is at @path from *@rest to *@taken. */
static gboolean
separate (ReelSpec **rest, ReelSpec **taken, const char *path, GError **error)
{
  const ReelSpecEntry *entry = find (*rest, path);
  g_autoptr (ReelSpec) from = *taken ? reel_spec_ref (*taken) : reel_spec_empty (*rest);
  g_autoptr (ReelSpec) into = NULL;
  ReelSpec *less;

  if (!entry)
    return TRUE;
  into = reel_spec_set (from, path, entry->spec, error);
  less = into ? reel_spec_remove (*rest, path, error) : NULL;
  if (!less)
    return FALSE;
  replace (taken, g_steal_pointer (&into));
  replace (rest, less);
  return TRUE;
}

ReelSpec *
reel_spec_separate (const ReelSpec *spec, const char *const *paths, ReelSpec **separated,
                    GError **error)
{
  g_autoptr (ReelSpec) rest = NULL;
  g_autoptr (ReelSpec) taken = NULL;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);
  g_return_val_if_fail (paths && separated, NULL);

  *separated = NULL;
  rest = reel_spec_ref (spec);
  for (; *paths; paths++)
    if (!separate (&rest, &taken, *paths, error))
      return NULL;
  *separated = g_steal_pointer (&taken);
  return g_steal_pointer (&rest);
}
