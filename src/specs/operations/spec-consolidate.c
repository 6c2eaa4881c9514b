/* Stacks of composites whose members all have the same keys. */
#include <string.h>

#include "../spec-keys.h"
#include "../spec-shape.h"
#include "../kinds/stacked-spec.h"

typedef struct
{
  gboolean through_entries;
  gboolean through_stack;
} Reach;

/* ---- empty specs ---- */

static ReelSpec *empty_like (ReelSpec *const *specs, guint n, gint batch_ndim, GError **error);

static gboolean
check_classes (ReelSpec *const *specs, guint n, GError **error)
{
  for (guint i = 1; i < n; i++)
    if (specs[i]->kind != specs[0]->kind
        || !g_str_equal (reel_spec_class_name (specs[i]), reel_spec_class_name (specs[0])))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "Found same key in lazy specs corresponding to entries with different "
                     "classes");
        return FALSE;
      }
  return TRUE;
}

/* Extents of the first, 0 where the others differ; if they do not, 0 beyond the batch. */
static void
find_extents (ReelSpec *const *specs, guint n, gint batch_ndim, gint64 *shape)
{
  gint ndim = specs[0]->ndim - (specs[0]->kind->last == REEL_SPEC_LAST_FIXED);
  gboolean empty = FALSE;

  for (gint dim = 0; dim < specs[0]->ndim; dim++)
    {
      shape[dim] = specs[0]->shape[dim];
      for (guint i = 1; i < n && dim < ndim; i++)
        if (dim >= specs[i]->ndim || specs[i]->shape[dim] != specs[0]->shape[dim])
          shape[dim] = 0;
      empty |= shape[dim] == 0;
    }
  for (gint dim = batch_ndim; dim < ndim && !empty; dim++)
    shape[dim] = 0;
}

/* @spec with 0 for the extent of @dim. */
static ReelSpec *
clear_dim (const ReelSpec *spec, gint dim, GError **error)
{
  g_autoptr (ReelSpec) without = NULL;
  g_autoptr (ReelSpec) one = NULL;
  ReelSpecChange select;
  gint64 shape[REEL_MAX_NDIM];

  reel_spec_change_init_select (&select, spec, dim, 0);
  without = reel_spec_change (spec, &select, error);
  one = without ? reel_spec_unsqueeze (without, dim, error) : NULL;
  if (!one)
    return NULL;
  for (gint i = 0; i < one->ndim; i++)
    shape[i] = i == dim ? 0 : one->shape[i];
  return reel_spec_expand (one, one->ndim, shape, error);
}

static ReelSpec *
empty_leaf (ReelSpec *const *specs, guint n, gint batch_ndim, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelSpec) spec = reel_spec_ref (specs[0]);

  find_extents (specs, n, batch_ndim, shape);
  for (gint dim = 0; spec && dim < specs[0]->ndim; dim++)
    if (shape[dim] == 0 && spec->shape[dim] != 0)
      {
        ReelSpec *cleared = clear_dim (spec, dim, error);

        reel_spec_unref (spec);
        spec = cleared;
      }
  return g_steal_pointer (&spec);
}

static ReelSpec *
empty_stack (const ReelSpec *spec, gint batch_ndim, GError **error)
{
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);
  gint dim = reel_spec_get_stack_dim (spec);
  g_autofree ReelSpec **same = g_new (ReelSpec *, n);
  g_autoptr (ReelSpec) member =
      empty_like (members, (guint) n, batch_ndim - (dim < batch_ndim), error);

  for (gsize i = 0; i < n; i++)
    same[i] = member;
  return member ? reel_stacked_spec_new (same, n, dim, error) : NULL;
}

/* The substitute for @specs where there are none. */
static ReelSpec *
empty_like (ReelSpec *const *specs, guint n, gint batch_ndim, GError **error)
{
  if (!check_classes (specs, n, error))
    return NULL;
  if (reel_spec_is_composite (specs[0]))
    return reel_spec_empty (specs[0]);
  if (reel_spec_is_lazy (specs[0]))
    return empty_stack (specs[0], batch_ndim, error);
  return empty_leaf (specs, n, batch_ndim, error);
}

/* ---- exclusive keys ---- */

/* The paths of keys that not all of @members have, in the order in which they first stand. */
static GPtrArray *
list_exclusive (const ReelSpec *spec, ReelSpec *const *members, guint n)
{
  GPtrArray *paths = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      gsize n_entries;
      const ReelSpecEntry *entries = reel_spec_get_entries (members[i], &n_entries);

      for (gsize k = 0; k < n_entries; k++)
        if (!reel_spec_contains (spec, entries[k].path)
            && !g_ptr_array_find_with_equal_func (paths, entries[k].path, g_str_equal, NULL))
          g_ptr_array_add (paths, entries[k].path);
    }
  return paths;
}

/* The substitute for @path where it is missing; NULL without an error for nothing specified.
 */
static ReelSpec *
make_missing (ReelSpec *const *members, guint n, const char *path, GError **error)
{
  g_autoptr (GPtrArray) examples = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      const ReelSpecEntry *entry = reel_spec_find_entry (members[i], path, strlen (path));

      if (entry && entry->spec)
        g_ptr_array_add (examples, entry->spec);
    }
  if (examples->len == 0)
    return NULL;
  return empty_like ((ReelSpec *const *) examples->pdata, examples->len, members[0]->ndim, error);
}

static gboolean
add_missing (GPtrArray *members, const char *path, GError **error)
{
  ReelSpec **specs = (ReelSpec **) members->pdata;
  g_autoptr (GError) fault = NULL;
  g_autoptr (ReelSpec) missing = make_missing (specs, members->len, path, &fault);

  if (fault)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&fault), "\"%s\": ", path);
      return FALSE;
    }
  for (guint i = 0; i < members->len; i++)
    if (!reel_spec_contains (specs[i], path))
      {
        ReelSpec *more = reel_spec_set (specs[i], path, missing, error);

        if (!more)
          return FALSE;
        reel_spec_unref (specs[i]);
        specs[i] = more;
      }
  return TRUE;
}

/* ---- consolidate ---- */

static ReelSpec *
consolidate (const ReelSpec *spec, const Reach *reach, GError **error)
{
  return reel_spec_consolidate (spec, reach->through_entries, reach->through_stack, error);
}

static ReelSpec *
consolidate_stack (const ReelSpec *spec, const Reach *reach, GError **error)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);
  g_autoptr (GPtrArray) exclusive = NULL;
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      ReelSpec *member = reach->through_stack ? consolidate (members[i], reach, error)
                                              : reel_spec_ref (members[i]);

      if (!member)
        return NULL;
      g_ptr_array_add (changed, member);
    }
  exclusive = list_exclusive (spec, members, (guint) n);
  for (guint i = 0; i < exclusive->len; i++)
    if (!add_missing (changed, exclusive->pdata[i], error))
      return NULL;
  return reel_stacked_spec_new ((ReelSpec *const *) changed->pdata, n,
                                reel_spec_get_stack_dim (spec), error);
}

static ReelSpec *
consolidate_entries (const ReelSpec *spec, const Reach *reach, GError **error)
{
  g_autoptr (ReelSpec) result = reel_spec_ref (spec);
  gsize n;
  const ReelSpecEntry *entries = reel_spec_get_entries (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelSpec) entry = NULL;
      ReelSpec *next;

      if (!entries[i].spec || !reel_spec_is_composite (entries[i].spec))
        continue;
      entry = consolidate (entries[i].spec, reach, error);
      next = entry ? reel_spec_set (result, entries[i].path, entry, error) : NULL;
      if (!next)
        return NULL;
      reel_spec_unref (result);
      result = next;
    }
  return g_steal_pointer (&result);
}

ReelSpec *
reel_spec_consolidate (const ReelSpec *spec, gboolean through_entries, gboolean through_stack,
                       GError **error)
{
  Reach reach = { through_entries, through_stack };
  g_autoptr (ReelSpec) level = NULL;

  g_return_val_if_fail (spec, NULL);

  if (!reel_spec_is_composite (spec))
    return reel_spec_ref (spec);
  level = reel_spec_is_lazy (spec) ? consolidate_stack (spec, &reach, error) : reel_spec_ref (spec);
  if (!level || !through_entries)
    return g_steal_pointer (&level);
  return consolidate_entries (level, &reach, error);
}
